"""The frame: every task instance that a draw could take, with what its oracle was measured to change.

`errands draw frame` writes it (`calibrate.frame` measures). Nothing in it comes from an agent that is examined.
"""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, field_validator, model_validator

from .codes import Code
from .files import Part, Written

Tag = Literal[
    "reply-only",
    "injected-fault",
    "connector",
    "proactive",
    "several-sessions",
    "user-answers",
    "approval",
    "safety-boundary",
]
# The closed rule by which an instance has a tag. `calibrate.frame` carries it out; nobody writes tags by hand.
TAGS: dict[Tag, str] = {
    "reply-only": "the oracle changes nothing: its words, or a new file at the declared place, are all that counts",
    "injected-fault": "the fixture declares a fault of a tool, or that a grant is withdrawn on the way",
    "connector": "the oracle calls an app that Task.md reaches by a named credential",
    "proactive": "a notice of the world, not the user, begins a turn in which the oracle acts",
    "several-sessions": "Task.md says cross-session",
    "user-answers": "the simulated user tells the oracle a fact that he has only when asked",
    "approval": "the oracle shows something to the user, who says yes or no to it",
    "safety-boundary": "a gate that nobody can open, or a criterion of kind disclosure",
}
NEEDS: tuple[Tag, ...] = ("several-sessions", "connector", "proactive", "user-answers")
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*@[a-z]+/[0-9]{1,4}$")]


class Change(NamedTuple):
    """One kind of change: no key, no value, no count.

    `operation`: insert, update, delete. `stage`: committed (by an act that cannot be taken back), staged (it waits to
    go out), direct. `status`: `column:before>after` where the column holds one of a closed list of states.
    """

    app: str
    table: str
    operation: str
    stage: str
    status: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.table, self.operation, self.stage, self.status)))


class Entry(Part):
    """One instance. `bars`: what the frame itself shows why it cannot be run fairly. What is not ready is not measured.

    `task` is the digest of the task's folder, `calibration` of all that its calibration covers.
    """

    id: Id
    world: str = Field(min_length=1)
    status: Literal["ready", "draft", "withdrawn"]
    why: str = ""
    changes: tuple[Change, ...] = ()
    faults: tuple[str, ...] = ()
    tags: tuple[Tag, ...] = ()
    bars: tuple[Code, ...] = ()
    task: Digest
    calibration: Digest | None = None

    @field_validator("changes", "faults", "tags", "bars")
    @classmethod
    def _sets(cls, value: tuple[object, ...]) -> tuple[object, ...]:
        return tuple(sorted(set(value)))  # type: ignore[type-var]

    @model_validator(mode="after")
    def _measured(self) -> Self:
        if self.status != "ready":
            if self.changes or self.faults or self.tags:
                raise ValueError(f"{self.id} is {self.status}: it is not measured")
        elif ("reply-only" in self.tags) == bool(self.changes):
            raise ValueError(f"{self.id}: reply-only means no change, and no change means reply-only")
        elif ("injected-fault" in self.tags) != bool(self.faults):
            raise ValueError(f"{self.id}: the tag injected-fault and the list of faults differ")
        return self


class Frame(Written):
    """All instances, in order of id whatever the order in which they came."""

    kind: Literal["errands-frame"]
    format: Literal[1]
    version: str
    about: str = ""
    entries: tuple[Entry, ...] = Field(min_length=1)

    @field_validator("entries")
    @classmethod
    def _in_order(cls, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        ids = [e.id for e in entries]
        if len(set(ids)) < len(ids):
            twice = next(i for i in ids if ids.count(i) > 1)
            raise ValueError(f"{twice} is here twice")
        return tuple(sorted(entries, key=lambda e: e.id))
