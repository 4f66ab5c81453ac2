"""Many attempts on one MCP server over streamable HTTP, each reached by its own secret."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import secrets
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import INVALID_REQUEST

from errands.core.errors import UsageError
from errands.core.types import Door

from .mcp_server import Endpoint, Event, server_for
from .mcp_stdio import MAX_LINE, serve_stdio

MAX_REFUSALS = 200
# Clients drop an idle connection themselves, mostly after 5 s. If we did so first, a call could meet a closed one.
KEEP_ALIVE_S = 120
STOP_S = 3
LINGER_S = 60  # in which an attempt that has ended still says so: some clients list the tools once more
MAX_CONNECTIONS = 1_000  # of all attempts that are open

Scope = MutableMapping[str, Any]
_PATH = re.compile(r"^.*?(?:/a/(?P<secret>[^/]*))?/mcp/?$")


@dataclass(frozen=True, slots=True)
class Refusal:
    """A request that was turned away: when (host's seconds), why, and of which secret the first digits of a hash."""

    at: float
    reason: str
    digest: str


class Host:
    """Serves the attempts that are open. `open` and `close` may be called from any thread.

    An attempt is found by `Authorization: Bearer SECRET` at `/mcp`, or by `/a/SECRET/mcp` for products that take
    nothing but an address. Secrets are looked up by their digests, so how long that takes tells nothing of others;
    one that was closed is never accepted again, and only its digest is kept. An attempt that ends by itself may
    linger: for a minute its tools are still listed, and every call is told that it is over.
    """

    def __init__(self) -> None:
        self.refusals: deque[Refusal] = deque(maxlen=MAX_REFUSALS)
        self.refused = 0
        self.address = ""
        self._open: dict[bytes, Endpoint] = {}
        self._closed: dict[bytes, str] = {}
        self._lingering: dict[bytes, tuple[float, Endpoint]] = {}
        self._sockets: dict[bytes, list[asyncio.Task[None]]] = {}
        self._server = server_for(_endpoint_of)
        self._manager: StreamableHTTPSessionManager | None = None
        self._http: uvicorn.Server | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._uds: Path | None = None

    # ---- attempts ------------------------------------------------------------------------------------------

    def open(
        self,
        door: Door,
        secret: str | None = None,
        *,
        pulled: bool = True,
        watch: Callable[[Endpoint, Event], None] | None = None,
    ) -> Endpoint:
        """Serve this sitting from now on; see `Endpoint` for what is `pulled` and what `watch` hears."""
        endpoint = Endpoint(door, secret or secrets.token_urlsafe(32), pulled=pulled, watch=watch)
        digest = _digest(endpoint.secret)
        if digest in self._open or digest in self._closed:
            raise UsageError("this secret was used already", expected="a fresh one for each attempt")
        self._open[digest] = endpoint
        return endpoint

    def close(self, secret: str, reason: str = "over", *, linger: bool = False) -> None:
        """Serve this attempt no more: later requests are told that it is over, and recorded with the reason."""
        digest = _digest(secret)
        endpoint = self._open.pop(digest, None)
        if endpoint is None:
            return
        self._closed[digest] = reason
        now = time.monotonic()
        self._lingering = {d: e for d, e in self._lingering.items() if e[0] > now}
        if linger:
            endpoint.leave()
            self._lingering[digest] = now + LINGER_S, endpoint
        tasks = self._sockets.pop(digest, [])
        if tasks and self._loop is not None:
            for task in tasks:
                self._loop.call_soon_threadsafe(task.cancel)

    def url(self, endpoint: Endpoint, base: str = "") -> str:
        """The address by which its attempt is reached without more; `base` is how the world outside calls us."""
        return f"{(base or self.address).rstrip('/')}/a/{endpoint.secret}/mcp"

    # ---- HTTP ----------------------------------------------------------------------------------------------

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """The ASGI application. Who is not let in never reaches the MCP server."""
        if scope["type"] != "http":
            return
        match = _PATH.match(scope["path"])
        if match is None:
            await _answer(send, 404, "not_found", "there is nothing here; expected /mcp or /a/SECRET/mcp")
            return
        secret = match["secret"] if match["secret"] is not None else _bearer(scope)
        digest = _digest(secret) if secret else b""
        endpoint = self._open.get(digest) or self._still_there(digest)
        if endpoint is None:
            await self._refuse(send, digest)
        elif scope["method"] != "POST":  # we have nothing to say unasked, and no session to delete
            await _answer(send, 405, "method_not_allowed", "expected POST", allow="POST")
        else:
            endpoint.contact()
            assert self._manager is not None
            await self._manager.handle_request({**scope, "errands.endpoint": endpoint}, receive, send)

    def _still_there(self, digest: bytes) -> Endpoint | None:
        until, endpoint = self._lingering.get(digest, (0.0, None))
        return endpoint if time.monotonic() < until else None

    async def _refuse(self, send: Any, digest: bytes) -> None:
        reason = self._closed.get(digest)
        if reason is not None:
            self._record(f"over: {reason}", digest)
            await _answer(
                send, 410, "gone", f"this errand is over ({reason}); its secret is not valid any more"
            )
        elif digest:
            self._record("unknown secret", digest)
            await _answer(
                send, 401, "unauthorized", "this secret is not one of an errand that is served here"
            )
        else:
            self._record("no secret", digest)
            await _answer(send, 401, "unauthorized", "expected the header Authorization: Bearer SECRET")

    def _record(self, reason: str, digest: bytes) -> None:
        self.refused += 1
        self.refusals.append(Refusal(time.time(), reason, digest.hex()[:8]))

    # ---- the loop thread -----------------------------------------------------------------------------------

    def run_in_thread(self, host: str = "127.0.0.1", port: int = 0, uds: Path | None = None) -> str:
        """Serve in a thread of its own, on a port (0: any free one) or a unix socket; returns the address.

        Clients are heard as soon as this returns. Raises `UsageError` where nobody can listen there.
        """
        if self._thread is not None:
            raise UsageError("this host is at work already", do="stop it first")
        listener = _listen(host, port, uds)
        name = f"[{host}]" if ":" in host else host
        self.address = "http://localhost" if uds else f"http://{name}:{listener.getsockname()[1]}"
        ready = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(listener, ready)), daemon=True, name="mcp"
        )
        self._thread.start()
        ready.wait()
        if self._http is None or not self._http.started:
            raise UsageError("the server did not start", where=self.address)
        self._uds = uds
        return self.address

    def stop(self) -> None:
        """End the thread and every connection; attempts that are open stay so, but nobody reaches them."""
        thread, http = self._thread, self._http
        if thread is None or http is None:
            return
        http.should_exit = True
        thread.join()
        if self._uds:
            self._uds.unlink(missing_ok=True)
        self._thread = self._http = self._loop = self._manager = None

    async def _serve(self, listener: socket.socket, ready: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._manager = StreamableHTTPSessionManager(self._server, json_response=True, stateless=True)
        config = uvicorn.Config(
            self,
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,  # addresses hold secrets
            server_header=False,
            date_header=False,  # the host's date is not the world's
            proxy_headers=False,
            limit_concurrency=MAX_CONNECTIONS,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=STOP_S,
        )
        self._http = _Server(config, ready)
        try:
            async with self._manager.run():
                await self._http.serve([listener])
        finally:
            ready.set()
            rest = [t for tasks in self._sockets.values() for t in tasks]
            for task in rest:
                task.cancel()
            await asyncio.gather(*rest, return_exceptions=True)
            self._sockets.clear()

    # ---- stdio ---------------------------------------------------------------------------------------------

    def open_socket(self, endpoint: Endpoint, path: Path) -> None:
        """Serve one attempt to whoever connects to a unix socket at `path`, in the wire format of stdio.

        So a relay that copies its standard input and output to the socket is a stdio MCP server. The socket is the
        permission: put it where only the agent's sandbox can reach it. It is gone when the attempt is closed.
        """
        assert self._loop is not None, "only while the host is at work"
        asyncio.run_coroutine_threadsafe(self._open_socket(endpoint, path), self._loop).result()

    async def _open_socket(self, endpoint: Endpoint, path: Path) -> None:
        tasks = self._sockets.setdefault(_digest(endpoint.secret), [])

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            tasks.append(task)
            try:
                await serve_stdio(endpoint, reader, writer)
            except asyncio.CancelledError:  # closed by us; asyncio would report it as an error
                return
            finally:
                tasks.remove(task)

        server = await asyncio.start_unix_server(connected, path, limit=MAX_LINE)
        path.chmod(0o600)
        tasks.append(asyncio.create_task(_until_cancelled(server, path)))


async def _until_cancelled(server: asyncio.Server, path: Path) -> None:
    try:
        await asyncio.Event().wait()
    finally:
        server.close()
        path.unlink(missing_ok=True)


class _Server(uvicorn.Server):
    """Says when it listens."""

    def __init__(self, config: uvicorn.Config, ready: threading.Event):
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready.set()


def _endpoint_of(ctx: ServerRequestContext[Any, Any]) -> Endpoint:
    assert ctx.request is not None
    found = ctx.request.scope["errands.endpoint"]
    assert isinstance(found, Endpoint)
    return found


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _bearer(scope: Scope) -> str:
    """The secret of an Authorization header, or nothing."""
    for name, value in scope["headers"]:
        if name == b"authorization":
            kind, _, secret = value.decode("latin-1").partition(" ")
            if kind.lower() == "bearer":
                return str(secret.strip())
    return ""


async def _answer(send: Any, status: int, code: str, message: str, *, allow: str = "") -> None:
    """A refusal, as the JSON-RPC error from which MCP clients read what was wrong."""
    error = {"code": INVALID_REQUEST, "message": message, "data": {"code": code}}
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="errands"'))
    if allow:
        headers.append((b"allow", allow.encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _listen(host: str, port: int, uds: Path | None) -> socket.socket:
    """A socket that is bound there; uvicorn listens on it."""
    where = str(uds) if uds else f"{host}:{port}"
    try:
        if uds:
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            listener.bind(str(uds))
            uds.chmod(0o600)
            return listener
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, proto)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as why:
        with suppress(NameError):
            listener.close()
        raise UsageError(
            f"nobody can listen there: {why.strerror or why}",
            where=where,
            expected="a free port, or a path of a socket that does not exist yet",
        ) from None
    return listener
