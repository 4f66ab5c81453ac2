"""Times of the calendar: reading what an agent writes, and writing what it or a person reads."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from functools import lru_cache

from errands.core import clock
from errands.core.errors import ToolError
from errands.world import World

from .recurrence import day_start, wall, whole_days

DAY_MS = 86_400_000
_FIRST, _LAST = 0, clock.to_ms(datetime(2200, 1, 1, tzinfo=UTC))
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@lru_cache(maxsize=64)
def _window(text: str, start: int) -> tuple[int, int]:
    if not text:
        return start - 120 * DAY_MS, start + 120 * DAY_MS
    low, high = json.loads(text)
    return int(low), int(high)


def kept(w: World) -> tuple[int, int]:
    """The window in which recurring events are expanded, in UTC ms."""
    return _window(w.meta.get("window", ""), int(w.meta["start"]))


def check_zone(name: str) -> str:
    """An IANA zone, or the `ToolError` that says there is none of this name."""
    try:
        clock.zone(name)
    except ValueError as why:
        raise ToolError(
            "invalid", str(why), field="zone", value=name, expected="an IANA zone such as Asia/Singapore"
        ) from None
    return name


def is_date(text: str) -> bool:
    """Is it a day without a time (2026-11-05)?"""
    return len(text) == 10 and text[4] == text[7] == "-"


# Calendars write the same few half hours again and again.
stamp = lru_cache(maxsize=20_000)(clock.iso)


def read(w: World, field: str, text: str, zone: str, *, day: bool = False) -> int:
    """UTC ms of an ISO 8601 date-time; without an offset, wall time in `zone`. With `day`, a date will do."""
    shape = "an ISO 8601 date-time such as 2026-11-05T16:30" + (", or a date: 2026-11-05" if day else "")
    if not is_date(text):
        ms = w.moment(field, text, zone)
    elif not day:
        raise ToolError(
            "invalid", f"{field} is a day without a time", field=field, value=text, expected=shape
        )
    else:
        try:
            ms = day_start(date.fromisoformat(text), zone)
        except ValueError:
            raise ToolError(
                "invalid", f"{field} is no day", field=field, value=text, expected=shape
            ) from None
    if not _FIRST <= ms < _LAST:
        raise ToolError(
            "invalid", f"{field} is outside the years 1970 to 2199", field=field, value=text, expected=shape
        )
    return ms


def on_day(w: World, field: str, text: str, starts: int, zone: str) -> int:
    """UTC ms of the start of an occurrence; a bare date means that day, at the wall time of `starts`."""
    return read(w, field, f"{text}T{wall(starts, zone):%H:%M:%S}" if is_date(text) else text, zone)


def span(w: World, start: str, end: str, zone: str) -> tuple[int, int]:
    """The window of a look: dates or date-times, the end not included."""
    a, b = read(w, "start", start, zone, day=True), read(w, "end", end, zone, day=True)
    if b <= a:
        raise ToolError(
            "invalid",
            "the window ends before it starts",
            field="end",
            value=end,
            expected="a time after start",
        )
    return a, b


def check_order(starts: int, ends: int, zone: str, all_day: bool) -> None:
    """An event ends after it starts, and one of whole days begins and ends with a day."""
    if ends <= starts:
        raise ToolError(
            "invalid",
            "the event ends before it starts",
            field="end",
            value=clock.iso(ends, zone),
            expected="the day after the last day" if all_day else "a time after start",
        )
    if all_day and not whole_days(starts, ends, zone):
        raise ToolError(
            "invalid",
            "an all-day event begins and ends with a day",
            field="start",
            value=clock.iso(starts, zone),
            expected="dates such as 2026-11-05",
        )


def spoken(starts: int, ends: int, zone: str, all_day: bool) -> str:
    """When it is, as people say it: "Thu 5 Nov 16:30–17:30"; whole days by their first and last day."""
    a, b = wall(starts, zone), wall(ends - 1 if all_day else ends, zone)
    if all_day:
        return f"{_day(a)}, all day" if a.date() == b.date() else f"{_day(a)} – {_day(b)}, all day"
    if a.date() == b.date():
        return f"{_day(a)} {a:%H:%M}–{b:%H:%M}"
    return f"{_day(a)} {a:%H:%M} – {_day(b)} {b:%H:%M}"


def _day(moment: datetime) -> str:
    return f"{_DAYS[moment.weekday()]} {moment.day} {_MONTHS[moment.month - 1]}"
