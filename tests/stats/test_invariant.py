"""What must change no number: the order of the records, and what agents, tasks and groups are called."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from errands.stats.asking import asked_needlessly, asked_when_needed
from errands.stats.compare import compare
from errands.stats.coverage import coverage, headline
from errands.stats.effort import cost, first_response, judge_share, wall_time
from errands.stats.rates import (
    crossed_rate,
    crossings,
    group_rate,
    library_rate,
    list_rate,
    skill_rate,
    world_rates,
)
from errands.stats.records import Attempt
from errands.stats.reliability import flip_share, pass_at_k, pass_hat_k
from errands.stats.separate import separate

NUMBERS = (
    skill_rate,
    group_rate,
    library_rate,
    list_rate,
    world_rates,
    crossed_rate,
    crossings,
    coverage,
    headline,
    flip_share,
    lambda a: pass_hat_k(a, 2),
    lambda a: pass_at_k(a, 2),
    wall_time,
    first_response,
    cost,
    judge_share,
    asked_when_needed,
    asked_needlessly,
)


@st.composite
def runs(draw: Any, agent: str = "a") -> list[Attempt]:
    """A list with 8 to 30 groups of one to three tasks, two attempts each, all that may be odd about them."""
    pick = draw(st.randoms(use_true_random=False))
    out = []
    for g in range(draw(st.integers(8, 30))):
        for t in range(pick.choice([1, 1, 2, 3])):
            pi = Fraction(1, pick.randint(1, 9))
            for repeat in range(2):
                status = pick.choice(["graded"] * 12 + ["blocked", "invalid", "not_run"])
                strict = status == "graded" and pick.random() < 0.6
                needed = pick.choice([True, False, None])
                out.append(
                    Attempt(
                        task=f"t{g}.{t}",
                        group=f"g{g}",
                        world=f"w{g % 2}",
                        agent=agent,
                        repeat=repeat,
                        status=status,
                        pi=pi,
                        strict=strict,
                        crossed=not strict and pick.random() < 0.2,
                        wall_s=pick.choice([None, pick.randint(1, 900) / 7]),
                        first_response_s=pick.randint(1, 90) / 7,
                        cost_usd=pick.choice([None, pick.randint(1, 900) / 700]),
                        approval_needed=needed,
                        asked_when_needed=pick.choice([True, False]) if needed else None,
                        asked_needlessly=pick.choice([True, False, None]),
                        criteria=5,
                        judged=pick.choice([0, 1]),
                    )
                )
    return out


@settings(max_examples=25, deadline=None)
@given(runs(), st.randoms(use_true_random=False))
def test_the_order_of_the_records_changes_no_number(mine, pick):
    mixed = list(mine)
    pick.shuffle(mixed)
    for number in NUMBERS:
        assert number(mine) == number(mixed)
    other = [replace(a, agent="b", strict=a.strict and a.repeat == 0) for a in mine]
    assert compare(mine, other) == compare(mixed, other)


@settings(max_examples=25, deadline=None)
@given(runs(), st.randoms(use_true_random=False))
def test_names_of_tasks_groups_and_agents_change_no_number(mine, pick):
    tasks, groups = sorted({a.task for a in mine}), sorted({a.group for a in mine})
    task = dict(zip(tasks, pick.sample(tasks, len(tasks)), strict=True))
    group = dict(zip(groups, pick.sample(groups, len(groups)), strict=True))
    named = [replace(a, task=task[a.task], group=group[a.group], agent="z") for a in mine]
    for number in NUMBERS:
        assert number(mine) == number(named)


@settings(max_examples=15, deadline=None)
@given(runs(), runs("b"), runs("c"))
def test_the_order_in_which_agents_are_given_changes_nothing(a, b, c):
    # Lists of one frame: the same task has one group, and the probabilities are the first side's.
    sides = {"a": a, "b": b, "c": c}
    turned = {n: sides[n] for n in ("c", "a", "b")}
    assert separate(sides) == separate(turned)


@settings(max_examples=25, deadline=None)
@given(runs())
def test_every_number_is_inside_its_interval_and_every_interval_inside_what_can_be(mine):
    for rate in (skill_rate, group_rate, library_rate, list_rate, crossed_rate, flip_share, asked_needlessly):
        r = rate(mine)
        assert (r.value is None) == bool(r.refusal) == (r.low is None) == (r.high is None)
        if r.value is not None:
            assert 0 <= r.low <= r.value <= r.high <= 1
        assert 0 <= r.count <= r.attempts <= len(mine)
    c = coverage(mine)
    assert c.worst <= c.best and c.planned == c.graded + c.blocked + c.invalid + c.not_run
    assert crossings(mine).upper >= crossings(mine).count / crossings(mine).attempts
