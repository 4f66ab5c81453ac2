"""How an agenda is read: its topics, its time, whom it names, and what it leaves `unresolved`."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date

from errands.grading.us_times import instants, undotted
from errands.languages.text import fold, under_headings

TOPICS = {
    "battery prototype": r"batter(?:y|ies)",
    "shipping": r"ship(?:ping|ments?|ped)?",
    "dial colors": r"dials?|dial colou?rs?",
    "engraving": r"engrav\w+",
    "carton sizes": r"cartons?",
    "recycling marks": r"recycl\w+",
    "wax seals": r"wax(?:[- ]seals?)?",
    "ribbons": r"ribbons?",
    "price list": r"pric(?:e|es|ing)",
    "press photos": r"photos?|photographs?",
    "balloons": r"balloons?",
    "quiz night": r"quiz(?:zes)?",
    "return rates": r"returns?",
    "spare parts": r"spares?|spare[- ]parts?",
    "hold music": r"(?:hold )?music",
    "badges": r"badges?",
}
_WORD = {name: re.compile(rf"\b(?:{p})\b") for name, p in TOPICS.items()}
# What such a line names is not on the agenda.
_OUT = re.compile(
    r"\b(?:not (?:on|part|included|covered|for this)|excluded|excluding|left out|leave out|out of scope)\b"
)
# What is wrong and stands in such a line is told of another time.
_ASIDE = re.compile(
    r"\b(?:not|last (?:time|month|meeting|review)|previous(?:ly)?|earlier|october|instead of|rather than"
    r"|no longer|older|different (?:meeting|note)|unrelated|don't|cancell?ed|moved from|usual(?:ly)?"
    r"|originally|was|were|already)\b"
)
_UNRESOLVED = re.compile(r"\bunresolved\b")
_TIME = re.compile(r"\b(?:time|times|date|day|when|schedule\w*|hour|start\w*|slot|date/time|zone)\b")
_PERSON = re.compile(
    r"\b(?:with|who|whom|person|persons|people|participants?|attendees?|attend\w*|organi[sz]er|contact"
    r"|counterpart|host|guests?|invitees?|name|present|meeting partner|partner)\b"
)
# Mark-up, and minutes into the meeting ("0:05").
_BESIDE = re.compile(r"[*_`]+|\b0{1,2}:\d\d\b(?:\s?-\s?0{1,2}:\d\d\b)?")


def _lines(text: str, without: re.Pattern[str] | None = None) -> str:
    """An agenda without the lines that leave something out, or that such a pattern finds."""
    bare = _BESIDE.sub(" ", undotted(text))
    lines = [line for line in bare.splitlines() if not _OUT.search(fold(line))]
    return "\n".join(line for line in lines if without is None or not without.search(fold(line)))


def topics(text: str, rivals: Collection[str]) -> frozenset[str]:
    """The topics that an agenda names; `rivals` only where it does not set them aside."""
    out: set[str] = set()
    for line in under_headings(_lines(text)):
        low = fold(line)
        aside = bool(_ASIDE.search(low))
        out |= {n for n, word in _WORD.items() if word.search(low) and not (aside and n in rivals)}
    return frozenset(out)


def people(text: str, names: Collection[str], right: str) -> frozenset[str]:
    """Those of these people whom an agenda names, by first or last name; others than `right` only where it does not
    set them aside."""
    kept = {True: _lines(text), False: _lines(text, _ASIDE)}
    return frozenset(
        n for n in names if any(re.search(rf"\b{part}\b", kept[n == right]) for part in n.split())
    )


@dataclass(frozen=True, slots=True)
class When:
    """Whether the right instant is named; whether with a zone; whether a time outside the meeting is."""

    right: bool
    zoned: bool
    rival: bool


def when(text: str, zones: Sequence[str], today: date, starts: int, ends: int) -> When:
    """What an agenda says of the time of a meeting (UTC ms); items inside it may have times of their own."""
    found = [t for t in instants(_lines(text), zones, today) if t.may_be]
    loose = [t for t in instants(_lines(text, _ASIDE), zones, today, named=frozenset()) if t.may_be]
    right = [t for t in found if starts in t.may_be]
    rival = any(not any(starts <= ms <= ends for ms in t.may_be) for t in loose)
    return When(bool(right), any(t.zoned for t in right), rival)


def left_open(text: str) -> tuple[bool, bool]:
    """Whether an agenda says `unresolved` for the time, and for the person."""
    time = person = False
    for line in under_headings(text):
        low = fold(line)
        if _UNRESOLVED.search(low):
            if len(_UNRESOLVED.findall(low)) > 1:
                return True, True
            about_time, about_person = bool(_TIME.search(low)), bool(_PERSON.search(low))
            time, person = time or about_time or not about_person, person or about_person
    return time, person


def names_time(text: str, zones: Sequence[str], today: date) -> bool:
    """Whether an agenda names a time of day at all."""
    return bool(instants(_lines(text, _ASIDE), zones, today, named=frozenset()))
