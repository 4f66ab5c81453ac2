"""What the exam knows of an agent: a name, how it is isolated, and that it can sit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from errands.tasks.task import Instance, Task

from .desk import Desk
from .sitting import Sitting
from .terms import Terms


class Agent(Protocol):
    """Something that can sit. `trusted` agents are ours and may share the grader's process.

    `isolation`: `in-process` shares our process; `endpoint` is reached by messages alone; `sandbox` is a process
    that sees nothing of the exam; `unsafe-host` is one that might. `own_word`: that it had no access is its own word,
    and is taken only before it has done anything. `cost_usd` is what an attempt costs where no
    model call of it is seen: 0 for a scripted agent, None where nobody knows.
    """

    name: str
    isolation: str
    trusted: bool
    cost_usd: float | None
    own_word: bool

    def applies(self, task: Task) -> bool:
        """Whether this agent has something to do in a task; if not, the task is left out of the plan."""

    @property
    def preload(self) -> tuple[str, ...]:
        """Modules that workers should have imported before they are forked."""

    def check(self) -> None:
        """Raise `UsageError` for what is known to be wrong before anything is planned; runs nobody's code."""

    def load(self) -> object:
        """Make ready, once a process; raises `UsageError` that says what cannot be loaded."""

    def sit(self, sitting: Sitting, instance: Instance, desk: Desk) -> None:
        """Pump the sitting until it is over, or until the agent has nothing more to say.

        Raises `NoAccess`, `SpentOut` or `ExamFault` where it could not be pumped to an end.
        """


Resolve = Callable[[str, Terms], Agent]
"""From a name on the command line, and what the operator allowed, to an agent."""
