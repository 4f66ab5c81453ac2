"""The calendar as an agent meets it, and its recurrence against an independent library."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import recurring_ical_events
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from icalendar import Calendar, Event, vRecur

from errands.apps.calendar import calendar as app
from errands.apps.calendar import seed
from errands.apps.calendar.recurrence import TooMany, expand, parse
from errands.core.errors import TaskError, ToolError
from errands.world import World, open_world
from errands.world.fixture import Draft
from errands.world.fold import undo
from errands.world.ledger import content_digest
from errands.world.schema import UNRECORDED

SG = "Asia/Singapore"
ME, TAN, ZUL, MORI = (
    "rachel@larkspur.example",
    "tan@larkspur.example",
    "zul@larkspur.example",
    "mori@tide.example",
)


def ms(text: str, zone: str = SG) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp() * 1000)


WINDOW = (ms("2026-07-06T00:00"), ms("2027-03-03T00:00"))
NOW = ms("2026-11-03T08:50")


def draft() -> Draft:
    d = Draft(("calendar",))
    for scope in app.scopes:
        d.insert("exam_grant", app="calendar", scope=scope, live=1)
    seed.calendar(d, id="cal_me", name="Rachel", owner=ME, zone=SG)
    seed.calendar(d, id="cal_tan", name="Tan", owner=TAN, access="read", zone=SG)
    seed.calendar(d, id="cal_zul", name="Zul", owner=ZUL, access="busy", zone=SG)
    put(
        d,
        "evt_plan",
        "Planning",
        "2026-11-05T10:00",
        "2026-11-05T11:00",
        location="Room 3",
        attendees=[(TAN, "Tan Wei Liang", "accepted"), (ZUL, "Zul", "declined"), (ME, "Rachel", "accepted")],
    )
    put(
        d,
        "evt_client",
        "Client review",
        "2026-11-05T10:00",
        "2026-11-05T11:00",
        organizer=MORI,
        attendees=[(ME, "Rachel", "needs-action")],
    )
    put(
        d,
        "evt_sync",
        "Weekly sync",
        "2026-10-06T15:00",
        "2026-10-06T15:30",
        rrule="FREQ=WEEKLY;BYDAY=TU",
        attendees=[(TAN, "Tan Wei Liang", "accepted")],
        notes="Bring the Halcyon figures",
    )
    put(d, "evt_tan", "Dentist", "2026-11-05T14:00", "2026-11-05T15:00", calendar="cal_tan", organizer=TAN)
    put(d, "evt_zul", "Secret", "2026-11-05T16:00", "2026-11-05T17:00", calendar="cal_zul", organizer=ZUL)
    seed.busy(d, person=TAN, starts=ms("2026-11-05T11:00"), ends=ms("2026-11-05T12:00"))
    seed.busy(d, person=MORI, starts=ms("2026-11-05T09:00"), ends=ms("2026-11-05T12:30"))
    return d


def put(
    d: Draft,
    id: str,
    title: str,
    start: str,
    end: str,
    *,
    zone: str = SG,
    calendar: str = "cal_me",
    organizer: str = ME,
    **more: Any,
) -> None:
    seed.event(
        d,
        id=id,
        calendar=calendar,
        title=title,
        starts=ms(start, zone),
        ends=ms(end, zone),
        zone=zone,
        organizer=organizer,
        window=WINDOW,
        **more,
    )


def opened(d: Draft | None = None, **meta: Any) -> World:
    return open_world((d or draft()).finish(now=NOW, zone=SG, window=list(WINDOW), owner=ME, **meta).blob)


@pytest.fixture
def w() -> World:
    return opened()


def call(w: World, tool: str, **args: Any) -> Any:
    return w.call(f"calendar_{tool}", args)


def refused(w: World, code: str, tool: str, **args: Any) -> ToolError:
    before = w.ledger.rows_sum
    with pytest.raises(ToolError) as why:
        call(w, tool, **args)
    assert why.value.code == code, why.value
    assert w.ledger.rows_sum == before, "a refused call changes nothing"
    return why.value


def starts(w: World, event: str) -> list[str]:
    return [
        w.local(r["starts"], "UTC" if event == "utc" else SG)
        for r in w.all("SELECT starts FROM calendar_occurrence WHERE event = ? ORDER BY starts", event)
    ]


# ---- recurrence --------------------------------------------------------------------------------------------

ZONES = ("America/New_York", "Europe/London", "Australia/Adelaide", "Asia/Singapore")
DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
FROM, TO = ms("2027-01-01T00:00", "UTC"), ms("2028-06-01T00:00", "UTC")


def library(
    local: datetime, minutes: int, zone: str, rule: str, exdates: list[datetime]
) -> list[tuple[int, int]]:
    tz = ZoneInfo(zone)
    ev = Event()
    ev.add("uid", "x")
    ev.add("dtstart", local.replace(tzinfo=tz))
    ev.add("dtend", local.replace(tzinfo=tz) + timedelta(minutes=minutes))
    ev.add("rrule", vRecur.from_ical(rule))
    for e in exdates:
        ev.add("exdate", e.replace(tzinfo=tz))
    cal = Calendar()
    cal.add_component(ev)
    found = recurring_ical_events.of(cal).between(
        datetime.fromtimestamp(FROM / 1000, UTC), datetime.fromtimestamp(TO / 1000, UTC)
    )
    return sorted((round(e.start.timestamp() * 1000), round(e.end.timestamp() * 1000)) for e in found)


@st.composite
def rules(draw: Any) -> str:
    freq = draw(st.sampled_from(("DAILY", "WEEKLY", "MONTHLY", "YEARLY")))
    parts = [f"FREQ={freq}"]
    if draw(st.booleans()):
        parts.append(f"INTERVAL={draw(st.integers(1, 4))}")
    day = st.sampled_from(DAYS)
    if freq in ("MONTHLY", "YEARLY"):
        kind = draw(st.sampled_from(("plain", "nth", "monthday", "setpos")))
        if kind == "nth":
            n = draw(st.sampled_from((1, 2, 3, 4, -1, -2)))
            parts.append(f"BYDAY={n}{draw(day)}")
        elif kind == "monthday":
            parts.append(f"BYMONTHDAY={draw(st.sampled_from((1, 15, 29, 30, 31, -1, -2)))}")
        elif kind == "setpos":
            parts.append(f"BYDAY=MO,TU,WE,TH,FR;BYSETPOS={draw(st.sampled_from((1, 2, -1, -2)))}")
        if freq == "YEARLY" and kind != "plain":
            parts.append(f"BYMONTH={draw(st.integers(1, 12))}")
    elif draw(st.booleans()):
        parts.append("BYDAY=" + ",".join(sorted(draw(st.sets(day, min_size=1, max_size=4)))))
        if draw(st.booleans()):
            parts.append(f"WKST={draw(day)}")
    return ";".join(parts)


@settings(max_examples=400, deadline=None)
@given(
    rule=rules(),
    zone=st.sampled_from(ZONES),
    day=st.integers(0, 1100),
    clock=st.sampled_from(
        ((0, 0), (0, 30), (1, 0), (1, 30), (2, 0), (2, 30), (3, 0), (9, 0), (22, 0), (23, 30))
    ),
    minutes=st.sampled_from((15, 60, 90, 180)),
    ending=st.sampled_from(("", "count", "until", "until")),
    n=st.integers(1, 40),
    drop=st.lists(st.integers(0, 12), max_size=3),
)
def test_expansion_equals_an_independent_library(rule, zone, day, clock, minutes, ending, n, drop):
    from dateutil.rrule import rrulestr

    # The rule's own first time on or after a random day, so that the series is one the RFC defines.
    seed_day = datetime(2024, 6, 1, *clock) + timedelta(day)
    local = rrulestr(rule, dtstart=seed_day).after(seed_day, inc=True)
    assume(local is not None and local < datetime(2028, 1, 1))
    walls = rrulestr(rule, dtstart=local).xafter(local, count=60, inc=True)
    exdates = [t for i, t in enumerate(walls) if i in drop]
    tz = ZoneInfo(zone)
    assume(all(exists(t, tz) for t in (local, *exdates)))
    if ending == "count":
        # The library counts times that do not exist; the RFC does not (tested by itself below).
        assume(all(exists(t, tz) for t in rrulestr(rule, dtstart=local).xafter(local, count=n, inc=True)))
        rule += f";COUNT={n}"
    elif ending == "until":
        rule += (
            (local.replace(tzinfo=tz) + timedelta(n * 17)).astimezone(UTC).strftime(";UNTIL=%Y%m%dT%H%M%SZ")
        )
    a = local.replace(tzinfo=tz)
    length = round(((a + timedelta(minutes=minutes)).timestamp() - a.timestamp()) * 1000)
    # A first one across a change of clocks has two lengths, on the wall and exact.
    assume(length == minutes * 60_000)
    try:
        mine = expand(
            ms(local.isoformat(), zone),
            ms(local.isoformat(), zone) + length,
            zone,
            rule,
            [ms(t.isoformat(), zone) for t in exdates],
            (FROM, TO),
        )
    except TooMany:
        assume(False)
    theirs = library(local, minutes, zone, rule, exdates)
    gaps = {s for s, _ in theirs if not exists_ms(s, local, zone)}
    assert [s for s, _ in mine] == [s for s, _ in theirs if s not in gaps]
    assert all(e - s == length for s, e in mine), "exact length, RFC 5545 3.8.5.3"
    same = {s for s, e in theirs if e - s == length}
    assert {m for m in mine if m[0] in same} == {t for t in theirs if t[0] in same - gaps}


def exists(local: datetime, tz: ZoneInfo) -> bool:
    there = local.replace(tzinfo=tz)
    return there.astimezone(UTC).astimezone(tz).replace(tzinfo=None) == local


def exists_ms(at: int, like: datetime, zone: str) -> bool:
    """The library moves a time in a gap: then the wall clock of its instant is not the series' own."""
    shown = datetime.fromtimestamp(at / 1000, ZoneInfo(zone))
    return (shown.hour, shown.minute) == (like.hour, like.minute)


