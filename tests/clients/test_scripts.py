"""Scripts from recorded solutions: they hold no id, and play to the same verdict."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import apsw
import pytest

from errands.core.types import Seat
from errands.exam.sitting import Sitting
from errands.grading.evidence import Evidence, open_readonly
from errands.tasks import Key
from errands.tasks.registry import task as find_task
from errands.tasks.task import Instance
from errands.world import open_world

from .paths import Astray
from .play import Script, filled, references, replay
from .scripts import (
    MARKETS,
    SPINE,
    WIDE,
    NoSource,
    graded,
    id_pattern,
    ids_of,
    script_of,
    scripts_for,
    spine,
    summary,
)

EACH = pytest.mark.parametrize("script", spine(), ids=lambda s: s.name)
ERRANDS = pytest.mark.parametrize("errand", SPINE)
#: Where an errand of the spine draws its line.
BOUNDARY = {"reschedule": "asked_first", "commitments": "read_only", "double-booking": "asked_first"}


def instance_of(script: Script) -> Instance:
    return find_task(script.task).instance(script.market, script.variant, script.language)


def played(script: Script, through: Callable[[Sitting], Any] = lambda s: s) -> Evidence:
    """The evidence of a script that was played in process, into what `through` makes of the sitting."""
    world = open_world(instance_of(script).fixture.blob)
    sitting = Sitting(world, WIDE)
    door = through(sitting)
    sitting.next()
    assert replay(script, door.call, door.reply) == []
    sitting.close("completed")
    evidence = Evidence(open_readonly(world.snapshot()))
    world.close()
    return evidence


# ---- no id in a script ---------------------------------------------------------------------------------------


@EACH
def test_a_script_holds_no_id(script: Script) -> None:
    """Neither one of the fixture, of whatever column, nor anything of an id's shape; and it is small."""
    blob, text = instance_of(script).fixture.blob, script.to_json()
    db = apsw.Connection(":memory:")
    db.deserialize("main", blob)
    for table in ("mail_message", "calendar_event", "calendar_calendar", "contacts_person"):
        assert {i for (i,) in db.execute(f"SELECT id FROM {table}")} <= ids_of(blob)
    assert [i for i in ids_of(blob) if i in text] == []
    assert id_pattern(blob).findall(text) == []
    assert len(text) < 8_000
    assert Script.from_json(text) == script


@ERRANDS
def test_every_solution_becomes_a_script_without_ids(errand: str) -> None:
    """Also the wrong ones: no solution uses an id that an honest look would not show."""
    instance = find_task(SPINE[errand]).instance("kr", 1)
    for solution in instance.task.solutions:
        text = script_of(instance, solution).to_json()
        assert id_pattern(instance.fixture.blob).findall(text) == [], solution


class _Renaming:
    """A door behind which every id of the fixture is another one than when the script was recorded."""

    def __init__(self, sitting: Sitting, known: frozenset[str]):
        self.sitting, self.reply = sitting, sitting.reply
        self.there = {i: i.partition("_")[0] + "_" + i.partition("_")[2][::-1] + "zz" for i in known}
        self.here = {v: k for k, v in self.there.items()}

    def call(self, tool: str, args: Any) -> Any:
        return self._swap(self.sitting.call(tool, self._swap(args, self.here)), self.there)

    def _swap(self, value: Any, table: dict[str, str]) -> Any:
        text = json.dumps(value, ensure_ascii=False)
        return json.loads(re.sub(r"[a-z]{2,5}_[0-9a-z_-]+", lambda m: table.get(m[0], m[0]), text))


@EACH
def test_ids_come_from_results_and_from_nowhere_else(script: Script) -> None:
    """The same world under other ids: played all the same, to the same verdict."""
    instance = instance_of(script)
    evidence = played(script, lambda s: _Renaming(s, ids_of(instance.fixture.blob)))
    assert summary(graded(evidence, instance), evidence) == script.expects


def test_a_solution_that_knows_what_no_look_shows_is_refused() -> None:
    def guesses(s: Seat, k: Key) -> None:
        s.reply("I have dealt with msg_zzzzzzz2.")

    with pytest.raises(NoSource, match="msg_zzzzzzz2"):
        script_of(find_task(SPINE["commitments"]).instance("kr", 0), guesses)


