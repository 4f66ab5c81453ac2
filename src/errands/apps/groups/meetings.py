"""Meetings of a group: planned, which nobody sees, and then scheduled, which everybody is told."""

from __future__ import annotations

from typing import Annotated, Any

from errands.core import clock
from errands.core.errors import ToolError
from errands.world import Shown, World

from . import groups
from .threads import YOU, Thread, speak, thread_row

MOST = 20
Meeting = Annotated[str, "id of a meeting"]
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def _spoken(starts: int, zone: str) -> str:
    at = clock.from_ms(starts, zone)
    return f"{DAYS[at.weekday()]}, {at:%Y-%m-%d} {at:%H:%M} {zone}"


@groups.staged("meeting", table="groups_meeting")
def shown(w: World, ident: str) -> Shown | None:
    """A planned meeting as its members will see it."""
    row = w.one(
        "SELECT m.*, t.name FROM groups_meeting m JOIN groups_thread t ON t.id = m.thread"
        " WHERE m.id = ? AND m.scheduled IS NULL",
        ident,
    )
    if row is None:
        return None
    at = clock.from_ms(row["starts"], row["zone"])
    content = {
        "thread": row["thread"],
        "title": row["title"],
        "start": clock.iso(row["starts"], "UTC"),
        "minutes": row["minutes"],
        "zone": row["zone"],
    }
    when = _spoken(row["starts"], row["zone"])
    text = f"meeting of “{row['name']}”: {row['title']}, {when}, {row['minutes']} minutes"
    return Shown(content, text, (row["title"], f"{at:%H:%M}", row["name"]))


def _row(w: World, ident: str, *, waiting: bool = False) -> dict[str, Any]:
    row = w.row("groups_meeting", ident, "meeting", "an id from groups_meetings")
    if waiting and row["scheduled"] is not None:
        raise ToolError(
            "conflict",
            "this meeting is scheduled already",
            field="meeting",
            value=ident,
            expected="a planned meeting",
        )
    return row


def _picture(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "meeting": row["id"],
        "thread": row["thread"],
        "title": row["title"],
        "start": clock.iso(row["starts"], row["zone"]),
        "minutes": row["minutes"],
        "zone": row["zone"],
        "state": "planned" if row["scheduled"] is None else "scheduled",
    }


def _zone(w: World, zone: str) -> str:
    try:
        clock.from_ms(w.now, zone)
    except ValueError as why:
        raise ToolError(
            "invalid", str(why), field="zone", value=zone, expected="an IANA zone, e.g. UTC or Europe/London"
        ) from None
    return zone


def _minutes(minutes: int) -> int:
    if not 5 <= minutes <= 600:
        raise ToolError(
            "invalid", "no such length", field="minutes", value=minutes, expected="5 to 600 minutes"
        )
    return minutes


@groups.write("groups.post")
def plan_meeting(
    w: World,
    thread: Thread,
    title: Annotated[str, "what it is called"],
    start: Annotated[str, "ISO time, in `zone` unless it has an offset, e.g. 2026-11-24T14:00"],
    zone: Annotated[str, "IANA zone in which the time is meant and shown; empty: your user's"] = "",
    minutes: Annotated[int, "how long"] = 60,
) -> dict[str, Any]:
    """Plan a meeting of a group. Nobody is told before groups_schedule."""
    thread_row(w, thread)
    if not title.strip() or len(title) > 200:
        raise ToolError(
            "invalid", "it needs a title", field="title", value=title, expected="1 to 200 characters"
        )
    if w.value("SELECT count(*) FROM groups_meeting") >= MOST:
        raise ToolError("limit", f"there are {MOST} meetings already", expected="drop one first")
    where = _zone(w, zone or w.zone)
    ident = w.new_id("gmt")
    w.insert(
        "groups_meeting",
        id=ident,
        thread=thread,
        title=title,
        starts=w.moment("start", start, where),
        minutes=_minutes(minutes),
        zone=where,
        scheduled=None,
    )
    return _picture(_row(w, ident))


@groups.write("groups.post")
def edit_meeting(
    w: World,
    meeting: Meeting,
    title: Annotated[str | None, "another title"] = None,
    start: Annotated[str | None, "another ISO time, in the meeting's zone unless it has an offset"] = None,
    minutes: Annotated[int | None, "another length"] = None,
) -> dict[str, Any]:
    """Change a planned meeting; what is not given stays."""
    row = _row(w, meeting, waiting=True)
    changes: dict[str, Any] = {}
    if title is not None:
        changes["title"] = title
    if start is not None:
        changes["starts"] = w.moment("start", start, row["zone"])
    if minutes is not None:
        changes["minutes"] = _minutes(minutes)
    if changes:
        w.update("groups_meeting", meeting, **changes)
    return _picture(_row(w, meeting))


@groups.write("groups.post")
def drop_meeting(w: World, meeting: Meeting) -> dict[str, str]:
    """Throw a planned meeting away."""
    _row(w, meeting, waiting=True)
    w.run("DELETE FROM groups_meeting WHERE id = ?", meeting)
    return {"dropped": meeting}


@groups.read("groups.read")
def meetings(w: World) -> list[dict[str, Any]]:
    """The meetings that are planned or scheduled, by start."""
    return [_picture(r) for r in w.all("SELECT * FROM groups_meeting ORDER BY starts, id")]


@groups.commit("groups.schedule", stages="meeting")
def schedule(w: World, meeting: Meeting) -> dict[str, Any]:
    """Schedule a planned meeting: it stands for every member, and they are told. It cannot be taken back."""
    row = _row(w, meeting, waiting=True)
    away = w.value(
        "SELECT p.name FROM groups_away a JOIN groups_member p ON p.id = a.member"
        " WHERE p.thread = ? AND a.starts >= ? AND a.starts < ? ORDER BY p.name",
        row["thread"],
        row["starts"],
        row["starts"] + row["minutes"] * 60_000,
    )
    if away is not None:
        raise ToolError(
            "conflict",
            f"{away} is marked as not available then",
            field="meeting",
            value=meeting,
            expected="a time at which every member is available",
        )
    if row["starts"] <= w.now:
        raise ToolError(
            "conflict", "this time is past", field="meeting", value=meeting, expected="a time to come"
        )
    w.update("groups_meeting", meeting, scheduled=w.now)
    speak(w, row["thread"], YOU, f"Scheduled: {row['title']}, {_spoken(row['starts'], row['zone'])}.")
    return {"scheduled": meeting, "start": clock.iso(row["starts"], row["zone"])}
