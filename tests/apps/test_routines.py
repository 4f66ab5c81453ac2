"""Routines, watches, feeds, memory: what wakes an agent and when, and what a memory holds."""

from __future__ import annotations

from typing import Any

import pytest

from errands.apps.feeds import seed as feeds
from errands.apps.routines import next_due
from errands.core import clock
from errands.core.canon import canonical
from errands.core.errors import ToolError
from errands.exam.sitting import Limits, Sitting
from errands.people.brief import Brief, seat
from errands.world import World, open_world
from errands.world.fixture import Draft
from tests.world.guard import guard
from tests.world.looks import sound

PACIFIC, BERLIN = "America/Los_Angeles", "Europe/Berlin"
APPS = ("routines", "feeds", "memory", "clock", "people")
HOUR = 3_600_000


def world(
    *events: tuple[str, str, dict[str, Any]], start: str = "2026-11-17T08:40", until: str = ""
) -> World:
    """A world with a feed; events are (local time, name, payload)."""
    d = Draft(APPS)
    for name, scope in (("routines", "use"), ("feeds", "read"), ("memory", "use")):
        d.insert("exam_grant", app=name, scope=f"{name}.{scope}", live=1)
    now = clock.read_iso(start, PACIFIC)
    feeds.channel(d, id="fed_a", name="Notes")
    feeds.channel(d, id="fed_b", name="Board")
    feeds.item(d, id="itm_0", feed="fed_a", subject="Old", body="An old note.", at=now - HOUR)
    for n, (at, name, payload) in enumerate(events):
        due = clock.read_iso(at, PACIFIC)
        d.insert("exam_agenda", id=f"due_x{n}", due=due, name=name, payload=canonical(payload), cause=0)
    seat(d, Brief(goal="a test"))
    more = {"until": clock.read_iso(until, PACIFIC)} if until else {}
    return open_world(d.finish(now=now, zone=PACIFIC, instruction="Do it.", **more).blob)


def item(at: str, ident: str, feed: str = "fed_a") -> tuple[str, str, dict[str, Any]]:
    return (
        at,
        "feeds.publish",
        {"id": ident, "feed": feed, "kind": "note", "subject": f"S {ident}", "body": "B"},
    )


def sitting(w: World) -> Sitting:
    s = Sitting(w, Limits(turns=60, calls=200))
    s.next()
    return s


def local(w: World, ms: int) -> str:
    return w.local(ms)[:16]


def times(cron: str, zone: str, start: str, n: int) -> list[str]:
    at, out = clock.read_iso(start, zone), []
    for _ in range(n):
        at = next_due(cron, zone, at)
        out.append(clock.iso(at, zone))
    return out


# ---- when --------------------------------------------------------------------------------------------------------


# Clocks in Los Angeles go back on Sunday 1 November 2026, and forward on Sunday 8 March.
WINTER, SUMMER = "-08:00", "-07:00"


@pytest.mark.parametrize(
    ("cron", "start", "expected"),
    [
        # Nine stays nine, an hour later or earlier in UTC.
        ("0 9 * * 1-5", "2026-10-29T09:00", [f"10-30T09:00{SUMMER}", f"11-02T09:00{WINTER}"]),
        ("0 9 * * 1-5", "2026-03-05T09:00", [f"03-06T09:00{WINTER}", f"03-09T09:00{SUMMER}"]),
        # A time that is jumped over falls due right after the jump, once.
        ("30 2 * * *", "2026-03-07T03:00", [f"03-08T03:00{SUMMER}", f"03-09T02:30{SUMMER}"]),
        # A time that comes twice falls due once, at the first.
        ("30 1 * * *", "2026-10-31T02:00", [f"11-01T01:30{SUMMER}", f"11-02T01:30{WINTER}"]),
        # Each half hour is each half hour, twice in the hour that comes twice.
        (
            "*/30 * * * *",
            "2026-11-01T01:00",
            [f"11-01T01:30{SUMMER}", f"11-01T01:00{WINTER}", f"11-01T01:30{WINTER}"],
        ),
    ],
)
def test_a_routine_keeps_its_local_time_when_clocks_change(cron, start, expected):
    assert times(cron, PACIFIC, start, len(expected)) == [f"2026-{one}" for one in expected]


