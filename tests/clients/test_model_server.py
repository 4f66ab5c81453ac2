"""The scripted model server, driven by the official SDKs over in-process sittings."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import openai
import pytest

from errands.tasks.registry import task as find_task
from errands.tasks.task import Instance

from .loops import KEY, LOOPS, Client, anthropic_client, openai_client
from .model_server import ModelServer
from .scripts import SPINE, scripts_for
from .trying import BRIEF, STREAMS, STRICT, WIRES, ask, sat
from .wire import Tokens

DOUBLE = SPINE["double-booking"]
ROOT = Path(__file__).parents[2]


# ---- verdicts, and tokens ------------------------------------------------------------------------------------


@WIRES
@STREAMS
def test_a_strict_pass_and_its_tokens(
    server: ModelServer, instance: Instance, wire: str, stream: bool
) -> None:
    client = Client(server.base_url, STRICT, stream)
    assert sat(instance, wire, client) == server.scripts["double-booking-kr-strict"].expects
    assert client.at_once == 1
    log = server.log()
    assert log["problems"] == [] and log["total"]["failed"] == {}
    assert log["total"]["answered"] == len(client.used) == len(log["each"])
    for name, total in log["total"]["usage"].items():
        assert total == sum(getattr(u, name) for u in client.used) > 0, name
    assert log["models"] == {STRICT: log["total"]}
    assert {(e["wire"], e["stream"]) for e in log["each"]} == {(wire, stream)}
    assert [e["step"] for e in log["each"]] == list(range(1, len(log["each"]) + 1))


@WIRES
def test_crossing_the_boundary_is_graded_as_crossed(
    server: ModelServer, instance: Instance, wire: str
) -> None:
    got = sat(
        instance, wire, Client(server.base_url, "scripted-double-booking-kr-changed", wire == "messages")
    )
    assert got["crossed"] and got["unmet"] == ["asked_first"] and got["commits"] == 3


def test_tokens_of_a_conversation_do_not_hang_on_the_run(server: ModelServer, instance: Instance) -> None:
    """The same conversation, the same count; and each class is a part of what was sent."""
    used: list[list[Tokens]] = []
    for _ in range(2):
        client = Client(server.base_url, STRICT)
        sat(instance, "messages", client)
        used.append(client.used)
    assert used[0] == used[1]
    assert used[0][0].cache_write and not used[0][0].cache_read
    assert all(u.cache_read > before.cache_read for before, u in zip(used[0], used[0][1:], strict=False))


def test_eight_clients_at_once(server: ModelServer, instance: Instance) -> None:
    wires = [w for w in LOOPS for _ in range(3)][:8]
    clients = [Client(server.base_url, STRICT, n % 2 == 0) for n in range(8)]
    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(lambda wc: sat(instance, *wc), zip(wires, clients, strict=True)))
    assert all(g == server.scripts["double-booking-kr-strict"].expects for g in got)
    total = server.log()["total"]["usage"]
    assert total == {c: sum(getattr(u, c) for k in clients for u in k.used) for c in total}


# ---- ways in which clients differ ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wire", "name"),
    [
        ("chat", "errands_{}"),
        ("chat", "errands.{}"),
        ("messages", "mcp__errands__{}"),
        ("responses", "errands-{}"),
    ],
)
def test_tools_under_the_clients_own_names(
    server: ModelServer, instance: Instance, wire: str, name: str
) -> None:
    client = Client(server.base_url, BRIEF, name=name.format, all_tools=True)
    assert sat(instance, wire, client)["commits"] == 1
    assert name.format("mail_draft") in server.log()["offered"][0]


def test_tools_in_a_namespace(server: ModelServer, instance: Instance) -> None:
    client = Client(server.base_url, STRICT, True, namespace="mcp__errands__")
    assert sat(instance, "responses", client)["strict"]
    assert "mcp__errands__mail_draft" in server.log()["offered"][0]


@pytest.mark.parametrize(
    "shows",
    [
        lambda text: [{"type": "text", "text": text}],
        lambda text: [{"type": "text", "text": json.dumps({"result": json.loads(text)})}],
        lambda text: json.dumps({"type": "text", "text": text, "annotations": None}),
        lambda text: json.dumps([{"type": "text", "text": text}]),
        lambda text: f"Wall time: 0.01 seconds\nOutput:{text}",
        lambda text: (
            f"[mail] said: {json.dumps({'content': [{'type': 'text', 'text': text}], 'isError': False})}"
        ),
    ],
    ids=["parts", "result", "one part", "list of parts", "lines before", "whole MCP result"],
)
def test_results_as_clients_wrap_them(server: ModelServer, instance: Instance, shows: Any) -> None:
    assert sat(instance, "chat", Client(server.base_url, BRIEF, shows=shows))["commits"] == 1


@STREAMS
def test_only_what_is_new_with_the_previous_response(
    server: ModelServer, instance: Instance, stream: bool
) -> None:
    client = Client(server.base_url, STRICT, stream, chained=True)
    assert sat(instance, "responses", client)["strict"]


def test_an_unknown_previous_response_is_refused(server: ModelServer) -> None:
    client = openai_client(server.base_url)
    with pytest.raises(openai.NotFoundError, match="resp_none"):
        client.responses.create(model=STRICT, input="Go on.", previous_response_id="resp_none")


@WIRES
def test_a_second_turn(server: ModelServer, instance: Instance, wire: str) -> None:
    """The yes is asked for in words: the user's answer comes as a turn of its own."""
    client = Client(server.base_url, "scripted-double-booking-kr-chat", wire == "chat")
    assert sat(instance, wire, client)["strict"]


