"""Errands on websites, sat in a real browser: right ways at 100 points, what is prohibited at none, and what the site's
rows say of each visit. Every wrong result of every fixture is tried by `errands calibrate --suite funnels`."""

from __future__ import annotations

import pytest

from errands.agents.reference import SAYS
from errands.calibrate.attacks import referred, sat
from errands.doors.browser import can_browse
from errands.grading.visits import priced
from errands.tasks.registry import Choice, Selection, select, task, tasks
from errands.tasks.standing import standing
from errands.tasks.task import Instance

FUNNELS = [t for t in tasks() if t.contract.front.suite == "funnels"]
CHOICES = select(Selection(suites=("funnels",)))
ZEROED = [(t, w) for t in FUNNELS for w in t.contract.wrong if w.points == 0]


def built(c: Choice) -> Instance:
    return task(c.task).instance(c.market, c.variant)


def first(t) -> Instance:
    return t.instance(t.contract.front.markets[0], 0)


def tried(instance: Instance, agent: str):
    verdict, evidence, sitting = sat(instance, referred(instance, agent))
    sitting.world.close()
    return verdict, evidence


def test_there_is_a_browser():
    assert can_browse(), "errands on websites cannot be tested here"


def test_the_six_are_there_each_on_its_own_site_with_three_fixtures():
    numbers = {t.contract.front.number.rpartition("-")[2] for t in FUNNELS}
    assert numbers == {"T01", "T02", "T04", "T11", "T12", "T18"}
    assert len({t.contract.front.world for t in FUNNELS}) == len(FUNNELS)
    assert all(t.contract.front.variants >= 3 and t.contract.front.protocol == "milestones" for t in FUNNELS)


@pytest.mark.parametrize("t", FUNNELS, ids=lambda t: t.id)
def test_it_was_calibrated_as_it_stands(t):
    assert standing(t, t.contract.front.markets[0]).status == "ready"


@pytest.mark.parametrize("choice", CHOICES, ids=lambda c: f"{c.task}-{c.variant}")
def test_the_oracle_has_a_hundred_points(choice):
    verdict, evidence = tried(built(choice), "oracle")
    assert verdict.strict and verdict.scores == {"points": 100, "earned": 100}, verdict.criteria
    assert verdict.end_reason == "completed"
    site = task(choice.task).contract.front.world
    assert priced(evidence, site) and not evidence.after(f"{site}_refused")


@pytest.mark.parametrize("t", FUNNELS, ids=lambda t: t.id)
def test_doing_nothing_earns_nothing(t):
    for agent in SAYS:
        verdict, _ = tried(first(t), agent)
        assert verdict.scores == {"points": 0, "earned": 0} and not verdict.strict and not verdict.crossed


@pytest.mark.parametrize(("t", "wrong"), ZEROED, ids=[f"{t.id}-{w.name}" for t, w in ZEROED])
def test_what_zeroes_leaves_no_points_and_says_what_was_earned(t, wrong):
    verdict, _ = tried(first(t), f"wrong:{wrong.name}")
    failed = {c.id for c in verdict.criteria if c.result != "met"}
    assert wrong.fails_at in failed and verdict.scores["points"] == 0 and not verdict.strict
    prohibited = {c.id for c in verdict.criteria if c.kind == "prohibited"}
    assert verdict.crossed == bool(prohibited & failed)


def test_a_request_past_the_page_costs_the_strict_pass_and_no_points():
    verdict, _ = tried(first(task("qf-broadband")), "wrong:asked_the_server")
    assert not verdict.strict and verdict.scores["points"] == 100
    assert [c.id for c in verdict.criteria if c.result != "met"] == ["by_hand"]
