"""The independent solver: from the rows that were written, by the rules of zones.

It takes the organiser's clock from the attached calendar file and their conversion from the calendar, and names the
fault by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from errands.core import clock
from errands.core.errors import TaskError
from errands.tasks import Build

from .scene import DAY, MINUTE, NONE


def solve(b: Build, label: str) -> dict[str, dict[str, str]]:
    """By message that counts: when it begins here, and what is wrong with the organiser's conversion."""
    out = {}
    for row in _latest(b, label):
        text = bytes(row["data"]).decode().replace("\r\n ", "").partition("BEGIN:VEVENT")[2]
        start = re.search(r"^DTSTART(?:;TZID=([^:]+))?:(\d{8}T\d{6})", text, re.MULTILINE)
        title = re.search(r"^SUMMARY:(.*?)\r?$", text, re.MULTILINE)
        assert start is not None and title is not None  # `invitation` writes both
        if start[1] is None:
            out[row["id"]] = {"start": NONE, "fault": "unclear"}
            continue
        there = datetime.strptime(start[2], "%Y%m%dT%H%M%S")  # noqa: DTZ007  (a wall clock)
        true = clock.to_ms(clock.resolve(there, start[1]))
        name = re.sub(r"\\(.)", r"\1", title[1])
        entry = b.draft.all(
            "SELECT starts FROM calendar_event WHERE title = ? AND organizer = ?", name, row["sender"]
        )
        if len(entry) != 1:
            raise TaskError(
                f"{name!r} stands {len(entry)} times on the calendar", where="invite_audit, solve"
            )
        here = clock.from_ms(true, b.market.zone)
        out[row["id"]] = {
            "start": f"{here:%Y-%m-%d %H:%M}",
            "fault": _fault(there, start[1], true, entry[0]["starts"]),
        }
    return out


def _latest(b: Build, label: str) -> Iterator[dict[str, Any]]:
    """The last message of each labelled thread that brings an invitation."""
    rows = b.draft.all(
        "SELECT m.id, m.thread, m.sender, m.labels, m.at, f.data FROM mail_message m"
        " JOIN mail_file f ON f.owner = m.id WHERE f.media = 'text/calendar' ORDER BY m.at"
    )
    last = {r["thread"]: r for r in rows if f'"{label}"' in r["labels"]}
    yield from last.values()


def _fault(there: datetime, zone: str, true: int, claimed: int) -> str:
    off = claimed - true
    if off == 0:
        return NONE
    if off % (24 * 60 * MINUTE) == 0:
        return "wrong-date"
    as_utc = clock.to_ms(clock.resolve(there, "UTC"))
    year = (clock.resolve(datetime(there.year, 1, 1) + n * DAY, zone).utcoffset() for n in range(365))  # noqa: DTZ001
    offsets = {int(o.total_seconds() * 1000) for o in year if o is not None}
    return "clock-change" if as_utc - claimed in offsets else "wrong-zone"
