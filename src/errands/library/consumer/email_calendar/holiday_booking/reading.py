"""What was written about the series: the dates that a reply says fall out, the times and dates of an invitation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Any

from errands.core import clock
from errands.grading.compare.clocks import scan_clocks
from errands.grading.compare.dates import Order, scan_dates
from errands.grading.compare.folding import fold
from errands.grading.compare.texts import mentions_phrase
from errands.grading.compare.times import instant
from errands.grading.evidence import Change, Evidence
from errands.grading.meetings import Meeting
from errands.languages import packs
from errands.languages.pack import finds
from errands.languages.text import plain, under_headings

LONGEST = 5_000  # of a text that is read for dates and times


@dataclass(frozen=True)
class Series:
    """The one repeating event that was made, as it stands: its row, its occurrences, and who is invited."""

    row: dict[str, Any]
    spans: list[tuple[int, int]]
    people: list[set[str]]
    change: Change


def made(e: Evidence) -> list[Series]:
    """Every repeating event that the agent made and that stands."""
    out = []
    for ident, change in e.net("calendar_event").items():
        if change.before is None and change.after is not None and change.after["rrule"]:
            ids = [ident, *exceptions(e, ident)]
            spans = [
                (o["starts"], o["ends"]) for o in e.after("calendar_occurrence").values() if o["event"] in ids
            ]
            rows = e.after("calendar_attendee").values()
            people = [{a["email"] for a in rows if a["event"] == i} for i in ids]
            out.append(Series(change.after, sorted(spans), people, change))
    return out


def exceptions(e: Evidence, series: str) -> list[str]:
    """Occurrences of a series that have become events of their own."""
    return sorted(r["id"] for r in e.after("calendar_event").values() if r["series"] == series)


# ---- times -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Slot:
    """A weekly slot: its occurrences, where its user lives, and where else those live who are invited.

    `passed`: earlier times that were given to choose from and passed over.
    """

    spans: list[tuple[int, int]]
    zone: str
    elsewhere: tuple[str, ...]
    today: date
    order: Order
    languages: tuple[str, ...]
    passed: tuple[time, ...] = ()

    @property
    def first(self) -> date:
        """The date of the first occurrence."""
        return clock.from_ms(self.spans[0][0], self.zone).date()

    @property
    def dates(self) -> set[date]:
        """The dates of all occurrences."""
        return {clock.from_ms(a, self.zone).date() for a, _ in self.spans}

    @property
    def meeting(self) -> Meeting:
        """The first occurrence as a meeting, whose sentences rules can sort."""
        first = self.spans[0]
        return Meeting(*first, *first, self.zone, self.today, self.languages, self.order)

    def clocks(self, sentence: str, abroad: bool) -> list[str]:
        """What each time of day in a sentence is of this slot: `start`, `end`, `passed` over, or nothing.

        A time without a zone is the user's own, or (`abroad`) that of one who is invited.
        """
        zones = [clock.zone(z) for z in (self.zone, *(self.elsewhere if abroad else ()))]
        here = clock.zone(self.zone)
        starts, ends = {a for a, _ in self.spans}, {z for _, z in self.spans}
        out = []
        for c in scan_clocks(fold(sentence)):
            read = {m.ms for z in zones for d in self.dates if (m := instant(d, c, z))}
            wall = {clock.from_ms(m.ms, self.zone).time() for d in self.dates if (m := instant(d, c, here))}
            passed = bool(wall & set(self.passed))
            out.append("start" if read & starts else "end" if read & ends else "passed" if passed else "")
        return out

    def days(self, sentence: str) -> list[date | None]:
        """The dates that a sentence names; bare weekdays (every Monday) are none."""
        found = scan_dates(fold(sentence), self.order, self.today)
        return [f.value for f in found if _DATED.search(f.words)]

    def wrong(self, text: str, stated: bool = False) -> str:
        """What is wrong in an invitation, or nothing. `stated`: it carries date and time by itself.

        It names the first date and the time, no other time of day, and no time together with a date that is not
        one of the series alone.
        """
        if len(text) > LONGEST:
            return f"is longer than {LONGEST} characters"
        time_named = first_named = stated
        last = max(self.dates)
        for sentence in under_headings(text):
            clocks, days = self.clocks(sentence, abroad=True), self.days(sentence)
            asks = _aside(self, sentence)
            if set(clocks) - {"start", "end"} and not asks:
                return "names another time"
            if clocks and days and not set(days) & self.dates and not asks:
                return "gives a date that is not one of the series"
            time_named = time_named or "start" in clocks
            begins = next((d for d in days if d in self.dates and d != last), None)
            alone = set(days) <= self.dates  # where others fall out, the first may be one of those that do
            first_named = first_named or (begins == self.first and ("start" in clocks or alone))
        if not first_named:
            return "does not state the first date"
        return "" if time_named else "does not state the time"

    def told(self, text: str, title: str) -> tuple[bool, bool]:
        """Whether a text to the user gives the time of day, and whether it gives another one for the series."""
        right = rival = False
        for sentence in under_headings(text):
            clocks = set(self.clocks(sentence, abroad=False))
            right = right or ("start" in clocks and "" not in clocks)
            stray = bool(clocks) and not clocks & {"start", "end"}
            about = mentions_phrase(sentence, title) or self.meeting.moving(sentence)
            rival = rival or (stray and about and not self.meeting.aside(sentence))
        return right, rival


_DATED = re.compile(r"[0-9月월]")


def _aside(slot: Slot, sentence: str) -> bool:
    """Whether a sentence names a time only in passing, or as that by which an answer is wanted."""
    text = plain(sentence)
    return any(finds(p.times.answer_by, text) or finds(p.times.aside, text) for p in packs(slot.languages))


# ---- dates that fall out -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """A line of a reply that names dates: what stands before the first, and the dates in either reading."""

    label: str
    item: bool
    readings: tuple[frozenset[date], ...]

    def names(self, wanted: frozenset[date]) -> bool:
        """Whether it names exactly these dates."""
        return wanted in self.readings


_ITEM = re.compile(r"\s*(?:[-*•·|]|\d{1,2}[.)]\s)")
_BRACKETS = re.compile(r"[(\[（［][^()\[\]（）［］]*[)\]）］]")


def _line(text: str, order: Order, today: date) -> Line | None:
    """A line with dates, read as prose and as a field (11/9), with and without what stands in brackets.

    Weekends are passed over: a holiday that fell on one is named as the reason of the day in lieu.
    """
    item = _ITEM.match(text) is not None
    folded = fold(_ITEM.sub("", text, count=1) if item else text)
    brackets = [m.span() for m in _BRACKETS.finditer(folded)]
    readings: list[frozenset[date]] = []
    start = len(folded)
    for filled in (False, True):
        found = [f for f in scan_dates(folded, order, today, filled=filled) if _DATED.search(f.words)]
        outside = [f for f in found if not any(a < f.start and f.end < z for a, z in brackets)]
        for some in (found, outside):
            if some and all(f.value for f in some):
                days = frozenset(f.value for f in some if f.value and f.value.weekday() < 5)
                readings += [days] if days else []
                start = min(start, some[0].start)
    return Line(folded[:start].strip(" :*_"), item, tuple(dict.fromkeys(readings))) if readings else None


def left_out(text: str, wanted: Sequence[date], all_dates: Sequence[date], order: Order, today: date) -> str:
    """Whether a text names exactly these dates on a line or in a list: `right`, `rival` (it says otherwise too), or
    nothing.

    It says otherwise where another line with the same words before its dates names others, or where three lines or
    more mix dates that fall out with dates that stay.
    """
    want, every = frozenset(wanted), frozenset(all_dates)
    blocks: list[list[Line]] = [[]]
    for raw in text[: 4 * LONGEST].splitlines():
        line = _line(raw, order, today) if raw.strip() else None
        if line is None:
            blocks.append([])
        else:
            blocks[-1].append(line)
    lines = [line for block in blocks for line in block]
    right = [line for line in lines if line.names(want)]
    whole = any(_union(group) == want for block in blocks for group in _groups(block) if len(group) > 1)
    if not right and not whole:
        return ""
    labels = {line.label for line in right if line.label}
    others = [line for line in lines if line not in right]
    if any(line.label in labels for line in others):
        return "rival"
    mixed = [
        line for line in others if any(r & want and r & (every - want) and r != every for r in line.readings)
    ]
    return "rival" if len(mixed) > 2 else "right"


def _groups(block: list[Line]) -> list[list[Line]]:
    """The lines of a block as one list, and those of them that are marked as items."""
    return [block, [line for line in block if line.item]]


def _union(lines: Iterable[Line]) -> frozenset[date]:
    return frozenset().union(*(line.readings[0] for line in lines))
