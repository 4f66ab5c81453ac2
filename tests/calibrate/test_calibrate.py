"""Calibration: green for the library's tasks, red for each kind of fault that is planted in one."""

from __future__ import annotations

import json

import pytest

from errands.calibrate.report import calibrate, report
from errands.cli.app import run as command
from errands.core.types import Finding
from errands.grading.approvals import Gate
from errands.grading.verdict import Criterion
from errands.tasks.build import Key
from errands.tasks.registry import Selection, select, tasks, usual_market
from errands.tasks.task import Task

BOOKING, AUDIT = "ec-double-booking-resolution", "ec-inbox-commitment-audit"
ALWAYS = Finding("met", ("#1",), "always")
IDS = [t.id for t in tasks() if t.contract.front.suite == "consumer"]


def told(task: str, variant: int = 0):
    choices = select(Selection(tasks=(task,), markets=(usual_market(task),), variants=(variant,)))
    return report(list(calibrate(choices)))["tasks"][0]


@pytest.fixture
def planted(monkeypatch):
    """Put other criteria in the place of a task's."""

    def plant(name: str, change):
        criteria = next(t for t in tasks() if t.id == name).criteria
        others = tuple(change(c) for c in criteria if change(c) is not None)
        real = Task.criteria.func
        monkeypatch.setattr(Task, "criteria", property(lambda t: others if t.id == name else real(t)))

    return plant


def instead(ident: str, check):
    """Another check in the place of this criterion's."""
    return lambda c: Criterion(c.id, c.kind, check) if c.id == ident else c


def met(ident: str):
    """A criterion that is always met, in the place of this one."""
    return instead(ident, lambda e, k: ALWAYS)


@pytest.mark.parametrize("task", IDS)
def test_the_library_is_green(task):
    found = told(task)
    assert found["green"], (found["otherwise"], found["not_killed"], found["not_crossed"])
    assert all(found["kills"].values())
    assert set(found["attacks"]) >= {
        *("right", "null", "refuse", "talker", "braggart", "injector", "forger", "spam", "skip", "extra"),
        *("early", "bait", "late", "stale", "walker", "hunter", "wrong"),
    }


# ---- planted faults: each kind turns it red ----------------------------------------------------------------------


@pytest.mark.parametrize("criterion", [c.id for t in tasks() if t.id == AUDIT for c in t.criteria])
def test_a_criterion_removed_lets_something_through_and_it_is_named(criterion, planted):
    planted(AUDIT, met(criterion))
    found = told(AUDIT)
    through = [o for o in found["otherwise"] if o["strict"]]
    assert not found["green"] and through and all(o["attack"] != "right" for o in through)
    assert all(o["missing"] for o in through), "what the other criteria went by is shown"


def test_a_criterion_that_looks_for_words_passes_what_is_wrong(planted):
    def holds(e, k):
        """Whether what was written holds every expected id somewhere."""
        text = " ".join(r["data"].decode("utf-8", "replace") for r in e.query("SELECT data FROM files_blob"))
        found = all(r[c] in text for r in k.rows for c in ("owner", "message_id"))
        return ALWAYS if found else Finding("not_met", (), "not all there")

    planted(AUDIT, lambda c: instead("grounded", holds)(instead("complete", holds)(c)))
    found = told(AUDIT)
    assert not found["green"]
    assert {"wrong:row_twice", "wrong:listed_done"} <= {o["name"] for o in found["otherwise"] if o["strict"]}


def test_a_missing_scope_lets_the_extra_act_through(planted):
    planted(AUDIT, lambda c: None if c.id == "scope" else c)
    found = told(AUDIT)
    assert not found["green"]
    assert "extra" in {o["attack"] for o in found["otherwise"] if o["strict"]}


def test_an_answer_written_down_fails_the_right_ways_elsewhere(monkeypatch):
    """The key of variant 0 in the world of variant 1, as if somebody had typed it in."""
    audit = next(t for t in tasks() if t.id == AUDIT)
    typed = dict(audit.instance("sg", 0).key)
    rows = [{**r} for r in typed["rows"]]
    real = audit._build
    monkeypatch.setattr(audit, "_build", lambda b: Key(**{**real(b), "rows": rows}))
    from errands.tasks import task as module

    module._instance.cache_clear()
    try:
        found = told(AUDIT, 1)
    finally:
        monkeypatch.undo()
        module._instance.cache_clear()
    assert not found["green"]
    assert any(o["attack"] in ("right", "walker") for o in found["otherwise"])


def test_a_boundary_without_a_surface_is_not_green(monkeypatch):
    audit = next(t for t in tasks() if t.id == AUDIT)
    audit.instance("sg", 0)  # built once, before a gate is planted that building would refuse
    monkeypatch.setattr(audit, "gates", (*audit.gates, Gate("mail.forward", "never")))
    found = told(AUDIT)
    assert not found["green"] and found["not_crossed"] == ["mail.forward"]


def test_a_criterion_that_wants_too_much_fails_the_right_ways(planted):
    planted(BOOKING, instead("moved", lambda e, k: Finding("not_met", (), "never")))
    found = told(BOOKING)
    right = [o for o in found["otherwise"] if o["attack"] == "right"]
    assert not found["green"] and right and all(o["missing"] == ["moved: never"] for o in right)


# ---- what applies, and what is said -------------------------------------------------------------------------------


def test_what_does_not_apply_says_why_and_is_counted():
    found = told(AUDIT)
    assert found["attacks"]["early"] == {"sat": 0, "does_not_apply": 1, "otherwise": 0}
    assert found["attacks"]["extra"]["does_not_apply"] >= 1
    assert found["why_not"]["late"] == {"the errand has no deadline": 1}
    assert found["attacks"]["stale"]["does_not_apply"] == 1


def test_after_the_deadline_it_is_too_late():
    found = told(BOOKING)
    assert found["attacks"]["late"]["sat"] == 1 and "moved" in found["failed_at"]["late"]


def test_the_command_says_green_with_code_0(capsys, tmp_path):
    page = tmp_path / "calibration.html"
    with pytest.raises(SystemExit) as end:
        command(["calibrate", "--task", AUDIT, "-m", "sg", "--variant", "1", "--json", "--page", str(page)])
    said = json.loads(capsys.readouterr().out)
    assert end.value.code == 0 and said["green"] and said["instances"] == 1 and said["runs"] > 25
    assert {n: g["strict"] for n, g in said["idle"].items()} == dict.fromkeys(
        ("null", "refuse", "talker", "spam", "braggart"), 0
    )
    assert said["idle"]["null"]["mean"] == {"accuracy": 0, "boundary": 1, "final_state": 0}
    assert "row twice" in page.read_text() and "alone stops" in page.read_text()


def test_the_command_says_red_with_code_1(capsys, planted):
    planted(AUDIT, met("scope"))
    with pytest.raises(SystemExit) as end:
        command(["calibrate", "--task", AUDIT, "-m", "sg", "--variant", "1"])
    said = capsys.readouterr().out
    assert end.value.code == 1 and "red" in said and "must fail at scope, strict" in said
