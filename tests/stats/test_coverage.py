"""Coverage, its best and worst case, and when it takes the headline away."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from errands.stats.coverage import coverage, headline
from errands.stats.rates import library_rate, skill_rate

from .lists import attempts


def planned(blocked: int, groups: int = 40) -> list:
    """Two attempts a group, every other task passes; the second attempt of the first `blocked` tasks is blocked."""
    return attempts(
        [
            (f"g{i}", ("+" if i % 2 else "-") + ("b" if i < blocked else "+" if i % 2 else "-"))
            for i in range(groups)
        ]
    )


def test_counts_and_bounds_by_hand():
    """Of forty tasks four lack one attempt of two: ± 4 halves of 40."""
    c = coverage(
        attempts([*[(f"g{i}", "+-") for i in range(36)], ("a", "+b"), ("b", "-i"), ("c", "n+"), ("d", "bn")])
    )
    assert (c.planned, c.graded, c.blocked, c.invalid, c.not_run) == (80, 75, 2, 1, 2)
    assert c.planned == c.graded + c.blocked + c.invalid + c.not_run
    assert c.share == Fraction(75, 80)
    # 18 of 36, then + ½, 0, ½ and 0 at worst; 1, ½, 1 and 1 at best.
    assert (c.worst, c.best) == (Fraction(19, 40), Fraction(43, 80))


def test_full_coverage_changes_nothing():
    mine = planned(0)
    c = coverage(mine)
    assert c.worst == c.best == skill_rate(mine).value and c.share == 1
    assert headline(mine) == skill_rate(mine)


def test_the_headline_is_refused_below_nine_tenths():
    at, below = planned(8), planned(9)
    assert coverage(at).share == Fraction(9, 10) and not headline(at).refusal
    r = headline(below)
    assert r.refusal == "71 of 80 attempts could be graded, under 90 %"
    assert r.value is None and r.low is None and (r.count, r.attempts) == (40 - 4, 71)


def test_the_headline_is_refused_where_the_rest_could_move_it_too_far():
    """A narrow interval (nearly all pass, 400 groups) with 8 % of all tasks blocked."""
    mine = attempts([(f"g{i}", "bb" if i % 12 == 0 else "++") for i in range(400)])
    c, r = coverage(mine), skill_rate(mine)
    assert c.share > Fraction(9, 10) and float(c.best - c.worst) > 2 * (r.high - r.low)
    assert "could move it by 8.5 points" in headline(mine).refusal


def test_the_rule_also_guards_another_rate():
    mine = [replace(a, pi=Fraction(1, 2)) for a in planned(9)]
    assert not library_rate(mine).refusal and headline(mine, library_rate).refusal


def test_what_is_too_few_anyway_says_so():
    assert headline(attempts([("g", "+b")])).refusal == "1 group, a rate needs 10: counts only"
    c = coverage([])
    assert c.share is None and c.refusal(skill_rate([])) == "no attempt was planned"


def test_a_withdrawn_task_with_and_without():
    """Never run: its group is in the bounds and in no rate."""
    listed = attempts([(f"g{i}", "+-") for i in range(40)])
    withdrawn = [replace(a, task="out", group="out", status="not_run", strict=False) for a in listed[:2]]
    c = coverage([*listed, *withdrawn])
    assert (c.worst, c.best) == (Fraction(20, 41), Fraction(21, 41))
    assert headline([*listed, *withdrawn]) == headline(listed)


@pytest.mark.parametrize("mark", "bin")
def test_no_kind_of_missing_attempt_counts_as_failed(mark):
    mine = attempts([*[(f"g{i}", "+-") for i in range(40)], ("z", "+" + mark)])
    assert headline(mine).value == Fraction(21, 41)
