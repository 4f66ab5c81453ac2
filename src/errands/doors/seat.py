"""The in-process seat: what a Python agent holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from errands.core.types import Door, ToolSpec, Turn


class Seat:
    """The tools of one sitting and the agent's own voice.

    `seat.call("mail_search", query="rates")` or, the same, `seat.mail_search(query="rates")` returns the tool's
    JSON result; a call that cannot be done raises `errands.ToolError`.
    """

    __slots__ = ("_door",)

    def __init__(self, door: Door):
        self._door = door

    @property
    def tools(self) -> list[ToolSpec]:
        """Name, description and JSON Schema of each tool."""
        return self._door.tools

    def call(self, tool: str, /, **args: Any) -> Any:
        """Call a tool by name."""
        return self._door.call(tool, args)

    def reply(self, text: str) -> Turn | None:
        """End the turn with these words to the user; returns the next turn, or None when it is over."""
        return self._door.reply(text)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda **args: self._door.call(name, args)
