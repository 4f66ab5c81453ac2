"""Times of day and instants in a field, zone-aware: an instant is UTC milliseconds, whatever zone it is
written in."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import NamedTuple

from errands.core.clock import to_ms, zone
from errands.grading.compare.clocks import Clock, hms, scan_clocks
from errands.grading.compare.dates import Order, scan_dates
from errands.grading.compare.folding import field
from errands.grading.compare.zones import offset

_DAY = 24 * 3600
_BARE = re.compile(r"(?P<hours>\d{1,2})\.(?P<minutes>\d\d)|(?P<army>[012]\d)(?P<rest>[0-5]\d)")
_MIDNIGHT = frozenset(("midnight", "12 midnight", "자정", "เที่ยงคืน"))
_ISO = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d|\d{8})(?P<mark>[T ])(?P<hour>\d\d):?(?P<minute>\d\d)"
    r"(?::?(?P<second>\d\d)(?:\.\d{1,6})?)?"
    r"\s?(?P<zone>Z|(?P<sign>[+-])(?P<off>\d\d):?(?P<minutes>\d\d))?"
)
_BETWEEN = re.compile(r"[\s,;(·|T-]*(?:(?:at|on|from|@|เวลา|الساعة|في|에|の)[\s,;]*)?", re.IGNORECASE)
_LEAD = re.compile(r"(?:(?:at|on|@|เวลา|الساعة)\s*)?\(?", re.IGNORECASE)
_TRAIL = re.compile(r"\s*\)?[\s.。]*")


class Moment(NamedTuple):
    """An instant in UTC milliseconds, and whether its zone was written."""

    ms: int
    zoned: bool


def read_time(value: object) -> time | None:
    """The one wall-clock time a field holds (no zone). `24:00` is none: it is the next day's."""
    if isinstance(value, time):
        return value.replace(tzinfo=None)
    text = field(value)
    if text is None:
        return None
    if text.casefold() in _MIDNIGHT:
        return time(0)
    bare = _BARE.fullmatch(text)
    if bare:
        return _wall(hms(bare["hours"] or bare["army"], bare["minutes"] or bare["rest"]))
    clocks = scan_clocks(text)
    if len(clocks) != 1 or clocks[0].zone or _LEAD.fullmatch(text, 0, clocks[0].start) is None:
        return None
    return _wall(clocks[0].seconds) if not text[clocks[0].end :].strip(" .。") else None


def same_time(given: object, expected: time) -> bool:
    """Whether the field holds exactly this wall-clock time."""
    return read_time(given) == expected


def read_datetime(
    value: object, zone_name: str, order: Order = "DMY", reference: date | None = None
) -> Moment | None:
    """The one instant a field holds: a date and a time of day, in `zone_name` (IANA) unless a zone is
    written.

    None where the wall clock skipped that time; where it showed it twice, the first is meant. ValueError
    for an unknown `zone_name`.
    """
    here = zone(zone_name)
    if isinstance(value, datetime):
        return _moment(value.replace(tzinfo=None), value.tzinfo or here, zoned=value.tzinfo is not None)
    text = field(value)
    if text is None:
        return None
    iso = _ISO.fullmatch(text)
    if iso:
        return _standard(iso, here)
    dates = scan_dates(text, order, reference, filled=True)
    clocks = [c for c in scan_clocks(text) if not any(c.start < d.end and d.start < c.end for d in dates)]
    if len(dates) != 1 or len(clocks) != 1 or dates[0].value is None:
        return None
    first, last = sorted([(dates[0].start, dates[0].end), (clocks[0].start, clocks[0].end)])
    lead, between = _LEAD.fullmatch(text, 0, first[0]), _BETWEEN.fullmatch(text, first[1], last[0])
    if not (lead and between and _TRAIL.fullmatch(text, last[1])):
        return None
    return instant(dates[0].value, clocks[0], here)


def same_datetime(
    given: object, expected_ms: int, zone_name: str, order: Order = "DMY", reference: date | None = None
) -> bool:
    """Whether the field holds exactly this instant (UTC milliseconds), written for any zone."""
    near = reference or (datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=expected_ms)).date()
    moment = read_datetime(given, zone_name, order, near)
    return moment is not None and moment.ms == expected_ms


def instant(day: date, clock: Clock, here: tzinfo) -> Moment | None:
    """The instant of a clock time on a day; 24:00 and later run into the next day."""
    if clock.seconds is None:
        return None
    try:
        local = datetime(day.year, day.month, day.day) + timedelta(seconds=clock.seconds)  # noqa: DTZ001
        return _moment(local, clock.zone or here, zoned=clock.zone is not None)
    except OverflowError:  # the first or the last day that the calendar knows
        return None


def _moment(local: datetime, where: tzinfo, *, zoned: bool) -> Moment | None:
    there = local.replace(tzinfo=where, fold=0)
    if there.astimezone(UTC).astimezone(where).replace(tzinfo=None) != local:
        return None
    return Moment(to_ms(there), zoned)


def _standard(m: re.Match[str], here: tzinfo) -> Moment | None:
    """ISO 8601. `2026-11-05 09:00-10:00` is a range: only after a T does a minus make a zone."""
    if m["sign"] == "-" and m["mark"] != "T":
        return None
    try:
        day = date.fromisoformat(m["day"])
        where = (
            None
            if m["zone"] is None
            else UTC
            if m["zone"] == "Z"
            else offset(m["sign"], m["off"], m["minutes"])
        )
    except ValueError:
        return None
    return instant(day, Clock(0, 0, hms(m["hour"], m["minute"], m["second"]), zone=where), here)


def _wall(seconds: int | None) -> time | None:
    if seconds is None or seconds >= _DAY:
        return None
    return time(seconds // 3600, seconds // 60 % 60, seconds % 60)
