"""The egress proxy: what it lets through, what it counts, and that an agent gets neither key nor another host."""

from __future__ import annotations

import gzip
import hashlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from errands.core.usage import Usage
from errands.doors.proxy import Denied, Proxy, Served, Upstream
from errands.doors.wires import Ask, ask_of
from errands.exam.sitting import Limits, Sitting
from errands.tasks.registry import task as find_task
from errands.world import open_world
from tests.clients import loops
from tests.clients.model_server import ModelServer
from tests.clients.scripts import SPINE, scripts_for

from .upstream import begin_stream, endpoint, send_json, send_piece, sse

STAND_IN, REAL = "stand-in-7f3a", "sk-real-91c2"
BOOKING = SPINE["double-booking"]


class Heard:
    """A watch that keeps what it hears; `deny` is raised at each call."""

    def __init__(self) -> None:
        self.asks: list[Ask] = []
        self.done: dict[str, Served] = {}
        self.turned_away: list[tuple[str, str, str]] = []
        self.deny: Denied | None = None
        self.news = threading.Condition()

    def ask(self, ask: Ask) -> str:
        if self.deny:
            raise self.deny
        self.asks.append(ask)
        return str(len(self.asks))

    def served(self, ticket: str, served: Served) -> None:
        with self.news:
            self.done[ticket] = served
            self.news.notify_all()

    def refused(self, method: str, host: str, path: str, why: str) -> None:
        self.turned_away.append((method, host, path))

    def wait(self, n: int = 1) -> Served:
        """The n-th call, once it is over."""
        with self.news:
            assert self.news.wait_for(lambda: str(n) in self.done, 20), "the call was never told"
        return self.done[str(n)]

    @property
    def usage(self) -> Usage:
        return sum((s.usage for s in self.done.values()), Usage())


@contextmanager
def proxied(base: str, key: str = REAL, *, bound: bool = False) -> Iterator[tuple[int, Heard, Proxy]]:
    heard = Heard()
    proxy = Proxy({"model": Upstream(base, key)}, STAND_IN, heard, bound=bound)
    try:
        yield proxy.listen_tcp(), heard, proxy
    finally:
        proxy.stop()


def ask(
    port: int,
    path: str,
    body: Any = None,
    *,
    method: str = "POST",
    key: str = STAND_IN,
    raw: bytes | None = None,
    headers: dict[str, str] | None = None,
) -> tuple[int, bytes]:
    """One request as an agent makes it."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    data = raw if raw is not None else (json.dumps(body).encode() if body is not None else None)
    link.request(method, path, data, {"Authorization": f"Bearer {key}", **(headers or {})})
    answer = link.getresponse()
    out = answer.read()
    link.close()
    return answer.status, out


CHAT = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
TOLD = {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 5}}
ANSWER = {"model": "m-1", "choices": [{"index": 0, "message": {"content": "hello"}}], "usage": TOLD}


def answers(handler: Any, body: bytes) -> None:
    send_json(handler, ANSWER)


# ---- what passes is what was served ------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("wire", ["chat", "responses", "messages"])
def test_a_whole_errand_by_each_wire_is_counted_to_the_token(wire, stream, monkeypatch):
    """With the providers' own clients, through the proxy: tokens by class as the server has them."""
    monkeypatch.setattr(loops, "KEY", STAND_IN)
    script = scripts_for(BOOKING, "kr")["strict"]
    instance = find_task(BOOKING).instance("kr", script.variant)
    with ModelServer([script]) as server, proxied(server.base_url) as (port, heard, _):
        client = loops.Client(f"http://127.0.0.1:{port}/model/v1", f"scripted-{script.name}", stream=stream)
        client.name = lambda tool: f"errands_{tool}"
        sitting = Sitting(open_world(instance.fixture.blob), Limits(turns=50, calls=1000))
        said = loops.sit(wire, client, sitting)
        log = server.log()
    total = log["total"]
    assert sitting.ended == "completed" and log["problems"] == []
    assert heard.usage == Usage(**total["usage"], requests=total["answered"]) and total["answered"] > 10
    key = hashlib.sha256(REAL.encode()).hexdigest()[:8]
    assert {e["auth"]["sha256"] for e in log["each"]} == {key}, "the real key, and only on the way out"
    rows = [
        json.loads(b)
        for (b,) in sitting.world.db.execute(
            "SELECT body FROM exam_ledger WHERE kind = 'call' AND actor = 'agent' ORDER BY seq"
        )
    ]
    called = [c for s in heard.done.values() for c in s.calls]
    assert [c["args"] for c in called] == [r["args"] for r in rows], "the trace holds the very arguments"
    assert [s.text for s in heard.done.values() if not s.calls] == said
    assert all(a.tools and all(t.startswith("errands_") for t in a.tools) for a in heard.asks)
    assert {(s.status, s.error, s.cut or s.estimated, s.left) for s in heard.done.values()} == {
        (200, "", False, False)
    }