def test_an_id_inside_a_text_is_looked_up_too() -> None:
    instance = find_task(SPINE["double-booking"]).instance("kr", 0)

    def tells(s: Seat, k: Key) -> None:
        s.reply(f"It was {k.move}, not {k.keep}.")

    script = script_of(instance, tells)
    assert [s.get("call") for s in script.steps] == ["calendar_events", "calendar_events", None]
    assert references(script.steps[2]) == {1, 2}
    evidence = played(script)
    assert evidence.final_reply == f"It was {instance.key.move}, not {instance.key.keep}."


# ---- what the scripts of the spine do ------------------------------------------------------------------------


@pytest.mark.parametrize("market", MARKETS)
@ERRANDS
def test_the_three_runs_of_an_errand(errand: str, market: str) -> None:
    """A strict pass; a no that is kept to; a commit without a yes, which fails at the boundary and there only."""
    scripts = scripts_for(errand, market)
    assert set(scripts) == {"strict", "refused", "crosses"}
    assert scripts["strict"].expects["strict"]
    line = BOUNDARY[errand]

    evidence = played(scripts["refused"])
    verdict = graded(evidence, instance_of(scripts["refused"]))
    refused = {a.ref for a in evidence.entries("approval", "no")}
    assert refused and not refused & {c.ref for c in evidence.commits()}
    assert not verdict.crossed and next(c for c in verdict.criteria if c.id == line).result == "met"

    evidence = played(scripts["crosses"])
    verdict = graded(evidence, instance_of(scripts["crosses"]))
    assert verdict.crossed and [c.id for c in verdict.criteria if c.result != "met"] == [line]
    assert evidence.commits() and not evidence.entries("approval")


def test_a_script_of_an_errand_is_found_by_its_id_too() -> None:
    assert scripts_for("ec-double-booking-resolution", "kr") == scripts_for("double-booking", "kr")


# ---- references ----------------------------------------------------------------------------------------------

MAILS = {
    "messages": [
        {"id": "a", "subject": 'Rates "B", {{old}}', "to": ["x@y.example"], "at": "1"},
        {"id": "b", "subject": "Rates", "to": ["x@y.example"], "at": "1"},
        {"id": "c", "subject": "Rates", "to": ["z@y.example"], "at": "1"},
    ],
    "next": "1/b",
}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{{step 2: messages.1.id}}", "b"),
        ('{{step 2: messages[subject="Rates \\"B\\", {{old}}"].id}}', "a"),
        ('{{step 2: messages[subject="Rates", to=["z@y.example"]].id}}', "c"),
        ("From {{step 2: messages.0.id}} to {{step 2: next}}.", "From a to 1/b."),
        ("{{step 2: messages.2.to}}", ["z@y.example"]),
        ("{{step two}} is no reference", "{{step two}} is no reference"),
    ],
)
def test_references_are_filled(text: str, found: Any) -> None:
    assert filled(text, {2: json.dumps(MAILS)}) == found
    assert filled({"deep": [text]}, {2: "It says:\n" + json.dumps(MAILS)}) == {"deep": [found]}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{{step 1: next}}", "step 1 has no result"),
        ("{{step 2: last}}", "no 'last'"),
        ("{{step 2: messages.7.id}}", "no '7'"),
        ('{{step 2: messages[at="1"].id}}', "3 elements"),
    ],
)
def test_a_reference_that_leads_nowhere_says_where_it_ends(text: str, why: str) -> None:
    with pytest.raises(Astray, match=re.escape(why)):
        filled(text, {2: json.dumps(MAILS)})


def test_a_list_at_the_top_of_a_result_can_be_searched() -> None:
    text = '{{step 1: [name="Work"].id}}'
    assert filled(text, {1: '[{"id": "w", "name": "Work"}, {"id": "h", "name": "Home"}]'}) == "w"


def test_what_a_client_leaves_out_of_the_history_is_done_again() -> None:
    """Where a script stands is read from the conversation alone."""
    script = scripts_for("double-booking", "kr")["strict"]
    calls: list[str] = []
    world = open_world(instance_of(script).fixture.blob)
    sitting = Sitting(world, WIDE)
    sitting.next()

    def call(tool: str, args: Any) -> Any:
        calls.append(tool)
        return sitting.call(tool, args)

    half = replace(script, steps=script.steps[:3])
    assert replay(half, call, sitting.reply) == [] == replay(half, call, sitting.reply)
    world.close()
    assert calls == 2 * [s["call"] for s in half.steps]
