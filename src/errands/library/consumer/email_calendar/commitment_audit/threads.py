"""The threads of this errand as data: scripts with promises, and the ways in which each may end."""

from __future__ import annotations

from datetime import date, datetime
from functools import lru_cache
from importlib import resources
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from errands.core.errors import TaskError
from errands.markets import read_toml
from errands.markets.words import words_of
from errands.tasks import Build


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Due(_Strict):
    """When something is owed: a working day to be drawn, a fixed date, or a rule counted from the message."""

    pick: tuple[date, date] | None = None
    slot: str = "due"
    rule: Literal["this-friday", "workdays", "after-holiday", "date", "month-end", "none"] | None = None
    n: int | None = None
    on: date | None = None

    @model_validator(mode="after")
    def _one_form(self) -> Due:
        if (self.pick is None) == (self.rule is None):
            raise ValueError("give pick or rule")
        if (self.rule == "workdays") != (self.n is not None) or (self.rule == "date") != (
            self.on is not None
        ):
            raise ValueError("workdays needs n, date needs on")
        return self


class Act(_Strict):
    """What a message does: promises, moves, delivers or withdraws something; `other` only looks like it."""

    kind: Literal["promise", "moved", "done", "withdrawn", "other"]
    item: str
    owner: str
    due: Due | None = None


class Line(_Strict):
    """One message."""

    from_: str = Field(alias="from")
    to: tuple[str, ...] = Field(min_length=1)
    cc: tuple[str, ...] = ()
    after: str = ""
    body: str
    act: tuple[Act, ...] = ()

    def text(self, b: Build, due: dict[str, date]) -> str:
        """The body with its dates written as the market writes them."""
        words = words_of(
            "threads", {"language": b.language, "say": {"body": {"text": self.body.strip()}}}, b.writing
        )
        return words.say("body", 0, **{s: due[s] for s in words.slots("body")}).text


class Ending(_Strict):
    """A way in which a thread may go on."""

    name: Literal["open", "moved", "done", "withdrawn"]
    message: tuple[Line, ...] = ()


class Script(_Strict):
    """A thread: its messages, and endings of which a variant takes one."""

    id: str
    subject: str
    start: datetime
    message: tuple[Line, ...]
    ending: tuple[Ending, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _may_stay_open(self) -> Script:
        if "open" not in [e.name for e in self.ending]:
            raise ValueError("one ending must be open")
        return self

    @property
    def promises(self) -> bool:
        """Whether anything is promised in it."""
        return any(a.kind == "promise" for m in self.message for a in m.act)

    @property
    def hangs_on_holiday(self) -> bool:
        """Whether a promise's date is counted in working days."""
        return any(a.due and a.due.rule in ("workdays", "after-holiday") for m in self.message for a in m.act)


@lru_cache(maxsize=8)
def scripts(package: str, language: str) -> tuple[Script, ...]:
    """All threads of a language; `TaskError` that names file, thread and field."""
    file = resources.files(package).joinpath(f"words/threads.{language}.toml")
    out = []
    for raw in read_toml(file).get("thread", []):
        try:
            out.append(Script.model_validate(raw))
        except ValidationError as why:
            first = why.errors()[0]
            raise TaskError(
                first["msg"], where=f"{file}, thread {raw.get('id', '?')}, {first['loc']}"
            ) from None
    return tuple(out)
