"""From the name on the command line to an agent."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from errands.core.errors import UsageError
from errands.exam.sitting import Sitting
from errands.tasks.task import Instance, Task

REFERENCE = ("oracle", "oracle:<alternative>", "wrong:<name>", "null", "refuse", "hasty", "talker")


class Agent(Protocol):
    """Something that can sit. `trusted` agents are ours and may share the grader's process."""

    name: str
    isolation: str
    trusted: bool
    cost_usd: float | None

    def applies(self, task: Task) -> bool:
        """Whether this agent has something to do in a task; if not, the task is left out of the plan."""

    def sit(self, sitting: Sitting, instance: Instance) -> None:
        """Pump the sitting until it is over, or until the agent has nothing more to say."""


def resolve(spec: str) -> Agent:
    """The agent of this name: a reference agent, `file.py`, `file.py:name` or `package.module:name`.

    Raises `UsageError` for anything else. A Python agent is loaded only when it sits.
    """
    from .function import FunctionAgent
    from .reference import reference

    ours = reference(spec)
    if ours is not None:
        return ours
    target, _, attribute = spec.partition(":")
    if target.endswith(".py"):
        if not Path(target).is_file():
            raise UsageError("there is no such file", where=target, expected="a Python file with a function `agent`")
        return FunctionAgent(spec, target, attribute or "agent")
    if attribute and all(part.isidentifier() for part in target.split(".")):
        return FunctionAgent(spec, target, attribute)
    raise UsageError(f"there is no agent {spec!r}", expected=f"{', '.join(REFERENCE)}, file.py[:name] or module:name",
                     do="write a function agent(message, tools) -> str and run it by its file")