def walls(
    rule: str,
    start: str,
    zone: str,
    minutes: int = 60,
    exdates: tuple[str, ...] = (),
    window: tuple[str, str] = ("2024-01-01T00:00", "2040-01-01T00:00"),
) -> list[str]:
    a = ms(start, zone)
    found = expand(
        a,
        a + minutes * 60_000,
        zone,
        rule,
        [ms(t, zone) for t in exdates],
        (ms(window[0], zone), ms(window[1], zone)),
    )
    return [datetime.fromtimestamp(s / 1000, ZoneInfo(zone)).strftime("%Y-%m-%dT%H:%M%z") for s, _ in found]


def test_a_time_that_does_not_exist_is_skipped_and_not_counted():
    assert walls("FREQ=DAILY;COUNT=3", "2027-03-13T02:30", "America/New_York") == [
        "2027-03-13T02:30-0500",
        "2027-03-15T02:30-0400",
        "2027-03-16T02:30-0400",
    ]
    assert walls("FREQ=DAILY;COUNT=2", "2027-03-27T01:30", "Europe/London") == [
        "2027-03-27T01:30+0000",
        "2027-03-29T01:30+0100",
    ]


def test_a_time_that_exists_twice_is_the_first():
    assert walls("FREQ=DAILY;COUNT=3", "2026-10-31T01:30", "America/New_York") == [
        "2026-10-31T01:30-0400",
        "2026-11-01T01:30-0400",
        "2026-11-02T01:30-0500",
    ]
    assert walls("FREQ=DAILY;COUNT=2", "2027-04-03T02:30", "Australia/Adelaide") == [
        "2027-04-03T02:30+1030",
        "2027-04-04T02:30+1030",
    ]


