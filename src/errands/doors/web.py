"""Sites served to browsers: one port on loopback, a hostname for each site of each attempt.

`<site>.<attempt>.localhost`: cookies ignore ports, so two sites on one host would overwrite each other's sessions. The
attempt's part of the name is opaque. No `Date` header is sent: a page's date is the world's.

For a person or a product elsewhere a site can be lent at an address and port of its own; its cookies are told apart by
name. On plain HTTP by address browsers send no fetch metadata; origin, token and nonce decide there.
"""

from __future__ import annotations

import asyncio
import secrets
import socket
import threading
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import parse_qsl

from errands.core.errors import ClosedError, ToolError, UsageError, WorldFault
from errands.web.guard import Guard, Raw
from errands.web.render import Response, static

MAX_BODY = 400_000  # bytes of a request
_OVER = Response(410, b"This visit is over.", "text/plain; charset=utf-8")

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Pages(Protocol):
    """A sitting as a web server reaches it."""

    def page(self, site: str, raw: Raw, guard: Guard) -> Response:
        """Answer one request."""


@dataclass(frozen=True, slots=True)
class Visit:
    """An attempt whose sites are served: where, and with which secret."""

    key: str
    secret: bytes
    door: Pages


class Web:
    """Serves the sites of the attempts that are open. `open` and `close` may be called from any thread."""

    def __init__(self) -> None:
        self.port = 0
        self._visits: dict[str, Visit] = {}
        self._lent: dict[int, tuple[str, str, Any]] = {}  # port -> attempt, site and its server
        self._servers: list[Any] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def open(self, door: Pages, secret: bytes = b"") -> Visit:
        """Serve an attempt; `secret` keeps its sessions good where it is taken up again."""
        visit = Visit(secrets.token_hex(5), secret or secrets.token_bytes(32), door)
        self._visits[visit.key] = visit
        return visit

    def close(self, visit: Visit) -> None:
        """Serve it no more."""
        self._visits.pop(visit.key, None)
        for key, _, server in self._lent.values():
            if key == visit.key:  # its port stays known, so that it never serves another attempt
                server.should_exit = server.force_exit = True

    def address(self, visit: Visit, site: str) -> str:
        """Where a site of an attempt is."""
        return f"http://{_host(site)}.{visit.key}.localhost:{self.port}"

    # ---- the server ----------------------------------------------------------------------------------------

    def start(self) -> Web:
        """Listen on a free port of loopback."""
        listener, self.port = _listen("127.0.0.1")
        ready = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._main(listener, ready)), name="errands-web", daemon=True
        )
        self._thread.start()
        if not ready.wait(10):
            raise UsageError("the pages could not be served", do="is loopback there? see `errands doctor`")
        return self

    async def _main(self, listener: socket.socket, ready: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        server = self._server()
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        while not server.started:
            await asyncio.sleep(0.002)
        ready.set()
        await serving

    def _server(self) -> Any:
        import uvicorn

        config = uvicorn.Config(
            self._serve,
            interface="asgi3",
            log_level="critical",
            access_log=False,
            lifespan="off",
            server_header=False,
            date_header=False,
            timeout_keep_alive=120,
        )
        server = uvicorn.Server(config)
        self._servers.append(server)
        return server

    def lend(self, visit: Visit, site: str, host: str = "127.0.0.1") -> str:
        """Serve one site of an attempt at an address of this machine, on a port of its own; returns where."""
        assert self._loop is not None
        listener, port = _listen(host)
        server = self._server()
        self._lent[port] = (visit.key, site, server)
        asyncio.run_coroutine_threadsafe(server.serve(sockets=[listener]), self._loop)
        return f"http://{host}:{port}"

    def stop(self) -> None:
        """Stop listening."""
        for server in self._servers:
            server.should_exit = server.force_exit = True
        if self._thread is not None:
            self._thread.join(5)

    def __enter__(self) -> Web:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        body = await _body(receive)
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]}
        key, site, plain = self._where(scope, headers)
        cookie = f"sid-{site}-{key}"
        response = self._answer(scope, headers, body, key, site, cookie, plain)
        out = [(b"content-type", response.kind.encode()), *_SAFE]
        if response.to:
            out.append((b"location", response.to.encode()))
        if response.cookie:
            value = f"{cookie}={response.cookie}; Path=/; HttpOnly; SameSite=Strict"
            out.append((b"set-cookie", value.encode()))
        await send({"type": "http.response.start", "status": response.status, "headers": out})
        await send({"type": "http.response.body", "body": response.body})

    def _where(self, scope: Scope, headers: dict[str, str]) -> tuple[str, str, bool]:
        """Attempt and site of a request, and whether it came to a port that was lent."""
        port = (scope.get("server") or ("", 0))[1]
        if port in self._lent:
            return *self._lent[port][:2], True
        name = headers.get("host", "").partition(":")[0].removesuffix(".localhost")
        site, _, key = name.partition(".")
        return key, site.replace("-", "_"), False

    def _answer(
        self,
        scope: Scope,
        headers: dict[str, str],
        body: bytes | None,
        key: str,
        site: str,
        cookie: str,
        plain: bool,
    ) -> Response:
        visit = self._visits.get(key)
        if visit is None:
            return Response(404, b"Nobody is here.", "text/plain; charset=utf-8")
        if scope["method"] == "GET" and (fixed := static(scope["path"])) is not None:
            return fixed
        if body is None:
            return Response(413, b"This is too much.", "text/plain; charset=utf-8")
        form: dict[str, str] = {}
        with suppress(ValueError):
            form = dict(
                parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=500)
            )
        raw = Raw(scope["method"], scope["path"], headers, _cookie(headers, cookie), form)
        guard = Guard(visit.secret, site, f"http://{headers.get('host', '')}", plain)
        try:
            return visit.door.page(site, raw, guard)
        except ClosedError:
            return _OVER
        except ToolError as why:  # the world's answer to what no page asks
            return Response(400, str(why).encode(), "text/plain; charset=utf-8")
        except WorldFault:
            return Response(500, b"Something broke on our side.", "text/plain; charset=utf-8")


_SAFE = [
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'self'; frame-ancestors 'none'; form-action 'self'"),
    (b"referrer-policy", b"same-origin"),
    (b"x-content-type-options", b"nosniff"),
]


def _host(site: str) -> str:
    return site.replace("_", "-")


def _listen(host: str) -> tuple[socket.socket, int]:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, 0))
    listener.listen(128)
    return listener, listener.getsockname()[1]


def _cookie(headers: dict[str, str], wanted: str) -> str:
    pairs = (p.strip().partition("=") for p in headers.get("cookie", "").split(";"))
    return next((value for name, _, value in pairs if name == wanted), "")


async def _body(receive: Receive) -> bytes | None:
    """The whole body, or None where it is too long."""
    out, more = b"", True
    while more:
        message = await receive()
        out += message.get("body", b"")
        more = message.get("more_body", False)
        if len(out) > MAX_BODY:
            return None
    return out
