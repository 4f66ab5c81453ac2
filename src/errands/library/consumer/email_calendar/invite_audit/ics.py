"""Invitations as the calendar files that come with them (RFC 5545): the organiser's clock, and its zone's rules."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from errands.core import clock

_STAMP = "%Y%m%dT%H%M%S"


def invitation(
    *,
    uid: str,
    title: str,
    organizer: tuple[str, str],
    attendee: str,
    start: datetime,
    minutes: int,
    zone: str,
    sent: int,
    again: bool = False,
) -> bytes:
    """One event. `organizer`: address and name; `start` is naive, by the clock of `zone`; without a zone it floats.

    `again`: it replaces an earlier one of the same uid.
    """
    of = f";TZID={zone}" if zone else ""
    address, name = organizer
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Invitations//EN",
        "METHOD:REQUEST",
        *(_rules(zone, start) if zone else ()),
        "BEGIN:VEVENT",
        f"UID:{uid}",
        f"SEQUENCE:{int(again)}",
        f"DTSTAMP:{clock.from_ms(sent, 'UTC'):{_STAMP}}Z",
        f"DTSTART{of}:{start:{_STAMP}}",
        f"DTEND{of}:{start + timedelta(minutes=minutes):{_STAMP}}",
        f"SUMMARY:{_escaped(title)}",
        f'ORGANIZER;CN="{name}":mailto:{address}',
        f"ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:{attendee}",
        "END:VEVENT",
        "END:VCALENDAR",
    ]
    return b"".join(_folded(line) for line in lines)


def _rules(name: str, near: datetime) -> list[str]:
    """A VTIMEZONE: the changes of clocks in the half years before and after, or the one offset that never changes."""
    where = clock.zone(name)
    out = ["BEGIN:VTIMEZONE", f"TZID:{name}"]
    low = near.replace(hour=0, minute=0, tzinfo=UTC) - timedelta(183)
    for n in range(366):
        before, after = low + timedelta(n), low + timedelta(n + 1)
        if before.astimezone(where).utcoffset() == after.astimezone(where).utcoffset():
            continue
        quarters = [before + timedelta(minutes=15 * q) for q in range(97)]
        change = next(
            q for q in quarters if q.astimezone(where).utcoffset() != before.astimezone(where).utcoffset()
        )
        old, new = before.astimezone(where), change.astimezone(where)
        begins = change.replace(tzinfo=None) + (old.utcoffset() or timedelta())
        out += _observance("DAYLIGHT" if new.dst() else "STANDARD", begins, old, new)
    if len(out) == 2:
        here = low.astimezone(where)
        out += _observance("STANDARD", datetime(1970, 1, 1), here, here)  # noqa: DTZ001  (wall clock)
    return [*out, "END:VTIMEZONE"]


def _observance(kind: str, begins: datetime, old: datetime, new: datetime) -> list[str]:
    return [
        f"BEGIN:{kind}",
        f"DTSTART:{begins:{_STAMP}}",
        f"TZOFFSETFROM:{old:%z}",
        f"TZOFFSETTO:{new:%z}",
        f"END:{kind}",
    ]


def _escaped(text: str) -> str:
    for mark in ("\\", ";", ","):
        text = text.replace(mark, f"\\{mark}")
    return text


def _folded(line: str) -> bytes:
    """A line of at most 75 bytes; what is left over follows behind a space. No character is cut."""
    out, size = "", 0
    for c in line:
        width = len(c.encode())
        if size + width > 74:
            out, size = out + "\r\n ", 1
        out, size = out + c, size + width
    return out.encode() + b"\r\n"
