"""Times of day in a text: 3.30pm, 15:30, 1530hrs, 오후 3시 30분, 午後3時半, 下午三點半, 14.30 น., ٣:٣٠ م,
noon."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import tzinfo

from errands.grading.compare import zones
from errands.grading.compare.day_parts import (
    AFTER,
    AM,
    BEFORE,
    HOURS,
    PM,
    THAI_AFTERNOON,
    THAI_BARE,
    THAI_EVENING,
    THAI_MORNING,
    THAI_NIGHT,
    THAI_SMALL,
)
from errands.grading.compare.numerals import han

_MINUTE = 60
_NOON = 12 * 3600
LAST = 30 * 3600 - 1  # 29:59:59: Japanese shops close at 25:00


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day as written."""

    start: int
    end: int
    seconds: int | None  # since midnight, up to 29:59:59; None where the words have no single meaning
    marked: bool = False  # am, pm or a part of the day is written
    bare: bool = False  # none is, and the hour could be of either half of the day
    zone: tzinfo | None = None
    joined: bool = False  # the end of a range whose start is the clock before


_PART_BEFORE = "|".join(BEFORE)
_PART_AFTER = "|".join(sorted(AFTER, key=len, reverse=True))
_NATIVE = "|".join(sorted(HOURS, key=len, reverse=True))
_HAN = "[〇零一二兩两三四五六七八九十]{1,3}"
_LEFT = r"(?=\d)(?<![0-9A-SU-Za-su-z_])(?<![0-9][/.,:])(?<![+#])(?<!UTC-)(?<!GMT-)"
_SMALL = r"(?<![0-9A-Za-z_])(?<![0-9][.,:/])(?<![A-Za-z#][-/])"

_MERIDIEM = re.compile(
    rf"(?=\d){_SMALL}(\d{{1,2}})(?:[:.](\d\d))?(?::(\d\d))?\s?(a\.?m\b\.?|p\.?m\b\.?|nn\b|noon\b)",
    re.IGNORECASE,
)
_MERIDIEM_FIRST = re.compile(
    r"(?<![A-Za-z0-9])([ap]m)\s?(\d{1,2}):(\d\d)(?![0-9A-Za-z]|:[0-9])", re.IGNORECASE
)
_COLON = re.compile(
    rf"{_LEFT}(\d{{1,2}}):(\d\d)(?::(\d\d)(?:\.\d{{1,6}})?)?(?![0-9]|:[0-9])(?=Z(?![A-Za-z])|hrs?\b|(?![A-Za-z_]))(?:\s?hrs?\b)?"
)
_HOURS = re.compile(rf"(?=\d){_SMALL}([012]\d)[:.]?([0-5]\d)\s?hrs?(?![A-Za-z0-9])", re.IGNORECASE)
_NOON_WORDS = re.compile(r"(?<![A-Za-z0-9])(?:12\s?)?(?:noon|midday)(?![A-Za-z])", re.IGNORECASE)

_COLON_PART_BEFORE = re.compile(rf"({_PART_BEFORE})\s?$")
_COLON_PART_AFTER = re.compile(rf"\s?({_PART_AFTER})(?!\w)")
_EAST = re.compile(
    rf"(?=[\d{''.join(sorted({word[0] for word in [*BEFORE, *HOURS]}))}〇零一二兩两三四五六七八九十])"
    rf"(?:(?P<part>{_PART_BEFORE})の?\s?)?(?:(?<!\d)(?P<digits>\d{{1,2}})|(?<!同)(?P<han>{_HAN})|(?<!\w)(?P<native>{_NATIVE}))"
    rf"\s?(?:(?P<unit>[時时點点])(?![間间代期数數点段刻]|之間|停止|保留|興起|的(?:に|な)|しのぎ)|시(?![간작장도민내스험적절즌]))"
    rf"(?:\s?(?:(?P<minutes>\d{{1,2}}|{_HAN})\s?[分분]|(?P<half>半|반)|(?P<quarter>[一三])刻|(?P<sharp>整|鐘|钟|정각|ちょうど))"
    r"|(?<=[點点])(?P<tight>[0-5]\d)(?![\d人位個名]))?"
)
_EAST_SIGN, _THAI_SIGN, _ARABIC_SIGN = re.compile("[時时點点시]"), re.compile("[ก-๛]"), re.compile("[ء-ي]")
_NOON_LOCAL = re.compile(r"正午|정오|เที่ยง(?:ตรง|วัน)?(?P<half>ครึ่ง)?(?!คืน)")
_THAI = re.compile(
    rf"(?:(?P<number>\d{{1,2}}|{_NATIVE})\s?(?:(?P<night>ทุ่ม)|โมง(?:\s?(?:(?P<morning>เช้า)|(?P<evening>เย็น)))?)"
    rf"|(?P<noonish>บ่าย)\s?(?:โมง|(?P<afternoon>\d{{1,2}}|{_NATIVE})(?:\s?โมง)?)|ตี\s?(?P<small>\d|{_NATIVE}))"
    rf"(?:\s?(?:(?P<half>ครึ่ง)|(?P<minutes>\d{{1,2}})\s?นาที)|ตรง)?"
)
_THAI_DOT = re.compile(
    rf"(?=\d){_SMALL}(\d{{1,2}})(?:[.:](\d\d))?\s?น(?:\.|(?![ก-๛]))"
    r"|(?<=เวลา)\s?(\d{1,2})[.:](\d\d)(?!\d)(?:\s?น\.?)?"
)
_ARABIC = re.compile(
    rf"(?<!\d)(\d{{1,2}})\s?({'|'.join(w for w in AFTER if len(w) > 1)})(?!\w)"
    rf"|(?<=الساعة)\s(\d{{1,2}})\s?({_PART_AFTER})(?!\w)"
)

