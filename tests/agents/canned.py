"""A model endpoint whose answers are given one by one, and what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, Any] | tuple[int, Any, dict[str, str]]
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


def said(text: str | None, *calls: tuple[str, str], usage: dict[str, Any] | None = USAGE) -> Answer:
    """A chat completion: a text, or calls of tools (name, arguments as text)."""
    made = [
        {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": args}}
        for n, (name, args) in enumerate(calls)
    ]
    message: dict[str, Any] = {"role": "assistant", "content": text, **({"tool_calls": made} if made else {})}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if made else "stop"}
    body = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return 200, {**body, **({"usage": usage} if usage else {})}


def failed(status: int, message: str, code: str | None = None, **headers: str) -> Answer:
    """An error as such endpoints put it."""
    return status, {"error": {"message": message, "type": "error", "code": code}}, headers


@dataclass
class Asked:
    """The requests of an endpoint: bodies, and headers with small names."""

    url: str
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


@contextmanager
def canned(*answers: Answer) -> Iterator[Asked]:
    """Listen on a free port; the last answer is given again and again."""
    asked = Asked("")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked.headers.append({k.lower(): v for k, v in self.headers.items()})
            asked.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            status, body, *more = answers[min(len(asked.bodies), len(answers)) - 1]
            data = json.dumps(body).encode()
            self.send_response(status)
            for name, value in (more[0] if more else {}).items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    asked.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield asked
    finally:
        server.shutdown()
        server.server_close()
