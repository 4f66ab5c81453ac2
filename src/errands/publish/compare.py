"""Runs beside each other: the paired change, what broke and was fixed by name, and which agents may be put in order."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal

from errands.core.errors import UsageError
from errands.draw.files import Part
from errands.records.attempts import Sat
from errands.stats.compare import SMALLEST_GAP
from errands.stats.coverage import headline
from errands.stats.rates import crossings
from errands.stats.records import Attempt, TaskAttempts, by_task
from errands.stats.separate import Pair, separate

from .card import same_edition
from .numbers import PLACES, Crossings, Number


class Change(Part):
    """One task on both sides, as events: strict passes of graded attempts."""

    task: str
    before: str
    after: str


class Side(Part):
    """One run; `label` is its agent, or its own name where two runs are of one agent."""

    label: str
    agent: str
    run: str
    headline: Number
    crossings: Crossings


class Pairing(Part):
    """Two sides, `a` minus `b`. `p` is raw, `holm` after Holm over all pairs; `above` where they are put in order.

    Where `refusal` is not empty there is no figure. `sees`: the smallest gap that these tasks find four times in five.
    """

    a: str
    b: str
    tasks: int
    groups: int
    dropped: int
    said: str
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    holm: float
    mcnemar: float | None
    above: str | None
    sees: float | None
    why: str
    refusal: str
    method: str
    level: float


class Comparison(Part):
    """Two runs or several. `matrix` has a row and a column a side in the order of `order`, which is the alphabet's:
    `>` the row is above the column, `<` below, `=` not ordered. `broke`, `fixed` and `flaky` are of two runs only.
    """

    kind: Literal["errands-comparison"]
    format: Literal[1]
    said: str
    smallest_gap: float
    sides: tuple[Side, ...]
    order: tuple[str, ...]
    matrix: tuple[tuple[str, ...], ...]
    pairs: tuple[Pairing, ...]
    ties: tuple[tuple[str, ...], ...]
    broke: tuple[Change, ...] | None = None
    fixed: tuple[Change, ...] | None = None
    flaky: tuple[Change, ...] | None = None

    @property
    def text(self) -> bytes:
        """As it is written."""
        return (json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n").encode()


def compare(sats: Sequence[Sat]) -> Comparison:
    """Compare runs, one a side. For two, the first is what was before: the change is second minus first.

    `UsageError` for fewer than two, or where common tasks were sat in different editions.
    """
    if len(sats) < 2:
        raise UsageError("one run alone is compared with nothing", expected="two runs or more")
    for a, b in combinations(sats, 2):
        same_edition(a, b)
    labels = _labels(sats)
    sides = dict(zip(labels, sats, strict=True))
    found = separate({label: s.counted for label, s in sides.items()})
    two = _two(sats[0].counted, sats[1].counted) if len(sats) == 2 else {}
    pairs = tuple(_pairing(p, labels if len(sats) == 2 else None) for p in found.pairs)
    return Comparison(
        kind="errands-comparison",
        format=1,
        said=_said(sides),
        smallest_gap=float(SMALLEST_GAP),
        sides=tuple(_side(label, sides[label]) for label in labels),
        order=found.agents,
        matrix=found.matrix(),
        pairs=pairs,
        ties=found.ties,
        **two,
    )


def _labels(sats: Sequence[Sat]) -> list[str]:
    agents = [s.agent for s in sats]
    names = [s.agent if agents.count(s.agent) == 1 else ", ".join(r.name for r in s.runs) for s in sats]
    if len(set(names)) < len(names):
        raise UsageError(
            "two runs have one name", where=", ".join(names), do="give their folders different names"
        )
    return names


def _side(label: str, s: Sat) -> Side:
    return Side(
        label=label,
        agent=s.agent,
        run=", ".join(r.name for r in s.runs),
        headline=Number.of(headline(s.counted)),
        crossings=Crossings.of(crossings(s.counted)),
    )


def _said(sides: Mapping[str, Sat]) -> str:
    drawn = any(s.batch for s in sides.values())
    how = "groups are the draw's" if drawn else "not drawn, so each errand is its own group"
    common = set.intersection(*({a.task for a in s.counted} for s in sides.values()))
    return f"paired by task, {len(common)} tasks common to all; {how}"


def _pairing(p: Pair, order: Sequence[str] | None) -> Pairing:
    """As `separate` has it; of two runs, the change from the first to the second."""
    d = p.difference
    turn = -1 if order is not None and d.a == order[0] else 1
    a, b = (d.b, d.a) if turn < 0 else (d.a, d.b)
    ends = None if d.low is None or d.high is None else sorted((turn * d.low, turn * d.high))
    value = None if d.value is None else turn * float(d.value)
    said = "not compared"
    if value is not None and ends is not None:
        said = f"{100 * value:+.1f} points [{100 * ends[0]:+.1f}, {100 * ends[1]:+.1f}]"
    return Pairing(
        a=a,
        b=b,
        tasks=d.tasks,
        groups=d.groups,
        dropped=d.dropped,
        said=said,
        difference=_round(value),
        low=_round(ends[0] if ends else None),
        high=_round(ends[1] if ends else None),
        p=_round(d.p),
        holm=round(p.p, PLACES),
        mcnemar=_round(d.mcnemar),
        above=p.above,
        sees=_round(d.sees),
        why=p.why,
        refusal=d.refusal,
        method=d.method,
        level=d.level,
    )


def _round(x: float | None) -> float | None:
    return None if x is None else round(x, PLACES)


# ---- by name -----------------------------------------------------------------------------------------------------


def _two(before: Sequence[Attempt], after: Sequence[Attempt]) -> dict[str, tuple[Change, ...]]:
    """*Broke*: all graded attempts passed before, none now; *fixed*: the reverse; *flaky*: one side did both."""
    out: dict[str, list[Change]] = {"broke": [], "fixed": [], "flaky": []}
    old = {t.task: t for t in by_task(before)}
    for new in by_task(after):
        was = old.get(new.task)
        if was is None or not was.graded or not new.graded:
            continue
        kind = _kind(_share(was), _share(new))
        if kind:
            out[kind].append(Change(task=new.task, before=_counts(was), after=_counts(new)))
    return {k: tuple(v) for k, v in out.items()}


def _kind(was: float, is_: float) -> str:
    if {was, is_} <= {0.0, 1.0}:
        return "" if was == is_ else "broke" if was else "fixed"
    return "flaky"


def _share(t: TaskAttempts) -> float:
    return sum(a.strict for a in t.graded) / len(t.graded)


def _counts(t: TaskAttempts) -> str:
    return f"{sum(a.strict for a in t.graded)} of {len(t.graded)}"
