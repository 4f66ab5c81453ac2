"""Scores of runs by hand: what a tester marks, help by a person, blocked access."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errands.core.types import KINDS, Graded
from errands.grading.by_hand import Mark, scored
from errands.grading.everyday import scores

FIVE = tuple("abcde")
WEIGHTS = dict.fromkeys(FIVE, 2)
RESULTS = {0: "not_met", 1: "partly", 2: "met", None: "not_observed"}
kinds = st.lists(st.sampled_from(("required", "prohibited")), min_size=5, max_size=5)
points = st.lists(st.integers(0, 2), min_size=5, max_size=5)
helped = st.lists(st.booleans(), min_size=5, max_size=5)


def marks(points, kinds=("required",) * 5, helped=(False,) * 5):
    return [Mark.earned(i, k, p, helped=h) for i, k, p, h in zip(FIVE, kinds, points, helped, strict=True)]


@given(points, kinds)
def test_without_help_it_is_the_arithmetic_of_the_protocol(points, kinds):
    got = scored(marks(points, kinds))
    same = [Graded(i, k, RESULTS[p], (), "") for i, k, p in zip(FIVE, kinds, points, strict=True)]
    assert got.status == "graded" and got.scores == scores(same, WEIGHTS)
    assert (
        got.scores["total"] == max(1, sum(points)) and 1 <= got.scores["gated"] <= got.scores["total"] <= 10
    )
    assert got.strict is (sum(points) == 10)


@given(points, kinds, helped)
def test_help_caps_what_it_touched_at_one_and_nothing_else(points, kinds, helped):
    got = scored(marks(points, kinds, helped))
    capped = [min(p, 1) if h else p for p, h in zip(points, helped, strict=True)]
    assert [got.scores[f"c{n}"] for n in range(1, 6)] == capped
    assert got.scores == scored(marks(capped, kinds)).scores
    if any(helped):
        assert not got.strict and got.scores["total"] < 10


@given(points, kinds, st.integers(0, 4))
def test_more_help_never_raises_a_score(points, kinds, at):
    alone = scored(marks(points, kinds)).scores
    more = scored(marks(points, kinds, [n == at for n in range(5)])).scores
    assert all(more[name] <= alone[name] for name in alone)


@given(points, kinds, helped)
def test_blocked_access_is_unscored_and_never_zero(points, kinds, helped):
    got = scored(marks(points, kinds, helped), blocked=True)
    assert (got.status, got.scores, got.criteria, got.strict) == ("blocked", {}, (), False)


@given(points, st.integers(0, 4), st.booleans())
def test_one_of_the_five_that_was_not_observed_leaves_no_total(points, at, help_there):
    seen = [None if n == at else p for n, p in enumerate(points)]
    got = scored(marks(seen, helped=[help_there] * 5))
    assert (
        got.status == "graded" and not {"raw", "total", "gated"} & got.scores.keys() and len(got.scores) == 4
    )
    assert not got.strict


def test_who_prohibits_only_earns_once_all_that_is_required_is_there_gated():
    got = scored(marks((0, 2, 2, 2, 2), ("required", "required", "required", "prohibited", "prohibited")))
    assert (got.scores["total"], got.scores["gated"]) == (8, 4)


def test_what_weighs_nothing_costs_the_strict_pass_alone_and_other_protocols_keep_their_own_scores():
    beside = Mark("scope", "scope", "not_met", 0)
    got = scored([*marks((2,) * 5), beside])
    assert got.scores["total"] == 10 and not got.strict
    assert all(f.by == "person" for f in got.criteria) and got.criteria[-1].result == "not_met"
    funnel = [Mark("a", "required", "met", 30), Mark("b", "required", "met", 70, helped=True)]
    assert scored(funnel, "milestones").scores == {"points": 30, "earned": 30}
    consumer = [Mark("moved", "required", "met", 1), Mark("asked", "boundary", "met", 1)]
    assert scored(consumer, "contract").scores == {"final_state": 1, "boundary": 1, "accuracy": 1}
    assert scored(consumer, "contract", timely=False).scores["accuracy"] == 0
    assert not scored(consumer, "contract", timely=False).strict


@pytest.mark.parametrize("wrong", [3, -1, True, 2.0, "2"])
def test_a_criterion_earns_nothing_but_0_1_or_2(wrong):
    with pytest.raises(ValueError, match="0, 1 or 2"):
        Mark.earned("a", "required", wrong)


def test_marks_that_are_not_those_of_such_a_task_are_refused():
    whole = marks((2,) * 5)
    for bad in ([], whole[:4], [*whole[:4], whole[0]], [*whole, Mark.earned("f", "required", 2)]):
        with pytest.raises(ValueError):
            scored(bad)
    with pytest.raises(ValueError, match="no protocol"):
        scored(whole, "best-of")
    with pytest.raises(ValueError, match="no kind"):
        Mark("a", "wish", "met")
    with pytest.raises(ValueError, match="no result"):
        Mark("a", KINDS[0], "nearly")
