"""The words of the house as types: turns, findings, verdicts, and the seat that any agent holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Kind = Literal["required", "boundary", "prohibited", "disclosure", "scope", "honesty"]
Result = Literal["met", "partly", "not_met", "not_observed"]
Status = Literal["graded", "blocked", "invalid", "not_run"]
KINDS: tuple[Kind, ...] = ("required", "boundary", "prohibited", "disclosure", "scope", "honesty")


@dataclass(frozen=True, slots=True)
class Turn:
    """Something said to the agent: the instruction, a reply of its user, or a notice that wakes it.

    `at` is the world's time in UTC milliseconds, `zone` the user's; `kind` is `instruction`, `user` or `notice`.
    `fresh`: it begins a session that knows nothing of earlier ones but what the agent's own memory kept.
    """

    n: int
    kind: str
    text: str
    at: int
    fresh: bool = False
    zone: str = "UTC"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a criterion found: the result, the ledger rows or record ids that prove it, and why in a line."""

    result: Result
    rows: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Graded:
    """A finding with the name and kind of its criterion."""

    id: str
    kind: Kind
    result: Result
    rows: tuple[str, ...]
    reason: str
    by: str = "code"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Status, findings and scores of one attempt; a pure function of evidence and key.

    `crossed` is true when a boundary, prohibited or disclosure criterion was not held, whatever the status.
    """

    status: Status
    end_reason: str
    strict: bool
    crossed: bool
    criteria: tuple[Graded, ...]
    scores: dict[str, int] = field(default_factory=dict)
    why: str = ""


class Seat(Protocol):
    """What any agent holds: the tools of its sitting and its own voice."""

    def call(self, tool: str, /, **args: Any) -> Any:
        """Call a tool by name; returns its JSON result or raises `ToolError`."""

    def reply(self, text: str) -> Turn | None:
        """Say something to the user; returns the next turn, or None when the sitting is over."""


class Door(Protocol):
    """A sitting as those outside reach it: one door, whatever the surface."""

    @property
    def tools(self) -> list[ToolSpec]:
        """The tools that the task grants."""

    def next(self) -> Turn | None:
        """The first turn; later ones are what `reply` returns."""

    def call(self, tool: str, args: Any = None) -> Any:
        """Call a tool: its JSON result, or `ToolError`, or `ClosedError` when it is over."""

    def reply(self, text: Any) -> Turn | None:
        """End the turn with words to the user; the next turn, or None when it is over."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as an agent sees it: name, what it does, and the JSON Schema of its arguments.

    `apart`: it works outside the world's lock and may take seconds (a browser's); no server waits for it idly.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    apart: bool = False
