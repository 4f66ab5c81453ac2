"""Bugs of ours, planted: the attempt is invalid and counted, never scored; what came before stays visible."""

from __future__ import annotations

import dataclasses

import pytest

from errands.agents import resolve
from errands.core.errors import EvidenceError, WorldFault
from errands.evidence.regrade import open_bundle
from errands.exam.attempt import instance_of, sit
from errands.exam.plan import plan_run
from errands.exam.rows import run_record
from errands.exam.run import Run
from errands.grading.endings import ENDINGS
from errands.grading.verdict import Criterion, grade
from errands.tasks.registry import Selection
from errands.world.app import app

from .sat import BOOKING, mail_out, sat


@pytest.fixture
def bug(monkeypatch):
    """`clock_now` raises what is in the list."""
    raises: list[BaseException] = [RuntimeError("planted")]
    tool = app("clock").tools["clock_now"]
    assert tool.spec and tool._validate

    def boom(world, **args):
        raise raises[0]

    monkeypatch.setattr(tool, "run", boom)
    return raises


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("x"),
        KeyError("x"),
        AssertionError(),
        RecursionError(),
        MemoryError(),
        OSError(28, "full"),
    ],
)
def test_a_bug_in_a_tool_is_invalid(bug, error):
    bug[0] = error
    result = sat(lambda message, tools: tools.clock_now())
    assert (result.verdict.status, result.verdict.end_reason, result.verdict.scores) == (
        "invalid",
        "world_fault",
        {},
    )
    assert type(error).__name__ in result.end["detail"]
    assert not result.verdict.strict and result.verdict.criteria, "findings are shown, unscored"


def test_a_crossing_before_the_bug_stays_visible(bug):
    def agent(message, tools):
        mail_out(tools)
        tools.clock_now()

    result = sat(agent)
    assert result.verdict.status == "invalid" and result.verdict.crossed
    gate = next(f for f in result.verdict.criteria if f.kind == "boundary")
    assert gate.result == "not_met" and gate.rows


def test_an_agent_that_goes_on_after_the_bug_is_not_graded_for_it(bug):
    """It swallows the fault, does more and says that all is well: the sitting was over."""

    def agent(message, tools):
        for _ in range(3):
            try:
                tools.clock_now()
            except Exception as why:
                assert isinstance(why, WorldFault) or "over" in str(why)
        return "all done"

    result = sat(agent)
    assert (result.verdict.status, result.end["calls"], result.opened.evidence.replies) == ("invalid", 1, [])


def test_the_bug_s_call_leaves_nothing_of_itself(bug):
    result = sat(lambda message, tools: tools.clock_now())
    assert result.kinds == ["turn", "end"]


def test_a_bug_is_counted_and_shown_in_a_run(tmp_path, monkeypatch):
    """In a whole run, beside attempts that are graded: planned = graded + invalid."""
    tool = app("mail").tools["mail_draft"]
    assert tool._validate

    def boom(world, **args):
        raise RuntimeError("planted")

    monkeypatch.setattr(tool, "run", boom)
    folder = plan_run(
        resolve("oracle"),
        Selection(tasks=("*double*", "*commitment*"), markets=("sg",), variants=(0,)),
        1,
        tmp_path / "run",
    )
    for _ in Run(folder, resolve).go():
        pass
    record = run_record(folder)
    assert record["counts"] == {"planned": 2, "graded": 1, "blocked": 0, "invalid": 1, "not_run": 0}
    assert record["strict_passes"] == 1
    bad = next(r for r in record["attempts"] if r["status"] == "invalid")
    assert (bad["task"], bad["end_reason"], bad["scores"], bad["strict"]) == (
        BOOKING,
        "world_fault",
        {},
        False,
    )


# ---- grading -------------------------------------------------------------------------------------


def broken(*instead: str, error: BaseException | None = None):
    """The criteria of double booking, some of which raise."""

    def boom(e, k):
        raise error or ZeroDivisionError("planted")

    task = instance_of(BOOKING, "sg", 0, "en").task
    return tuple(Criterion(c.id, c.kind, boom) if c.id in instead else c for c in task.criteria)


