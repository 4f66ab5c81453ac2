"""Runs that are killed, interrupted, doubled or out of disk: `--resume` ends each planned attempt exactly once."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from errands.agents import resolve
from errands.core.errors import UsageError
from errands.evidence.folder import RunFolder
from errands.exam.run import Run, plan_run
from errands.tasks.registry import Selection

from .command import alive, children, errands, gated_agent, kill, outcome, start, until


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """`errands run hasty --jobs 2`, twelve attempts, left alone: (its folder, what it came to)."""
    home = tmp_path_factory.mktemp("undisturbed")
    code, out, _ = errands("run", "hasty", "--jobs", "2", "--attempts", "2", "--out", "run", "--json", cwd=home)
    assert code == 0 and json.loads(out)["counts"] == {"planned": 12, "graded": 12, "blocked": 0, "invalid": 0, "not_run": 0}
    return home / "run", outcome(home / "run")


def planned(home: Path) -> RunFolder:
    """The same run, planned and not begun (made in this process: it costs no second of start-up)."""
    return plan_run(resolve("hasty"), Selection(), 2, home / "run")


# ---- kill -9 -----------------------------------------------------------------------------------------------------


def kill_and_resume(home: Path, seed: int, whom: str) -> int:
    """Kill the parent (or a worker) at random moments until the run comes through; returns how often."""
    rng, folder, kills = random.Random(seed), planned(home), 0
    while not (folder.path / "run.json").is_file():
        process = start("run", "--resume", "run", "--jobs", "2", "--json", cwd=home)
        goal = len(list(folder.bundles.iterdir())) + rng.randrange(4)
        try:  # a moment after so many more bundles, at the latest when it is over by itself
            until(lambda: process.poll() is not None or len(list(folder.bundles.iterdir())) >= goal, "the moment has come")
            subprocess.run(["sleep", f"{rng.random() * 0.3:.3f}"], check=True)
            victims = children(process.pid) if whom == "worker" else [process.pid]
            if victims and process.poll() is None:
                kill(rng.choice(victims))
                kills += 1
            if whom == "worker":
                out, err = process.communicate(timeout=300)
                assert "Traceback" not in err, err
                assert process.returncode in (0, 3)
        finally:
            if whom == "parent":
                kill(process.pid)
                process.communicate()
        if kills >= 4:
            code, _, err = errands("run", "--resume", "run", "--json", cwd=home)
            assert code == 0, err
    return kills


def comes_through(home: Path, seed: int, whom: str, expected: list) -> None:
    kill_and_resume(home, seed, whom)
    assert outcome(home / "run") == expected
    assert errands("verify", "run", cwd=home)[0] == 0


@pytest.mark.parametrize(("seed", "whom"), [(1, "parent"), (2, "worker"), (3, "parent")])
def test_killed_and_resumed(tmp_path, undisturbed, seed, whom):
    comes_through(tmp_path, seed, whom, undisturbed[1])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 30))
def test_killed_at_twenty_random_moments(tmp_path, undisturbed, seed):
    comes_through(tmp_path, seed, "parent" if seed % 2 else "worker", undisturbed[1])


def test_workers_of_a_killed_parent_end_before_the_run_goes_on(tmp_path):
    """Else a slow agent of the dead run would write its bundle over the one that is counted."""
    agent, gate = gated_agent(tmp_path)
    folder = plan_run(resolve(str(agent)), Selection(variants=(0,)), 1, tmp_path / "run")
    process = start("run", "--resume", "run", "--jobs", "2", cwd=tmp_path)
    until(lambda: len(list(folder.tries.glob("*.sqlite"))) == 2, "both attempts have begun")
    workers = children(process.pid)
    assert len(workers) == 2
    kill(process.pid)
    process.communicate()
    gate.unlink()
    code, _, err = errands("run", "--resume", "run", cwd=tmp_path)
    assert (code, [w for w in workers if alive(w)]) == (0, []), err
    assert [r[4] for r in outcome(tmp_path / "run")] == ["graded"] * 2
    assert len(list(folder.tries.glob("*.sqlite"))) == 2, "the torn tries are kept, and sealed as such"
    assert errands("verify", "run", cwd=tmp_path)[0] == 0


def test_a_process_killed_while_it_writes_leaves_nothing_behind(tmp_path, undisturbed):
    """Half a bundle under its temporary name, half a verdict, a stale lock: all of it is nothing."""
    folder = planned(tmp_path)
    (folder.bundles / ".0001.zip.99999.part").write_bytes(b"half a bundle")
    (folder.path / ".run.json.99999.part").write_bytes(b"{")
    folder.derived.mkdir()
    (folder.derived / "verdicts").mkdir()
    folder.verdict(1).write_text('{"half"')
    for _ in Run(folder, resolve).go():
        pass
    assert outcome(folder.path) == undisturbed[1]
    assert not [f for f in folder.path.rglob("*") if f.name.endswith(".part")]


def test_a_killed_plan_can_be_planned_again_elsewhere(tmp_path):
    """A folder without a plan is no run: it says so, and what to do."""
    (tmp_path / "run" / "bundles").mkdir(parents=True)
    code, _, err = errands("run", "--resume", "run", cwd=tmp_path)
    assert code == 2 and "there is no run 'run'" in err


def test_a_damaged_bundle_stops_a_resume_by_name(tmp_path):
    folder = planned(tmp_path)
    folder.bundle(3).write_bytes(b"torn")
    code, _, err = errands("run", "--resume", "run", cwd=tmp_path)
    assert code == 2 and "0003.zip" in err and "seal is missing" in err


# ---- Ctrl-C ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("to", ["group", "parent"])
def test_an_interrupt_leaves_130_and_a_run_that_goes_on(tmp_path, to):
    agent, gate = gated_agent(tmp_path)
    folder = plan_run(resolve(str(agent)), Selection(variants=(0,)), 1, tmp_path / "run")
    process = start("run", "--resume", "run", "--jobs", "2", cwd=tmp_path)
    until(lambda: len(list(folder.tries.glob("*.sqlite"))) == 2, "both attempts have begun")
    workers = children(process.pid)
    os.killpg(process.pid, signal.SIGINT) if to == "group" else os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in err, err
    assert "0 of 2 attempts are sealed" in err and "errands run --resume run" in err
    assert [w for w in workers if alive(w)] == []
    assert errands("verify", "run", cwd=tmp_path)[0] == 3
    gate.unlink()
    assert errands("run", "--resume", "run", cwd=tmp_path)[0] == 0
    assert len(outcome(tmp_path / "run")) == 2


def test_stopping_between_attempts_keeps_what_is_sealed(tmp_path, undisturbed):
    """The iterator is left alone after each attempt in turn: what was sealed is not sat again."""
    folder, stamps = planned(tmp_path), {}
    for _ in range(20):
        work = Run(folder, resolve)
        if not work.left():
            break
        for n in work.go():
            assert n not in stamps, "an attempt was sat twice"
            stamps[n] = folder.bundle(n).stat().st_mtime_ns
            break
    for _ in Run(folder, resolve).go():
        raise AssertionError("nothing was left to do")
    assert outcome(folder.path) == undisturbed[1]
    assert {n: folder.bundle(n).stat().st_mtime_ns for n in stamps} == stamps


# ---- two at once -------------------------------------------------------------------------------------------------


def test_two_processes_at_once_are_refused(tmp_path):
    folder = planned(tmp_path)
    with folder.locked():
        code, _, err = errands("run", "--resume", "run", cwd=tmp_path)
        assert code == 2 and "another process is working on this run" in err
        with pytest.raises(UsageError, match="another process"):
            list(Run(folder, resolve).go())
    assert list(folder.bundles.iterdir()) == []
    assert len(list(Run(folder, resolve).go())) == 12, "and the lock is gone with its owner"


def test_a_run_that_another_finished_meanwhile_is_not_sat_again(tmp_path):
    folder = planned(tmp_path)
    late = Run(folder, resolve)
    assert len(late.left()) == 12
    assert len(list(Run(folder, resolve).go())) == 12
    record = (folder.path / "run.json").read_bytes()
    assert list(late.go()) == []
    assert (folder.path / "run.json").read_bytes() == record


def test_a_task_that_changed_meanwhile_is_refused(tmp_path, monkeypatch):
    from errands.tasks.task import Task

    folder = planned(tmp_path)
    monkeypatch.setattr(Task, "digest", property(lambda self: "0" * 64))
    with pytest.raises(UsageError, match="has changed since this run was planned"):
        Run(folder, resolve)


# ---- where it cannot be written ------------------------------------------------------------------------------------


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "there").mkdir()
    for out, why in (("file/run", "cannot be written"), ("there", "exists already"), ("/proc/none/run", "cannot be written")):
        code, printed, err = errands("run", "null", "--variant", "0", "--out", out, cwd=tmp_path)
        assert (code, printed) == (2, "") and why in err and out in err.replace("\n", "")


def small_disk(folder: Path, size: int) -> bool:
    """A tmpfs of this size at the folder, where that is allowed."""
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True)
    return done.returncode == 0


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_full_disk(tmp_path, undisturbed, jobs):
    """Room for a few bundles only: a clear error, what is sealed stays, and with more room it goes on."""
    disk = tmp_path / "disk"
    mounted = small_disk(disk, 2_500_000)
    try:
        plan_run(resolve("hasty"), Selection(), 2, disk / "run")
        limit = None if mounted else (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000)))
        code, _, err = errands("run", "--resume", "run", "--jobs", jobs, "--json", cwd=disk, preexec_fn=limit)
        assert code == 2 and "could not be written" in err and "--resume" in err
        sealed = {f.name: f.read_bytes() for f in (disk / "run" / "bundles").glob("*.zip")}
        assert len(sealed) in ((2, 3, 4) if mounted else (0,))
        assert not (disk / "run" / "run.json").exists()
        if mounted:
            subprocess.run(["mount", "-o", "remount,size=100m", str(disk)], check=True)
        code, _, err = errands("run", "--resume", "run", "--jobs", jobs, "--json", cwd=disk)
        assert code == 0, err
        assert outcome(disk / "run") == undisturbed[1]
        assert {n: (disk / "run" / "bundles" / n).read_bytes() for n in sealed} == sealed, "what was sealed is not sat again"
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_full_disk_under_a_foreign_agent(tmp_path):
    """Its world stands on disk while it is sat: a disk that fills in the middle is neither a grade nor its fault."""
    (tmp_path / "busy.py").write_text(
        "def agent(message, tools):\n"
        "    for n in range(30):\n"
        "        tools.files_write(path=f'workspace/{n}.txt', text=f'{n}' + 'x' * 60_000)\n"
        "    return 'done'\n")
    plan_run(resolve(str(tmp_path / "busy.py")), Selection(variants=(0,)), 1, tmp_path / "run")
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (900_000, 900_000))  # noqa: E731
    code, out, err = errands("run", "--resume", "run", "--json", cwd=tmp_path, preexec_fn=limit)
    assert code in (2, 3), err
    assert list((tmp_path / "run" / "bundles").iterdir()) == []
    assert errands("run", "--resume", "run", "--json", cwd=tmp_path)[0] == 0
    assert [r[4:6] for r in outcome(tmp_path / "run")] == [("graded", "completed")] * 2


def test_derived_files_that_cannot_be_written_cost_nothing(tmp_path, undisturbed):
    folder = planned(tmp_path)
    folder.derived.write_text("a file where the folder should be")
    code, _, err = errands("run", "--resume", "run", "--json", cwd=tmp_path)
    if code != 0:  # told, and nothing lost
        assert code == 2 and "could not be written" in err
        folder.derived.unlink()
        assert errands("run", "--resume", "run", "--json", cwd=tmp_path)[0] == 0
    assert outcome(folder.path) == undisturbed[1]


# ---- the same everywhere -------------------------------------------------------------------------------------------

LATER = """
import time_machine, datetime, sys
from errands.cli.app import run
with time_machine.travel(datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=3 * 365)):
    import time; assert time.time() > datetime.datetime(2028, 1, 1).timestamp()
    run(["run", "hasty", "--attempts", "2", "--out", "run", "--json"])
"""


@pytest.mark.parametrize(("env", "args"), [
    ({"PYTHONHASHSEED": "1", "TZ": "America/New_York", "LC_ALL": "C"}, ("--jobs", "3")),
    ({"PYTHONHASHSEED": "77", "TZ": "Asia/Kathmandu", "PYTHONUTF8": "0", "LANG": "ja_JP.eucJP"}, ("--jobs", "1")),
])
def test_the_same_worlds_under_other_seeds_zones_and_job_counts(tmp_path, undisturbed, env, args):
    code, _, err = errands("run", "hasty", "--attempts", "2", "--out", "run", "--json", *args, cwd=tmp_path, env=env)
    assert code == 0, err
    assert RunFolder(tmp_path / "run").record()["world_root"] == RunFolder(undisturbed[0]).record()["world_root"]
    assert outcome(tmp_path / "run") == undisturbed[1]


def test_the_same_worlds_three_years_later(tmp_path, undisturbed):
    import sys

    done = subprocess.run([sys.executable, "-c", LATER], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert RunFolder(tmp_path / "run").plan().created > "2028"
    assert outcome(tmp_path / "run") == undisturbed[1]
    shutil.rmtree(tmp_path / "run")
