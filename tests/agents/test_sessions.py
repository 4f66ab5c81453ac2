"""Agents of each kind over the fresh sessions of `ev-preference-update`, and woken by `ev-weekday-digest`."""

from __future__ import annotations

import json
import os
from typing import Any, ClassVar

import pytest

from errands.agents import resolve
from errands.doors.mcp import Host
from errands.evidence.regrade import open_bundle, regrade
from errands.exam.attempt import instance_of, limits_of, sit
from errands.exam.sitting import Sitting
from errands.grading.everyday import vector
from errands.grading.sessions import sessions
from errands.world import open_world
from tests.doors.mcp_seat import connected
from tests.tasks.sitting import attempt

from .canned import canned, said
from .programs import agent, sat

PREFERENCE, DIGEST = "ev-preference-update", "ev-weekday-digest"
ONE = instance_of(PREFERENCE, "us", 0, "en")

# What it hears decides what it does; what it knows stands in a file, or in the memory of the errand.
HEARS = """
said = "All right."
if "remember for the future" in message:
    put("likes tea")
elif "changed my mind" in message:
    put("likes coffee")
elif "delete" in message:
    put("")
elif "Which drink" in message:
    said = "You like " + got() if got() else "I know of none."
else:
    said = "I suggest " + got().removeprefix("likes ") + "."
print(said)
"""
OWN = """
file = HOME / "memory/notes.md"
def got():
    return file.read_text() if file.exists() else ""
def put(text):
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
"""
ELSEWHERE = OWN.replace("memory/notes.md", "notes.md").replace("file.parent.mkdir(exist_ok=True)", "pass")
APP = """
def entries():
    return json.loads(tool("memory_list"))
def got():
    return entries()[0]["text"] if entries() else ""
def put(text):
    for e in entries():
        tool("memory_delete", entry=e["entry"])
    if text:
        tool("memory_save", text=text)
"""


@pytest.mark.usefixtures("no_endpoint")
@pytest.mark.parametrize(
    ("memory", "score"),
    [(OWN, "22222"), (APP, "22222"), (ELSEWHERE, "00002")],
    ids=["own", "app", "elsewhere"],
)
def test_a_command_line_agent_over_real_fresh_sessions(tmp_path, memory, score):
    """What it keeps where its profile does not look is gone in the next session."""
    result = sat(agent(tmp_path / "a", memory + HEARS), task=PREFERENCE, market="us")
    assert result.end == ("completed", ""), result.files["agent.log"].decode()
    assert vector(result.verdict.scores) == score
    facts = json.loads(result.files["agent.json"])
    assert [t["session"] for t in facts["turns"]] == [1, 2, 2, 3, 3, 4]
    looks = result.opened.evidence.entries("event", "memory.seen")
    if memory == OWN:
        assert [next(iter(x.body["files"].values())) for x in looks] == ["likes tea", "likes coffee", ""]
        assert result.files["memory/1/memory/notes.md"] == b"likes tea"
    else:
        assert not any(x.body["files"] for x in looks)


def test_a_model_begins_a_conversation_of_its_own_in_each_session(monkeypatch):
    for name in list(os.environ):
        if name.startswith(("OPENAI_", "ANTHROPIC_", "GOOGLE_", "ERRANDS_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("ERRANDS_MODEL_API_KEY", "sk-of-a-test")
    with canned(said("All right.")) as endpoint:
        monkeypatch.setenv("ERRANDS_MODEL_BASE_URL", f"{endpoint.url}/v1")
        sit(resolve("model:openai-chat/m"), ONE)
    heard = [[m["content"] for m in b["messages"] if m["role"] == "user"] for b in endpoint.bodies]
    asks = ONE.key.asks
    assert heard == [
        [ONE.instruction],
        [asks[1]],
        [asks[1], asks[2]],
        [asks[3]],
        [asks[3], asks[4]],
        [asks[5]],
    ]
    days = [next(m["content"] for m in b["messages"] if m["role"] == "system") for b in endpoint.bodies]
    assert len(set(days)) == 1, "the world's date, told anew"


@pytest.mark.parametrize(
    ("task", "solution"), [(DIGEST, "oracle"), (DIGEST, "oracle:by_waiting"), (PREFERENCE, "oracle")]
)
def test_an_mcp_client_pulls_its_wakings_and_sessions(task, solution):
    instance = instance_of(task, "us", 0, "en")
    host = Host()
    host.run_in_thread()

    def work(sitting: Sitting) -> None:
        with connected(host.url(host.open(sitting))) as seat:
            instance.task.solutions[solution].run(seat, instance.key)

    try:
        got = attempt(instance, work)
    finally:
        host.stop()
    assert got.verdict.strict and got.verdict.scores["total"] == 10
    assert got.evidence.ledger[-1].name == "completed" and got.evidence.ledger[-1].at == instance.key.until


class Keeps:
    """A class as an agent: what an instance knows is gone with it."""

    born: ClassVar[list[int]] = []

    def __init__(self) -> None:
        self.heard = 0
        Keeps.born.append(1)

    def __call__(self, message: str, tools: Any) -> str:
        self.heard += 1
        return f"This is number {self.heard}."


def test_a_class_is_a_new_instance_in_each_session():
    from tests.exam.sat import Plain

    Keeps.born.clear()
    done = sit(Plain(Keeps), ONE, limits=limits_of(ONE))
    opened = open_bundle(done.sealed.data)
    assert [[x.text[-2:] for x in s] for s in sessions(opened.evidence)] == [
        ["1."],
        ["1.", "2."],
        ["1.", "2."],
        ["1."],
    ]
    assert len(Keeps.born) == 4
    assert vector(regrade(opened, ONE.key.to_json()).scores) == "00002"
    assert open_world(ONE.fixture.blob).meta["until"]
