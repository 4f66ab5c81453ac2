"""From the name on the command line to an agent."""

from __future__ import annotations

from pathlib import Path

from errands.core.errors import UsageError
from errands.exam.agent import Agent
from errands.exam.terms import PLAIN, Terms

REFERENCE = ("oracle", "oracle:<alternative>", "wrong:<name>", "null", "refuse", "hasty", "talker")


def resolve(spec: str, terms: Terms = PLAIN) -> Agent:
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
            raise UsageError(
                "there is no such file", where=target, expected="a Python file with a function `agent`"
            )
        return FunctionAgent(spec, target, attribute or "agent")
    if attribute and all(part.isidentifier() for part in target.split(".")):
        return FunctionAgent(spec, target, attribute)
    raise UsageError(
        f"there is no agent {spec!r}",
        expected=f"{', '.join(REFERENCE)}, file.py[:name] or module:name",
        do="write a function agent(message, tools) -> str and run it by its file",
    )
