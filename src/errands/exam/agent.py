"""What the exam knows of an agent: a name, how it is isolated, and that it can sit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from errands.tasks.task import Instance, Task

from .sitting import Sitting


class Agent(Protocol):
    """Something that can sit. `trusted` agents are ours and may share the grader's process.

    `cost_usd` is what an attempt costs: 0 for a scripted agent, None where nobody knows.
    """

    name: str
    isolation: str
    trusted: bool
    cost_usd: float | None

    def applies(self, task: Task) -> bool:
        """Whether this agent has something to do in a task; if not, the task is left out of the plan."""

    def load(self) -> object:
        """Make ready, once a process; raises `UsageError` that says what cannot be loaded."""

    def sit(self, sitting: Sitting, instance: Instance) -> None:
        """Pump the sitting until it is over, or until the agent has nothing more to say."""


Resolve = Callable[[str], Agent]