def test_leap_days_last_weekdays_and_endings():
    assert walls("FREQ=YEARLY", "2024-02-29T09:00", SG) == [
        f"{y}-02-29T09:00+0800" for y in (2024, 2028, 2032, 2036)
    ]
    assert walls("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3", "2026-01-30T17:00", SG) == [
        "2026-01-30T17:00+0800",
        "2026-02-27T17:00+0800",
        "2026-03-31T17:00+0800",
    ]
    assert walls("FREQ=MONTHLY;BYDAY=-1FR;COUNT=2", "2026-10-30T17:00", SG) == [
        "2026-10-30T17:00+0800",
        "2026-11-27T17:00+0800",
    ]
    assert len(walls("FREQ=DAILY;UNTIL=20261105", "2026-11-03T23:00", SG)) == 3, (
        "a bare date is that whole day"
    )
    assert len(walls("FREQ=DAILY;UNTIL=20261105T150000Z", "2026-11-03T23:00", SG)) == 3, "UNTIL is included"
    assert len(walls("FREQ=DAILY;UNTIL=20261105T145959Z", "2026-11-03T23:00", SG)) == 2
    assert walls("FREQ=DAILY;COUNT=3", "2026-11-03T09:00", SG, exdates=("2026-11-04T09:00",)) == [
        "2026-11-03T09:00+0800",
        "2026-11-05T09:00+0800",
    ], "what is left out still counts"


def test_whole_days_keep_their_days_over_a_change_of_clocks():
    zone = "Europe/London"
    found = expand(
        ms("2026-10-17T00:00", zone),
        ms("2026-10-19T00:00", zone),
        zone,
        "FREQ=WEEKLY;COUNT=3",
        [],
        (ms("2026-10-01T00:00"), ms("2027-01-01T00:00")),
    )
    assert found == [
        (ms(f"2026-{a}T00:00", zone), ms(f"2026-{b}T00:00", zone))
        for a, b in (("10-17", "10-19"), ("10-24", "10-26"), ("10-31", "11-02"))
    ]


def test_whole_days_stand_where_midnight_does_not_exist():
    zone, d = "America/Santiago", "2026-09-06"  # clocks go from 00:00 to 01:00
    found = expand(
        ms("2026-09-05T00:00", zone),
        ms(f"{d}T01:00", zone),
        zone,
        "FREQ=DAILY;COUNT=3",
        [],
        (ms("2026-09-01T00:00"), ms("2027-01-01T00:00")),
    )
    assert [b - a for a, b in found] == [86_400_000, 82_800_000, 86_400_000]


@pytest.mark.parametrize(
    "rule",
    [
        "often",
        "FREQ=SECONDLY",
        "FREQ=DAILY;FREQ=DAILY",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;COUNT=0",
        "FREQ=DAILY;",
        "FREQ=DAILY;COUNT=2;UNTIL=20270101",
        "FREQ=DAILY;UNTIL=20270230",
        "FREQ=DAILY;UNTIL=99991231",
        "FREQ=WEEKLY;BYDAY=2MO",
        "FREQ=MONTHLY;BYDAY=0MO",
        "FREQ=MONTHLY;BYMONTHDAY=32",
        "FREQ=MONTHLY;BYSETPOS=1",
        "FREQ=WEEKLY;BYMONTHDAY=1",
        "BYDAY=MO",
        "FREQ=DAILY;BYHOUR=9",
        "FREQ=DAILY;COUNT=٣",
    ],
)
def test_rules_that_cannot_be_read(rule):
    with pytest.raises(ValueError):
        parse(rule)


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=9",
        "FREQ=DAILY;BYDAY=MO;BYSETPOS=2",
        "FREQ=WEEKLY;BYDAY=MO",
    ],
)
def test_a_rule_that_its_start_does_not_fit_is_refused_soon(rule):
    began = time.perf_counter()
    with pytest.raises(ValueError, match="not one of the times"):
        expand(NOW, NOW + 1, SG, rule, [], WINDOW)
    assert time.perf_counter() - began < 3


def test_only_what_lies_in_the_window_is_kept_and_not_beyond_1000():
    assert walls("FREQ=DAILY", "2020-01-01T23:30", SG, window=("2026-11-03T00:00", "2026-11-04T23:30")) == [
        "2026-11-02T23:30+0800",
        "2026-11-03T23:30+0800",
    ]
    with pytest.raises(TooMany):
        walls("FREQ=DAILY", "2024-01-01T00:00", SG)


# ---- reading -----------------------------------------------------------------------------------------------


def test_occurrences_in_a_window(w):
    found = call(w, "events", start="2026-11-03", end="2026-11-06")["events"]
    assert [(e["title"], e["start"]) for e in found] == [
        ("Weekly sync", "2026-11-03T15:00+08:00"),
        ("Client review", "2026-11-05T10:00+08:00"),
        ("Planning", "2026-11-05T10:00+08:00"),
        ("Dentist", "2026-11-05T14:00+08:00"),
        ("Busy", "2026-11-05T16:00+08:00"),
    ]
    assert [e["series"] for e in found] == [True, False, False, False, False]
    plan = found[2]
    assert (plan["attendees"], plan["location"], plan["organizer"]) == (3, "Room 3", ME)
    assert found[4]["organizer"] == "" and found[4]["event"] == "evt_zul"


