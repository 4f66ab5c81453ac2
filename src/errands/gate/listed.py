"""The tasks of a gate: a small file that names instances, and those in quarantine with their date and reason."""

from __future__ import annotations

import datetime
import tomllib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from errands.core.errors import UsageError
from errands.tasks.registry import Choice, Selection, choice, select


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Parts(_Part):
    """Instances by parts of a selection, as the options of `errands run`; task names may be globs."""

    suite: tuple[str, ...] = ()
    domain: tuple[str, ...] = ()
    task: tuple[str, ...] = ()
    market: tuple[str, ...] = ()
    variant: tuple[int, ...] = ()
    tag: tuple[str, ...] = ()
    held_out: bool = False


class Quarantined(_Part):
    """An instance that is sat and shown, but never blocks."""

    id: str
    since: datetime.date
    reason: str = Field(min_length=1)

    def age(self, today: datetime.date) -> int:
        """Days in quarantine; below 0 where it begins after `today`."""
        return (today - self.since).days


class Listed(_Part):
    """What a tasks file holds. `language`: en, or local for each market's own."""

    language: str = Field(default="en", pattern="^(en|local)$")
    instances: tuple[str, ...] = ()
    select: tuple[Parts, ...] = ()
    quarantine: tuple[Quarantined, ...] = ()

    def choices(self, where: str) -> list[Choice]:
        """The instances, each once and in a fixed order.

        `UsageError` for what does not exist, a list that is empty, or a quarantine of what is not on it.
        """
        found: set[Choice] = set()
        try:
            for p in self.select:
                found |= set(
                    select(
                        Selection(
                            p.suite, p.domain, p.task, p.market, p.variant, p.tag, self.language, p.held_out
                        )
                    )
                )
            found |= {choice(name, self.language) for name in self.instances}
        except UsageError as why:
            raise UsageError(why.what, where=where, expected=why.expected, do=why.do) from None
        if not found:
            raise UsageError(
                "it names no instance", where=where, expected="`instances`, or at least one [[select]]"
            )
        names = {name_of(c) for c in found}
        seen: set[str] = set()
        for q in self.quarantine:
            if q.id not in names or q.id in seen:
                raise UsageError(
                    f"{q.id} is in quarantine {'twice' if q.id in seen else 'but not among the instances'}",
                    where=where,
                    do="take it out of [[quarantine]]",
                )
            seen.add(q.id)
        return sorted(found)


def name_of(c: Choice) -> str:
    """An instance's name: `task@market/variant`."""
    return f"{c.task}@{c.market}/{c.variant}"


def read_listed(path: Path) -> Listed:
    """A tasks file, TOML, or JSON where its name ends so; `UsageError` naming the file and the field."""
    data = content(path)
    try:
        if path.suffix == ".json":
            return Listed.model_validate_json(data)
        raw: dict[str, Any] = tomllib.loads(data.decode("utf-8"))
        return Listed.model_validate(raw)
    except ValidationError as why:
        raise faulty(why, path, "a tasks file of the gate") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as why:
        raise UsageError(f"this is no TOML: {why}", where=str(path), do="see docs/gate.md") from None


def content(path: Path) -> bytes:
    """A file's bytes; `UsageError` where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as why:
        raise UsageError(f"it cannot be read: {why.strerror}", where=str(path)) from None


def faulty(why: ValidationError, path: Path, what: str) -> UsageError:
    """What is wrong with a file, by its first fault."""
    first = why.errors()[0]
    place = " → ".join(str(x) for x in first["loc"])
    said = "this key is not known" if first["type"] == "extra_forbidden" else first["msg"]
    return UsageError(
        said, where=f"{path}, {place}" if place else str(path), expected=what, do="see docs/gate.md"
    )
