"""Notices to attendees: answering, preparing, sending; and invitations that arrive."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from errands.core.canon import decode
from errands.core.errors import ToolError
from errands.world import Shown, World
from errands.world.refusals import bad_cursor
from errands.world.world import Row

from . import calendar
from .events import rule
from .recurrence import wall
from .store import (
    PAGE,
    address,
    addresses,
    block,
    default_calendar,
    find_own,
    invite,
    invited,
    keep_occurrences,
    owner,
)
from .times import spoken

MESSAGE = 10_000


@calendar.staged("notice", table="calendar_notice")
def shown(w: World, ident: str) -> Shown | None:
    """What the recipient of a notice gets: it follows its event until it is sent."""
    n = w.one(
        "SELECT n.kind, n.recipient, n.message, e.title, e.starts, e.ends, e.zone, e.all_day, e.location,"
        " e.status, e.rrule, e.exdates, e.organizer, a.name,"
        " (SELECT response FROM calendar_attendee WHERE event = e.id AND email = ?) AS response"
        " FROM calendar_notice n JOIN calendar_event e ON e.id = n.event"
        " LEFT JOIN calendar_attendee a ON a.event = e.id AND a.email = n.recipient"
        " WHERE n.id = ? AND n.sent_at IS NULL",
        owner(w),
        ident,
    )
    if n is None:
        return None
    zone = n["zone"]
    content = {
        "kind": n["kind"],
        "recipient": n["recipient"],
        "title": n["title"],
        "start": w.local(n["starts"], zone),
        "end": w.local(n["ends"], zone),
        "zone": zone,
        "location": n["location"],
        "status": n["status"],
        "rrule": n["rrule"],
        "message": n["message"],
    }
    if left := decode(n["exdates"]):
        content["exdates"] = [w.local(ms, zone) for ms in left]
    if n["kind"] == "reply":
        content["response"] = n["response"] or "needs-action"
    name = n["name"] or ""
    known = (x for names in w.signal("contacts.called", email=n["recipient"]) for x in names)
    handles = (n["recipient"], name, *known, n["title"], f"{wall(n['starts'], zone):%H:%M}")
    return Shown(content, _read_out(n, content, name), tuple(h for h in handles if h))


def _read_out(n: Row, content: dict[str, Any], name: str) -> str:
    to = f"{name} <{n['recipient']}>" if name else n["recipient"]
    parts = [f"{n['title']}, {spoken(n['starts'], n['ends'], n['zone'], bool(n['all_day']))} ({n['zone']})"]
    parts += [f"repeats {n['rrule']}"] if n["rrule"] else []
    parts += [f"except {', '.join(t[:10] for t in content['exdates'])}"] if "exdates" in content else []
    parts += [n["location"]] if n["location"] else []
    parts += [n["status"]] if n["status"] != "confirmed" else []
    what = f"reply ({content['response']})" if n["kind"] == "reply" else n["kind"]
    text = f"{what} to {to}: {', '.join(parts)}"
    message = " ".join(n["message"].split())
    return f"{text}. Message: {message}" if message else text


def _waiting(w: World, ident: str) -> Row:
    row = w.row("calendar_notice", ident, "notice", "an id from calendar_notices")
    if row["sent_at"] is not None:
        raise ToolError(
            "conflict",
            "the notice was sent already",
            field="notice",
            value=ident,
            expected="a notice that waits to be sent",
        )
    return row


@calendar.read("calendar.read")
def notices(w: World, cursor: Annotated[str, "`next` of the page before"] = "") -> dict[str, Any]:
    """List all notices, 20 a page. Waiting ones have no `sent_at`, their `text` says what would go out."""
    if cursor and not w.value("SELECT 1 FROM calendar_notice WHERE id = ?", cursor):
        raise bad_cursor(cursor)
    rows = w.all(
        "SELECT n.*, e.title FROM calendar_notice n LEFT JOIN calendar_event e ON e.id = n.event"
        " WHERE n.id > ? ORDER BY n.id LIMIT ?",
        cursor,
        PAGE + 1,
    )
    out = []
    for n in rows[:PAGE]:
        view = shown(w, n["id"])
        out.append(
            {
                "notice": n["id"],
                "event": n["event"],
                "title": n["title"] or "",
                "kind": n["kind"],
                "recipient": n["recipient"],
                "message": n["message"],
                "sent_at": None if n["sent_at"] is None else w.local(n["sent_at"]),
                "text": view.text if view else "",
            }
        )
    return {"notices": out, "next": rows[PAGE - 1]["id"] if len(rows) > PAGE else ""}


@calendar.write("calendar.write")
def respond(
    w: World,
    event: Annotated[str, "id of an event to which you are invited"],
    response: Annotated[Literal["accepted", "declined", "tentative"], "your answer"],
) -> dict[str, Any]:
    """Set your own answer to an invitation, and stage a reply to its organizer.

    The organizer learns of it when the reply is sent. A reply that still waits is used again.
    """
    row, me = find_own(w, event), owner(w)
    mine = w.value("SELECT response FROM calendar_attendee WHERE event = ? AND email = ?", event, me)
    if mine is None:
        raise ToolError(
            "invalid",
            "you are not invited to this event",
            field="event",
            value=event,
            expected="an event that has you as attendee",
        )
    if mine != response:
        w.run("UPDATE calendar_attendee SET response = ? WHERE event = ? AND email = ?", response, event, me)
    notice = None
    if row["organizer"] not in ("", me):
        notice = _unsent(w, event, row["organizer"], "reply")
        if notice is None:
            notice = _stage(w, event, "reply", row["organizer"], "")
    return {"event": event, "response": response, "notice": notice}


def _unsent(w: World, event: str, recipient: str, kind: str) -> str | None:
    found: str | None = w.value(
        "SELECT id FROM calendar_notice WHERE event = ? AND recipient = ? AND kind = ? AND sent_at IS NULL",
        event,
        recipient,
        kind,
    )
    return found


def _stage(w: World, event: str, kind: str, recipient: str, message: str) -> str:
    ident = w.new_id("cn")
    w.insert(
        "calendar_notice",
        id=ident,
        event=event,
        kind=kind,
        recipient=recipient,
        message=message,
        sent_at=None,
    )
    return ident


@calendar.write("calendar.write")
def prepare_notice(
    w: World,
    event: Annotated[str, "id of the event"],
    kind: Annotated[Literal["invite", "update", "cancel", "reply"], "what the notice is"],
    to: Annotated[list[str], "e-mail addresses; each an attendee of the event or its organizer"],
    message: Annotated[str, "a few words of your own to go with it"] = "",
) -> dict[str, Any]:
    """Stage notices about an event, one for each recipient; returns their ids in that order.

    A notice carries title, time, place, status and rule of the event as they are when it is sent, and your
    message. Nothing goes out before calendar_send_notice.
    """
    row = find_own(w, event)
    message = block("message", message, MESSAGE)
    people = list(addresses(w, "to", to))
    if not people:
        raise ToolError("invalid", "nobody is named", field="to", expected="at least one attendee")
    circle = {row["organizer"], *(a["email"] for a in invited(w, event))} - {""}
    for email in people:
        if email not in circle:
            raise ToolError(
                "invalid",
                f"{email} is neither attendee nor organizer of this event",
                field="to",
                value=email,
                expected=", ".join(sorted(circle)),
            )
        waiting = _unsent(w, event, email, kind)
        if waiting:
            raise ToolError(
                "conflict",
                f"the notice {waiting} of this kind to {email} waits to be sent",
                field="to",
                value=email,
                expected="to edit, send or discard that one",
            )
    return {"notices": [_stage(w, event, kind, email, message) for email in people]}


@calendar.write("calendar.write")
def edit_notice(
    w: World, notice: Annotated[str, "id of a notice that waits"], message: Annotated[str, "the new words"]
) -> dict[str, Any]:
    """Change the message of a notice that is not sent yet. Whoever approved it approved the old words."""
    _waiting(w, notice)
    w.update("calendar_notice", notice, message=block("message", message, MESSAGE))
    view = shown(w, notice)
    return {"notice": notice, "text": view.text if view else ""}


@calendar.write("calendar.write")
def discard_notice(w: World, notice: Annotated[str, "id of a notice that waits"]) -> dict[str, Any]:
    """Throw away a notice that is not sent yet."""
    _waiting(w, notice)
    w.run("DELETE FROM calendar_notice WHERE id = ?", notice)
    return {"discarded": notice}


@calendar.commit("calendar.notify", stages="notice")
def send_notice(w: World, notice: Annotated[str, "id of a notice that waits"]) -> dict[str, Any]:
    """Send a notice to its recipient. It cannot be taken back."""
    row = _waiting(w, notice)
    w.update("calendar_notice", notice, sent_at=w.now)
    w.signal(
        "calendar.notified", notice=notice, event=row["event"], recipient=row["recipient"], kind=row["kind"]
    )
    return {"sent": notice, "kind": row["kind"], "recipient": row["recipient"], "sent_at": w.local(w.now)}


@calendar.on("calendar.arrives")
def arrives(w: World, e: dict[str, Any]) -> None:
    """An invitation comes in: the event stands as tentative, and the owner has not answered.

    Payload: title, start and end (UTC ms), organizer, attendees (addresses, or Name <address>); and if wanted
    id, calendar, zone, all_day, location, notes, rrule.
    """
    home = default_calendar(w)
    organizer, name = address(w, "organizer", e["organizer"])
    row: Row = {
        "id": e.get("id") or w.new_id("evt"),
        "calendar": e.get("calendar") or home["id"],
        "title": e["title"],
        "starts": e["start"],
        "ends": e["end"],
        "zone": e.get("zone") or home["zone"],
        "all_day": int(bool(e.get("all_day"))),
        "location": e.get("location") or "",
        "notes": e.get("notes") or "",
        "organizer": organizer,
        "status": "tentative",
        "rrule": rule(e.get("rrule") or ""),
        "exdates": "[]",
        "series": "",
        "original": None,
        "version": 1,
    }
    w.insert("calendar_event", **row)
    keep_occurrences(w, row)
    people = addresses(w, "attendees", e["attendees"])
    people.setdefault(owner(w), "")
    invite(w, row["id"], people, organizer)
    when = spoken(row["starts"], row["ends"], row["zone"], bool(row["all_day"]))
    w.notify(f"Invitation from {name or organizer}: {row['title']}, {when}", ref=row["id"])