def test_search_by_words_people_and_calendar(w):
    def titles(**more: str) -> list[str]:
        page = call(w, "events", start="2026-11-01", end="2026-11-08", **more)
        return [e["title"] for e in page["events"]]

    assert titles(query="HALCYON figures") == ["Weekly sync"]
    assert titles(query="wei liang") == ["Weekly sync", "Planning"]
    assert titles(query="secret") == [], "a title that is hidden cannot be searched"
    assert titles(calendar="cal_tan") == ["Dentist"]
    refused(w, "not_found", "events", start="2026-11-01", end="2026-11-08", calendar="cal_x")


def test_what_overlaps_the_edge_belongs_to_the_window(w):
    def n(a: str, b: str) -> int:
        return len(call(w, "events", start=a, end=b, query="planning")["events"])

    assert n("2026-11-05T10:59", "2026-11-05T12:00") == 1
    assert n("2026-11-05T11:00", "2026-11-05T12:00") == 0
    assert n("2026-11-05T09:00", "2026-11-05T10:00") == 0


@pytest.mark.parametrize("query", ["", "review"])
def test_pages_follow_each_other_without_loss(query):
    d = draft()
    for n in range(45):
        put(
            d, f"evt_n{n:02}", f"review {n}", f"2026-12-0{1 + n // 20}T09:00", f"2026-12-0{1 + n // 20}T10:00"
        )
    w = opened(d)
    seen, cursor = [], ""
    while True:
        page = call(
            w, "events", start="2026-12-01", end="2026-12-31", calendar="cal_me", query=query, cursor=cursor
        )
        seen += [(e["start"], e["event"]) for e in page["events"]]
        cursor = page["next"]
        if not cursor:
            break
    assert len(seen) == len(set(seen)) == (45 if query else 50) and seen == sorted(seen)
    refused(w, "invalid", "events", start="2026-12-01", end="2026-12-31", cursor="nonsense")


def test_one_event_in_full(w):
    e = call(w, "event", event="evt_sync")
    assert e["rrule"] == "FREQ=WEEKLY;BYDAY=TU" and e["version"] == 1 and e["zone"] == SG
    assert [o["start"] for o in e["upcoming"]][:2] == ["2026-11-03T15:00+08:00", "2026-11-10T15:00+08:00"]
    assert e["attendees"] == [
        {"email": TAN, "name": "Tan Wei Liang", "response": "accepted", "optional": False}
    ]
    refused(w, "permission", "event", event="evt_zul")
    refused(w, "not_found", "event", event="evt_nope")
    assert [c["access"] for c in call(w, "calendars")] == ["own", "read", "busy"]


# ---- free and busy -----------------------------------------------------------------------------------------


def test_free_busy_merges_own_commitments_and_events(w):
    got = call(
        w,
        "free_busy",
        people=["me", TAN.upper(), ZUL, MORI, "who@else.example"],
        start="2026-11-05",
        end="2026-11-06",
    )
    busy = {p["person"]: [(b["start"][11:16], b["end"][11:16]) for b in p["busy"]] for p in got["people"]}
    assert busy == {
        ME: [("10:00", "11:00")],
        TAN: [("10:00", "12:00"), ("14:00", "15:00")],
        ZUL: [("16:00", "17:00")],  # he declined the planning
        MORI: [("09:00", "12:30")],
        "who@else.example": [],
    }
    assert [p["unknown"] for p in got["people"]] == [False, False, False, False, True]


def test_free_busy_is_cut_to_its_window_and_knows_cancelled_and_declined():
    d = draft()
    put(d, "evt_off", "Off", "2026-11-09T09:00", "2026-11-09T10:00", status="cancelled")
    put(
        d,
        "evt_no",
        "No",
        "2026-11-09T11:00",
        "2026-11-09T12:00",
        attendees=[(ME, "", "declined"), (TAN, "", "tentative")],
    )
    w = opened(d)
    got = call(w, "free_busy", people=["me", TAN], start="2026-11-09T00:00", end="2026-11-09T11:30")["people"]
    assert got[0]["busy"] == []
    assert got[1]["busy"] == [{"start": "2026-11-09T11:00+08:00", "end": "2026-11-09T11:30+08:00"}]


def test_find_time_gives_slots_that_are_free_for_all(w):
    got = call(
        w,
        "find_time",
        people=["me", TAN, "who@else.example"],
        start="2026-11-05",
        end="2026-11-07",
        minutes=60,
        step=60,
    )
    assert got["unknown"] == ["who@else.example"] and not got["more"] and got["zone"] == SG
    assert [s["start"][5:16] for s in got["slots"]] == [
        "11-05T09:00",
        "11-05T12:00",
        "11-05T13:00",
        "11-05T15:00",
        "11-05T16:00",
        "11-05T17:00",
        *(f"11-06T{h:02}:00" for h in range(9, 18)),
    ]
    weekend = call(w, "find_time", people=["me"], start="2026-11-07", end="2026-11-09", minutes=30)
    assert weekend["slots"] == []
    many = call(w, "find_time", people=["me"], start="2026-11-03", end="2026-12-31", minutes=30)
    assert len(many["slots"]) == 40 and many["more"]
    assert many["slots"][0]["start"] == "2026-11-03T09:00+08:00"
    past = call(w, "find_time", people=["me"], start="2026-10-01", end="2026-11-03", minutes=30)
    assert past["slots"] == []


def test_find_time_by_brute_force(w):
    people = ["me", TAN, ZUL, MORI]
    busy = [
        (datetime.fromisoformat(b["start"]), datetime.fromisoformat(b["end"]))
        for p in call(w, "free_busy", people=people, start="2026-11-03", end="2026-11-17")["people"]
        for b in p["busy"]
    ]
    want = []
    at = datetime.fromisoformat("2026-11-03T09:00+08:00")
    while at < datetime.fromisoformat("2026-11-17T00:00+08:00") and len(want) < 40:
        stop = at + timedelta(minutes=90)
        if (
            at.weekday() < 5
            and at.hour >= 9
            and stop <= at.replace(hour=18, minute=0)
            and all(stop <= a or at >= b for a, b in busy)
        ):
            want.append(at.isoformat(timespec="minutes"))
        at += timedelta(minutes=30)
    got = call(w, "find_time", people=people, start="2026-11-03", end="2026-11-17", minutes=90)
    assert [s["start"] for s in got["slots"]] == want


