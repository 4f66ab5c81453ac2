"""What a simulated person knows and will say, as rows of the fixture."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from errands.core.canon import canonical
from errands.world.fixture import Draft


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Fact(_Strict):
    """Something told only after a clear question: `asked` are regular expressions, tried in order."""

    id: str
    asked: tuple[str, ...] = Field(min_length=1)
    answer: str = Field(min_length=1)


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


def seat(d: Draft, brief: Brief, *, person: str = "user", language: str = "en") -> None:
    """Put a person into a fixture."""
    d.insert("people_brief", person=person, language=language, body=canonical(brief.model_dump()))