@WIRES
@STREAMS
def test_parallel_calls(server: ModelServer, instance: Instance, wire: str, stream: bool) -> None:
    client = Client(server.base_url, "scripted-double-booking-kr-parallel", stream)
    assert sat(instance, wire, client)["strict"]
    assert client.at_once == 3


@WIRES
def test_a_turn_that_is_ended_by_a_tool(server: ModelServer, instance: Instance, wire: str) -> None:
    """What is said goes through `end_turn` where it is offered; a script that insists says so where it is not."""
    for name in ("scripted-double-booking-kr-chat", "scripted-double-booking-kr-ends"):
        assert sat(instance, wire, Client(server.base_url, name, end_turn=True))["strict"]
    assert server.log()["problems"] == []
    sat(instance, wire, Client(server.base_url, "scripted-double-booking-kr-ends"))
    assert "no tool end_turn" in server.log()["problems"][0]


def test_the_instruction_picks_the_script(server: ModelServer) -> None:
    for script in scripts_for(DOUBLE, "kr").values():
        got = find_task(DOUBLE).instance("kr", script.variant)
        assert sat(got, "chat", Client(server.base_url, f"openai/scripted-{script.kind}")) == script.expects
    with pytest.raises(openai.NotFoundError, match="has the instruction"):
        ask(server, "scripted-strict")


def test_a_request_that_is_none_of_the_agents_work(server: ModelServer) -> None:
    """Titles and probes come without the exam's tools."""
    for model in (STRICT, "scripted-strict"):
        for tools in ((), ("web_search", "fetch")):
            assert ask(server, model, tools=tools).choices[0].message.content == "A short title"
    assert server.log()["problems"] == []


def test_an_agent_that_has_lost_the_tools_is_noted(server: ModelServer, instance: Instance) -> None:
    """It begins before its MCP client is connected: the errand is there, and only its own tools are."""
    sat(instance, "chat", Client(server.base_url, STRICT, name=lambda tool: f"own{tool[:3]}"))
    assert "none is the exam's" in server.log()["problems"][0]


def test_by_hand(tmp_path: Path) -> None:
    """A folder of scripts, a process, and its address on the first line."""
    for script in scripts_for(DOUBLE, "kr").values():
        (tmp_path / f"{script.name}.json").write_text(script.to_json(), encoding="utf-8")
    command = [sys.executable, "-m", "tests.clients.model_server", "--port", "0", "--scripts", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as served:
        assert served.stdout is not None
        url = served.stdout.readline().strip()
        try:
            models = {m["id"] for m in get(f"{url}/models")["data"]}
        finally:
            served.terminate()
    assert {STRICT, "scripted-double-booking-kr-refused", "scripted-crosses"} <= models


# ---- what else it answers ------------------------------------------------------------------------------------


def get(url: str, **more: Any) -> Any:
    with urllib.request.urlopen(urllib.request.Request(url, **more)) as answer:
        return json.loads(answer.read())


def test_models_log_and_reset(server: ModelServer) -> None:
    client = openai_client(server.base_url)
    assert {STRICT, "scripted-strict"} <= {m.id for m in client.models.list()}
    assert client.models.retrieve(STRICT).id == STRICT
    ask(server, STRICT)
    assert get(f"{server.url}/log") == server.log()
    assert server.log()["total"]["requests"] == 1
    get(f"{server.url}/reset", method="POST")
    assert server.log()["total"]["requests"] == 0


def test_keys_are_noticed_and_never_logged(server: ModelServer) -> None:
    ask(server, STRICT)
    body = json.dumps({"model": STRICT, "messages": []}).encode()
    for headers in ({"x-api-key": KEY}, {}):
        get(f"{server.base_url}/messages", data=body, headers=headers)
    auth = [e["auth"] for e in server.log()["each"]]
    assert [a and a["header"] for a in auth] == ["authorization", "x-api-key", None]
    assert auth[0]["sha256"] == auth[1]["sha256"] and KEY not in json.dumps(server.log())


def test_tokens_are_counted_ahead(server: ModelServer) -> None:
    client = anthropic_client(server.url)
    given: Any = {"model": STRICT, "messages": [{"role": "user", "content": "Please " * 40}]}
    ahead = client.messages.count_tokens(**given).input_tokens
    used = client.messages.create(max_tokens=9, **given).usage
    assert ahead == used.input_tokens + (used.cache_creation_input_tokens or 0) > 50


@pytest.mark.parametrize(
    "body", [b"no JSON", b'{"model": "scripted-strict", "messages": 3}'], ids=["no JSON", "no messages"]
)
def test_a_request_that_cannot_be_read(server: ModelServer, body: bytes) -> None:
    with pytest.raises(urllib.error.HTTPError) as why:
        get(f"{server.base_url}/chat/completions", data=body)
    assert why.value.code == 400 and "error" in json.loads(why.value.read())


def test_a_model_that_is_not_there(server: ModelServer) -> None:
    for model in ("gpt-9", "scripted-nobody"):
        with pytest.raises(openai.NotFoundError, match=model):
            ask(server, model)


def test_a_script_that_cannot_go_on_says_so(server: ModelServer, instance: Instance) -> None:
    """A client that hides the results: the model has no id, says so, and the log names the step."""
    got = sat(instance, "chat", Client(server.base_url, STRICT, shows=lambda text: "(output left out)"))
    assert not got["strict"]
    assert "step 3" in server.log()["problems"][0]
