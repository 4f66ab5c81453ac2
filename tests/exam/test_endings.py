"""Every end reason, injected where it comes from: the table of endings has no row that nothing leads to."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from errands.agents.reference import reference
from errands.core.usage import Usage
from errands.evidence.regrade import open_bundle, regrade
from errands.exam.attempt import instance_of, rescue, sit
from errands.exam.desk import ForeignTool, NoAccess
from errands.exam.sitting import Limits
from errands.grading.endings import ENDINGS
from errands.world.app import app

from .sat import BOOKING, Plain

ROOT = Path(__file__).resolve().parents[2]


def instance():
    return instance_of(BOOKING, "sg", 0, "en")


def of(agent, **limits):
    sat = sit(agent, instance(), limits=Limits(**{"timeout_s": 20, **limits}), graded=False)
    return open_bundle(sat.sealed.data)


def fn(body, **limits):
    return of(Plain(body), **limits)


class Pumped(Plain):
    """An agent that is a driver: what its `sit` does is given."""

    def __init__(self, body):
        super().__init__(lambda: None)
        self.body = body

    def sit(self, sitting, instance, desk):
        sitting.next()
        self.body(sitting, desk)


def raising(why):
    def body(sitting, desk):
        raise why

    return of(Pumped(body))


def tokens(sitting, desk):
    desk.model_call(model="m", seconds=0, usage=Usage(input=60, requests=1), cost=None)
    if desk.usage.tokens >= desk.token_limit:
        sitting.close("token_limit")


def often(message, tools):
    while True:
        tools.clock_now()


def much(message, tools):
    while True:
        tools.files_write(path="workspace/a.txt", text=os.urandom(40_000).hex())


def died(monkeypatch, folder):
    """Its process is gone: what stands in its file is sealed by another."""
    sealed = rescue(Path("/nowhere"), Plain(lambda: None), instance(), "agent_died", n=1, tries=3, repeat=1)
    return open_bundle(sealed.data)


def broken_world(monkeypatch, folder):
    tool = app("clock").tools["clock_now"]
    assert tool.spec and tool._validate
    monkeypatch.setattr(tool, "run", lambda world, **args: 1 / 0)
    return fn(lambda message, tools: tools.clock_now())


def broken_server(monkeypatch, folder):
    """The MCP server between a sandboxed program and its world raises."""
    from errands.doors.mcp_server import Endpoint

    from ..agents.programs import agent

    def boom(self, tool, args):
        self.fault = RuntimeError("planted")
        return '{"code": "fault"}', True

    monkeypatch.setattr(Endpoint, "call", boom)
    return of(agent(folder, "print(tool('clock_now'))"))


def leaky_sandbox(monkeypatch, folder):
    """The preflight finds a variable that nobody granted."""
    from errands.exam.sandbox import bubblewrap

    from ..agents.programs import agent

    whole = bubblewrap.Bubblewrap.__init__

    def leaky(self, *args, **more):
        whole(self, *args, **more)
        self._hole = bubblewrap._Hole(env={"AWS_SECRET_ACCESS_KEY": "planted"})

    monkeypatch.setattr(bubblewrap.Bubblewrap, "__init__", leaky)
    return of(agent(folder, "print('hello')"))


INJECTED = {
    "completed": lambda m, d: of(reference("oracle")),
    "turn_limit": lambda m, d: fn(lambda message, tools: "Shall I go on?", turns=2),
    "call_limit": lambda m, d: fn(often, calls=5),
    "token_limit": lambda m, d: of(Pumped(tokens), tokens=50),
    "size_limit": lambda m, d: fn(much),
    "timeout": lambda m, d: of(Pumped(lambda sitting, desk: desk.stopped.wait(20)), timeout_s=0.2),
    "agent_error": lambda m, d: fn(lambda message, tools: 1 / 0),
    "agent_died": died,
    "bad_reply": lambda m, d: fn(lambda message, tools: 7),
    "no_access": lambda m, d: raising(NoAccess("401", where="http://model.example")),
    "foreign_tool": lambda m, d: raising(ForeignTool("gmail_send")),
    "world_fault": broken_world,
    "server_fault": broken_server,
    "sandbox_fault": leaky_sandbox,
    # "grading_fault" comes after the sitting: see below
}


@pytest.mark.parametrize("reason", INJECTED)
def test_each_fault_ends_for_its_reason_and_is_scored_as_the_table_says(reason, monkeypatch, tmp_path):
    opened = INJECTED[reason](monkeypatch, tmp_path / "agent")
    monkeypatch.undo()
    assert opened.manifest["end_reason"] == reason, opened.evidence.ledger[-1].body
    verdict = regrade(opened, instance().key.to_json())
    assert verdict.status == ENDINGS[reason].status
    assert bool(verdict.scores) == (verdict.status == "graded")
    assert not verdict.strict or reason == "completed"


def test_a_criterion_that_raises_is_our_fault(monkeypatch):
    opened = of(reference("oracle"))
    task = instance().task
    first = next(iter(task.criteria))

    def boom(e, k):
        raise RuntimeError("planted")

    broken = [first.__class__(first.id, first.kind, boom), *list(task.criteria)[1:]]
    monkeypatch.setattr(type(task), "criteria", property(lambda self: tuple(broken)))
    verdict = regrade(opened, instance().key.to_json())
    assert (verdict.end_reason, verdict.status, verdict.scores) == ("grading_fault", "invalid", {})


def test_the_table_the_tests_and_the_page_agree():
    assert {*INJECTED, "grading_fault"} == set(ENDINGS)
    page = (ROOT / "docs" / "attempt.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (\w+) \| (.+) \|$", page, re.MULTILINE)
    assert rows == [(name, e.by, e.status, e.means) for name, e in ENDINGS.items()]
