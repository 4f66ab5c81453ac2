"""A local model server that plays scripts over the OpenAI Chat, OpenAI Responses and Anthropic Messages formats.

    python -m tests.clients.model_server --port 0 --scripts DIR

A model is named `scripted-<name of a script>`, or `scripted-<kind>` (`strict`, `refused`, `crosses`): then the
script is the one of this kind whose instruction the conversation holds. Behind `--` may follow a fault (`faults.py`).
Nothing is kept between requests but what `previous_response_id` needs: which step is next is read from the
conversation. A request without any of the exam's tools (a title, a probe) gets a short fixed text. Any key is
accepted. `GET /log` says what was served, `POST /reset` forgets it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import socket
import sys
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

from . import wire_chat, wire_messages, wire_responses
from .faults import REFUSAL, TWICE, Fault, read_fault, split_model
from .play import NO_TOOLS, Called, Move, Said, Script, Talk, next_move, offers_exam, progress
from .served import Log, key_seen
from .wire import Answer, answer, counted

Json = dict[str, Any]
WIRES = {
    "/chat/completions": ("chat", wire_chat),
    "/responses": ("responses", wire_responses),
    "/messages": ("messages", wire_messages),
}
PARTS = 4  # writes of a stream; they end anywhere, also inside a character


class Failed(Exception):
    """An answer that is an error: status, type, message."""

    def __init__(self, status: int, kind: str, message: str):
        super().__init__(message)
        self.status, self.kind, self.message = status, kind, message


class ModelServer:
    """The server in a thread of its own; a context manager. `url` has no path, `base_url` ends in `/v1`."""

    def __init__(self, scripts: Iterable[Script], port: int = 0, host: str = "127.0.0.1"):
        self.scripts = {s.name: s for s in scripts}
        self.log_book, self.stored, self.stopping = Log(), wire_responses.Stored(), threading.Event()
        handler = type("Handler", (_Handler,), {"model_server": self})
        self._http = _Server((host, port), handler)
        self.url = f"http://{host}:{self._http.server_address[1]}"
        self.base_url = f"{self.url}/v1"
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(
        self, a: type[BaseException] | None, b: BaseException | None, c: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> ModelServer:
        """Listen."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """End it; answers that hang end at once."""
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(5)

    def wait(self) -> None:
        """Until it is stopped."""
        self._thread.join()

    def log(self) -> Json:
        """What was served since the start or the last reset."""
        return self.log_book.to_dict()

    def reset(self) -> None:
        """Forget what was served."""
        self.log_book.reset()

    def models(self) -> list[str]:
        """The names that it answers to."""
        kinds = {s.kind for s in self.scripts.values()}
        return [f"scripted-{n}" for n in sorted({*self.scripts, *kinds})]

    def script(self, name: str, talk: Talk) -> Script | None:
        """The script of this name, or of this kind and the instruction that was given; None for other requests."""
        if name in self.scripts:
            return self.scripts[name]
        kind = [s for s in self.scripts.values() if s.kind == name]
        if not kind:
            raise Failed(404, "not_found_error", f"The model 'scripted-{name}' does not exist.")
        asked = talk.asked()
        fits = [s for s in kind if " ".join(s.instruction.split()) in asked]
        if not fits and any(s.tools and offers_exam(s, talk) for s in kind):
            raise Failed(
                404, "not_found_error", f"No script {name!r} has the instruction of this conversation."
            )
        return max(fits, key=lambda s: len(s.instruction), default=None)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no news."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    model_server: ModelServer

    def log_message(self, *args: Any) -> None:
        """Nothing on stderr."""

    def do_HEAD(self) -> None:
        self._json(200, {})

    def do_GET(self) -> None:
        path = self.path.partition("?")[0].rstrip("/")
        models = [
            {"id": m, "object": "model", "created": 0, "owned_by": "tests"} for m in self._server.models()
        ]
        if path == "/log":
            self._json(200, self._server.log())
        elif path.endswith("/models"):
            self._json(200, {"object": "list", "data": models, "has_more": False})
        elif found := [m for m in models if path.endswith(f"/models/{m['id']}")]:
            self._json(200, found[0])
        else:
            self._json(404 if path else 200, {"error": {"message": f"There is nothing at {path or '/'}."}})

    def do_POST(self) -> None:
        path = self.path.partition("?")[0].rstrip("/")
        data = self._body()
        if path == "/reset":
            self._server.reset()
            self._json(200, {})
            return
        asks_count = path.endswith("/messages/count_tokens")
        end = path.removesuffix("/count_tokens") if asks_count else path
        named = next((w for suffix, w in WIRES.items() if end.endswith(suffix)), None)
        if named is None:
            self._json(404, {"error": {"message": f"There is nothing at {path}."}})
            return
        try:
            body = json.loads(data)
        except ValueError:
            self._json(400, named[1].error(400, "invalid_request_error", "The body is no JSON."))
            return
        if asks_count:
            tokens = counted(wire_messages.read(body), Move())
            self._json(200, {"input_tokens": tokens.prompt})
            return
        _Exchange(self, *named, body).run()

    @property
    def _server(self) -> ModelServer:
        return self.model_server

    def _body(self) -> bytes:
        if "chunked" in (self.headers.get("Transfer-Encoding") or "").lower():
            data = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return gzip.decompress(data) if self.headers.get("Content-Encoding") == "gzip" else data

    # ---- ways to send ------------------------------------------------------------------------------------------

    def _head(self, status: int, kind: str, more: Mapping[str, str]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in more.items():
            self.send_header(name, value)

    def _json(self, status: int, body: Json | bytes, more: Mapping[str, str] | None = None) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
        self._head(status, "application/json", {"Content-Length": str(len(data)), **(more or {})})
        self._flush_with(b"" if self.command == "HEAD" else data)

    def _stream(self, data: bytes, cut: bool) -> None:
        self._head(200, "text/event-stream", {"Transfer-Encoding": "chunked", "Cache-Control": "no-cache"})
        self._flush_with(b"")
        size = -(-len(data) // PARTS) or 1
        for n in range(PARTS):
            if cut and n == PARTS // 2:
                self._break()
                return
            if part := data[n * size : (n + 1) * size]:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
        with suppress(OSError):  # a client may leave when it has all the events
            self.wfile.write(b"0\r\n\r\n")

    def _flush_with(self, data: bytes) -> None:
        """Head and body in one write."""
        self._headers_buffer.append(b"\r\n" + data)  # type: ignore[attr-defined]
        self.flush_headers()

    def _break(self) -> None:
        """End the connection without a goodbye."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        self.connection.close()