# ---- writing -----------------------------------------------------------------------------------------------


def test_create_is_seen_and_tells_nobody(w):
    made = call(
        w,
        "create_event",
        title="Lunch",
        start="2026-11-06T12:00",
        end="2026-11-06T13:00",
        attendees=[TAN, "Lee <LEE@x.example>", "me"],
        location="Quay",
    )
    e = call(w, "event", event=made["event"])
    assert (e["start"], e["organizer"], e["version"], e["calendar"]) == (
        "2026-11-06T12:00+08:00",
        ME,
        1,
        "cal_me",
    )
    assert [(a["email"], a["name"], a["response"]) for a in e["attendees"]] == [
        ("lee@x.example", "Lee", "needs-action"),
        (ME, "Rachel", "accepted"),
        (TAN, "Tan Wei Liang", "needs-action"),
    ]
    assert e["notices"] == [] and call(w, "notices")["notices"] == []


def test_create_a_series_in_another_zone_with_dates_left_out(w):
    made = call(
        w,
        "create_event",
        title="Call",
        start="2026-10-19T09:00",
        end="2026-10-19T09:30",
        zone="Europe/London",
        rrule="RRULE:freq=weekly;count=4",
        exdates=["2026-10-26"],
    )
    assert made["occurrences"] == 3 and starts(w, made["event"]) == [
        "2026-10-19T16:00+08:00",
        "2026-11-02T17:00+08:00",
        "2026-11-09T17:00+08:00",
    ]


def test_whole_days(w):
    made = call(w, "create_event", title="Leave", start="2026-11-12", end="2026-11-14", all_day=True)
    [e] = call(w, "events", start="2026-11-13T10:00", end="2026-11-13T11:00")["events"]
    assert (e["event"], e["all_day"], e["end"]) == (made["event"], True, "2026-11-14T00:00+08:00")
    moved = call(w, "update_event", event=made["event"], start="2026-11-16")
    assert moved["end"] == "2026-11-18T00:00+08:00"
    refused(w, "invalid", "create_event", title="x", start="2026-11-12", end="2026-11-12", all_day=True)
    refused(w, "invalid", "create_event", title="x", start="2026-11-12T09:00", end="2026-11-13", all_day=True)


@pytest.mark.parametrize(
    ("code", "args"),
    [
        ("invalid", {"end": "2026-11-06T12:00"}),
        ("invalid", {"end": "2026-11-06T11:00"}),
        ("invalid", {"start": ""}),
        ("invalid", {"start": "soon"}),
        ("invalid", {"start": "2026-11-06"}),
        ("invalid", {"start": "9999-12-31T23:59"}),
        ("invalid", {"title": "  "}),
        ("limit", {"title": "x" * 301}),
        ("limit", {"notes": "x" * 20_001}),
        ("invalid", {"zone": "Mars/Olympus"}),
        ("invalid", {"attendees": ["tan"]}),
        ("invalid", {"rrule": "often"}),
        ("limit", {"attendees": [f"a{n}@x.example" for n in range(101)]}),
        ("invalid", {"exdates": ["2026-11-06"]}),
        ("invalid", {"rrule": "FREQ=WEEKLY;BYDAY=MO"}),
        ("not_found", {"calendar": "cal_x"}),
        ("invalid", {"rrule": "FREQ=DAILY;UNTIL=20261101"}),
        ("permission", {"calendar": "cal_tan"}),
        ("permission", {"calendar": "cal_zul"}),
        ("invalid", {"start": "2031-01-01T09:00", "end": "2031-01-01T10:00", "rrule": "FREQ=DAILY"}),
    ],
)
def test_what_create_refuses(w, code, args):
    refused(
        w,
        code,
        "create_event",
        **{"title": "Lunch", "start": "2026-11-06T12:00", "end": "2026-11-06T13:00", **args},
    )


def test_more_than_1000_occurrences_are_a_limit():
    wide = draft().finish(now=NOW, zone=SG, window=[ms("2026-01-01T00:00"), ms("2030-01-01T00:00")], owner=ME)
    refused(
        open_world(wide.blob),
        "limit",
        "create_event",
        title="x",
        start="2026-01-01T09:00",
        end="2026-01-01T10:00",
        rrule="FREQ=DAILY",
    )


def test_a_move_keeps_the_length_and_counts_versions(w):
    got = call(w, "update_event", event="evt_plan", start="2026-11-05T16:30")
    assert got == {
        "event": "evt_plan",
        "version": 2,
        "start": "2026-11-05T16:30+08:00",
        "end": "2026-11-05T17:30+08:00",
    }
    assert starts(w, "evt_plan") == ["2026-11-05T16:30+08:00"]
    assert [a["response"] for a in call(w, "event", event="evt_plan")["attendees"]] == [
        "accepted",
        "accepted",
        "declined",
    ]
    refused(w, "conflict", "update_event", event="evt_plan", title="x", version=1)
    assert call(w, "update_event", event="evt_plan", title="Plan", version=2)["version"] == 3
    assert call(w, "update_event", event="evt_plan", title="Plan")["version"] == 3, "nothing changed"
    refused(w, "invalid", "update_event", event="evt_plan")
    refused(w, "invalid", "update_event", event="evt_plan", end="2026-11-05T16:00")


def test_edits_and_attendees(w):
    call(w, "update_event", event="evt_plan", location="", notes="n", attendees=[TAN, MORI])
    e = call(w, "event", event="evt_plan")
    assert (e["location"], e["notes"], e["version"]) == ("", "n", 2)
    assert [(a["email"], a["response"]) for a in e["attendees"]] == [
        (MORI, "needs-action"),
        (TAN, "accepted"),
    ]


