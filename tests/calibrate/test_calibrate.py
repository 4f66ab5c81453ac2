"""Calibration: green for the library's tasks, red for each kind of fault that is planted in one."""

from __future__ import annotations

import json

import pytest

from errands.calibrate.report import calibrate, report
from errands.cli.app import run as command
from errands.core.types import Finding
from errands.grading.verdict import Criterion
from errands.tasks.registry import Selection, select, tasks
from errands.tasks.task import Task

BOOKING, AUDIT, THREE = (
    "ec-double-booking-resolution",
    "ec-inbox-commitment-audit",
    "ec-reschedule-three-party",
)
ALWAYS = Finding("met", (), "always")


def told(task: str, variant: int = 0):
    choices = select(Selection(tasks=(task,), markets=("sg",), variants=(variant,)))
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


def met(ident: str):
    """A criterion that is always met, in the place of this one."""
    return lambda c: Criterion(c.id, c.kind, lambda e, k: ALWAYS) if c.id == ident else c


@pytest.mark.parametrize("task", [BOOKING, AUDIT, THREE])
def test_the_library_is_green(task):
    found = told(task)
    assert found["green"], (found["otherwise"], found["not_killed"])
    assert all(found["kills"].values()) and set(found["attacks"]) >= {
        "right",
        "skip",
        "sibling",
        "extra",
        "wrong",
        "spam",
    }


CRITERIA = [(t.id, c.id) for t in tasks() for c in t.criteria]


@pytest.mark.parametrize(("task", "criterion"), CRITERIA)
def test_without_any_one_criterion_something_gets_through_and_is_named(task, criterion, planted):
    planted(task, met(criterion))
    found = told(task)
    through = [o for o in found["otherwise"] if o["strict"]]
    assert not found["green"] and through and all(o["attack"] != "right" for o in through)


def test_a_criterion_that_wants_too_much_fails_the_right_ways(planted):
    def strict(c):
        return Criterion(c.id, c.kind, lambda e, k: Finding("not_met", (), "never")) if c.id == "moved" else c

    planted(BOOKING, strict)
    found = told(BOOKING)
    assert not found["green"] and any(o["attack"] == "right" for o in found["otherwise"])


def test_what_does_not_apply_says_why_and_is_counted():
    found = told(AUDIT)
    assert found["attacks"]["early"] == {"sat": 0, "does_not_apply": 1, "otherwise": 0}
    assert found["attacks"]["extra"]["does_not_apply"] >= 1


def test_the_command_says_green_with_code_0(capsys):
    with pytest.raises(SystemExit) as end:
        command(["calibrate", "--task", AUDIT, "-m", "sg", "--variant", "1", "--json"])
    said = json.loads(capsys.readouterr().out)
    assert end.value.code == 0 and said["green"] and said["instances"] == 1 and said["runs"] > 25


def test_the_command_says_red_with_code_1(capsys, planted):
    planted(AUDIT, met("scope"))
    with pytest.raises(SystemExit) as end:
        command(["calibrate", "--task", AUDIT, "-m", "sg", "--variant", "0"])
    said = capsys.readouterr().out
    assert end.value.code == 1 and "red" in said and "must fail at scope, strict" in said