def hasty():
    instance = instance_of(BOOKING, "sg", 0, "en")
    return open_bundle(sit(resolve("hasty"), instance).sealed.data).evidence, instance


@pytest.mark.parametrize(
    "error",
    [
        ZeroDivisionError("x"),
        RecursionError(),
        MemoryError(),
        AttributeError("no such value"),
        EvidenceError("x"),
    ],
)
def test_a_raising_criterion_is_invalid_and_the_other_findings_are_kept(error):
    evidence, instance = hasty()
    whole = grade(evidence, instance.key, instance.task.criteria)
    assert whole.status == "graded" and whole.crossed
    gate = next(c.id for c in instance.task.criteria if c.kind == "boundary")
    for c in instance.task.criteria:
        verdict = grade(evidence, instance.key, broken(c.id, error=error))
        assert (verdict.status, verdict.end_reason, verdict.scores, verdict.strict) == (
            "invalid",
            "grading_fault",
            {},
            False,
        )
        assert c.id in verdict.why and type(error).__name__ in verdict.why
        kept = [f for f in verdict.criteria if f.id != c.id]
        assert kept == [f for f in whole.criteria if f.id != c.id]
        assert next(f for f in verdict.criteria if f.id == c.id).result == "not_observed"
        assert verdict.crossed is (c.id != gate), "a crossing that was found stays visible"


def test_a_raising_criterion_outranks_blocked_and_world_fault(bug):
    result = sat(lambda message, tools: tools.clock_now())
    task = instance_of(BOOKING, "sg", 0, "en").task
    verdict = grade(
        result.opened.evidence,
        instance_of(BOOKING, "sg", 0, "en").key,
        broken(*(c.id for c in task.criteria)),
    )
    assert (verdict.status, verdict.end_reason) == ("invalid", "grading_fault")


def test_a_verdict_of_no_criteria_is_not_strict():
    evidence, instance = hasty()
    assert not grade(evidence, instance.key, ()).strict


# ---- the table of endings ------------------------------------------------------------------------


def ended(evidence, reason: str):
    """The evidence as if it had ended for this reason."""
    last = dataclasses.replace(evidence.ledger[-1], name=reason)
    evidence.__dict__["ledger"] = (*evidence.ledger[:-1], last)
    return evidence


@pytest.mark.parametrize("reason", ENDINGS)
def test_what_the_agent_causes_is_graded_and_what_is_ours_is_not(reason):
    evidence, instance = hasty()
    verdict = grade(ended(evidence, reason), instance.key, instance.task.criteria)
    status = {"agent": "graded", "operator": "blocked", "exam": "invalid"}[ENDINGS[reason].by]
    assert (verdict.status, verdict.end_reason, verdict.crossed) == (status, reason, True)
    assert bool(verdict.scores) == (status == "graded")
    assert bool(verdict.why) == (status != "graded"), "who is not scored is told why"


def test_an_unknown_end_is_no_evidence():
    evidence, instance = hasty()
    with pytest.raises(EvidenceError, match="unknown end reason 'won'"):
        grade(ended(evidence, "won"), instance.key, instance.task.criteria)


def test_a_world_that_breaks_at_the_first_turn_is_our_fault(monkeypatch):
    from errands.core.errors import WorldFault
    from errands.exam.sitting import Limits, Sitting
    from errands.tasks.registry import task
    from errands.world import World, open_world

    record = World.record

    def broken(self, kind, actor, name, body):
        if name == "instruction":
            raise WorldFault("a planted bug")
        return record(self, kind, actor, name, body)

    monkeypatch.setattr(World, "record", broken)
    sitting = Sitting(open_world(task("ec-inbox-commitment-audit").instance("sg", 0).fixture.blob), Limits())
    assert sitting.next() is None and sitting.ended == "world_fault"
    last = sitting.world.one("SELECT kind, name FROM exam_ledger ORDER BY seq DESC LIMIT 1")
    assert last == {"kind": "end", "name": "world_fault"}
