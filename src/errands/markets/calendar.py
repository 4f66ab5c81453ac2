"""Working days and working hours of a market: pure functions over a `Market`, no host clock, no host zones.

A date is a local calendar date (never a datetime); a window is (start, end) in minutes from local
midnight, end not included. Holiday tables are frozen for certain years: asking about another year is a
ValueError, because "no holiday" would be a guess.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date, datetime, time, timedelta

from errands.core.clock import from_ms
from errands.markets.model import Holiday, Market, Weekday

Window = tuple[int, int]

_DAY = timedelta(days=1)
_WEEKDAYS: tuple[Weekday, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def holiday(market: Market, day: date) -> Holiday | None:
    """The public holiday on `day`, if it is one (substitute days included)."""
    if isinstance(day, datetime):  # a datetime is a date to Python, but would never be found in the table
        raise ValueError(f"{day!r} is a datetime; a local calendar date is expected")
    if day.year not in market.years:
        raise ValueError(f"{market.code}: no holiday table for {day.year}, only for {list(market.years)}")
    return market.holiday_on.get(day)


def is_holiday(market: Market, day: date) -> bool:
    """Is `day` a public holiday, by itself or in lieu of another?"""
    return holiday(market, day) is not None


def is_workday(market: Market, day: date) -> bool:
    """Is `day` in the working week and no public holiday?"""
    return not is_holiday(market, day) and _WEEKDAYS[day.weekday()] in market.week.days


def add_workdays(market: Market, day: date, n: int) -> date:
    """The `n`-th working day after `day` (before it for negative `n`), `day` itself not counted.

    With n = 0: `day` if it is a working day, else the next one.
    """
    if n == 0:
        return day if is_workday(market, day) else add_workdays(market, day, 1)
    step = _DAY if n > 0 else -_DAY
    left = abs(n)
    while left:
        day += step
        left -= is_workday(market, day)
    return day


def workday(market: Market, after: date, n: int = 1) -> date:
    """The `n`-th working day strictly after `after`; n from 1 (ValueError below)."""
    if n < 1:
        raise ValueError(f"n is {n}; working days after a date are counted from 1")
    return add_workdays(market, after, n)


def previous_workday(market: Market, day: date) -> date:
    """The last working day strictly before `day`."""
    return add_workdays(market, day, -1)


def windows(
    market: Market, day: date, *, traits: Collection[str] = (), half_day: bool = False
) -> tuple[Window, ...]:
    """Working hours of `day` without lunch, in minutes from local midnight, in order; () on a day off.

    `traits` (as people have them, e.g. "friday-prayer") take out the soft closures that go with them;
    `half_day=True` also keeps the custom of the eves. Neither is a rule that a calendar enforces.
    """
    if not is_workday(market, day):
        return ()
    week, weekday = market.week, _WEEKDAYS[day.weekday()]
    closed: list[Window] = [_minutes(week.lunch.start, week.lunch.end)]
    closed += [_minutes(c.start, c.end) for c in week.soft if c.trait in traits and weekday in c.days]
    if half_day and (eve := market.half_day_on.get(day)) is not None:
        closed.append(_minutes(eve.office, week.hours.end))
    return without(_minutes(week.hours.start, week.hours.end), closed)


def without(whole: Window, taken: Iterable[Window]) -> tuple[Window, ...]:
    """What is left of the window `whole` when the windows `taken` are cut out (minutes, in order)."""
    left: list[Window] = []
    at, end = whole
    for start, stop in sorted(taken):
        if start > at:
            left.append((at, min(start, end)))
        at = max(at, stop)
        if at >= end:
            break
    if at < end:
        left.append((at, end))
    return tuple(left)


def local(ms: int, zone: str) -> datetime:
    """The wall clock of `zone` (IANA name) at `ms` UTC milliseconds, as an aware datetime."""
    return from_ms(ms, zone)


def _minutes(start: time, end: time) -> Window:
    return start.hour * 60 + start.minute, end.hour * 60 + end.minute
