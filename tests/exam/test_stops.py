"""What stops a run, and what becomes of attempts that could not be sat: blocked, not run, invalid; never a score."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from errands.agents import resolve
from errands.core.usage import Usage
from errands.evidence.bundle import unpack
from errands.evidence.verify import verify
from errands.exam import run as runs
from errands.exam.attempt import instance_of, sit
from errands.exam.desk import Desk, ExamFault, ForeignTool, NoAccess
from errands.exam.plan import plan_run
from errands.exam.rows import attempt_record, run_record
from errands.exam.run import Run
from errands.exam.sitting import Limits
from errands.exam.spend import Spend, SpentOut
from errands.exam.terms import Terms
from errands.grading.endings import ENDINGS
from errands.tasks.registry import Selection, select, spread

from .sat import BOOKING, Plain

ONE = ("sg", 0)


def instance():
    return instance_of(BOOKING, *ONE, "en")


def ending(agent) -> tuple[str, str]:
    """End reason and status of one attempt of an agent that is made to fail."""
    sat = sit(agent, instance(), limits=Limits(timeout_s=20))
    reason = json.loads(unpack(sat.sealed.data)["manifest.json"])["end_reason"]
    return reason, ENDINGS[reason].status


class Raises(Plain):
    """An agent of which something raises once it has begun."""

    def __init__(self, why: BaseException):
        super().__init__(lambda turn, seat: None)
        self.why = why

    def sit(self, sitting, instance, desk):
        sitting.next()
        raise self.why


class Broken(ExamFault):
    reason = "sandbox_fault"


@pytest.mark.parametrize(
    ("why", "reason", "status"),
    [
        (NoAccess("401 Unauthorized", where="http://localhost"), "no_access", "blocked"),
        (ForeignTool("gmail_send is not the exam's"), "foreign_tool", "blocked"),
        (ExamFault("the server is gone"), "server_fault", "invalid"),
        (Broken("it was not tight"), "sandbox_fault", "invalid"),
    ],
)
def test_what_is_not_the_agents_doing_is_never_graded(why, reason, status):
    assert ending(Raises(why)) == (reason, status)


def test_an_empty_purse_leaves_nothing_sealed(tmp_path):
    with pytest.raises(SpentOut):
        sit(Raises(SpentOut("nothing left")), instance(), spend=Spend(tmp_path / "s", max_tokens=1))


# ---- a run ---------------------------------------------------------------------------------------

AGENT = """
import json, os, pathlib
from errands import NoAccess

HERE = pathlib.Path(__file__).parent

def agent(message, tools):
    if (HERE / "dead").exists():
        raise NoAccess("401 Unauthorized", where="http://model.example")
    return "I did nothing."
