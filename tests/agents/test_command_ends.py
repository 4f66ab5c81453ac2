"""How command-line agents end: each by its own deed, and nothing is scored that their endpoint did."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from tests.exam.command import errands

from .programs import BOOKING, LOOP, agent, sat, written

pytestmark = pytest.mark.usefixtures("no_endpoint")


# ---- ends --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code, why",
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", "exit code 137"),
        ("raise ValueError('lost my way')", "ValueError: lost my way"),
    ],
)
def test_a_program_that_dies_is_graded_by_what_it_had_done(tmp_path, code, why):
    cross = """
draft = json.loads(tool("mail_draft", to=["bryan.chua@larkspur.example"], subject="x", body="y"))
tool("mail_send", draft=draft["draft"])
"""
    result = sat(agent(tmp_path / "a", cross + code))
    assert result.end[0] == "agent_error" and why in result.end[1]
    assert result.verdict.status == "graded" and result.verdict.crossed and not result.verdict.strict


def test_a_program_that_does_not_end_is_ended_with_all_that_it_started(tmp_path):
    """Its calls are used up; a child that has left session and parent goes with it, before anything is graded."""
    result = sat(
        agent(
            tmp_path / "a",
            """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execvp("sleep", ["sleep", "3333.25"])
    os._exit(0)
while True:
    tool("calendar_calendars")
""",
        ),
        calls=3,
    )
    assert (
        result.end[0] == "call_limit" and not result.sat.stray and result.calls == ["calendar_calendars"] * 3
    )
    assert result.verdict.status == "graded" and _running("3333.25") == []


def test_a_program_that_sleeps_on_is_ended_when_its_time_is_over(tmp_path):
    result = sat(agent(tmp_path / "a", "os.execvp('sleep', ['sleep', '3333.75'])"), timeout_s=1)
    assert result.end[0] == "timeout" and not result.sat.stray and result.verdict.status == "graded"
    assert _running("3333.75") == []


def test_a_daemon_does_not_outlive_its_turn(tmp_path):
    """The program has replied and gone; what it left behind can neither stay nor call on."""
    result = sat(
        agent(
            tmp_path / "a",
            """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in (0, 1, 2):
            os.close(fd)
        while True:
            tool("files_write", path="workspace/ghost.txt", text="x")
            time.sleep(3 if (HOME / "seen").exists() else 0.01)
            (HOME / "seen").touch()
    os._exit(0)
while not (HOME / "seen").exists():
    time.sleep(0.01)
print("done")
""",
        )
    )
    assert result.end[0] == "completed" and set(result.calls) == {"files_write"}
    assert _running("agent.py") == []


def _running(word: str) -> list[int]:
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = file.read_bytes().split(b"\0")
        except OSError:
            continue
        if (
            any(word in w.decode(errors="replace") for w in words[:4])
            and int(file.parent.name) != os.getpid()
        ):
            found.append(int(file.parent.name))
    return found


# ---- the model's side --------------------------------------------------------------------------------------------


def test_another_host_is_refused_and_recorded(tmp_path, served):
    result = sat(
        agent(
            tmp_path / "a",
            """
proxy = os.environ["OPENAI_BASE_URL"].rpartition("/")[0]
key = os.environ["OPENAI_API_KEY"]
said = [post(proxy + "/openai/v1/chat/completions", {"model": "m"}, key)[0]]
opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy}))
try:
    opener.open("http://mail.example.com/inbox")
except urllib.error.HTTPError as why:
    said.append(why.code)
try:
    urllib.request.urlopen("http://192.0.2.1/", timeout=5)
except urllib.error.URLError as why:
    said.append("no network")
print(said)
""",
        )
    )
    assert result.replies == ["[403, 403, 'no network']"]
    facts = json.loads(result.files["agent.json"])
    assert [(e["method"], e["path"]) for e in facts["elsewhere"]] == [
        ("POST", "/openai/v1/chat/completions"),
        ("GET", "/inbox"),
    ]
    assert facts["elsewhere"][1]["host"] == "mail.example.com" and served.log()["each"] == []


SHELL = """
status, answer = model(tools=[{"type": "function", "function": {"name": n}} for n in ("calendar_events", "shell")])
print("the model said", status)
"""


def test_a_foreign_tool_ends_the_attempt_before_the_model_hears_of_it(tmp_path, served):
    result = sat(agent(tmp_path / "a", SHELL, model="scripted-strict"))
    assert result.end[0] == "foreign_tool" and "shell" in result.end[1] and "calendar" not in result.end[1]
    assert result.verdict.status == "blocked" and served.log()["each"] == [] and "shell" in result.sat.trouble


def test_a_foreign_tool_that_is_allowed_is_written_down(tmp_path, served):
    result = sat(agent(tmp_path / "a", SHELL, model="scripted-strict", foreign_tools=("sh*",)), market="kr")
    assert result.end[0] == "completed" and json.loads(result.files["agent.json"])["foreign_tools"] == {
        "shell": "allowed"
    }


@pytest.mark.parametrize("fault", ["401", "404", "500", "cut", "garbled"])
def test_an_agent_that_cannot_reach_its_model_is_blocked_and_not_scored(tmp_path, served, fault):
    """A refusal at once; what may pass only when the program has given up over it."""
    result = sat(agent(tmp_path / "a", LOOP, model=f"scripted-strict--{fault}.2"), market="kr")
    assert result.end[0] == "no_access" and result.verdict.status == "blocked", result.files["agent.log"]
    kind = {"cut": "unreachable", "garbled": "unreadable"}.get(fault, fault)
    assert result.sat.trouble.startswith(f"{kind} 127.0.0.1:") and len(result.calls) == 1


def test_a_dead_key_stops_the_run_within_seconds(tmp_path, served):
    code, record, seconds = _run(tmp_path, "scripted-strict--401", "--attempts", "5")
    assert code == 3 and record["counts"] == {
        "planned": 5,
        "graded": 0,
        "blocked": 3,
        "invalid": 0,
        "not_run": 2,
    }
    assert record["strict_passes"] == 0 and not any(r["scores"] for r in record["attempts"])
    assert "401" in record["stopped"] and seconds < 90, "a few on an idle machine"


@pytest.mark.parametrize("jobs", ["1", pytest.param("8", marks=pytest.mark.slow)])
def test_an_empty_purse_leaves_attempts_not_run(tmp_path, served, jobs):
    """What a call may need at worst is put aside before it goes out: eight at once hold the limit as one does."""
    limit = 150_000
    _, record, _ = _run(
        tmp_path, "scripted-strict", "--attempts", "4", "--jobs", jobs, "--max-tokens", str(limit)
    )
    counts, used = record["counts"], served.log()["total"]["usage"]
    assert sum(used.values()) <= record["spent"]["tokens"] <= limit and "tokens" in record["stopped"]
    assert counts["not_run"] >= 1 and counts["graded"] + counts["not_run"] == 4
    done = [r for r in record["attempts"] if r["status"] == "graded"]
    assert all(r["strict"] for r in done), "no attempt was cut short by the purse and graded"


def _run(folder: Path, model: str, *more: str) -> tuple[int, dict[str, Any], float]:
    """A run by the command line: exit code, its record, and seconds."""
    profile = written(folder / "a", LOOP)
    since = time.perf_counter()
    selection = ("--task", BOOKING, "--market", "kr", "--variant", "0")
    code, out, err = errands("run", f"cmd:{profile}@{model}", *selection, *more, "--json", cwd=folder)
    assert out, err
    return code, json.loads(out), time.perf_counter() - since
