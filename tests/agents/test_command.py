"""Command-line agents in the real sandbox: what they get, what they keep, and what is refused before a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from errands.agents.command import CommandAgent
from errands.core.errors import UsageError
from errands.exam.sandbox import SandboxFault
from errands.exam.sandbox.bubblewrap import Bubblewrap
from errands.exam.terms import Terms

from .programs import LOOP, REAL, Sessions, agent, sat

pytestmark = pytest.mark.usefixtures("no_endpoint")


# ---- a whole errand ----------------------------------------------------------------------------------------------


def test_a_program_with_a_model_does_the_errand_and_every_token_is_on_record(tmp_path, served):
    result = sat(agent(tmp_path / "a", LOOP, model="scripted-strict"), market="kr")
    assert result.verdict.strict and result.end == ("completed", ""), result.files["agent.log"].decode()
    total = served.log()["total"]
    assert result.opened.host["usage"] == {**total["usage"], "requests": total["answered"]}
    assert result.opened.manifest["isolation"] == "sandbox"
    receipt = json.loads(result.files["sandbox.json"])
    assert receipt["ok"] and all(c["ok"] for c in receipt["checks"])
    traced = [json.loads(line) for line in result.files["model.jsonl"].splitlines()]
    assert [c["tool"] for t in traced for c in t["calls"]] == result.calls
    assert traced[-1]["text"] == result.replies[-1]
    facts = json.loads(result.files["agent.json"])
    assert facts["profile"] == "mine" and [t["code"] for t in facts["turns"]] == [0] * len(result.replies)


def test_what_it_gets_holds_nothing_of_ours(tmp_path, served):
    """Its world's date is in the first turn, its endpoints in variables; no key, no path, no other process."""
    result = sat(
        agent(
            tmp_path / "a",
            """
seen = [message, json.dumps(dict(os.environ)), os.getcwd()]
seen += [p.read_text(errors="replace") for p in pathlib.Path("/proc").glob("[0-9]*/cmdline")]
print(json.dumps(seen))
""",
        )
    )
    said = result.replies[0]
    message, env, cwd, *processes = json.loads(said)
    env = json.loads(env)
    assert "Tuesday, 2026-11-03" in message and "Asia/Singapore" in message
    assert env["ERRANDS_DATE"] == "2026-11-03" and env["ERRANDS_TURN"] == "1" and cwd == "/work"
    assert env["OPENAI_BASE_URL"] == env["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:7302/model"
    for secret in (REAL, str(Path(__file__).parents[2]), "errands.exam"):
        assert secret not in said.replace("ERRANDS_", "")
    assert len(processes) < 8
    for name in ("ERRANDS_MCP_SECRET", "OPENAI_API_KEY"):
        assert env[name].encode() not in result.files["agent.log"] + result.files["agent.json"]


def test_the_same_server_by_stdio(tmp_path):
    result = sat(
        agent(
            tmp_path / "a",
            """
lines = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
     "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "calendar_calendars", "arguments": {}}},
]
server = subprocess.Popen(os.environ["ERRANDS_MCP_COMMAND"].split(), stdin=-1, stdout=-1, text=True)
for line in lines:
    print(json.dumps(line), file=server.stdin, flush=True)
    answer = json.loads(server.stdout.readline()) if "id" in line else None
server.stdin.close()
print(server.wait(), answer["result"]["isError"] if "isError" in answer["result"] else False)
""",
        )
    )
    assert result.replies == ["0 False"] and result.calls == ["calendar_calendars"]


# ---- sessions ----------------------------------------------------------------------------------------------------


LOOK = """
def files(top, like="**/*"):
    return sorted(str(p.relative_to(top)) for p in pathlib.Path(top).glob(like) if not p.is_dir())
print(json.dumps([files(HOME), files("/work"), files("/tmp", "tmp-*"), "2026" in message]))
turn = os.environ["ERRANDS_TURN"]
(HOME / "memory/deep").mkdir(parents=True, exist_ok=True)
(HOME / f"memory/deep/{turn}.md").write_text("I remember " + os.environ["ERRANDS_MCP_SECRET"])
(HOME / f"other-{turn}").touch()
pathlib.Path(f"work-{turn}").touch()
pathlib.Path(f"/tmp/tmp-{turn}").touch()
if not (HOME / "memory/link").is_symlink():
    (HOME / "memory/link").symlink_to("/etc/hostname")
"""


def test_memory_survives_a_fresh_session_and_nothing_else_does(tmp_path):
    result = sat(agent(tmp_path / "a", LOOK), door=Sessions)
    first, second, third = (json.loads(r) for r in result.replies)
    assert first == [[], [], [], True]
    assert second == [["memory/deep/1.md", "memory/link", "other-1"], ["work-1"], [], False]
    assert third == [["memory/deep/1.md", "memory/deep/2.md"], [], [], True], "and the date is said again"
    kept = {n: d for n, d in result.files.items() if n.startswith("memory/")}
    assert sorted(kept) == [
        "memory/1/memory/deep/1.md",
        "memory/1/memory/deep/2.md",
        "memory/2/memory/deep/1.md",
        "memory/2/memory/deep/2.md",
        "memory/2/memory/deep/3.md",
    ]
    assert set(kept.values()) == {b"I remember ***"}, "without the attempt's secret"


def test_nothing_passes_from_one_attempt_to_the_next(tmp_path):
    who = agent(tmp_path / "a", LOOK)
    for _ in range(2):
        assert json.loads(sat(who).replies[0]) == [[], [], [], True]


# ---- what is refused before anything is planned ------------------------------------------------------------------


def test_a_program_that_is_not_there_is_said_with_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "x")
    with pytest.raises(UsageError, match=r"'claude'.*npm install -g @anthropic-ai/claude-code"):
        CommandAgent("cmd:claude-code", "claude-code", Terms()).load()
    with pytest.raises(UsageError, match=r"no program 'codx@m'.*did you mean cmd:codex\?"):
        CommandAgent("cmd:codx@m", "codx@m", Terms()).load()


