"""From the name on the command line to an agent."""

from __future__ import annotations

from pathlib import Path

from errands.core.errors import UsageError
from errands.exam.agent import Agent
from errands.exam.terms import PLAIN, Terms

REFERENCE = ("oracle", "oracle:<alternative>", "wrong:<name>", "null", "refuse", "hasty", "talker", "spam")
OTHERS = (
    "file.py[:name]",
    "module:name",
    "model:<provider>/<name>",
    "cmd:<profile or program>",
    "webhook:<url>",
)


def resolve(spec: str, terms: Terms = PLAIN) -> Agent:
    """The agent of this name (see `REFERENCE`, `OTHERS`; `mcp:<name>` is served). It is loaded only when it sits.

    Raises `UsageError` for anything else.
    """
    from .reference import reference

    ours = reference(spec)
    if ours is not None:
        return ours
    way, _, rest = spec.partition(":")
    if way == "model":
        from .model import ModelAgent

        return ModelAgent(spec, rest, terms)
    if way == "cmd":
        from .command import CommandAgent

        return CommandAgent(spec, rest, terms)
    if way == "webhook":
        from .webhook import WebhookAgent

        return WebhookAgent(spec, rest, terms)
    if way == "mcp":
        from .pulled import PulledAgent

        return PulledAgent(spec)
    if way == "person":
        raise UsageError("a person sits by hand", where=spec, do="see `errands try`")
    return _python(spec, terms)


def _python(spec: str, terms: Terms) -> Agent:
    from .function import FunctionAgent

    target, _, attribute = spec.partition(":")
    if target.endswith(".py"):
        if not Path(target).is_file():
            raise UsageError(
                "there is no such file",
                where=target,
                expected="a Python file with a function `agent`",
                do=f"`errands init {target}` writes one",
            )
        return FunctionAgent(spec, target, attribute or "agent", terms)
    if attribute and all(part.isidentifier() for part in target.split(".")):
        return FunctionAgent(spec, target, attribute, terms)
    raise UsageError(
        f"there is no agent {spec!r}",
        expected=f"{', '.join(OTHERS)}, or one of ours: {', '.join(REFERENCE)}",
        do="`errands init my_agent.py` writes a function agent(message, tools) -> str; run it by its file",
    )
