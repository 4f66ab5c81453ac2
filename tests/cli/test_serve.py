"""`errands serve`: a product calls us; each attempt it was given ends in one bundle."""

import json
import os
import queue
import signal
import stat
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager

import httpx2
import pytest
from mcp.shared.exceptions import MCPError

from errands.agents.pulled import PulledAgent
from errands.core.errors import ClosedError, UsageError
from errands.evidence.folder import RunFolder
from errands.evidence.regrade import open_bundle
from errands.exam.attempt import instance_of
from errands.exam.plan import plan_run
from errands.exam.rows import run_record
from errands.exam.serve import ServedRun
from errands.exam.sitting import Limits
from errands.records.find import find_run
from errands.tasks.registry import Selection
from tests.doors.mcp_seat import connected

from .shell import BIN, BOOKING

SG = ("--task", BOOKING, "-m", "sg")


def solve(told):
    """What a capable product does with an endpoint."""
    instance = instance_of(told["task"], told["market"], told["variant"], told["language"])
    with connected(told["url"]) as seat:
        instance.task.solutions["oracle"].run(seat, instance.key)


def ping(url):
    return httpx2.post(url, json={"jsonrpc": "2.0", "id": 1, "method": "ping"})


# ---- in this process --------------------------------------------------------------------------------------------


class Serving:
    """A run that is served in a thread; `told` are its events."""

    def __init__(self, folder, **given):
        self.told, self.failed = queue.Queue(), None
        self.run = ServedRun(folder, lambda spec, terms: PulledAgent(spec))
        given = {
            "host": "127.0.0.1",
            "port": 0,
            "public_url": "",
            "at_once": 0,
            "wait_s": 60,
            "tell": self.told.put,
            **given,
        }
        self.thread = threading.Thread(target=self._go, args=(given,))
        self.thread.start()

    def _go(self, given):
        try:
            with closing(self.run.serve(**given)) as ended:
                for _ in ended:
                    pass
        except UsageError as why:
            self.failed = why

    def hear(self, event, count=1):
        """The next events of this kind."""
        out = []
        while len(out) < count:
            told = self.told.get(timeout=30)
            if told["event"] == event:
                out.append(told)
        return out

    def record(self):
        """What became of the run, once it is over."""
        self.thread.join(30)
        assert not self.thread.is_alive()
        return run_record(self.run.folder, self.run.failures, self.run.stopped)


def planned(path, repeats=1, task=BOOKING, market="sg"):
    selection = Selection(tasks=(task,), markets=(market,), variants=(0,))
    return plan_run(PulledAgent("mcp:acme"), selection, repeats, path)


@pytest.fixture
def serving(tmp_path):
    """Begin to serve a run of so many attempts."""
    begun = []

    def begin(repeats=1, folder=None, **given):
        begun.append(Serving(folder or planned(tmp_path / "run", repeats), **given))
        return begun[-1]

    yield begin
    for s in begun:
        s.thread.join(30)
        assert not s.thread.is_alive(), "a test left its run open"


@pytest.mark.parametrize(
    "task",
    [
        "ev-weekday-digest",
        "ev-preference-update",
        "ev-cancelled-event",
        "ev-quiet-hours",
        "ev-garden-invitation",
    ],
)
def test_a_client_pulls_its_wakings_and_fresh_sessions_over_days(serving, tmp_path, task):
    run = serving(folder=planned(tmp_path / "run", task=task, market="us"))
    solve(run.hear("open")[0])
    (row,) = run.record()["attempts"]
    assert row["strict"] and row["scores"]["total"] == row["scores"]["gated"] == 10


def test_an_attempt_ends_with_the_last_turn_and_is_sealed_while_others_go_on(serving):
    work = serving(2)
    one, other = work.hear("open", 2)
    folder = work.run.folder
    kept = folder.derived / "endpoints.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert [a["secret"] for a in json.loads(kept.read_text())["attempts"]] == [one["secret"], other["secret"]]
    assert [f.name for f in sorted(folder.tries.iterdir())][::2] == ["0001-1.sqlite", "0002-1.sqlite"]
    solve(one)
    assert work.hear("end")[0] == {"event": "end", "n": 1, "end_reason": "completed"}
    assert folder.bundle(1).is_file() and not folder.bundle(2).is_file()
    with (
        connected(one["url"]) as late,
        pytest.raises(ClosedError),
    ):  # who comes back is told, and is no stranger
        late.call("clock_now")
    assert ping(f"{one['url'].rpartition('/a/')[0]}/a/guessed/mcp").status_code == 401
    assert [a["n"] for a in json.loads(kept.read_text())["attempts"]] == [2]
    solve(other)
    record = work.record()
    assert (record["counts"]["graded"], record["strict_passes"], record["stopped"]) == (2, 2, "")
    assert record["isolation"] == "endpoint" and record["agent"] == "mcp:acme"
    row = record["attempts"][0]
    assert 0 < row["first_s"] < row["wall_s"] and row["cost_usd"] is None
    assert folder.record() is not None and not kept.exists()
    refused = json.loads((folder.derived / "refusals.json").read_text())
    assert [r["reason"] for r in refused] == ["unknown secret"]