_RANGE = r"\s?(?:-|~|to|until|till|至|到|から|부터|ถึง|الى|إلى)\s?"
_START = re.compile(
    rf"(?:(?P<part>{_PART_BEFORE})\s?|(?<![\w.,:/#$-]))(?P<hours>\d{{1,2}})(?:[.:](?P<minutes>\d\d))?{_RANGE}$",
    re.IGNORECASE,
)
_END = re.compile(rf"{_RANGE}(\d{{1,2}})\.(\d\d)(?!\d|\s?(?:[ap]\.?m|hrs|น))", re.IGNORECASE)
_BETWEEN = re.compile(_RANGE, re.IGNORECASE)
_RANGE_END = re.compile(r"[-~olOL至到ら터งى]\s?$")  # how `_RANGE` ends: a cheap look


def scan_clocks(text: str) -> list[Clock]:
    """The times of day in a folded text, in order, with zones and range partners."""
    found = list(_latin(text))
    if not text.isascii():
        found += _local(text)
    kept: list[Clock] = []
    for clock in sorted((_zoned(text, clock) for clock in found), key=lambda c: (c.start, -c.end)):
        if not kept or clock.start >= kept[-1].end:
            kept.append(clock)
    return _ranges(text, kept)


def hms(hours: str | int, minutes: str | int | None = 0, seconds: str | int | None = 0) -> int | None:
    """Seconds since midnight; None for what no clock shows."""
    h, m, s = int(hours), int(minutes or 0), int(seconds or 0)
    total = h * 3600 + m * _MINUTE + s
    return total if m < 60 and s < 60 and total <= LAST else None


def _latin(text: str) -> Iterator[Clock]:
    for m in _MERIDIEM.finditer(text):
        kind = m[4][0].lower()
        table = AM if kind == "a" else PM if kind == "p" else {12: 12}
        yield _timed(m, table, m[1], m[2], m[3])
    for m in _MERIDIEM_FIRST.finditer(text):
        yield _timed(m, AM if m[1].lower() == "am" else PM, m[2], m[3])
    for m in _HOURS.finditer(text):
        yield Clock(m.start(), m.end(), hms(m[1], m[2]))
    for m in _NOON_WORDS.finditer(text):
        yield Clock(m.start(), m.end(), _NOON)
    for m in _COLON.finditer(text):
        clock = _colon(text, m)
        if clock:
            yield clock


def _colon(text: str, m: re.Match[str]) -> Clock | None:
    """15:30, 下午3:30, ٣:٣٠ م."""
    if not text.isascii():
        before = _COLON_PART_BEFORE.search(text, max(0, m.start() - 6), m.start())
        after = None if before else _COLON_PART_AFTER.match(text, m.end())
        if before or after:
            table = BEFORE[before[1]] if before else AFTER[after[1]] if after else {}
            start, end = before.start() if before else m.start(), after.end() if after else m.end()
            return replace(_timed(m, table, m[1], m[2], m[3]), start=start, end=end)
    seconds = hms(m[1], m[2], m[3])
    bare = len(m[1]) == 1 or m[1] in ("10", "11", "12")
    return None if seconds is None else Clock(m.start(), m.end(), seconds, bare=bare)


def _timed(m: re.Match[str], table: dict[int, int], hour: str, *rest: str | None) -> Clock:
    known = table.get(int(hour))
    return Clock(m.start(), m.end(), None if known is None else hms(known, *rest), marked=True)


def _local(text: str) -> Iterator[Clock]:
    for m in _NOON_LOCAL.finditer(text):
        yield Clock(m.start(), m.end(), _NOON + (30 * _MINUTE if m["half"] else 0))
    if _EAST_SIGN.search(text):
        yield from filter(None, map(_east, _EAST.finditer(text)))
    if _THAI_SIGN.search(text):
        yield from map(_thai, _THAI.finditer(text))
        for m in _THAI_DOT.finditer(text):
            yield Clock(m.start(), m.end(), hms(m[1] or m[3], m[2] or m[4]))
    if _ARABIC_SIGN.search(text):
        for m in _ARABIC.finditer(text):
            yield _timed(m, AFTER[m[2] or m[4]], m[1] or m[3])


