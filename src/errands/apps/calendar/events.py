"""Writing events: making one, leaving out an occurrence, deleting. (Moving and editing: `moves.py`.)"""

from __future__ import annotations

from typing import Annotated, Any

from errands.core.canon import canonical
from errands.core.errors import ToolError
from errands.world import World
from errands.world.world import Row

from . import calendar
from .moves import add_exdate, occurrence_at
from .recurrence import MAX_OCCURRENCES, parse
from .store import (
    addresses,
    block,
    discard_unsent,
    find_own,
    invite,
    keep_occurrences,
    line,
    own_calendar,
    owner,
)
from .times import check_order, check_zone, on_day, read


def rule(text: str) -> str:
    """A recurrence rule in its plain form, or the `ToolError` that says what is wrong with it."""
    if not text.strip():
        return ""
    try:
        return ";".join(f"{k}={v}" for k, v in parse(text).items())
    except ValueError as why:
        raise ToolError(
            "invalid",
            str(why),
            field="rrule",
            value=text,
            expected="an RFC 5545 rule such as FREQ=WEEKLY;BYDAY=TU;COUNT=8",
        ) from None


def left_out(w: World, texts: list[str], starts: int, zone: str, rrule: str) -> str:
    """Occurrences to leave out as a JSON list of ms; a bare date means the occurrence on that day."""
    if texts and not rrule:
        raise ToolError(
            "invalid",
            "only a repeating event has dates to leave out",
            field="exdates",
            expected="an empty list, or a rrule",
        )
    if len(texts) > MAX_OCCURRENCES:
        raise ToolError(
            "limit",
            f"{len(texts)} dates are too many",
            field="exdates",
            expected=f"at most {MAX_OCCURRENCES}",
        )
    return canonical(sorted({on_day(w, "exdates", t, starts, zone) for t in texts}))


@calendar.write("calendar.write")
def create_event(
    w: World,
    title: Annotated[str, "what it is called"],
    start: Annotated[str, "e.g. 2026-11-05T16:30, in `zone` unless it has an offset; a date if all_day"],
    end: Annotated[str, "e.g. 2026-11-05T17:30; if all_day, the day after the last day"],
    attendees: Annotated[list[str] | None, "who is invited: addresses, or Name <address>; me is you"] = None,
    location: Annotated[str, "where it takes place"] = "",
    notes: Annotated[str, "notes to it, as its attendees see them"] = "",
    calendar: Annotated[str, "id of a calendar of your own; empty for your usual one"] = "",
    rrule: Annotated[str, "how it repeats (RFC 5545), e.g. FREQ=WEEKLY;BYDAY=TU;COUNT=8; or empty"] = "",
    exdates: Annotated[list[str] | None, "occurrences to leave out, e.g. 2026-11-12"] = None,
    zone: Annotated[str, "IANA zone of the event, e.g. Europe/London; empty for the calendar's"] = "",
    all_day: Annotated[bool, "whether it takes whole days"] = False,
) -> dict[str, Any]:
    """Put an event on a calendar of your own. You are its organizer.

    Nobody is told: to invite the attendees, prepare notices of kind invite and send them. A repeating event
    must start on a day that its rule names. Returns its id, times and how many occurrences are kept.
    """
    home = own_calendar(w, calendar)
    zone = check_zone(zone or home["zone"])
    starts, ends = read(w, "start", start, zone, day=all_day), read(w, "end", end, zone, day=all_day)
    check_order(starts, ends, zone, all_day)
    title = line("title", title)
    if not title:
        raise ToolError("invalid", "the title is empty", field="title", expected="a title")
    people = addresses(w, "attendees", attendees or [])
    rrule = rule(rrule)
    row: Row = {
        "id": w.new_id("evt"),
        "calendar": home["id"],
        "title": title,
        "starts": starts,
        "ends": ends,
        "zone": zone,
        "all_day": int(all_day),
        "location": line("location", location),
        "notes": block("notes", notes, 20_000),
        "organizer": owner(w),
        "status": "confirmed",
        "rrule": rrule,
        "exdates": left_out(w, exdates or [], starts, zone, rrule),
        "series": "",
        "original": None,
        "version": 1,
    }
    w.insert("calendar_event", **row)
    count = keep_occurrences(w, row)
    invite(w, row["id"], people, row["organizer"])
    return {
        "event": row["id"],
        "calendar": home["id"],
        "version": 1,
        "start": w.local(starts, zone),
        "end": w.local(ends, zone),
        "occurrences": count,
    }


@calendar.write("calendar.write")
def exclude(
    w: World,
    event: Annotated[str, "id of a repeating event"],
    occurrence: Annotated[str, "start of the occurrence to leave out, e.g. 2026-11-12T10:00 or 2026-11-12"],
) -> dict[str, Any]:
    """Take one occurrence out of a repeating event; the others stay. Nobody is told.

    Cancel notices name the whole series: say in the message which occurrence falls out.
    """
    row = find_own(w, event)
    starts, _ = occurrence_at(w, row, occurrence)
    version = add_exdate(w, row, starts)
    w.run("DELETE FROM calendar_occurrence WHERE event = ? AND starts = ?", event, starts)
    return {"event": event, "version": version, "excluded": w.local(starts, row["zone"])}


@calendar.write("calendar.write")
def delete_event(w: World, event: Annotated[str, "id of the event"]) -> dict[str, Any]:
    """Delete an event from a calendar of your own: a whole series with its exceptions, or one exception.

    Attendees are not told. To tell them, prepare cancel notices and send them first: notices about the event
    that are not sent are discarded with it. A deleted exception leaves its series without that occurrence.
    """
    row = find_own(w, event)
    gone = [event]
    if row["rrule"]:
        gone += [r["id"] for r in w.all("SELECT id FROM calendar_event WHERE series = ? ORDER BY id", event)]
    discarded = discard_unsent(w, gone)
    for ident in gone:
        w.run("DELETE FROM calendar_event WHERE id = ?", ident)
    master = w.one("SELECT * FROM calendar_event WHERE id = ?", row["series"]) if row["series"] else None
    if master is not None:
        add_exdate(w, master, row["original"])
    return {"deleted": gone, "notices_discarded": discarded}
