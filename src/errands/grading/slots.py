"""Days of one week with a time, in prose: "Tuesday 14", "Tue, 24 Nov at 2 pm UTC", "14:00 UTC on Tuesday".

A time belongs to the day before it in its sentence, else to the one right behind it. A time without a zone is meant in
the one that is given. Only what is written as a time, or stands right behind a day, is one: "Tuesday 14" is, "Tuesday
24 November" and "14 people" are not. The end of a range is no time of its own.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, timezone, tzinfo

from errands.core import clock
from errands.languages.text import fold

LONGEST = 4_000  # characters of one sentence
LOCAL = "local"  # a time that is said to be somebody's own, no zone named
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAY = (
    r"\b(?P<wd>mon(?:days?)?|tues?(?:days?)?|wed(?:s|nesdays?)?|thu(?:rs?(?:days?)?)?|fri(?:days?)?"
    r"|sat(?:urdays?)?|sun(?:days?)?)\b\.?"
)
_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)"
_ORDINAL = r"(?:st|nd|rd|th)"


def _date(n: str) -> str:
    """A date, its parts under names that end in `n`: d for the day, m for the month."""
    return (
        rf"(?:(?:the )?(?P<d1{n}>\d{{1,2}}){_ORDINAL}?(?: of)? (?P<m1{n}>{_MONTH})[a-z]*\.?"
        rf"|(?P<m2{n}>{_MONTH})[a-z]*\.? (?P<d2{n}>\d{{1,2}}){_ORDINAL}?(?![:\d])"
        rf"|\d{{4}}-(?P<m3{n}>\d\d)-(?P<d3{n}>\d\d)"
        rf"|(?P<m4{n}>\d{{1,2}})/(?P<d4{n}>\d{{1,2}})(?![\d:])(?:/\d{{2,4}})?)(?:,? \d{{4}}\b(?!:))?"
    )


_LOOSE = rf"(?:the )?(?P<d5>\d{{1,2}})(?:{_ORDINAL}\b|(?=,? (?:at |@ ?)?\d{{1,2}}(?::\d\d| ?[ap]\.?m\b)))"
_DAY = re.compile(rf"{_WEEKDAY}(?:,? ?\(?(?:{_date('x')}|{_LOOSE})\)?)?|(?<![\d:/-]){_date('y')}")
_TIME = re.compile(
    r"(?<![\d:.+/-])(?:(?P<h>[01]?\d|2[0-3])(?:[:.h](?P<m>[0-5]\d)(?:h|:00)?)?"
    r"|(?P<h4>[01]\d|2[0-3])(?P<m4>[0-5]\d)(?=\s?(?:utc|gmt|z\b|h\b|hrs)))"
    r"(?:\s?(?P<half>[ap]\.?\s?m\b)\.?)?(?P<mark>\s?(?:hrs?|h|hours|o'clock)\b)?"
    r"(?![\d:]|/\d|\.\d|(?:st|nd|rd|th)\b| ?%)"
    r"|\b(?P<noon>noon|midday)\b"
)
_NAMED = {
    "cet": "Europe/Berlin", "cest": "Europe/Berlin", "berlin": "Europe/Berlin", "est": "America/New_York",
    "edt": "America/New_York", "eastern": "America/New_York", "et": "America/New_York", "new york": "America/New_York",
    "pst": "America/Los_Angeles", "pdt": "America/Los_Angeles", "pacific": "America/Los_Angeles",
    "pt": "America/Los_Angeles", "los angeles": "America/Los_Angeles", "wet": "Europe/Lisbon", "west": "Europe/Lisbon",
    "lisbon": "Europe/Lisbon", "london": "Europe/London",
}  # fmt: skip
_PLACE = "|".join([*sorted(_NAMED, key=len, reverse=True), "[a-z]+/[a-z_]+"])
_ZONE = re.compile(
    r"\s?[(\[]?(?:(?:utc|gmt)\s?(?P<sign>[+-])\s?(?P<off>\d{1,2})(?::(?P<min>\d\d))?"
    r"|(?P<utc>utc|gmt|z|zulu|coordinated universal time|universal time)"
    rf"|(?:in |at )?(?P<name>{_PLACE})"
    r"|(?:(?:in |at )?(?:\w+'s|his|her|my|their|your|the)? ?(?P<local>local|own))(?: time)?"
    r"|(?:his|her|my|their|your|\w+'s) (?P<mine>time))"
    r"(?: (?:standard |daylight )?time)?\b[)\]]?"
)
_RANGE = re.compile(r"\s?(?:-|to|until|till)\s?")
_TAIL = re.compile(r"-\d{1,2}(?::\d\d)?(?!\d)")
_BESIDE = re.compile(r"[\s,]*(?:at|@|from|-|,|:|t|\()?\s*")
_AND = re.compile(r"\s*(?:,|or|and|/|&|, or|, and|or at|and at)\s*")


@dataclass(frozen=True, slots=True)
class Slot:
    """A day, with a time or without: where it stands in `fold(sentence)`, its date (None: another week's), its start
    (UTC ms; None where no time, or no day of the week is given), the zone as written ("" where none is)."""

    start: int
    end: int
    day: date | None
    starts: int | None
    zone: str = ""


@dataclass(frozen=True, slots=True)
class _Time:
    """A time of day as found: where, its minutes since midnight, the zone as written, and the number of its day."""

    start: int
    end: int
    minute: int
    zone: str
    day: int


@dataclass(frozen=True, slots=True)
class _Day:
    start: int
    end: int
    value: date | None


def find_slots(sentence: str, monday: date, zone: str = "UTC") -> list[Slot]:
    """The slots that one sentence names, in order, and days that stand without a time; `monday` begins the week.

    A sentence of more than `LONGEST` characters is read that far.
    """
    text = fold(sentence[:LONGEST])
    days = [_Day(m.start(), m.end(), _day(m, monday)) for m in _DAY.finditer(text)]
    times = _times(text, days)
    out: list[Slot] = []
    timed: set[int] = set()
    for t in times:
        day = days[t.day]
        start = t.start if t.day in timed else min(t.start, day.start)
        timed.add(t.day)
        out.append(Slot(start, t.end, day.value, _starts(day.value, t.minute, t.zone or zone), t.zone))
    out += [Slot(d.start, d.end, d.value, None) for n, d in enumerate(days) if n not in timed]
    return sorted(out, key=lambda x: x.start)


def _times(text: str, days: list[_Day]) -> list[_Time]:
    starts = [d.start for d in days]
    times: list[_Time] = []
    for m in _TIME.finditer(text):
        n = bisect_right(starts, m.start()) - 1  # the last day that begins before it
        if n >= 0 and m.end() <= days[n].end:
            continue
        near = n if n >= 0 else 0
        if not days or not _is_time(text, m, days[near], times):
            continue
        end, where = _zone(text, m.end())
        if times and _RANGE.fullmatch(text, times[-1].end, m.start()):
            times[-1] = replace(times[-1], end=end, zone=times[-1].zone or where)
            continue
        if (
            not where
            and times
            and times[-1].zone
            and text[max(0, m.start() - 3) : m.start()].rstrip().endswith("(")
        ):
            where = LOCAL  # "14:00 UTC (15:00 for Mira)"
        times.append(_Time(m.start(), end, _minute(m), where, near))
    return times


def _day(m: re.Match[str], monday: date) -> date | None:
    got: Mapping[str, str | None] = m.groupdict()
    number = next((int(v) for k, v in got.items() if k[0] == "d" and v), None)
    month = next((v for k, v in got.items() if k[0] == "m" and v), None)
    named = None if month is None else int(month) if month.isdigit() else _MONTHS.index(month[:3]) + 1
    days = [monday + timedelta(n) for n in range(7)]
    if got["wd"]:
        day = days[_DAYS.index(got["wd"][:3])]
        fits = number in (None, day.day) and named in (None, day.month)
        return day if fits else None
    return next((d for d in days if d.day == number and named == d.month), None)


def _is_time(text: str, m: re.Match[str], day: _Day, times: list[_Time]) -> bool:
    if m["noon"] or m["m"] or m["h4"] or m["half"] or m["mark"] or _zone(text, m.end())[1]:
        return True
    if day.end <= m.start() and _BESIDE.fullmatch(text, day.end, m.start()):
        return True
    return bool(times) and _AND.fullmatch(text, times[-1].end, m.start()) is not None


def _minute(m: re.Match[str]) -> int:
    if m["noon"]:
        return 12 * 60
    hour, past = int(m["h"] or m["h4"]), int(m["m"] or m["m4"] or 0)
    if m["half"] and hour <= 12:
        hour = hour % 12 + (12 if m["half"][0] == "p" else 0)
    return hour * 60 + past


def _zone(text: str, at: int) -> tuple[int, str]:
    """Where a zone behind a time ends, and what it is: a name of `_NAMED`'s, an offset, `UTC`, `LOCAL` or nothing."""
    tail = _TAIL.match(text, at)
    m = _ZONE.match(text, tail.end() if tail else at)
    if m is None:
        return at, ""
    if m["utc"]:
        return m.end(), "UTC"
    if m["sign"]:
        return m.end(), f"{m['sign']}{int(m['off']):02}:{m['min'] or '00'}"
    if m["name"]:
        known = _NAMED.get(m["name"]) or "/".join(p.title() for p in m["name"].split("/"))
        return m.end(), known
    return m.end(), LOCAL


def _starts(day: date | None, minute: int, zone: str) -> int | None:
    if day is None or zone == LOCAL:
        return None
    local = datetime.combine(day, time(minute // 60, minute % 60))
    if zone[0] in "+-":
        hours, minutes = int(zone[1:3]), int(zone[4:])
        where: tzinfo = timezone(timedelta(minutes=(hours * 60 + minutes) * (-1 if zone[0] == "-" else 1)))
        return clock.to_ms(local.replace(tzinfo=where))
    try:
        return clock.to_ms(clock.resolve(local, zone))
    except ValueError:
        return None
