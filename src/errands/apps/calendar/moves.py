"""Changing events: edits, moves of whole series, and of one occurrence as an exception."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Annotated, Any

from errands.core.canon import canonical
from errands.core.errors import ToolError
from errands.world import World
from errands.world.world import Row

from . import calendar
from .recurrence import moved, wall
from .store import (
    addresses,
    block,
    find_own,
    invite,
    invited,
    keep_occurrences,
    line,
    moved_away,
    owner,
    same_length,
    shifted,
)
from .times import check_order, check_zone, on_day, read

_COPIED = (
    "calendar",
    "title",
    "starts",
    "ends",
    "zone",
    "all_day",
    "location",
    "notes",
    "organizer",
    "status",
)
_EDITED = ("title", "location", "notes", "starts", "ends", "zone", "rrule", "exdates")


@calendar.write("calendar.write")
def update_event(
    w: World,
    event: Annotated[str, "id of the event"],
    title: Annotated[str, "new title; empty keeps it"] = "",
    start: Annotated[str, "new start, e.g. 2026-11-05T16:30; alone it keeps the length"] = "",
    end: Annotated[str, "new end, e.g. 2026-11-05T17:30"] = "",
    location: Annotated[str | None, "new place; an empty text removes it"] = None,
    notes: Annotated[str | None, "new notes; an empty text removes them"] = None,
    attendees: Annotated[list[str] | None, "all invited from now on; who stays keeps the answer"] = None,
    zone: Annotated[str, "new IANA zone; alone it keeps the moment, and a series follows its clock"] = "",
    occurrence: Annotated[str, "start of one occurrence of a series, to change only that one"] = "",
    version: Annotated[int, "the version that you read; if the event has changed since, nothing is done"] = 0,
) -> dict[str, Any]:
    """Change an event on a calendar of your own. What is not given stays. Nobody is told.

    Times are read in the event's zone unless they have an offset. Without `occurrence` a series changes as a
    whole: dates that were left out move along, exceptions stay where they are, and a new start on another day
    makes the series begin there. With `occurrence` the one becomes an event of its own (an exception), whose
    id is returned. Only the organizer can move an event.
    """
    row = find_own(w, event)
    if version and version != row["version"]:
        raise ToolError(
            "conflict",
            f"the event has changed: it is at version {row['version']}",
            field="version",
            value=version,
            expected="the version from a fresh calendar_event",
        )
    if start or end or zone:
        _may_move(w, row)
    people = None if attendees is None else addresses(w, "attendees", attendees)
    words = _words(title, location, notes)
    if not (words or start or end or zone or people is not None):
        raise ToolError(
            "invalid", "nothing to change is given", expected="a new title, start, end, location, ..."
        )
    if occurrence:
        row, old = _exception(w, row, occurrence)
        before: Row = {}
    else:
        old, before = (row["starts"], row["ends"]), dict(row)
    row.update(words)
    row["starts"], row["ends"], row["zone"] = _times(w, row, old, start, end, zone)
    if before and before["rrule"] and (row["starts"], row["zone"]) != (before["starts"], before["zone"]):
        _take_along(w, row, before)
    _store(w, row, before, people)
    return {
        "event": row["id"],
        "version": row["version"],
        "start": w.local(row["starts"], row["zone"]),
        "end": w.local(row["ends"], row["zone"]),
    }


def _words(title: str, location: str | None, notes: str | None) -> Row:
    out: Row = {}
    if title:
        out["title"] = line("title", title)
        if not out["title"]:
            raise ToolError("invalid", "the title is empty", field="title", expected="a title")
    if location is not None:
        out["location"] = line("location", location)
    if notes is not None:
        out["notes"] = block("notes", notes, 20_000)
    return out


def _may_move(w: World, row: Row) -> None:
    if row["organizer"] not in ("", owner(w), row["owner"]):  # nobody organizes a note to oneself
        raise ToolError(
            "permission",
            "only the organizer can move it",
            field="event",
            value=row["id"],
            expected=f"an event of your own; the organizer is {row['organizer']}",
        )


def _times(w: World, row: Row, old: tuple[int, int], start: str, end: str, zone: str) -> tuple[int, int, str]:
    """New start, end and zone; what is not given follows from what is."""
    all_day, to = bool(row["all_day"]), check_zone(zone or row["zone"])
    starts = read(w, "start", start, to, day=all_day) if start else old[0]
    ends = old[1]
    if all_day and to != row["zone"] and not start:  # whole days stay the same days in another zone
        starts, ends = (shifted(ms, timedelta(), row["zone"], to) for ms in old)
    if end:
        ends = read(w, "end", end, to, day=all_day)
    elif start:
        ends = same_length(row, old, starts, to)
    check_order(starts, ends, to, all_day)
    return starts, ends, to


def _take_along(w: World, row: Row, before: Row) -> None:
    """Move the rule and the left-out dates of a series as far as the occurrence nearest to its new start."""
    gone = json.loads(before["exdates"])
    known = [
        before["starts"],
        *gone,
        *moved_away(w, row["id"]),
        *(r["starts"] for r in w.all("SELECT starts FROM calendar_occurrence WHERE event = ?", row["id"])),
    ]
    nearest = min(known, key=lambda ms: (abs(ms - row["starts"]), ms))
    old_zone, zone = before["zone"], row["zone"]
    to = wall(row["starts"], zone)
    by = to - wall(nearest, old_zone)
    row["rrule"] = moved(before["rrule"], by, to, old_zone, zone)
    row["exdates"] = canonical(sorted(shifted(ms, by, old_zone, zone) for ms in gone))
    for r in w.all("SELECT id, original FROM calendar_event WHERE series = ?", row["id"]):
        original = shifted(r["original"], by, old_zone, zone)
        if original != r["original"]:
            w.update("calendar_event", r["id"], original=original)


def _exception(w: World, master: Row, occurrence: str) -> tuple[Row, tuple[int, int]]:
    """An event of its own in place of one occurrence, not stored yet; and that occurrence's times."""
    starts, ends = occurrence_at(w, master, occurrence)
    row: Row = {c: master[c] for c in _COPIED}
    row.update(
        id=w.new_id("evt"),
        starts=starts,
        ends=ends,
        rrule="",
        exdates="[]",
        series=master["id"],
        original=starts,
        version=1,
    )
    return row, (starts, ends)