class _Exchange:
    """One model call: what was asked, what goes wrong, and the answer."""

    def __init__(self, handler: _Handler, name: str, wire: Any, body: Json):
        self.handler, self.name, self.wire, self.body = handler, name, wire, body
        self.server = handler.model_server
        self.model = str(body.get("model", ""))
        self.streams = bool(body.get("stream"))
        self.history: list[Json] = []

    def run(self) -> None:
        """Answer, and note how that went."""
        book, headers = self.server.log_book, self.handler.headers
        entry = {"wire": self.name, "model": self.model, "stream": self.streams, "auth": key_seen(headers)}
        try:
            talk, fault = self._read()
        except Failed as why:
            self._fail(book.begin(entry, []), why)
            return
        line = book.begin({**entry, "fault": fault.kind}, [f"{t.namespace}{t.name}" for t in talk.tools])
        try:
            self._go_wrong(fault)
            move = self._move(line, talk, fault)
            self._send(line, answer(self.model, move, counted(talk, move), fault.kind == "badargs"), fault)
        except Failed as why:
            self._fail(line, why)
        except OSError:  # the client has gone
            if line["status"] in (None, 200):
                book.end(line, "gone")
            self.handler.close_connection = True

    def _read(self) -> tuple[Talk, Fault]:
        name, wanted = split_model(self.model)
        if not name:
            raise Failed(404, "not_found_error", f"The model {self.model!r} does not exist.")
        try:
            fault = read_fault(wanted or self.handler.headers.get("x-fault") or "")
            if self.wire is wire_responses:
                self.history = wire_responses.history(self.body, self.server.stored)
                talk = wire_responses.read(self.body, self.history)
            else:
                talk = self.wire.read(self.body)
        except wire_responses.Unknown as why:
            raise Failed(404, "invalid_request_error", str(why)) from why
        except (KeyError, TypeError, ValueError) as why:
            message = f"The request cannot be read: {type(why).__name__}: {why}"
            raise Failed(400, "invalid_request_error", message) from why
        return talk, fault if turns(talk) + 1 >= fault.at else Fault()

    def _move(self, line: Json, talk: Talk, fault: Fault) -> Move:
        if fault.kind == "refusal":
            return Move(text=REFUSAL, refused=True)
        script = self.server.script(split_model(self.model)[0], talk)
        if script is None:
            return Move(text=NO_TOOLS)
        line["step"] = progress(script, talk)[0] + 1
        move = next_move(script, talk)
        if move.problem:
            self.server.log_book.problem(move.problem)
        return move

    def _go_wrong(self, fault: Fault) -> None:
        if fault.kind == "hang":
            self.server.stopping.wait(fault.seconds)
        if fault.status and not (fault.kind == "429" and self.server.log_book.times(self.model) > TWICE):
            raise Failed(*fault.status)

    def _fail(self, line: Json, why: Failed) -> None:
        more = {"retry-after-ms": "20", "retry-after": "1"} if why.status == 429 else {}
        self.server.log_book.end(line, why.status)
        self.handler._json(why.status, self.wire.error(why.status, why.kind, why.message), more)

    def _send(self, line: Json, a: Answer, fault: Fault) -> None:
        """Write the answer. It is counted before its last byte is out, so that nobody reads the log too early."""
        if fault.kind in ("cut", "garbled"):
            self.server.log_book.end(line, fault.kind)
        else:
            self.server.log_book.end(line, 200, a.tokens)
            if self.wire is wire_responses:
                self.server.stored.keep(wire_responses.ident(a), [*self.history, *wire_responses.output(a)])
        if self.streams:
            events = b"".join(_event(kind, data) for kind, data in self.wire.events(a, self.body))
            if fault.kind == "garbled":
                events = events.replace(b'"', b"'")
            self.handler._stream(events, cut=fault.kind == "cut")
            return
        whole = json.dumps(self.wire.whole(a, self.body), ensure_ascii=False).encode()
        if fault.kind == "cut":
            self.handler._head(200, "application/json", {"Content-Length": str(len(whole))})
            self.handler._flush_with(whole[: len(whole) // 2])
            self.handler._break()
        else:
            self.handler._json(200, whole[:-9] if fault.kind == "garbled" else whole)


def turns(talk: Talk) -> int:
    """How many times the model has spoken in this conversation."""
    mine = [isinstance(i, Called) or (isinstance(i, Said) and i.role == "assistant") for i in talk.items]
    return sum(now and not before for before, now in zip([False, *mine], mine, strict=False))


def _event(kind: str, data: Json | str) -> bytes:
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return (f"event: {kind}\n" if kind else "").encode() + f"data: {text}\n\n".encode()


def main() -> None:
    """Serve until interrupted; without --scripts those of the spine."""
    parser = argparse.ArgumentParser(prog="python -m tests.clients.model_server")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument(
        "--scripts", type=Path, help="a folder of scripts (python -m tests.clients.scripts DIR)"
    )
    given = parser.parse_args()
    if given.scripts is None:
        from .scripts import spine

        scripts = spine()
    else:
        scripts = [
            Script.from_json(f.read_text(encoding="utf-8")) for f in sorted(given.scripts.glob("*.json"))
        ]
    server = ModelServer(scripts, given.port, given.host).start()
    print(server.base_url, flush=True)
    for model in server.models():
        print(" ", model, flush=True)
    try:
        server.wait()
    except KeyboardInterrupt:
        server.stop()


if __name__ == "__main__":
    main()
