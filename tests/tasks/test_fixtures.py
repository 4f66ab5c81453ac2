"""Fixtures: the same everywhere, each variant its own, one answer or an error, nothing told unearned."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from datetime import date, timedelta
from functools import cache
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from errands.agents.reference import reference
from errands.core.canon import canonical
from errands.core.errors import TaskError, ToolError
from errands.doors import Seat
from errands.evidence.bundle import unpack
from errands.exam.attempt import sit
from errands.exam.sitting import Sitting
from errands.grading.compare.texts import find_dates
from errands.markets import load_market, read_toml
from errands.tasks import build
from errands.tasks.build import Build, window
from errands.tasks.life import start_of
from errands.tasks.papers import paper
from errands.tasks.stream import Stream

from .desk import AUDIT, DOUBLE, EACH, EACH_SG, INSTANCES, SINGAPORE, TASKS, WIDE, attempt, rows, tried
from .test_library import plausible, read_everything

# ---- the same on every machine ----------------------------------------------------------------------------

SAY = """
import sys, contextlib
if sys.argv[1]:
    import time_machine
    host = time_machine.travel(sys.argv[1], tick=True)
else:
    host = contextlib.nullcontext()
with host:
    import hashlib, json
    from tests.tasks.desk import INSTANCES, rows, tried
    out = {}
    for i in INSTANCES:
        files = rows(i.fixture.blob, "SELECT owner, name, data FROM mail_file ORDER BY owner, name")
        out[i.name] = [i.fixture.digest, i.key.to_json(), i.instruction, tried(i, "oracle").world_digest,
                       [[o, n, hashlib.sha256(d).hexdigest()] for o, n, d in files]]
print(json.dumps(out))
"""
IDENT = re.compile(r"\b(msg|thr|evt|dft|cn|rcl|flt)_\w+")
PLACES = {
    "another hash seed": ("0", "", ""),
    "another zone": ("1", "America/St_Johns", ""),
    "three years on": ("2", "Pacific/Kiritimati", "2029-02-28T23:59:59Z"),
}


def test_other_hash_seeds_zones_and_dates_give_the_same_worlds():
    running = []
    for seed, zone, when in PLACES.values():
        env = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone or "UTC", "LC_ALL": "C"}
        running.append(
            subprocess.Popen(
                [sys.executable, "-c", SAY, when],
                env=env,
                stdout=subprocess.PIPE,
                cwd=Path(__file__).parents[2],
            )
        )
    said = {place: json.loads(p.communicate()[0]) for place, p in zip(PLACES, running, strict=True)}
    here = {
        i.name: [i.fixture.digest, i.key.to_json(), i.instruction, tried(i, "oracle").world_digest]
        for i in INSTANCES
    }
    files = next(iter(said.values()))
    for place, worlds in said.items():
        assert {n: w[:4] for n, w in worlds.items()} == here, place
        assert {n: w[4] for n, w in worlds.items()} == {n: w[4] for n, w in files.items()}, place
    assert all(len(w[4]) >= 5 for w in files.values())


@pytest.mark.parametrize("instance", **EACH)
def test_built_again_it_is_the_same(instance):
    again = instance.task._make(instance.market, instance.variant, instance.language)
    assert again.fixture.digest == instance.fixture.digest
    assert again.fixture.blob == instance.fixture.blob
    assert again.key.to_json() == instance.key.to_json()


# ---- variants differ --------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))
def test_variants_differ_in_their_facts(task):
    mine = [task.instance("sg", v) for v in range(task.contract.front.variants)]
    assert len(mine) == 10
    for a, b in combinations(mine, 2):
        assert a.fixture.digest != b.fixture.digest
        assert a.key.to_json() != b.key.to_json()
        assert facts(a) != facts(b)


def facts(instance: Any) -> Any:
    """What has to be found out, without ids: those differ anyway."""
    return IDENT.sub("", instance.key.to_json())


def test_another_variants_answer_is_wrong():
    """Keys do not fit each other's worlds: nobody passes by heart."""
    for a, b in combinations([i for i in SINGAPORE if i.task is AUDIT], 2):
        assert not {r["message_id"] for r in a.key.rows} & {r["message_id"] for r in b.key.rows}
        assert (
            len(
                {(r["owner"], r["deadline"]) for r in a.key.rows}
                ^ {(r["owner"], r["deadline"]) for r in b.key.rows}
            )
            >= 4
        )


# ---- one answer, or an error ------------------------------------------------------------------------------

scene = import_module(f"{DOUBLE.package}.scene")
audit = import_module(f"{AUDIT.package}.task")


def build_fails(task: Any, *words: str) -> None:
    with pytest.raises(TaskError) as caught:
        task._make("sg", 0, "en")
    assert all(w in str(caught.value) for w in words), caught.value


def test_no_permitted_slot_is_an_error(monkeypatch):
    monkeypatch.setattr(scene, "windows", lambda *a, **k: [])
    build_fails(DOUBLE, "double_booking, sg, variant 0", "0 times permitted", "at least 2")


