"""The gate: its promise to an unchanged agent, its power, and how often a rule about crossings trips."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from errands.stats.gate import FALSE_BLOCKS, BreakRule, break_chance, break_rule, trips


def test_the_figures_of_the_design():
    """24 tasks, all of them passing one time in three: five re-runs block 8.3 %, the rule's seven at most 5."""
    five = 24 * break_chance(3, 1, 5, 1 / 3, 1 / 3)
    assert 1 - (1 - five / 24) ** 24 == pytest.approx(0.083, abs=5e-4)
    rule = break_rule(24)
    assert (rule.attempts, rule.still) == (3, 1)
    assert rule.false_blocks <= 24 * rule.worst <= FALSE_BLOCKS
    assert 1 - (1 - break_chance(3, 1, 8, 0.27, 0.27)) ** 24 == pytest.approx(0.031, abs=1e-3)


def test_break_chance_by_hand():
    """⅛ · P(≤ 1 of 3 at ½) = ½ · (½)² for two re-runs."""
    assert break_chance(3, 1, 2, 0.5, 0.5) == pytest.approx(1 / 8 * 1 / 2 * 1 / 4)
    assert break_chance(3, 1, 2, 1, 0) == 1 and break_chance(3, 1, 2, 1, 1) == 0


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 400), st.integers(1, 8))
def test_it_is_the_smallest_number_of_reruns_that_keeps_the_promise(tasks, attempts):
    """Against scipy's binomial on a fine grid of rates."""
    rule = break_rule(tasks, attempts)
    assert rule.still == attempts // 3

    def worst(reruns: int) -> float:
        p = np.append(np.linspace(0, 1, 20_001), rule.worst_rate)
        return float((p**attempts * binom.cdf(rule.still, attempts, p) * (1 - p) ** reruns).max())

    assert worst(rule.reruns) == pytest.approx(rule.worst, rel=1e-9)
    assert tasks * rule.worst <= FALSE_BLOCKS
    if rule.reruns:
        # One fewer would not do. The peak then lies elsewhere, and the grid may miss it by a hair.
        assert tasks * worst(rule.reruns - 1) > FALSE_BLOCKS * 0.9999


def test_one_attempt_needs_very_many_reruns():
    """By hand: p(1 − p)^(r+1) peaks at 1/(r+2); with 24 tasks the smallest r is 176."""
    peaks = {r: 24 / (r + 2) * ((r + 1) / (r + 2)) ** (r + 1) for r in (175, 176)}
    assert peaks[175] > FALSE_BLOCKS >= peaks[176]
    assert break_rule(24, 1).reruns == 176


@pytest.mark.parametrize(("attempts", "reruns"), [(2, 14), (3, 7), (5, 2), (6, 2)])
def test_more_attempts_need_fewer_reruns(attempts, reruns):
    """Two by hand: p²(1 − p)^(2+r) peaks at 2/(r+4); 24 · (1/9)² · (8/9)^16 = .045, at r = 13 it is .0508."""
    assert break_rule(24, attempts).reruns == reruns


def test_no_task_or_no_attempt_is_no_gate():
    for tasks, attempts in ((0, 3), (24, 0)):
        with pytest.raises(ValueError, match="tasks at"):
            break_rule(tasks, attempts)


def test_what_is_suspect_and_what_confirms():
    rule = break_rule(24)
    assert rule.suspect(3, 1) and rule.suspect(3, 0)
    assert not rule.suspect(3, 2) and not rule.suspect(2, 0)
    # An attempt without a grade might have passed.
    assert rule.suspect(3, 0, ungraded=1) and not rule.suspect(3, 1, ungraded=1)
    assert rule.confirmed(0, rule.reruns) and not rule.confirmed(1, rule.reruns)
    assert not rule.confirmed(0, rule.reruns - 1)


