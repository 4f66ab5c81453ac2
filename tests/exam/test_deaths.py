"""Agents whose process dies, hangs or will not start: graded, each attempt by its own deed."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from errands.agents import resolve
from errands.core.errors import UsageError
from errands.evidence.folder import RunFolder
from errands.evidence.regrade import open_bundle
from errands.exam import pool
from errands.exam.plan import plan_run
from errands.exam.rows import run_record
from errands.exam.run import Run
from errands.tasks.registry import Selection

from .command import outcome

HEAD = """
import os, signal, sys, threading, time
def where(tools):
    meta = tools._door.world.meta
    return meta["task"].split("-")[1] + meta["variant"]
"""


def sit_all(
    home: Path, code: str, *, jobs: int = 2, variants: tuple[int, ...] = (0, 1, 2)
) -> tuple[RunFolder, dict[str, dict]]:
    """Run an agent's code; its attempts by errand and variant (`double0`, `inbox2`)."""
    (home / "agent.py").write_text(HEAD + code)
    folder = plan_run(
        resolve(str(home / "agent.py")),
        Selection(tasks=("*double*", "*commitment*"), markets=("sg",), variants=variants),
        1,
        home / "run",
    )
    work = Run(folder, resolve)
    assert sorted(work.go(jobs)) == [p.n for p in folder.plan().attempts], "each attempt ends once"
    rows = run_record(folder, work.failures)["attempts"]
    return folder, {f"{r['task'].split('-')[1]}{r['variant']}": r for r in rows}


def test_every_kind_of_death_is_graded(tmp_path):
    """Six attempts, six ends; nobody is blamed for another's. Who is killed once is tried again, and starts
    anew.
    """
    folder, rows = sit_all(
        tmp_path,
        f"""
import pathlib
MARK = pathlib.Path({str(tmp_path / "mark")!r})
def cross(tools):
    draft = tools.mail_draft(to=["bryan.chua@larkspur.example"], subject="x", body="y")
    tools.mail_send(draft=draft["draft"])
def agent(message, tools):
    at = where(tools)
    if at == "double0":
        cross(tools)
        os._exit(0)
    if at == "double1":
        cross(tools)
        os.kill(os.getpid(), signal.SIGKILL)
    if at == "double2":
        file = tools._door.world.db.filename
        os.unlink(file)
        os._exit(3)
    if at == "inbox0":
        with open(tools._door.world.db.filename, "r+b") as f:
            f.write(bytes(8192))
        os.kill(os.getpid(), signal.SIGTERM)
    if at == "inbox1":
        tools.reply("My last word.")
        os._exit(1)
    if not MARK.exists():
        MARK.touch()
        tools.files_write(path="workspace/first.txt", text="x")
        os.kill(os.getpid(), signal.SIGKILL)
    return "second try"
""",
    )
    ends = {name: (r["status"], r["end_reason"]) for name, r in rows.items()}
    assert ends == {
        "double0": ("graded", "agent_died"),
        "double1": ("graded", "agent_died"),
        "double2": ("graded", "agent_died"),
        "inbox0": ("graded", "agent_died"),
        "inbox1": ("graded", "completed"),
        "inbox2": ("graded", "completed"),
    }
    assert rows["double0"]["crossed"] and rows["double1"]["crossed"], (
        "what was done before it died is on record"
    )
    assert not any(r["strict"] for r in rows.values())
    replies = open_bundle(folder.bundle(rows["inbox1"]["n"]).read_bytes()).evidence.final_reply
    assert replies == "My last word."
    assert len(list(folder.tries.glob(f"{rows['double1']['n']:04d}-*.sqlite"))) == 3, (
        "killed thrice, three tries kept"
    )
    again = open_bundle(folder.bundle(rows["inbox2"]["n"]).read_bytes())
    assert again.host["tries"] == 2 and again.evidence.net("files_entry") == {}, (
        "nothing of the first try counts"
    )
    assert len(outcome(folder.path)) == 6


