"""Times as people in the United States write them in prose: `3 PT`, `Wednesday at 3`, `next Tuesday, 11 a.m. Eastern`.

The comparators know dates, clocks and the zones of the six markets; such words are first spelled as they read them.
A bare hour after `at` is one of the day (one to six and twelve: afternoon; seven to eleven: morning).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from errands.grading.compare.dates import find_dates
from errands.grading.compare.folding import fold
from errands.grading.compare.moments import find_times

# A word that means something else too ("a central point") is a zone where it is written as a name, before "time", or
# right behind a clock.
_ZONES = {
    "America/Los_Angeles": ("pacific", "P[SD]?T"),
    "America/Denver": ("mountain", "M[SD]?T"),
    "America/Chicago": ("central", "C[SD]?T"),
    "America/New_York": ("eastern", "E[SD]?T"),
    "UTC": ("coordinated universal|greenwich mean|zulu", "UTC|GMT"),
}
_MORE = r"(?:[ -](?i:standard|daylight))?(?:[ -](?i:time))?"
_NAMED = {
    name: re.compile(
        rf"(?<![\w/])(?:(?i:us|u\.s\.)[ /])?(?:(?i:{word})(?=[ -](?i:standard|daylight|time)\b)"
        rf"|(?<=[\dmM.] )(?i:{word})|(?<=[(]){word.title()}|(?<!\. ){word.title()}|{short}){_MORE}(?![\w/]|[+-]\d)"
    )
    for name, (word, short) in _ZONES.items()
}
_ZONE = re.compile(r"\b(?:America/[A-Z]\w+|UTC)(?![\w/]|\s?[+-]\s?\d)")
_BEHIND = re.compile(r"(?<=[\dmM.])(?:\s*[,(\[]\s*|\s+)(?=(?:America/[A-Z]\w+|UTC)\b)")
_OFFSET_ZERO = re.compile(r"(?:UTC|GMT)\s?[+-]\s?0{1,2}(?::?00)?(?!\d)")
_WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
_COMING = re.compile(
    rf"\b(?:this coming|next|this|coming|upcoming|the following)\s+(?={_WEEKDAY}\b)", re.IGNORECASE
)
_MARKS = re.compile(r"\*+|`+|(?<!\w)_+|_+(?!\w)|^\s*(?:#+|>)\s*", re.MULTILINE)
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve"
_WORDS = {w: n for n, w in enumerate(_NUMBERS.split(), 1)}
_HOUR = rf"(1[0-2]|[1-9]|{'|'.join(_WORDS)})"
_NOT_BARE = (
    r"(?![\w:/%$]|\.\d|\s?(?:[ap]\.?m\b|hrs?\b|hours?\b|min|people|days?\b|weeks?\b|o'clock|in the\b|-\s?\d))"
)
_AT = re.compile(rf"(\bat |@ ?)(?:about |around )?{_HOUR}{_NOT_BARE}", re.IGNORECASE)
_FROM_TO = re.compile(rf"\b(from |between ){_HOUR} ?(to|until|till|and|-) ?{_HOUR}{_NOT_BARE}", re.IGNORECASE)
_CLOCK = re.compile(rf"\b{_HOUR} ?o'clock(?: in the (morning|afternoon|evening))?", re.IGNORECASE)
_PART = re.compile(rf"\b{_HOUR}(:\d\d)? in the (morning|afternoon|evening)\b", re.IGNORECASE)


_DOTTED = re.compile(
    r"\b([apAP])\. ?[mM]\.(?=\s*(?:[a-z0-9,;:)-]"
    rf"|(?i:pacific|mountain|central|eastern|utc|gmt|[pmce][sd]?t|{_WEEKDAY})\b))"
)


def undotted(text: str) -> str:
    """`3 p.m. Pacific` as `3 pm Pacific`: a full stop that ends no sentence is none, for who cuts sentences."""
    return re.sub(r"\b([ap])\. ?m\.", r"\1m.", _DOTTED.sub(r"\1m", fold(text)), flags=re.IGNORECASE)


def spelled(text: str) -> str:
    """The text folded, without mark-up, with zones by their IANA name and bare hours with their half of the day."""
    out = re.sub(r"[ \t|]+", " ", _MARKS.sub("", fold(text)))
    out = _OFFSET_ZERO.sub("UTC", out)
    for name, word in _NAMED.items():
        out = word.sub(name, out)
    out = _BEHIND.sub(" ", _COMING.sub("", out))
    out = _PART.sub(lambda m: _half(m[1], m[3], m[2] or ""), out)
    out = _CLOCK.sub(lambda m: _half(m[1], m[2]), out)
    out = _FROM_TO.sub(lambda m: f"{m[1]}{_half(m[2])} to {_half(m[4])}", out)
    return _AT.sub(lambda m: f"{m[1]}{_half(m[2])}", out)


def _half(hour: str, part: str | None = None, minutes: str = "") -> str:
    n = int(hour) if hour.isdigit() else _WORDS[hour.lower()]
    late = part != "morning" if part else n == 12 or n < 7
    return f"{n}{minutes} {'pm' if late else 'am'}"


def zones(text: str) -> frozenset[str]:
    """The zones that a text names (IANA)."""
    return frozenset(_ZONE.findall(spelled(text)))


@dataclass(frozen=True, slots=True)
class Told:
    """A time of day in a text: the instants that it may mean (UTC ms; none where it cannot be resolved), whether its
    zone is written, and its span in `spelled(text)`."""

    may_be: frozenset[int]
    zoned: bool
    start: int
    end: int


def instants(
    text: str,
    zone_names: Sequence[str],
    today: date,
    days: Sequence[date] = (),
    named: frozenset[str] | None = None,
) -> list[Told]:
    """The times that a text names, in order.

    `zone_names`: those that may be meant where none is written; where the text (or `named`, what is written elsewhere)
    names exactly one, it is meant, and the time counts as zoned. `days`: dates that a time without one may belong to.
    """
    words = spelled(text)
    known = named if named is not None else zones(text)
    meant = tuple(known) if len(known) == 1 else tuple(zone_names)
    readings = [find_times(words, where, "MDY", today, day) for where in meant for day in (days or (None,))]
    out = []
    for same in zip(*readings, strict=True):
        found = [f.value for f in same if f.value is not None]
        zoned = len(known) == 1 or any(v.zoned for v in found)
        out.append(Told(frozenset(v.ms for v in found), zoned, same[0].start, same[0].end))
    return out


@dataclass(frozen=True, slots=True)
class Day:
    """A day in a text (None where it cannot be resolved), with its span in `spelled(text)`."""

    value: date | None
    start: int
    end: int


def days(text: str, today: date) -> list[Day]:
    """The days that a text names: dates, and weekdays as the coming ones."""
    return [Day(f.value, f.start, f.end) for f in find_dates(spelled(text), "MDY", today)]
