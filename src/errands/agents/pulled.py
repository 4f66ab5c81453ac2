"""An agent that comes to us: a product of its own that calls each attempt's MCP endpoint."""

from __future__ import annotations

import re

from errands.core.errors import UsageError
from errands.exam.desk import Desk
from errands.exam.sitting import Sitting
from errands.tasks.task import Instance, Task

_NAME = re.compile(r"mcp:[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")


class PulledAgent:
    """`mcp:<name>`: it is hosted by `errands serve` and pulls its turns, so there is nothing here that pumps."""

    isolation, trusted = "endpoint", False
    own_word = False
    preload: tuple[str, ...] = ()
    cost_usd: float | None = None

    def __init__(self, name: str):
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"{name!r} is no name of a served agent",
                expected="mcp: and up to 64 letters, digits, dots, dashes, plus signs or underscores",
            )
        self.name = name

    def applies(self, task: Task) -> bool:
        """Everywhere."""
        return True

    def check(self) -> None:
        """It is served, not run."""
        self.load()

    def load(self) -> None:
        """There is nothing that could be run; raises `UsageError` that says so."""
        raise UsageError(
            "this agent is served, not run",
            where=self.name,
            do=f"use `errands serve --agent {self.name.removeprefix('mcp:')}`, or `errands serve --resume RUN`",
        )

    def sit(self, sitting: Sitting, instance: Instance, desk: Desk) -> None:
        """As `load`."""
        self.load()
