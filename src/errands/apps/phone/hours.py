"""Hours of the day as people say and write them: 18:30, 6.30 pm, 1830, half past six, a quarter to eight."""

from __future__ import annotations

import re
from dataclasses import dataclass

from errands.languages.text import fold

_SPELT = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
NUMBERS = {word: n for n, word in enumerate(_SPELT)}
_WORD = "|".join(list(NUMBERS)[1:])
_PART = r"(?:\s?(?P<half>a\.?\s?m\b\.?|p\.?\s?m\b\.?)|\s(?:o'?clock\s)?in the (?P<time>morning|evening|afternoon))?"
_MINUTES = {
    "oh five": 5, "o five": 5, "five": 5, "ten": 10, "fifteen": 15, "twenty": 20, "twenty five": 25, "thirty": 30,
    "thirty five": 35, "forty": 40, "forty five": 45, "fifty": 50, "fifty five": 55,
}  # fmt: skip
_SOME = "|".join(w.replace(" ", "[ -]") for w in sorted(_MINUTES, key=len, reverse=True) if w != "five")
_NO_NUMBER = r"(?<![\w.:,/+$#-])"
_PATTERNS = (
    rf"{_NO_NUMBER}(?P<h>[01]?\d|2[0-3])\s?[:.h]\s?(?P<m>[0-5]\d)(?!\d|[:.]\d|%){_PART}",
    rf"{_NO_NUMBER}(?P<h>[01]\d|2[0-3])(?P<m>00|15|30|45)(?:\s?h(?:ou)?rs?)?(?![\w%-]|[:.]\d){_PART}",
    rf"{_NO_NUMBER}(?P<h>[01]\d|2[0-3])(?P<m>[0-5]\d)\s?h(?:ou)?rs?\b",
    rf"\bhalf (?:past )?(?P<hw>{_WORD}|\d{{1,2}})\b(?! (?:of|an?|hours?)\b){_PART}",
    rf"\b(?:a )?quarter (?P<side>past|after|to|before|of|till?) (?P<hw>{_WORD}|\d{{1,2}})\b{_PART}",
    rf"\b(?P<mw>five|ten|twenty|twenty[- ]five)(?: minutes)? (?P<side>past|after|to|before) (?P<hw>{_WORD})\b{_PART}",
    rf"\b(?P<hw>{_WORD})[ -](?P<mw>{_SOME})\b(?! (?:seats?|people|persons?|places?|guests?)\b){_PART}",
    rf"\b(?P<hw>{_WORD}|(?<![\d:.])\d{{1,2}})\s?o'?clock\b{_PART}",
    rf"{_NO_NUMBER}(?P<h>\d{{1,2}})\s?(?P<half>a\.?m\b\.?|p\.?m\b\.?)",
    rf"\b(?P<hw>{_WORD})\s(?P<half>a\.?m\b\.?|p\.?m\b\.?)",
    rf"\b(?P<hw>{_WORD}|(?<![\d:.])\d{{1,2}}) in the (?P<time>morning|evening|afternoon)\b",
    rf"{_NO_NUMBER}(?P<h>1\d|2[0-3])\s?h(?:rs?)?\b",
    rf"\b(?:at|by|until|till|around|about|before|after|from|than|past|say) (?P<hw>{_WORD}|(?<![\d:.])\d{{1,2}})\b"
    r"(?!\s?(?:seats?|people|persons?|places?|guests?|of us|%|tables?|left|options?|times?|[:.]\d|minutes?|hours?"
    r"|-?\d))"
    rf"{_PART}",
)
_ALL = tuple(re.compile(p) for p in _PATTERNS)
_AFTER_A_WORD = _ALL[-1]  # "at six": what stands before the hour belongs to the sentence


@dataclass(frozen=True, slots=True)
class Hour:
    """An hour as said: where it stands in `fold(text)`, and minutes since midnight."""

    start: int
    end: int
    minute: int


def find_hours(text: str) -> list[Hour]:
    """The hours that a text names, in order. Without am or pm, one before noon is one of the evening."""
    folded = fold(text)
    found: list[Hour] = []
    for pattern in _ALL:
        for m in pattern.finditer(folded):
            start = m.start("hw") if pattern is _AFTER_A_WORD else m.start()
            minute = _minute(m)
            if minute is not None and not any(start < f.end and f.start < m.end() for f in found):
                found.append(Hour(start, m.end(), minute))
    return sorted(found, key=lambda f: f.start)


def _minute(m: re.Match[str]) -> int | None:
    got = {k: v for k, v in m.groupdict().items() if v is not None}
    spoken = got.get("hw", "")
    hour = NUMBERS[spoken] if spoken in NUMBERS else int(spoken or got["h"])
    minute = _past(got, m[0])
    if got.get("side") in ("to", "before", "of", "till", "til"):
        hour, minute = hour - 1, 60 - minute
    part = got.get("half", "")[:1] or {"morning": "a", "": ""}.get(got.get("time", ""), "p")
    if hour > 23:
        return None
    if part == "a" and hour <= 12:
        return hour % 12 * 60 + minute
    night = hour == 0 or (not spoken and got["h"].startswith("0"))
    return (hour if hour >= 12 or night else hour + 12) * 60 + minute


def _past(got: dict[str, str], words: str) -> int:
    """The minutes that are named, to or past the hour."""
    if "m" in got:
        return int(got["m"])
    if "mw" in got:
        return _MINUTES[got["mw"].replace("-", " ")]
    return 30 if words.startswith("half") else 15 if "quarter" in words else 0