def test_pieces_of_a_stream_pass_as_they_come():
    """The second piece is not even made before the agent has read the first."""
    read_first = threading.Event()

    def slow(handler: Any, body: bytes) -> None:
        begin_stream(handler)
        send_piece(handler, b'data: {"choices": [{"index": 0, "delta": {"content": "one')
        assert read_first.wait(20), "the agent never saw the first piece"
        send_piece(handler, b'"}}]}\n\n' + sse({"choices": [], "usage": TOLD}, "[DONE]"))
        send_piece(handler, b"")

    with endpoint(slow) as at, proxied(at.url) as (port, heard, _):
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        asked = {**CHAT, "stream": True, "stream_options": {"include_usage": True}}
        link.request("POST", "/model/chat/completions", json.dumps(asked), {"x-api-key": STAND_IN})
        got = link.getresponse()
        first = got.read1(100)
        read_first.set()
        rest = got.read()
        assert first.endswith(b"one") and b"usage" in rest and rest.endswith(b"data: [DONE]\n\n")
        assert heard.wait().usage == Usage(4, 5, 0, 4, 1) and heard.wait().text == "one"


def test_a_chat_stream_that_did_not_ask_for_usage_is_counted_and_looks_as_it_would():
    chunks = [{"choices": [{"index": 0, "delta": {"content": c}}]} for c in "abc"]

    def stream(handler: Any, body: bytes) -> None:
        assert json.loads(body)["stream_options"]["include_usage"] is True
        begin_stream(handler)
        data = sse(*chunks, {"choices": [], "usage": TOLD}, "[DONE]")
        for n in range(0, len(data), 7):
            send_piece(handler, data[n : n + 7])
        handler.wfile.write(b"0\r\n\r\n")

    with endpoint(stream) as at, proxied(at.url) as (port, heard, _):
        status, out = ask(port, "/model/chat/completions", {**CHAT, "stream": True})
        assert (status, out) == (200, sse(*chunks, "[DONE]"))
        assert heard.wait().usage == Usage(4, 5, 0, 4, 1) and heard.wait().text == "abc"


# ---- what does not pass ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "method, target, seen",
    [
        ("GET", "http://mail.example.com/inbox", ("GET", "mail.example.com", "/inbox")),
        ("CONNECT", "mail.example.com:443", ("CONNECT", "mail.example.com:443", "")),
        ("POST", "/openai/v1/chat/completions", ("POST", "api.example.com", "/openai/v1/chat/completions")),
        ("POST", "/model/v1/files", ("POST", "api.example.com", "/model/v1/files")),
        ("POST", "/model/../chat/completions", ("POST", "api.example.com", "/model/../chat/completions")),
        ("DELETE", "/model/models/m", ("DELETE", "api.example.com", "/model/models/m")),
        ("BREW", "/", ("BREW", "api.example.com", "/")),
    ],
)  # fmt: skip
def test_anything_but_a_call_of_the_model_is_refused_and_recorded(method, target, seen):
    with endpoint(answers) as at, proxied(at.url) as (port, heard, _):
        with socket.create_connection(("127.0.0.1", port), timeout=20) as s:
            s.sendall(
                f"{method} {target} HTTP/1.1\r\nHost: api.example.com\r\nx-api-key: {STAND_IN}\r\n\r\n".encode()
            )
            assert s.recv(100).startswith(b"HTTP/1.1 403")
        assert heard.turned_away == [seen] and at.seen == [] and heard.asks == []