def _store(w: World, row: Row, before: Row, people: dict[str, str] | None) -> None:
    """Write what differs; the version goes up only if something does. Nothing `before`: a new exception."""
    if not before:
        w.insert("calendar_event", **row)
        w.run(
            "DELETE FROM calendar_occurrence WHERE event = ? AND starts = ?", row["series"], row["original"]
        )
        for a in invited(w, row["series"]):
            w.insert("calendar_attendee", event=row["id"], **a)
        keep_occurrences(w, row)
    other_people = people is not None and _reinvite(w, row, people)
    if not before:
        return
    new = {k: row[k] for k in _EDITED if row[k] != before[k]}
    if new or other_people:
        row["version"] = before["version"] + 1
        w.update("calendar_event", row["id"], **new, version=row["version"])
    if new.keys() & {"starts", "ends", "zone", "rrule", "exdates"}:
        keep_occurrences(w, row)


def _reinvite(w: World, row: Row, people: dict[str, str]) -> bool:
    """Make these the attendees; who stays keeps name and answer. Returns whether anybody came or went."""
    before = {a["email"] for a in invited(w, row["id"])}
    for email in sorted(before - people.keys()):
        w.run("DELETE FROM calendar_attendee WHERE event = ? AND email = ?", row["id"], email)
    invite(w, row["id"], {e: n for e, n in people.items() if e not in before}, row["organizer"])
    return before != people.keys()


def occurrence_at(w: World, row: Row, text: str) -> tuple[int, int]:
    """The occurrence of a series that starts at this time (or on this day); `ToolError` if there is none."""
    if not row["rrule"]:
        what = "is one occurrence of a series already" if row["series"] else "does not repeat"
        raise ToolError(
            "invalid",
            f"the event {what}",
            field="occurrence",
            value=text,
            expected="no occurrence: change or delete the event itself",
        )
    starts = on_day(w, "occurrence", text, row["starts"], row["zone"])
    found = w.one(
        "SELECT starts, ends FROM calendar_occurrence WHERE event = ? AND starts = ?", row["id"], starts
    )
    if found:
        return found["starts"], found["ends"]
    other = w.value("SELECT id FROM calendar_event WHERE series = ? AND original = ?", row["id"], starts)
    if other:
        raise ToolError(
            "conflict",
            f"this occurrence was changed before: it is the event {other}",
            field="occurrence",
            value=text,
            expected=f"a call for the event {other}",
        )
    near = w.all(
        "SELECT starts FROM calendar_occurrence WHERE event = ? ORDER BY abs(starts - ?), starts LIMIT 3",
        row["id"],
        starts,
    )
    raise ToolError(
        "not_found",
        "the series has no occurrence at this time",
        field="occurrence",
        value=text,
        expected="one such as " + ", ".join(w.local(n["starts"], row["zone"]) for n in near),
    )


def add_exdate(w: World, row: Row, starts: int) -> int:
    """Leave an occurrence out of a series for good; returns the new version."""
    gone = sorted({*json.loads(row["exdates"]), starts})
    w.update("calendar_event", row["id"], exdates=canonical(gone), version=row["version"] + 1)
    return int(row["version"]) + 1
