"""One call of a model on its way: who hears of it, and what is read of the answer as it passes."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from errands.core.usage import Usage

from ..wires import Answer, Ask, Events

MAX_BODY = 64 << 20  # bytes of a request, and of an answer in one piece that is read for usage


class Denied(Exception):
    """The call is not let through; the agent gets this status, code and message."""

    def __init__(self, status: int, code: str, message: str):
        self.status, self.code, self.message = status, code, message
        super().__init__(status, code, message)


@dataclass(frozen=True, slots=True)
class Served:
    """What became of a call. `status` is the upstream's, 0 where there was none.

    `reached`: there was a connection. `cut`: the answer ended too early. `estimated`: its usage was never told, and
    is taken from what was seen. `left`: the agent had gone before the end.
    """

    ask: Ask
    host: str
    status: int
    usage: Usage
    seconds: float
    text: str = ""
    calls: tuple[dict[str, Any], ...] = ()
    model: str = ""
    error: str = ""
    reached: bool = True
    cut: bool = False
    estimated: bool = False
    left: bool = False


class Watch(Protocol):
    """Who hears of each call. Called from the threads that serve; several at once."""

    def ask(self, ask: Ask) -> str:
        """Put its worst case aside: a ticket; raises `Denied`."""

    def served(self, ticket: str, served: Served) -> None:
        """What the call of this ticket came to."""

    def refused(self, method: str, host: str, path: str, why: str) -> None:
        """Something that is no call of a model was asked for."""


class Call:
    """One call on its way: reads the answer as it passes."""

    def __init__(self, ask: Ask, host: str, size: int, strip: bool):
        self.ask, self.host, self.size, self.strip = ask, host, size, strip
        self.status, self.error = 0, ""
        self.reached, self.cut, self.left = True, False, False
        self.answer = Answer(ask.wire)
        self.begun = time.perf_counter()
        self._events: Events | None = None
        self._whole: list[bytes] = []
        self._length = 0
        self._held = b""

    def begins(self, status: int, streams: bool) -> None:
        """The head has come."""
        self.status = status
        self._events = Events() if streams else None

    def passes(self, piece: bytes) -> bytes:
        """A piece of the answer; returns what the agent shall see of it now."""
        if self._events is None:
            self._length += len(piece)
            if self._length <= MAX_BODY:
                self._whole.append(piece)
            return piece
        for event in self._events.feed(piece):
            self.answer.event(event)
        return self._stripped(piece) if self.strip else piece

    def _stripped(self, piece: bytes) -> bytes:
        """Without the event that tells the usage, which this client has not asked for."""
        self._held += piece
        *whole, self._held = self._held.replace(b"\r\n", b"\n").split(b"\n\n")
        return b"".join(e + b"\n\n" for e in whole if not _only_usage(e))

    def ends(self) -> bytes:
        """It is all here; returns what was held back."""
        if self._events is not None:
            for event in self._events.end():
                self.answer.event(event)
        elif self._whole:
            with suppress(ValueError, RecursionError):
                self.answer.whole(json.loads(b"".join(self._whole)))
        return b"" if _only_usage(self._held) else self._held

    def broken(self, error: str, *, reached: bool = True, cut: bool = False) -> None:
        """It did not come to its end."""
        self.error, self.reached, self.cut = error[:500], reached, cut

    def served(self) -> Served:
        """What it came to."""
        usage, estimated = self.answer.usage, False
        good = 200 <= self.status < 300
        if usage is None:
            estimated = good and self.ask.wire != "embeddings"
            usage = Usage(self.size // 2, 0, 0, self.answer.size // 2, 1) if estimated else Usage()
        return Served(
            self.ask,
            self.host,
            self.status,
            usage,
            time.perf_counter() - self.begun,
            self.answer.text,
            tuple(self.answer.calls),
            self.answer.model or self.ask.model,
            self.error or self.answer.error or ("" if good else f"status {self.status}"),
            self.reached,
            self.cut,
            estimated,
            self.left,
        )


def _only_usage(event: bytes) -> bool:
    """A chunk of Chat Completions that has no choices: it comes only where usage was asked for."""
    if not event.startswith(b"data:") or b'"usage"' not in event:
        return False
    try:
        value = json.loads(event[5:])
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and value.get("choices") == [] and bool(value.get("usage"))
