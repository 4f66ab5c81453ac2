"""Reports C, 28–32: the host's clock in the world, dates that disagree, hours that come twice or not at all."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
import time_machine

from errands.apps.calendar.recurrence import expand
from errands.core.clock import from_ms, iso, resolve, to_ms, zone
from errands.doors import Seat
from errands.grading.compare.dates import find_dates, read_date
from errands.grading.compare.times import read_datetime
from errands.markets import load_market
from errands.tasks.task import Instance

from .bench import EACH, HERE, TASKS, abroad, sit, solved, solving

LA = "America/Los_Angeles"


# ---- 28, 32 ---------------------------------------------------------------------------------------------------

#: What the host believes: three years on, a year on, a leap day, the last minute of a year, long ago.
HOSTS = {
    28: ["2029-11-30T09:00:00+00:00", "2023-06-01T12:00:00+00:00"],
    32: ["2027-11-30T09:00:00+00:00", "2028-02-29T12:00:00+00:00", "2026-12-31T23:59:00+00:00"],
}


def same_at(instance: Instance, host: str) -> None:
    """Build, sit and grade with another clock on the wall: prompt, tool results and verdict are the same bytes."""
    with time_machine.travel(datetime.fromisoformat(host), tick=True):
        assert f"{datetime.now(UTC):%Y}" == host[:4]
        fresh = instance.task._make(instance.market, instance.variant, instance.language)
        got = solving(fresh, Seat)
    right = solved(instance)
    assert fresh.instruction == instance.instruction and fresh.fixture.digest == instance.fixture.digest
    assert (got.world_digest, got.verdict) == (right.world_digest, right.verdict)


@pytest.mark.parametrize("host", HOSTS[28])
@pytest.mark.parametrize("instance", **EACH)
def test_28_the_date_of_the_host_shows_nowhere(instance, host):
    """The host's date leaked into a world of another year, and every card had expired. Here the world has its own
    clock; the lint finds no other in its code."""
    same_at(instance, host)


@pytest.mark.parametrize("host", HOSTS[32])
@pytest.mark.parametrize("instance", **EACH)
def test_32_the_same_next_year_on_a_leap_day_and_at_midnight(instance, host):
    """Nothing failed today, and 17 tests a year on. Here the day on which an exam is sat does not matter."""
    same_at(instance, host)


def test_32_days_without_a_year_at_the_edges_of_one():
    assert read_date("1 Jan", "DMY", date(2026, 12, 31)) == date(2027, 1, 1)
    assert read_date("31 Dec", "DMY", date(2027, 1, 1)) == date(2026, 12, 31)
    assert read_date("29 Feb", "DMY", date(2028, 1, 15)) == date(2028, 2, 29)
    assert read_date("29 Feb 2027") is None and read_date("29 Feb", "DMY", date(2026, 2, 1)) is None


# ---- 29 -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("instance", [*HERE, *map(abroad, TASKS)], ids=lambda i: f"{i.name}-{i.language}")
def test_29_every_date_of_an_instruction_lies_in_its_world(instance):
    """The device and the errand had two dates. Here every date in an instruction has its right weekday, is not past,
    and lies in the window that the world keeps, by the world's own clock."""
    seen: list[str] = []
    got = sit(instance, lambda s: (s.next(), seen.append(Seat(s).clock_now()["now"])))
    today = datetime.fromisoformat(seen[0]).date()
    start = int(got.evidence.meta["start"])
    assert today == from_ms(start, got.evidence.meta["zone"]).date()
    low, high = (from_ms(int(ms), "UTC").date() for ms in got.evidence.meta["window"].strip("[]").split(","))
    text = instance.instruction.replace("YYYY-MM-DD", "")
    for found in find_dates(text, load_market(instance.market).date_order, today):
        assert found.value is not None, f"{found.words!r} is no date, or has another weekday"
        assert low < found.value < high and today <= found.value, found.words


# ---- 30 -------------------------------------------------------------------------------------------------------

WEEKDAYS = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;COUNT=10"


def nine_o_clock(first: str) -> list[datetime]:
    start = to_ms(resolve(datetime.fromisoformat(first), LA))
    year = 366 * 86_400_000
    made = expand(start, start + 3_600_000, LA, WEEKDAYS, [], (start - year, start + year))
    return [from_ms(at, LA) for at, _ in made]