def test_only_the_organizer_moves_it_and_only_own_calendars_are_written(w):
    why = refused(w, "permission", "update_event", event="evt_client", start="2026-11-05T12:00")
    assert "only the organizer can move it" in why.message
    assert call(w, "update_event", event="evt_client", notes="my own note")["version"] == 2
    for event in ("evt_tan", "evt_zul"):
        refused(w, "permission", "update_event", event=event, title="x")
        refused(w, "permission", "delete_event", event=event)
        refused(w, "permission", "prepare_notice", event=event, kind="update", to=[TAN])
    refused(w, "permission", "exclude", event="evt_tan", occurrence="2026-11-05")


def test_one_occurrence_becomes_an_exception(w):
    got = call(w, "update_event", event="evt_sync", occurrence="2026-11-10T15:00", start="2026-11-11T09:00")
    assert got["end"] == "2026-11-11T09:30+08:00" and got["event"] != "evt_sync"
    e = call(w, "event", event=got["event"])
    assert (e["series"], e["original"], e["rrule"], e["title"]) == (
        "evt_sync",
        "2026-11-10T15:00+08:00",
        "",
        "Weekly sync",
    )
    assert [a["email"] for a in e["attendees"]] == [TAN]
    assert "2026-11-10T15:00+08:00" not in starts(w, "evt_sync") and "2026-11-17T15:00+08:00" in starts(
        w, "evt_sync"
    )
    assert call(w, "event", event="evt_sync")["exceptions"] == [
        {"event": got["event"], "original": "2026-11-10T15:00+08:00"}
    ]
    why = refused(w, "conflict", "update_event", event="evt_sync", occurrence="2026-11-10", title="x")
    assert got["event"] in why.message
    why = refused(w, "not_found", "exclude", event="evt_sync", occurrence="2026-11-12")
    assert "2026-11-17T15:00+08:00" in why.expected
    refused(w, "invalid", "exclude", event=got["event"], occurrence="2026-11-11")
    refused(w, "invalid", "exclude", event="evt_plan", occurrence="2026-11-05")


def test_an_excluded_or_deleted_occurrence_stays_away(w):
    assert call(w, "exclude", event="evt_sync", occurrence="2026-11-10")["version"] == 2
    exc = call(w, "update_event", event="evt_sync", occurrence="2026-11-17", title="Long sync")["event"]
    assert call(w, "delete_event", event=exc)["deleted"] == [exc]
    call(w, "update_event", event="evt_sync", start="2026-10-06T16:00")
    at = starts(w, "evt_sync")
    assert at[0] == "2026-10-06T16:00+08:00" and "2026-11-03T16:00+08:00" in at
    assert not {"2026-11-10T16:00+08:00", "2026-11-17T16:00+08:00"} & set(at)


def test_a_series_moves_to_another_day_with_its_rule(w):
    exc = call(w, "update_event", event="evt_sync", occurrence="2026-11-10", start="2026-11-12T09:00")[
        "event"
    ]
    call(w, "update_event", event="evt_sync", start="2026-11-04T10:00")
    e = call(w, "event", event="evt_sync")
    assert e["rrule"] == "FREQ=WEEKLY;BYDAY=WE"
    assert starts(w, "evt_sync")[:3] == [
        "2026-11-04T10:00+08:00",
        "2026-11-18T10:00+08:00",
        "2026-11-25T10:00+08:00",
    ]
    assert starts(w, exc) == ["2026-11-12T09:00+08:00"]


def test_until_moves_along_so_that_no_occurrence_is_lost(w):
    made = call(
        w,
        "create_event",
        title="x",
        start="2026-11-02T10:00",
        end="2026-11-02T11:00",
        rrule="FREQ=WEEKLY;UNTIL=20261116T020000Z",
    )["event"]
    call(w, "update_event", event=made, start="2026-11-03T11:00")
    assert starts(w, made) == [f"2026-11-{d}T11:00+08:00" for d in ("03", "10", "17")]


def test_a_zone_alone_keeps_the_moment_and_changes_the_clock_that_is_followed(w):
    made = call(
        w,
        "create_event",
        title="x",
        start="2026-10-19T16:00",
        end="2026-10-19T17:00",
        rrule="FREQ=WEEKLY;COUNT=2",
    )
    call(w, "update_event", event=made["event"], zone="Europe/London")
    assert starts(w, made["event"]) == ["2026-10-19T16:00+08:00", "2026-10-26T17:00+08:00"]


def test_deleting_takes_exceptions_and_waiting_notices_along(w):
    exc = call(w, "update_event", event="evt_sync", occurrence="2026-11-10", title="x")["event"]
    [sent] = call(w, "prepare_notice", event="evt_sync", kind="cancel", to=[TAN])["notices"]
    call(w, "send_notice", notice=sent)
    [waiting] = call(w, "prepare_notice", event=exc, kind="update", to=[TAN])["notices"]
    assert call(w, "delete_event", event="evt_sync") == {
        "deleted": ["evt_sync", exc],
        "notices_discarded": [waiting],
    }
    assert w.value("SELECT count(*) FROM calendar_occurrence WHERE event IN ('evt_sync', ?)", exc) == 0
    assert [n["notice"] for n in call(w, "notices")["notices"]] == [sent]
    refused(w, "not_found", "delete_event", event="evt_sync")


# ---- notices -----------------------------------------------------------------------------------------------


