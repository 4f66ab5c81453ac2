"""The card of one agent over one list: every figure with its counts, method and level; no rank, no order by score.

A card whose counts do not add up to its list cannot be built, nor read: `Card` checks it wherever it comes from.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import ValidationError, model_validator

from errands.core.canon import digest, sha256
from errands.core.errors import UsageError
from errands.draw.files import Part
from errands.exam.attempt import instance_of
from errands.records.attempts import Sat
from errands.stats import asking, rates
from errands.stats.coverage import coverage, headline
from errands.stats.effort import cost, first_response, judge_share, wall_time
from errands.stats.records import Attempt
from errands.stats.reliability import flip_share, pass_at_k, pass_hat_k

from .everyday import Everyday, everyday
from .numbers import Covered, Crossings, Money, Number, Seconds
from .references import Normalised, References, normalised

# What stands on every card beside the agent: the floor, what giving up and trying everything get, and the ceiling.
BASELINES = ("null", "refuse", "spam", "oracle")
_MOST = 5


class RunFact(Part):
    """A run that the card counts. The roots are those of its run.json, None while it is not finished."""

    run: str
    planned: int
    created: str
    version: str
    isolation: str
    agent_versions: tuple[str, ...]
    terms: dict[str, Any]
    evidence_root: str | None
    world_root: str | None


class ListFact(Part):
    """The list: `drawn`, or it stands for itself. `attempts_each`: planned attempts at every task, over all runs.

    `withdrawn`: tasks that were withdrawn after the draw; `left_out`: tasks whose group the headline leaves out for it.
    """

    drawn: bool
    said: str
    tasks: int
    groups: int
    attempts_each: int
    language: str
    batch: str | None = None
    frame: str | None = None
    rules: str | None = None
    seed: str = ""
    source: str = ""
    excluded: int = 0
    withdrawn: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


class TaskFact(Part):
    """One task as events, never as a rate: `2 of 2`."""

    task: str
    group: str
    world: str
    chance: str | None
    planned: int
    graded: int
    passed: int
    crossed: int


class Points(Part):
    """A score of the protocol, summed over the attempts that have it; each is 0 or 1, of 100 points, or of ten."""

    total: int
    attempts: int


class Baseline(Part):
    """A reference agent over the same list. `scores`: what it gets of each score, so that doing nothing has a price."""

    agent: str
    runs: tuple[str, ...]
    planned: int
    graded: int
    passed: int
    crossed: int
    headline: Number
    scores: dict[str, Points]


class Numbers(Part):
    """What is measured. `pass_hat` and `pass_at` are by k."""

    headline: Number
    group_rate: Number
    list_rate: Number
    library_rate: Number
    crossed: Number
    crossings: Crossings
    pass_hat: dict[str, Number]
    pass_at: dict[str, Number]
    flips: Number
    asked_when_needed: Number
    asked_needlessly: Number
    wall_time: Seconds
    first_response: Seconds
    cost: Money
    judge_share: float | None


class Card(Part):
    """The card as it is published. `series` is the same only for cards that may be joined: one list, rule and edition.

    `with_withdrawn`: the bounds with the tasks that were withdrawn after the draw, all failed and all passed.
    """

    kind: Literal["errands-card"]
    format: Literal[1]
    agent: str
    isolation: tuple[str, ...]
    series: str
    runs: tuple[RunFact, ...]
    list: ListFact
    coverage: Covered
    numbers: Numbers
    worlds: dict[str, Number]
    with_withdrawn: Covered | None
    everyday: Everyday | None
    baselines: dict[str, Baseline | None]
    normalised: Normalised | None
    drafts: dict[str, str]
    packs: dict[str, str]
    flaws: tuple[str, ...]
    cannot: tuple[str, ...]
    tasks: tuple[TaskFact, ...]

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        if wrong := list_of_wrong(self):
            raise ValueError("; ".join(wrong[:_MOST]))
        return self

    @property
    def text(self) -> bytes:
        """As it is written: the same card is the same bytes."""
        return (json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n").encode()

    @property
    def digest(self) -> str:
        """SHA-256 of the card as it is written."""
        return sha256(self.text)


def card(
    sat: Sat,
    baselines: Iterable[Sat] = (),
    *,
    flaws: Sequence[str] = (),
    references: References | None = None,
) -> Card:
    """The card of what one agent sat. `baselines`: reference agents over the same list; those not given stand there
    as not sat. `UsageError` where counts do not add up, or a baseline is of another list or edition.
    """
    gone = {w.id for w in sat.batch.withdrawals} if sat.batch else set()
    hit, mine = sat.left_out, sat.counted
    beside = _baselines(sat, baselines, hit)
    try:
        return Card(
            kind="errands-card",
            format=1,
            agent=sat.agent,
            isolation=tuple(sorted({p.isolation for p in sat.plans})),
            series=_series(sat),
            runs=tuple(_run(sat, n) for n in range(len(sat.runs))),
            list=_list(sat, mine, gone, hit),
            coverage=Covered.of(coverage(mine)),
            numbers=_numbers(mine),
            worlds=_worlds(mine),
            with_withdrawn=_with_withdrawn(sat, mine, gone),
            everyday=everyday(sat, hit),
            baselines=beside,
            normalised=normalised(_rows(sat, hit), references) if references else None,
            drafts=_joined(p.drafts for p in sat.plans),
            packs=_joined(p.packs for p in sat.plans),
            flaws=tuple(flaws),
            cannot=tuple(_cannot(sat)),
            tasks=tuple(_tasks(mine)),
        )
    except ValidationError as why:
        raise UsageError(
            why.errors()[0]["msg"].removeprefix("Value error, "),
            where=f"the card of {sat.agent}",
            do="give every run of the list, whole",
        ) from None


def list_of_wrong(c: Card) -> list[str]:
    """Where the counts of a card do not add up to its list; empty: nowhere."""
    v, n, l_ = c.coverage, c.numbers, c.list
    planned, graded = sum(t.planned for t in c.tasks), sum(t.graded for t in c.tasks)
    passed, crossed = sum(t.passed for t in c.tasks), sum(t.crossed for t in c.tasks)
    uneven = [f"{t.task} ({t.planned})" for t in c.tasks if t.planned != l_.attempts_each]
    checks = [
        (
            v.planned == v.graded + v.blocked + v.invalid + v.not_run,
            f"{v.planned} planned, {v.graded} graded, {v.blocked} blocked, {v.invalid} invalid, {v.not_run} not run",
        ),
        (
            len(c.tasks) == l_.tasks - len(l_.left_out),
            f"{len(c.tasks)} tasks counted, {l_.tasks} listed, {len(l_.left_out)} left out",
        ),
        (not uneven, f"not {l_.attempts_each} attempts each: {', '.join(uneven[:_MOST])}"),
        ((planned, graded) == (v.planned, v.graded), f"the tasks have {graded} of {planned} attempts graded"),
        ((n.headline.count, n.headline.attempts) == (passed, graded), f"headline: {n.headline.said}"),
        (
            (n.crossings.count, n.crossings.attempts) == (crossed, graded),
            f"{n.crossings.count} of {n.crossings.attempts} attempts crossed, by task {crossed} of {graded}",
        ),
        (
            (sum(w.count for w in c.worlds.values()), sum(w.attempts for w in c.worlds.values()))
            == (passed, graded),
            "the worlds do not add up to the list",
        ),
        *([_everyday_adds_up(c.everyday, c.tasks)] if c.everyday else []),
        (tuple(c.baselines) == BASELINES, f"baselines: {', '.join(c.baselines)}"),
    ]
    return [f"the counts do not add up to the list: {words}" for good, words in checks if not good]


def _everyday_adds_up(e: Everyday, tasks: Sequence[TaskFact]) -> tuple[bool, str]:
    """Whether the runs by cohort are the attempts by task."""
    names = {s.scenario for s in e.scenarios}
    planned = sum(t.planned for t in tasks if t.task.partition("@")[0] in names)
    runs = sum(s.runs for s in e.scenarios) + e.not_run
    return runs == planned, f"{runs} everyday runs, {planned} planned attempts at everyday errands"


# ---- the numbers -------------------------------------------------------------------------------------------------


def _numbers(mine: tuple[Attempt, ...]) -> Numbers:
    most = max((a.repeat for a in mine), default=1)
    share = judge_share(mine)
    return Numbers(
        headline=Number.of(headline(mine)),
        group_rate=Number.of(headline(mine, rates.group_rate)),
        list_rate=Number.of(headline(mine, rates.list_rate)),
        library_rate=Number.of(headline(mine, rates.library_rate)),
        crossed=Number.of(rates.crossed_rate(mine)),
        crossings=Crossings.of(rates.crossings(mine)),
        pass_hat={str(k): Number.of(pass_hat_k(mine, k)) for k in range(2, max(2, most) + 1)},
        pass_at={str(k): Number.of(pass_at_k(mine, k)) for k in range(2, max(2, most) + 1)},
        flips=Number.of(flip_share(mine)),
        asked_when_needed=Number.of(asking.asked_when_needed(mine)),
        asked_needlessly=Number.of(asking.asked_needlessly(mine)),
        wall_time=Seconds.of(wall_time(mine)),
        first_response=Seconds.of(first_response(mine)),
        cost=Money.of(cost(mine)),
        judge_share=None if share is None else float(share),
    )


def _worlds(mine: tuple[Attempt, ...]) -> dict[str, Number]:
    """The rate in each world, refused as the headline is where too little of the world was graded."""
    return {
        w: Number.of(headline([a for a in mine if a.world == w], lambda x, w=w: rates.world_rates(x)[w]))  # type: ignore[misc]
        for w in sorted({a.world for a in mine})
    }


def _with_withdrawn(sat: Sat, mine: tuple[Attempt, ...], gone: set[str]) -> Covered | None:
    """All picks of the draw, attempts at the withdrawn counted as not run: the bounds are the two results with them."""
    if sat.batch is None or not gone:
        return None
    each = max(a.repeat for a in mine) if mine else 1
    kept = tuple(a for a in sat.attempts if a.task not in gone)
    lost = tuple(
        Attempt(task=p.id, group=p.group, world=p.world, agent=sat.agent, repeat=k, status="not_run")
        for p in sat.batch.picks
        if p.id in gone
        for k in range(1, each + 1)
    )
    return Covered.of(coverage((*kept, *lost)))


def _tasks(mine: tuple[Attempt, ...]) -> list[TaskFact]:
    by: dict[str, list[Attempt]] = {}
    for a in mine:
        by.setdefault(a.task, []).append(a)
    return [
        TaskFact(
            task=name,
            group=found[0].group,
            world=found[0].world,
            chance=None if found[0].pi is None else str(found[0].pi),
            planned=len(found),
            graded=sum(a.graded for a in found),
            passed=sum(a.strict for a in found),
            crossed=sum(a.graded and a.crossed for a in found),
        )
        for name, found in sorted(by.items())
    ]


# ---- what it stands on -------------------------------------------------------------------------------------------


def _run(sat: Sat, n: int) -> RunFact:
    folder, plan = sat.runs[n], sat.plans[n]
    record = folder.record()
    versions = {r["agent_version"] for r in sat.rows if r["run"] == folder.name} - {""}
    return RunFact(
        run=folder.name,
        planned=len(plan.attempts),
        created=plan.created,
        version=plan.version,
        isolation=plan.isolation,
        agent_versions=tuple(sorted(versions)),
        terms=plan.terms or {},
        evidence_root=record["evidence_root"] if record else None,
        world_root=record["world_root"] if record else None,
    )


def _list(sat: Sat, mine: tuple[Attempt, ...], gone: set[str], hit: frozenset[str]) -> ListFact:
    b = sat.batch
    known = {p.id: p.group for p in b.listed} if b else {a.task: a.group for a in sat.attempts}
    counted = {a.task for a in mine}
    if missing := sorted(n for n, g in known.items() if g not in hit and n not in counted):
        raise UsageError(
            f"{len(missing)} tasks of the list were not sat: {', '.join(missing[:_MOST])}",
            where=f"the card of {sat.agent}",
            expected=f"{len(known)} tasks",
        )
    groups = len(set(known.values()))
    languages = sorted({e.language for e in sat.editions.values()})
    each = max((a.repeat for a in mine), default=0)
    common = {
        "tasks": len(known),
        "groups": groups,
        "attempts_each": each,
        "language": ", ".join(languages),
        "left_out": tuple(sorted(n for n, g in known.items() if g in hit)),
    }
    if b is None:
        said = f"not drawn: it stands for itself; each errand is its own group, {len(known)} tasks in {groups} groups"
        return ListFact(drawn=False, said=said, **common)  # type: ignore[arg-type]
    return ListFact(
        drawn=True,
        said=f"drawn: {len(known)} tasks in {groups} groups, of {b.totals.eligible} in {b.totals.groups}",
        batch=b.digest,
        frame=b.frame_digest,
        rules=b.rules_digest,
        seed=b.seed.value,
        source=b.seed.source,
        excluded=b.totals.excluded,
        withdrawn=tuple(sorted(gone)),
        **common,  # type: ignore[arg-type]
    )


def _series(sat: Sat) -> str:
    """Results are joined only within one list, rule, and edition of tasks and worlds; this is its name."""
    editions = [
        (name, e.task, e.world or _world(name, e.language), e.language) for name, e in sat.editions.items()
    ]
    return digest({"batch": sat.batch.digest if sat.batch else None, "editions": sorted(editions)})


def _world(name: str, language: str) -> str:
    task, _, rest = name.partition("@")
    market, _, variant = rest.partition("/")
    return instance_of(task, market, int(variant), language).fixture.digest


def _joined(parts: Iterable[Mapping[str, str] | None]) -> dict[str, str]:
    return dict(sorted({k: v for p in parts for k, v in (p or {}).items()}.items()))


def _cannot(sat: Sat) -> list[str]:
    """What the card does not show, in words."""
    drafts, packs = _joined(p.drafts for p in sat.plans), _joined(p.packs for p in sat.plans)
    out = []
    if drafts:
        out.append(
            f"{len(drafts)} errands of the list are drafts, not calibrated as they stand: they do not count yet."
        )
    if packs:
        out.append(f"Private packs ({', '.join(packs)}): in no public frame, so this is no public series.")
    if sat.batch is None:
        out.append(
            "This list was not drawn: whoever chose it chose what it shows. It says nothing of other errands."
        )
    else:
        out += sat.batch.cannot
    if any(p.isolation == "in-process" for p in sat.plans):
        out.append("The agent ran inside the exam's own process: trusted, not isolated.")
    if any((p.terms or {}).get("unsafe_host") for p in sat.plans):
        out.append("The agent's program ran without a sandbox.")
    if tools := sorted({t for p in sat.plans for t in (p.terms or {}).get("foreign_tools", ())}):
        out.append(f"The agent had tools that are not the exam's: {', '.join(tools)}.")
    if open_ := [r.name for r in sat.runs if r.record() is None]:
        out.append(f"Not finished, so there is no root over the evidence: {', '.join(open_)}.")
    out.append(
        "No person has read a sample of the attempts for shortcuts: the share of wrong verdicts is not known."
    )
    out.append("That the product that sat is the one named: a card cannot show it.")
    return out


# ---- beside it ---------------------------------------------------------------------------------------------------


def _baselines(sat: Sat, given: Iterable[Sat], hit: frozenset[str]) -> dict[str, Baseline | None]:
    found: dict[str, Baseline | None] = dict.fromkeys(BASELINES)
    for other in given:
        if other.agent not in BASELINES:
            raise UsageError(
                f"{other.agent} is no baseline", where="--baseline", expected=", ".join(BASELINES)
            )
        if found[other.agent] is not None:
            raise UsageError(f"the baseline {other.agent} is there twice", where="--baseline")
        same_list(sat, other)
        found[other.agent] = _baseline(other, hit)
    return found


def same_list(sat: Sat, other: Sat) -> None:
    """`UsageError` where another agent did not sit the same list in the same edition."""
    odd = sorted(set(sat.instances) ^ set(other.instances))
    if odd:
        raise UsageError(
            f"it did not sit the same list: {len(odd)} tasks are of one side only: {', '.join(odd[:_MOST])}",
            where=", ".join(r.name for r in other.runs),
        )
    same_edition(sat, other)


def same_edition(a: Sat, b: Sat) -> None:
    """`UsageError` where common tasks were sat in different editions, naming them and what to do."""
    common = a.editions.keys() & b.editions.keys()
    odd = sorted(n for n in common if not a.editions[n].same(b.editions[n]))
    if odd:
        raise UsageError(
            f"{len(odd)} tasks were sat in different editions: {', '.join(odd[:_MOST])}",
            where=f"{', '.join(r.name for r in a.runs)} and {', '.join(r.name for r in b.runs)}",
            do="run the older one again with this errands, in the same language: editions are never compared",
        )


def _baseline(other: Sat, hit: frozenset[str]) -> Baseline:
    mine = [a for a in other.attempts if a.group not in hit]
    totals: dict[str, list[int]] = {}
    for row in _rows(other, hit):
        for name, got in row["scores"].items():
            totals.setdefault(name, []).append(got)
    return Baseline(
        agent=other.agent,
        runs=tuple(r.name for r in other.runs),
        planned=len(mine),
        graded=sum(a.graded for a in mine),
        passed=sum(a.strict for a in mine),
        crossed=sum(a.crossed and a.graded for a in mine),
        headline=Number.of(headline(mine)),
        scores={k: Points(total=sum(v), attempts=len(v)) for k, v in sorted(totals.items())},
    )


def _rows(sat: Sat, hit: frozenset[str]) -> list[dict[str, Any]]:
    return [r for r in sat.rows if r["group"] not in hit]
