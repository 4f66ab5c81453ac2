"""Dates and times of day in prose, put together into instants.

A time of day belongs to the date that stands closest in its sentence (right beside it, or joined by `on`,
`at`, a comma, counts as touching); else to the last date before that sentence, else to the first in the
next one, else to the day the caller gives. A range (`4.30-5.30pm`) is one place in the text with two times.
A date that opens another offer (`… to 12pm or 17 Nov`, `… to 12pm, 17 Nov from 3pm`) takes no time from the offer
before it, unless it touches that time.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from errands.core.clock import zone
from errands.grading.compare.clocks import Clock, scan_clocks
from errands.grading.compare.dates import Order, scan_dates
from errands.grading.compare.folding import fold
from errands.grading.compare.spans import Found
from errands.grading.compare.times import Moment, instant

_BREAK = re.compile(r"[。！？!?\n]|\.(?=\s|$)")
_DATE_FIRST = re.compile(r"\s?(?:T|の|at|from|เวลา|الساعة|في تمام الساعة)?\s?", re.IGNORECASE)
_TIME_FIRST = re.compile(r"\s?(?:on|of|ของ|ใน|في|يوم)?\s?(?:วัน(?:ที่)?|يوم)?\s?", re.IGNORECASE)
_COMMA = re.compile(r"\s?[,;(|]\s?(?:at|from|on)?\s?", re.IGNORECASE)
_NEXT_OFFER = re.compile(  # between a time and the date of the next offer
    r"\W{0,3}(?:(?:or(?: else)?|and|&|/|\+|أو|او)\W+|"
    r"(?:หรือ(?:ไม่ก็)?|และ|または|又は|もしくは|あるいは|か|と|及び|および|또는|혹은|이나|나|및|와|과"
    r"|或者?是?|和|及|以及|與|、|و)\s?)(?:either )?(?:on |the |ใน|في )?\s?(?:วัน(?:ที่)?|يوم)?\s?",
    re.IGNORECASE,
)
_OWN_TIME = re.compile(  # between a date and the time behind it that is its own
    r"\s?,?\s?(?:T|の|at|from|between|เวลา|ตั้งแต่|الساعة|من(?: الساعة)?|في تمام الساعة|بين(?: الساعة)?)?\s?",
    re.IGNORECASE,
)


def find_times(
    text: str, zone_name: str, order: Order = "DMY", reference: date | None = None, day: date | None = None
) -> list[Found[Moment]]:
    """The instants that a text mentions, with spans (of the time of day) in `fold(text)`.

    `zone_name` (IANA) is meant where none is written; `reference` is the day of writing, which settles
    years left out, weekdays and today/tomorrow; `day` is the date of a time that stands without one. A time
    that cannot be resolved is listed without value.
    """
    here, folded = zone(zone_name), fold(text)
    dates = scan_dates(folded, order, reference)
    clocks = _outside(scan_clocks(folded), dates)
    breaks = _breaks(folded, [(d.start, d.end) for d in dates] + [(c.start, c.end) for c in clocks])
    placed = [(bisect_left(breaks, d.start), d) for d in dates]
    starts = [c.start for c in clocks]
    found: list[Found[Moment]] = []
    for unit in _units(clocks):
        sentence = bisect_left(breaks, unit[0].start)
        near = _date_of(folded, unit[0].start, unit[-1].end, sentence, placed, starts)
        on = near.value if near else day
        for clock in unit:
            value = instant(on, clock, here) if on else None
            found.append(Found(value, clock.start, clock.end, folded[clock.start : clock.end]))
    return found


def _outside(clocks: Iterable[Clock], dates: Sequence[Found[date]]) -> list[Clock]:
    return [c for c in clocks if not any(c.start < d.end and d.start < c.end for d in dates)]


def _units(clocks: list[Clock]) -> Iterator[list[Clock]]:
    unit: list[Clock] = []
    for clock in clocks:
        if unit and not clock.joined:
            yield unit
            unit = []
        unit.append(clock)
    if unit:
        yield unit


def _breaks(text: str, spans: list[tuple[int, int]]) -> list[int]:
    """Where sentences end; a full stop inside a date or time (`p.m.`, `พ.ย.`) ends none."""
    marks = (m.start() for m in _BREAK.finditer(text))
    return [at for at in marks if not any(start <= at < end for start, end in spans)]


def _date_of(
    text: str,
    start: int,
    end: int,
    sentence: int,
    placed: list[tuple[int, Found[date]]],
    starts: list[int],
) -> Found[date] | None:
    """The date that a time at `start`..`end` belongs to; `placed`: each date and its sentence's number; `starts`:
    where times begin."""
    same = [d for where, d in placed if where == sentence]
    if same:
        earlier = [d for d in same if d.end <= start]
        later = next((d for d in same if d.start >= end), None)
        if earlier and later and _opens(text, end, later, starts):
            same = earlier
        return min(same, key=lambda d: _distance(text, start, end, d))
    before = [d for where, d in placed if where < sentence]
    after = [d for where, d in placed if where == sentence + 1]
    return before[-1] if before else after[0] if after else None


def _opens(text: str, end: int, day: Found[date], starts: list[int]) -> bool:
    """Whether a date behind a time that ends at `end` begins another offer, and is not that time's own."""
    if _TIME_FIRST.fullmatch(text, end, day.start):
        return False
    if _NEXT_OFFER.fullmatch(text, end, day.start):
        return True
    n = bisect_left(starts, day.end)
    return n < len(starts) and _OWN_TIME.fullmatch(text, day.end, starts[n]) is not None


def _distance(text: str, start: int, end: int, day: Found[date]) -> tuple[int, int]:
    """How far a date is from a time: touching 0, behind a comma 1, else the characters between. Ties: the
    one before."""
    first = day.end <= start
    gap_start, gap_end = (day.end, start) if first else (end, day.start)
    touching = (_DATE_FIRST if first else _TIME_FIRST).fullmatch(text, gap_start, gap_end)
    if touching:
        return (0, not first)
    if _COMMA.fullmatch(text, gap_start, gap_end):
        return (1, not first)
    return (2 + gap_end - gap_start, not first)
