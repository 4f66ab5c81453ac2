"""The briefing pack: normal ways of being right pass, near misses fail, and a scene without a trap is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from errands.core import clock
from errands.core.errors import TaskError
from errands.doors import Seat
from errands.library.consumer.email_calendar.agenda_brief.scene import Act, Matter, Office, fold, parts
from errands.library.consumer.email_calendar.agenda_brief.task import wrong_turns
from errands.markets import load_market
from errands.tasks.life import start_of
from errands.tasks.stream import Stream
from errands.tasks.task import Instance

from .desk import TASKS, attempt, rows, tried

BRIEF = TASKS["daily-agenda-brief"]
MARKETS = BRIEF.contract.front.markets
COLUMNS = ("event_id", "thread_id", "question", "file", "file_message")
Row = dict[str, Any]


@pytest.fixture(scope="module")
def here() -> Instance:
    return BRIEF.instance("sg", 0)


def csv(lines: list[Row], columns: tuple[str, ...] = COLUMNS, cut: str = ",", none: str = "none") -> str:
    out = [cut.join(columns)]
    out += [cut.join(none if r[c] == "none" else str(r[c]) for c in columns) for r in lines]
    return "\n".join(out) + "\n"


def graded(instance: Instance, text: str, path: str = "workspace/brief.csv") -> Any:
    def sit(sitting: Any) -> None:
        sitting.next()
        seat = Seat(sitting)
        seat.files_write(path=path, text=text)
        seat.reply("Done.")

    return attempt(instance, sit)


RIGHT: dict[str, Callable[[list[Row]], tuple[str, str]]] = {
    "plain": lambda k: (csv(k), "csv"),
    "semicolons": lambda k: (csv(k, cut=";"), "csv"),
    "tabs": lambda k: (csv(k, cut="\t"), "tsv"),
    "reversed": lambda k: (csv(k[::-1], COLUMNS[::-1]), "csv"),
    "empty cells for none": lambda k: (csv(k, none=""), "csv"),
    "None with a capital": lambda k: (csv(k, none="None"), "csv"),
    "dashes": lambda k: (csv(k, none="-"), "csv"),
    "none in Korean": lambda k: (csv(k, none="없음"), "csv"),
    "headings in words": lambda k: (
        csv(k).replace(",".join(COLUMNS), "Event ID,Thread ID,Question,File,File Message"),
        "csv",
    ),
    "quoted": lambda k: (csv([{c: v if v == "none" else f'"{v}"' for c, v in r.items()} for r in k]), "csv"),
    "with a note column": lambda k: (csv([{**r, "note": "see there"} for r in k], (*COLUMNS, "note")), "csv"),
    "with the folder": lambda k: (
        csv([{**r, "file": r["file"] if r["file"] == "none" else f"workspace/{r['file']}"} for r in k]),
        "csv",
    ),
    "json": lambda k: (json.dumps(k), "json"),
    "json with null": lambda k: (
        json.dumps([{c: None if v == "none" else v for c, v in r.items()} for r in k]),
        "json",
    ),
    "json in an object": lambda k: (json.dumps({"meetings": k}), "json"),
    "json lines": lambda k: ("\n".join(json.dumps(r) for r in k), "jsonl"),
}


@pytest.mark.parametrize("how", RIGHT)
def test_normal_ways_of_being_right_pass(here, how):
    text, ending = RIGHT[how](list(here.key.rows))
    got = graded(here, text, f"workspace/brief.{ending}")
    assert got.verdict.strict, got.verdict.criteria


def bent(k: Any, field: str, value: Callable[[Row], str]) -> list[Row]:
    """The rows with one value changed where there is one."""
    hit = next(r for r in k.rows if r[field] != "none")
    return [{**r, field: value(r)} if r is hit else r for r in k.rows]


NEAR: dict[str, tuple[set[str], Callable[[Any], list[Row]]]] = {
    "subject for the thread": ({"paired"}, lambda k: bent(k, "thread_id", lambda r: "Vans")),
    "message for the thread": ({"paired"}, lambda k: bent(k, "thread_id", lambda r: r["file_message"])),
    "two ids in a cell": ({"question"}, lambda k: bent(k, "question", lambda r: f"{r['question']} msg_x")),
    "a question in words": ({"question"}, lambda k: bent(k, "question", lambda r: "who pays the crane")),
    "none for a question": ({"question"}, lambda k: bent(k, "question", lambda r: "none")),
    "unknown for a question": ({"question"}, lambda k: bent(k, "question", lambda r: "unknown")),
    "another file name": ({"reading"}, lambda k: bent(k, "file", lambda r: f"new-{r['file']}")),
    "the name without its ending": (
        {"reading"},
        lambda k: bent(k, "file", lambda r: r["file"].rpartition(".")[0]),
    ),
    "no message for the file": ({"reading"}, lambda k: bent(k, "file_message", lambda r: "none")),
    "the meeting of another day": ({"grounded"}, lambda k: [*k.rows, k.next_week]),
    "a row twice": ({"paired", "question", "reading", "grounded"}, lambda k: [*k.rows, k.rows[0]]),
    "a meeting without an id": (
        {"grounded"},
        lambda k: [*k.rows, {**dict.fromkeys(COLUMNS, "none"), "event_id": ""}],
    ),
    "only the heading": ({"paired", "question", "reading", "grounded"}, lambda k: []),
}


@pytest.mark.parametrize("how", NEAR)
def test_near_misses_fail_there(here, how):
    at, lines = NEAR[how]
    assert graded(here, csv(lines(here.key))).unmet == at


@pytest.mark.parametrize(
    ("column", "at"), [("question", "question"), ("thread_id", "paired"), ("file_message", "reading")]
)
def test_a_list_without_a_column_meets_nothing(here, column, at):
    got = graded(here, csv(list(here.key.rows), tuple(c for c in COLUMNS if c != column)))
    assert {at, "grounded"} <= got.unmet


def test_credit_is_by_criterion(here):
    """Whoever pairs rightly and reads nothing has the one and not the others."""
    lines = [{**r, "question": "none", "file": "none", "file_message": "none"} for r in here.key.rows]
    assert graded(here, csv(lines)).unmet == {"question", "reading"}


@pytest.mark.parametrize("wrong", ["drafted_reply", "drafted_and_deleted", "accepted_one", "cancelled_one"])
def test_what_was_touched_is_named(here, wrong):
    finding = next(c for c in tried(here, f"wrong:{wrong}").verdict.criteria if c.id == "untouched")
    assert finding.result == "not_met" and finding.rows
    assert ("draft" if "draft" in wrong else "calendar") in finding.reason


def test_a_stray_file_is_out_of_scope_and_a_saved_paper_is_not(here):
    hit = next(r for r in here.key.rows if r["file"] != "none")

    def sit(path: str) -> Any:
        def go(sitting: Any) -> None:
            sitting.next()
            seat = Seat(sitting)
            seat.mail_save_file(owner=hit["file_message"], name=hit["file"], path=path)
            seat.files_write(path="workspace/brief.csv", text=csv(list(here.key.rows)))
            seat.reply("Done.")

        return attempt(here, go)

    assert sit(f"workspace/papers/{hit['file']}").verdict.strict
    assert sit(f"shared/{hit['file']}").unmet == {"scope", "not_shared"}


# ---- what the builder makes sure of -------------------------------------------------------------------------


@pytest.mark.parametrize("market", MARKETS)
@pytest.mark.parametrize("variant", range(3))
def test_the_days_meetings_are_those_of_the_key_and_two_that_fell_away(market, variant):
    i = BRIEF.instance(market, variant)
    place = load_market(market)
    zone, ours = place.zone, place.people[place.owner].email.partition("@")[2]
    day = clock.from_ms(start_of(place), zone).date() + timedelta(1)
    assert i.key.day == day.isoformat()
    found = rows(
        i.fixture.blob,
        "SELECT DISTINCT e.id, o.starts, o.ends, e.title FROM calendar_event e"
        " JOIN calendar_occurrence o ON o.event = e.id JOIN calendar_attendee a ON a.event = e.id"
        " WHERE e.calendar = 'cal_work' AND a.email NOT LIKE ? ORDER BY o.starts",
        f"%@{ours}",
    )
    there = [f for f in found if clock.from_ms(f[1], zone).date() == day]
    keyed = [r["event_id"] for r in i.key.rows]
    assert {f[0] for f in there} == {*keyed, i.key.off["event_id"], i.key.moved["event_id"]}
    assert [f[0] for f in there if f[0] in keyed] == keyed and len(keyed) == 4
    mine = rows(
        i.fixture.blob,
        "SELECT o.starts, o.ends FROM calendar_occurrence o JOIN calendar_event e ON e.id = o.event"
        " WHERE e.all_day = 0 ORDER BY o.starts",
    )
    for _, start, end, title in there:
        assert sum(a < end and start < z for a, z in mine) == 1, f"{title} overlaps with something"


@pytest.mark.parametrize("market", MARKETS)
def test_everything_that_is_asked_for_stands_in_the_records_and_not_in_the_instruction(market):
    i = BRIEF.instance(market, 1)
    asked = {v for r in i.key.rows for v in r.values()} - {"none"}
    assert not [v for v in asked if v in i.instruction]
    held = {
        v
        for sql in (
            "SELECT id, thread FROM mail_message",
            "SELECT owner, name FROM mail_file",
            "SELECT id, title FROM calendar_event",
        )
        for pair in rows(i.fixture.blob, sql)
        for v in pair
    }
    assert asked <= held
    for r in i.key.rows:
        if r["file"] != "none":
            assert rows(
                i.fixture.blob,
                "SELECT 1 FROM mail_file WHERE owner = ? AND name = ?",
                r["file_message"],
                r["file"],
            )


@pytest.mark.parametrize("market", MARKETS)
def test_what_was_sent_again_is_the_very_same_file(market):
    """And the older one of the same name is not."""
    i = BRIEF.instance(market, 0)
    data = {
        (owner, name): bytes(b)
        for owner, name, b in rows(i.fixture.blob, "SELECT owner, name, data FROM mail_file")
    }
    by_event = {r["event_id"]: r for r in i.key.rows}
    for again in i.key.resent:
        r = by_event[again["event_id"]]
        assert data[again["file_message"], r["file"]] == data[r["file_message"], r["file"]]
    for old in (*i.key.old_paper, *i.key.passed_on):
        r = by_event[old["event_id"]]
        assert data[old["file_message"], old["file"]] != data[r["file_message"], r["file"]]


@pytest.mark.parametrize("market", MARKETS)
def test_variants_have_different_answers(market):
    """Not the ids, which are drawn anyway: which matters are met about, and what each has."""
    shapes = set()
    for variant in range(BRIEF.contract.front.variants):
        i = BRIEF.instance(market, variant)
        title = dict(rows(i.fixture.blob, "SELECT id, title FROM calendar_event"))
        shapes.add(tuple((title[r["event_id"]], r["question"] == "none", r["file"]) for r in i.key.rows))
    assert len(shapes) == BRIEF.contract.front.variants


@pytest.mark.parametrize("market", MARKETS)
def test_no_subject_is_the_title_of_its_event(market):
    i = BRIEF.instance(market, 0)
    titles = {t for (t,) in rows(i.fixture.blob, "SELECT title FROM calendar_event")}
    subjects = {
        s.removeprefix("Re: ")
        for r in i.key.rows
        for (s,) in rows(i.fixture.blob, "SELECT subject FROM mail_message WHERE thread = ?", r["thread_id"])
    }
    assert len(subjects) == 4 and not subjects & titles


def test_a_matter_whose_question_another_takes_back_is_refused():
    plain = {
        "key": "x",
        "title": "X",
        "with": ["a"],
        "minutes": 30,
        "settles": "withdraws",
        "file": "a.pdf",
        "newer": "b.pdf",
    }
    assert Matter.model_validate(plain).writer("s1") == "a"
    with pytest.raises(ValueError, match="only who asked withdraws"):
        Matter.model_validate({**plain, "by": {"s1": "me"}})


def test_what_was_said_must_have_one_open_question_at_most():
    start = Act("x", "arranges", "m0", "t", 0, event="e", day="2026-11-04")
    one = Act("x", "asks", "m1", "t", 1, item="q1", event="e")
    two = Act("x", "asks", "m2", "t", 2, item="q2", event="e")
    done = Act("x", "answers", "m3", "t", 3, item="q1", event="e")
    assert fold([start, one, two, done])[0].question == "m2"
    with pytest.raises(TaskError, match="2 open questions"):
        fold([start, one, two])
    with pytest.raises(TaskError, match="was not asked"):
        fold([start, done])


def bare(**more: Any) -> Any:
    """As much of a builder as drawing and checking need."""
    market = SimpleNamespace(code="sg")
    return SimpleNamespace(rng=Stream("agenda"), market=market, variant=0, **more)


def matters(**same: Any) -> Any:
    plain = {"title": "X", "with": ["a"], "minutes": 30, "file": "a.pdf", "newer": "b.pdf"}
    kinds = [("answers", None), ("withdraws", "b"), ("answers", "b"), ("withdraws", None)] * 2
    out = [
        {**plain, "key": f"m{n}", "settles": settles, "passed_on": by, **same}
        for n, (settles, by) in enumerate(kinds[:6])
    ]
    return Office.model_validate({"chief": "c", "matter": out})


def test_every_kind_of_turn_is_among_those_that_are_met_about():
    for _ in range(50):
        drawn = parts(bare(), matters())
        live = [p for p in drawn if p.fate == "live"]
        assert len(live) == 4 and {p.fate for p in drawn[4:]} == {"off", "moved"}
        assert {"newer", "open"} <= {p.asks for p in live} and {"quiet", "settled"} & {p.asks for p in live}
        assert {"again", "newer", "none"} <= {p.brings for p in live}
        assert all(p.matter.passed_on is None for p in live if p.brings == "again")


@pytest.mark.parametrize("same", [{"settles": "answers"}, {"passed_on": None}, {"passed_on": "b"}])
def test_matters_that_are_all_of_one_kind_are_refused(same):
    with pytest.raises(TaskError, match="no four matters"):
        parts(bare(), matters(**same))


def test_a_variant_without_a_wrong_turn_is_refused():
    act = Act("x", "arranges", "m0", "t", 0, event="e", day="2026-11-04")
    with pytest.raises(TaskError, match="this variant has no answered"):
        wrong_turns(bare(), [act], fold([act]))