def test_a_notice_is_staged_shown_edited_and_sent(w):
    heard: list[dict[str, Any]] = []
    app.listeners.setdefault("calendar.notified", []).append(lambda _, e: heard.append(e))
    try:
        a, b = call(w, "prepare_notice", event="evt_plan", kind="update", to=[TAN, ZUL], message="Moved")[
            "notices"
        ]
        kind, shown = w.find_staged(a)  # type: ignore[misc]
        assert kind == "notice" and shown.content == {
            "kind": "update",
            "recipient": TAN,
            "title": "Planning",
            "start": "2026-11-05T10:00+08:00",
            "end": "2026-11-05T11:00+08:00",
            "zone": SG,
            "location": "Room 3",
            "status": "confirmed",
            "rrule": "",
            "message": "Moved",
        }
        assert shown.text == (
            "update to Tan Wei Liang <tan@larkspur.example>: Planning, Thu 5 Nov 10:00–11:00"
            " (Asia/Singapore), Room 3. Message: Moved"
        )
        assert shown.handles == (TAN, "Tan Wei Liang", "Planning", "10:00")
        call(w, "update_event", event="evt_plan", start="2026-11-05T16:30")
        assert w.find_staged(a)[1].content["start"] == "2026-11-05T16:30+08:00"  # type: ignore[index]
        call(w, "edit_notice", notice=a, message="Now 16:30")
        assert call(w, "send_notice", notice=a)["recipient"] == TAN
        assert heard == [{"notice": a, "event": "evt_plan", "recipient": TAN, "kind": "update"}]
    finally:
        app.listeners["calendar.notified"].clear()
    assert w.find_staged(a) is None
    commit = w.one("SELECT * FROM exam_ledger WHERE kind = 'commit'")
    assert commit is not None and (commit["name"], commit["ref"]) == ("calendar.notify", a)
    assert json.loads(commit["body"])["content"]["message"] == "Now 16:30"
    refused(w, "conflict", "edit_notice", notice=a, message="x")
    refused(w, "conflict", "discard_notice", notice=a)
    refused(w, "not_found", "send_notice", notice=a)
    call(w, "discard_notice", notice=b)
    refused(w, "not_found", "discard_notice", notice=b)
    assert [(n["notice"], bool(n["sent_at"])) for n in call(w, "event", event="evt_plan")["notices"]] == [
        (a, True)
    ]


def test_a_notice_of_a_series_names_the_days_that_are_left_out(w):
    made = call(w, "create_event", title="Call", start="2026-10-19T09:00", end="2026-10-19T09:30", attendees=[TAN],
                rrule="FREQ=WEEKLY;COUNT=4", exdates=["2026-10-26"])  # fmt: skip
    [ident] = call(w, "prepare_notice", event=made["event"], kind="invite", to=[TAN])["notices"]
    shown = w.find_staged(ident)[1]  # type: ignore[index]
    assert shown.content["exdates"] == ["2026-10-26T09:00+08:00"] and "except 2026-10-26" in shown.text
    call(w, "exclude", event=made["event"], occurrence="2026-11-02")
    again = w.find_staged(ident)[1]  # type: ignore[index]
    assert again.content != shown.content, "another yes is needed: other days fall out"


def test_who_may_get_a_notice_and_how_often(w):
    refused(w, "invalid", "prepare_notice", event="evt_plan", kind="update", to=[MORI])
    refused(w, "invalid", "prepare_notice", event="evt_plan", kind="update", to=[])
    refused(w, "invalid", "prepare_notice", event="evt_plan", kind="gossip", to=[TAN])
    [n] = call(w, "prepare_notice", event="evt_plan", kind="update", to=[TAN, TAN.upper()])["notices"]
    refused(w, "conflict", "prepare_notice", event="evt_plan", kind="update", to=[ZUL, TAN])
    assert call(w, "prepare_notice", event="evt_plan", kind="cancel", to=[TAN])["notices"]
    call(w, "send_notice", notice=n)
    assert call(w, "prepare_notice", event="evt_plan", kind="update", to=[TAN])["notices"]


def test_an_idempotency_key_sends_once(w):
    [n] = call(w, "prepare_notice", event="evt_plan", kind="update", to=[TAN])["notices"]
    first = call(w, "send_notice", notice=n, idempotency_key="k")
    assert call(w, "send_notice", notice=n, idempotency_key="k") == first


def test_an_answer_stages_a_reply_to_the_organizer(w):
    got = call(w, "respond", event="evt_client", response="declined")
    shown = w.find_staged(got["notice"])[1]  # type: ignore[index]
    assert (shown.content["recipient"], shown.content["response"]) == (MORI, "declined")
    assert shown.text.startswith(f"reply (declined) to {MORI}: Client review")
    again = call(w, "respond", event="evt_client", response="accepted")
    assert again["notice"] == got["notice"]
    assert w.find_staged(got["notice"])[1].content["response"] == "accepted"  # type: ignore[index]
    assert call(w, "respond", event="evt_plan", response="tentative")["notice"] is None
    refused(w, "invalid", "respond", event="evt_sync", response="accepted")
    refused(w, "permission", "respond", event="evt_tan", response="accepted")


def test_notices_come_in_pages():
    d = draft()
    put(
        d,
        "evt_big",
        "Townhall",
        "2026-11-06T09:00",
        "2026-11-06T10:00",
        attendees=[(f"p{n:02}@x.example", "", "accepted") for n in range(30)],
    )
    w = opened(d)
    made = call(
        w, "prepare_notice", event="evt_big", kind="invite", to=[f"p{n:02}@x.example" for n in range(30)]
    )["notices"]
    one = call(w, "notices")
    two = call(w, "notices", cursor=one["next"])
    assert [n["notice"] for n in one["notices"] + two["notices"]] == made and two["next"] == ""
    refused(w, "invalid", "notices", cursor="x")


