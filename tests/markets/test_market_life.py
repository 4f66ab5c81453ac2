"""Rachel's calendar from August to December 2026: the rules at the top of words/calendar.toml."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from dateutil.rrule import rrulestr

from errands.core.clock import from_ms, resolve, to_ms
from errands.markets import calendar as cal
from errands.markets import folder, load_market, model
from errands.markets.model import Appointment, Entry, load_life

SG = load_market("sg")
LIFE = load_life("sg")
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Held:
    """One occurrence, on the wall clock of Singapore."""

    entry: Entry
    start: datetime
    end: datetime

    @property
    def days(self) -> list[date]:
        last = (self.end - timedelta(seconds=1)).date()
        return [self.start.date() + i * DAY for i in range((last - self.start.date()).days + 1)]


def starts(entry: Entry, last: date) -> list[datetime]:
    """Wall-clock starts in the entry's own zone, exdates included."""
    if entry.rrule is None:
        return [entry.first]
    rule = rrulestr(entry.rrule, dtstart=entry.first)
    return list(rule.between(entry.first, datetime.combine(last, time.max), inc=True))


def held(entry: Entry, last: date) -> Iterator[Held]:
    for at in starts(entry, last):
        if at.date() in entry.exdates:
            continue
        if entry.date is not None:
            assert entry.days is not None
            yield Held(entry, at, at + entry.days * DAY)
        else:
            assert entry.minutes is not None
            ms = to_ms(resolve(at, entry.zone or LIFE.zone))
            shown = from_ms(ms, SG.zone).replace(tzinfo=None)
            yield Held(entry, shown, shown + timedelta(minutes=entry.minutes))


OWN = [h for a in (*LIFE.series, *LIFE.event) for h in held(a, LIFE.last)]
BUSY = {who: [h for e in entries for h in held(e, LIFE.busy_last)] for who, entries in LIFE.busy.items()}


def appointment(h: Held) -> Appointment:
    assert isinstance(h.entry, Appointment)
    return h.entry


def taken(who: str) -> list[Held]:
    """Timed busy occurrences of a person: the owner's own, or blocks and appointments with the owner."""
    shared = [
        h
        for h in OWN
        if h.entry.minutes is not None
        and h.entry.shows == "busy"
        and (who == SG.owner or who in (*appointment(h).attendees, appointment(h).organizer))
    ]  # fmt: skip
    return sorted([*shared, *BUSY.get(who, [])], key=lambda h: h.start)


def overlaps(hours: list[Held]) -> list[tuple[str, str]]:
    return [(a.entry.title, b.entry.title) for a, b in pairwise(hours) if b.start < a.end]