def _east(m: re.Match[str]) -> Clock | None:
    """N시, N時, N點. A Han number alone before 點 may be `three points`, so it needs a part of day or
    minutes."""
    detail = m["minutes"] or m["half"] or m["quarter"] or m["sharp"]
    if m["han"] and m["unit"] in ("點", "点") and not (m["part"] or detail):
        return None
    hour = int(m["digits"]) if m["digits"] else HOURS[m["native"]] if m["native"] else han(m["han"])
    minutes = _minutes(m)
    if hour is None or minutes is None:
        return None
    if m["part"]:
        known = BEFORE[m["part"]].get(hour)
        return Clock(m.start(), m.end(), None if known is None else hms(known, minutes), marked=True)
    return Clock(m.start(), m.end(), hms(hour, minutes), bare=1 <= hour <= 12)


def _minutes(m: re.Match[str]) -> int | None:
    if m["half"]:
        return 30
    if m["quarter"]:
        return 15 if m["quarter"] == "一" else 45
    words: str = m["minutes"] or m["tight"] or "0"
    return int(words) if words.isascii() else han(words)


def _thai(m: re.Match[str]) -> Clock:
    minutes = 30 if m["half"] else int(m["minutes"] or 0)
    if m["noonish"]:
        hour = 13 if m["afternoon"] is None else THAI_AFTERNOON.get(_spoken(m["afternoon"]))
    elif m["small"]:
        hour = THAI_SMALL.get(_spoken(m["small"]))
    else:
        allowed = (
            THAI_NIGHT
            if m["night"]
            else THAI_MORNING
            if m["morning"]
            else THAI_EVENING
            if m["evening"]
            else THAI_BARE
        )
        hour = allowed.get(_spoken(m["number"]))
    return Clock(m.start(), m.end(), None if hour is None else hms(hour, minutes), marked=True)


def _spoken(word: str) -> int:
    return int(word) if word.isascii() else HOURS[word]


def _zoned(text: str, clock: Clock) -> Clock:
    """The clock with the zone named right after or right before it."""
    numeric = zones.NUMERIC.match(text, clock.end)
    if numeric and (numeric[1] == "+" or text[clock.start - 1 : clock.start] == "T"):
        return _placed(clock, clock.start, numeric.end(), lambda: zones.offset(*numeric.groups()))
    match = zones.AFTER.match(text, clock.end)
    start, end = clock.start, match.end() if match else clock.end
    if match is None and zones.MAY_BE_BEFORE.search(text, max(0, start - 2), start):
        match = zones.BEFORE.search(text, max(0, start - 16), start)
        start = match.start() if match else start
    if match is None:
        return clock
    return _placed(clock, start, end, lambda: zones.meant(match))


def _placed(clock: Clock, start: int, end: int, where: Callable[[], tzinfo]) -> Clock:
    try:
        return replace(clock, start=start, end=end, zone=where())
    except zones.UnclearZone:
        return replace(clock, start=start, end=end, seconds=None)


def _ranges(text: str, clocks: list[Clock]) -> list[Clock]:
    """Joins starts and ends: `4.30-5.30pm`, `16:30-17:30`, `14~16시`, `오후 2~4시`, `4pm-5.30`."""
    out: list[Clock] = []
    for clock in clocks:
        follows = _RANGE_END.search(text, max(0, clock.start - 2), clock.start)
        start = _START.search(text, max(0, clock.start - 18), clock.start) if follows else None
        if out and follows and _BETWEEN.fullmatch(text, out[-1].end, clock.start):
            out[-1:] = _agree(text, out[-1], clock)
        elif start and (opened := _opened(start)):
            out += _agree(text, opened, clock)
        else:
            out.append(clock)
        end = _END.match(text, clock.end)
        if end and hms(end[1], end[2]) is not None:
            out[-1:] = _agree(text, out[-1], Clock(end.start(1), end.end(), hms(end[1], end[2]), bare=True))
    return out


def _opened(m: re.Match[str]) -> Clock | None:
    """The number before a dash and a time, as the time it is."""
    end = m.end("minutes") if m["minutes"] else m.end("hours")
    hour = BEFORE[m["part"]].get(int(m["hours"])) if m["part"] else int(m["hours"])
    seconds = None if hour is None else hms(hour, m["minutes"])
    return (
        None
        if seconds is None
        else Clock(m.start(), end, seconds, marked=bool(m["part"]), bare=not m["part"])
    )


def _agree(text: str, first: Clock, second: Clock) -> tuple[Clock, Clock]:
    """A bare end takes the half of the day that its partner names, and the zone."""
    where = first.zone or second.zone
    a, b = first.seconds, second.seconds
    if a is not None and b is not None:
        if first.bare and second.marked and b >= _NOON and a % _NOON + _NOON < b:
            a = a % _NOON + _NOON
        if second.bare and first.marked and b < _NOON and b <= a:
            b += _NOON
    joined = not text[first.end : second.start].strip(" -~")
    first = replace(first, seconds=a, zone=first.zone or where)
    return first, replace(
        second, seconds=b, zone=second.zone or where, marked=first.marked or second.marked, joined=joined
    )
