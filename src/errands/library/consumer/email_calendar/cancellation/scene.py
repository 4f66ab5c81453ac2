"""The scenes of the cancellation: which meeting is called off, who is invited, and where it stands in the calendar."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from pydantic import BaseModel, ConfigDict, Field

from errands.core import clock
from errands.core.errors import TaskError
from errands.markets.calendar import add_workdays, is_workday
from errands.tasks import Build, Who

MINUTE = 60_000
WEEK = 7 * 24 * 60 * MINUTE
AWAKE = (time(7), time(21))  # where somebody abroad would sit in a meeting
ANSWERS = ("but_one", "all", "none")  # to which notes the user says yes
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
Span = tuple[int, int]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Scene(_Strict):
    """One meeting of the owner's that is called off, and those who were invited to it.

    `words` begins the names of this scene's texts in the market's banks: `<words>_invite`, `_agreed` (the first of
    `people` answers), `_old` and `_notice` (the number that may be quoted: an old one and the one that counts), both
    by `notice_by`; `_private` (by `confides`: what nobody else may learn), `_list` and `_later` (times that are held,
    the last word second), `_refuses` (why the user tells `refuses` in person), `_no` (why the user keeps the meeting).
    `apart` is whoever of `people` is abroad or writes another language; with the latter there is a conversation of
    two as well, in `<words>_apart` and `_apart_agreed`.
    `notice` and `case` are the letters before a number; `confided` are the forms
    of a name, the whole one first, and `story` are words that tell what happened, none of which a note needs;
    `amount` is a range in major units.
    """

    words: str
    title: str
    people: tuple[Who, ...] = Field(min_length=3)
    minutes: int = Field(ge=30, le=120)
    weekly: bool = False
    notice: str
    notice_by: Who
    confides: Who
    case: str
    confided: tuple[str, ...] = Field(min_length=1)
    story: tuple[str, ...] = Field(min_length=3)
    amount: tuple[int, int, int]
    refuses: Who
    apart: Who | None = None


class Office(_Strict):
    """The errand in one market: days that may be offered, who holds times, and a scene for each variant in turn.

    `spared` are days on which nothing is held, because somebody abroad has a holiday there.
    """

    first: date
    last: date
    invited_on: tuple[date, date]
    old_on: tuple[date, date]
    spared: tuple[date, ...] = ()
    slots_by: Who
    outsider: Who
    scene: tuple[Scene, ...] = Field(min_length=3)


@dataclass(frozen=True)
class Called:
    """The meeting: its event and time, the later event of the same title ("" in a series), and when that one is."""

    event: str
    start: int
    end: int
    later: str
    again: int


def answer(variant: int) -> str:
    """To which notes the user says yes in a variant: three in a row differ, and so do three of the same scene."""
    return ANSWERS[(variant + variant // 3) % 3]


# ---- the meeting ----------------------------------------------------------------------------------------------


def meeting(b: Build, office: Office, scene: Scene) -> Called:
    """Put the meeting on one of the next three working days, and the one that looks like it behind it."""
    length, taken = scene.minutes * MINUTE, busy(b)
    days = [add_workdays(b.market, b.today, n) for n in (1, 2, 3)]
    open_ = [s for d in days for s in starts(b, scene, d) if clear((s, s + length), taken)]
    if scene.weekly:  # the whole series finds its place, where there is one
        weeks = range(1, 5)
        whole = [s for s in open_ if all(clear((s + w * WEEK, s + w * WEEK + length), taken) for w in weeks)]
        open_ = whole or open_
    if not open_:
        raise TaskError(
            "no time for the meeting",
            where=f"cancellation, {b.market.code}, scene {scene.words}",
            expected="a free stretch of the owner's in the next three working days",
        )
    start = b.rng.choice(open_)
    people = list(scene.people)
    if scene.weekly:
        day, first = _WEEKDAYS[_day(b, start).weekday()][:2].upper(), start - WEEK
        off = [first + w * WEEK for w in range(6) if not is_workday(b.market, _day(b, first + w * WEEK))]
        event = b.event(
            scene.title,
            first,
            first + length,
            attendees=people,
            rrule=f"FREQ=WEEKLY;BYDAY={day};COUNT=6",
            exdates=tuple(off),
        )
        again = next(start + w * WEEK for w in range(1, 5) if start + w * WEEK not in off)
        return Called(event, start, start + length, "", again)
    event = b.event(scene.title, start, start + length, attendees=people)
    taken = busy(b)
    after = [
        s
        for d in days_between(office.first, office.last)
        if is_workday(b.market, d) and d > _day(b, start) + timedelta(2)
        for s in starts(b, scene, d)
        if clear((s, s + length), taken)
    ]
    at = b.rng.choice(after)
    return Called(event, start, start + length, b.event(scene.title, at, at + length, attendees=people), at)


def others(b: Build, scene: Scene, called: Called) -> list[int]:
    """When else there is a meeting of that title: a note may say that it stands."""
    found = b.draft.all(
        "SELECT o.starts FROM calendar_occurrence o JOIN calendar_event e ON e.id = o.event"
        " WHERE e.title = ? AND o.starts <> ? ORDER BY o.starts",
        scene.title,
        called.start,
    )
    return [r["starts"] for r in found]


def starts(b: Build, scene: Scene, day: date) -> list[int]:
    """Half hours of a day, in working hours, clear of lunch and of what custom keeps free, with everybody awake."""
    week, length = b.market.week, scene.minutes * MINUTE
    low, high = b.at(day, f"{week.hours.start:%H:%M}"), b.at(day, f"{week.hours.end:%H:%M}")
    kept = [week.lunch, *(c for c in week.soft if _WEEKDAYS[day.weekday()] in c.days)]
    quiet = [(b.at(day, f"{c.start:%H:%M}"), b.at(day, f"{c.end:%H:%M}")) for c in kept]
    there = (b.people[scene.apart].zone if scene.apart else None) or b.market.zone
    return [
        s
        for s in range(low, high - length + 1, 30 * MINUTE)
        if clear((s, s + length), quiet) and AWAKE[0] <= clock.from_ms(s, there).time() <= AWAKE[1]
    ]


def busy(b: Build) -> list[Span]:
    """When the owner is taken in the coming five weeks."""
    rows = b.draft.all(
        "SELECT o.starts, o.ends FROM calendar_occurrence o JOIN calendar_event e ON e.id = o.event"
        " WHERE o.ends > ?2 AND o.starts < ?3 AND e.all_day = 0 AND (e.organizer = ?1 OR EXISTS"
        " (SELECT 1 FROM calendar_attendee a WHERE a.event = e.id AND a.email = ?1 AND a.response <> 'declined'))",
        b.me.email,
        b.now,
        b.now + 5 * WEEK,
    )
    return sorted((r["starts"], r["ends"]) for r in rows)


def clear(span: Span, taken: Iterable[Span]) -> bool:
    """Whether a span meets none of these."""
    return not any(a < span[1] and span[0] < z for a, z in taken)


def _day(b: Build, ms: int) -> date:
    return clock.from_ms(ms, b.market.zone).date()


def days_between(first: date, last: date) -> list[date]:
    """Every day from the first to the last."""
    return [first + timedelta(n) for n in range((last - first).days + 1)]


def wall(ms: int, zone: str) -> datetime:
    """The wall clock of a zone."""
    return clock.from_ms(ms, zone).replace(tzinfo=None)
