"""A hosted product as an agent: each turn is posted to its address, and its answer's `reply` is said to the user.

What is posted (JSON): `turn` (its number), `kind` (`instruction`, `user`, `notice`), `message`, `at` (the world's
time, with offset), `fresh` (a new session: what earlier ones said is to be forgotten), and `mcp`: the `url` of this
attempt's MCP server, which is address and key in one, and the same as `authorization` for clients that take a header.
What is answered (JSON): `reply` (text), and, where the product likes to say so, `tools` (names of other tools that
it has) and `usage` (tokens by class: input, cache_read, cache_write, output).

| variable | what it is |
|---|---|
| `ERRANDS_WEBHOOK_TOKEN` | sent to the product as `Authorization: Bearer …` |
| `ERRANDS_PUBLIC_URL` | how the product reaches this machine, where that is not the loopback address |
| `ERRANDS_HOST`, `ERRANDS_PORT` | where the MCP server listens (with one job); by default loopback, any free port |
"""

from __future__ import annotations

import http.client
import json
import os
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from errands.core import clock
from errands.core.errors import ClosedError, UsageError
from errands.core.types import Turn
from errands.core.usage import Usage
from errands.exam.desk import Desk, ForeignTool, NoAccess
from errands.exam.sitting import Sitting
from errands.exam.terms import PLAIN, Terms
from errands.tasks.task import Instance, Task

if TYPE_CHECKING:
    from errands.doors.mcp import Host

MAX_ANSWER = 4 << 20
CONNECT_S = 10.0
# Seconds before each new try where nobody listens, or the product says that it is busy.
RETRIES_S = (0.5, 1.0, 2.0)
BUSY = (429, 502, 503, 504)
REFUSED = (401, 402, 403, 404, 405, 410, *BUSY)


