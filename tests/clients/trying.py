"""Trying the model server: a client sits an instance, or asks a single thing."""

from __future__ import annotations

from typing import Any

import openai
import pytest

from errands.exam.sitting import Sitting
from errands.grading.evidence import Evidence, open_readonly
from errands.tasks.task import Instance
from errands.world import open_world

from .loops import LOOPS, Client, openai_client, sit
from .model_server import ModelServer
from .scripts import WIDE, graded, summary

WIRES = pytest.mark.parametrize("wire", LOOPS)
STREAMS = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
STRICT = "scripted-double-booking-kr-strict"
BRIEF = "scripted-double-booking-kr-brief"


def sat(instance: Instance, wire: str, client: Client) -> dict[str, Any]:
    """Let a client sit the instance; the summary of what came of it."""
    world = open_world(instance.fixture.blob)
    sitting = Sitting(world, WIDE)
    sit(wire, client, sitting)
    sitting.close("completed")
    evidence = Evidence(open_readonly(world.snapshot()))
    world.close()
    return summary(graded(evidence, instance), evidence)


def ask(server: ModelServer, model: str, *, tools: tuple[str, ...] = ("mail_search",), **more: Any) -> Any:
    """One chat request with a conversation that has only begun."""
    client = openai_client(server.base_url)
    offered: Any = [{"type": "function", "function": {"name": t, "parameters": {}}} for t in tools]
    messages: Any = [{"role": "user", "content": "Please."}]
    return client.with_options(**more).chat.completions.create(
        model=model, messages=messages, tools=offered or openai.omit
    )
