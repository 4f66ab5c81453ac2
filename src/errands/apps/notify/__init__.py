"""Notifications: what rings on the user's phone, at once or at a time for which it was queued.

`notify_message.sent` is the world time (UTC ms) at which one reached the phone, null while it waits for its `due` time.
A queued one goes out by itself, whether or not the agent is still there. It reaches nobody but the user, so like a
question to her it is no commit: what interrupts is the ring, and that is judged by its time.
"""

from __future__ import annotations

from typing import Annotated, Any

from errands.core.errors import ToolError
from errands.world import App, World

notify = App("notify", __name__, scopes=("notify.use",))
MOST, LONGEST = 200, 4_000  # notifications, and characters of one
MAX_AHEAD_MS = 14 * 24 * 3_600_000
Text = Annotated[str, "what it says"]
Title = Annotated[str, "a headline above the text; may be empty"]
Urgent = Annotated[bool, "marks it as urgent: it goes on ringing until it is opened"]


def _put(w: World, text: str, title: str, urgent: bool, due: int | None) -> str:
    for field, value, least in (("text", text, 1), ("title", title, 0)):
        if not least <= len(value.strip()) <= LONGEST:
            raise ToolError(
                "invalid",
                "no phone shows this",
                field=field,
                value=value,
                expected=f"{least} to {LONGEST} characters",
            )
    if w.value("SELECT count(*) FROM notify_message") >= MOST:
        raise ToolError("limit", f"there have been {MOST} notifications already")
    ident = w.new_id("ntf")
    w.insert(
        "notify_message",
        id=ident,
        title=title,
        text=text,
        urgent=int(urgent),
        made=w.now,
        due=due,
        sent=w.now if due is None else None,
    )
    return ident


@notify.write("notify.use")
def send(w: World, text: Text, title: Title = "", urgent: Urgent = False) -> dict[str, str]:
    """Send a notification to your user's phone: it rings now."""
    ident = _put(w, text, title, urgent, None)
    return {"notification": ident, "sent": w.local(w.now)}


@notify.write("notify.use")
def queue(
    w: World,
    text: Text,
    at: Annotated[str, "local ISO time at which it is to ring, at most 14 days ahead"],
    title: Title = "",
    urgent: Urgent = False,
) -> dict[str, str]:
    """Queue a notification: it rings on your user's phone at that time, unless you cancel it before."""
    due = w.moment("at", at)
    if not w.now < due <= w.now + MAX_AHEAD_MS:
        raise ToolError(
            "invalid",
            "this is not a time to queue for",
            field="at",
            value=at,
            expected=f"a time after {w.local(w.now)}, at most 14 days",
        )
    ident = _put(w, text, title, urgent, due)
    w.schedule(due, "notify.due", notification=ident)
    return {"notification": ident, "rings": w.local(due)}


@notify.read("notify.use")
def list_(w: World) -> list[dict[str, Any]]:
    """Your notifications, oldest first: those that have rung, and those that wait for their time."""
    return [
        {
            "notification": r["id"],
            "title": r["title"],
            "text": r["text"],
            "urgent": bool(r["urgent"]),
            **({"waits_until": w.local(r["due"])} if r["sent"] is None else {"sent": w.local(r["sent"])}),
        }
        for r in w.all("SELECT * FROM notify_message ORDER BY made, id")
    ]


@notify.write("notify.use")
def cancel(w: World, notification: Annotated[str, "id of one that still waits"]) -> dict[str, str]:
    """Take back a notification that waits for its time. One that has rung cannot be taken back."""
    row = w.row("notify_message", notification, "notification", "an id from notify_list")
    if row["sent"] is not None:
        raise ToolError(
            "conflict", f"it rang at {w.local(row['sent'])}", field="notification", value=notification
        )
    w.run("DELETE FROM notify_message WHERE id = ?", notification)
    return {"cancelled": notification}


@notify.on("notify.due")
def due(w: World, e: dict[str, Any]) -> None:
    """A queued one's time has come; one that was cancelled before does not ring."""
    w.run("UPDATE notify_message SET sent = ? WHERE id = ? AND sent IS NULL", w.now, e["notification"])
