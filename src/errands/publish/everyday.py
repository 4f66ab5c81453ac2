"""The everyday part of a card: what was tested, category scores by cohort, what doing nothing gets, speed.

Shown where the list has errands of the `everyday` protocol. No figure is made over scenarios or cohorts: the protocol
knows none.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Self

from pydantic import model_validator

from errands.agents.reference import reference
from errands.core.canon import digest
from errands.draw.files import Part
from errands.exam.attempt import instance_of, sit
from errands.grading.everyday import outcome
from errands.records.attempts import Sat
from errands.stats.everyday import Cohort, Evaluated, Speed, categories_tested, cohorts, run_of, speed
from errands.tasks.registry import task, tasks

from .numbers import PLACES

PROTOCOL = "everyday"


class Coverage(Part):
    """*Tested*: categories with an evaluated run, of all of the suite. Coverage, not a success rate."""

    said: str
    count: int
    of: int
    categories: tuple[str, ...]


class Nothing(Part):
    """What an agent gets there that does nothing: five criteria, their sum, the published total, and the gated one."""

    vector: str
    raw: int
    total: int
    gated: int


class Scenario(Part):
    """One cohort: the evaluated runs of one scenario, fixture, plan, version and environment.

    Vectors, totals and gated totals are by run, in order. `score` is the mean of the totals, None with the reason in
    `refusal` before there are three.
    """

    category: str
    scenario: str
    instance: str
    cohort: str
    conditions: str
    runs: int
    unscored: int
    vectors: tuple[str, ...]
    totals: tuple[int, ...]
    gated: tuple[int, ...]
    passed: int
    partial: int
    failed: int
    score: float | None
    refusal: str
    nothing: Nothing

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        counts = {
            len(self.vectors),
            len(self.totals),
            len(self.gated),
            self.passed + self.partial + self.failed,
        }
        if counts != {self.runs - self.unscored} or (self.score is None) != bool(self.refusal):
            raise ValueError(f"the runs of {self.instance} do not add up")
        return self


class Pace(Part):
    """The protocol's speed: median seconds from the prompt to the goal over a cohort's successes; first response
    apart. None with the reason before there are three successes."""

    scenario: str
    instance: str
    cohort: str
    said: str
    seconds: float | None
    first_response: float | None
    successes: int
    refusal: str


class Everyday(Part):
    """All of it. `speed` has the cohorts of scenarios that are timed; `not_run`: planned attempts that left nothing."""

    not_run: int
    tested: Coverage
    scenarios: tuple[Scenario, ...]
    speed: tuple[Pace, ...]


def everyday(sat: Sat, left_out: Iterable[str] = ()) -> Everyday | None:
    """The everyday part of what one agent sat; None where the list has no such errand."""
    gone = set(left_out)
    known = {t.id: t.contract.front for t in tasks() if t.contract.front.protocol == PROTOCOL}
    mine = [r for r in sat.rows if r["task"] in known and r["group"] not in gone]
    rows = [r for r in mine if r["fixture"]]
    if not mine:
        return None
    runs = {id(r): _run(r, known[r["task"]].labels["label"]) for r in rows}
    conditions = {runs[id(r)].cohort: (r["instance"], r["language"], _conditions(r)) for r in rows}
    found = sorted(cohorts(runs.values()), key=lambda c: (c.category, conditions[c.cohort], c.cohort))
    cover = categories_tested(runs.values(), {f.labels["label"] for f in known.values()})
    return Everyday(
        not_run=len(mine) - len(rows),
        tested=Coverage(
            said=cover.said, count=len(cover.categories), of=cover.of, categories=cover.categories
        ),
        scenarios=tuple(_scenario(c, *conditions[c.cohort]) for c in found),
        speed=tuple(
            _pace(speed(c), conditions[c.cohort][0]) for c in found if known[c.scenario].timed_by is not None
        ),
    )


def _conditions(row: dict[str, Any]) -> str:
    """Plan, version and environment of a run, in words."""
    version = f"{row['agent']} {row['agent_version']}".strip()
    return f"{version}, {row['environment']}"


def _run(row: dict[str, Any], category: str) -> Evaluated:
    same = {k: row[k] for k in ("instance", "edition", "fixture", "language")}
    return run_of(
        category,
        row["task"],
        digest({**same, "conditions": _conditions(row)})[:16],
        row["scores"] if row["status"] == "graded" else {},
        goal_s=row["goal_s"],
        first_s=row["first_s"],
    )


def _scenario(c: Cohort, instance: str, language: str, conditions: str) -> Scenario:
    totals = tuple(r.total for r in c.evaluated if r.total is not None)
    ends = [outcome(t) for t in totals]
    return Scenario(
        category=c.category,
        scenario=c.scenario,
        instance=instance,
        cohort=c.cohort,
        conditions=conditions,
        runs=len(c.runs),
        unscored=len(c.runs) - len(totals),
        vectors=tuple(r.vector for r in c.evaluated),
        totals=totals,
        gated=tuple(r.gated for r in c.evaluated if r.gated is not None),
        passed=ends.count("pass"),
        partial=ends.count("partial"),
        failed=ends.count("fail"),
        score=None if c.score is None else round(float(c.score), PLACES),
        refusal=c.refusal,
        nothing=doing_nothing(instance, language),
    )


@lru_cache(maxsize=256)
def doing_nothing(instance: str, language: str) -> Nothing:
    """What the agent that does nothing gets: it sits the instance here and now."""
    name, _, rest = instance.partition("@")
    market, _, variant = rest.partition("/")
    built = instance_of(task(name).id, market, int(variant), language)
    idle = reference("null")
    assert idle is not None
    verdict = sit(idle, built).verdict
    assert verdict is not None
    got = verdict.scores
    vector = "".join(str(got[f"c{n}"]) for n in range(1, 6))
    return Nothing(vector=vector, raw=got["raw"], total=got["total"], gated=got["gated"])


def _pace(s: Speed, instance: str) -> Pace:
    first = "" if s.first_response is None else f"; first response {s.first_response:.1f} s, apart"
    return Pace(
        scenario=s.scenario,
        instance=instance,
        cohort=s.cohort,
        said=s.refusal or f"{s.seconds:.1f} s, median of {s.successes} successes{first}",
        seconds=None if s.seconds is None else round(s.seconds, PLACES),
        first_response=None if s.first_response is None else round(s.first_response, PLACES),
        successes=s.successes,
        refusal=s.refusal,
    )
