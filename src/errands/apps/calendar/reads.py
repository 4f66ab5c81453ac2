"""Looking into calendars: the list of calendars, occurrences in a window, and one event in full."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any

from errands.core.errors import ToolError
from errands.world import World
from errands.world.world import Row

from . import calendar
from .store import PAGE, find, invited, line
from .times import span

_CURSOR = re.compile(r"(\d{1,15})~(\S{1,80})")
_HIDDEN = "Busy"

_LIST = """
SELECT o.starts, o.ends, e.id, e.title, e.calendar, e.location, e.organizer, e.status, e.all_day, e.zone, c.access,
  e.rrule <> '' OR e.series <> '' AS series{more}
FROM calendar_occurrence o INDEXED BY calendar_occurrence_when CROSS JOIN calendar_event e ON e.id = o.event
CROSS JOIN calendar_calendar c ON c.id = e.calendar
WHERE o.starts < ? AND o.ends > ? AND (o.starts, o.event) > (?, ?){only} ORDER BY o.starts, o.event{limit}
"""
_SEARCHED = (", e.notes, (SELECT group_concat(a.name || ' ' || a.email, ' ') FROM calendar_attendee a"
             " WHERE a.event = e.id) AS people")


@calendar.read("calendar.read")
def calendars(w: World) -> list[dict[str, Any]]:
    """List the calendars you can see.

    `access` is own (you may write), read (you may look), or busy (you only see that time is taken).
    """
    return w.all("SELECT id, name, owner, access, zone FROM calendar_calendar ORDER BY id")


@calendar.read("calendar.read")
def events(
    w: World,
    start: Annotated[str, "from when, e.g. 2026-11-05 or 2026-11-05T09:00"],
    end: Annotated[str, "until when, not included, e.g. 2026-11-07"],
    query: Annotated[str, "words that must all occur in title, place, notes or people; empty for everything"] = "",
    calendar: Annotated[str, "id of one calendar; empty for all that you can see"] = "",
    cursor: Annotated[str, "`next` of the page before"] = "",
) -> dict[str, Any]:
    """List what is on the calendars in a window of time, ordered by start, 20 a page.

    Each occurrence of a repeating event is listed for itself. `attendees` is how many people are invited. If
    there is more, `next` is the cursor of the next page, else it is empty. Times are in your own zone.
    """
    low, high = span(w, start, end, w.zone)
    words = line("query", query, 200).casefold().split()
    args: list[Any] = [high, low, *_after(cursor)]
    if calendar:
        if not w.value("SELECT 1 FROM calendar_calendar WHERE id = ?", calendar):
            raise ToolError("not_found", f"there is no calendar {calendar[:80]!r}", field="calendar", value=calendar,
                            expected="an id from calendar_calendars")
        args.append(calendar)
    only = " AND e.calendar = ?" if calendar else ""
    sql = _LIST.format(only=only, more=_SEARCHED if words else "", limit="" if words else f" LIMIT {PAGE + 1}")
    rows = [r for r in w.all(sql, *args) if not words or _matches(r, words)]
    page = rows[:PAGE]
    last = f"{page[-1]['starts']}~{page[-1]['id']}" if len(rows) > PAGE else ""
    return {"events": [_listed(w, r) for r in page], "next": last}


def _after(cursor: str) -> tuple[int, str]:
    if not cursor:
        return -1, ""
    found = _CURSOR.fullmatch(cursor)
    if not found:
        raise ToolError("invalid", "this is no cursor of this list", field="cursor", value=cursor,
                        expected="the `next` of a page before")
    return int(found[1]), found[2]


def _matches(row: Row, words: list[str]) -> bool:
    if row["access"] == "busy":
        return False
    text = "\n".join((row["title"], row["location"], row["notes"], row["organizer"], row["people"] or "")).casefold()
    return all(word in text for word in words)


def _listed(w: World, r: Row) -> dict[str, Any]:
    hidden = r["access"] == "busy"
    zone = r["zone"] if r["all_day"] else w.zone
    count = 0 if hidden else w.value("SELECT count(*) FROM calendar_attendee WHERE event = ?", r["id"])
    return {
        "event": r["id"], "title": _HIDDEN if hidden else r["title"], "start": w.local(r["starts"], zone),
        "end": w.local(r["ends"], zone), "all_day": bool(r["all_day"]), "calendar": r["calendar"],
        "location": "" if hidden else r["location"], "attendees": count,
        "organizer": "" if hidden else r["organizer"], "series": bool(r["series"]), "status": r["status"],
    }


@calendar.read("calendar.read")
def event(w: World, event: Annotated[str, "id of the event"]) -> dict[str, Any]:
    """Show one event in full: times in its own zone, people and their answers, rule, and notices.

    `upcoming` are its next occurrences, five at most. An exception of a series names the series and the
    occurrence that it replaces in `series` and `original`; a series lists its `exceptions`. `version` goes up
    with each change. `notices` are the messages about it: waiting ones have no `sent_at`.
    """
    r = find(w, event)
    if r["access"] == "busy":
        raise ToolError("permission", f"of {r['calendar_name']} you only see when time is taken", field="event",
                        value=event, expected="an event on a calendar with access 'own' or 'read'")
    zone = r["zone"]
    coming = w.all("SELECT starts, ends FROM calendar_occurrence WHERE event = ? AND ends > ? ORDER BY starts LIMIT 5",
                   event, w.now)
    swaps = w.all("SELECT id, original FROM calendar_event WHERE series = ? ORDER BY original, id LIMIT 50",
                  event) if r["rrule"] else []
    return {
        "event": event, "calendar": r["calendar"], "title": r["title"], "start": w.local(r["starts"], zone),
        "end": w.local(r["ends"], zone), "zone": zone, "all_day": bool(r["all_day"]), "location": r["location"],
        "notes": r["notes"], "organizer": r["organizer"], "status": r["status"], "rrule": r["rrule"],
        "exdates": [w.local(ms, zone) for ms in json.loads(r["exdates"])], "series": r["series"],
        "original": None if r["original"] is None else w.local(r["original"], zone), "version": r["version"],
        "attendees": [{**a, "optional": bool(a["optional"])} for a in invited(w, event)],
        "upcoming": [{"start": w.local(o["starts"], zone), "end": w.local(o["ends"], zone)} for o in coming],
        "exceptions": [{"event": s["id"], "original": w.local(s["original"], zone)} for s in swaps],
        "notices": [_noticed(w, n) for n in w.all(
            "SELECT id, kind, recipient, message, sent_at FROM calendar_notice WHERE event = ? ORDER BY id LIMIT 200",
            event)],
    }


def _noticed(w: World, n: Row) -> dict[str, Any]:
    return {"notice": n["id"], "kind": n["kind"], "recipient": n["recipient"], "message": n["message"],
            "sent_at": None if n["sent_at"] is None else w.local(n["sent_at"])}
