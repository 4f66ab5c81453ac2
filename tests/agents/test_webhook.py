"""A hosted product: it is posted its turns, calls the attempt's MCP endpoint, and answers."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from errands.agents import resolve
from errands.agents.webhook import WebhookAgent
from errands.core.errors import UsageError
from errands.evidence.bundle import unpack
from errands.evidence.regrade import open_bundle, regrade
from errands.exam.attempt import instance_of, sit
from errands.exam.plan import plan_run
from errands.exam.rows import run_record
from errands.exam.run import Run
from errands.exam.sitting import Limits
from errands.exam.terms import PLAIN, Terms
from errands.tasks.registry import Selection

BOOKING = "ec-double-booking-resolution"


@contextmanager
def product(answer):
    """A product on a free port: `answer(turn, headers)` gives a status and an object, or bytes."""
    heard = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            turn = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            heard.append(turn)
            status, body = answer(turn, dict(self.headers))
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hook", heard
    finally:
        server.shutdown()
        server.server_close()


def mcp(turn, tool, **args):
    """One tool call as a product makes it: plain JSON-RPC to the address it was given."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": args}}
    request = urllib.request.Request(
        turn["mcp"]["url"],
        json.dumps(call).encode(),
        {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-06-18",
        },
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(json.load(answer)["result"]["content"][0]["text"])


def instance():
    return instance_of(BOOKING, "sg", 0, "en")


def seat_of(url, timeout_s=30.0, terms=PLAIN):
    return sit(WebhookAgent(f"webhook:{url}", url, terms), instance(), limits=Limits(timeout_s=timeout_s))


def end_of(sat):
    manifest = json.loads(unpack(sat.sealed.data)["manifest.json"])
    return manifest["end_reason"], open_bundle(sat.sealed.data).evidence.ledger[-1].body["detail"]


def test_it_calls_the_tools_and_its_reply_ends_the_turn(monkeypatch):
    monkeypatch.setenv("ERRANDS_WEBHOOK_TOKEN", "s3cret")

    def answer(turn, headers):
        assert headers["Authorization"] == "Bearer s3cret"
        if turn["turn"] == 1:
            found = mcp(turn, "mail_search", query="CG-")["messages"]
            return 200, {
                "reply": f"I found {len(found)} mails. Shall I write to them?",
                "usage": {"input": 7, "output": 2},
            }
        return 200, {"reply": "", "usage": {"input": 5, "output": 1, "cache_read": 3}}

    with product(answer) as (url, heard):
        sat = seat_of(url)
    assert [t["turn"] for t in heard] == [1, 2] and "double-booked" in heard[0]["message"]
    assert (
        heard[0]["kind"] == "instruction"
        and heard[0]["at"].startswith("2026-11-03T08:50")
        and not heard[0]["fresh"]
    )
    opened = open_bundle(sat.sealed.data)
    assert [e.name for e in opened.evidence.ledger if e.kind == "call"] == ["mail_search"]
    assert opened.host["usage"] == {
        "input": 12,
        "cache_read": 3,
        "cache_write": 0,
        "output": 3,
        "requests": 2,
    }
    assert opened.host["cost_usd"] is None, "what nobody knows is not zero"
    assert regrade(opened, instance().key.to_json()).status == "graded"


def test_the_endpoint_is_closed_once_the_attempt_has_ended():
    kept = []

    def answer(turn, headers):
        kept.append(turn)
        return 200, {"reply": "No."}

    with product(answer) as (url, _):
        seat_of(url)
    with pytest.raises(urllib.error.HTTPError) as refused:
        mcp(kept[0], "clock_now")
    assert refused.value.code == 410


@pytest.mark.parametrize("status", [401, 403, 404, 503])
def test_no_access_is_blocked_and_three_times_stop_the_run(status, tmp_path, monkeypatch):
    monkeypatch.setattr("errands.agents.webhook.RETRIES_S", (0.01,))
    with product(lambda turn, headers: (status, {})) as (url, _):
        folder = plan_run(
            resolve(f"webhook:{url}"),
            Selection(tasks=("*double*",), markets=("sg", "kr"), variants=(0, 1, 2)),
            1,
            tmp_path / "run",
        )
        work = Run(folder, resolve)
        assert len(list(work.go())) == 3
    record = run_record(folder, work.failures, work.stopped)
    assert (
        record["counts"]["blocked"] == 3
        and record["counts"]["not_run"] == 3
        and str(status) in record["stopped"]
    )


def test_nobody_there_is_blocked_soon():
    with product(lambda turn, headers: (200, {})) as (url, _):
        pass
    sat = seat_of(url)
    assert end_of(sat)[0] == "no_access" and "Refused" in sat.trouble


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (500, b"oops", "agent_error"),
        (200, b"oops", "agent_error"),
        (200, [1], "agent_error"),
        (200, {}, "bad_reply"),
    ],
)
def test_what_is_no_answer_is_the_products_own_end(status, body, reason):
    with product(lambda turn, headers: (status, body)) as (url, _):
        sat = seat_of(url)
    assert end_of(sat)[0] == reason and not sat.trouble


def test_a_product_that_hangs_is_ended_in_time():
    free = threading.Event()

    def answer(turn, headers):
        free.wait(20)
        return 200, {"reply": "late"}

    with product(answer) as (url, _):
        sat = seat_of(url, timeout_s=0.5)
        free.set()
    assert end_of(sat)[0] == "timeout" and not sat.stray


def test_a_foreign_tool_is_refused_unless_allowed():
    with product(lambda turn, headers: (200, {"reply": "ok", "tools": ["gmail_send"]})) as (url, _):
        assert end_of(seat_of(url))[0] == "foreign_tool"
        assert end_of(seat_of(url, terms=Terms(foreign_tools=("gmail_send",))))[0] == "completed"


def test_an_address_that_is_none_is_refused():
    for url in ("", "ftp://x", "localhost:80", "http://"):
        with pytest.raises(UsageError, match="no address"):
            WebhookAgent(f"webhook:{url}", url)