def test_a_late_agent_does_not_take_the_next_attempt_with_it(tmp_path):
    """One worker: the first attempts run out of time with a thread still at work; the others are sat by new
    workers.
    """
    _, rows = sit_all(
        tmp_path,
        """
import errands.exam.attempt as attempt
from errands.exam.sitting import Limits
attempt.limits_of = lambda instance: Limits(timeout_s=0.3)
def agent(message, tools):
    if where(tools) in ("inbox0", "double0"):
        time.sleep(600)
    return "done"
""",
        jobs=1,
        variants=(0, 1),
    )
    ends = {name: (r["status"], r["end_reason"]) for name, r in rows.items()}
    assert ends == {
        "inbox0": ("graded", "timeout"),
        "double0": ("graded", "timeout"),
        "inbox1": ("graded", "completed"),
        "double1": ("graded", "completed"),
    }


@pytest.mark.slow
def test_an_agent_that_never_lets_go_is_killed_and_graded(tmp_path, monkeypatch):
    """It holds the interpreter itself, so its own clock cannot end it: the parent does, and grades what
    stands there.
    """
    marks = tmp_path / "marks"
    marks.mkdir()
    hours = lambda: 10_000 if len(list(marks.iterdir())) == 2 else 0  # noqa: E731  (both hang: hours go by)
    monkeypatch.setattr(pool, "monotonic", lambda: time.monotonic() + hours())
    code = f"""
import ctypes, pathlib
def agent(message, tools):
    tools.files_write(path="workspace/before.txt", text="x")
    pathlib.Path({str(marks)!r}, where(tools)).touch()
    ctypes.PyDLL(None).sleep(600)
"""
    folder, rows = sit_all(tmp_path, code, variants=(0,))
    for r in rows.values():
        assert (r["status"], r["end_reason"], r["strict"], r["scores"]["accuracy"]) == (
            "graded",
            "timeout",
            False,
            0,
        )
        assert "workspace/before.txt" in open_bundle(folder.bundle(r["n"]).read_bytes()).evidence.net(
            "files_entry"
        )


@pytest.mark.parametrize(
    "code",
    [
        "os._exit(0)",
        "1 / 0",
        *(
            pytest.param(c, marks=pytest.mark.slow)
            for c in ("raise SystemExit(0)", "os.kill(os.getpid(), signal.SIGKILL)", "import nonesuch", "")
        ),
    ],
)
def test_an_agent_that_cannot_be_loaded_is_a_clear_error(tmp_path, code):
    """And not a worker that is hired for ever; nothing is scored."""
    (tmp_path / "agent.py").write_text(HEAD + code)
    folder = plan_run(
        resolve(str(tmp_path / "agent.py")),
        Selection(tasks=("*double*", "*commitment*"), markets=("sg",), variants=(0,)),
        1,
        tmp_path / "run",
    )
    with pytest.raises(UsageError) as why:
        list(Run(folder, resolve).go())
    assert "agent.py" in str(why.value) and list(folder.bundles.iterdir()) == []


@pytest.mark.slow
def test_a_second_load_that_fails_is_the_agents_own_end(tmp_path):
    """It loads in the worker and not in the attempt (it looks at its thread): graded."""
    _, rows = sit_all(
        tmp_path,
        """
if threading.current_thread().name == "agent":
    raise SystemExit("not for the exam")
def agent(message, tools):
    return "done"
""",
        variants=(0,),
    )
    assert {(r["status"], r["end_reason"]) for r in rows.values()} == {("graded", "agent_error")}


@pytest.mark.slow
def test_threads_of_one_attempt_do_not_reach_the_next(tmp_path):
    """A thread left behind goes on calling its old seat: closed, and the next attempt has none of it."""
    folder, rows = sit_all(
        tmp_path,
        """
def haunt(tools):
    while True:
        try:
            tools.files_write(path="workspace/ghost.txt", text="x")
        except Exception:
            time.sleep(0.001)
def agent(message, tools):
    threading.Thread(target=haunt, args=(tools,), daemon=True).start()
    time.sleep(0.05)
    return "done"
""",
        jobs=1,
        variants=(0, 1),
    )
    for r in rows.values():
        e = open_bundle(folder.bundle(r["n"]).read_bytes()).evidence
        assert (
            r["status"] == "graded" and e.meta["task"] == r["task"] and e.meta["variant"] == str(r["variant"])
        )
        assert len({x.seq for x in e.ledger}) == len(e.ledger)
