"""The card of an everyday list: coverage, scores by cohort with what doing nothing gets, refusals that say why."""

from __future__ import annotations

from collections import defaultdict
from statistics import mean

import pytest

from errands.agents.reference import Solver, reference
from errands.agents.resolve import resolve
from errands.core.errors import UsageError
from errands.exam.plan import plan_run
from errands.exam.run import Run
from errands.publish.card import Card, card
from errands.publish.lines import everyday_lines
from errands.publish.page import page
from errands.records.attempts import sat
from errands.tasks.registry import Selection, tasks

PREFERENCE = Selection(tasks=("ev-preference-update",))
WAYS = ("oracle", "wrong:among_several", "wrong:nothing")


class Uneven(Solver):
    """Does it right, half right, or not at all, in turn."""

    def sit(self, sitting, instance, desk):
        sitting.next()
        instance.task.solutions[WAYS[desk.n % 3]].run(self.seat(sitting), instance.key)

    def applies(self, task):
        return True


def resolved(spec, terms=None):
    return Uneven(spec) if spec == "uneven" else resolve(spec)


def ran(agent: str, attempts: int, home):
    folder = plan_run(resolved(agent), PREFERENCE, attempts, home / f"{agent}-{attempts}")
    list(Run(folder, resolved).go())
    return folder


@pytest.fixture(scope="module")
def uneven(tmp_path_factory):
    return sat([ran("uneven", 4, tmp_path_factory.mktemp("everyday"))], fresh=True)


@pytest.fixture(scope="module")
def built(uneven) -> Card:
    return card(uneven)


def test_its_figures_are_those_of_the_rows(uneven, built):
    totals = defaultdict(list)
    for row in uneven.rows:
        totals[row["instance"]].append(row["scores"]["total"])
    told = {s.instance: s for s in built.everyday.scenarios}
    assert told.keys() == totals.keys() and len(totals) == 3
    for name, mine in totals.items():
        s = told[name]
        assert list(s.totals) == mine and s.score == pytest.approx(mean(mine)) and not s.refusal
        assert (s.passed, s.failed) == (mine.count(10), mine.count(1)) and s.runs == 4
        for vector, total in zip(s.vectors, s.totals, strict=True):
            assert max(1, sum(map(int, vector))) == total


def test_coverage_is_of_all_categories_of_the_suite(built):
    everyday = {t.contract.front.labels["label"] for t in tasks() if t.contract.front.suite == "everyday"}
    assert built.everyday.tested.categories == ("Memory",)
    assert (built.everyday.tested.count, built.everyday.tested.of) == (1, len(everyday))


def test_beside_each_stands_what_doing_nothing_gets(built, tmp_path):
    idle = sat([ran("null", 1, tmp_path)], fresh=True)
    got = {r["instance"]: r["scores"] for r in idle.rows}
    for s in built.everyday.scenarios:
        scores = got[s.instance]
        assert (s.nothing.raw, s.nothing.total, s.nothing.gated) == (
            scores["raw"],
            scores["total"],
            scores["gated"],
        )
    assert {s.nothing.total for s in built.everyday.scenarios} == {2}


def test_two_runs_get_no_category_score(tmp_path):
    two = card(sat([ran("uneven", 2, tmp_path)], fresh=True))
    assert {s.score for s in two.everyday.scenarios} == {None}
    assert all(
        s.refusal.startswith("2 evaluated runs: a category score needs 3") for s in two.everyday.scenarios
    )
    assert "2 evaluated runs: a category score needs 3" in page(two)
    said = [line for line in everyday_lines(two) if line.why]
    assert len(said) == 3 and all("doing nothing gets 2 (00002), gated 1" in line.behind for line in said)


def test_runs_of_another_version_or_environment_are_another_cohort(tmp_path, uneven):
    from dataclasses import replace

    mixed = replace(
        uneven, rows=tuple({**r, "agent_version": f"v{n % 2}"} for n, r in enumerate(uneven.rows))
    )
    assert all(s.score is None and s.runs == 2 for s in card(mixed).everyday.scenarios)
    moved = replace(
        uneven, rows=tuple({**r, "environment": f"host {n % 2}"} for n, r in enumerate(uneven.rows))
    )
    assert all(s.score is None for s in card(moved).everyday.scenarios)


def test_a_card_whose_everyday_runs_do_not_add_up_cannot_be_read(built):
    data = built.model_dump(mode="json")
    data["everyday"]["not_run"] = 3
    with pytest.raises(ValueError, match="everyday runs, 12 planned"):
        Card.model_validate(data)
    data = built.model_dump(mode="json")
    data["everyday"]["scenarios"][0]["passed"] += 1
    with pytest.raises(ValueError, match="do not add up"):
        Card.model_validate(data)


def test_a_list_without_everyday_errands_has_no_such_part(tmp_path):
    folder = plan_run(
        reference("null"), Selection(tasks=("ec-daily-agenda-brief",), markets=("sg",)), 1, tmp_path / "run"
    )
    list(Run(folder, resolve).go())
    assert card(sat([folder], fresh=True)).everyday is None


def test_the_same_card_is_the_same_bytes(uneven, built):
    assert card(uneven).text == built.text
    with pytest.raises(UsageError, match="no run is named"):
        sat([])
