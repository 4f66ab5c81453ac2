"""Every owner's calendar: the rules at the top of each words/calendar.toml."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from dateutil.rrule import rrulestr

from errands.core.clock import from_ms, resolve, to_ms
from errands.markets import calendar as cal
from errands.markets import codes, folder, load_market, model
from errands.markets.model import Appointment, Entry, load_life

DAY = timedelta(days=1)
RESERVED = ("client review", "planning", "qbr", "hearing", "audit walkthrough")


@dataclass(frozen=True)
class Held:
    """One occurrence, on the wall clock of the market."""

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


def appointment(h: Held) -> Appointment:
    assert isinstance(h.entry, Appointment)
    return h.entry


class Place:
    """A market with its calendar life, all occurrences held."""

    def __init__(self, code: str) -> None:
        self.market, self.life = load_market(code), load_life(code)
        self.own = [h for a in (*self.life.series, *self.life.event) for h in self.held(a, self.life.last)]
        self.busy = {
            who: [h for e in entries for h in self.held(e, self.life.busy_last)]
            for who, entries in self.life.busy.items()
        }

    def held(self, entry: Entry, last: date) -> Iterator[Held]:
        for at in starts(entry, last):
            if at.date() in entry.exdates:
                continue
            if entry.date is not None:
                assert entry.days is not None
                yield Held(entry, at, at + entry.days * DAY)
            else:
                assert entry.minutes is not None
                ms = to_ms(resolve(at, entry.zone or self.life.zone))
                shown = from_ms(ms, self.market.zone).replace(tzinfo=None)
                yield Held(entry, shown, shown + timedelta(minutes=entry.minutes))

    def taken(self, who: str) -> list[Held]:
        """Timed busy occurrences of a person: the owner's own, or blocks and appointments with the owner."""
        shared = [
            h
            for h in self.own
            if h.entry.minutes is not None
            and h.entry.shows == "busy"
            and (who == self.market.owner or who in (*appointment(h).attendees, appointment(h).organizer))
        ]  # fmt: skip
        return sorted([*shared, *self.busy.get(who, [])], key=lambda h: h.start)

    def free_hours(self, day: date, *people: str) -> int:
        """Separate whole hours inside working hours (lunch left out) that all `people` have free on `day`."""
        count = 0
        for window in cal.windows(self.market, day):
            cut = [(since(day, h.start), since(day, h.end)) for who in people for h in self.taken(who)]
            count += sum((b - a) // 60 for a, b in cal.without(window, cut))
        return count

    def workdays(self, first: date, last: date) -> list[date]:
        return [
            d for i in range((last - first).days + 1) if cal.is_workday(self.market, d := first + i * DAY)
        ]


@cache
def place_of(code: str) -> Place:
    return Place(code)


@pytest.fixture(params=codes())
def place(request: pytest.FixtureRequest) -> Place:
    """Each market in turn."""
    return place_of(request.param)


def overlaps(hours: list[Held]) -> list[tuple[str, str]]:
    return [(a.entry.title, b.entry.title) for a, b in pairwise(hours) if b.start < a.end]


def since(day: date, at: datetime) -> int:
    """Minutes from midnight of `day` to `at`, both on the same wall clock."""
    return int((at - datetime.combine(day, time())).total_seconds()) // 60


def test_the_window_is_full(place: Place) -> None:
    life = place.life
    assert (life.last - life.first).days >= 120
    assert (life.now.date() - life.first).days >= 85
    mine = [h for h in place.own if appointment(h).calendar != "Team roster"]
    assert len(mine) >= 150
    assert all(life.first <= day <= life.last for h in place.own for day in h.days)
    assert {appointment(h).calendar for h in place.own} == {"Work", "Personal", "Team roster"}
    assert len({h.entry.title for h in place.own}) >= 60


def test_nothing_is_held_on_a_public_holiday(place: Place) -> None:
    on_holidays = [h for h in place.own if any(cal.is_holiday(place.market, day) for day in h.days)]
    assert on_holidays  # the deliberate ones are there
    kinds = {(appointment(h).calendar, h.entry.date is not None) for h in on_holidays}
    assert kinds <= {("Personal", True)}, [h.entry.title for h in on_holidays]
    here = [h for who, hours in place.busy.items() if not place.market.people[who].zone for h in hours]
    assert not [h for h in here if cal.is_holiday(place.market, h.start.date())]


def test_rules_start_where_they_say_and_exdates_hit(place: Place) -> None:
    repeated = [*place.life.series, *(e for b in place.life.busy.values() for e in b if e.rrule)]
    for entry in repeated:
        found = starts(entry, place.life.last)
        assert found[0] == entry.first, entry.title
        assert len(found) > 1, entry.title
        assert set(entry.exdates) <= {at.date() for at in found}, entry.title
        assert len(set(entry.exdates)) == len(entry.exdates), entry.title


def test_titles_leave_the_tasks_their_words(place: Place) -> None:
    entries = [
        *place.life.series, *place.life.event, *(e for b in place.life.busy.values() for e in b)
    ]  # fmt: skip
    for entry in entries:
        assert not [w for w in RESERVED if w in entry.title.casefold()], entry.title


def test_nobody_is_in_two_places(place: Place) -> None:
    life = place.life
    mine = [h for h in place.taken(place.market.owner) if life.first <= h.start.date() <= life.last]
    assert overlaps(mine) == []
    for who in life.busy:
        assert overlaps(place.taken(who)) == [], who


def test_work_is_held_on_working_days(place: Place) -> None:
    for h in place.own:
        if appointment(h).calendar == "Work":
            assert all(cal.is_workday(place.market, d) for d in h.days), h


def test_three_free_hours_on_the_days_that_tasks_use(place: Place) -> None:
    for n in range(1, 6):
        day = cal.add_workdays(place.market, place.life.now.date(), n)
        assert place.free_hours(day, place.market.owner) >= 3, day


def test_others_are_busy_enough_and_not_too_much(place: Place) -> None:
    people = place.market.people
    colleagues = [w for w in place.life.busy if people[w].org == people[place.market.owner].org]
    clients = [w for w in place.life.busy if people[w].relation == "client"]
    assert len(colleagues) >= 8
    assert len(clients) >= 4
    week = place.market.week.hours
    for who in (*colleagues, *clients):
        assert len(place.busy[who]) >= 10, (who, len(place.busy[who]))
    for who, hours in place.busy.items():
        for h in hours:
            assert place.life.busy_first <= h.start.date() <= place.life.busy_last
            assert week.start <= h.start.time(), (who, h)
            assert h.end <= datetime.combine(h.start.date(), max(week.end, time(18))), (who, h)


def test_common_free_time_is_left(place: Place) -> None:
    here = [w for w in place.life.busy if not place.market.people[w].zone]
    monday = place.life.busy_first - place.life.busy_first.weekday() * DAY
    for week in (monday, monday + 7 * DAY):
        days = place.workdays(week, week + 6 * DAY)
        for pair in combinations(here, 2):
            common = sum(place.free_hours(d, place.market.owner, *pair) for d in days)
            assert common >= 2, (week, pair, common)


def test_leave_of_singapore_is_kept_free() -> None:
    sg = place_of("sg")
    leave = {d for h in sg.own if h.entry.title.startswith("Leave") for d in h.days}
    assert leave
    assert not [h for h in sg.own if appointment(h).calendar == "Work" and leave & set(h.days)]
    ict = next(e for e in sg.life.event if e.key == "roster_bryan_ict")
    away = {d for h in sg.held(ict, sg.life.last) for d in h.days}
    with_bryan = [h for h in sg.own if appointment(h).key == "bryan_one_to_one"]
    assert not [h for h in with_bryan if h.start.date() in away]


def test_london_moves_and_singapore_does_not() -> None:
    hours = {
        h.start.date(): h.start.time() for h in place_of("sg").own if appointment(h).key == "thornbury_lane"
    }
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
