"""References for time and cost: medians of pilot runs of real products, registered for a task's edition.

Until a task has one, no normalised figure of it exists anywhere: seconds and dollars are told as they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Any, Literal

from pydantic import Field, ValidationError

from errands.agents.reference import reference
from errands.core.errors import UsageError
from errands.draw.files import Part, content
from errands.evidence.folder import RunFolder
from errands.grading.contract import against, audit_figure
from errands.records.attempts import sat

_DECIMAL = r"^\d{1,9}(\.\d{1,9})?$"


class Reference(Part):
    """The pilot medians of one task in one edition, over the attempts of real products that passed.

    `wall_s` in seconds; `usd` in dollars, None where no price was known. `roots`: of the pilot runs' evidence.
    """

    task: str
    edition: str = Field(pattern=r"^[0-9a-f]{64}$")
    language: str
    wall_s: str = Field(pattern=_DECIMAL)
    usd: str | None = Field(default=None, pattern=_DECIMAL)
    successes: int = Field(ge=1)
    products: tuple[str, ...] = Field(min_length=1)
    roots: tuple[str, ...] = Field(min_length=1)


class References(Part):
    """The file of references, by task."""

    kind: Literal["errands-references"]
    format: Literal[1]
    tasks: tuple[Reference, ...] = ()

    @property
    def text(self) -> bytes:
        """As it is written."""
        return (json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n").encode()

    def of(self, task: str, edition: str, language: str) -> Reference | None:
        """The reference of this very edition and language, if there is one."""
        return next(
            (r for r in self.tasks if (r.task, r.edition, r.language) == (task, edition, language)), None
        )


class Normalised(Part):
    """Time and cost against the references: the mean of min(1, reference/observed) over the attempts that have one.

    `audit` is the mean of 100 × accuracy × time × cost, for audits and never to rank by.
    """

    time: float | None
    cost: float | None
    audit: float | None
    timed: int
    priced: int
    attempts: int


def load(file: Path) -> References:
    """The references of a file; `UsageError` naming file and field."""
    try:
        return References.model_validate_json(content(file))
    except ValidationError as why:
        first = why.errors()[0]
        raise UsageError(
            first["msg"],
            where=f"{file}, {' → '.join(map(str, first['loc']))}",
            expected="what `errands references register` writes",
        ) from None


def empty() -> References:
    """A file without a reference."""
    return References(kind="errands-references", format=1)


def register(known: References, runs: Sequence[RunFolder], tasks: Iterable[str]) -> References:
    """With references for these tasks from pilot runs of real products; every run is of one agent.

    `UsageError` for a reference or attack agent, a person, a run that is not finished, a task without a success, or
    one that has a reference already.
    """
    wanted = tuple(dict.fromkeys(tasks))
    rows: list[dict[str, Any]] = []
    editions: dict[str, set[tuple[str, str]]] = {}
    roots: dict[str, str] = {}
    for folder in runs:
        plan, record = folder.plan(), folder.record()
        _real(plan.agent, folder.name)
        if record is None:
            raise UsageError(
                "this run is not finished", where=folder.name, do=f"errands run --resume {folder.path}"
            )
        roots[folder.name] = record["evidence_root"]
        found = sat([folder], fresh=True) if plan.batch is None else None
        if found is None:
            raise UsageError(
                "a pilot is no run of a drawn list", where=folder.name, do="run the tasks by --task"
            )
        rows += [r for r in found.rows if r["task"] in wanted]
        for p in plan.attempts:
            editions.setdefault(p.task, set()).add((plan.tasks[p.task], p.language))
    made = [
        _reference(name, [r for r in rows if r["task"] == name], editions.get(name, set()), roots)
        for name in wanted
    ]
    for m in made:
        if known.of(m.task, m.edition, m.language):
            raise UsageError(
                "it has a reference already, and figures that stand on it would change",
                where=m.task,
                do="take the entry out of the file by hand, and say so where it was used",
            )
    return known.model_copy(
        update={"tasks": tuple(sorted((*known.tasks, *made), key=lambda r: (r.task, r.language)))}
    )


def normalised(rows: Iterable[dict[str, Any]], references: References) -> Normalised | None:
    """The normalised figures of attempts (rows of `records.attempts.Sat`); None where none has a reference."""
    graded = [r for r in rows if r["status"] == "graded"]
    times, costs, figures = [], [], []
    for row in graded:
        ref = references.of(row["task"], row["edition"], row["language"])
        if ref is None:
            continue
        time = against(Fraction(ref.wall_s), _exact(row["wall_s"]))
        cost = against(None if ref.usd is None else Fraction(ref.usd), _exact(row["cost_usd"]))
        times += [] if time is None else [time]
        costs += [] if cost is None else [cost]
        figure = audit_figure(int(row["strict"]), time, cost)
        figures += [] if figure is None else [figure]
    if not times and not costs:
        return None
    return Normalised(
        time=_mean(times),
        cost=_mean(costs),
        audit=_mean(figures),
        timed=len(times),
        priced=len(costs),
        attempts=len(graded),
    )


def _real(agent: str, run: str) -> None:
    if reference(agent) is not None or agent.startswith("person"):
        raise UsageError(
            f"{agent} is no product: a reference agent's time and cost are nobody's",
            where=run,
            expected="a pilot run of a real product",
        )


def _reference(
    name: str, rows: list[dict[str, Any]], editions: set[tuple[str, str]], roots: dict[str, str]
) -> Reference:
    if not rows:
        raise UsageError("no run given here has sat it", where=name)
    if len(editions) > 1:
        raise UsageError(
            "it was sat in several editions or languages", where=name, do="register them one by one"
        )
    passed = [r for r in rows if r["strict"] and r["wall_s"] is not None]
    if not passed:
        raise UsageError("no attempt at it passed: there is no median of successes", where=name)
    priced = [_exact(r["cost_usd"]) for r in passed]
    dollars = None if None in priced else median(x for x in priced if x is not None)
    edition, language = next(iter(editions))
    return Reference(
        task=name,
        edition=edition,
        language=language,
        wall_s=_decimal(median(Fraction(f"{r['wall_s']:.6f}") for r in passed)),
        usd=None if dollars is None else _decimal(dollars),
        successes=len(passed),
        products=tuple(sorted({r["agent"] for r in passed})),
        roots=tuple(sorted(roots[n] for n in {r["run"] for r in passed})),
    )


def _exact(x: float | None) -> Fraction | None:
    """A measured value as it was written: with six decimals."""
    return None if x is None else Fraction(f"{x:.6f}")


def _decimal(x: Fraction) -> str:
    return f"{float(x):.6f}"


def _mean(xs: Sequence[Fraction]) -> float | None:
    return round(float(sum(xs, Fraction(0)) / len(xs)), 10) if xs else None
