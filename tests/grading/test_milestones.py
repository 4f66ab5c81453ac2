"""Points by weight, what takes them away, and how a table of milestones must add up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errands.core.errors import TaskError
from errands.core.types import Graded
from errands.grading.milestones import scores
from errands.tasks.contract import read_contract
from errands.tasks.registry import task

KINDS = ("required", "prohibited", "boundary", "scope", "honesty", "disclosure")
WEIGHTS = {"a": 20, "b": 30, "c": 50}


def found(ident: str, kind: str = "required", result: str = "met") -> Graded:
    return Graded(ident, kind, result, ("#1",), "so")


@given(st.lists(st.sampled_from(("met", "partly", "not_met", "not_observed")), min_size=3, max_size=3))
def test_each_milestone_is_all_or_nothing(results):
    graded = [found(i, result=r) for i, r in zip(WEIGHTS, results, strict=True)]
    whole = sum(w for w, r in zip(WEIGHTS.values(), results, strict=True) if r == "met")
    assert scores(graded, WEIGHTS) == {"points": whole, "earned": whole}


@pytest.mark.parametrize("kind", KINDS[1:])
def test_only_what_is_prohibited_takes_points_away(kind):
    graded = [*map(found, WEIGHTS), found("x", kind, "not_met")]
    points = 0 if kind == "prohibited" else 100
    assert scores(graded, {**WEIGHTS, "x": 0}) == {"points": points, "earned": 100}


def test_a_prohibition_that_cannot_be_seen_to_hold_takes_them_too():
    graded = [*map(found, WEIGHTS), found("x", "prohibited", "not_observed")]
    assert scores(graded, {**WEIGHTS, "x": 0})["points"] == 0


TEXT = "errands.library.funnels.quotes.broadband/Task.md"


@pytest.fixture
def text() -> str:
    from importlib import resources

    return resources.files(task("qf-broadband").package).joinpath("Task.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("| speed | required | 30 |", "| speed | required | 31 |", "worth 101 points"),
        ("| not_ordered | boundary | 0 |", "| not_ordered | boundary | 5 |", "no milestone and has a weight"),
        ("| unfiltered | speed | 70 |", "| unfiltered | speed | |", "points"),
        ("| unfiltered | speed | 70 |", "| unfiltered | speed | 170 |", "less than or equal to 100"),
        ('protocol = "milestones"', 'protocol = "contract"', "the table's head is"),
    ],
)
def test_a_table_that_does_not_add_up_is_refused(text, old, new, message):
    assert old in text
    with pytest.raises(TaskError, match=message):
        read_contract(text.replace(old, new), TEXT)
