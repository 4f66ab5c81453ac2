"""Runs that are killed, interrupted, doubled or out of disk: `--resume` ends each planned attempt exactly
once.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from errands.agents import resolve
from errands.cli.app import run as command
from errands.core.errors import EvidenceError, UsageError
from errands.evidence.folder import RunFolder
from errands.evidence.verify import verify
from errands.exam.attempt import instance_of, sit
from errands.exam.plan import plan_run
from errands.exam.run import Run
from errands.records.find import find_run
from errands.tasks.registry import Selection
from errands.world.ledger import chain_rows

from .command import alive, children, errands, gated_agent, kill, outcome, start, until
from .sat import BOOKING, Plain, mail_out

TWO = ("--market", "sg", "--task", "*double*", "--task", "*commitment*")
SIX = Selection(tasks=("*double*", "*commitment*"), markets=("sg",), variants=(0, 1, 2))
TWO += ("--variant", "0", "--variant", "1", "--variant", "2")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """`errands run hasty --jobs 2`, twelve attempts, left alone: (its folder, what it came to)."""
    home = tmp_path_factory.mktemp("undisturbed")
    code, out, _ = errands(
        "run", "hasty", *TWO, "--jobs", "2", "--attempts", "2", "--out", "run", "--json", cwd=home
    )
    assert code == 0 and json.loads(out)["counts"] == {
        "planned": 12,
        "graded": 12,
        "blocked": 0,
        "invalid": 0,
        "not_run": 0,
    }
    return home / "run", outcome(home / "run")


def planned(home: Path) -> RunFolder:
    """The same run, planned and not begun (made in this process: it costs no second of start-up)."""
    return plan_run(
        resolve("hasty"),
        Selection(tasks=("*double*", "*commitment*"), markets=("sg",), variants=(0, 1, 2)),
        2,
        home / "run",
    )


def both_begun(process: subprocess.Popen[str], folder: RunFolder) -> None:
    """Wait until both attempts of a run are being sat; a process that ended before tells why."""
    begun = lambda: len(list(folder.tries.glob("*.sqlite"))) == 2  # noqa: E731
    until(lambda: begun() or process.poll() is not None, "both attempts have begun")
    assert begun(), process.communicate()[1]


# ---- kill -9 -------------------------------------------------------------------------------------


def kill_once(home: Path, seed: int, whom: str) -> RunFolder:
    """Kill the parent, or a worker of it, at a random moment: so many bundles later, and a little more."""
    rng, folder = random.Random(seed), planned(home)
    process = start("run", "--resume", "run", "--jobs", "2", "--json", cwd=home)
    goal, pause = rng.randrange(-3, 9), rng.random() * 0.2  # below zero: while it starts
    if goal < 0:
        time.sleep(-goal * pause)
    else:
        until(
            lambda: process.poll() is not None or len(list(folder.bundles.glob("*.zip"))) >= goal,
            "the moment has come",
        )
        time.sleep(pause / 10)
    for victim in children(process.pid)[:1] if whom == "worker" else [process.pid]:
        kill(victim)
    _, err = process.communicate(timeout=300)
    assert "Traceback" not in err, err
    assert process.returncode == 0 if whom == "worker" else process.returncode in (0, -9)
    return folder


@pytest.mark.parametrize(("seed", "whom"), [(1, "parent"), (2, "worker"), (5, "parent")])
def test_killed_and_resumed(tmp_path, undisturbed, seed, whom):
    folder = kill_once(tmp_path, seed, whom)
    for _ in Run(folder, resolve).go():
        pass
    assert outcome(folder.path) == undisturbed[1]
    assert verify(folder.path).exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 30))
def test_killed_at_twenty_random_moments(tmp_path, undisturbed, seed):
    """Parent and workers in turn, by the command line to its end."""
    folder = kill_once(tmp_path, seed, "parent" if seed % 2 else "worker")
    code, _, err = errands("run", "--resume", "run", "--jobs", "2", "--json", cwd=tmp_path)
    assert code == 0, err
    assert outcome(folder.path) == undisturbed[1]
    assert errands("verify", "run", cwd=tmp_path)[0] == 0


@pytest.mark.slow
def test_killed_over_and_over_until_it_comes_through(tmp_path, undisturbed):
    """Every process that takes the run up is killed in its turn, two bundles later."""
    folder = planned(tmp_path)
    while not (folder.path / "run.json").exists():
        process = start("run", "--resume", "run", "--jobs", "2", "--json", cwd=tmp_path)
        goal = len(list(folder.bundles.glob("*.zip"))) + 2
        until(
            lambda p=process, g=goal: p.poll() is not None or len(list(folder.bundles.glob("*.zip"))) >= g,
            "two more",
        )
        kill(process.pid)
        process.communicate()
    assert outcome(folder.path) == undisturbed[1]


def test_workers_of_a_killed_parent_end_before_the_run_goes_on(tmp_path):
    """Else a slow agent of the dead run would write its bundle over the one that is counted."""
    agent, gate = gated_agent(tmp_path)
    folder = plan_run(
        resolve(str(agent)),
        Selection(tasks=("*double*", "*commitment*"), markets=("sg",), variants=(0,)),
        1,
        tmp_path / "run",
    )
    process = start("run", "--resume", "run", "--jobs", "2", cwd=tmp_path)
    both_begun(process, folder)
    workers = children(process.pid)
    assert len(workers) == 2
    kill(process.pid)
    process.communicate()
    gate.unlink()
    assert len(list(Run(folder, resolve).go(2))) == 2
    assert [w for w in workers if alive(w)] == []
    assert [r[4] for r in outcome(folder.path)] == ["graded"] * 2
    assert len(list(folder.tries.glob("*.sqlite"))) == 2, "the torn tries are kept, and sealed as such"
    assert verify(folder.path).exit_code == 0


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
    with pytest.raises(UsageError, match="there is no run"):
        find_run(str(tmp_path / "run"))


def test_a_damaged_bundle_stops_a_resume_by_name(tmp_path):
    folder = planned(tmp_path)
    folder.bundle(3).write_bytes(b"torn")
    with pytest.raises(EvidenceError, match=r"0003\.zip: the seal is missing"):
        list(Run(folder, resolve).go())


# ---- Ctrl-C --------------------------------------------------------------------------------------


@pytest.mark.parametrize("to", ["group", pytest.param("parent", marks=pytest.mark.slow)])
def test_an_interrupt_leaves_130_and_a_run_that_goes_on(tmp_path, to):
    agent, gate = gated_agent(tmp_path)
    folder = plan_run(
        resolve(str(agent)),
        Selection(tasks=("*double*", "*commitment*"), markets=("sg",), variants=(0,)),
        1,
        tmp_path / "run",
    )
    process = start("run", "--resume", "run", "--jobs", "2", cwd=tmp_path)
    both_begun(process, folder)
    workers = children(process.pid)
    os.killpg(process.pid, signal.SIGINT) if to == "group" else os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 130 and "Traceback" not in err, err
    assert "0 of 2 attempts are sealed" in err and "errands run --resume run" in err
    assert [w for w in workers if alive(w)] == []
    assert verify(folder.path).exit_code == 3
    gate.unlink()
    assert len(list(Run(folder, resolve).go(2))) == 2
    assert len(outcome(folder.path)) == 2


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


# ---- two at once ---------------------------------------------------------------------------------


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


# ---- where it cannot be written ------------------------------------------------------------------


def test_a_folder_that_cannot_be_written(tmp_path, capsys):
    (tmp_path / "file").write_text("x")
    (tmp_path / "there").mkdir()
    for out, why in (
        (tmp_path / "file/run", "cannot be written"),
        (tmp_path / "there", "exists already"),
        ("/proc/none/run", "cannot be written"),
    ):
        with pytest.raises(SystemExit) as done:
            command(
                [
                    "run",
                    "null",
                    "--market",
                    "sg",
                    "--task",
                    "*double*",
                    "--task",
                    "*commitment*",
                    "--variant",
                    "0",
                    "--out",
                    str(out),
                ]
            )
        printed, err = capsys.readouterr()
        assert (done.value.code, printed) == (2, "") and why in err and "--out" in err


def small_disk(folder: Path, size: int) -> bool:
    """A tmpfs of this size at the folder, where that is allowed."""
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True
    )
    return done.returncode == 0


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_a_full_disk(tmp_path, undisturbed, jobs):
    """Room for a few bundles only: a clear error, what is sealed stays, and with more room it goes on."""
    disk = tmp_path / "disk"
    mounted = small_disk(disk, 2_500_000)
    try:
        plan_run(
            resolve("hasty"),
            Selection(tasks=("*double*", "*commitment*"), markets=("sg",), variants=(0, 1, 2)),
            2,
            disk / "run",
        )
        limit = None if mounted else (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000)))
        code, _, err = errands("run", "--resume", "run", "--jobs", jobs, "--json", cwd=disk, preexec_fn=limit)
        assert code == 2 and "could not be written" in err and "--resume" in err
        sealed = {f.name: f.read_bytes() for f in (disk / "run" / "bundles").glob("*.zip")}
        assert len(sealed) in ((2, 3, 4) if mounted else (0,))
        assert not (disk / "run" / "run.json").exists()
        if mounted:
            subprocess.run(["mount", "-o", "remount,size=100m", str(disk)], check=True)
        for _ in Run(RunFolder(disk / "run"), resolve).go(int(jobs)):
            pass
        assert outcome(disk / "run") == undisturbed[1]
        assert {n: (disk / "run" / "bundles" / n).read_bytes() for n in sealed} == sealed, (
            "what was sealed is not sat again"
        )
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_disk_that_fills_under_a_foreign_agent(tmp_path):
    """Its world stands on disk while it is sat: a disk that fills in a call is neither a grade nor a bug of
    the world.
    """

    def agent(message, tools):
        mail_out(tools)
        db = tools._door.world.db
        db.execute(f"PRAGMA max_page_count = {db.execute('PRAGMA page_count').get + 3}")
        for n in range(30):
            tools.files_write(path=f"workspace/{n}.txt", text=f"{n}" + "x" * 60_000)

    with pytest.raises(OSError, match="full"):
        sit(Plain(agent), instance_of(BOOKING, "sg", 0, "en"), path=tmp_path / "world.sqlite")


def test_a_world_goes_on_after_a_call_for_which_there_was_no_room(tmp_path, monkeypatch):
    """The call is rolled back whole, chain and sums included: what is sealed later is intact."""
    from errands.core.errors import WorldFault
    from errands.world import open_world

    world = open_world(instance_of(BOOKING, "sg", 0, "en").fixture.blob, tmp_path / "world.sqlite")
    world.call("mail_draft", {"to": ["a@b.example"], "subject": "x", "body": "y"})
    pages = world.value("PRAGMA page_count")
    digest = world.world_digest()
    failed = 0
    for room in range(0, 120, 3):
        world.db.execute(f"PRAGMA max_page_count = {pages + room}")
        try:
            world.call("files_write", {"path": f"workspace/{room}.txt", "text": "x" * 60_000})
        except WorldFault:
            failed += 1
            assert world.world_digest() == digest
        digest = world.world_digest()
    assert 5 < failed < 40
    whole = world._keep
    monkeypatch.setattr(
        world, "_keep", lambda: world.run("SELECT * FROM nowhere")
    )  # fails after the rows are written
    with pytest.raises(WorldFault):
        world.call("clock_now")
    monkeypatch.setattr(world, "_keep", whole)
    assert world.world_digest() == digest
    world.call("clock_now")
    assert chain_rows(world.db) == (world.ledger.seq, world.ledger.chain)


def test_derived_files_that_cannot_be_written_cost_nothing(tmp_path, undisturbed):
    folder = planned(tmp_path)
    folder.derived.write_text("a file where the folder should be")
    for _ in Run(folder, resolve).go():
        pass
    assert outcome(folder.path) == undisturbed[1]


# ---- the same everywhere -------------------------------------------------------------------------

LATER = """
import time_machine, datetime, sys
from errands.cli.app import run
with time_machine.travel(datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=3 * 365)):
    import time; assert time.time() > datetime.datetime(2028, 1, 1).timestamp()
    run(["run", "hasty", *sys.argv[1:], "--attempts", "2", "--out", "run", "--json"])
