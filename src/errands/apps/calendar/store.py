"""Rows of the calendar: finding events, who may write them, attendees, and occurrences kept in step."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import timedelta

from errands.core.clock import resolve, to_ms
from errands.core.errors import ToolError
from errands.world import World
from errands.world.refusals import missing
from errands.world.world import Row

from .recurrence import TooMany, expand, wall, whole_days
from .times import kept

MAX_ATTENDEES = 100
PAGE = 20
_EMAIL = re.compile(r"[^\s@<>,;:\"()]{1,64}@[^\s@<>,;:\"()]{1,180}\.[^\s@<>,;:\"().]{2,24}")
_NAMED = re.compile(r"\s*\"?([^<>\"]{0,200}?)\"?\s*<\s*([^<>\s]{3,270})\s*>\s*")


def owner(w: World) -> str:
    """The e-mail address of the person whose calendar this is."""
    known: str = w.meta.get("owner", "")
    if not known:
        known = w.value("SELECT owner FROM calendar_calendar WHERE access = 'own' ORDER BY id") or ""
    return known.lower()


def default_calendar(w: World) -> Row:
    """The own calendar that the fixture's meta `calendar` names, else the owner's first by id."""
    row = w.one(
        "SELECT * FROM calendar_calendar WHERE access = 'own' ORDER BY id <> ?, owner <> ?, id LIMIT 1",
        w.meta.get("calendar", ""),
        owner(w),
    )
    if row is None:
        raise ToolError(
            "not_found",
            "there is no calendar of your own",
            field="calendar",
            expected="a calendar with access 'own'",
        )
    return row


def own_calendar(w: World, ident: str) -> Row:
    """A calendar that may be written; '' means the default."""
    if not ident:
        return default_calendar(w)
    row = w.row("calendar_calendar", ident, "calendar", "an id from calendar_calendars")
    if row["access"] != "own":
        raise ToolError(
            "permission",
            f"you may not write to {row['name']}",
            field="calendar",
            value=ident,
            expected="a calendar with access 'own'",
        )
    return row


def find(w: World, ident: str) -> Row:
    """An event with the name, owner and access of its calendar."""
    row = w.one(
        "SELECT e.*, c.name AS calendar_name, c.owner, c.access FROM calendar_event e"
        " JOIN calendar_calendar c ON c.id = e.calendar WHERE e.id = ?",
        ident,
    )
    if row is None:
        raise missing("event", ident, "an id from calendar_events")
    return row


def find_own(w: World, ident: str) -> Row:
    """An event on a calendar that may be written."""
    row = find(w, ident)
    if row["access"] != "own":
        raise ToolError(
            "permission",
            f"you may not write to {row['calendar_name']}",
            field="event",
            value=ident,
            expected="an event on a calendar with access 'own'",
        )
    return row


def line(field: str, text: str, limit: int = 300) -> str:
    """A text of one line, or the `ToolError` that says it is too long."""
    text = " ".join(text.split())
    if len(text) > limit:
        raise ToolError(
            "limit",
            f"{field} has {len(text)} characters",
            field=field,
            expected=f"at most {limit} characters",
        )
    return text


def block(field: str, text: str, limit: int) -> str:
    """A text of several lines, or the `ToolError` that says it is too long."""
    if len(text) > limit:
        raise ToolError(
            "limit",
            f"{field} has {len(text)} characters",
            field=field,
            expected=f"at most {limit} characters",
        )
    return text


# ---- people ------------------------------------------------------------------------------------------------


def address(w: World, field: str, text: str) -> tuple[str, str]:
    """(e-mail, name) of "tan@x.example", "Tan <tan@x.example>" or "me"."""
    name = ""
    text = text.strip()
    named = _NAMED.fullmatch(text) if len(text) <= 500 else None  # longer ones would cost their square
    if named:
        name, text = named[1].strip(), named[2]
    email = text.lower()
    if email == "me":
        return owner(w), name
    if not _EMAIL.fullmatch(email):
        raise ToolError(
            "invalid",
            "this is no e-mail address",
            field=field,
            value=text,
            expected="an address such as tan@larkspur.example, or me",
        )
    return email, name


def addresses(w: World, field: str, texts: list[str]) -> dict[str, str]:
    """E-mail to name, in the order given; twice the same person counts once."""
    if len(texts) > MAX_ATTENDEES:
        raise ToolError(
            "limit", f"{len(texts)} people are too many", field=field, expected=f"at most {MAX_ATTENDEES}"
        )
    out: dict[str, str] = {}
    for text in texts:
        email, name = address(w, field, text)
        out[email] = out.get(email) or name
    return out


def invited(w: World, event: str) -> list[Row]:
    """Attendee rows of an event, by e-mail."""
    return w.all(
        "SELECT email, name, response, optional FROM calendar_attendee WHERE event = ? ORDER BY email", event
    )


def invite(w: World, event: str, people: dict[str, str], organizer: str) -> None:
    """Add attendees. A name that was not given is the one that the calendar knows for the address."""
    if not people:
        return
    marks = ",".join("?" * len(people))
    known = {
        r["email"]: r["name"]
        for r in w.all(
            f"SELECT email, max(name) AS name FROM calendar_attendee WHERE email IN ({marks}) GROUP BY email",
            *people,
        )
    }
    for email, name in people.items():
        w.insert(
            "calendar_attendee",
            event=event,
            email=email,
            name=name or known.get(email, ""),
            response="accepted" if email == organizer else "needs-action",
        )


# ---- occurrences -------------------------------------------------------------------------------------------


def moved_away(w: World, series: str) -> list[int]:
    """Occurrences of a series that exceptions replace."""
    return [r["original"] for r in w.all("SELECT original FROM calendar_event WHERE series = ?", series)]


def occurrences(w: World, event: Row) -> list[tuple[int, int]]:
    """What an event's occurrences are by its rule, as (start, end); `ToolError` when the rule does not do."""
    gone = set(json.loads(event["exdates"]))
    if event["rrule"]:
        gone.update(moved_away(w, event["id"]))
    try:
        return expand(event["starts"], event["ends"], event["zone"], event["rrule"], gone, kept(w))
    except TooMany as why:
        raise ToolError(
            "limit",
            str(why),
            field="rrule",
            value=event["rrule"],
            expected="a rule with COUNT or UNTIL, or one that repeats less often",
        ) from None
    except ValueError as why:
        raise ToolError(
            "invalid",
            str(why),
            field="rrule",
            value=event["rrule"],
            expected="a rule such as FREQ=WEEKLY;BYDAY=TU;COUNT=8 that the start fits",
        ) from None


