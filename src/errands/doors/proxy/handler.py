"""What the proxy does with a request of the agent: refuse it, or send it on and pass the answer back."""

from __future__ import annotations

import gzip
import http.client
import io
import json
import time
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..wires import ask_of, bounded, is_look, wire_of
from .call import MAX_BODY, Call, Denied
from .upstream import SILENT_S, Upstream, connect

if TYPE_CHECKING:
    from .server import Proxy

MAX_ERROR = 1 << 20  # bytes of an error that are passed on
DRAIN_S = 20.0  # seconds for the rest of a stream that the agent has left: its usage stands at the end
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


class Handler(BaseHTTPRequestHandler):
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
        call = Call(ask, upstream.host, len(body), added)
        try:
            self._forward(upstream, body, call)
        finally:
            served = call.served()
            self.proxy.longest = max(self.proxy.longest, served.usage.tokens)
            self.proxy.watch.served(ticket, served)

    def _forward(self, upstream: Upstream, body: bytes, call: Call | None) -> None:
        """Send it on, and what comes back to the agent."""
        try:
            link, target = connect(upstream.base, self._target(upstream))
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

    def _bad(self, answer: http.client.HTTPResponse, upstream: Upstream, call: Call | None) -> None:
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

    def _back(self, answer: http.client.HTTPResponse, call: Call | None) -> None:
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

    def _copy(self, answer: http.client.HTTPResponse, call: Call | None, chunked: bool) -> None:
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
