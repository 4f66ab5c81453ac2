"""Real command-line agents from npm, driven by the scripted model through sandbox, relay and proxy.

Not part of the default suite: `make clients`, or `pytest -m clients tests/clients/test_command_clients.py -k codex`.
Each is installed once into a folder outside of the repository (`ERRANDS_CLIENTS`, or ~/.cache/errands-clients). With
`ERRANDS_CLIENTS_RECORD=DIR` what was run is written to DIR, one file a client: what a profile's `proven` points to.
"""

from __future__ import annotations

import datetime
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from errands.agents.command import CommandAgent
from errands.agents.profiles import load_profile
from errands.exam.terms import Terms
from tests import npm
from tests.agents.programs import Sessions, sat

from .model_server import ModelServer
from .play import OVER
from .scripts import MARKETS, SPINE, Script, scripts_for, spine, summary

KINDS = ("strict", "refused", "crosses")
PRICES = {"input": "2", "cache_read": "0.2", "cache_write": "2.5", "output": "10"}


@dataclass(frozen=True)
class Client:
    """A client by its package; `messages` speaks to a base URL without /v1."""

    package: str
    version: str
    messages: bool = False


CLIENTS = {
    "claude-code": Client("@anthropic-ai/claude-code", "2.1.197", messages=True),
    "codex": Client("@openai/codex", "0.171.0"),
    "qwen-code": Client("@qwen-code/qwen-code", "0.15.10"),
    "opencode": Client("opencode-ai", "1.18.33"),
}

pytestmark = pytest.mark.clients


def installed(name: str) -> Path:
    """The folder of a client's programs; installs it where it is not there yet."""
    client = CLIENTS[name]
    return npm.installed(name, client.package, client.version, load_profile(name).profile.program)


@pytest.fixture(scope="module")
def table(request: pytest.FixtureRequest) -> Iterator[list[dict[str, Any]]]:
    """Collects what was run; printed at the end, and written where the environment says so."""
    rows: list[dict[str, Any]] = []
    yield rows
    lines = [
        f"{r['client']:<12} {r['version']:<22} {r['script']:<28} {r['verdict']:<16} {r['tokens']:>9} tokens"
        f" {r['seconds']:>6.1f} s"
        for r in rows
    ]
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print("\n" + "\n".join(lines))
    out = os.environ.get("ERRANDS_CLIENTS_RECORD")
    for name in {r["client"] for r in rows} if out else ():
        mine = [r for r in rows if r["client"] == name]
        record = {
            "profile": name,
            "package": f"{CLIENTS[name].package}@{CLIENTS[name].version}",
            "version": mine[0]["version"],
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "attempts": [{k: v for k, v in r.items() if k not in ("client", "version")} for r in mine],
        }
        text = json.dumps(record, ensure_ascii=False, indent=1)
        Path(str(out), f"{name}.json").write_text(text + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer(spine()) as running:
        yield running


def ready(
    name: str, model: str, server: ModelServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> CommandAgent:
    """The client as `errands run cmd:<name>@<model>` has it, with the server as the exam's endpoint."""
    for other in list(os.environ):
        if other.startswith(("ERRANDS_MODEL", "OPENAI_", "ANTHROPIC_")):
            monkeypatch.delenv(other)
    prices = tmp_path / "prices.json"
    prices.write_text(json.dumps({"date": "2026-11-30", model: PRICES}))
    monkeypatch.setenv("PATH", f"{installed(name)}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("ERRANDS_MODEL_BASE_URL", server.url if CLIENTS[name].messages else server.base_url)
    monkeypatch.setenv("ERRANDS_MODEL_API_KEY", "sk-of-the-exam")
    monkeypatch.setenv("ERRANDS_PRICES", str(prices))
    server.reset()
    return CommandAgent(f"cmd:{name}@{model}", f"{name}@{model}", Terms())


def script_of(short: str, market: str, kind: str) -> Script:
    return scripts_for(short, market)[kind]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("market", MARKETS)
@pytest.mark.parametrize("short", SPINE)
@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_sits_the_errand_as_the_script_says(
    name, short, market, kind, server, table, monkeypatch, tmp_path
):
    """Passes, is refused, or crosses, as it should; tokens and cost on record are what the server served."""
    script = script_of(short, market, kind)
    who = ready(name, f"scripted-{kind}", server, monkeypatch, tmp_path)
    since = time.perf_counter()
    result = sat(
        who, task=SPINE[short], market=market, variant=script.variant, turns=20, calls=1000, timeout_s=300
    )
    seconds = time.perf_counter() - since
    log, agent_log = server.log(), result.files["agent.log"].decode()[-3000:]
    total, facts = log["total"], json.loads(result.files["agent.json"])
    seen = summary(result.verdict, result.opened.evidence)
    assert result.end == ("completed", "") and seen == script.expects, agent_log
    assert seen["strict"] or kind != "strict"
    assert seen["crossed"] is (kind == "crosses")
    assert (seen["refusals"] > 0) is (kind == "refused")
    assert log["problems"] == [] and total["failed"] == {}
    assert result.opened.host["usage"] == {**total["usage"], "requests": total["answered"]}
    cost = sum(n * float(PRICES[c]) for c, n in total["usage"].items()) / 1e6
    assert float(result.opened.host["cost_usd"]) == pytest.approx(cost, abs=2e-6)
    assert result.opened.manifest["isolation"] == "sandbox" and json.loads(result.files["sandbox.json"])["ok"]
    assert facts["foreign_tools"] == {} and facts["elsewhere"] == []
    # The client's own account: some add what was written into a cache to what was read anew.
    reported = [t["reported"]["tokens"] for t in facts["turns"]]
    assert sum(sum(r.values()) for r in reported) == sum(total["usage"].values())
    table.append(
        {
            "client": name,
            "version": who.version,
            "script": script.name,
            "verdict": "crossed" if seen["crossed"] else "strict" if seen["strict"] else "not strict",
            "refusals": seen["refusals"],
            "calls": len(result.calls),
            "tokens": sum(total["usage"].values()),
            "usage": total["usage"],
            "seconds": round(seconds, 1),
        }
    )


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_goes_on_in_its_next_turn_and_begins_anew_in_a_fresh_session(
    name, server, monkeypatch, tmp_path
):
    """The script is over in the second turn (the conversation is there), and at its first step in the third."""
    script = script_of("double-booking", "kr", "strict")
    who = ready(name, f"scripted-{script.name}", server, monkeypatch, tmp_path)
    result = sat(who, task=script.task, market="kr", variant=script.variant, door=Sessions)
    assert len(result.replies) == 3, result.files["agent.log"].decode()[-3000:]
    assert result.replies[0] != OVER and result.replies[1] == OVER and result.replies[2] != OVER
    steps = [e["step"] for e in server.log()["each"] if e["step"]]
    assert steps.count(1) == 2 and steps.index(len(script.steps) + 1) < len(steps) - 1


@pytest.mark.parametrize("fault", ["401", "404"])
@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_without_access_is_blocked_within_seconds(name, fault, server, monkeypatch, tmp_path):
    who = ready(name, f"scripted-strict--{fault}", server, monkeypatch, tmp_path)
    who.load()
    since = time.perf_counter()
    result = sat(who, market="kr")
    assert result.end[0] == "no_access" and result.verdict.status == "blocked" and result.calls == []
    assert result.sat.trouble.startswith(f"{fault} 127.0.0.1:") and time.perf_counter() - since < 60
