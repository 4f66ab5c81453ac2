"""A person as an agent: sits by hand, with the same tools, by `errands try`."""

from __future__ import annotations

import json
import shlex
from typing import Any

from errands.core.errors import UsageError
from errands.core.types import ToolSpec
from errands.exam.desk import Desk
from errands.exam.sitting import Sitting
from errands.tasks.task import Instance, Task


class Person:
    """Whoever sits at this terminal. `origin` names the attempt that was taken over, if one was."""

    isolation, trusted = "person", False
    own_word = False
    preload: tuple[str, ...] = ()
    cost_usd: float | None = None

    def __init__(self, origin: str = ""):
        self.name = f"person:{origin}" if origin else "person"

    def applies(self, task: Task) -> bool:
        """Everywhere."""
        return True

    def check(self) -> None:
        """Nothing is known before."""

    def load(self) -> None:
        """Nothing to load."""

    def sit(self, sitting: Sitting, instance: Instance, desk: Desk) -> None:
        """A person is not pumped."""
        raise UsageError("a person sits by hand", where=self.name, do="see `errands try`")


def command(line: str, tools: dict[str, ToolSpec]) -> tuple[str, Any]:
    """What a typed line means: `("say", text)`, `("call", (tool, args))`, or `("help", topic)`.

    A line that begins with a tool's name calls it, with `key=value` pairs (a value is JSON where it reads as JSON,
    else text) or one JSON object; `tools`, `help TOOL`; anything else after `say` is said to the user.
    Raises `UsageError` for a line that is none of these.
    """
    head, _, rest = line.strip().partition(" ")
    if head == "say":
        return "say", rest.strip()
    if head in ("tools", "help"):
        return "help", rest.strip()
    if head in tools:
        return "call", (head, _arguments(head, rest.strip(), tools[head]))
    raise UsageError(
        f"{head!r} is neither a tool nor a command",
        expected="say WORDS TO THE USER, a tool with key=value, tools, help TOOL, or quit",
    )


def _arguments(tool: str, text: str, spec: ToolSpec) -> dict[str, Any]:
    if text.startswith("{"):
        try:
            found = json.loads(text)
        except ValueError as why:
            raise UsageError(f"this is not JSON ({why})", where=tool) from None
        return dict(found)
    try:
        words = shlex.split(text)
    except ValueError as why:
        raise UsageError(f"{why}", where=tool, expected='key=value, texts with spaces as key="…"') from None
    args: dict[str, Any] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            known = ", ".join(spec.parameters.get("properties", {}))
            raise UsageError(f"{word!r} is no key=value", where=tool, expected=known)
        args[key] = _value(value, spec.parameters.get("properties", {}).get(key, {}))
    return args


def _value(text: str, schema: dict[str, Any]) -> Any:
    """Text where text is asked for; else JSON where it reads as such; a list also as `a,b`."""
    if schema.get("type") == "string":
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text.split(",") if schema.get("type") == "array" else text
