"""What a simulated person knows and will say, as rows of the fixture."""

from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from errands.core.canon import canonical
from errands.core.errors import TaskError
from errands.languages import packs
from errands.languages.pack import Subject
from errands.world.fixture import Draft


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Correction(_Strict):
    """A fact told wrongly at first: `after_ms` later (world time) the user says `words`, and `answer` holds."""

    after_ms: int = Field(ge=0)
    words: str = Field(min_length=1)
    answer: str = Field(min_length=1)


class Fact(_Strict):
    """Something told only after a clear question: one `about` a subject that every language has rules for, or one
    that an expression of `asked` finds (in any case of letters). A statement may ask too ("I still need …"), once: so
    an expression must fit what asks, and not only what mentions the matter."""

    id: str
    about: Subject | None = None
    asked: tuple[str, ...] = ()
    answer: str = Field(min_length=1)
    corrected: Correction | None = None

    @field_validator("asked")
    @classmethod
    def _compiles(cls, asked: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in asked:
            try:
                re.compile(pattern)
            except re.error as why:
                raise ValueError(f"{pattern!r} is no regular expression: {why}") from None
        return asked

    @model_validator(mode="after")
    def _can_be_asked(self) -> Fact:
        if self.about is None and not self.asked:
            raise ValueError(f"fact {self.id!r} can never be asked for: give `about` or `asked`")
        return self


class Refusal(_Strict):
    """A staged thing that the person refuses: the one that goes to `to`, with what is said about it."""

    to: str
    why: str = ""


class Brief(_Strict):
    """A person's mind: facts, which kinds of commit it approves when shown them, and what it refuses.

    `approves` lists staged kinds (`draft`, `notice`); `until_ms` limits how long a yes holds in world time.
    """

    goal: str
    facts: tuple[Fact, ...] = ()
    approves: tuple[str, ...] = ()
    refuses: tuple[Refusal, ...] = ()
    refusal: str = ""
    until_ms: int | None = None


def seat(d: Draft, brief: Brief, *, person: str = "user", languages: tuple[str, ...] = ("en",)) -> None:
    """Put a person into a fixture; `languages`: the one that is spoken first, and all that are understood.

    `TaskError` for a language that has no rules.
    """
    try:
        packs(languages)
    except ValueError as why:
        raise TaskError(
            str(why), where=f"brief of {person!r}", expected="errands/languages/<code>.toml"
        ) from None
    d.insert("people_brief", person=person, languages=" ".join(languages), body=canonical(brief.model_dump()))