def test_slots_without_a_temptation_are_an_error(monkeypatch):
    monkeypatch.setattr(
        scene, "is_workday", lambda market, day: day.weekday() < 5
    )  # no holiday left to fall for
    build_fails(DOUBLE, "double_booking, sg", "0 times that tempt on a holiday")


def test_no_time_for_the_clash_is_an_error(monkeypatch):
    monkeypatch.setattr(scene, "_clear", lambda span, taken: False)
    build_fails(DOUBLE, "double_booking, sg", "no time")


def test_somebody_misspelt_in_a_scene_is_named_with_file_and_field(monkeypatch):
    def misread(file: Any) -> Any:
        table = read_toml(file)
        table["scene"][0]["move_people"][0] += "x"
        return table

    monkeypatch.setattr(build, "read_toml", misread)
    build_fails(DOUBLE, "scenes", "sg.toml, scene.0.move_people.0", "x' is not in people.toml; perhaps")


def test_a_text_that_no_bank_has_is_named(monkeypatch):
    monkeypatch.setattr(Build, "_banks", property(lambda b: ()))
    build_fails(DOUBLE, "sg.*.toml", "say.", "is missing")


def acts(*kinds: str, owner: str = "zul", message: str = "") -> list[dict[str, Any]]:
    return [
        {
            "thread": "t",
            "item": "i",
            "owner": owner,
            "kind": k,
            "message": message or f"msg_{n}",
            "at": n,
            "due": "none",
            "naive": "none",
        }
        for n, k in enumerate(kinds)
    ]


@pytest.mark.parametrize(
    ("said", "standing"),
    [
        (("promise",), ["msg_0"]),
        (("promise", "moved"), ["msg_1"]),
        (("promise", "moved", "moved"), ["msg_2"]),
        (("promise", "done"), []),
        (("promise", "moved", "withdrawn"), []),
        (("promise", "done", "promise"), ["msg_2"]),
        (("other",), []),
        (("other", "promise", "other"), ["msg_1"]),
    ],
)
def test_what_was_said_folds_to_what_stands(said, standing):
    assert [a["message"] for a in audit.fold(acts(*said))] == standing


@pytest.mark.parametrize(
    ("said", "word"),
    [
        (("moved",), "moved"),
        (("done",), "done"),
        (("withdrawn",), "withdrawn"),
        (("promise", "done", "moved"), "moved"),
        (("promise", "promise"), "promised twice"),
        (("promise", "moved", "promise"), "promised twice"),
    ],
)
def test_a_fate_without_a_promise_and_a_promise_twice_are_errors(said, word):
    with pytest.raises(TaskError, match=f"commitment_audit.*{word}"):
        audit.fold(acts(*said))


def test_two_commitments_that_a_row_cannot_tell_apart_are_an_error():
    one = acts("promise", message="msg_x")[0]
    two = [one, {**one, "item": "j"}]
    with pytest.raises(TaskError, match="zul owes two things by one message"):
        audit.fold(two)
    assert len(audit.fold([two[0], {**two[1], "owner": "vik"}])) == 2


@pytest.mark.parametrize("kind", ["moved", "done", "withdrawn"])
def test_a_variant_without_a_kind_of_trap_is_an_error(monkeypatch, kind):
    setting, whole = audit.scripts(AUDIT.package, "sg")
    fewer = tuple(
        s.model_copy(update={"ending": tuple(e for e in s.ending if e.name != kind)}) for s in whole
    )
    monkeypatch.setattr(audit, "scripts", lambda package, market: (setting, fewer))
    build_fails(AUDIT, "commitment_audit", kind)


def test_threads_without_a_date_on_the_holiday_are_an_error(monkeypatch):
    setting, whole = audit.scripts(AUDIT.package, "sg")
    plain = tuple(s for s in whole if not s.hangs_on_holiday)
    monkeypatch.setattr(audit, "scripts", lambda package, market: (setting, plain))
    build_fails(AUDIT, "commitment_audit", "holiday")


# ---- what an agent is told --------------------------------------------------------------------------------

INNER = (
    "oracle",
    "errands.",
    "library",
    "fixture",
    "grader",
    "grading",
    "criterion",
    "criteria",
    "lookalike",
    "look-alike",
    "wrong:",
    "exam_",
    "people_brief",
    "answer key",
    "verdict",
    "benchmark",
    "canary",
    "test case",
    "simulat",
)