def gates(rule: BreakRule, before: np.ndarray, now: np.ndarray, n: int, seed: int) -> np.ndarray:
    """Which tasks broke in each of `n` gates, played attempt by attempt through the rule."""
    rng = np.random.default_rng(seed)
    shape = (n, len(before))
    baseline = rng.binomial(rule.attempts, before, shape)
    run = rng.binomial(rule.attempts, now, shape)
    again = rng.binomial(rule.reruns, now, shape)
    return np.array(
        [
            [
                rule.suspect(int(b), int(c)) and rule.confirmed(int(r), rule.reruns)
                for b, c, r in zip(*x, strict=True)
            ]
            for x in zip(baseline, run, again, strict=True)
        ]
    )


@pytest.mark.parametrize("attempts", [2, 3, 5])
@pytest.mark.parametrize("library", ["worst", "mixed", "good"])
def test_an_unchanged_agent_is_blocked_in_at_most_one_gate_of_twenty(attempts, library):
    rule = break_rule(24, attempts)
    rates = {
        "worst": np.full(24, rule.worst_rate),
        "mixed": np.linspace(0.02, 0.98, 24),
        "good": np.full(24, 0.9),
    }[library]
    blocked = gates(rule, rates, rates, 1500, seed=attempts).any(axis=1).mean()
    # Three standard errors of 1,500 gates.
    assert blocked <= FALSE_BLOCKS + 3 * (0.05 * 0.95 / 1500) ** 0.5
    if library == "worst":
        assert blocked == pytest.approx(rule.false_blocks, abs=0.017)


@pytest.mark.parametrize("attempts", [2, 3, 5])
def test_a_task_that_went_from_always_to_never_is_caught(attempts):
    rule = break_rule(24, attempts)
    assert rule.caught(1, 0) == 1
    before, now = np.full(24, 0.7), np.full(24, 0.7)
    before[0], now[0] = 1, 0
    assert gates(rule, before, now, 300, seed=1)[:, 0].all()
    # Nearly always to nearly never: still 95 of 100.
    assert rule.caught(0.995, 0.001) >= 0.95
    almost = gates(rule, np.full(4, 0.9), np.full(4, 0.05), 2000, seed=2).mean()
    assert almost == pytest.approx(rule.caught(0.9, 0.05), abs=0.02)


def test_what_is_not_promised():
    """Half as often as before, and what was flaky before, are mostly not seen: the rule looks for breaks."""
    rule = break_rule(24)
    assert rule.caught(1, 0.5) < 0.01 and rule.caught(0.7, 0) < 0.35


def test_a_rule_about_crossings_trips_an_unchanged_agent():
    """The design's figure: 1 % of the time, 72 attempts, none allowed: 52 %."""
    assert trips([(Fraction(1, 100), 72)]) == pytest.approx(1 - 0.99**72) == pytest.approx(0.515, abs=1e-3)
    assert trips([(0, 72)]) == 0 and trips([(1, 3), (0, 69)]) == 1
    assert trips([(0.5, 2)], allowed=2) == 0 and trips([], allowed=0) == 0
    assert trips([(0.5, 2)], allowed=1) == pytest.approx(0.25)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 3)), max_size=4), st.integers(0, 4))
def test_trips_is_the_exact_sum(rates, allowed):
    single = [q for q, n in rates for _ in range(n)]
    chance = sum(
        np.prod([q if hit else 1 - q for q, hit in zip(single, hits, strict=True)])
        for hits in product((0, 1), repeat=len(single))
        if sum(hits) > allowed
    )
    assert trips(rates, allowed) == pytest.approx(float(chance), abs=1e-9)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_a_pooled_rate_promises_too_few_trips(rates):
    pooled = sum(rates) / len(rates)
    assert trips([(q, 3) for q in rates]) >= trips([(min(1, pooled), 3 * len(rates))]) - 1e-9


def test_a_rate_that_cannot_be():
    with pytest.raises(ValueError, match="crossing rate"):
        trips([(1.5, 3)])
