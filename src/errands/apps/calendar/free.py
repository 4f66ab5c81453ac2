"""Free and busy: when people are taken, and when several of them are free together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, time, timedelta
from typing import Annotated, Any

from errands.core.clock import resolve, to_ms
from errands.core.errors import ToolError
from errands.world import World

from . import calendar
from .recurrence import wall
from .store import addresses, default_calendar
from .times import DAY_MS, span, stamp

MAX_PEOPLE = 50
MAX_SLOTS = 40
MAX_DAYS = 366
_MINUTE = 60_000
_OPEN, _CLOSE = time(9), time(18)

Span = tuple[int, int]

# An organizer's own row as attendee may say that he declined; it comes with the same row.
_MEETINGS = """
SELECT o.event, e.organizer, o.starts, o.ends, a.email, a.response
FROM calendar_occurrence o INDEXED BY calendar_occurrence_when CROSS JOIN calendar_event e ON e.id = o.event
LEFT JOIN calendar_attendee a ON a.event = o.event AND a.email IN ({marks})
WHERE o.starts < ? AND o.ends > ? AND e.status <> 'cancelled'
AND (a.email IS NOT NULL OR e.organizer IN ({marks}))
"""


def taken(w: World, people: Iterable[str], low: int, high: int) -> dict[str, list[Span]]:
    """Person to busy spans in UTC ms, cut to the window, in order and merged (touching ones too).

    Busy makes a person's own commitment, and any event that is not cancelled which the person organizes or is
    invited to and did not decline.
    """
    return {person: _merged(own, low, high) for person, own in _spans(w, people, low, high).items()}


def _spans(w: World, people: Iterable[str], low: int, high: int) -> dict[str, list[Span]]:
    """As `taken`, neither cut nor merged nor in order."""
    spans: dict[str, list[Span]] = {p: [] for p in people}
    for person, own in spans.items():
        own += w.db.execute(
            "SELECT starts, ends FROM calendar_busy WHERE person = ? AND starts < ? AND ends > ?",
            (person, high, low),
        )
    sql = _MEETINGS.format(marks=",".join("?" * len(spans)))
    organized: dict[tuple[str, int], tuple[str, Span]] = {}
    declined = []
    for event, organizer, starts, ends, email, response in w.db.execute(sql, (*spans, high, low, *spans)):
        if organizer in spans:
            organized[event, starts] = organizer, (starts, ends)
        if email is not None and email != organizer and response != "declined":
            spans[email].append((starts, ends))
        elif email == organizer and response == "declined":
            declined.append((event, starts))
    for key in declined:
        organized.pop(key, None)
    for person, when in organized.values():
        spans[person].append(when)
    return spans


def _merged(spans: list[Span], low: int, high: int) -> list[Span]:
    out: list[Span] = []
    begin = end = -1
    for a, b in sorted(spans):
        if a <= end:
            if b > end:
                end = b
            continue
        if end > begin:
            out.append((begin, min(end, high)))
        begin, end = max(a, low), b
    if end > begin:
        out.append((begin, min(end, high)))
    return out


def known(w: World, person: str) -> bool:
    """Does any calendar here say something about this person?"""
    return bool(
        w.value(
            "SELECT EXISTS (SELECT 1 FROM calendar_busy WHERE person = ?1)"
            " OR EXISTS (SELECT 1 FROM calendar_calendar WHERE lower(owner) = ?1)"
            " OR EXISTS (SELECT 1 FROM calendar_event WHERE organizer = ?1)"
            " OR EXISTS (SELECT 1 FROM calendar_attendee WHERE email = ?1)",
            person,
        )
    )


def _people(w: World, people: list[str]) -> list[str]:
    if not people:
        raise ToolError(
            "invalid", "nobody is named", field="people", expected="at least one e-mail address, or me"
        )
    if len(people) > MAX_PEOPLE:
        raise ToolError(
            "limit", f"{len(people)} people are too many", field="people", expected=f"at most {MAX_PEOPLE}"
        )
    return list(addresses(w, "people", people))


def _window(w: World, start: str, end: str, zone: str) -> Span:
    low, high = span(w, start, end, zone)
    if high - low > MAX_DAYS * DAY_MS:
        raise ToolError(
            "limit", "the window is too long", field="end", value=end, expected=f"at most {MAX_DAYS} days"
        )
    return low, high


@calendar.read("calendar.read")
def free_busy(
    w: World,
    people: Annotated[list[str], "e-mail addresses; me is you"],
    start: Annotated[str, "from when, e.g. 2026-11-05 or 2026-11-05T09:00"],
    end: Annotated[str, "until when, not included"],
) -> dict[str, Any]:
    """Show when people are taken in a window: their own commitments, and events that they did not decline.

    `unknown` is true for a person of whom no calendar here knows anything: that is not the same as free.
    Times are in your own zone, cut to the window.
    """
    emails = _people(w, people)
    low, high = _window(w, start, end, w.zone)
    return {
        "people": [
            {
                "person": p,
                "unknown": not busy and not known(w, p),
                "busy": [{"start": stamp(a, w.zone), "end": stamp(b, w.zone)} for a, b in busy],
            }
            for p, busy in taken(w, emails, low, high).items()
        ]
    }


@calendar.read("calendar.read")
def find_time(
    w: World,
    people: Annotated[list[str], "e-mail addresses of all who must be free; me is you (name yourself too)"],
    start: Annotated[str, "from when, e.g. 2026-11-05"],
    end: Annotated[str, "until when, not included, e.g. 2026-11-12"],
    minutes: Annotated[int, "how long, e.g. 60"],
    step: Annotated[int, "minutes between the starts that are tried, counted from 09:00"] = 30,
) -> dict[str, Any]:
    """Find times when all these people are free: Monday to Friday, 09:00 to 18:00 in your calendar's zone.

    It does not know public holidays. Times that are past are left out. At most 40 slots are listed; `more`
    says whether there are others. People in `unknown` were taken as free, as no calendar here knows of them.
    """
    for field, value, least in (("minutes", minutes, 1), ("step", step, 5)):
        if not least <= value <= 540:
            raise ToolError(
                "invalid", f"{field} is out of range", field=field, value=value, expected=f"{least} to 540"
            )
    emails = _people(w, people)
    zone = default_calendar(w)["zone"]
    low, high = _window(w, start, end, zone)
    low = max(low, w.now)
    spans = _spans(w, emails, low, high)
    busy = _merged([s for own in spans.values() for s in own], low, high)
    found: list[Span] = []
    for slot in _slots(busy, low, high, zone, minutes * _MINUTE, step * _MINUTE):
        found.append(slot)
        if len(found) > MAX_SLOTS:
            break
    return {
        "slots": [{"start": stamp(a, zone), "end": stamp(b, zone)} for a, b in found[:MAX_SLOTS]],
        "more": len(found) > MAX_SLOTS,
        "zone": zone,
        "unknown": [p for p in emails if not spans[p] and not known(w, p)],
    }


def _slots(busy: list[Span], low: int, high: int, zone: str, length: int, step: int) -> Iterator[Span]:
    """Free spans of this length within working hours, from `low` to `high`, in order."""
    if low >= high:
        return
    at, n = wall(low, zone).date(), 0
    while True:
        opens = _ms(datetime.combine(at, _OPEN), zone)
        if opens >= high:
            return
        if at.weekday() < 5:
            closes = min(_ms(datetime.combine(at, _CLOSE), zone), high)
            for a in range(opens, closes - length + 1, step):
                while n < len(busy) and busy[n][1] <= a:
                    n += 1
                if a >= low and (n == len(busy) or busy[n][0] >= a + length):
                    yield a, a + length
        at += timedelta(1)


def _ms(local: datetime, zone: str) -> int:
    return to_ms(resolve(local, zone))