def test_without_a_sandbox_only_with_unsafe_host_and_that_is_on_the_evidence(tmp_path, monkeypatch):
    who = agent(tmp_path / "a", "print('hello', os.getcwd() == '/work')")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="bubblewrap is not installed"):
        who.load()
    monkeypatch.undo()
    result = sat(
        agent(
            tmp_path / "a",
            "tool('calendar_calendars'); print('hello', os.getcwd() == '/work')",
            unsafe_host=True,
        )
    )
    assert result.opened.manifest["isolation"] == "unsafe-host" and result.replies == ["hello False"]
    assert result.calls == ["calendar_calendars"] and not json.loads(result.files["sandbox.json"])["ok"]


def test_a_program_beside_the_exam_is_refused(tmp_path):
    where = Path(__file__).parents[2]
    with pytest.raises(UsageError, match="errands"):
        agent(tmp_path / "a", "print()", reads=(str(where),)).load()


def test_a_model_without_price_is_refused_under_max_cost(tmp_path, served, monkeypatch):
    with pytest.raises(UsageError, match="nobody knows the price of scripted-strict"):
        agent(tmp_path / "a", LOOP, model="scripted-strict", max_cost="1").load()
    prices = tmp_path / "prices.json"
    prices.write_text(json.dumps({"date": "2026-11-30", "scripted-strict": {"input": "1", "output": "2"}}))
    monkeypatch.setenv("ERRANDS_PRICES", str(prices))
    result = sat(agent(tmp_path / "a", LOOP, model="scripted-strict", max_cost="1"), market="kr")
    u = served.log()["total"]["usage"]
    cost = (u["input"] + u["cache_read"] + u["cache_write"] + 2 * u["output"]) / 1e6
    assert float(result.opened.host["cost_usd"]) == pytest.approx(cost, abs=1e-6) and result.verdict.strict


def test_a_sandbox_that_is_not_tight_is_our_fault(tmp_path, monkeypatch):
    def leaky(self: Any, box: Any, env: Any) -> Any:
        fault = SandboxFault("the agent could see the repository")
        fault.receipt = {"ok": False, "checks": [{"name": "repository", "ok": False}]}
        raise fault

    monkeypatch.setattr(Bubblewrap, "probe", leaky)
    result = sat(agent(tmp_path / "a", "tool('mail_list')"))
    assert (result.end[0], result.verdict.status, result.calls) == ("sandbox_fault", "invalid", [])
    assert json.loads(result.files["sandbox.json"])["ok"] is False