def test_without_the_stand_in_key_nobody_gets_in_and_none_of_ours_gets_out():
    with endpoint(answers) as at, proxied(at.url) as (port, heard, proxy):
        status, _ = ask(port, "/model/chat/completions", CHAT, key="sk-other")
        assert status == 401 and at.seen == []
        ask(
            port,
            "/model/chat/completions",
            CHAT,
            headers={"X-Api-Key": "sk-other", "Connection": "x-hop", "X-Hop": "1"},
        )
        headers = at.seen[0][2]
        assert headers["authorization"] == f"Bearer {REAL}" and not {"x-api-key", "x-hop"} & set(headers)
        assert REAL not in repr(proxy.upstreams) and STAND_IN not in str(at.seen)
        status, _ = ask(port, "/model/models", method="GET")
        assert status == 200 and len(heard.asks) == 1, "a list of models is no call of one"


def test_an_empty_purse_is_an_error_that_clients_read_and_costs_nothing():
    with endpoint(answers) as at, proxied(at.url) as (port, heard, _):
        heard.deny = Denied(402, "spent_out", "no room for another call")
        status, out = ask(port, "/model/v1/messages", {**CHAT, "max_tokens": 5})
        error = json.loads(out)
        assert status == 402 and error["type"] == "error" and error["error"]["type"] == "spent_out"
        assert "no room" in error["error"]["message"] and at.seen == [] and heard.done == {}


