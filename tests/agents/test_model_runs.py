"""Whole runs of a language model: a dead endpoint, a purse that eight workers share, a run taken up again."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
from collections.abc import Iterator
from decimal import Decimal
from multiprocessing import forkserver

import pytest

from errands.agents import resolve
from errands.core.usage import Usage
from errands.evidence.folder import RunFolder
from errands.evidence.verify import verify
from errands.exam.plan import plan_run
from errands.exam.rows import run_record
from errands.exam.run import Run
from errands.exam.terms import PLAIN, Terms
from errands.tasks.registry import Selection
from tests.clients.model_server import ModelServer
from tests.clients.play import Script
from tests.clients.scripts import SPINE, scripts_for
from tests.exam.command import errands

ONE = Selection(tasks=(SPINE["double-booking"],), markets=("kr",), variants=(0,))
STRICT = "model:openai-chat/scripted-strict"
BRIEF = "model:openai-chat/scripted-brief"
RATES = {"input": "0.15", "cache_read": "0.015", "cache_write": "0.1875", "output": "0.3"}
LOOK, SAY = {"call": "clock_now", "args": {}}, {"say": "It is not done."}


@pytest.fixture(scope="module")
def running(tmp_path_factory) -> Iterator[ModelServer]:
    """A server and workers that know it: they are forked from a process with this environment and the library in it
    (each of them would take seconds to load that)."""
    prices = tmp_path_factory.mktemp("prices") / "prices.json"
    prices.write_text(json.dumps({"date": "2026-11-30", "scripted-brief": RATES}))
    brief = Script("brief", SPINE["double-booking"], "kr", 0, "en", "", (LOOK, LOOK, SAY))
    strict = scripts_for(SPINE["double-booking"], "kr")["strict"]
    with ModelServer([brief, strict]) as server, pytest.MonkeyPatch.context() as environment:
        for name in list(os.environ):
            if name.startswith(("OPENAI_", "ERRANDS_")):
                environment.delenv(name)
        environment.setenv("ERRANDS_PRICES", str(prices))
        environment.setenv("ERRANDS_MODEL_API_KEY", "sk-of-a-test")
        environment.setenv("ERRANDS_MODEL_BASE_URL", server.base_url)
        begin_anew()
        loaded = ["errands.exam.work", "errands.exam.warm", "errands.agents.warm_models"]
        multiprocessing.get_context("forkserver").set_forkserver_preload(loaded)
        forkserver.ensure_running()
        yield server
    begin_anew()


def begin_anew() -> None:
    """End the process from which workers are forked: the next one has the environment of then."""
    forkserver._forkserver._stop()  # type: ignore[attr-defined]


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.reset()
    return running


def planned(home, repeats: int, terms: Terms = PLAIN, model: str = BRIEF) -> RunFolder:
    return plan_run(resolve(model, terms), ONE, repeats, home / "run", terms=terms)


def counts(**given: int) -> dict[str, int]:
    zero = dict.fromkeys(("planned", "graded", "blocked", "invalid", "not_run"), 0)
    return {**zero, **given}


def test_a_dead_key_stops_the_run_and_scores_nothing(server, tmp_path):
    args = ("--task", SPINE["double-booking"], "--market", "kr", "--variant", "0", "--attempts", "6")
    code, out, _ = errands("run", f"{BRIEF}--401", *args, "--out", "run", "--json", cwd=tmp_path)
    assert code == 3
    nothing_scored(json.loads(out), "401", server)


def test_a_model_that_is_not_there_stops_the_run_and_scores_nothing(server, tmp_path):
    folder = planned(tmp_path, 6, model=f"{BRIEF}--404")
    work = Run(folder, resolve)
    list(work.go())
    nothing_scored(run_record(folder, work.failures, work.stopped), "404", server)


def nothing_scored(record, fault: str, server: ModelServer) -> None:
    assert f"{fault} from 127.0.0.1" in record["stopped"]
    assert record["counts"] == counts(planned=6, blocked=3, not_run=3)
    assert record["strict_passes"] == 0 and all(r["scores"] == {} for r in record["attempts"])
    assert sum(r["wall_s"] or 0 for r in record["attempts"]) < 10
    total = server.log()["total"]
    assert (total["requests"], total["answered"], total["failed"]) == (3, 0, {fault: 3})
    assert record["spent"] == {"tokens": 0, "usd": 0.0}


@pytest.mark.parametrize("jobs", [1, 8])
def test_the_purse_holds_however_many_work_at_once(server, tmp_path, jobs):
    folder = planned(tmp_path, 20, Terms(max_cost="0.01"))
    work = Run(folder, resolve)
    list(work.go(jobs))
    record = run_record(folder, work.failures, work.stopped)
    served = server.log()["total"]["usage"]
    assert sum(Decimal(RATES[c]) * served[c] for c in RATES) / 10**6 <= Decimal("0.01")
    assert record["spent"]["usd"] <= 0.01 and "$0.01" in record["stopped"]
    graded = record["counts"]["graded"]
    assert 0 < graded < 20 and record["counts"] == counts(planned=20, graded=graded, not_run=20 - graded)
    assert record["spent"]["tokens"] == sum(served.values())


def test_a_run_that_is_interrupted_counts_each_attempt_once(server, tmp_path):
    folder = planned(tmp_path, 6)
    with contextlib.closing(Run(folder, resolve).go(2)) as going:  # interrupted with two at work
        next(going), next(going)
    before = len(list(folder.bundles.glob("*.zip")))
    assert 2 <= before < 6
    assert len(list(Run(folder, resolve).go(8))) == 6 - before
    record = run_record(folder)
    assert record["counts"] == counts(planned=6, graded=6)
    assert verify(folder.path).exit_code == 0

    each = [Usage.of(r["usage"]) for r in record["attempts"]]
    assert len(set(each)) == 1, "the same script costs the same, however often it was begun"
    served = server.log()["total"]["usage"]
    assert 6 * each[0].tokens <= sum(served.values()) <= record["spent"]["tokens"]


def test_unpriced_is_not_free(server, tmp_path):
    folder = planned(tmp_path, 1, model=STRICT)
    list(Run(folder, resolve).go())
    record = run_record(folder)
    assert record["strict_passes"] == 1 and record["usage"]["requests"]
    assert record["cost_usd"] is None and record["attempts"][0]["cost_usd"] is None


def test_an_endpoint_that_was_down_is_asked_again_once_it_is_up(server, tmp_path):
    """The last test here: it takes the server down."""
    server.stop()
    folder = planned(tmp_path, 4)
    work = Run(folder, resolve)
    list(work.go())
    assert "unreachable from" in work.stopped
    assert run_record(folder)["counts"] == counts(planned=4, blocked=3, not_run=1)
    with ModelServer(server.scripts.values(), int(server.url.rpartition(":")[2])) as up:
        assert len(list(Run(folder, resolve).go(2))) == 4
        record = run_record(folder)
        assert record["counts"] == counts(planned=4, graded=4)
        assert {c: record["usage"][c] for c in RATES} == up.log()["total"]["usage"]
