"""Instants and wall clocks: UTC milliseconds inside, IANA zones from the packaged `tzdata` outside.

The host's clock, zone and zone files are never read: a world must say the same on every machine.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)


@cache
def _names() -> frozenset[str]:
    """Every zone name that the packaged data holds."""
    return frozenset(files("tzdata").joinpath("zones").read_text("utf-8").split())


@cache
def zone(name: str) -> ZoneInfo:
    """The zone called `name` (IANA, e.g. "Asia/Singapore").

    ValueError, with near matches, for any name that the packaged list does not hold; paths ("../x",
    "/etc/x") are not in the list, so no file outside the package can be reached. The same object is
    returned for the same name; it cannot be pickled (store the name instead).
    """
    if name not in _names():
        raise ValueError(f"unknown time zone {name!r}; {_near(name)}")
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as data:
        return ZoneInfo.from_file(data, key=name)


def _near(name: str) -> str:
    """A hint for a misspelt zone: the same city under another region first, then similar spellings."""
    wanted = name.casefold().replace(" ", "_").rpartition("/")[2]
    cities = sorted(n for n in _names() if wanted and n.casefold().rpartition("/")[2] == wanted)
    folded = {n.casefold(): n for n in sorted(_names())}
    spelt = [folded[n] for n in get_close_matches(name.casefold(), sorted(folded), n=3, cutoff=0.7)]
    near = list(dict.fromkeys([*cities[:3], *spelt]))
    return f"did you mean {', '.join(near)}?" if near else "expected an IANA name such as Asia/Singapore"


def to_ms(moment: datetime) -> int:
    """UTC milliseconds since 1970 of an aware datetime (parts of a millisecond are cut toward the past).

    ValueError for a naive one: which zone it means cannot be guessed.
    """
    if moment.utcoffset() is None:
        raise ValueError(f"{moment!r} has no zone; use resolve(local, zone_name) first")
    return (moment - _EPOCH) // _MS


def from_ms(ms: int, zone_name: str) -> datetime:
    """The aware datetime of `ms` (UTC milliseconds since 1970) on the wall clock of `zone_name`.

    ValueError for an unknown zone or an instant outside the years 1 to 9999.
    """
    where = zone(zone_name)
    try:
        return (_EPOCH + ms * _MS).astimezone(where)
    except OverflowError:
        raise ValueError(f"{ms} ms is outside the years 1 to 9999 in {zone_name}") from None


def resolve(local: datetime, zone_name: str) -> datetime:
    """The aware datetime of a naive wall-clock time in `zone_name`.

    The published rule: a time that does not exist (clocks went forward over it) moves forward by the
    length of the gap; a time that exists twice (clocks went back) is the first of the two, whatever
    `local.fold` says. ValueError for an unknown zone or a datetime that is aware already.
    """
    if local.tzinfo is not None:
        raise ValueError(f"{local!r} already has a zone; a wall-clock time without one is expected")
    # With fold=0 a time in a gap is read with the offset before the change (PEP 495), so the way over
    # UTC comes back later by exactly the gap; a repeated time is read as the first.
    where = zone(zone_name)
    try:
        return local.replace(tzinfo=where, fold=0).astimezone(UTC).astimezone(where)
    except OverflowError:
        raise ValueError(f"{local!r} is outside the years 1 to 9999 in {zone_name}") from None


def iso(ms: int, zone_name: str) -> str:
    """`ms` (UTC milliseconds) written for `zone_name`: "2026-11-03T08:50+08:00".

    Seconds and milliseconds are written only where they are not zero, so nothing is lost.
    ValueError as in `from_ms`.
    """
    moment = from_ms(ms, zone_name)
    detail = "milliseconds" if moment.microsecond else "seconds" if moment.second else "minutes"
    return moment.isoformat(timespec=detail)


# Not datetime.fromisoformat: what it accepts, and what it says, differs between Python versions.
_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?"
    r"(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?)?",
    re.ASCII,
)


def read_iso(text: str, zone_name: str) -> int:
    """UTC milliseconds of an ISO 8601 date-time as `iso` writes it; without an offset, read by `resolve`.

    ValueError when it is no date-time, names a day or hour that does not exist, or lies outside the years 1
    to 9999.
    """
    text = text.strip()
    found = _ISO.fullmatch(text)
    if not found:
        raise ValueError(f"{text[:40]!r} is not a date and time such as 2026-11-05T16:30")
    *parts, second, fraction, sign, oh, om, os = found.groups()
    year, month, day, hour, minute = map(int, parts)
    micro = int(f"{fraction or 0:0<6}")
    try:
        moment = datetime(year, month, day, hour, minute, int(second or 0), micro, tzinfo=UTC)
    except ValueError:
        raise ValueError(f"{text[:40]!r} names a day or an hour that does not exist") from None
    if sign is None and text[-1] not in "Zz":
        return to_ms(resolve(moment.replace(tzinfo=None), zone_name))
    ahead = timedelta(hours=int(oh or 0), minutes=int(om or 0), seconds=int(os or 0))
    try:
        return to_ms(moment - ahead if sign == "+" else moment + ahead)
    except OverflowError:
        raise ValueError(f"{text[:40]!r} is outside the years 1 to 9999") from None
