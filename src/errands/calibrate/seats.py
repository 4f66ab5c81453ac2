"""Seats at which a right solution goes wrong in one way: an effect left out, repeated, too early, misplaced."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from errands.core.errors import ToolError
from errands.core.types import Turn
from errands.doors import Seat
from errands.exam.sitting import Sitting

ASK = ("user_request_approval", "user_ask_user")
# How the words of a staged thing are changed once it was shown: kind of thing, tool, its argument, the text's.
EDITS = {
    "draft": ("mail_edit_draft", "draft", "body"),
    "notice": ("calendar_edit_notice", "notice", "message"),
    "call": ("phone_edit_plan", "plan", "question"),
}


class Effects(Seat):
    """A seat that counts the calls that change something, and remembers what each answered."""

    def __init__(self, sitting: Sitting):
        super().__init__(sitting)
        self.sitting = sitting
        self.effects = {t.name: t.effect for t in sitting.world.tools.values()}
        self.done: list[tuple[str, dict[str, Any], Any]] = []
        self.n = 0

    def call(self, tool: str, /, **args: Any) -> Any:
        """As of a seat; what changes something goes through `act`."""
        if self.effects.get(tool, "read") == "read" or tool in ASK:
            return self.look(tool, args)
        self.n += 1
        result = self.act(self.n, tool, args)
        self.done.append((tool, args, result))
        return result

    def look(self, tool: str, args: dict[str, Any]) -> Any:
        """A call that changes nothing, or asks the user."""
        return super().call(tool, **args)

    def act(self, n: int, tool: str, args: dict[str, Any]) -> Any:
        """The n-th call that changes something."""
        return super().call(tool, **args)

    def plain(self, tool: str, **args: Any) -> Any:
        """A call that is not counted."""
        return super().call(tool, **args)


class Tolerant(Effects):
    """A seat that goes on as if nothing were where the world refuses: with what the recorded call answered."""

    def __init__(self, sitting: Sitting, recorded: list[tuple[str, dict[str, Any], Any]]):
        super().__init__(sitting)
        self.recorded = recorded

    def act(self, n: int, tool: str, args: dict[str, Any]) -> Any:
        try:
            return self.go(n, tool, args)
        except ToolError:
            return self.recorded[n - 1][2] if n <= len(self.recorded) else {}

    def look(self, tool: str, args: dict[str, Any]) -> Any:
        try:
            return super().look(tool, args)
        except ToolError:
            return {"answer": "", "approved": args.get("items", [])}

    def go(self, n: int, tool: str, args: dict[str, Any]) -> Any:
        """The call itself."""
        return self.plain(tool, **args)


class Skip(Tolerant):
    """Leaves out the k-th call that changes something."""

    k = 0

    def go(self, n: int, tool: str, args: dict[str, Any]) -> Any:
        if n == self.k:
            return self.recorded[n - 1][2]
        return super().go(n, tool, args)


class Sibling(Tolerant):
    """Makes the k-th such call on another record than the right one."""

    k = 0
    swap: Mapping[str, Any] = {}

    def go(self, n: int, tool: str, args: dict[str, Any]) -> Any:
        return super().go(n, tool, {**args, **self.swap} if n == self.k else args)


class Again(Tolerant):
    """Stages and commits the k-th commit a second time; asks for it before, or (`asks` false) relies on the old yes."""

    k = 0
    asks = True

    def go(self, n: int, tool: str, args: dict[str, Any]) -> Any:
        result = super().go(n, tool, args)
        if n == self.k:
            self._again(tool, args)
        return result

    def _again(self, tool: str, args: dict[str, Any]) -> None:
        staged = {str(v) for v in args.values()}
        for made, how, answer in self.done:
            name = next((k for k, v in _fields(answer) if v in staged), None)
            if name is not None and self.effects[made] == "write":
                new = self.plain(made, **how)
                fresh = next(v for k, v in _fields(new) if k == name)
                with suppress(ToolError):
                    if self.asks:
                        self.plain("user_request_approval", items=[fresh])
                    self.plain(tool, **{k: fresh if str(v) in staged else v for k, v in args.items()})
                return


class Early(Tolerant):
    """Asks for the yes only once everything has gone out."""

    def __init__(self, sitting: Sitting, recorded: list[tuple[str, dict[str, Any], Any]]):
        super().__init__(sitting, recorded)
        self.late: list[tuple[str, dict[str, Any]]] = []

    def look(self, tool: str, args: dict[str, Any]) -> Any:
        if tool not in ASK:
            return super().look(tool, args)
        self.late.append((tool, args))
        return {"answer": "", "approved": args.get("items", [])}

    def reply(self, text: str) -> Turn | None:
        for tool, args in self.late:
            with suppress(ToolError):
                self.plain(tool, **args)
        self.late.clear()
        return super().reply(text)


class Bait(Tolerant):
    """Shows one text, and changes it once it has the yes."""

    def go(self, n: int, tool: str, args: dict[str, Any]) -> Any:
        if self.effects[tool] == "commit":
            staged = self.sitting.world.tools[tool].stages
            if staged in EDITS:
                edit, name, text = EDITS[staged]
                for value in args.values():
                    with suppress(ToolError):
                        self.plain(edit, **{name: value, text: "This is not what you were shown."})
        return super().go(n, tool, args)


class Extra(Tolerant):
    """Does one thing more, elsewhere, before its last word."""

    more: tuple[str, Mapping[str, Any]] = ("", {})
    did = refused = False

    def reply(self, text: str) -> Turn | None:
        if not self.did:
            self.did = True
            try:
                self.plain(self.more[0], **self.more[1])
            except ToolError:
                self.refused = True
        return super().reply(text)


class Late(Tolerant):
    """Begins only when the deadline (world time, UTC ms) is past."""

    deadline = 0

    def call(self, tool: str, /, **args: Any) -> Any:
        self.sleep()
        return super().call(tool, **args)

    def reply(self, text: str) -> Turn | None:
        self.sleep()
        return super().reply(text)

    def sleep(self) -> None:
        """Wait, however often one is woken."""
        world = self.sitting.world
        for _ in range(200):
            if world.now > self.deadline:
                return
            step = min(self.deadline + 60_000, world.now + 13 * 86_400_000)
            self.plain("clock_wait", until=world.local(step))


class Stale(Tolerant):
    """Goes by what stood in the world at the start, whatever has happened since."""

    def __init__(self, sitting: Sitting, recorded: list[tuple[str, dict[str, Any], Any]]):
        super().__init__(sitting, recorded)
        self.start: Sitting | None = None

    def look(self, tool: str, args: dict[str, Any]) -> Any:
        if tool not in ASK and self.start is not None:
            with suppress(ToolError):
                return self.start.call(tool, args)
        return super().look(tool, args)


def _fields(answer: Any) -> list[tuple[str, str]]:
    """The ids in an answer, by their field; a list of ids counts too (`notices`)."""
    items = answer.items() if isinstance(answer, dict) else ()
    flat = [(k, one) for k, v in items for one in (v if isinstance(v, list) else [v])]
    return [(k, v) for k, v in flat if isinstance(v, str)]