def test_no_secret_is_left_anywhere_in_the_run_folder(serving):
    work = serving()
    (told,) = work.hear("open")
    ping(told["url"][:-8] + "/mcp")
    solve(told)
    work.record()
    files = [f for f in work.run.folder.path.rglob("*") if f.is_file()]
    assert len(files) > 4
    assert not [f for f in files if told["secret"].encode() in f.read_bytes()]


def test_only_so_many_are_open_at_once(serving):
    work = serving(3, at_once=1)
    for n in (1, 2, 3):
        (told,) = work.hear("open")
        assert told["n"] == n and work.told.empty()
        solve(told)
    assert work.record()["strict_passes"] == 3


def test_a_product_that_never_calls_is_said_to_have_never_called_and_may_come_later(serving):
    work = serving(2, wait_s=0.2)
    record = work.record()
    assert record["counts"] == {"planned": 2, "graded": 0, "blocked": 2, "invalid": 0, "not_run": 0}
    assert {r["end_reason"] for r in record["attempts"]} == {"no_access"}
    assert record["stopped"] == "your product never called us"
    end = open_bundle(work.run.folder.bundle(1).read_bytes()).evidence.ledger[-1]
    assert "your product never called us" in end.body["detail"]
    assert record["attempts"][0]["wall_s"] is None
    again = serving(folder=work.run.folder)
    for told in again.hear("open", 2):
        solve(told)
    record = again.record()
    assert record["strict_passes"] == 2 and record["counts"]["blocked"] == 0
    assert open_bundle(work.run.folder.bundle(1).read_bytes()).host["tries"] == 2


def test_three_in_a_row_that_are_never_called_stop_the_run(serving):
    record = serving(5, at_once=1, wait_s=0.1).record()
    assert (record["counts"]["blocked"], record["counts"]["not_run"]) == (3, 2)
    assert record["stopped"].startswith("the same trouble 3 times in a row: your product never called us")


def test_one_of_several_that_is_never_called_is_blocked_alone(serving):
    work = serving(2, wait_s=2)
    first, _ = work.hear("open", 2)
    solve(first)
    record = work.record()
    assert [r["status"] for r in record["attempts"]] == ["graded", "blocked"]
    assert record["stopped"] == "" and work.run.folder.record() is not None


@pytest.mark.parametrize(
    ("limits", "reason"),
    [(Limits(timeout_s=0.7), "timeout"), (Limits(calls=3), "call_limit"), (Limits(turns=1), "turn_limit")],
)
def test_a_limit_ends_it_from_the_first_contact_on_and_it_is_graded(serving, monkeypatch, limits, reason):
    monkeypatch.setattr("errands.exam.serve.limits_of", lambda instance: limits)
    work = serving()
    (told,) = work.hear("open")
    opened = time.monotonic()
    if reason == "timeout":
        time.sleep(0.5)
    with connected(told["url"]) as seat:
        if reason == "turn_limit":
            assert seat.reply("Which of the two shall I keep?") is None
        else:
            with pytest.raises((ClosedError, MCPError), match="over"):
                for _ in range(400):
                    seat.call("clock_now")
                    time.sleep(0.05)
    record = work.record()
    (row,) = record["attempts"]
    assert (row["status"], row["end_reason"], row["strict"]) == ("graded", reason, False)
    assert row["wall_s"] < 20
    if reason == "timeout":
        assert time.monotonic() - opened > 0.5 + limits.timeout_s and row["wall_s"] >= limits.timeout_s


def test_a_full_disk_stops_the_run_with_what_to_do_and_it_can_be_gone_on_with(serving, monkeypatch):
    def full(*args):
        raise OSError(28, "No space left on device")

    work = serving(2)
    told, _ = work.hear("open", 2)
    with monkeypatch.context() as patch:
        patch.setattr("errands.exam.serve.keep", full)
        solve(told)
        work.thread.join(30)
    assert "No space left" in work.failed.what and "errands serve --resume" in work.failed.do
    again = serving(folder=work.run.folder)
    for told in again.hear("open", 2):
        solve(told)
    assert again.record()["strict_passes"] == 2