"""


@pytest.mark.parametrize(
    ("env", "args"),
    [
        ({"PYTHONHASHSEED": "1", "TZ": "America/New_York", "LC_ALL": "C"}, ("--jobs", "3")),
        pytest.param(
            {"PYTHONHASHSEED": "7", "TZ": "Asia/Kathmandu", "LANG": "ja_JP.eucJP"},
            ("--jobs", "1"),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_the_same_worlds_under_other_seeds_zones_and_job_counts(tmp_path, undisturbed, env, args):
    code, _, err = errands(
        "run", "hasty", *TWO, "--attempts", "2", "--out", "run", "--json", *args, cwd=tmp_path, env=env
    )
    assert code == 0, err
    assert (
        RunFolder(tmp_path / "run").record()["world_root"] == RunFolder(undisturbed[0]).record()["world_root"]
    )
    assert outcome(tmp_path / "run") == undisturbed[1]


def test_the_same_worlds_three_years_later(tmp_path, undisturbed):
    env = {**os.environ, "PYTHONHASHSEED": "77", "TZ": "Asia/Kathmandu"}
    done = subprocess.run(
        [sys.executable, "-c", LATER, *TWO], cwd=tmp_path, capture_output=True, text=True, env=env
    )
    assert done.returncode == 0, done.stderr
    assert RunFolder(tmp_path / "run").plan().created > "2028"
    assert outcome(tmp_path / "run") == undisturbed[1]


def test_workers_have_the_environment_of_now(tmp_path, monkeypatch):
    """The server that forks them was started before, with another one."""
    from errands.evidence.regrade import open_bundle
    from errands.exam.pool import warm

    warm()
    monkeypatch.setenv("ERRANDS_TEST_WORD", "later")
    file = tmp_path / "my_agent.py"
    file.write_text("import os\n\n\ndef agent(message, tools):\n    return os.environ['ERRANDS_TEST_WORD']\n")
    folder = plan_run(
        resolve(str(file)),
        Selection(tasks=(BOOKING,), markets=("sg",), variants=(0,)),
        1,
        tmp_path / "run",
    )
    list(Run(folder, resolve).go())
    said = [e for e in open_bundle(folder.bundle(1).read_bytes()).evidence.ledger if e.name == "reply"]
    assert said[0].body["text"] == "later"