@pytest.mark.parametrize(
    ("first", "before", "after"), [("2026-10-26T09:00", -7, -8), ("2027-03-08T09:00", -8, -7)]
)
def test_30_nine_o_clock_stays_nine_o_clock(first, before, after):
    """A series went in steps of 24 hours and slid by one when the clocks changed. Here it keeps the wall time of its
    own zone over 1 November 2026 and over 14 March 2027."""
    local = nine_o_clock(first)
    assert len(local) == 10 and all((t.hour, t.minute, t.weekday() < 5) == (9, 0, True) for t in local)
    hours = [t.utcoffset() / timedelta(hours=1) for t in local]
    assert hours == [before] * 5 + [after] * 5
    steps = {(b - a.replace(tzinfo=UTC)) for a, b in pairwise([t.replace(tzinfo=UTC) for t in local])}
    assert steps == {timedelta(days=1), timedelta(days=3)}, "days on the wall"


@pytest.mark.parametrize(
    "instance", [i for i in HERE if "calendar" in i.task.contract.front.apps], ids=lambda i: i.task.id
)
def test_30_the_same_through_the_tools_of_an_errand(instance):
    """What an agent makes and reads back in a world whose owner lives elsewhere."""
    heard: list[str] = []

    def run(sitting):
        sitting.next()
        seat = Seat(sitting)
        made = seat.calendar_create_event(
            title="Call with the coast",
            start="2026-10-28T09:00",
            end="2026-10-28T09:30",
            zone=LA,
            rrule="FREQ=DAILY;COUNT=8",
        )
        found = seat.calendar_events(start="2026-10-27", end="2026-11-08", query="Call with the coast")
        heard.extend(e["start"] for e in found["events"] if e["event"] == made["event"])

    sit(instance, run)
    local = [datetime.fromisoformat(text).astimezone(zone(LA)) for text in heard]
    assert [(t.month, t.day, t.hour) for t in local] == [
        (m, d, 9) for m, d in ((10, 28), (10, 29), (10, 30), (10, 31), (11, 1), (11, 2), (11, 3), (11, 4))
    ]


# ---- 31 -------------------------------------------------------------------------------------------------------

#: Zone, a wall time that is skipped, what it becomes, a wall time that comes twice, UTC of the first of the two.
CHANGES = [
    (
        "America/New_York",
        "2027-03-14T02:30",
        "2027-03-14T03:30-04:00",
        "2026-11-01T01:30",
        "2026-11-01T05:30",
    ),
    ("Europe/London", "2027-03-28T01:30", "2027-03-28T02:30+01:00", "2026-10-25T01:30", "2026-10-25T00:30"),
    (
        "Australia/Adelaide",
        "2026-10-04T02:30",
        "2026-10-04T03:30+10:30",
        "2027-04-04T02:30",
        "2027-04-03T16:00",
    ),
]


@pytest.mark.parametrize(("where", "gap", "becomes", "fold", "first"), CHANGES, ids=[c[0] for c in CHANGES])
def test_31_hours_that_do_not_exist_and_hours_that_come_twice(where, gap, becomes, fold, first):
    """A daily rule gave a local time that there was not. Here the rule is published: one event given for a skipped
    time moves on by the gap, a series leaves that day out, of a time that comes twice the first is meant, and no
    reader of an answer takes a time that there was not."""
    missing, twice = datetime.fromisoformat(gap), datetime.fromisoformat(fold)
    assert iso(to_ms(resolve(missing, where)), where) == becomes
    assert iso(to_ms(resolve(twice, where)), "UTC") == f"{first}+00:00"
    assert resolve(twice.replace(fold=1), where) == resolve(twice, where)
    assert read_datetime(gap, where) is None
    assert read_datetime(fold, where).ms == to_ms(resolve(twice, where))
    for when in (missing, twice):
        start = to_ms(resolve(when - timedelta(days=2), where))
        window = (start, start + 6 * 86_400_000)
        days = [
            from_ms(at, where) for at, _ in expand(start, start + 1_800_000, where, "FREQ=DAILY", [], window)
        ]
        assert {(t.hour, t.minute) for t in days} == {(when.hour, when.minute)}
        assert (when.date() in {t.date() for t in days}) is (when is twice)
        assert len({t.date() for t in days}) == len(days) and all(t.fold == 0 for t in days)