def test_the_public_address_is_what_a_product_is_told(serving):
    work = serving(public_url="https://exam.example/errands/", wait_s=1)
    (told,) = work.hear("open")
    assert told["url"] == f"https://exam.example/errands/a/{told['secret']}/mcp"


# ---- the command ------------------------------------------------------------------------------------------------


@contextmanager
def command(cwd, *args):
    """`errands serve …` at work in a process of its own."""
    env = {**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "80"}
    process = subprocess.Popen(
        [BIN / "errands", "serve", "--port", "0", *args],
        cwd=cwd,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def test_from_the_command_line_interrupted_taken_up_again_and_verified(tmp_path):
    with command(tmp_path, "--agent", "acme", *SG, "--variant", "0", "--attempts", "2", "--json") as process:
        one, _ = (json.loads(process.stdout.readline()) for _ in range(2))
        with connected(one["url"]) as seat:
            assert not seat.raw("clock_now", {})[1]
        assert json.loads(process.stdout.readline())["event"] == "contact"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
        assert process.returncode == 130
        assert "0 of 2 attempts are sealed" in said and "errands serve --resume" in said
    folder = RunFolder(tmp_path / "errands-runs" / "mcp-acme-001")
    assert [f.name for f in folder.tries.iterdir()] == ["0001-1.sqlite"]  # what was begun, and nothing else
    assert not (folder.derived / "endpoints.json").exists() and not any(folder.bundles.iterdir())
    with command(tmp_path, "--resume", "mcp-acme-001") as process:
        lines = iter(process.stdout.readline, "")
        for n in (1, 2):
            url = next(line.strip() for line in lines if "http://" in line)
            told = {"url": url, "task": BOOKING, "market": "sg", "variant": 0, "language": "en"}
            said = next(line for line in lines if "secret" in line) + next(lines)
            assert url.split("/")[-2] in said and "double-booked" in said, n
            solve(told)
        out = "".join(lines)
        assert process.wait(30) == 0
    assert "2 of 2 strict" in out and "mcp:acme, endpoint" in out
    assert [open_bundle(folder.bundle(n).read_bytes()).host["tries"] for n in (1, 2)] == [2, 1]
    verified = subprocess.run(
        [BIN / "errands", "verify", "last"], cwd=tmp_path, capture_output=True, text=True
    )
    assert verified.returncode == 0, verified.stdout + verified.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), "the agent has no name"),
        (("--agent", "a b"), "no name of a served agent"),
        (("--agent", "x", "--jobs", "-1"), "out of range"),
        (("--agent", "x", "--port", "70000"), "there is no port 70000"),
        (("--agent", "x", "--public-url", "exam.example"), "no address"),
        (("--agent", "x", "--wait", "0"), "out of range"),
        (("--agent", "x", "--resume", "last"), "has its agent, selection and folder already"),
    ],
)
def test_wrong_usage_is_said_and_leaves_nothing(here, tmp_path, monkeypatch, args, said):
    monkeypatch.chdir(tmp_path)
    done = here("serve", *args, *(() if "--resume" in args else SG))
    assert done.code == 2 and said in done.err
    assert not any(tmp_path.rglob("plan.json"))


def test_a_port_that_is_taken_is_said_and_leaves_no_run(here, tmp_path, monkeypatch):
    import socket

    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = here("serve", "--agent", "x", *SG, "--port", taken.getsockname()[1])
    assert done.code == 2 and "nobody can listen there" in done.err
    assert not any(tmp_path.rglob("plan.json"))


def test_a_served_agent_cannot_be_run_nor_another_served(here, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = here("run", "mcp:acme", *SG, "--variant", "0")
    assert done.code == 2 and "errands serve --agent acme" in done.err
    assert here("run", "null", *SG, "--variant", "0").code in (0, 3)
    done = here("serve", "--resume", find_run("last").path)
    assert done.code == 2 and "not one that is served" in done.err


def test_without_its_library_the_command_says_what_to_install(tmp_path):
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp" / "__init__.py").write_text("raise ImportError('gone', name='mcp')")
    done = subprocess.run(
        [sys.executable, "-m", "errands", "serve", "--agent", "x", *SG],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and "pip install 'errands[mcp]'" in done.stderr