def keep_occurrences(w: World, event: Row) -> int:
    """Bring an event's occurrence rows in step with its rule; returns how many there are.

    Only rows that differ are touched. An event that would nowhere be seen in the kept window is refused.
    """
    new = dict(occurrences(w, event))
    if not new:
        low, high = kept(w)
        raise ToolError(
            "invalid",
            "the event has no occurrence in the time that this calendar keeps",
            field="rrule",
            value=event["rrule"],
            expected=f"an occurrence from {w.local(low)} to {w.local(high)}",
        )
    ident = event["id"]
    old: dict[int, int] = dict(
        w.db.execute("SELECT starts, ends FROM calendar_occurrence WHERE event = ?", (ident,))
    )
    for starts, ends in old.items():
        if starts not in new:
            w.run("DELETE FROM calendar_occurrence WHERE event = ? AND starts = ?", ident, starts)
        elif new[starts] != ends:
            w.run(
                "UPDATE calendar_occurrence SET ends = ? WHERE event = ? AND starts = ?",
                new[starts],
                ident,
                starts,
            )
    for starts, ends in new.items():
        if starts not in old:
            w.run("INSERT INTO calendar_occurrence VALUES (?, ?, ?)", ident, starts, ends)
    return len(new)


def shifted(ms: int, by: timedelta, old_zone: str, new_zone: str) -> int:
    """A time whose wall clock moves by `by`, maybe into another zone."""
    return to_ms(resolve(wall(ms, old_zone) + by, new_zone))


def same_length(event: Row, old: tuple[int, int], starts: int, zone: str) -> int:
    """The end that keeps the length: exact time, or whole days for an event of whole days."""
    if not event["all_day"]:
        return starts + old[1] - old[0]
    return shifted(starts, timedelta(whole_days(*old, event["zone"])), zone, zone)


def discard_unsent(w: World, events: Iterable[str]) -> list[str]:
    """Throw away notices of these events that wait to be sent; returns their ids."""
    out = []
    for event in events:
        out += [
            r["id"]
            for r in w.all(
                "SELECT id FROM calendar_notice WHERE event = ? AND sent_at IS NULL ORDER BY id", event
            )
        ]
        w.run("DELETE FROM calendar_notice WHERE event = ? AND sent_at IS NULL", event)
    return out
