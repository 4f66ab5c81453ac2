"""The egress proxy: the one way from a sandboxed agent to its model, which counts what passes by.

Plain HTTP on a unix socket or a port, one proxy an attempt. The agent's base URL is `http://…/<upstream>` and its key
is a stand-in that is worth something here only; the real one is put in its place on the way out. Only the calls of
models that we can read are let through; anything else is refused and recorded.
"""

from __future__ import annotations

import gzip
import http.client
import io
import json
import socket
import socketserver
import ssl
import threading
import time
import urllib.request
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from errands.core.usage import Usage

from .wires import Answer, Ask, Events, ask_of, bounded, is_look, wire_of

MAX_ERROR = 1 << 20  # bytes of an error that are passed on
MAX_BODY = 64 << 20  # bytes of a request, and of an answer in one piece that is read for usage
CONNECT_S, SILENT_S = 10.0, 300.0  # seconds for a connection, and without a byte from the model
DRAIN_S = 20.0  # seconds for the rest of a stream that the agent has left: its usage stands at the end
STOP_S = 3.0
MAX_CONNECTIONS = 64
_HOP = {
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
}
_OURS = _HOP | {"host", "content-length", "content-encoding", "accept-encoding", "expect"}
_KEYS = ("authorization", "x-api-key", "api-key", "x-goog-api-key")


@dataclass(frozen=True, slots=True)
class Upstream:
    """A model endpoint that the agent may reach: its base URL, and the key that the agent never sees."""

    base: str
    key: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        """Its name, for messages."""
        return urlsplit(self.base).netloc.rpartition("@")[2]


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


class Proxy:
    """Serves one attempt between `listen_…` and `stop`."""

    def __init__(self, upstreams: Mapping[str, Upstream], key: str, watch: Watch, *, bound: bool = False):
        self.upstreams, self.key, self.watch, self.bound = dict(upstreams), key, watch, bound
        self.longest = 0  # tokens of the longest call so far
        self.stopped = False
        self._servers: list[socketserver.BaseServer] = []
        self._threads: list[threading.Thread] = []
        self._sockets: set[socket.socket] = set()
        self._busy = 0
        self._idle = threading.Condition()

    def listen_unix(self, path: Path) -> None:
        """Serve on a unix socket."""
        self._serve(_Unix(str(path), _handler(self)))
        path.chmod(0o600)

    def listen_tcp(self) -> int:
        """Serve on a free port of the loopback; returns it."""
        server = _Tcp(("127.0.0.1", 0), _handler(self, tcp=True))
        self._serve(server)
        return int(server.server_address[1])

    def stop(self) -> None:
        """Cut every connection, and wait until what was under way has been told to the watch."""
        self.stopped = True
        for server in self._servers:
            server.shutdown()
            server.server_close()
        with self._idle:
            for s in list(self._sockets):
                with suppress(OSError):
                    s.shutdown(socket.SHUT_RDWR)
            self._idle.wait_for(lambda: self._busy == 0, STOP_S)
        for thread in self._threads:
            thread.join(STOP_S)
        self._servers.clear()
        self._threads.clear()

    def _serve(self, server: socketserver.BaseServer) -> None:
        thread = threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True, name="proxy"
        )
        self._servers.append(server)
        self._threads.append(thread)
        thread.start()

    # ---- for the handlers ----

    def enter(self) -> None:
        """A call is under way."""
        with self._idle:
            self._busy += 1

    def leave(self) -> None:
        """It is over."""
        with self._idle:
            self._busy -= 1
            self._idle.notify_all()

    def track(self, s: socket.socket) -> None:
        """A connection that `stop` has to cut; cut at once where it came too late, or where there are too many."""
        with self._idle:
            self._sockets.add(s)
            many = len(self._sockets) > MAX_CONNECTIONS
        if self.stopped or many:
            with suppress(OSError):
                s.shutdown(socket.SHUT_RDWR)

    def forget(self, s: socket.socket | None) -> None:
        """It is closed."""
        with self._idle:
            self._sockets.discard(s)