def test_a_routine_goes_by_its_own_zone_and_by_leap_years():
    assert times("0 18 * * *", BERLIN, "2026-10-24T18:00", 1) == ["2026-10-25T18:00+01:00"]
    assert times("0 0 29 2 *", PACIFIC, "2026-03-01T00:00", 1) == ["2028-02-29T00:00-08:00"]


def test_the_next_time_is_never_one_that_is_over():
    """In the second 1:45 of the night on which clocks go back, the 1:50 of the first is over."""
    second = clock.read_iso("2026-11-01T01:45-08:00", PACIFIC)
    assert next_due("50 1 * * *", PACIFIC, second) > second


@pytest.mark.parametrize(
    ("field", "args"),
    [
        ("cron", {"cron": "every day at nine"}),
        ("cron", {"cron": "0 9 * *"}),
        ("cron", {"cron": "0 0 9 * * 1"}),
        ("cron", {"cron": "61 9 * * *"}),
        ("cron", {"cron": "0 0 30 2 *"}),
        ("zone", {"cron": "0 9 * * *", "zone": "Pacific"}),
        ("name", {"cron": "0 9 * * *", "name": " "}),
    ],
)
def test_what_is_no_routine_is_refused_by_field(field, args):
    w = world()
    with pytest.raises(ToolError) as why:
        w.call("routines_create", {"name": "x", **args})
    assert why.value.field == field and why.value.expected
    assert w.all("SELECT * FROM routines_routine") == []


# ---- waking ------------------------------------------------------------------------------------------------------


def test_six_days_pass_turn_by_turn_and_what_ran_when_is_on_record():
    w = world(until="2026-11-23T10:00")
    s = sitting(w)
    made = s.call("routines_create", {"name": "Morning", "cron": "0 9 * * 1-5"})
    assert made["next"] == "2026-11-17T09:00-08:00"
    woken, turn = [], s.reply("It is set up.")
    while turn is not None:
        assert turn.kind == "notice" and "“Morning”" in turn.text and made["routine"] in turn.text
        woken.append(local(w, turn.at))
        turn = s.reply("")
    nines = [f"2026-11-{d}T09:00" for d in (17, 18, 19, 20, 23)]
    assert woken == nines and s.ended == "completed" and local(w, w.now) == "2026-11-23T10:00"
    runs = w.all("SELECT * FROM routines_run ORDER BY due")
    assert [local(w, r["due"]) for r in runs] == nines and all(r["woken"] == r["due"] for r in runs)


def test_the_note_of_a_routine_is_there_when_it_wakes():
    s = sitting(world(item("2026-11-17T08:50", "itm_1"), until="2026-11-17T10:00"))
    s.call("routines_watch", {"name": "Notes", "feed": "fed_a", "note": "Only the numbered ones."})
    s.call(
        "routines_create", {"name": "Morning", "cron": "0 9 * * *", "note": "Mail the digest to the inbox."}
    )
    assert {r["note"] for r in s.call("routines_list")} == {
        "Only the numbered ones.",
        "Mail the digest to the inbox.",
    }
    for words in ("Only the numbered ones.", "Mail the digest to the inbox."):
        turn = s.reply("")
        assert turn is not None and turn.text.endswith(f"Your note: {words}")


@pytest.mark.parametrize(("field", "most"), [("name", 200), ("note", 2_000)])
def test_what_is_too_long_is_said_with_the_limit_and_sets_nothing_up(field, most):
    w = world()
    args = {"name": "Morning", "cron": "0 9 * * *"}
    w.call("routines_create", {**args, field: "x" * most})
    with pytest.raises(ToolError, match=f"{field} has {most + 1} characters; nothing was set up"):
        w.call("routines_create", {**args, field: "x" * (most + 1)})
    assert len(w.call("routines_list", {})) == 1