def test_an_invitation_arrives():
    d = draft()
    payload = {
        "title": "Berth talk",
        "start": ms("2026-11-06T11:00"),
        "end": ms("2026-11-06T12:00"),
        "organizer": MORI,
        "attendees": [TAN, ME],
    }
    d.insert(
        "exam_agenda",
        id="due_x",
        due=NOW + 60_000,
        name="calendar.arrives",
        payload=json.dumps(payload),
        cause=0,
    )
    w = opened(d)
    assert w.advance(NOW + 120_000)
    [notice] = w.take_notices()
    assert notice["text"] == f"Invitation from {MORI}: Berth talk, Fri 6 Nov 11:00–12:00"
    e = call(w, "event", event=notice["ref"])
    assert (e["status"], e["organizer"]) == ("tentative", MORI)
    assert [(a["email"], a["response"]) for a in e["attendees"]] == [
        (ME, "needs-action"),
        (TAN, "needs-action"),
    ]
    refused(w, "permission", "update_event", event=notice["ref"], start="2026-11-06T12:00")
    assert call(w, "respond", event=notice["ref"], response="accepted")["notice"]


# ---- what every app must hold ------------------------------------------------------------------------------

TEXT = st.one_of(
    st.sampled_from(
        [
            "",
            "me",
            "evt_plan",
            "evt_sync",
            "evt_client",
            "cal_me",
            "2026-11-05",
            SG,
            TAN,
            "~",
            "2026-11-10T15:00",
            "2026-11-04T10:00",
            "2026-11-05T12:00",
            "2026-11-05T13:00+01:00",
            "FREQ=WEEKLY;BYDAY=TU",
            "0001-01-01T00:00",
            "9999-12-31T23:59-12:00",
            "1~x",
            "é\n",
            "2026-11-05T12:00:00.123456",
            "2026-W45-4T10",
            "24:00",
        ]
    ),
    st.text(max_size=20),
)
VALUES: dict[str, Any] = {
    "integer": st.one_of(st.sampled_from([0, 1, 30, 60, -1]), st.integers(-(2**63), 2**63 - 1)),
    "boolean": st.booleans(),
    "array": st.lists(TEXT, max_size=3),
    "string": TEXT,
}


@st.composite
def anything(draw: Any) -> tuple[str, dict[str, Any]]:
    tool = draw(st.sampled_from(sorted(app.tools)))
    args: dict[str, Any] = {}
    spec = app.tools[tool].spec.parameters
    for name, prop in spec.get("properties", {}).items():
        if name not in spec.get("required", ()) and draw(st.booleans()):
            continue
        if "enum" in prop:
            args[name] = draw(st.sampled_from(prop["enum"]))
        else:
            args[name] = draw(VALUES[prop.get("type") or prop["anyOf"][0]["type"]])
    if "event" in args and draw(st.integers(0, 2)):
        args["event"] = draw(st.sampled_from(["evt_plan", "evt_sync", "evt_client"]))
    return tool, args


BLOB = draft().finish(now=NOW, zone=SG, window=list(WINDOW), owner=ME).blob


@settings(max_examples=300, deadline=None)
@given(st.lists(anything(), max_size=8))
def test_nothing_that_an_agent_sends_breaks_the_world_and_the_ledger_tells_all(script):
    w = open_world(BLOB)
    for tool, args in script:
        with suppress(ToolError):
            json.dumps(w.call(tool, args), allow_nan=False)
        wrong = w.all(
            "SELECT e.id FROM calendar_event e WHERE e.rrule = '' AND (SELECT count(*) FROM"
            " calendar_occurrence o WHERE o.event = e.id AND o.starts = e.starts AND o.ends = e.ends) <> 1"
        )
        assert wrong == []
    undone = open_world(w.snapshot())
    undo(undone.db, undone.ledger.tables)
    recorded = {k: v for k, v in w.ledger.tables.items() if k not in UNRECORDED}
    assert content_digest(undone.db, recorded) == content_digest(open_world(BLOB).db, recorded)


def test_the_seed_refuses_what_does_not_fit():
    d = draft()
    with pytest.raises(TaskError):
        put(d, "evt_bad", "x", "2026-11-04T10:00", "2026-11-04T11:00", rrule="FREQ=WEEKLY;BYDAY=MO")
    with pytest.raises(TaskError):
        put(d, "evt_bad", "x", "2026-11-04T10:00", "2026-11-04T11:00", series="evt_sync", original=NOW)
    put(
        d,
        "evt_exc",
        "Sync",
        "2026-11-11T15:00",
        "2026-11-11T16:00",
        series="evt_sync",
        original=ms("2026-11-10T15:00"),
    )
    w = opened(d)
    assert "2026-11-10T15:00+08:00" not in starts(w, "evt_sync")
    call(w, "update_event", event="evt_sync", start="2026-10-06T16:00")
    assert "2026-11-10T16:00+08:00" not in starts(w, "evt_sync")


def test_the_usual_calendar_is_the_one_that_the_fixture_names():
    d = draft()
    seed.calendar(d, id="cal_work", name="Work", owner=ME, zone=SG)
    put(d, "evt_note", "Buy cake", "2026-11-06T09:00", "2026-11-06T09:30", calendar="cal_work", organizer="")
    w = opened(d, calendar="cal_work")
    when = {"start": "2026-11-06T12:00", "end": "2026-11-06T13:00"}
    assert call(w, "create_event", title="x", **when)["calendar"] == "cal_work"
    assert call(w, "update_event", event="evt_note", start="2026-11-06T10:00")["version"] == 2
    [me] = call(w, "free_busy", people=["me"], start="2026-11-06", end="2026-11-07")["people"]
    assert [b["start"][11:16] for b in me["busy"]] == ["12:00"], "a note to oneself takes nobody's time"


def test_without_a_window_240_days_round_the_start_are_kept():
    w = open_world(draft().finish(now=NOW, zone=SG, owner=ME).blob)
    got = call(
        w, "create_event", title="x", start="2026-01-01T09:00", end="2026-01-01T10:00", rrule="FREQ=DAILY"
    )
    assert got["occurrences"] == 240
