"""Looking into calendars: the list of calendars, occurrences in a window, and one event in full."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any

from errands.core.canon import canonical
from errands.core.errors import ToolError
from errands.world import World
from errands.world.refusals import bad_cursor
from errands.world.world import Row

from . import calendar
from .store import PAGE, find, invited, line
from .times import span, stamp

_CURSOR = re.compile(r"(\d{1,15})~(\S{1,80})")
_HIDDEN = "Busy"

_LIST = """
SELECT o.starts, o.ends, e.id, e.title, e.calendar, e.location, e.organizer, e.status, e.all_day, e.zone,
  c.access, e.rrule <> '' OR e.series <> '' AS series,
  (SELECT count(*) FROM calendar_attendee WHERE event = e.id) AS people
FROM calendar_occurrence o INDEXED BY calendar_occurrence_when CROSS JOIN calendar_event e ON e.id = o.event
CROSS JOIN calendar_calendar c ON c.id = e.calendar
WHERE (o.starts, o.event) > (?, ?) AND o.starts < ? AND o.ends > ?{only} ORDER BY o.starts, o.event LIMIT ?
"""
_SEARCHED = """
SELECT id, title, location, notes, organizer FROM calendar_event
WHERE id IN (SELECT event FROM calendar_occurrence WHERE starts < ? AND ends > ?)
AND calendar NOT IN (SELECT id FROM calendar_calendar WHERE access = 'busy')
"""


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
    query: Annotated[str, "words that must all occur in title, place, notes or people; empty for all"] = "",
    calendar: Annotated[str, "id of one calendar; empty for all that you can see"] = "",
    cursor: Annotated[str, "`next` of the page before"] = "",
) -> dict[str, Any]:
    """List what is on the calendars in a window of time, ordered by start, 20 a page.

    Each occurrence of a repeating event is listed for itself. `attendees` is how many people are invited. If
    there is more, `next` is the cursor of the next page, else it is empty. Times are in your own zone.
    """
    low, high = span(w, start, end, w.zone)
    words = line("query", query, 200).casefold().split()
    args: list[Any] = [*_after(cursor), high, low]
    only = ""
    if calendar:
        w.row("calendar_calendar", calendar, "calendar", "an id from calendar_calendars")
        only += " AND e.calendar = ?"
        args.append(calendar)
    if words:
        only += " AND o.event IN (SELECT value FROM json_each(?))"
        found = _matching(w, words, low, high)
        if not found:
            return {"events": [], "next": ""}
        args.append(canonical(found))
    rows = w.all(_LIST.format(only=only), *args, PAGE + 1)
    page = rows[:PAGE]
    last = f"{page[-1]['starts']}~{page[-1]['id']}" if len(rows) > PAGE else ""
    return {"events": [_listed(w, r) for r in page], "next": last}


def _matching(w: World, words: list[str], low: int, high: int) -> list[str]:
    """Events with an occurrence in the window that hold all words. Titles that are hidden match nothing."""
    people = [
        (f"{name} {email}".casefold(), email)
        for name, email in w.db.execute("SELECT DISTINCT name, email FROM calendar_attendee")
    ]
    invited = {word: _invited(w, [email for who, email in people if word in who]) for word in words}
    found = []
    for ident, *parts in w.db.execute(_SEARCHED, (high, low)):
        text = "\n".join(parts).casefold()
        if all(word in text or ident in invited[word] for word in words):
            found.append(ident)
    return found


def _invited(w: World, emails: list[str]) -> set[str]:
    """Events to which one of these is invited."""
    if not emails:
        return set()
    return {
        r[0]
        for r in w.db.execute(
            "SELECT event FROM calendar_attendee WHERE email IN (SELECT value FROM json_each(?))",
            (canonical(emails),),
        )
    }


def _after(cursor: str) -> tuple[int, str]:
    if not cursor:
        return -1, ""
    found = _CURSOR.fullmatch(cursor)
    if not found:
        raise bad_cursor(cursor)
    return int(found[1]), found[2]


def _listed(w: World, r: Row) -> dict[str, Any]:
    hidden = r["access"] == "busy"
    zone = r["zone"] if r["all_day"] else w.zone
    return {
        "event": r["id"],
        "title": _HIDDEN if hidden else r["title"],
        "start": stamp(r["starts"], zone),
        "end": stamp(r["ends"], zone),
        "all_day": bool(r["all_day"]),
        "calendar": r["calendar"],
        "location": "" if hidden else r["location"],
        "attendees": 0 if hidden else r["people"],
        "organizer": "" if hidden else r["organizer"],
        "series": bool(r["series"]),
        "status": r["status"],
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
        raise ToolError(
            "permission",
            f"of {r['calendar_name']} you only see when time is taken",
            field="event",
            value=event,
            expected="an event on a calendar with access 'own' or 'read'",
        )
    zone = r["zone"]
    coming = w.all(
        "SELECT starts, ends FROM calendar_occurrence WHERE event = ? AND ends > ? ORDER BY starts LIMIT 5",
        event,
        w.now,
    )
    swaps = (
        w.all(
            "SELECT id, original FROM calendar_event WHERE series = ? ORDER BY original, id LIMIT 50", event
        )
        if r["rrule"]
        else []
    )
    return {
        "event": event,
        "calendar": r["calendar"],
        "title": r["title"],
        "start": stamp(r["starts"], zone),
        "end": stamp(r["ends"], zone),
        "zone": zone,
        "all_day": bool(r["all_day"]),
        "location": r["location"],
        "notes": r["notes"],
        "organizer": r["organizer"],
        "status": r["status"],
        "rrule": r["rrule"],
        "exdates": [stamp(ms, zone) for ms in json.loads(r["exdates"])],
        "series": r["series"],
        "original": None if r["original"] is None else stamp(r["original"], zone),
        "version": r["version"],
        "attendees": [{**a, "optional": bool(a["optional"])} for a in invited(w, event)],
        "upcoming": [{"start": stamp(o["starts"], zone), "end": stamp(o["ends"], zone)} for o in coming],
        "exceptions": [{"event": s["id"], "original": stamp(s["original"], zone)} for s in swaps],
        "notices": [
            _noticed(w, n)
            for n in w.all(
                "SELECT id, kind, recipient, message, sent_at FROM calendar_notice WHERE event = ?"
                " ORDER BY id LIMIT 200",
                event,
            )
        ],
    }


def _noticed(w: World, n: Row) -> dict[str, Any]:
    return {
        "notice": n["id"],
        "kind": n["kind"],
        "recipient": n["recipient"],
        "message": n["message"],
        "sent_at": None if n["sent_at"] is None else stamp(n["sent_at"], w.zone),
    }
