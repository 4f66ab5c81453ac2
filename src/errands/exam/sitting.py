"""The sitting: one attempt's only door. Everything enters through `next`, `call` and `reply`, under one lock."""

from __future__ import annotations

import json
import sys
import threading
import time
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from errands.core.errors import ClosedError, ToolError, UsageError, WorldFault
from errands.core.types import ToolSpec, Turn
from errands.core.values import plain, printable
from errands.world import FRESH, World
from errands.world.fixture import blob_name

from .terms import OWN, Kind

if TYPE_CHECKING:
    from errands.web.guard import Guard, Raw
    from errands.web.render import Response

    from .browsing import Browsing

USER_PAUSE_MS = 60_000
# An attempt's file must stay readable by whoever grades it: past this many recorded bytes it is full.
MAX_RECORD = 3_000_000
OWN_MEMORY = "memory.seen"  # the ledger's name for a look into an agent's own memory
BROUGHT = "files.brought"  # the ledger's name for files that an agent made in a folder of its own
# Frames that the world may need: an agent that has used up the stack must not make it fail in the middle.
STACK = 400


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an agent may use; wall seconds and tokens (0: any number) are watched from outside."""

    turns: int = 20
    calls: int = 400
    timeout_s: float = 900
    tokens: int = 0


class Sitting:
    """Passive: drivers pump it. All its counters follow from the ledger, so it can be taken up again (a browser's tools
    leave only the pages that they load)."""

    def __init__(self, world: World, limits: Limits, browser: Kind = OWN):
        self.world, self.limits = world, limits
        self.ended = ""
        self._lock = threading.RLock()
        self._calls = self._turns = self._told = 0
        self._memory: dict[str, Any] | None = None
        self.fault: WorldFault | None = None
        self.first: float | None = None  # perf_counter at the agent's first call or word
        self.marks: list[tuple[int, float]] = []  # after each call: the last ledger row, and perf_counter
        self.browsing: Browsing | None = None
        if any(tool.page for tool in world.tools.values()):
            from .browsing import Browsing

            self.browsing = Browsing(self, browser)
        if world.ledger.seq:
            self._take_up()

    def _take_up(self) -> None:
        """Count what has happened already."""
        for kind, actor, n, name in self.world.db.execute(
            "SELECT kind, actor, count(*), max(name) FROM exam_ledger"
            " WHERE kind IN ('call', 'turn', 'end') GROUP BY 1, 2"
        ):
            if kind == "end":
                self.ended = name
            elif kind == "call":
                self._calls += n if actor == "agent" else 0
            elif actor == "agent":
                self._turns = n
            else:
                self._told += n

    @property
    def pictures(self) -> list[str]:
        """Where the pictures are to lie that the errand is about, without extensions; reading them when it ends takes
        seconds."""
        return list(json.loads(self.world.meta.get("pictures", "[]")))

    @property
    def tools(self) -> list[ToolSpec]:
        """The tools that the task grants, and a browser's where its world has sites."""
        return [*self.world.specs(), *(self.browsing.specs if self.browsing else ())]

    def next(self) -> Turn | None:
        """The first turn (the instruction); later turns are what `reply` returns."""
        _stand_back()
        with self._lock:
            self._open()
            if self._told:
                return None
            try:
                return self._tell("instruction", "exam", self.world.meta["instruction"])
            except WorldFault as why:
                self._broken(why)
                return None

    def call(self, tool: str, args: Any = None) -> Any:
        """Call a tool: its JSON result, or `ToolError` (the world's answer), or `ClosedError` (it is over)."""
        _stand_back()
        if self.browsing is not None and type(tool) is str and tool in self.browsing:
            return self._browse(tool, args)
        with self._lock:
            self._take_call()
            try:
                return self.world.call(tool, args)
            except WorldFault as why:
                self._broken(why)
                raise
            finally:
                self._mark()

    def _browse(self, tool: str, args: Any) -> Any:
        assert self.browsing is not None
        from errands.doors.browser import BrowserGone

        with self._lock:
            self._take_call()
        try:
            answer = self.browsing.call(tool, args)
        except (BrowserGone, UsageError) as why:  # what is missing on this machine is no fault of the agent's
            self.close("server_fault", str(why))
            raise ClosedError("the sitting is over (server_fault)") from why
        with self._lock:
            self._open()
        return answer

    def _take_call(self) -> None:
        """Count one call, or close where there is no room for it."""
        self._open()
        self.first = self.first or time.perf_counter()
        if self._calls >= self.limits.calls:
            self.close("call_limit")
        elif self.world.ledger.size > MAX_RECORD:
            self.close("size_limit")
        self._open()
        self._calls += 1

    def _mark(self) -> None:
        self.marks.append((self.world.ledger.seq, time.perf_counter()))

    def page(self, site: str, raw: Raw, guard: Guard) -> Response:
        """A page of a site, for a browser. Counts as a call. `ClosedError` when it is over; a site that this world does
        not have is a page that is not there."""
        from errands.web.exchange import exchange

        _stand_back()
        with self._lock:
            self._take_call()
            try:
                return exchange(self.world, site, raw, guard)
            except WorldFault as why:
                self._broken(why)
                raise
            finally:
                self._mark()

    def reply(self, text: Any) -> Turn | None:
        """Say something to the user and end the turn; returns the next turn, or None when the sitting is over."""
        _stand_back()
        with self._lock:
            self._open()
            self.first = self.first or time.perf_counter()
            try:
                clean = plain(text, "reply")
                if type(clean) is not str:
                    raise ToolError("invalid", "a reply is a text")
            except ToolError:
                self.close("bad_reply", printable(text, 200))
                return None
            try:
                return self._answered(clean)
            except WorldFault as why:
                self._broken(why)
                return None

    def _answered(self, text: str) -> Turn | None:
        world = self.world
        self._turns += 1
        seq = world.record("turn", "agent", "reply", {"n": self._turns, "text": text})
        if world.ledger.size > MAX_RECORD:
            self.close("size_limit")
            return None
        answers = world.say("user.said", seq, text=text) if text else []
        if not answers:
            notices = world.take_notices() or self._later()
            if not notices:
                self.close("completed")
                return None
            if self._turns >= self.limits.turns:
                self.close("turn_limit")
                return None
            fresh = notices[0]["ref"] == FRESH
            user = fresh or all(n["ref"] == "user" for n in notices)
            return self._tell(
                "user" if user else "notice",
                "user" if user else "exam",
                "\n".join(n["text"] for n in notices),
                fresh=fresh,
            )
        if self._turns >= self.limits.turns:
            self.close("turn_limit")
            return None
        world.advance(world.now + USER_PAUSE_MS)
        # Who answers also says what she wanted to say by herself: else an agent that asks each time never hears it.
        waiting = {r["ref"] for r in world.all("SELECT ref FROM exam_notice")}
        more = world.take_notices() if waiting == {"user"} else []
        return self._tell("user", "user", "\n".join([str(answers[0]["answer"]), *(n["text"] for n in more)]))

    def _later(self) -> list[dict[str, str]]:
        """Errands that watch for something go on until the time their fixture names."""
        until = self.world.meta.get("until")
        if until is not None and self.world.advance(int(until)):
            return self.world.take_notices()
        return []

    def _tell(self, kind: str, actor: str, text: str, *, fresh: bool = False) -> Turn:
        self._told += 1
        body = {"n": self._told, "text": text, **({"fresh": True} if fresh else {})}
        self.world.record("turn", actor, kind, body)
        return Turn(self._told, kind, text, self.world.now, fresh, self.world.zone)

    def remembers(self, files: Mapping[str, str], cut: Sequence[str] = ()) -> None:
        """Put on record what an agent's own memory holds now, as files by path; nothing where it did not change.

        `cut`: files that are too long to be kept whole. It is evidence, and changes nothing in the world.
        """
        with self._lock:
            self._open()
            now = {"files": dict(files), "cut": list(cut)}
            if now == self._memory:
                return
            with self.world.outside("agent", OWN_MEMORY) as body:
                body.update(now)
            self._memory = now

    def brings(self, files: Mapping[str, bytes]) -> None:
        """Put files that an agent made in a folder of its own among the user's; what the app refuses is on record."""
        if not files:
            return
        with self._lock:
            self._open()
            with self.world.outside("agent", BROUGHT) as body:
                body.update(files={p: blob_name(d) for p, d in files.items()}, refused={})
                for path, data in files.items():
                    try:
                        self.world.signal("files.save", path=path, data_b64=b64encode(data).decode())
                    except ToolError as why:
                        body["refused"][path] = str(why)

    def close(self, reason: str, detail: str = "") -> None:
        """End the sitting for this reason (once; later calls change nothing) and write the final record."""
        with self._lock:
            if self.ended:
                return
            if self.fault is not None:  # whoever comes later with another reason
                reason, detail = "world_fault", str(self.fault)
            until = self.world.meta.get("until")
            if reason == "completed" and until is not None and self.world.now < int(until):
                try:  # who has nothing more to say leaves; the time in which others look goes on
                    self.world.run_out(int(until))
                except WorldFault as why:
                    self.fault, reason, detail = why, "world_fault", str(why)
            if self.fault is None and self.pictures:
                from .exercise import exercise

                try:
                    exercise(self.world)
                except WorldFault as why:
                    self.fault, reason, detail = why, "world_fault", str(why)
            count = self.world.ledger.seq + 1
            self.world.record(
                "end",
                "exam",
                reason,
                {"count": count, "calls": self._calls, "turns": self._turns, "detail": detail[:500]},
            )
            self.ended = reason

    def let_go(self) -> None:
        """Give back what it holds outside its world (the browser's context). Not to be called from a page."""
        if self.browsing is not None:
            self.browsing.close()

    def _broken(self, why: WorldFault) -> None:
        self.fault = why
        self.close("world_fault", str(why))

    def _open(self) -> None:
        if self.ended or self.fault is not None:
            raise ClosedError(f"the sitting is over ({self.ended or 'world_fault'})")


def _stand_back() -> None:
    """Raise the `RecursionError` of a caller that leaves no room for the world, in its own frame and before
    anything is done."""
    try:  # what C functions use is not among the frames, but never thrice as much
        sys._getframe(max(0, sys.getrecursionlimit() - STACK) // 4)
    except ValueError:
        return
    if not _room(STACK):
        raise RecursionError("the stack is too deep for a call")


def _room(frames: int) -> bool:
    """Whether that many calls still fit onto the stack here."""
    try:
        return frames == 0 or _room(frames - 1)
    except RecursionError:
        return False
