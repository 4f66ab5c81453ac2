"""The threads of this errand as data: scripts with promises, and the ways in which each may end."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from functools import lru_cache
from importlib import resources
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from errands.core.errors import TaskError
from errands.markets import load_market, read_toml
from errands.markets.calendar import is_holiday
from errands.markets.words import words_of
from errands.markets.writing import Writing
from errands.tasks import Who
from errands.tasks.life import pause


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
    owner: Who
    due: Due | None = None


class Line(_Strict):
    """One message."""

    from_: Who = Field(alias="from")
    to: tuple[Who, ...] = Field(min_length=1)
    cc: tuple[Who, ...] = ()
    after: str = ""
    body: str
    act: tuple[Act, ...] = ()

    @field_validator("after")
    @classmethod
    def _span(cls, text: str) -> str:
        if text:
            pause(text)
        return text

    def text(self, writing: Writing, due: dict[str, date]) -> str:
        """The body with its dates written as the market writes them."""
        bank = {"language": writing.language, "say": {"body": {"text": self.body.strip()}}}
        words = words_of("threads", bank, writing)
        return words.say("body", 0, **{s: due[s] for s in words.slots("body") if s in due}).text


class Ending(_Strict):
    """A way in which a thread may go on."""

    name: Literal["open", "moved", "done", "withdrawn"]
    message: tuple[Line, ...] = ()


class Setting(_Strict):
    """What one market's threads have in common: their label, whom a list must not be sent to, and the last day
    before the holiday on which `after-holiday` turns (not the holiday: who forgets it names the day after this)."""

    label: str
    chief: Who
    holiday: date


class Script(_Strict):
    """A thread: its messages, and endings of which a variant takes one. `language`: in which it is written."""

    language: str
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


@lru_cache(maxsize=16)
def scripts(package: str, market: str) -> tuple[Setting, tuple[Script, ...]]:
    """The setting and all threads of a market, from `threads/<market>.<language>.toml`; `TaskError` names the field."""
    out, setting = [], None
    place = load_market(market)
    cast = {"people": place.people}
    folder = resources.files(package).joinpath("threads")
    for file in sorted(folder.iterdir(), key=lambda f: f.name):
        code, _, language = file.name.removesuffix(".toml").partition(".")
        if code != market:
            continue
        raw, at = read_toml(file), "setting"
        try:
            setting = Setting.model_validate(raw["setting"], context=cast) if "setting" in raw else setting
            for thread in raw.get("thread", []):
                at = f"thread {thread.get('id', '?')}"
                out.append(Script.model_validate({"language": language, **thread}, context=cast))
        except ValidationError as why:
            first = why.errors()[0]
            raise TaskError(first["msg"], where=f"{file}, {at}, {'.'.join(map(str, first['loc']))}") from None
    if setting is None:
        raise TaskError(
            f"no setting for market {market!r}", where=f"{package}/threads", expected="[setting] in its file"
        )
    if not is_holiday(place, setting.holiday + timedelta(1)):
        raise TaskError(
            f"holiday is {setting.holiday}, and the day after it is no public holiday",
            where=f"{package}/threads, setting of {market}",
            expected="the last day before the holiday, from which `after-holiday` counts",
        )
    return setting, tuple(out)
