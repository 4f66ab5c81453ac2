"""Faults of the scripted model server, as the official SDKs meet them."""

from __future__ import annotations

import json

import anthropic
import openai
import pytest

from errands.exam.sitting import Sitting
from errands.tasks.task import Instance
from errands.world import open_world

from .loops import Client, openai_client, sit
from .model_server import ModelServer
from .scripts import WIDE
from .trying import STREAMS, STRICT, WIRES, ask, sat


@WIRES
@STREAMS
@pytest.mark.parametrize("fault", ["401", "404", "limited", "500", "529"])
def test_error_answers(server: ModelServer, instance: Instance, wire: str, stream: bool, fault: str) -> None:
    status = {"limited": 429}.get(fault, fault)
    with pytest.raises((openai.APIStatusError, anthropic.APIStatusError)) as why:
        sat(instance, wire, Client(server.base_url, f"{STRICT}--{fault}", stream))
    assert getattr(why.value, "status_code", None) == int(status)
    assert server.log()["total"]["failed"] == {str(status): 1}
    assert server.log()["total"]["usage"]["input"] == 0


def test_too_many_requests_twice_then_fine(server: ModelServer) -> None:
    with pytest.raises(openai.RateLimitError):
        ask(server, f"{STRICT}--429")
    server.reset()
    assert ask(server, f"{STRICT}--429", max_retries=2).choices[0].message.tool_calls
    assert [e["status"] for e in server.log()["each"]] == [429, 429, 200]


@WIRES
@STREAMS
def test_a_connection_cut_in_the_middle(
    server: ModelServer, instance: Instance, wire: str, stream: bool
) -> None:
    """From the third call on: the tokens of the first two count, and the answer that broke off does not."""
    client = Client(server.base_url, f"{STRICT}--cut.3", stream)
    with pytest.raises(Exception, match=r"Connection error|closed|reset|incomplete"):
        sat(instance, wire, client)
    log = server.log()
    assert [e["status"] for e in log["each"]] == [200, 200, "cut"]
    assert log["total"]["usage"]["output"] == sum(u.output for u in client.used)


def test_a_hang(server: ModelServer) -> None:
    with pytest.raises(openai.APITimeoutError):
        ask(server, f"{STRICT}--hang30", timeout=0.2)
    assert ask(server, f"{STRICT}--hang0").choices[0].message.tool_calls


@WIRES
@STREAMS
def test_a_body_that_is_no_json(server: ModelServer, instance: Instance, wire: str, stream: bool) -> None:
    with pytest.raises(Exception):  # noqa: B017  (each SDK has its own)
        sat(instance, wire, Client(server.base_url, f"{STRICT}--garbled", stream))
    assert server.log()["total"]["failed"] == {"garbled": 1}


def test_arguments_that_are_no_json(server: ModelServer) -> None:
    call = ask(server, f"{STRICT}--badargs").choices[0].message.tool_calls[0]
    with pytest.raises(ValueError):
        json.loads(call.function.arguments)


@WIRES
@STREAMS
def test_a_refusal(server: ModelServer, instance: Instance, wire: str, stream: bool) -> None:
    world = open_world(instance.fixture.blob)
    client = Client(server.base_url, f"{STRICT}--refusal", stream)
    assert sit(wire, client, Sitting(world, WIDE)) == ["I can't help with that."]
    world.close()


def test_a_fault_by_header(server: ModelServer) -> None:
    client = openai_client(server.base_url)
    with pytest.raises(openai.AuthenticationError):
        client.responses.create(model=STRICT, input="Please.", extra_headers={"x-fault": "401"})
