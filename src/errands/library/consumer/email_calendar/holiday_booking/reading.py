"""What was written about the series: the times and dates of invitations, and the time that the user was told."""

from __future__ import annotations

import re
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

from .saying import called_off, lengths, other_weekday, says, stance

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

    `passed`: earlier times that were given to choose from and passed over; `missing`: dates that fall out.
    """

    spans: list[tuple[int, int]]
    zone: str
    elsewhere: tuple[str, ...]
    today: date
    order: Order
    languages: tuple[str, ...]
    passed: tuple[time, ...] = ()
    missing: frozenset[date] = frozenset()

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

        It names the first date and the time, and nothing that is not so of the series (`rival`).
        """
        if rival := self.rival(text):
            return rival
        time_named = first_named = stated
        last = max(self.dates)
        for sentence in under_headings(_own(text)):
            clocks, days = self.clocks(sentence, abroad=True), self.days(sentence)
            time_named = time_named or "start" in clocks
            begins = next((d for d in days if d in self.dates and d != last), None)
            alone = set(days) <= self.dates  # where others fall out, the first may be one of those that do
            first_named = first_named or (begins == self.first and ("start" in clocks or alone))
        if not first_named:
            return "does not state the first date"
        return "" if time_named else "does not state the time"

    def rival(self, text: str, passed: bool = False) -> str:
        """What a message says of the series that is not so: another time, date, weekday or length, or that there is
        none. `passed`: times that were passed over may be told."""
        if len(text) > LONGEST:
            return f"is longer than {LONGEST} characters"
        bare: set[date] = set()
        for sentence in under_headings(_own(text)):
            clocks, days = self.clocks(sentence, abroad=True), self.days(sentence)
            if not _aside(self, sentence):
                odd = self._odd_date(sentence, clocks, days)
                if set(clocks) - {"start", "end", *(["passed"] if passed else [])}:
                    return "names another time"
                if odd:
                    return odd
                bare |= self._alone(sentence) if "start" in clocks else set()
            if odd := self._odd(sentence, clocks, days):
                return odd
        return "gives another first date" if bare and self.first not in bare else ""

    def _odd_date(self, sentence: str, clocks: list[str], days: list[date | None]) -> str:
        """What is wrong with the dates of a sentence."""
        kept, said = set(days) & self.dates, self.languages
        if clocks and days and not kept:
            return "gives a date that is not one of the series"
        excused = says(said, sentence, lambda r: r.out, lambda r: r.free, lambda r: r.span)
        if set(days) & self.missing and not excused and (clocks or stance(said, sentence) == "kept"):
            return "gives a date that falls out"
        ends = max((d for d in days if d), default=self.first)
        if (
            "start" in clocks
            and ends > max(self.dates | self.missing)
            and says(said, sentence, lambda r: r.span)
        ):
            return "gives a date after the last"
        begins = "start" in clocks and says(said, sentence, lambda r: r.begins)
        return "gives another first date" if begins and kept and self.first not in kept else ""

    def _odd(self, sentence: str, clocks: list[str], days: list[date | None]) -> str:
        """What is wrong with the weekday, the length or the standing of the series in a sentence."""
        said = self.languages
        of_it = "start" in clocks or says(said, sentence, lambda r: r.meet, lambda r: r.begins)
        if of_it and other_weekday(said, sentence, self.first.weekday()):
            return "gives another weekday"
        if says(said, sentence, lambda r: r.fortnight):
            return "says that it is not every week"
        given, minutes = lengths(said, sentence), (self.spans[0][1] - self.spans[0][0]) // 60_000
        if says(said, sentence, lambda r: r.weekly) and given and minutes not in (*given, sum(given)):
            return "gives another length"
        if not days and called_off(said, sentence):
            return "says that it was called off"
        return "says that nobody is invited" if says(said, sentence, lambda r: r.uninvited) else ""

    def _alone(self, sentence: str) -> set[date]:
        """The date of the series that makes up a sentence together with a time of day."""
        folded = fold(sentence)
        found = [f for f in scan_dates(folded, self.order, self.today) if _DATED.search(f.words)]
        spans = [(f.start, f.end) for f in found] + [(c.start, c.end) for c in scan_clocks(folded)]
        rest = [c for n, c in enumerate(folded) if c.isalpha() and not any(a <= n < z for a, z in spans)]
        dates = {f.value for f in found if f.value in self.dates}
        return {d for d in dates if d} if len(dates) == 1 and len(rest) <= 3 else set()

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


_QUOTED = re.compile(r"^\s*>.*$", re.MULTILINE)


def _own(text: str) -> str:
    """A text without the lines that it quotes."""
    return _QUOTED.sub("", text)


_DATED = re.compile(r"[0-9月월]")


def _aside(slot: Slot, sentence: str) -> bool:
    """Whether a sentence names a time only in passing, or as that by which an answer is wanted."""
    text = plain(sentence)
    return any(finds(p.times.answer_by, text) or finds(p.times.aside, text) for p in packs(slot.languages))