def free_hours(day: date, *people: str) -> int:
    """Separate whole hours inside working hours (lunch left out) that all `people` have free on `day`."""
    count = 0
    for window in cal.windows(SG, day):
        cut = [(since(day, h.start), since(day, h.end)) for who in people for h in taken(who)]
        count += sum((b - a) // 60 for a, b in cal.without(window, cut))
    return count


def since(day: date, at: datetime) -> int:
    """Minutes from midnight of `day` to `at`, both on the same wall clock."""
    return int((at - datetime.combine(day, time())).total_seconds()) // 60


def workdays(first: date, last: date) -> list[date]:
    return [d for i in range((last - first).days + 1) if cal.is_workday(SG, d := first + i * DAY)]


def test_the_window_is_full() -> None:
    assert (LIFE.first, LIFE.last) == (date(2026, 8, 3), date(2026, 12, 11))
    assert (LIFE.last - LIFE.first).days >= 120
    mine = [h for h in OWN if appointment(h).calendar != "Team roster"]
    assert len(mine) >= 150
    assert all(LIFE.first <= day <= LIFE.last for h in OWN for day in h.days)
    assert {appointment(h).calendar for h in OWN} == {"Work", "Personal", "Team roster"}
    assert len({h.entry.title for h in OWN}) >= 60


def test_nothing_is_held_on_a_public_holiday() -> None:
    on_holidays = [h for h in OWN if any(cal.is_holiday(SG, day) for day in h.days)]
    assert on_holidays  # the deliberate ones are there
    assert all(appointment(h).calendar == "Personal" and h.entry.date is not None for h in on_holidays)
    here = [h for who, hours in BUSY.items() if not SG.people[who].zone for h in hours]
    assert not [h for h in here if cal.is_holiday(SG, h.start.date())]


@pytest.mark.parametrize("entry", [*LIFE.series, *(e for b in LIFE.busy.values() for e in b if e.rrule)])
def test_rules_start_where_they_say_and_exdates_hit(entry: Entry) -> None:
    found = starts(entry, LIFE.last)
    assert found[0] == entry.first
    assert len(found) > 1
    assert set(entry.exdates) <= {at.date() for at in found}
    assert len(set(entry.exdates)) == len(entry.exdates)


def test_titles() -> None:
    entries = [*LIFE.series, *LIFE.event, *(e for b in LIFE.busy.values() for e in b)]
    for entry in entries:
        assert not [w for w in ("client review", "planning", "qbr") if w in entry.title.casefold()], (
            entry.title
        )


def test_nobody_is_in_two_places() -> None:
    assert overlaps([h for h in taken(SG.owner) if LIFE.first <= h.start.date() <= LIFE.last]) == []
    for who in LIFE.busy:
        assert overlaps(taken(who)) == [], who


def test_work_is_held_on_working_days_and_not_on_leave() -> None:
    leave = {d for h in OWN if h.entry.title.startswith("Leave") for d in h.days}
    assert leave
    for h in OWN:
        if appointment(h).calendar == "Work":
            assert all(cal.is_workday(SG, d) and d not in leave for d in h.days), h
    ict = next(e for e in LIFE.event if e.key == "roster_bryan_ict")
    away = {d for h in held(ict, LIFE.last) for d in h.days}
    with_bryan = [h for h in OWN if appointment(h).key == "bryan_one_to_one"]
    assert not [h for h in with_bryan if h.start.date() in away]


@pytest.mark.parametrize("day", [date(2026, 11, d) for d in (4, 5, 6, 10, 11)])
def test_three_free_hours_on_the_days_that_tasks_use(day: date) -> None:
    assert free_hours(day, SG.owner) >= 3


def test_others_are_busy_enough_and_not_too_much() -> None:
    colleagues = [w for w in LIFE.busy if SG.people[w].org == SG.people[SG.owner].org]
    clients = [w for w in LIFE.busy if SG.people[w].relation == "client"]
    assert len(colleagues) >= 8
    assert len(clients) >= 4
    for who in (*colleagues, *clients):
        assert len(BUSY[who]) >= 10, (who, len(BUSY[who]))
    for who, hours in BUSY.items():
        for h in hours:
            assert LIFE.busy_first <= h.start.date() <= LIFE.busy_last
            assert time(9) <= h.start.time(), (who, h)
            assert h.end <= datetime.combine(h.start.date(), time(18)), (who, h)


def test_common_free_time_is_left() -> None:
    week_one = workdays(date(2026, 11, 2), date(2026, 11, 6))
    week_two = workdays(date(2026, 11, 10), date(2026, 11, 13))
    here = [w for w in LIFE.busy if not SG.people[w].zone]
    for days in (week_one, week_two):
        for pair in combinations(here, 2):
            common = sum(free_hours(d, SG.owner, *pair) for d in days)
            assert common >= 2, (days[0], pair, common)


def test_london_moves_and_singapore_does_not() -> None:
    hours = {h.start.date(): h.start.time() for h in OWN if appointment(h).key == "thornbury_lane"}
    assert hours[date(2026, 10, 15)] == time(16, 15)
    assert hours[date(2026, 10, 29)] == time(17, 15)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('attendees = ["gerard", "nicole"]', 'attendees = ["gerald"]', r"carrier_terms: 'gerald' is nobody"),
        ('key = "racking"', 'key = "screening"', r"key \['screening'\] is used twice"),
        ("minutes = 75", "minuts = 75", r"event\.\d+\.minuts: Extra"),
        ("date = 2026-10-09\ndays = 1", "date = 2026-10-09", r"give start and minutes, or date and days"),
        ('zone = "Europe/London"\nrrule', 'zone = "London"\nrrule', r"zone: .*did you mean Europe/London"),
        ("FREQ=MONTHLY;BYDAY=2TU", "every 2nd Tuesday", r"series\.\d+\.rrule: "),
    ],
)
def test_errors_name_file_and_field(
    old: str, new: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = folder("sg").joinpath("words", "calendar.toml").read_text("utf-8")
    assert old in text
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "calendar.toml").write_text(text.replace(old, new), "utf-8")
    monkeypatch.setattr(model, "folder", lambda code: tmp_path)
    with pytest.raises(ValueError, match=r"calendar\.toml: .*" + message):
        model.load_life.__wrapped__("sg")
