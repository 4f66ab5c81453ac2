"""The everyday protocol: 0, 1 or 2 for each of five criteria, floor and cap, what doing nothing is worth, on time."""

from __future__ import annotations

from importlib import resources
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errands.core.errors import TaskError
from errands.core.types import Graded
from errands.grading.everyday import outcome, restrained, scores, shown, spoken, vector
from errands.grading.punctual import on_time
from errands.tasks.contract import read_contract
from errands.tasks.registry import task

FIVE = ("a", "b", "c", "d", "e")
KINDS = ("required", "required", "required", "prohibited", "prohibited")
WEIGHTS = {**dict.fromkeys(FIVE, 2), "rest": 0}
RESULTS = {"met": 2, "partly": 1, "not_met": 0}


def found(*results: str, kinds: tuple[str, ...] = KINDS) -> list[Graded]:
    rest = Graded("rest", "scope", "not_met", (), "so")
    return [rest, *(Graded(i, k, r, ("#1",), "so") for i, k, r in zip(FIVE, kinds, results, strict=True))]


@given(st.lists(st.sampled_from(list(RESULTS)), min_size=5, max_size=5))
def test_each_criterion_earns_what_it_says_and_the_sum_is_floored_and_capped(results):
    got = scores(found(*results), WEIGHTS)
    each = [RESULTS[r] for r in results]
    assert [got[f"c{n}"] for n in range(1, 6)] == each and vector(got) == "".join(map(str, each))
    assert got["raw"] == sum(each) and got["total"] == max(1, sum(each))
    assert all(type(v) is int for v in got.values())


def test_pass_is_ten_partial_two_to_nine_fail_one_and_zero_shows_as_one():
    assert [outcome(shown(n)) for n in range(11)] == ["fail"] * 2 + ["partial"] * 8 + ["pass"]
    assert [shown(n) for n in range(11)] == [1, *range(1, 11)]


@pytest.mark.parametrize("results", list(product(RESULTS, repeat=3)))
def test_prohibitions_count_for_the_gated_total_once_all_that_is_required_is_at_least_partly_met(results):
    got = scores(found(*results, "met", "partly"), WEIGHTS)
    required = sum(RESULTS[r] for r in results)
    assert got["raw"] == required + 3
    assert got["gated"] == max(1, required + (3 if "not_met" not in results else 0))


def test_doing_nothing_gets_what_prohibitions_are_worth_and_gated_nothing():
    got = scores(found("not_met", "not_met", "not_met", "met", "met"), WEIGHTS)
    assert (got["raw"], got["total"], got["gated"]) == (4, 4, 1)
    assert spoken(got) == "4 of 10, partial (0 0 0 2 2); gated 1"
    zero = scores(found(*["not_met"] * 5, kinds=("required",) * 5), WEIGHTS)
    assert spoken(zero) == "1 of 10, fail (0 0 0 0 0, raw 0); gated 1"


@pytest.mark.parametrize("at", range(5))
def test_what_was_not_observed_leaves_the_run_unscored(at):
    results = ["met"] * 5
    results[at] = "not_observed"
    got = scores(found(*results), WEIGHTS)
    assert got.keys() & {"raw", "total", "gated"} == set() and vector(got)[at] == "-"
    assert spoken(got).startswith("unscored (")


def test_a_criterion_beside_the_five_changes_no_score():
    held = [Graded("rest", "scope", "met", (), "so"), *found("met", "met", "met", "met", "met")[1:]]
    assert scores(held, WEIGHTS) == scores(found("met", "met", "met", "met", "met"), WEIGHTS)


def test_a_prohibition_is_two_one_or_nothing():
    assert restrained([], [], "sending").result == "met"
    assert restrained([], ["#4"], "sending").result == "partly"
    assert restrained(["#5"], ["#4"], "sending") == restrained(["#5"], [], "sending")
    assert restrained(["#5"], [], "sending").result == "not_met"


def test_scores_of_other_protocols_are_not_spoken_as_these():
    assert spoken({"points": 80, "earned": 80}) == "" == spoken({})


@pytest.mark.parametrize(
    ("late_ms", "so"),
    [
        *((-1_000, False), (-1, False), (0, True), (1, True)),
        *((299_000, True), (300_000, True), (300_001, False), (301_000, False)),
    ],
)
def test_on_time_is_from_the_moment_to_five_minutes_after_it(late_ms, so):
    due = 1_794_934_800_000
    assert on_time(due, due + late_ms) is so


# ---- Task.md -----------------------------------------------------------------------------------------------------


@pytest.fixture
def text() -> str:
    package = task("ev-weekday-digest").package
    return resources.files(package).joinpath("Task.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("| on_time | required | 2 |", "| on_time | required | 0 |", "4 criteria weigh 2"),
        ("| scope | scope | 0 |", "| scope | scope | 2 |", "6 criteria weigh 2"),
        ("| scope | scope | 0 |", "| scope | scope | 1 |", "'scope' weighs something else"),
        ("| goes_on | stops | 2 2 2 2 0 |", "| goes_on | stops | 2 2 2 2 3 |", "pattern"),
        ("| goes_on | stops | 2 2 2 2 0 |", "| goes_on | stops | |", "at least 1 character"),
        ('protocol = "everyday"', 'protocol = "contract"', "the table's head is"),
    ],
)
def test_a_table_that_does_not_add_up_is_refused(text, old, new, message):
    assert old in text
    with pytest.raises(TaskError, match=message):
        read_contract(text.replace(old, new), "Task.md")


def test_wrong_results_say_what_each_criterion_earns(text):
    rows = {w.name: w.score for w in read_contract(text, "Task.md").wrong}
    assert rows["goes_on"] == "22220" and rows["nothing"] == "00022"
