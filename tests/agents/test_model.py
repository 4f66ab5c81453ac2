"""A language model sits an errand over each wire format; what it used is counted, what goes wrong has its own end."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from errands.agents import resolve, retry
from errands.agents.model import INSTRUCTIONS, ModelAgent
from errands.core.errors import UsageError
from errands.core.types import Turn
from errands.core.usage import Usage, usd
from errands.evidence.bundle import unpack
from errands.evidence.regrade import open_bundle, regrade
from errands.exam.attempt import Sat, instance_of, limits_of, sit
from errands.exam.desk import Desk
from errands.exam.sitting import Limits, Sitting
from errands.exam.spend import Spend, SpentOut
from errands.exam.terms import Terms
from errands.tasks.registry import task as find_task
from errands.world import open_world
from tests.clients.model_server import ModelServer
from tests.clients.play import Script
from tests.clients.scripts import SPINE, script_of, scripts_for

from .canned import canned, failed, said

BOOKING = SPINE["double-booking"]
RATES = {"input": "3", "cache_read": "0.3", "cache_write": "3.75", "output": "15"}
CLASSES = tuple(RATES)


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    instance = find_task(BOOKING).instance("kr", 0)
    with ModelServer(
        [
            *(script for errand in SPINE for script in scripts_for(errand, "kr").values()),
            script_of(instance, "oracle", "booking-parallel", parallel=True),
            script_of(instance, "oracle:asked_in_chat", "booking-chat"),
            Script("sayings", BOOKING, "kr", 0, "en", "", ({"say": "one"}, {"say": "two"})),
        ]
    ) as server:
        yield server


@pytest.fixture
def server(running: ModelServer, environment: pytest.MonkeyPatch) -> ModelServer:
    running.reset()
    environment.setenv("ERRANDS_MODEL_BASE_URL", running.base_url)
    return running


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path) -> pytest.MonkeyPatch:
    """A key and prices; and no time is lost between tries."""
    for name in list(os.environ):
        if name.startswith(("OPENAI_", "ANTHROPIC_", "GOOGLE_", "ERRANDS_")):
            monkeypatch.delenv(name)
    prices = {"date": "2026-11-30", "m": RATES}
    prices |= {
        f"scripted-{name}": RATES for name in ("strict", "booking-parallel", "booking-chat", "strict--429")
    }
    (tmp_path / "prices.json").write_text(json.dumps(prices))
    monkeypatch.setenv("ERRANDS_PRICES", str(tmp_path / "prices.json"))
    monkeypatch.setenv("ERRANDS_MODEL_API_KEY", "sk-of-a-test")
    monkeypatch.setattr(retry, "FIRST_S", 0.01)
    return monkeypatch


def attempt(
    model: str, errand: str = BOOKING, limits: Limits | None = None, spend: Spend | None = None
) -> Sat:
    return sit(resolve(f"model:{model}"), instance_of(errand, "kr", 0, "en"), limits=limits, spend=spend)


class Result:
    """What stands in the evidence of an attempt."""

    def __init__(self, done: Sat, errand: str = BOOKING):
        files = unpack(done.sealed.data)
        self.opened = open_bundle(done.sealed.data)
        self.verdict = regrade(self.opened, instance_of(errand, "kr", 0, "en").key.to_json())
        self.host = self.opened.host
        self.calls = [json.loads(line) for line in files.get("model.jsonl", b"").splitlines()]
        self.model = json.loads(files["model.json"])
        self.end = self.opened.evidence.ledger[-1].body["detail"]


def price(usage: dict[str, int]) -> Decimal:
    return sum((Decimal(RATES[c]) * usage[c] for c in CLASSES), Decimal(0)) / 1_000_000


# ---- what it does --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("provider", "script", "errand"),
    [
        ("openai-chat", "strict", BOOKING),
        ("openai-chat", "strict", SPINE["reschedule"]),
        ("openai-chat", "strict", SPINE["commitments"]),
        ("openai-compatible", "booking-parallel", BOOKING),
        ("openai", "booking-parallel", BOOKING),
        ("anthropic", "booking-parallel", BOOKING),
        ("anthropic", "booking-chat", BOOKING),
    ],
)
def test_a_strict_pass_whose_tokens_and_cost_are_what_was_served(server, provider, script, errand):
    result = Result(attempt(f"{provider}/scripted-{script}", errand), errand)
    served = server.log()
    assert result.verdict.strict and served["problems"] == []
    assert result.host["usage"] == {**served["total"]["usage"], "requests": served["total"]["requests"]}
    assert all(result.host["usage"][c] for c in CLASSES), "each class of tokens was used"
    assert result.host["cost_usd"] == usd(price(served["total"]["usage"]))
    sums = Usage()
    for call in result.calls:
        sums += Usage.of(call["usage"])
    assert sums.to_dict() == result.host["usage"]
    assert [c["usage"]["input"] for c in result.calls] == [e["usage"]["input"] for e in served["each"]]


def test_calls_of_one_answer_are_carried_out_in_their_order(server):
    result = Result(attempt("openai-chat/scripted-booking-parallel"))
    asked = [call["tool"] for row in result.calls for call in row["calls"]]
    done = [row.name for row in result.opened.evidence.ledger if row.kind == "call" and row.actor == "agent"]
    assert max(len(row["calls"]) for row in result.calls) > 1
    assert asked == done


def test_what_the_model_gets(environment):
    with canned(said(None, ("clock_now", "{}")), said("done")) as endpoint:
        environment.setenv("ERRANDS_MODEL_BASE_URL", f"{endpoint.url}/v1")
        environment.setenv("OPENAI_API_KEY", "sk-must-stay-here")
        result = Result(attempt("openai-chat/m"))
    first, second = endpoint.bodies
    instance = instance_of(BOOKING, "kr", 0, "en")
    system, user = first["messages"]
    expected = {"weekday": "Tuesday", "date": "2026-09-29", "zone": "Asia/Seoul"}
    assert system["content"] == INSTRUCTIONS.format(**expected) == second["messages"][0]["content"]
    assert user == {"role": "user", "content": instance.instruction}
    granted = {t.name: t.parameters for t in Sitting(open_world(instance.fixture.blob), Limits()).tools}
    assert {t["function"]["name"]: t["function"]["parameters"] for t in first["tools"]} == granted
    told = json.loads(second["messages"][-1]["content"])
    assert told["zone"] == "Asia/Seoul" and second["messages"][-1]["tool_call_id"] == "call_0"
    assert [h["authorization"] for h in endpoint.headers] == ["Bearer sk-of-a-test"] * 2
    assert result.model["host"] == endpoint.url.removeprefix("http://")
    assert result.model["prices"]["date"] == "2026-11-30"


class Twice(Sitting):
    """A sitting with a second turn, which may begin a session that knows nothing of the first."""

    fresh = False

    def reply(self, text: Any) -> Turn | None:
        self.said = [*getattr(self, "said", []), text]
        return Turn(2, "user", "And?", self.world.now, self.fresh) if len(self.said) == 1 else None


@pytest.mark.parametrize(("fresh", "said"), [(False, ["one", "two"]), (True, ["one", "one"])])
def test_a_fresh_turn_begins_a_conversation_anew(server, fresh, said):
    instance = instance_of(BOOKING, "kr", 0, "en")
    sitting = Twice(open_world(instance.fixture.blob), limits_of(instance))
    sitting.fresh = fresh
    resolve("model:openai-chat/scripted-sayings").sit(sitting, instance, Desk())
    assert sitting.said == said


# ---- what goes wrong -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("provider", "fault", "trouble", "requests"),
    [
        ("openai-chat", "401", "401", 1),
        ("openai-chat", "404", "404", 1),
        ("openai-chat", "limited", "429", 5),
        ("openai-chat", "500.2", "500", 1 + 5),
        ("openai-chat", "cut", "lost", 5),
        ("openai-chat", "garbled", "unreadable", 3),
        ("openai", "401", "401", 1),
        ("openai", "500", "500", 5),
        ("openai", "cut", "lost", 5),
        ("anthropic", "404", "404", 1),
        ("anthropic", "529", "529", 5),
        ("anthropic", "garbled", "unreadable", 3),
    ],
)
def test_an_endpoint_that_fails_blocks_the_attempt(server, environment, provider, fault, trouble, requests):
    environment.setattr(retry, "ASKED_S", 0.01)
    done = attempt(f"{provider}/scripted-strict--{fault}")
    result = Result(done)
    assert (result.verdict.status, result.verdict.end_reason) == ("blocked", "no_access")
    assert result.verdict.scores == {} and server.log()["total"]["requests"] == requests
    host = server.url.removeprefix("http://")
    assert done.trouble == f"{trouble} from {host} for model:{provider}/scripted-strict--{fault}"
    last = result.calls[-1]
    assert last["error"].startswith(f"{trouble}: ") and last["retries"] == requests - len(result.calls)
    assert "sk-of-a-test" not in result.end


@pytest.mark.parametrize("provider", ["openai-chat", "openai", "anthropic"])
def test_a_busy_endpoint_is_asked_again(server, provider):
    result = Result(attempt(f"{provider}/scripted-strict--429"))
    assert result.verdict.strict and result.calls[0]["retries"] == 2
    assert [f["kind"] for f in result.calls[0]["failed"]] == ["429", "429"]
    assert result.calls[0]["error"] == "" and result.calls[1]["retries"] == 0
    log = server.log()
    assert log["total"]["failed"] == {"429": 2}
    assert result.host["usage"] == {**log["total"]["usage"], "requests": log["total"]["answered"]}
    assert result.host["cost_usd"] == usd(price(log["total"]["usage"]))


def test_a_dead_host_is_given_up_soon(environment):
    environment.setenv("ERRANDS_MODEL_BASE_URL", "http://127.0.0.1:9/v1")
    done = attempt("anthropic/m")
    result = Result(done)
    assert result.verdict.status == "blocked"
    assert done.trouble == "unreachable from 127.0.0.1:9 for model:anthropic/m"
    assert result.calls[0]["retries"] == 1 and "base URL" in result.end


def test_an_endpoint_that_hangs_is_the_agents_timeout(server, tmp_path):
    began = time.monotonic()
    spend = Spend(tmp_path / "spend", max_tokens=10**6)
    done = attempt("openai-chat/scripted-strict--hang60.2", limits=Limits(timeout_s=1.5), spend=spend)
    assert time.monotonic() - began < 1.5 + 5
    assert not done.stray and not [t for t in threading.enumerate() if t.name == "agent"]
    result = Result(done)
    assert (result.verdict.status, result.verdict.end_reason) == ("graded", "timeout")
    assert [bool(call["error"]) for call in result.calls] == [False, True]
    # Whether the call that hung is charged nobody can say: its worst case stays put aside.
    assert spend.spent()[0] > Usage.of(result.host["usage"]).tokens


LONG = failed(400, "This model's maximum context length is 9 tokens.", "context_length_exceeded")
ODD = failed(400, "Unknown parameter: 'tools'.")


@pytest.mark.parametrize(
    ("answers", "end", "status", "requests"),
    [
        ([said(None, ("clock_now", "{}")), LONG], "agent_error", "graded", 2),
        ([said(None, ("clock_now", "{}")), ODD], "agent_error", "graded", 2),
        ([ODD], "no_access", "blocked", 1),
        ([LONG], "agent_error", "graded", 1),
        ([failed(429, "You exceeded your quota.", "insufficient_quota")], "no_access", "blocked", 1),
        ([failed(402, "Top up.")], "no_access", "blocked", 1),
    ],
)
def test_whose_fault_a_refused_call_is(environment, answers, end, status, requests):
    with canned(*answers) as endpoint:
        environment.setenv("ERRANDS_MODEL_BASE_URL", f"{endpoint.url}/v1")
        verdict = Result(attempt("openai-chat/m")).verdict
    assert (verdict.end_reason, verdict.status) == (end, status)
    assert len(endpoint.bodies) == requests


def test_arguments_that_are_no_json_are_the_models_own_mistake(environment):
    with canned(
        said(None, ("clock_now", '{"a'), ("no_such_tool", "{}"), ("clock_now", "")), said("x")
    ) as endpoint:
        environment.setenv("ERRANDS_MODEL_BASE_URL", f"{endpoint.url}/v1")
        result = Result(attempt("openai-chat/m"))
    answers = [json.loads(m["content"]) for m in endpoint.bodies[1]["messages"] if m["role"] == "tool"]
    assert [a.get("error", {}).get("code") for a in answers] == ["invalid", "unknown_tool", None]
    assert result.verdict.end_reason == "completed"


def test_the_tokens_of_an_attempt_may_be_used_up(server):
    result = Result(attempt("openai-chat/scripted-strict", limits=Limits(tokens=15_000)))
    assert (result.verdict.status, result.verdict.end_reason) == ("graded", "token_limit")
    used = [sum(c["usage"][k] for k in CLASSES) for c in result.calls]
    assert sum(used) >= 15_000 > sum(used[:-1])


def test_the_published_pauses():
    busy = retry.Trouble("429", "", 5)
    assert [busy.wait(n) for n in (1, 2, 3, 4, 5)] == [0.5, 1.0, 2.0, 4.0, None]
    assert retry.Trouble("429", "", 9).wait(8) == 8.0
    assert retry.Trouble("429", "", 5, asked=12.0).wait(1) == 12.0
    assert retry.Trouble("429", "", 5, asked=300.0).wait(1) == 30.0
    assert retry.Trouble("401", "").wait(1) is None


# ---- money ---------------------------------------------------------------------------------------


def test_nothing_is_asked_for_that_the_purse_may_not_cover(environment, tmp_path):
    with canned(said(None, ("clock_now", "{}")), said("done")) as endpoint:
        environment.setenv("ERRANDS_MODEL_BASE_URL", f"{endpoint.url}/v1")
        environment.setenv("ERRANDS_MODEL_MAX_OUTPUT", "1000")
        with pytest.raises(SpentOut):  # 1000 tokens of output alone may cost $0.015
            attempt("openai-chat/m", spend=Spend(tmp_path / "a", max_usd=Decimal("0.0149")))
        assert endpoint.bodies == []
        spend = Spend(tmp_path / "b", max_usd=Decimal("0.2"))
        attempt("openai-chat/m", spend=spend)
    assert [b["max_completion_tokens"] for b in endpoint.bodies] == [1000, 1000]
    assert spend.spent() == (240, 2 * (100 * 3 + 20 * 15) / Decimal(1_000_000))


def test_what_is_put_aside_covers_what_is_used(server, tmp_path):
    spend = Spend(tmp_path / "spend")
    attempt("openai-chat/scripted-strict", SPINE["commitments"], spend=spend)
    rows = [json.loads(line) for line in (tmp_path / "spend").read_bytes().splitlines()]
    held, spent = rows[::2], rows[1::2]
    assert len(held) == len(spent) == server.log()["total"]["requests"]
    for most, used in zip(held, spent, strict=True):
        assert most["ticket"] == used["ticket"]
        assert most["tokens"] >= Usage.of(used["usage"]).tokens
        assert Decimal(most["usd"]) >= Decimal(used["usd"]) == price(used["usage"])


def test_an_answer_that_hides_its_usage_is_not_free(environment, tmp_path):
    spend = Spend(tmp_path / "spend")
    with canned(said("done", usage=None)) as endpoint:
        environment.setenv("ERRANDS_MODEL_BASE_URL", f"{endpoint.url}/v1")
        result = Result(attempt("openai-chat/m", spend=spend))
    assert result.host["cost_usd"] is None and spend.spent()[0] > 4096


def test_a_price_that_nobody_knows(server, environment):
    environment.delenv("ERRANDS_PRICES")
    result = Result(attempt("openai-chat/scripted-strict"))
    assert result.host["cost_usd"] is None and result.host["usage"]["requests"]
    assert result.model["prices"] is None
    with pytest.raises(UsageError, match=r"--max-cost is refused.*use --max-tokens"):
        resolve("model:openai-chat/scripted-strict", Terms(max_cost="1")).load()
    resolve("model:openai-chat/scripted-strict", Terms(max_tokens=1)).load()
    resolve("model:openai-chat/gpt-5-mini", Terms(max_cost="1")).load()


# ---- before anything is planned --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "change", "says"),
    [
        ("openai", {}, "model:<provider>/<name>"),
        ("opnai/gpt-5-mini", {}, "did you mean openai"),
        ("openai/m", {"ERRANDS_MODEL_API_KEY": ""}, "OPENAI_API_KEY"),
        ("anthropic/m", {"ERRANDS_MODEL_API_KEY": ""}, "ANTHROPIC_API_KEY"),
        (
            "openai/m",
            {"ERRANDS_MODEL_API_KEY": "", "ERRANDS_MODEL_BASE_URL": "http://a/v1"},
            "KEY is not set",
        ),
        ("openai-compatible/m", {}, "ERRANDS_MODEL_BASE_URL is not set"),
        ("openai/m", {"ERRANDS_MODEL_BASE_URL": "localhost:1"}, "http://"),
        ("openai/m", {"ERRANDS_MODEL_MAX_OUTPUT": "many"}, "ERRANDS_MODEL_MAX_OUTPUT"),
        ("openai/m", {"ERRANDS_PRICES": "no/such/file"}, "ERRANDS_PRICES"),
    ],
)
def test_what_is_missing_is_named(environment, spec, change, says):
    for name, value in change.items():
        environment.setenv(name, value)
    with pytest.raises(UsageError) as why:
        resolve(f"model:{spec}", Terms(max_cost="1")).load()
    assert says in str(why.value)


def test_the_library_that_is_missing_is_named_with_what_to_type(environment):
    environment.setitem(sys.modules, "pydantic_ai.direct", None)
    with pytest.raises(UsageError, match=r"pip install 'errands\[models\]'"):
        resolve("model:openai/m").load()


def test_an_endpoint_of_ones_own_needs_no_key(environment):
    environment.delenv("ERRANDS_MODEL_API_KEY")
    with canned(said("done")) as endpoint:
        environment.setenv("ERRANDS_MODEL_BASE_URL", f"{endpoint.url}/v1")
        assert Result(attempt("openai-compatible/m")).verdict.end_reason == "completed"


def test_an_attempt_that_is_stopped_lets_go_at_once(server):
    instance = instance_of(BOOKING, "kr", 0, "en")
    desk, sitting = Desk(), Sitting(open_world(instance.fixture.blob), Limits())
    agent = ModelAgent("model:openai/scripted-strict--hang60")
    agent.load()
    thread = threading.Thread(target=agent.sit, args=(sitting, instance, desk))
    thread.start()
    end = time.monotonic() + 30
    while not server.log()["each"] and time.monotonic() < end:
        time.sleep(0.01)
    stopped = time.monotonic()
    desk.stop()
    thread.join(5)
    assert not thread.is_alive() and time.monotonic() - stopped < 2
