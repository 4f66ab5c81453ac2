"""Reading a group chat, and posting in it."""

from __future__ import annotations

from typing import Annotated, Any

from errands.core.errors import ToolError
from errands.world import World

from . import groups

YOU = "you"
LONGEST, MOST = 4_000, 100  # characters of a message, messages at once
Thread = Annotated[str, "id of a group, from groups_list"]


def thread_row(w: World, ident: str) -> dict[str, Any]:
    """A thread, or the error that an agent reads."""
    return w.row("groups_thread", ident, "group", "an id from groups_list", field="thread")


@groups.read("groups.read")
def list_(w: World) -> list[dict[str, Any]]:
    """Your groups, with their members and where these live (IANA zones)."""
    return [
        {
            "thread": t["id"],
            "name": t["name"],
            "about": t["about"],
            "members": w.all(
                "SELECT id AS member, name, zone FROM groups_member WHERE thread = ? ORDER BY name, id",
                t["id"],
            ),
        }
        for t in w.all("SELECT * FROM groups_thread ORDER BY name, id")
    ]


@groups.read("groups.read")
def read(
    w: World,
    thread: Thread,
    since: Annotated[str, "local ISO time; only messages from then on. Empty: all"] = "",
    limit: Annotated[int, "how many of the latest, 1 to 100"] = 50,
) -> dict[str, Any]:
    """What was said in a group, oldest first, with who said it. Times are yours; what people write is in their own."""
    row = thread_row(w, thread)
    if not 1 <= limit <= MOST:
        raise ToolError("invalid", "not so many at once", field="limit", value=limit, expected=f"1 to {MOST}")
    start = w.moment("since", since) if since else -(1 << 60)
    said = w.all(
        "SELECT m.id, m.member, m.body, m.at, p.name, p.zone FROM groups_message m"
        " LEFT JOIN groups_member p ON p.id = m.member"
        " WHERE m.thread = ? AND m.at >= ? ORDER BY m.at DESC, m.id DESC LIMIT ?",
        thread,
        start,
        limit,
    )
    return {"thread": thread, "name": row["name"], "messages": [_shown(w, m) for m in reversed(said)]}


def _shown(w: World, m: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": m["id"],
        "member": m["member"],
        "name": m["name"] or YOU,
        "zone": m["zone"] or w.zone,
        "body": m["body"],
        "at": w.local(m["at"]),
    }


def speak(w: World, thread: str, member: str, text: str) -> str:
    """Put a message into a thread; returns its id."""
    ident = w.new_id("gms")
    w.insert("groups_message", id=ident, thread=thread, member=member, body=text, at=w.now)
    return ident


@groups.write("groups.post")
def post(w: World, thread: Thread, text: Annotated[str, "what you say to the group"]) -> dict[str, Any]:
    """Say something in a group. Answers may take a few minutes; you are told of each."""
    thread_row(w, thread)
    if not text.strip() or len(text) > LONGEST:
        raise ToolError(
            "invalid",
            "this cannot be posted",
            field="text",
            value=text,
            expected=f"1 to {LONGEST} characters",
        )
    ident = speak(w, thread, YOU, text)
    w.signal("groups.posted", thread=thread, text=text)
    return {"message": ident, "at": w.local(w.now)}
