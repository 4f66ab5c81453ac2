"""A model endpoint of a test's own: a handler decides what goes out, and when."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Endpoint:
    """Where it is, and what came in: (method, path, headers, body)."""

    url: str
    seen: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)


@contextmanager
def endpoint(answer: Callable[[Any, bytes], None]) -> Iterator[Endpoint]:
    """Serve until the block ends; `answer(handler, body)` writes with the handler's own methods."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: Any) -> None:
            pass

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            at.seen.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            answer(self, body)

        do_GET = do_POST

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    at = Endpoint(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield at
    finally:
        server.shutdown()
        server.server_close()


def send_json(handler: Any, value: Any, status: int = 200) -> None:
    data = json.dumps(value).encode()
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def begin_stream(handler: Any) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()


def send_piece(handler: Any, data: bytes) -> None:
    handler.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
    handler.wfile.flush()


def sse(*values: Any) -> bytes:
    return b"".join(
        b"data: " + (v.encode() if isinstance(v, str) else json.dumps(v).encode()) + b"\n\n" for v in values
    )
