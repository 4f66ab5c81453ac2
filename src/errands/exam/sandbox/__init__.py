"""The sandbox of a command-line agent: what it may see, how it is started, and what came of it.

An agent gets a `Box`: a workspace and a home of its own, its own program read-only, the sockets that it was granted,
and nothing else. When `start` returns, everything that was started inside is dead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from ..desk import ExamFault

Kind = Literal["bubblewrap", "unsafe-host"]
AtEnd = Callable[[Callable[[], None]], None]


class SandboxFault(ExamFault):
    """The sandbox could not be built, or the preflight saw through it. `receipt` is what the preflight found."""

    reason = "sandbox_fault"
    receipt: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Box:
    """What one attempt's agent may touch. Paths are the host's.

    `reads`: its program and libraries, seen read-only under the same paths (see `program_reads`).
    `sockets`: name to unix socket; `tcp`: port on 127.0.0.1 inside to the name of the socket it leads to.
    """

    workspace: Path
    home: Path
    reads: tuple[Path, ...] = ()
    sockets: Mapping[str, Path] = field(default_factory=dict)
    tcp: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Places:
    """Where things lie that no agent may see, beside the exam's own code and the host's home.

    A sandbox refuses a box that would show one of them, and its preflight tries each from the inside.
    """

    runs: tuple[Path, ...] = ()
    databases: tuple[Path, ...] = ()
    caches: tuple[Path, ...] = ()
    boxes: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Inside:
    """A box as the agent sees it: what its configuration and its command line must name."""

    workspace: str
    home: str
    sockets: Mapping[str, str]
    python: str
    relay: str


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a program. `code` is negative or above 128 where a signal ended it.

    Output beyond the bound is dropped; `dropped` counts those bytes, of stdout and stderr.
    """

    code: int
    stdout: bytes
    stderr: bytes
    seconds: float
    timed_out: bool
    dropped: tuple[int, int] = (0, 0)


class Sandbox(Protocol):
    """A way to run an agent's program. One object serves many attempts and threads."""

    @property
    def kind(self) -> Kind:
        """How the agent is kept apart; evidence and card carry it."""

    def check(self) -> None:
        """Raise `UsageError` that says what this machine lacks and what can be done."""

    def port(self, wanted: int) -> int:
        """The port that a box may use where `wanted` would be nice: boxes that share the host cannot share ports."""

    def inside(self, box: Box) -> Inside:
        """The box as its agent will see it."""

    def start(
        self,
        argv: Sequence[str],
        *,
        box: Box,
        env: Mapping[str, str],
        timeout: float,
        stdin: bytes = b"",
        at_end: AtEnd | None = None,
    ) -> Ran:
        """Run a program to its end. `env` is all that it is granted beyond the plain PATH, HOME and their like.

        `at_end` is told how to kill it (a desk's `at_end`). Raises `UsageError` for a box that cannot be, and
        `SandboxFault` where the sandbox itself fails.
        """

    def probe(self, box: Box, env: Mapping[str, str]) -> dict[str, Any]:
        """Run the preflight in the very same sandbox: its receipt, or `SandboxFault`."""


def open_sandbox(kind: Kind = "bubblewrap", places: Places | None = None) -> Sandbox:
    """The sandbox of this kind. `unsafe-host` keeps nothing apart, and must have been asked for by name."""
    if kind == "unsafe-host":
        from .host import UnsafeHost

        return UnsafeHost()
    from .bubblewrap import Bubblewrap

    return Bubblewrap(places or Places())


def program_reads(argv0: str) -> list[Path]:
    """The smallest set of read-only binds that let a program run: itself, its runtime, its libraries."""
    from .program import reads_of

    return reads_of(argv0)
