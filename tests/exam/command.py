"""Runs by the real command line, in processes of their own, in a private folder."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from errands.evidence.folder import RunFolder
from errands.exam.rows import attempt_record

AGENT = """
import pathlib, time
def agent(message, tools):
    while pathlib.Path({gate!r}).exists():
        tools.clock_now()
        time.sleep(0.05)
    return "done"
"""


def start(*args: str, cwd: Path, env: dict[str, str] | None = None, **more: Any) -> subprocess.Popen[str]:
    """Begin `errands …`; in a session of its own, so that a signal reaches what a terminal's would."""
    return subprocess.Popen(
        [sys.executable, "-m", "errands", *args],
        cwd=cwd,
        text=True,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **(env or {})},
        **more,
    )


def errands(*args: str, cwd: Path, env: dict[str, str] | None = None, **more: Any) -> tuple[int, str, str]:
    """Run `errands …` to its end: exit code, output, errors (never a traceback)."""
    process = start(*args, cwd=cwd, env=env, **more)
    out, err = process.communicate(timeout=300)
    assert "Traceback" not in err, err
    return process.returncode, out, err


def gated_agent(folder: Path) -> tuple[Path, Path]:
    """An agent that stays at work while a file (the gate) is there: (its file, the gate)."""
    gate = folder / "gate"
    gate.touch()
    file = folder / "slow_agent.py"
    file.write_text(AGENT.format(gate=str(gate)))
    return file, gate


def until(what: Any, why: str) -> None:
    """Wait for a condition; the limit is there for a broken build only."""
    end = time.monotonic() + 300
    while not what():
        assert time.monotonic() < end, f"still waiting until {why}"
        time.sleep(0.01)


def children(pid: int) -> list[int]:
    """Workers of a process: what its fork server has forked."""
    servers = [p for p, parent, words in _processes() if parent == pid and b"forkserver" in words]
    return [p for p, parent, _ in _processes() if parent in servers]


def _processes() -> list[tuple[int, int, bytes]]:
    """(pid, parent, command line) of all that are alive."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
            words = (stat.parent / "cmdline").read_bytes()
        except OSError:
            continue
        if fields[0] != "Z":
            found.append((int(stat.parent.name), int(fields[1]), words))
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def kill(pid: int, how: int = signal.SIGKILL) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, how)


def outcome(path: Path) -> list[tuple[Any, ...]]:
    """What a finished run comes to, host facts left out; each planned attempt exactly once, graded anew."""
    folder = RunFolder(path)
    record = json.loads((path / "run.json").read_bytes())
    plan = folder.plan()
    assert (
        [a["n"] for a in record["attempts"]]
        == [p.n for p in plan.attempts]
        == list(range(1, len(plan.attempts) + 1))
    )
    assert sorted(f.name for f in folder.bundles.iterdir()) == [f"{p.n:04d}.zip" for p in plan.attempts]
    rows = [attempt_record(folder, p, fresh=True) for p in plan.attempts]
    worlds = [a["world_digest"] for a in record["attempts"]]
    return [
        (
            r["n"],
            r["task"],
            r["variant"],
            r["repeat"],
            r["status"],
            r["end_reason"],
            r["strict"],
            r["crossed"],
            json.dumps([r["scores"], r["criteria"]]),
            w,
        )
        for r, w in zip(rows, worlds, strict=True)
    ]
