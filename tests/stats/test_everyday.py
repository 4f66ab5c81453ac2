"""The everyday protocol's figures: coverage, category scores of cohorts, speed."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errands.stats.everyday import Evaluated, categories_tested, cohorts, run_of, speed


def run(total: int | None, *, cohort: str = "one", category: str = "Memory", **more) -> Evaluated:
    return Evaluated(
        category=category,
        scenario="drink",
        cohort=cohort,
        raw=total,
        total=total,
        gated=total,
        **more,
    )


def test_tested_is_coverage_and_counts_only_what_could_be_evaluated():
    seen = categories_tested([run(1), run(10), run(None, category="Phone")], ["Memory", "Phone", "Travel"])
    assert seen.categories == ("Memory",) and seen.said == "1 of 3 categories have an evaluated run"
    with pytest.raises(ValueError, match="no such category: Memory"):
        categories_tested([run(1)], ["Phone"])


@pytest.mark.parametrize("totals", [(), (10,), (10, 10), (10, 10, None)])
def test_two_runs_are_no_category_score_and_it_says_why(totals):
    found = cohorts([run(t) for t in totals] or [run(None)])[0]
    assert found.score is None
    n = len([t for t in totals if t])
    assert found.refusal.startswith(f"{n} evaluated run{'' if n == 1 else 's'}: a category score needs 3")


def test_it_is_the_mean_of_all_evaluated_runs_and_not_of_the_best():
    (found,) = cohorts([run(10), run(1), run(None), run(9)])
    assert found.score == Fraction(20, 3) and found.refusal == ""
    assert len(found.runs) == 4 and len(found.evaluated) == 3


def test_runs_of_two_cohorts_are_never_counted_together():
    found = cohorts([run(10), run(10, cohort="two"), run(10)])
    assert [(c.cohort, c.score) for c in found] == [("one", None), ("two", None)]


@given(st.lists(st.integers(1, 10), min_size=3, max_size=9), st.randoms())
def test_a_score_is_within_its_runs_in_any_order(totals, lot):
    mixed = [*totals]
    lot.shuffle(mixed)
    (a,), (b,) = cohorts(map(run, totals)), cohorts(map(run, mixed))
    assert a.score == b.score and min(totals) <= a.score <= max(totals)


def timed(*marks: tuple[int, float | None], first: float | None = 1.0):
    return speed(cohorts([run(t, goal_s=s, first_s=first) for t, s in marks])[0])


def test_speed_is_the_median_of_at_least_three_passes():
    assert timed((10, 30), (10, 10), (10, 50), (9, 1)).seconds == 30
    few = timed((10, 30), (10, 10), (9, 1), (10, None))
    assert few.seconds is few.first_response is None
    assert few.refusal == "2 successes that were timed: a speed needs 3 of one cohort"


def test_first_response_stands_apart_and_takes_nobodys_place():
    assert timed((10, 30), (10, 10), (10, 50), first=2).first_response == 2
    unseen = timed((10, 30), (10, 10), (10, 50), first=None)
    assert (unseen.seconds, unseen.first_response) == (30, None)


def test_scores_become_a_run():
    whole = {"c1": 2, "c2": 1, "c3": 0, "c4": 2, "c5": 2, "raw": 7, "total": 7, "gated": 5}
    assert run_of("Memory", "drink", "one", whole).vector == "21022"
    part = run_of("Memory", "drink", "one", {"c1": 2, "c2": 1, "c4": 2, "c5": 2})
    assert (part.vector, part.total) == ("21-22", None)
    with pytest.raises(ValueError, match="some of its scores"):
        run_of("Memory", "drink", "one", {"total": 3})
    with pytest.raises(ValueError, match="a total of 0"):
        run_of("Memory", "drink", "one", {"raw": 0, "total": 0, "gated": 0})
