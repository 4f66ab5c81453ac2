"""Calendar dates: ISO, local orders, month names, era years (令和, 民國, พ.ศ.), weekdays checked.

One grammar serves two uses: `read_date` wants a field that is one date, `find_dates` lists those in a text. A
date that contradicts its weekday, does not exist, or could be two dates has no value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Literal, NamedTuple

from errands.grading.compare.calendar_words import (
    ENGLISH_MONTHS,
    ERAS,
    MONTHS,
    OTHER_MONTHS,
    RELATIVE_DAYS,
    SHORT_WEEKDAYS,
    THAI_MONTHS,
    WEEKDAYS,
)
from errands.grading.compare.folding import field, fold
from errands.grading.compare.numerals import han
from errands.grading.compare.spans import Found, apart, whole

Order = Literal["DMY", "MDY", "YMD"]


class _Parts(NamedTuple):
    """A date as written, before year and weekday are settled. `year` is None where none was written."""

    start: int
    end: int
    year: int | None
    month: int
    day: int
    era: str = ""
    short_year: bool = False
    named: bool = True  # words or era make it plainly a date, even an impossible one


def _any(words: dict[str, int]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_WORD = rf"[A-Za-z]{{3,9}}|{_any(OTHER_MONTHS)}"  # any Latin word: looking one up is cheaper than trying 37
_HAN = "[〇零一二三四五六七八九十]"
_ERA_FIRST = "".join(sorted({era[0] for era in ERAS}))
_LEFT = r"(?=\d)(?<![0-9A-Za-z_])(?<![0-9][-/.,:])(?<![A-Za-z][-/_])"
_RIGHT = r"(?![0-9A-Za-z_]|[-/.][0-9])"
# "30 Nov 2026 among" and "3 พ.ค. 2537 นะคะ" name a year, "30 Nov 2030 น." an hour.
_CLOCK_AHEAD = r"(?!\d|\s?[ap]\.?m(?![a-z])|[:.]\d|\s?hrs|\s?น(?![ก-๎])|\s?[時时點点시])"
# After a date: no year with a digit or letter too many, read as if none were written (`21 Oct 20261`).
_NO_MORE = r"(?<![0-9](?=[0-9A-Za-z_]))(?!\s?[-,]?\s?[12]\d{3}(?!\s?hrs|\s?[ap]\.?m)[0-9A-Za-z_])"
_FLAGS = re.IGNORECASE

_YEAR_FIRST = re.compile(rf"{_LEFT}(\d{{3,4}})([-/.])\s?(\d{{1,2}})\2\s?(\d{{1,2}})(?:(?=T\d)|{_RIGHT})")
_NUMERIC = re.compile(rf"{_LEFT}(\d{{1,2}})([-/.])\s?(\d{{1,2}})\2\s?(\d{{4}}|\d\d){_RIGHT}")
_SLASHED = re.compile(rf"{_LEFT}(\d{{1,2}})/(\d{{1,2}}){_RIGHT}(?!/)")
_COMPACT = re.compile(r"\d{8}")
_DAY_MONTH = re.compile(
    rf"{_LEFT}(?:(\d{{1,2}})(?:st|nd|rd|th)?\s?(?:-|~|to|and|&)\s?)?(\d{{1,2}})(?:st|nd|rd|th)?"
    rf"(?:\s+of\s+|\s?-\s?|\s*)({_WORD})(?![A-Za-z])\.?"
    rf"(?:\s?[-,]?\s?(?:(พ\.ศ\.|ค\.ศ\.)\s?)?([12]\d{{3}}){_CLOCK_AHEAD}|[\s-]'?([236-9]\d){_CLOCK_AHEAD})?(\s?م(?!\w))?"
    rf"{_NO_MORE}",
    _FLAGS,
)
_MONTH_DAY = re.compile(
    rf"(?<![A-Za-z])([A-Za-z]{{3,9}})\.?\s?(\d{{1,2}})(?:st|nd|rd|th)?{_CLOCK_AHEAD}(?![A-Za-z])"
    rf"(?:,?\s([12]\d{{3}}){_CLOCK_AHEAD}|,?\s?'(\d\d)(?!\d))?{_NO_MORE}",
    _FLAGS,
)
_CJK = re.compile(
    rf"(?=[0-9{_ERA_FIRST}元〇零一二三四五六七八九十])"
    rf"(?:(?:({'|'.join(ERAS)})\s?)?(?<![0-9])(\d{{1,4}}|元|{_HAN}{{1,4}})\s?(?:年|년)\s?"
    r"|(?<![0-9][年년])(?<![0-9][年년]\s))(?<![0-9])"
    rf"(\d{{1,2}}|{_HAN}{{1,3}})\s?(?:月|월)\s?(\d{{1,2}}|{_HAN}{{1,3}})\s?(?:[日號号](?!間)|일(?!간))"
)
_ERA_DOTS = re.compile(r"(?<![A-Za-z0-9])([RHS])(\d{1,2})([./])(\d{1,2})\3(\d{1,2})(?![0-9A-Za-z])")

_WEEKDAY = _any(WEEKDAYS)
_SHORT = _any(SHORT_WEEKDAYS)
_LATIN_BEFORE = re.compile(r"(?<![A-Za-z])(?:on\s)?([A-Za-z]{3,9})[ \t,.]*(?:the\s)?$", _FLAGS)
_BEFORE = re.compile(
    rf"(?:(?<![^\W\d_])(?:วัน|يوم\s|on\s)?(?:({_WEEKDAY})|({_SHORT})(?=[ .]))[ \t,.]*(?:the\s|ที่\s?)?|วันที่\s?)$",
    _FLAGS,
)
_BRACKETED = re.compile(rf"\s?[,.]?\s?\(({_WEEKDAY}|{_SHORT})\.?(?:[・·,/]\s?\w{{1,3}})?\)", _FLAGS)
_AFTER = re.compile(rf"[,\s]{{0,2}}({_WEEKDAY})(?![A-Za-z])", _FLAGS)
_LATIN_ALONE = re.compile(
    r"(?=[A-Zmtwfs])(?<![A-Za-z])(?:Mon|Tues?|Wed|Thur?s?|Fri|Sat|Sun"
    r"|(?i:(?:mon|tues|wednes|thurs|fri|satur|sun|to)day|tomorrow))(?![A-Za-z])"
)
_ALONE = re.compile(_any({word: 0 for word in (*RELATIVE_DAYS, *WEEKDAYS) if not word.isascii()}))
_NEXT_BEFORE = re.compile(
    r"(?:next|last|every|each|다음\s?주?|지난\s?주?|매주|来週の?|先週の?|毎週|下個?|上個?|每)\s?$", _FLAGS
)
_NEXT_AFTER = re.compile(r"\s?(?:after next|หน้า|ที่แล้ว|القادم|المقبل|الماضي)", _FLAGS)
_TIME_FOLLOWS = re.compile(r"\s?(?:\d{1,2}[:.]\d\d|\d{1,2}\s?[ap]m|[上下]午|午[前後]|오[전후]|at\s)", _FLAGS)


def read_date(value: object, order: Order = "DMY", reference: date | None = None) -> date | None:
    """The one date a field holds. `order` is that of all-number dates; a date without year is the nearest to
    `reference`, and has no value without one."""
    if isinstance(value, datetime):
        return value.date() if value.time() == datetime.min.time() else None
    if isinstance(value, date):
        return value
    text = field(value)
    if text is None:
        return None
    if _COMPACT.fullmatch(text):
        return _valid(int(text[:4]), int(text[4:6]), int(text[6:]))
    return whole(scan_dates(text, order, reference, filled=True), text)


def same_date(given: object, expected: date, order: Order = "DMY", reference: date | None = None) -> bool:
    """Whether the field holds exactly this date. A year left out is taken near `reference`, or near the
    date."""
    return read_date(given, order, reference or expected) == expected


def find_dates(text: str, order: Order = "DMY", reference: date | None = None) -> list[Found[date]]:
    """The dates in a text, also bare weekdays and today/tomorrow (from `reference`, the day of writing).

    Spans are those of `fold(text)`. A mention that has no single meaning (`next Friday`, `Mon, 12 Nov` on a
    Thursday) is listed without value.
    """
    return scan_dates(fold(text), order, reference)


def scan_dates(text: str, order: Order, reference: date | None, *, filled: bool = False) -> list[Found[date]]:
    """As `find_dates`, of a text that is folded already. `filled`: the text is a field, not prose."""
    found: list[Found[date]] = []
    ends: list[tuple[int, int]] = []  # of the last few: without and with the weekday behind
    for parts in sorted(_parts(text, order, filled), key=lambda p: (p.start, p.end)):
        floor = max((whole for bare, whole in ends[-4:] if bare <= parts.start), default=0)
        one = _settle(text, parts, reference, filled, floor)
        if one:
            found.append(one)
            ends.append((parts.end, one.end))
    if not filled:
        found += _alone(text, reference, [one.value for one in found if one.value])
    return apart(found)


def _parts(text: str, order: Order, filled: bool) -> Iterator[_Parts]:
    for m in _YEAR_FIRST.finditer(text):
        year, minguo = int(m[1]), len(m[1]) == 3
        yield _Parts(m.start(), m.end(), year, int(m[3]), int(m[4]), "民國" if minguo else "", named=False)
    for m in _NUMERIC.finditer(text):
        yield from _ordered(m.start(), m.end(), m[1], m[3], m[4], order)
    for m in _SLASHED.finditer(text):
        after = _BRACKETED.match(text, m.end()) or _TIME_FOLLOWS.match(text, m.end())
        if filled or after or _weekday_before(text, m.start()):
            month, day = (m[2], m[1]) if order == "DMY" else (m[1], m[2])
            yield _Parts(m.start(), m.end(), None, int(month), int(day), named=False)
    for m in _DAY_MONTH.finditer(text):
        if m[3].lower() in MONTHS:
            yield from _worded(m)
    for m in _MONTH_DAY.finditer(text):
        if m[1].lower() in ENGLISH_MONTHS:
            written = int(m[3] or m[4] or 0) or None
            month = ENGLISH_MONTHS[m[1].lower()]
            yield _Parts(m.start(), m.end(), written, month, int(m[2]), short_year=bool(m[4]))
    for m in _ERA_DOTS.finditer(text):
        yield _Parts(m.start(), m.end(), int(m[2]), int(m[4]), int(m[5]), m[1])
    if not text.isascii():
        for m in _CJK.finditer(text):
            yield from _east_asian(m)


def _ordered(start: int, end: int, first: str, second: str, third: str, order: Order) -> Iterator[_Parts]:
    """12/11/2026, 12/11/26, 26.09.03: by local order; a four-digit year is last whatever the order."""
    a, b, c = int(first), int(second), int(third)
    if order == "YMD" and len(third) == 2:
        yield _Parts(start, end, a, b, c, short_year=True, named=False)
    elif order == "YMD" and a <= 12 and b <= 12 and a != b:
        yield _Parts(start, end, c, 0, 0)  # 03/09/2026 where the year comes first: two meanings
    else:
        day, month = (a, b) if order == "DMY" or (order == "YMD" and a > 12) else (b, a)
        yield _Parts(start, end, c, month, day, short_year=len(third) == 2, named=False)


def _worded(m: re.Match[str]) -> Iterator[_Parts]:
    """12 Nov 2026, and both ends of 13-15 เม.ย. 69. Two digits are a year only where they can be no hour."""
    first, day, word, era, long, short, common = m.groups()
    word = word.lower()
    year, end = int(long or short or 0) or None, m.end()
    if common and (word.isascii() or word in THAI_MONTHS):  # only Arabic writes 2026م
        end = m.start(7)
    if short and not (20 <= int(short) <= 39 or (word in THAI_MONTHS and int(short) >= 60)):
        year, end = None, m.end(3)
    for digits in (first, day) if first else (day,):
        start, stop = (m.start(), m.end(1)) if digits is first else (m.start(2), end)
        yield _Parts(start, stop, year, MONTHS[word], int(digits), era or "", short_year=bool(year and short))


def _east_asian(m: re.Match[str]) -> Iterator[_Parts]:
    era, year_words, month, day = m[1] or "", m[2], _small(m[3]), _small(m[4])
    year = None if year_words is None else 1 if year_words == "元" else _small(year_words)
    digits = len(year_words or "")
    if year is not None and not era and digits == 3:
        era = "民國"
    yield _Parts(m.start(), m.end(), year, month or 0, day or 0, era, short_year=not era and digits in (1, 2))


def _small(digits: str) -> int | None:
    return int(digits) if digits.isascii() else han(digits)


def _settle(
    text: str, parts: _Parts, reference: date | None, filled: bool, floor: int = 0
) -> Found[date] | None:
    """`floor`: where the date before ends, weekday and all. A weekday stands before a date or behind it, not both."""
    value = _nearest(parts, reference) if parts.year is None else _in_era(parts, reference)
    if value is None and not parts.named:
        return None
    start, end = parts.start, parts.end
    weekdays: set[int] = set()
    before = _weekday_before(text, start)
    if before and before[0] >= floor:
        start = before[0]
        weekdays |= before[1]
    after = _BRACKETED.match(text, end) or (None if weekdays else _AFTER.match(text, end))
    if after:
        weekday = _weekday(after[1])
        if filled or text[after.end() - 1] == ")" or (value and value.weekday() == weekday):
            end = after.end()
            weekdays.add(weekday)
    if value is not None and weekdays - {value.weekday()}:
        value = None
    return Found(value, start, end, text[start:end])


def _weekday_before(text: str, start: int) -> tuple[int, set[int]] | None:
    """Where the weekday before a date starts, and which it is (none for a bare วันที่)."""
    latin = text.isascii()
    match = (_LATIN_BEFORE if latin else _BEFORE).search(text, max(0, start - 20), start) if start else None
    if match is None or (latin and match[1].lower() not in WEEKDAYS):
        return None
    word = match[1] or (None if latin else match[2])
    return match.start(), {_weekday(word)} if word else set()


def _weekday(word: str) -> int:
    known = WEEKDAYS.get(word.lower())
    return SHORT_WEEKDAYS[word] if known is None else known


def _in_era(parts: _Parts, reference: date | None) -> date | None:
    """The date in the common era. Years from 2400 are Buddhist, and two digits from 60 where that is
    nearer."""
    year = parts.year or 0
    era = ERAS.get(parts.era)
    if era:
        value = _valid(era.zero + year, parts.month, parts.day)
        return value if value and era.first <= value <= era.last else None
    if parts.short_year:
        buddhist = year >= 60 and (reference is None or abs(reference.year - (1957 + year)) <= 10)
        year += 1957 if buddhist else 2000
    elif year >= 2400 and parts.era != "ค.ศ.":
        year -= 543
    return _valid(year, parts.month, parts.day) if 1900 <= year < 2400 else None


def _nearest(parts: _Parts, reference: date | None) -> date | None:
    if reference is None:
        return None
    near = [_valid(reference.year + n, parts.month, parts.day) for n in (-1, 0, 1)]
    return min((d for d in near if d), key=lambda d: abs(d - reference), default=None)


def _valid(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except (ValueError, OverflowError):
        return None


def _alone(text: str, reference: date | None, named: list[date]) -> Iterator[Found[date]]:
    """Bare weekdays (that of a date named in the text, or else the coming one) and today/tomorrow."""
    for pattern in (_LATIN_ALONE,) if text.isascii() else (_LATIN_ALONE, _ALONE):
        for m in pattern.finditer(text):
            word, value = m[0].lower(), None
            weekday, ahead = WEEKDAYS.get(word), RELATIVE_DAYS.get(word)
            vague = _NEXT_BEFORE.search(text, max(0, m.start() - 8), m.start()) or _NEXT_AFTER.match(
                text, m.end()
            )
            if reference is not None and not vague:
                days = (weekday - reference.weekday()) % 7 if weekday is not None else ahead or 0
                coming = reference + timedelta(days=days)
                value = next((day for day in named if day.weekday() == weekday), coming)
            yield Found(value, m.start(), m.end(), m[0])