def test_a_wait_ends_when_a_routine_falls_due():
    w = world()
    w.call("routines_create", {"name": "Morning", "cron": "0 9 * * *"})
    got = w.call("clock_wait", {"until": "2026-11-17T12:00"})
    assert got["now"] == "2026-11-17T09:00-08:00" and "Morning" in got["notices"][0]["text"]
    (run,) = w.all("SELECT * FROM routines_run")
    assert run["woken"] == run["due"]


def test_who_is_at_work_when_it_falls_due_is_told_afterwards_and_both_times_are_on_record():
    w = world(until="2026-11-17T10:00")
    s = sitting(w)
    s.call("routines_create", {"name": "Tick", "cron": "41 8 * * *"})
    for _ in range(40):  # reads of 2 s each: past 8:41
        s.call("feeds_list")
    turn = s.reply("")
    assert turn is not None and "Tick" in turn.text
    (run,) = w.all("SELECT * FROM routines_run")
    assert run["woken"] == turn.at > run["due"]


def test_what_is_cancelled_does_not_ring():
    w = world(until="2026-11-20T10:00")
    s = sitting(w)
    made = s.call("routines_create", {"name": "Morning", "cron": "0 9 * * *"})
    assert [r["name"] for r in s.call("routines_list")] == ["Morning"]
    assert s.reply("") is not None
    s.call("routines_cancel", {"routine": made["routine"]})
    assert s.call("routines_list") == []
    assert s.reply("") is None and len(w.all("SELECT * FROM routines_run")) == 1
    with pytest.raises(ToolError):
        world().call("routines_cancel", {"routine": made["routine"]})


def test_a_watch_wakes_for_each_new_item_of_its_feed_and_no_other():
    w = world(
        item("2026-11-17T08:55", "itm_1"),
        item("2026-11-17T09:05", "itm_b", "fed_b"),
        item("2026-11-17T09:10", "itm_2"),
        until="2026-11-17T10:00",
    )
    s = sitting(w)
    s.call("routines_watch", {"name": "News", "feed": "fed_a"})
    told, turn = [], s.reply("")
    while turn is not None:
        told.append((local(w, turn.at), turn.text.partition(": ")[2]))
        turn = s.reply("")
    assert told == [
        ("2026-11-17T08:55", "new in “Notes”: S itm_1 (itm_1)."),
        ("2026-11-17T09:10", "new in “Notes”: S itm_2 (itm_2)."),
    ]
    assert [r["item"] for r in w.all("SELECT item FROM routines_run ORDER BY due")] == ["itm_1", "itm_2"]
    with pytest.raises(ToolError) as why:
        world().call("routines_watch", {"name": "x", "feed": "fed_zz"})
    assert why.value.field == "feed"


def test_a_watch_on_words_wakes_only_for_items_that_have_one_of_them():
    said = [
        ("08:55", "Budget sync", "Moved to Friday."),
        ("09:05", "Review: CANCELLED", "By Ellen."),
        ("09:10", "Off", ""),
    ]
    events = [
        (
            f"2026-11-17T{at}",
            "feeds.publish",
            {"id": f"itm_{n}", "feed": "fed_a", "kind": "event", "subject": s, "body": b},
        )
        for n, (at, s, b) in enumerate([*said, ("09:20", "Lunch", "It was called  off.")], 1)
    ]
    w = world(*events, until="2026-11-17T10:00")
    s = sitting(w)
    made = s.call("routines_watch", {"name": "Gone", "feed": "fed_a", "words": ["cancel", "Called off"]})
    assert made["words"] == ["cancel", "Called off"] == s.call("routines_list")[0]["words"]
    turn = s.reply("")
    while turn is not None:
        turn = s.reply("")
    assert [r["item"] for r in w.all("SELECT item FROM routines_run ORDER BY due")] == ["itm_2", "itm_4"]


