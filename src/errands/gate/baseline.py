"""The baseline: what an agent did when the gate last looked, by instance, with the editions of the tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError, model_validator

from errands import __version__
from errands.core.errors import UsageError
from errands.draw.files import Part, Written
from errands.draw.frame import Digest
from errands.stats.records import Attempt, by_task
from errands.tasks.registry import Choice, task
from errands.tasks.standing import digests

from .listed import content, faulty, name_of

Edition = dict[str, Digest]
_WORDS = {"task": "its folder", "apps": "its apps", "grading": "grading", "market": "its market"}


class Held(Part):
    """One instance in the baseline; all attempts are graded, blocked, invalid or not run."""

    graded: int = Field(ge=0)
    strict: int = Field(ge=0)
    crossed: int = Field(default=0, ge=0)
    blocked: int = Field(default=0, ge=0)
    invalid: int = Field(default=0, ge=0)
    language: str = "en"


class Baseline(Written):
    """The file that `errands gate … --write-baseline` writes.

    `attempts` is how often each instance was planned. `editions` holds, by task@market, the digests of what decides
    a verdict: the task's folder, its apps, grading, and the market.
    """

    kind: Literal["errands-baseline"]
    format: Literal[1]
    agent: str
    date: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    version: str
    attempts: int = Field(ge=1)
    editions: dict[str, Edition]
    tasks: dict[str, Held] = Field(min_length=1)

    @model_validator(mode="after")
    def _adds_up(self) -> Baseline:
        for name, h in self.tasks.items():
            if (
                h.graded + h.blocked + h.invalid > self.attempts
                or h.strict > h.graded
                or h.crossed > self.attempts - h.strict
            ):
                raise ValueError(f"the counts of {name} do not add up")
            if name.partition("/")[0] not in self.editions:
                raise ValueError(f"{name} has no edition")
        return self

    def records(self, groups: Mapping[str, str]) -> list[Attempt]:
        """Its attempts at the instances that `groups` names, as the numbers see them."""
        return [
            a
            for name in sorted(self.tasks.keys() & groups.keys())
            for a in _attempts(name, groups[name], self.tasks[name], self.attempts)
        ]


def taken(
    agent: str, date: str, attempts: int, sat: Iterable[Attempt], choices: Sequence[Choice]
) -> Baseline:
    """The baseline of what was sat, `attempts` of each of these instances."""
    language = {name_of(c): c.language for c in choices}
    held = {
        t.task: Held(
            graded=len(t.graded),
            strict=sum(a.strict for a in t.graded),
            crossed=sum(a.crossed for a in t.planned),
            blocked=sum(a.status == "blocked" for a in t.planned),
            invalid=sum(a.status == "invalid" for a in t.planned),
            language=language[t.task],
        )
        for t in by_task(sat)
    }
    return Baseline(
        kind="errands-baseline",
        format=1,
        agent=agent,
        date=date,
        version=__version__,
        attempts=attempts,
        editions=editions(choices),
        tasks=held,
    )


def editions(choices: Iterable[Choice]) -> dict[str, Edition]:
    """By task@market the digests of what decides a verdict, as it is now."""
    places = sorted({(c.task, c.market) for c in choices})
    return {f"{t}@{m}": digests(task(t), m) for t, m in places}


def read_baseline(path: Path, choices: Sequence[Choice], attempts: int) -> Baseline:
    """A baseline that these instances, so often sat, may be held against; else `UsageError`.

    Refused: another number of attempts, another language, and editions that differ, by name and by what changed.
    """
    try:
        found = Baseline.model_validate_json(content(path))
    except ValidationError as why:
        raise faulty(why, path, "what `errands gate … --write-baseline` wrote") from None
    if found.attempts != attempts:
        raise UsageError(
            f"it holds {found.attempts} attempts of each instance, and this gate {attempts}",
            where=str(path),
            expected="as many in both: a break is a fall from all of n to at most a third of n",
            do=f"gate with --attempts {found.attempts}, or take the baseline again",
        )
    now, mine = editions(choices), {name_of(c): c for c in choices}
    common = {n: c for n, c in mine.items() if n in found.tasks}
    if not common:
        raise UsageError("it holds none of these instances", where=str(path), do=_AGAIN)
    other = [n for n, c in common.items() if found.tasks[n].language != c.language]
    if other:
        raise UsageError(f"{other[0]} was sat in another language", where=str(path), do=_AGAIN)
    places = sorted({f"{c.task}@{c.market}" for c in common.values()})
    changed = {p: _changed(found.editions[p], now[p]) for p in places if found.editions[p] != now[p]}
    if changed:
        named = [f"{p} ({' and '.join(parts)})" for p, parts in changed.items()]
        more = f" and {len(named) - 8} more" if len(named) > 8 else ""
        raise UsageError(
            f"changed since the baseline: {', '.join(named[:8])}{more}",
            where=str(path),
            expected="the same editions in both: else what changed in the errand would be laid at the agent's door",
            do=_AGAIN,
        )
    return found


_AGAIN = "take it again with --write-baseline, from the agent as it was when it was good, and commit it with the change"


def _changed(old: Edition, new: Edition) -> list[str]:
    return [_WORDS.get(k, k) for k in sorted(old.keys() | new.keys()) if old.get(k) != new.get(k)]


def _attempts(name: str, group: str, h: Held, n: int) -> Iterable[Attempt]:
    """The counts as attempts again: which was which is not known, and no number here asks."""
    rest = n - h.graded - h.blocked - h.invalid
    statuses = ["graded"] * h.graded + ["blocked"] * h.blocked + ["invalid"] * h.invalid + ["not_run"] * rest
    for k, status in enumerate(statuses):
        yield Attempt(
            task=name,
            group=group,
            agent="the baseline",
            repeat=k + 1,
            status=status,  # type: ignore[arg-type]  # one of the four
            strict=k < h.strict,
            crossed=h.strict <= k < h.strict + h.crossed,
        )