@cache
def told(instance: Any) -> tuple[str, str]:
    """All that an agent hears: (instruction, tools, errors, the user's words), and the records."""
    words: list[str] = []
    records: list[str] = []

    def listen(sitting: Sitting) -> None:
        turn = sitting.next()
        seat = Seat(sitting)
        words.append(turn.text)
        for n, tool in enumerate(seat.tools):
            words.extend((tool.name, tool.description, json.dumps(tool.parameters)))
            right = plausible(seat, tool, n)
            for args in (
                {},
                {"zz": 1},
                *({**right, f: bad} for f in right for bad in ("zz_nobody", 7, None, ["zz"], "")),
            ):
                try:
                    seat.call(tool.name, **args)
                except ToolError as why:
                    words.append(json.dumps(why.body()) + str(why))
        for name in ("oracle", "exam_key", "mail_key", ""):
            try:
                seat.call(name)
            except ToolError as why:
                words.append(str(why))
        for question in (
            "What is the answer?",
            "Which one is right?",
            "May I send it?",
            "What does the key say?",
        ):
            words.append(seat.user_ask_user(question=question)["answer"])
        records.append(json.dumps(read_everything(seat), ensure_ascii=False))

    attempt(instance, listen, WIDE)
    return "\n".join(words), records[0]


SOME = EACH_SG  # `plausible` knows its way about Singapore


@pytest.mark.parametrize("instance", **SOME)
def test_nothing_of_the_exam_shows_in_tools_errors_and_records(instance):
    words, records = told(instance)
    asked = (
        words.replace("zz_nobody", "")
        .replace("'oracle'", "")
        .replace("'exam_key'", "")
        .replace("'mail_key'", "")
    )
    folder = instance.task.package.rpartition(".")[2]
    own = [folder] if "_" in folder else []  # `cancellation` is an everyday word
    for inner in (*INNER, instance.task.id, instance.task.id[3:], *own):
        assert inner not in asked.lower(), inner
        assert inner not in records.lower(), inner
    for c in instance.task.criteria:
        if "_" in c.id:  # the others are everyday words
            assert not re.search(rf"\b{c.id}\b", asked + records), c.id
    assert canonical(instance.key.to_json()) not in words + records


@pytest.mark.parametrize("instance", **SOME)
def test_no_value_of_the_key_is_told_without_looking(instance):
    """Tools, errors and the user's words hold nothing that must be found out in the records."""
    secret = {m.group() for m in IDENT.finditer(instance.key.to_json())}
    words, records = told(instance)
    assert [s for s in secret if s in words] == []
    found_out = {s for s in secret if s.startswith(("msg_", "thr_"))}
    assert [s for s in found_out if s not in records] == []  # and what must be found can be


@pytest.mark.parametrize("instance", **SOME)
def test_ids_say_nothing(instance):
    ids = {m.group() for m in IDENT.finditer(told(instance)[1])}
    assert len(ids) >= 300
    made_here = re.compile(r"(dft|cn|evt|msg|thr)_[0-9a-z]+")
    assert all(re.fullmatch(r"[a-z]+_[a-hj-km-np-z2-9]{8}", i) or made_here.fullmatch(i) for i in ids)


@pytest.mark.parametrize("instance", **EACH)
def test_ids_of_the_fixture_are_opaque(instance):
    for table in ("mail_message", "calendar_event"):
        for (ident,) in rows(instance.fixture.blob, f"SELECT id FROM {table}"):
            assert re.fullmatch(r"(msg|evt)_[a-hj-km-np-z2-9]{8}", ident), ident


@pytest.mark.parametrize("instance", **EACH)
def test_the_attempt_file_holds_no_key(instance):
    k = instance.key
    inner = [
        k.to_json(),
        canonical(k.to_json()),
        *(
            canonical(v)
            for v in dict(k).values()
            if isinstance(v, list) and len(v) > 1 and not all(isinstance(x, str) for x in v)
        ),
    ]
    agent = reference("null")
    members = unpack(sit(agent, instance).sealed.data)
    for name, data in {"fixture": instance.fixture.blob, **dict(members)}.items():
        for secret in inner:
            assert secret.encode() not in data, (name, secret[:60])
            assert secret.replace('"', '\\"').encode() not in data, (name, secret[:60])


@pytest.mark.parametrize("instance", **EACH)
def test_an_instruction_names_no_tool(instance):
    heard: list[str] = []
    attempt(instance, lambda s: (s.next(), heard.extend(t.name for t in s.tools)))
    assert len(heard) >= 40
    for name in heard:
        assert (
            name not in instance.instruction and name.replace("_", " ") not in instance.instruction.lower()
        ), name
    assert not re.search(r"\b(tool|function|API|JSON schema|MCP)\b", instance.instruction)
    assert "{" not in instance.instruction


@pytest.mark.parametrize("instance", **EACH)
def test_dates_of_an_instruction_lie_ahead_and_inside_the_window(instance):
    market = load_market(instance.market)
    now = start_of(market)
    today = date(1970, 1, 1) + timedelta(milliseconds=now)
    low, high = (date(1970, 1, 1) + timedelta(milliseconds=ms) for ms in window(now))
    text = instance.instruction.replace("YYYY-MM-DD", "")
    found = [m.value for m in find_dates(text, "DMY", today)]
    for day in found:
        assert day is not None and low < day < high and today <= day, day


def test_a_pdf_of_an_arabic_matter_has_a_title_that_can_be_read():
    _, _, data = paper("roof-plan.pdf", "مخطط السقف", Stream("x"), "AED")
    assert b"(roof-plan) Tj" in data and b"???" not in data
