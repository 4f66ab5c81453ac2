"""The dates that a reply says fall out, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from errands.grading.compare.clocks import scan_clocks
from errands.grading.compare.dates import Order, scan_dates
from errands.grading.compare.folding import fold
from errands.languages.text import sentences

from .reading import LONGEST
from .saying import says, stance

_DATED = re.compile(r"[0-9月월]")


@dataclass(frozen=True)
class Line:
    """A line of a reply that names dates: what stands before the first, the dates in either reading, the line above
    that names none, and the whole of it."""

    label: str
    item: bool
    readings: tuple[frozenset[date], ...]
    heading: str = ""
    words: str = ""

    def names(self, wanted: frozenset[date]) -> bool:
        """Whether it names exactly these dates."""
        return wanted in self.readings


_ITEM = re.compile(r"\s*(?:[-*•·|]|\d{1,2}[.)]\s)")
_BRACKETS = re.compile(r"[(\[（［][^()\[\]（）［］]*[)\]）］]")


def _line(text: str, order: Order, today: date, heading: str) -> Line | None:
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
    label = folded[:start].strip(" :*_")
    return Line(label, item, tuple(dict.fromkeys(readings)), heading, folded) if readings else None


def left_out(
    text: str,
    wanted: Sequence[date],
    all_dates: Sequence[date],
    order: Order,
    today: date,
    languages: Sequence[str] = ("en",),
) -> str:
    """Whether a text names exactly these dates on a line or in a list: `right`, `rival` (it says otherwise too), or
    nothing.

    A line that says of them that they stay counts for nothing. A text says otherwise where such a line stands beside a
    right one, where another line with the same words before its dates names others, where dates that stay are said to
    fall out, or where three lines or more mix dates that fall out with dates that stay.
    """
    want, every = frozenset(wanted), frozenset(all_dates)
    blocks: list[list[Line]] = [[]]
    heading = ""
    for raw in text[: 4 * LONGEST].splitlines():
        line = _line(raw, order, today, heading) if raw.strip() else None
        if line is None:
            blocks.append([])
            heading = raw if raw.strip() else heading
        else:
            blocks[-1].append(line)
    lines = [line for block in blocks for line in block]
    named = [line for line in lines if line.names(want)]
    right = [line for line in named if not _stays(line, languages)]
    lists = [
        group for block in blocks for group in _groups(block) if len(group) > 1 and _union(group) == want
    ]
    whole = [group for group in lists if stance(languages, group[0].heading) != "kept"]
    if not right and not whole:
        return ""
    labels = {line.label for line in right if line.label}
    others = [line for line in lines if line not in right]
    if any(line.label in labels for line in others) or len(right) < len(named) or len(whole) < len(lists):
        return "rival"
    if any(_adds(line, want, every, order, today, languages) for line in lines):
        return "rival"
    mixed = [
        line for line in others if any(r & want and r & (every - want) and r != every for r in line.readings)
    ]
    return "rival" if len(mixed) > 2 else "right"


def _stays(line: Line, languages: Sequence[str]) -> bool:
    """Whether a line says of its dates that they do not fall out: before the first of them, or else by denying it."""
    before = line.label or line.heading
    return stance(languages, before) == "kept" or (
        not line.label and says(languages, line.words, lambda r: r.not_out)
    )


def _adds(
    line: Line,
    want: frozenset[date],
    every: frozenset[date],
    order: Order,
    today: date,
    languages: Sequence[str],
) -> bool:
    """Whether a line says that a date that stays falls out: under such a heading, in words, or in a bracket."""
    kept = every - want
    if not line.label and _excludes(line.heading, languages):
        item = not _excused(line.words, languages) and not says(languages, line.words, lambda r: r.meet)
        if item and _dates(_BRACKETS.sub(" ", line.words), order, today) & kept:
            return True
    if _excludes(line.label or line.heading, languages):
        brackets = [m[0] for m in _BRACKETS.finditer(line.words) if says(languages, m[0], lambda r: r.also)]
        if any(_dates(bracket, order, today) & kept for bracket in brackets):
            return True
    for sentence in sentences(line.words):
        bare = _BRACKETS.sub(" ", sentence)
        named = _dates(bare, order, today) & every
        if not named & kept or _excused(bare, languages):
            continue
        first = next(iter(scan_dates(bare, order, today)))
        before = bare[: first.start]
        if _excludes(before if named & want else bare, languages) and not says(
            languages, bare, lambda r: r.meet, lambda r: r.begins, lambda r: r.span
        ):
            return True
    return False


def _excludes(words: str, languages: Sequence[str]) -> bool:
    return stance(languages, words) == "out"


def _excused(words: str, languages: Sequence[str]) -> bool:
    """Whether words speak of an older notice, of times of day, or deny that dates fall out."""
    return bool(scan_clocks(words)) or says(languages, words, lambda r: r.former, lambda r: r.not_out)


def _dates(text: str, order: Order, today: date) -> frozenset[date]:
    found = scan_dates(text, order, today)
    return frozenset(f.value for f in found if f.value and _DATED.search(f.words))


def _groups(block: list[Line]) -> list[list[Line]]:
    """The lines of a block as one list, and those of them that are marked as items."""
    return [block, [line for line in block if line.item]]


def _union(lines: Iterable[Line]) -> frozenset[date]:
    return frozenset().union(*(line.readings[0] for line in lines))
