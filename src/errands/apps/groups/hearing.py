"""Which days and times a message to a group names: "Tuesday at 14:00", "Tue 14", "2 pm on Tuesday", "Mon or Wed 9:30".

Zones are not read: members take a time as theirs where it is one of theirs in UTC or where one of them lives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from errands.languages.text import fold

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAY = re.compile(
    r"\b(mon(?:days?)?|tues?(?:days?)?|wed(?:s|nesdays?)?|thu(?:rs?(?:days?)?)?|fri(?:days?)?|sat(?:urdays?)?|sun(?:days?)?)\b"
)
_TIME = re.compile(
    r"(?<![\d:.+-])(?P<h>[01]?\d|2[0-3])(?:[:.h](?P<m>[0-5]\d))?\s?(?P<half>[ap]\.?m\b)?(?P<marked>\s?(?:h|hrs|o'clock|utc|gmt)\b)?"
    r"(?![\d:]|(?:st|nd|rd|th)\b)"
)
_MONTH = re.compile(r"\s*(?:st|nd|rd|th)?\s?(?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)")
_AT = re.compile(r"[\s,]*(?:at|@|from|-|,)?\s*$")


@dataclass(frozen=True, slots=True)
class Named:
    """Weekdays (Monday 0), and times as (weekday, minutes since midnight)."""

    days: frozenset[int]
    times: frozenset[tuple[int, int]]


def named(text: str) -> Named:
    """The days and times that a message names. A time belongs to the day before it in its sentence, else to the one
    right behind it."""
    days: set[int] = set()
    times: set[tuple[int, int]] = set()
    for sentence in re.split(r"(?<=[.!?])\s+(?=\D)|\n+|;", fold_lines(text)):
        at = [(m.start(), m.end(), _DAYS.index(m[1][:3])) for m in _DAY.finditer(sentence)]
        days |= {d for _, _, d in at}
        for m in _TIME.finditer(sentence):
            before = [d for d in at if d[1] <= m.start()]
            after = [d for d in at if d[0] >= m.end()]
            near = before[-1] if before else after[0] if after else None
            if near is None or not _is_time(sentence, m, near):
                continue
            hour = int(m["h"])
            if m["half"]:
                hour = hour % 12 + (12 if m["half"][0] == "p" else 0)
            times.add((near[2], hour * 60 + int(m["m"] or 0)))
    return Named(frozenset(days), frozenset(times))


def fold_lines(text: str) -> str:
    """Text as it is compared, line by line."""
    return "\n".join(fold(line) for line in text.splitlines())


def _is_time(sentence: str, m: re.Match[str], day: tuple[int, int, int]) -> bool:
    """Whether a number is a time of day: written as one, or right behind the day and no date."""
    if _MONTH.match(sentence, m.end()):
        return False
    if m["m"] or m["half"] or m["marked"]:
        return True
    return day[1] <= m.start() and _AT.fullmatch(sentence, day[1], m.start()) is not None
