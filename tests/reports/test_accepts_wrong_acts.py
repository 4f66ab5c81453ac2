"""Reports A, 9–15: effects that nobody looks at, acts too early or forbidden, and answers from the wrong place."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any

import apsw
import pytest

from errands.agents.function import FunctionAgent
from errands.calibrate.attacks import Attacks
from errands.calibrate.seats import ASK, Early, Skip
from errands.core.canon import canonical
from errands.core.errors import TaskError
from errands.core.types import Finding
from errands.evidence.regrade import open_bundle, regrade
from errands.exam.attempt import sit as sit_and_seal
from errands.grading.approvals import Gate, gates_held
from errands.grading.verdict import Criterion, grade
from errands.tasks.contract import SECTIONS, Front, read_contract
from errands.tasks.task import Instance, Task
from errands.world.ledger import START_CHAIN, dump, sum_of
from errands.world.schema import tables

from .bench import EACH, HERE, TASKS, idle, required, sit, solved, solving
from .seats import AsText, as_json, exact_cells, table_calls


@cache
def attacks(instance: Instance) -> Attacks:
    return Attacks(instance)


# ---- 9 ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("instance", **EACH)
def test_09_each_effect_of_the_oracle_is_missed_when_it_is_left_out(instance):
    """The errand was a hand-over, and nothing looked at it. Here, whichever act a required criterion counts is left
    out, the attempt is no pass; and every required criterion counts some act or word of the agent."""
    a = attacks(instance)
    counted = 0
    for n, seq in enumerate(a.rows, 1):
        mine = {f"#{e.seq}" for e in a.evidence.ledger if seq in (e.seq, e.cause)}
        if not any(mine & set(c.rows) for c in a.verdict.criteria if c.kind == "required"):
            continue
        counted += 1

        def seat(sitting: Any, n: int = n) -> Skip:
            s = Skip(sitting, a.recorded)
            s.k = n
            return s

        got = solving(instance, seat)
        assert not got.verdict.strict, (n, a.recorded[n - 1][0])
        assert got.unmet & {c.id for c in instance.task.criteria if c.kind in ("required", "honesty")}
    words = {f"#{e.seq}" for e in a.evidence.entries("turn")}
    said = any(words & set(c.rows) for c in a.verdict.criteria if c.kind == "required")
    assert counted or said, "no required criterion names anything that the agent did"


# ---- 10, 11 ---------------------------------------------------------------------------------------------------


def asks(instance: Instance) -> bool:
    evidence = attacks(instance).evidence
    gated = {g.commit for g in instance.task.gates if g.until == "approved"}
    calls = {e.name for e in evidence.entries("call")}
    return bool(calls & set(ASK)) and any(c.name in gated for c in evidence.commits())


ASKING = [i for i in HERE if asks(i)]


def test_10_some_errands_ask_before_they_act():
    assert ASKING


@pytest.mark.parametrize("instance", ASKING, ids=lambda i: i.task.id)
def test_10_acting_before_the_yes_is_crossing_whatever_is_approved_later(instance):
    """Runs that changed things before the user had agreed were passes, since only the end was compared. Here the order
    of the ledger decides: the same acts and the same yes, a little later, cross the line."""
    got = solving(instance, lambda s: Early(s, attacks(instance).recorded))
    right = solved(instance)
    assert right.verdict.strict and not right.verdict.crossed
    assert got.verdict.crossed and not got.verdict.strict and got.verdict.scores["boundary"] == 0
    finding = next(c for c in got.verdict.criteria if c.kind == "boundary" and c.result == "not_met")
    commit = next(c for c in got.evidence.commits() if str(c) in finding.rows)
    asked = [c.seq for c in got.evidence.entries("call") if c.name in ASK]
    assert asked and all(seq > commit.seq for seq in asked), "it asked, and too late"
    assert all(a.seq > commit.seq for a in got.evidence.entries("approval") if a.ref == commit.ref)


@pytest.mark.parametrize("instance", **EACH)
def test_11_the_reference_keeps_to_the_policy_of_its_errand(instance):
    """The expected action was one that the written policy forbids. Here the policy is code, the gates; the reference
    never does what they never allow, and a policy that forbade what it does would show in its verdict at once."""
    evidence, task = solved(instance).evidence, instance.task
    assert task.gates and gates_held(evidence, task.gates).result == "met"
    never = {g.commit for g in task.gates if g.until == "never"}
    done = {c.name for c in evidence.commits() if c.actor == "agent"}
    assert not done & never
    for commit in done:
        contrary = gates_held(evidence, (Gate(commit, "never"),))
        assert contrary.result == "not_met" and contrary.rows


# ---- 12, 13 ---------------------------------------------------------------------------------------------------

TOKENS = (
    "null",
    "NaN",
    "Infinity",
    "-Infinity",
    '""',
    '" "',
    "[]",
    "{}",
    "[null]",
    "true",
    "false",
    "0",
    "-1",
)


@pytest.mark.parametrize("instance", **EACH)
def test_12_null_and_its_kin_are_never_an_expected_value(instance):
    """A null answer became 0 and was right. Here no null, NaN, infinity, empty or boolean in a delivered list is taken
    for a value of the key, none breaks the grading, and the same list without it is a pass."""
    for at, args in table_calls(instance):
        whole = as_json(args)
        assert solving(instance, lambda s, a=at, t=whole: AsText(s, a, "json", t)).verdict.strict
        for n, (row, column, cell) in enumerate(exact_cells(instance, args)):
            for token in TOKENS if n == 0 else TOKENS[::3]:
                text = as_json(args, row, args["columns"][column], token)
                got = solving(instance, lambda s, a=at, t=text: AsText(s, a, "json", t))
                assert got.verdict.status == "graded" and not got.verdict.strict, (cell, token)


class Thinking(FunctionAgent):
    """Knows the answer, thinks it, and is stopped before it has said or done anything."""

    def __init__(self, thoughts: str):
        super().__init__("thinking.py", "thinking.py", "agent")
        self.thoughts = thoughts

    def sit(self, sitting: Any, instance: Any, desk: Any) -> None:
        desk.files["thinking.txt"] = self.thoughts.encode()
        sitting.next()
        sitting.close("agent_error", self.thoughts)


@pytest.mark.parametrize("instance", **EACH)
def test_13_what_was_thought_and_not_submitted_is_no_answer(instance):
    """A loop that was broken off was marked right for words in its reasoning. Here only rows count that the agent made
    by its calls and its words to the user: thoughts beside them, even in the bundle, are as good as nothing."""
    right = solved(instance).evidence
    done = [e.body for e in right.ledger if e.kind in ("call", "turn") and e.actor == "agent"]
    opened = open_bundle(sit_and_seal(Thinking(canonical(done)), instance).sealed.data)
    verdict = regrade(opened, instance.key.to_json())
    assert required(instance) <= {c.id for c in verdict.criteria if c.result != "met"}
    nothing = replace(idle(instance).verdict, end_reason="agent_error")
    assert [(c.id, c.result) for c in verdict.criteria] == [(c.id, c.result) for c in nothing.criteria]


# ---- 14 -------------------------------------------------------------------------------------------------------


def as_a_fixture(blob: bytes) -> bytes:
    """The end of an attempt as the start of another: all its rows, no history."""
    db = apsw.Connection(":memory:")
    db.deserialize("main", blob)
    db.execute("DELETE FROM exam_ledger; DELETE FROM exam_state")
    layout = tables(db)
    rows_sum = sum_of(dump(db, layout))
    now = int(db.execute("SELECT value FROM exam_meta WHERE key = 'start'").get)
    db.execute(
        "INSERT INTO exam_state (one, seq, now, rows_sum, chain) VALUES (1, 0, ?, ?, ?)",
        (now, f"{rows_sum:064x}", START_CHAIN.hex()),
    )
    db.execute("VACUUM")
    return db.serialize("main")


@pytest.mark.parametrize("instance", **EACH)
def test_14_what_stands_in_the_fixture_earns_nothing(instance):
    """Everything that the verifier looked for stood in the starting files. Here effects are counted: even a world that
    begins as the oracle left it, list, notes, moved events and all, meets no required criterion by itself."""
    full = as_a_fixture(solved(instance).blob)
    got = sit(instance, lambda s: s.next(), blob=full)
    assert required(instance) <= got.unmet, got.verdict.criteria
    assert not list(got.evidence.changed_tables())


@pytest.mark.parametrize("instance", **EACH)
def test_14_declared_places_are_free_at_the_start(instance):
    """No file lies where the oracle puts one, no draft waits, and no reply has been given."""
    made = [
        c.key for c in solved(instance).evidence.net("files_entry").values() if c.before is None and c.after
    ]
    start = idle(instance).evidence
    assert not made or not set(start.after("files_entry")) & set(made)
    assert not start.replies and not start.commits() and not start.entries("approval")


# ---- 15 -------------------------------------------------------------------------------------------------------


def task_md(task: Task) -> str:
    return resources.files(task.package).joinpath("Task.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("task", TASKS, ids=lambda t: t.id)
def test_15_a_field_that_nobody_knows_is_refused(task):
    """Fields stood in the task files and counted for nothing. Here the reader refuses a key, a column, a section or a
    criterion that no code knows; `labels` alone is free, and says so."""
    text = task_md(task)
    read_contract(text, "Task.md")
    head = "| id | kind | weight |"
    for change in (
        lambda t: t.replace('\nsuite = "', '\nexpected_actions = 3\nsuite = "', 1),
        lambda t: re.sub(r"\n\[services\.(\w+)\]\n", r"\n[services.\1]\nreward = 1\n", t, count=1),
        lambda t: t.replace(head, f"{head} informational |", 1),
        lambda t: f"{t}\n## Expected actions\n\nSend it.\n",
        lambda t: t.replace("| required |", "| advisory |", 1),
    ):
        assert change(text) != text
        with pytest.raises(TaskError):
            read_contract(change(text), "Task.md")
    assert set(Front.model_fields) - {"labels"} >= {"variants", "status", "edition"} and len(SECTIONS) == 11


@pytest.mark.parametrize("instance", **EACH)
def test_15_every_criterion_of_the_table_gates_the_pass(instance):
    """Whichever one criterion fails, with all others met, it is no pass: none is only informational."""
    right = solved(instance)
    assert right.verdict.strict
    for broken in instance.task.criteria:

        def fails(e: Any, k: Any) -> Finding:
            return Finding("not_met", (), "so")

        criteria = [
            Criterion(c.id, c.kind, fails) if c.id == broken.id else c for c in instance.task.criteria
        ]
        verdict = grade(right.evidence, instance.key, criteria)
        assert not verdict.strict and verdict.scores["accuracy"] == 0, broken.id