"""


@pytest.fixture
def dead(tmp_path):
    (tmp_path / "agent.py").write_text(AGENT)
    (tmp_path / "dead").touch()
    folder = plan_run(
        resolve(str(tmp_path / "agent.py")),
        Selection(tasks=("*double*",), markets=("sg", "kr"), variants=(0, 1, 2)),
        1,
        tmp_path / "run",
    )
    return tmp_path, folder


def test_the_same_trouble_three_times_in_a_row_stops_the_run(dead):
    home, folder = dead
    work = Run(folder, resolve)
    assert len(list(work.go())) == 3
    record = run_record(folder, work.failures, work.stopped)
    assert record["counts"] == {"planned": 6, "graded": 0, "blocked": 3, "invalid": 0, "not_run": 3}
    assert "401 Unauthorized" in record["stopped"] and record["strict_passes"] == 0
    assert {r["end_reason"] for r in record["attempts"]} == {"no_access", ""}
    assert all(r["scores"] == {} for r in record["attempts"])

    (home / "dead").unlink()  # the key is mended: those that were blocked are sat again, each counts once
    again = Run(folder, resolve)
    assert sorted(again.go(2)) == [1, 2, 3, 4, 5, 6]
    record = run_record(folder)
    assert record["counts"] == {"planned": 6, "graded": 6, "blocked": 0, "invalid": 0, "not_run": 0}
    assert verify(folder.path).exit_code == 0
    assert sorted(f.name for f in folder.tries.iterdir()) == ["0001-1.zip", "0002-1.zip", "0003-1.zip"]


def test_an_attempt_without_access_in_a_run_that_ended_stays_as_it_is(tmp_path, monkeypatch):
    (tmp_path / "agent.py").write_text(AGENT)
    (tmp_path / "dead").touch()
    only = Selection(tasks=("*double*",), markets=("sg",), variants=(0,))
    folder = plan_run(resolve(str(tmp_path / "agent.py")), only, 2, tmp_path / "run")
    assert len(list(Run(folder, resolve).go())) == 2
    (tmp_path / "dead").unlink()
    assert list(Run(folder, resolve).go()) == []
    assert run_record(folder)["counts"]["blocked"] == 2


def test_different_troubles_do_not_add_up(tmp_path):
    text = AGENT.replace('"401 Unauthorized"', "f'error {os.getpid()} {id(message)} {os.urandom(4).hex()}'")
    (tmp_path / "agent.py").write_text(text)
    (tmp_path / "dead").touch()
    folder = plan_run(
        resolve(str(tmp_path / "agent.py")),
        Selection(tasks=("*double*",), markets=("sg", "kr"), variants=(0, 1, 2)),
        1,
        tmp_path / "run",
    )
    work = Run(folder, resolve)
    assert len(list(work.go())) == 6 and not work.stopped


def test_terms_stand_in_the_plan_and_an_old_plan_is_read(tmp_path):
    terms = Terms(max_cost="0.50", max_tokens=9_000, foreign_tools=("web_search",), unsafe_host=True)
    only = Selection(tasks=("*double*",), markets=("sg",), variants=(0,))
    folder = plan_run(resolve("oracle"), only, 1, tmp_path / "run", terms=terms)
    assert runs.terms_of(folder) == terms
    assert Run(folder, resolve).spend.max_tokens == 9_000
    folder.limits.write_text('{"max_tokens":20000}')
    assert Run(folder, resolve).spend.max_tokens == 20_000
    plain = plan_run(resolve("oracle"), only, 1, tmp_path / "plain")
    assert "terms" not in json.loads((plain.path / "plan.json").read_text())


# ---- what is measured ----------------------------------------------------------------------------


def test_model_calls_are_evidence_and_add_up(tmp_path):
    from decimal import Decimal

    from errands.core.usage import Usage
    from errands.evidence.regrade import open_bundle

    class Modelled(Plain):
        def sit(self, sitting, instance, desk: Desk):
            sitting.next()
            for n in (1, 2):
                desk.model_call(
                    model="m",
                    seconds=0.1,
                    usage=Usage(10 * n, 1, 2, 3, 1),
                    cost=Decimal("0.0000015"),
                    text="…",
                )
            sitting.reply("done")

    sat = sit(Modelled(lambda turn, seat: None), instance())
    host = open_bundle(sat.sealed.data).host
    assert host["usage"] == Usage(30, 2, 4, 6, 2).to_dict() and host["cost_usd"] == "0.000003"
    assert 0 <= float(host["first_s"]) <= float(host["wall_s"])
    lines = unpack(sat.sealed.data)["model.jsonl"].splitlines()
    assert [json.loads(x)["usage"]["input"] for x in lines] == [10, 20]


def test_an_unknown_price_makes_the_cost_unknown_and_never_zero():
    from decimal import Decimal

    from errands.core.usage import Usage

    desk = Desk()
    desk.model_call(model="a", seconds=0, usage=Usage(1, requests=1), cost=Decimal(1))
    desk.model_call(model="b", seconds=0, usage=Usage(1, requests=1), cost=None)
    desk.model_call(model="a", seconds=0, usage=Usage(1, requests=1), cost=Decimal(1))
    assert desk.facts()["cost_usd"] is None


# ---- eight for spread ----------------------------------------------------------------------------


def test_eight_errands_are_as_different_as_can_be_and_the_same_for_everybody():
    every = select(Selection())
    eight = spread(every, 8)
    assert eight == spread(reversed(every), 8) and len(set(eight)) == 8
    tasks, markets = [c.task for c in eight], [c.market for c in eight]
    assert max(map(tasks.count, tasks)) - min(map(tasks.count, set(tasks))) <= 1
    assert len(set(tasks)) == min(8, len({c.task for c in every})) and len(set(markets)) >= 5
    assert spread(every[:3], 8) == sorted(every[:3])


def test_quick_plans_eight(tmp_path):
    folder = plan_run(resolve("oracle"), Selection(suites=("consumer",)), 2, tmp_path / "run", quick=True)
    assert len(folder.plan().attempts) == 16
    assert attempt_record(folder, folder.plan().attempts[0])["status"] == "not_run"


# ---- nobody decides for himself not to be scored -------------------------------------------------


def test_no_access_is_an_agents_own_word_only_before_it_has_done_anything():
    def late(message, tools):
        tools.clock_now()
        raise NoAccess("suddenly", where="http://model.example")

    def early(message, tools):
        raise NoAccess("at once", where="http://model.example")

    assert ending(Plain(late)) == ("agent_error", "graded")
    assert ending(Plain(early)) == ("no_access", "blocked")


def test_a_driver_of_ours_that_breaks_is_our_fault_and_no_last_word():
    class Driver(Raises):
        trusted = False

    assert ending(Driver(RuntimeError("planted"))) == ("server_fault", "invalid")


def test_what_is_kept_beside_the_attempt_is_bounded_and_a_deep_folder_is_removed(tmp_path):
    from errands.exam.desk import MAX_KEPT, remove

    desk = Desk()
    desk.files = {"small": b"x", "big": bytes(MAX_KEPT), "agent.json": b"{}"}
    for _ in range(3):
        desk.model_call(
            model="m" * 9_000_000, seconds=0, usage=Usage(1, requests=1), cost=None, error="e" * 9_000_000
        )
    assert sum(map(len, desk.kept.values())) <= MAX_KEPT and set(desk.kept) == {
        "small",
        "agent.json",
        "model.jsonl",
    }
    at = tmp_path / "deep"
    at.mkdir()
    here = Path.cwd()
    try:
        os.chdir(at)
        for _ in range(1_500):
            Path("d").mkdir()
            os.chdir("d")
    finally:
        os.chdir(here)
    remove(tmp_path / "deep")
    assert not (tmp_path / "deep").exists()