class WebhookAgent:
    """`webhook:<url>`: message in, reply out, the attempt's MCP endpoint inside."""

    isolation, trusted = "endpoint", False
    own_word = True
    preload: tuple[str, ...] = ()
    cost_usd: float | None = None

    def __init__(self, name: str, url: str, terms: Terms = PLAIN):
        self.name, self.url, self.terms = name, url, terms
        terms.without_purse(name)
        self._parts = urlsplit(url)
        try:
            port_ok = self._parts.port is None or self._parts.port > 0
            (self._parts.hostname or "").encode("idna").decode("ascii")
        except (ValueError, UnicodeError):
            port_ok = False
        if not port_ok or self._parts.scheme not in ("http", "https") or not self._parts.hostname:
            raise UsageError(f"{url!r} is no address", where=name, expected="webhook:https://host/path")
        self._host: Host | None = None

    def applies(self, task: Task) -> bool:
        """Everywhere."""
        return True

    def check(self) -> None:
        """Whether the MCP server is installed."""
        _mcp()

    def load(self) -> None:
        """Listen for the product's calls; once a process."""
        if self._host is not None:
            return
        _mcp()
        from errands.doors.mcp import Host

        self._host = Host()
        self._host.run_in_thread(
            os.environ.get("ERRANDS_HOST", "127.0.0.1"), int(os.environ.get("ERRANDS_PORT", "0"))
        )

    def sit(self, sitting: Sitting, instance: Instance, desk: Desk) -> None:
        """Post turn by turn."""
        self.load()
        assert self._host is not None
        endpoint = self._host.open(sitting, pulled=False)
        desk.at_end(lambda: self._close(endpoint.secret))
        mcp = {
            "url": self._host.url(endpoint, os.environ.get("ERRANDS_PUBLIC_URL", "")),
            "authorization": f"Bearer {endpoint.secret}",
        }
        turn = sitting.next()
        while turn is not None and not desk.stopped.is_set():
            answer = self._ask(turn, mcp, sitting, desk)
            self._only_ours(answer.get("tools"))
            _measure(answer.get("usage"), desk)
            try:
                turn = sitting.reply(answer.get("reply"))
            except ClosedError:
                return

    def _close(self, secret: str) -> None:
        assert self._host is not None
        self._host.close(secret, "the attempt has ended")

    def _ask(self, turn: Turn, mcp: dict[str, str], sitting: Sitting, desk: Desk) -> dict[str, Any]:
        """Post a turn; the product's answer as an object (its `reply` may be anything)."""
        body = json.dumps(
            {
                "turn": turn.n,
                "kind": turn.kind,
                "message": turn.text,
                "at": clock.iso(turn.at, sitting.world.meta["zone"]),
                "fresh": turn.fresh,
                "mcp": mcp,
            },
            ensure_ascii=False,
        ).encode()
        status, text = self._post(body, sitting.limits.timeout_s, desk)
        if status in REFUSED:
            raise NoAccess(f"the product answered {status}", where=self.url, key=f"{status} {self.url}")
        try:
            answer = json.loads(text)
        except ValueError:
            answer = None
        if status != 200 or not isinstance(answer, dict):
            sitting.close("agent_error", f"the product answered {status} with {text[:200]!r}")
            raise ClosedError("the sitting is over")
        return answer

    def _post(self, body: bytes, limit_s: float, desk: Desk) -> tuple[int, str]:
        for wait in (*RETRIES_S, None):
            try:
                status, text = self._once(body, limit_s, desk)
                if status not in BUSY or wait is None:
                    return status, text
            except (OSError, http.client.HTTPException) as why:
                if desk.stopped.is_set():
                    raise ClosedError("the attempt was ended") from None
                if wait is None or not isinstance(why, ConnectionRefusedError):
                    said = f"{type(why).__name__}: {why}"
                    raise NoAccess(
                        f"it cannot be reached ({said})",
                        where=self.url,
                        key=f"{type(why).__name__} {self.url}",
                    ) from None
            desk.stopped.wait(wait)
        raise AssertionError("the last try returns or raises")

    def _once(self, body: bytes, limit_s: float, desk: Desk) -> tuple[int, str]:
        p = self._parts
        kind = http.client.HTTPSConnection if p.scheme == "https" else http.client.HTTPConnection
        connection = kind((p.hostname or "").encode("idna").decode("ascii"), p.port, timeout=CONNECT_S)
        desk.at_end(lambda: _cut(connection))
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if token := os.environ.get("ERRANDS_WEBHOOK_TOKEN"):
            headers["Authorization"] = f"Bearer {token}"
        try:
            path = quote((p.path or "/") + (f"?{p.query}" if p.query else ""), safe="/?&=%:+,;@!$'()*~-._")
            connection.connect()
            if connection.sock is not None:
                connection.sock.settimeout(limit_s)
            connection.request("POST", path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read(MAX_ANSWER).decode("utf-8", "replace")
        finally:
            connection.close()

    def _only_ours(self, named: Any) -> None:
        """Refuse tools that the product names as its own, unless they were allowed."""
        foreign = self.terms.foreign(named)
        if foreign:
            raise ForeignTool(
                f"tools that are not from the exam: {', '.join(foreign)}; they could touch real accounts",
                where=self.url,
                do=f"switch them off, or allow each with --allow-foreign-tool {foreign[0]}",
                key=f"foreign tools {foreign}",
            )


def _mcp() -> None:
    try:
        import errands.doors.mcp  # noqa: F401
    except ImportError:
        raise UsageError("the MCP server is not installed", do="pip install 'errands[mcp]'") from None


def _cut(connection: http.client.HTTPConnection) -> None:
    """End a request that hangs."""
    if connection.sock is not None:
        with suppress(OSError):
            connection.sock.shutdown(socket.SHUT_RDWR)


def _measure(said: Any, desk: Desk) -> None:
    """Count what the product says it used; its price is not known."""
    if not isinstance(said, dict):
        return
    classes = ("input", "cache_read", "cache_write", "output")
    values = {k: said.get(k, 0) for k in classes}
    if all(type(v) is int and v >= 0 for v in values.values()):
        desk.model_call(model="as the product says", seconds=0, usage=Usage(**values, requests=1), cost=None)