class _Unix(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads, block_on_close, request_queue_size = True, False, 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that broke is the agent's business."""


class _Tcp(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads, block_on_close, request_queue_size = True, False, 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that broke is the agent's business."""


def _handler(proxy: Proxy, *, tcp: bool = False) -> type[_Handler]:
    return type("Handler", (_Handler,), {"proxy": proxy, "disable_nagle_algorithm": tcp})


class _Handler(BaseHTTPRequestHandler):
    """One connection of the agent."""

    proxy: Proxy
    protocol_version = "HTTP/1.1"
    timeout = SILENT_S

    def setup(self) -> None:
        self.proxy.track(self.request)
        super().setup()

    def finish(self) -> None:
        self.proxy.forget(self.request)
        super().finish()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on our output."""

    def address_string(self) -> str:
        """A unix socket has none."""
        return "agent"

    def do_any(self) -> None:
        """One request."""
        self.proxy.enter()
        try:
            self._request()
        except Denied as why:
            self._error(why.status, why.code, why.message)
        except OSError:  # the agent is gone
            self.close_connection = True
        finally:
            self.proxy.leave()

    def __getattr__(self, name: str) -> Any:
        """Whatever the method is called: `do_GET`, `do_CONNECT`, …"""
        if name.startswith("do_"):
            return self.do_any
        raise AttributeError(name)

    # ---- the request ----

    def _request(self) -> None:
        body = self._body()
        name, _, rest = self.path.partition("?")[0].lstrip("/").partition("/")
        upstream = self.proxy.upstreams.get(name) if self.path.startswith("/") else None
        if upstream is None:
            raise self._refusal("the exam lets nothing through but calls of the agent's own model")
        self._keyed()
        path = f"/{rest}"
        wire = wire_of(self.command, path)
        if wire:
            self._call(name, upstream, wire, body)
        elif is_look(self.command, path):
            self._forward(upstream, body, None)
        else:
            raise self._refusal("this is no call of a model that the exam can read")

    def _refusal(self, why: str) -> Denied:
        split = urlsplit(self.path if self.command != "CONNECT" else f"//{self.path}")
        host = split.netloc or self.headers.get("Host", "")
        self.proxy.watch.refused(self.command, host[:200], split.path[:500], why)
        return Denied(403, "forbidden_host", why)

    def _keyed(self) -> None:
        """Whoever has not the stand-in key is not the agent."""
        if not any(self.proxy.key in self.headers.get(name, "") for name in _KEYS):
            raise Denied(401, "unauthorized", "expected the key that the exam gave to this agent")

    def _body(self) -> bytes:
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            data = b"".join(self._chunks())
        else:
            length = self.headers.get("Content-Length", "0")
            if not length.isascii() or not length.isdigit() or int(length) > MAX_BODY:
                self.close_connection = True
                raise Denied(413, "too_large", f"expected a body of at most {MAX_BODY} bytes")
            data = self.rfile.read(int(length))
        return self._plain(data)

    def _chunks(self) -> Iterator[bytes]:
        total = 0
        while True:
            head = self.rfile.readline(1024).split(b";")[0].strip()
            try:
                size = int(head, 16)
            except ValueError:
                self.close_connection = True
                raise Denied(400, "bad_request", "a chunk without a length") from None
            if size <= 0:
                break
            total += size
            if total > MAX_BODY:
                self.close_connection = True
                raise Denied(413, "too_large", f"expected a body of at most {MAX_BODY} bytes")
            yield self.rfile.read(size)
            self.rfile.readline(8)
        while self.rfile.readline(8192) not in (b"\r\n", b"\n", b""):
            pass

    def _plain(self, data: bytes) -> bytes:
        """The body without compression: what cannot be read is not let through."""
        coding = self.headers.get("Content-Encoding", "identity").lower()
        try:
            if coding == "identity":
                return data
            if coding == "gzip":
                with gzip.GzipFile(fileobj=io.BytesIO(data)) as f:
                    out = f.read(MAX_BODY + 1)
            elif coding == "deflate":
                out = zlib.decompressobj().decompress(data, MAX_BODY + 1)
            else:
                raise Denied(415, "unreadable", f"expected a body that is not compressed, not {coding[:40]}")
        except (OSError, EOFError, zlib.error):
            raise Denied(400, "bad_request", "the body cannot be read") from None
        if len(out) > MAX_BODY:
            raise Denied(413, "too_large", f"expected a body of at most {MAX_BODY} bytes")
        return out

    # ---- a call ----

    def _call(self, name: str, upstream: Upstream, wire: str, body: bytes) -> None:
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict):
            raise Denied(400, "bad_request", "expected a JSON object")
        if self.proxy.bound and (limited := bounded(wire, upstream.host, data)) is not data:
            data, body = limited, json.dumps(limited).encode()
        ask = ask_of(name, wire, data, len(body), self.proxy.longest)
        asked = data.get("stream_options")
        added = wire == "chat" and ask.stream and not (isinstance(asked, dict) and asked.get("include_usage"))
        if added:  # else the stream would not tell what it used
            options = asked if isinstance(asked, dict) else {}
            body = json.dumps({**data, "stream_options": {**options, "include_usage": True}}).encode()
        ticket = self.proxy.watch.ask(ask)
        call = _Call(ask, upstream.host, len(body), added)
        try:
            self._forward(upstream, body, call)
        finally:
            served = call.served()
            self.proxy.longest = max(self.proxy.longest, served.usage.tokens)
            self.proxy.watch.served(ticket, served)

    def _forward(self, upstream: Upstream, body: bytes, call: _Call | None) -> None:
        """Send it on, and what comes back to the agent."""
        try:
            link, target = _connect(upstream.base, self._target(upstream))
            self.proxy.track(link.sock)
        except (OSError, ValueError) as why:
            if call:
                call.broken(f"{upstream.host} could not be reached: {why}", reached=False)
            raise Denied(502, "unreachable", f"the model's endpoint could not be reached: {why}") from None
        sock = link.sock
        try:
            link.request(self.command, target, body if body else None, self._headers(upstream))
            answer = link.getresponse()
        except (OSError, http.client.HTTPException) as why:
            if call:
                call.broken(f"{upstream.host} did not answer: {why or type(why).__name__}")
            raise Denied(502, "unreachable", "the model's endpoint did not answer") from None
        else:
            if answer.status >= 400:
                self._bad(answer, upstream, call)
            else:
                self._back(answer, call)
        finally:
            self.proxy.forget(sock)
            link.close()

    def _target(self, upstream: Upstream) -> str:
        """The path at the upstream. Clients put `/v1` before theirs, base URLs end with it: once is enough."""
        path, _, query = self.path.partition("?")
        rest = "/" + path.lstrip("/").partition("/")[2]
        base = urlsplit(upstream.base).path.rstrip("/")
        if base.endswith("/v1") and rest.startswith("/v1/"):
            rest = rest[3:]
        return f"{base}{rest}" + (f"?{query}" if query else "")

    def _headers(self, upstream: Upstream) -> dict[str, str]:
        """The agent's headers with the real key where the stand-in stood, and no other secret of ours."""
        named = {h.strip().lower() for h in self.headers.get("Connection", "").split(",")}
        out = {}
        for name, value in self.headers.items():
            if name.lower() in _OURS or name.lower() in named:
                continue
            if name.lower() in _KEYS:
                if self.proxy.key not in value or not upstream.key:
                    continue
                value = value.replace(self.proxy.key, upstream.key)
            out[name] = value
        return {**out, "Accept-Encoding": "identity", "Connection": "close"}

    # ---- the answer ----

    def _bad(self, answer: http.client.HTTPResponse, upstream: Upstream, call: _Call | None) -> None:
        """An error, in one piece: some endpoints repeat the key that they did not like."""
        try:
            data = answer.read(MAX_ERROR)
        except (OSError, http.client.HTTPException):
            data = b""
        if upstream.key:
            data = data.replace(upstream.key.encode(), self.proxy.key.encode())
        if call:
            call.begins(answer.status, False)
            call.passes(data)
            call.ends()
        self.send_response_only(answer.status, answer.reason)
        for name in ("Content-Type", "Retry-After", "Retry-After-Ms", "X-Should-Retry"):
            if answer.headers.get(name):
                self.send_header(name, answer.headers[name])
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self._put(data, False)

    def _back(self, answer: http.client.HTTPResponse, call: _Call | None) -> None:
        streams = "text/event-stream" in answer.headers.get("Content-Type", "")
        if call:
            call.begins(answer.status, streams)
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.headers.items():
            if name.lower() not in _HOP | {"content-length", "date"}:
                self.send_header(name, value)
        length = answer.headers.get("Content-Length")
        bare = self.command == "HEAD" or answer.status in (204, 304)
        chunked = length is None and self.request_version >= "HTTP/1.1" and not bare
        if chunked:
            self.send_header("Transfer-Encoding", "chunked")
        elif length is not None:
            self.send_header("Content-Length", length)
        else:
            self.close_connection = True
        self.end_headers()
        self._copy(answer, call, chunked)

    def _copy(self, answer: http.client.HTTPResponse, call: _Call | None, chunked: bool) -> None:
        """Piece by piece as it comes. When the agent has gone, the rest is read for its usage, for a while."""
        left: float | None = None
        try:
            while piece := answer.read1(1 << 16):
                out = call.passes(piece) if call else piece
                if left is None:
                    try:
                        self._put(out, chunked)
                    except OSError:
                        left = time.monotonic()
                        if call is None or self.proxy.stopped:
                            raise
                        call.left = True
                elif time.monotonic() - left > DRAIN_S:
                    break
        except (OSError, http.client.HTTPException) as why:
            if call and not call.left:
                call.broken(f"the answer was cut short: {why or type(why).__name__}", cut=True)
            self.close_connection = True
            return
        if left is not None or answer.length:  # fewer bytes than were promised
            if call and not answer.length:
                call.ends()
            elif call:
                call.broken("the answer was cut short", cut=True)
            self.close_connection = True
            return
        rest = call.ends() if call else b""
        self._put(rest, chunked)
        if chunked:
            self.wfile.write(b"0\r\n\r\n")

    def _put(self, data: bytes, chunked: bool) -> None:
        if data:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data) if chunked else data)

    def _error(self, status: int, code: str, message: str) -> None:
        """A refusal in the shape that clients of either provider read."""
        error = {"type": code, "code": code, "message": f"errands: {message}", "param": None}
        body = json.dumps({"type": "error", "error": error}).encode()
        try:
            self.send_response_only(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)
        except OSError:
            self.close_connection = True


class _Call:
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


# ---- to the upstream ---------------------------------------------------------------------------------------------


def _connect(base: str, target: str) -> tuple[http.client.HTTPConnection, str]:
    """A connection to an endpoint, through the host's own web proxy where it names one; and what to ask it for."""
    to = urlsplit(base)
    if to.scheme not in ("http", "https") or not to.hostname:
        raise ValueError(f"no base URL: {base[:200]!r}")
    secure = to.scheme == "https"
    port = to.port or (443 if secure else 80)
    by = None
    if not urllib.request.proxy_bypass(to.netloc):
        by = urllib.request.getproxies().get(to.scheme)
    via = urlsplit(by if "//" in by else f"//{by}") if by else None
    host, at = (via.hostname or "", via.port or 80) if via else (to.hostname, port)
    if secure:
        link: http.client.HTTPConnection = http.client.HTTPSConnection(
            host, at, timeout=CONNECT_S, context=ssl.create_default_context()
        )
        if via:
            link.set_tunnel(to.hostname, port)
    else:
        link = http.client.HTTPConnection(host, at, timeout=CONNECT_S)
        if via:
            target = f"http://{to.netloc.rpartition('@')[2]}{target}"
    link.connect()
    link.sock.settimeout(SILENT_S)
    return link, target