@pytest.mark.parametrize("words", [[""], ["x"] * 51, "cancel"])
def test_what_are_no_words_to_watch_for_is_refused(words):
    with pytest.raises(ToolError) as why:
        world().call("routines_watch", {"name": "x", "feed": "fed_a", "words": words})
    assert why.value.field == "words"


def test_the_file_can_be_taken_up_between_two_calls():
    w = world(item("2026-11-17T08:55", "itm_1"))
    w.call("routines_create", {"name": "Morning", "cron": "0 9 * * *"})
    w.call("routines_watch", {"name": "News", "feed": "fed_a"})
    twin = w.fork()
    for one in (w, twin):
        one.call("clock_wait", {"until": "2026-11-17T12:00"})
        one.call("clock_wait", {"until": "2026-11-17T12:00"})
    assert w.world_digest() == twin.world_digest()


def test_each_app_writes_its_own_tables_alone_and_the_record_adds_up():
    w = world(item("2026-11-17T08:55", "itm_1"), ("2026-11-17T09:30", "feeds.recall", {"item": "itm_1"}))
    caught = guard(w)
    made = w.call("routines_create", {"name": "Morning", "cron": "*/20 * * * *"})
    w.call("routines_watch", {"name": "News", "feed": "fed_a"})
    entry = w.call("memory_save", {"text": "Likes tea."})["entry"]
    for _ in range(4):
        w.call("clock_wait", {"until": "2026-11-17T10:00"})
    w.call("memory_update", {"entry": entry, "text": "Likes coffee."})
    w.call("routines_cancel", {"routine": made["routine"]})
    w.call("memory_delete", {"entry": entry})
    w.run_out(w.now + 3 * HOUR)
    assert w.value("SELECT count(*) FROM routines_run") == 4
    assert caught == []
    sound(w)


# ---- feeds -------------------------------------------------------------------------------------------------------


def test_items_appear_in_silence_newest_first_and_a_recalled_one_keeps_its_subject_alone():
    w = world(item("2026-11-17T08:55", "itm_1"), ("2026-11-17T09:30", "feeds.recall", {"item": "itm_1"}))
    assert w.call("clock_wait", {"until": "2026-11-17T09:00"})["notices"] == []
    got = w.call("feeds_items", {"feed": "fed_a"})
    assert [(i["id"], i["body"], i["recalled"]) for i in got["items"]] == [
        ("itm_1", "B", False),
        ("itm_0", "An old note.", False),
    ]
    assert [
        i["id"] for i in w.call("feeds_items", {"feed": "fed_a", "since": "2026-11-17T08:40"})["items"]
    ] == ["itm_1"]
    w.call("clock_wait", {"until": "2026-11-17T10:00"})
    first = w.call("feeds_items", {"feed": "fed_a", "limit": 1})["items"][0]
    assert (first["subject"], first["body"], first["recalled"]) == ("S itm_1", "", True)


# ---- memory ------------------------------------------------------------------------------------------------------


def test_memory_is_saved_listed_changed_looked_into_and_deleted():
    w = world()
    one = w.call("memory_save", {"text": "Likes tea."})["entry"]
    w.call("memory_save", {"text": "Has a dog."})
    w.call("memory_update", {"entry": one, "text": "Likes coffee."})
    assert [m["text"] for m in w.call("memory_list")] == ["Likes coffee.", "Has a dog."]
    seen = w.call("memory_inspect", {"entry": one})
    assert seen["text"] == "Likes coffee." and seen["changed"] > seen["saved"]
    w.call("memory_delete", {"entry": one})
    assert [m["text"] for m in w.call("memory_list")] == ["Has a dog."]
    for tool in ("memory_update", "memory_delete", "memory_inspect"):
        with pytest.raises(ToolError) as why:
            w.call(tool, {"entry": one, **({"text": "x"} if tool == "memory_update" else {})})
        assert why.value.field == "entry"
    with pytest.raises(ToolError):
        w.call("memory_save", {"text": " "})