@pytest.mark.parametrize("coding, status", [("gzip", 200), ("identity", 200), ("zstd", 415)])
def test_a_body_that_cannot_be_read_does_not_pass(coding, status):
    body = json.dumps({**CHAT, "max_tokens": 7}).encode()
    raw = gzip.compress(body) if coding == "gzip" else body
    with endpoint(answers) as at, proxied(at.url) as (port, heard, _):
        got, _ = ask(port, "/model/chat/completions", raw=raw, headers={"Content-Encoding": coding})
        assert got == status and [s[3] for s in at.seen] == ([body] if status == 200 else [])
        assert [a.worst for a in heard.asks] == ([len(body) // 2 + 7] if status == 200 else [])


def test_a_chunked_body_passes_and_one_that_is_no_json_does_not():
    with endpoint(answers) as at, proxied(at.url) as (port, *_):
        body = json.dumps(CHAT).encode()
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        link.request(
            "POST",
            "/model/responses",
            iter([body[:9], body[9:]]),
            {"x-api-key": STAND_IN},
            encode_chunked=True,
        )
        assert link.getresponse().status == 200 and at.seen[0][3] == body
        assert ask(port, "/model/responses", raw=b"[1]")[0] == 400 and len(at.seen) == 1


# ---- what goes wrong ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [401, 404, 429, 500])
def test_an_error_of_the_endpoint_is_told_to_both(status):
    def fail(handler: Any, body: bytes) -> None:
        send_json(handler, {"error": {"message": f"no such model for {REAL}", "type": "x"}}, status)

    with endpoint(fail) as at, proxied(at.url) as (port, heard, _):
        got, out = ask(port, "/model/chat/completions", CHAT)
        served = heard.wait()
        assert (
            got == served.status == status
            and json.loads(out)["error"]["message"] == served.error == f"no such model for {STAND_IN}"
        )
        assert (
            served.usage == Usage() and not served.estimated and served.host == at.url.removeprefix("http://")
        )


def test_an_endpoint_that_is_not_there_is_told_at_once():
    with socket.create_server(("127.0.0.1", 0)) as s:
        dead = s.getsockname()[1]
    with proxied(f"http://127.0.0.1:{dead}/v1") as (port, heard, _):
        status, _ = ask(port, "/model/chat/completions", CHAT)
        served = heard.wait()
        assert status == 502 and not served.reached and "could not be reached" in served.error
        assert served.usage == Usage() and served.seconds < 5


def test_an_agent_that_leaves_in_the_middle_has_its_tokens_counted_all_the_same():
    left = threading.Event()
    chunk = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x" * 20_000}}

    def stream(handler: Any, body: bytes) -> None:
        begin_stream(handler)
        begun = {
            "input_tokens": 50,
            "cache_read_input_tokens": 7,
            "cache_creation_input_tokens": 3,
            "output_tokens": 1,
        }
        send_piece(handler, sse({"type": "message_start", "message": {"model": "m-2", "usage": begun}}))
        assert left.wait(20)
        for _ in range(40):
            send_piece(handler, sse(chunk))
        send_piece(handler, sse({"type": "message_delta", "delta": {}, "usage": {"output_tokens": 90}}))
        handler.wfile.write(b"0\r\n\r\n")

    with endpoint(stream) as at, proxied(at.url) as (port, heard, _):
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        link.request(
            "POST", "/model/v1/messages", json.dumps({**CHAT, "stream": True}), {"x-api-key": STAND_IN}
        )
        assert b"message_start" in link.getresponse().read1(1000)
        link.sock.shutdown(socket.SHUT_RDWR)
        link.close()
        left.set()
        served = heard.wait()
        assert served.usage == Usage(50, 7, 3, 90, 1) and served.left and not served.estimated
        assert served.model == "m-2"


def test_an_agent_that_does_not_wait_for_a_whole_answer_is_counted_too():
    gone = threading.Event()

    def late(handler: Any, body: bytes) -> None:
        assert gone.wait(20)
        send_json(handler, {**ANSWER, "choices": [{"message": {"content": "x" * 300_000}}]})

    with endpoint(late) as at, proxied(at.url) as (port, heard, _):
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        link.request("POST", "/model/chat/completions", json.dumps(CHAT), {"x-api-key": STAND_IN})
        link.close()
        gone.set()
        served = heard.wait()
        assert served.usage == Usage(4, 5, 0, 4, 1) and served.left and not served.estimated


def test_an_answer_that_the_endpoint_cuts_is_estimated_and_cut_for_the_agent_too():
    def cut(handler: Any, body: bytes) -> None:
        begin_stream(handler)
        send_piece(handler, sse({"choices": [{"index": 0, "delta": {"content": "half of"}}]}))
        handler.close_connection = True
        handler.connection.shutdown(socket.SHUT_RDWR)

    with endpoint(cut) as at, proxied(at.url) as (port, heard, _):
        with pytest.raises(http.client.IncompleteRead):
            ask(port, "/model/chat/completions", {**CHAT, "stream": True})
        served = heard.wait()
        assert served.estimated and served.cut and "cut short" in served.error
        assert served.usage.output == len("half of") // 2 and served.usage.input > 0


def test_stop_ends_what_hangs_and_tells_it():
    begun, gate = threading.Event(), threading.Event()

    def hang(handler: Any, body: bytes) -> None:
        begun.set()
        gate.wait(60)

    with endpoint(hang) as at:
        heard = Heard()
        proxy = Proxy({"model": Upstream(at.url)}, STAND_IN, heard)
        port = proxy.listen_tcp()
        thread = threading.Thread(target=lambda: ask_quietly(port), daemon=True)
        thread.start()
        assert begun.wait(20)
        since = time.perf_counter()
        proxy.stop()
        assert time.perf_counter() - since < 2 and heard.done["1"].status == 0
        thread.join(20)
        assert not thread.is_alive()
        gate.set()


def ask_quietly(port: int) -> None:
    try:
        ask(port, "/model/chat/completions", CHAT)
    except (OSError, http.client.HTTPException):
        return


def test_the_same_on_a_unix_socket(tmp_path: Path):
    with endpoint(answers) as at:
        heard = Heard()
        proxy = Proxy({"model": Upstream(f"{at.url}/v1", REAL)}, STAND_IN, heard)
        proxy.listen_unix(tmp_path / "model.sock")
        assert (tmp_path / "model.sock").stat().st_mode & 0o777 == 0o600
        link = http.client.HTTPConnection("localhost")
        link.sock = socket.socket(socket.AF_UNIX)
        link.sock.settimeout(20)
        link.sock.connect(str(tmp_path / "model.sock"))
        for _ in range(2):  # one connection serves many calls
            link.request(
                "POST",
                "/model/v1/chat/completions",
                json.dumps(CHAT),
                {"Authorization": f"Bearer {STAND_IN}"},
            )
            assert json.loads(link.getresponse().read()) == ANSWER
        proxy.stop()
        assert [s[1] for s in at.seen] == ["/v1/chat/completions"] * 2 and heard.usage == Usage(
            8, 10, 0, 8, 2
        )


# ---- what is asked -----------------------------------------------------------------------------------------------


def test_tools_that_an_agent_offers_are_named_whatever_their_kind():
    tools = [
        {"type": "function", "function": {"name": "chat_tool"}},
        {"type": "function", "name": "responses_tool"},
        {"type": "custom", "custom": {"name": "chat_custom"}},
        {"type": "custom", "name": "responses_custom"},
        {"name": "messages_tool", "input_schema": {}},
        {"type": "web_search_20250305", "name": "web_search"},
        {"type": "local_shell"},
        {"type": "mcp", "server_label": "gmail", "server_url": "https://x"},
        {"type": "namespace", "name": "errands", "tools": [{"type": "function", "name": "mail_search"}]},
    ]
    got = ask_of(
        "model",
        "responses",
        {"tools": tools, "mcp_servers": [{"name": "drive"}], "functions": [{"name": "old"}]},
        0,
    )
    assert got.tools == (
        "chat_tool", "responses_tool", "chat_custom", "responses_custom", "messages_tool", "web_search",
        "local_shell", "mcp:gmail", "errands.mail_search", "old", "mcp:drive",
    )  # fmt: skip


def test_the_worst_case_is_above_what_a_call_can_use():
    """Half the bytes, what the server remembers, and all the output that was asked for, as often as asked."""
    assert ask_of("m", "chat", {"max_completion_tokens": 100, "n": 3}, 1000, 9999).worst == 500 + 300
    assert (
        ask_of("m", "responses", {"max_output_tokens": 100, "previous_response_id": "r"}, 1000, 77).worst
        == 677
    )
    assert ask_of("m", "messages", {}, 1000).worst >= 500 + 32_000
    assert ask_of("m", "embeddings", {}, 1000).worst == 500


@pytest.mark.parametrize(
    ("path", "body", "name"),
    [
        ("/model/chat/completions", CHAT, "max_tokens"),
        ("/model/responses", {"model": "m", "input": "hi"}, "max_output_tokens"),
        ("/model/messages", {**CHAT, "stream": False}, "max_tokens"),
    ],
)
def test_under_a_limit_a_call_that_states_none_is_held_to_what_was_put_aside(path, body, name):
    seen: list[dict[str, Any]] = []

    def keeps(handler: Any, data: bytes) -> None:
        seen.append(json.loads(data))
        send_json(handler, ANSWER)

    with endpoint(keeps) as at, proxied(at.url, bound=True) as (port, heard, _):
        ask(port, path, body)
        ask(port, path, {**body, name: 77})
        assert [s[name] for s in seen] == [heard.wait(1).ask.written, 77]
    with endpoint(keeps) as at, proxied(at.url) as (port, _, _):
        ask(port, path, body)
    assert name not in seen[-1], "without a limit nothing is added"
