"""Recurring events as occurrences: RFC 5545 rules, expanded in the wall time of the event's zone."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import UTC, date, datetime, timedelta

from dateutil.rrule import rrulestr

from errands.core.clock import from_ms, resolve, to_ms
from errands.core.clock import zone as zone_called

MAX_OCCURRENCES = 1_000
DAY_NAMES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  wall times are naive here; their zone is a separate argument
_NUMBERS = r"[+-]?\d{1,3}(?:,[+-]?\d{1,3})*"
_DAY = r"(?:[+-]?\d{1,2})?(?:MO|TU|WE|TH|FR|SA|SU)"
_PARTS = {
    "FREQ": r"DAILY|WEEKLY|MONTHLY|YEARLY",
    "INTERVAL": r"\d{1,3}",
    "COUNT": r"\d{1,4}",
    "UNTIL": r"\d{8}(?:T\d{6}Z?)?",
    "BYDAY": rf"{_DAY}(?:,{_DAY})*",
    "BYMONTHDAY": _NUMBERS,
    "BYMONTH": _NUMBERS,
    "BYSETPOS": _NUMBERS,
    "WKST": "|".join(DAY_NAMES),
}
_BOUNDS = {
    "INTERVAL": (1, 999),
    "COUNT": (1, 9999),
    "BYMONTHDAY": (-31, 31),
    "BYMONTH": (1, 12),
    "BYSETPOS": (-366, 366),
}
_FIT = {name: re.compile(shape, re.ASCII) for name, shape in _PARTS.items()}


class TooMany(ValueError):
    """The rule makes more occurrences in the window than a calendar keeps."""


def parse(rrule: str) -> dict[str, str]:
    """The parts of a rule by name; ValueError says what is wrong.

    Read are rules of RFC 5545 3.3.10 that repeat daily or less often, with INTERVAL, COUNT or UNTIL, BYDAY,
    BYMONTHDAY, BYMONTH, BYSETPOS and WKST: what everyday calendars offer.
    """
    parts: dict[str, str] = {}
    for piece in rrule.strip().upper().removeprefix("RRULE:").split(";"):
        name, _, value = piece.partition("=")
        if name not in _FIT:
            raise ValueError(f"the rule has a part {name[:20]!r} that this calendar does not know")
        if name in parts:
            raise ValueError(f"the rule gives {name} twice")
        if not _FIT[name].fullmatch(value):
            raise ValueError(f"{name}={value[:40]} cannot be read")
        parts[name] = value
    _check(parts)
    return parts


def _check(parts: dict[str, str]) -> None:
    """What RFC 5545 forbids though each part can be read."""
    if "FREQ" not in parts:
        raise ValueError("the rule has no FREQ")
    if "COUNT" in parts and "UNTIL" in parts:
        raise ValueError("the rule gives both COUNT and UNTIL")
    for name, (low, high) in _BOUNDS.items():
        for number in map(int, filter(None, parts.get(name, "").split(","))):
            if not low <= number <= high or number == 0:
                raise ValueError(f"{name}={number} is out of range")
    numbered = [int(d[:-2]) for d in parts.get("BYDAY", "").split(",") if len(d) > 2]
    if numbered and parts["FREQ"] not in ("MONTHLY", "YEARLY"):
        raise ValueError("numbered days such as 2TU need FREQ=MONTHLY or YEARLY")
    if any(n == 0 or abs(n) > 53 for n in numbered):
        raise ValueError("a numbered day in BYDAY is out of range")
    if parts["FREQ"] == "WEEKLY" and "BYMONTHDAY" in parts:
        raise ValueError("BYMONTHDAY does not go with FREQ=WEEKLY")
    if "BYSETPOS" in parts and not parts.keys() & {"BYDAY", "BYMONTHDAY", "BYMONTH"}:
        raise ValueError("BYSETPOS needs another BY part")
    if "UNTIL" in parts and not 1970 <= _stamp(parts["UNTIL"]).year < 2200:
        raise ValueError(f"UNTIL={parts['UNTIL']} is out of range")


def expand(
    starts_ms: int, ends_ms: int, zone: str, rrule: str, exdates: Collection[int], window: tuple[int, int]
) -> list[tuple[int, int]]:
    """Occurrences (start, end) in UTC ms that overlap `window` (end not included), in order.

    An event without a rule has itself as its one occurrence, wherever the window lies. Each occurrence starts
    at the event's wall time in `zone` and has its exact length (RFC 5545 3.8.5.3); an event of whole days
    keeps its days. A wall time that does not exist is skipped and not counted (3.3.10); of one that exists
    twice the first is taken. ValueError: the rule cannot be read, or the event's own start is not one of its
    occurrences (the RFC leaves such a series undefined). `TooMany` beyond 1,000.
    """
    if not rrule:
        return [(starts_ms, ends_ms)]
    rule = parse(rrule)
    days = whole_days(starts_ms, ends_ms, zone)
    first = wall(starts_ms, zone)
    if days:
        first = datetime.combine(first.date(), datetime.min.time())
    count, until = int(rule.get("COUNT", 0)), _until(rule.get("UNTIL", ""), zone)
    out: list[tuple[int, int]] = []
    made = 0
    for local in _walls(rule, first, from_ms(window[1], zone).year):
        if days:
            at: int | None = day_start(local.date(), zone)
        else:
            at = starts_ms if local == first else _instant(local, zone)
        if at is None:
            continue
        if at >= window[1] or (until is not None and at > until) or (count and made >= count):
            break
        made += 1
        stop = day_start(local.date() + timedelta(days), zone) if days else at + ends_ms - starts_ms
        if stop > window[0] and at not in exdates:
            out.append((at, stop))
            if len(out) > MAX_OCCURRENCES:
                raise TooMany(f"the rule makes more than {MAX_OCCURRENCES} occurrences")
    return out


def _walls(rule: dict[str, str], first: datetime, last_year: int) -> Iterator[datetime]:
    """Wall times of the rule from `first`, which must be one. COUNT and UNTIL are left to the caller.

    dateutil looks for the next match as far as the year 9999, which takes seconds for a rule that has none.
    The calendar repeats itself exactly every 400 years (146,097 days, whole weeks), so the search runs as
    many cycles later as fit: the same answers, and soon at an end.
    """
    later = 400 * max(0, (9998 - max(first.year, last_year)) // 400)
    text = ";".join(f"{k}={v}" for k, v in rule.items() if k not in ("COUNT", "UNTIL"))
    # dateutil drops fractions of a second; they are put back.
    fraction = timedelta(microseconds=first.microsecond)
    begin = first.replace(year=first.year + later)
    fits = False
    for found in rrulestr(text, dtstart=begin):
        local = found.replace(year=found.year - later) + fraction
        if not fits and local != first:
            break
        fits = True
        yield local
    if not fits:
        raise ValueError("the start of the event is not one of the times that its rule gives")


def wall(ms: int, zone: str) -> datetime:
    """What the clock on the wall shows, naive."""
    return from_ms(ms, zone).replace(tzinfo=None, fold=0)


def day_start(day: date, zone: str) -> int:
    """The first instant of a local day, also where midnight does not exist."""
    return to_ms(resolve(datetime.combine(day, datetime.min.time()), zone))


def whole_days(starts_ms: int, ends_ms: int, zone: str) -> int:
    """How many local days an event fills exactly; 0 if it does not begin and end with a day."""
    a, b = wall(starts_ms, zone).date(), wall(ends_ms, zone).date()
    if day_start(a, zone) != starts_ms or day_start(b, zone) != ends_ms:
        return 0
    return (b - a).days


def _instant(local: datetime, zone: str) -> int | None:
    """UTC ms of a wall time: the first where it exists twice, None where it does not exist."""
    aware = local.replace(tzinfo=zone_called(zone))
    before, after = aware.utcoffset(), aware.replace(fold=1).utcoffset()
    if before is None or after is None or before < after:  # a gap: PEP 495 reads fold 0 with the old offset
        return None
    return (local - before - _EPOCH) // timedelta(milliseconds=1)


def _stamp(text: str) -> datetime:
    """The naive date-time of an UNTIL; ValueError where there is no such day or time."""
    shape = "%Y%m%dT%H%M%S" if "T" in text else "%Y%m%d"
    return datetime.strptime(text.removesuffix("Z"), shape)  # noqa: DTZ007  its zone is told by the caller


def _until(text: str, zone: str) -> int | None:
    """The last instant at which an occurrence may start. A bare date stands for that whole local day."""
    if not text:
        return None
    stamp = _stamp(text)
    if text.endswith("Z"):
        return to_ms(stamp.replace(tzinfo=UTC))
    if "T" in text:
        return to_ms(resolve(stamp, zone))
    return day_start(stamp.date() + timedelta(1), zone) - 1


def moved(rrule: str, by: timedelta, start: datetime, old_zone: str, new_zone: str) -> str:
    """The rule of a series whose wall times all move by `by`, so that it starts at wall time `start`.

    UNTIL moves along, or the last occurrence would be lost; a weekly rule on one day follows to the new day.
    """
    parts = parse(rrule)
    if parts["FREQ"] == "WEEKLY" and parts.get("BYDAY") in DAY_NAMES:
        parts["BYDAY"] = DAY_NAMES[start.weekday()]
    until = parts.get("UNTIL", "")
    if until.endswith("Z"):
        local = wall(to_ms(_stamp(until).replace(tzinfo=UTC)), old_zone) + by
        parts["UNTIL"] = resolve(local, new_zone).astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    elif "T" in until:
        parts["UNTIL"] = (_stamp(until) + by).strftime("%Y%m%dT%H%M%S")
    elif until:
        days = start.date() - (start - by).date()
        parts["UNTIL"] = (_stamp(until) + days).strftime("%Y%m%d")
    return ";".join(f"{k}={v}" for k, v in parts.items())
