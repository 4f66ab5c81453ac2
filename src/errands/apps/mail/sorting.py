"""Folders, labels and read marks; and mail that arrives."""

from __future__ import annotations

import json
from typing import Annotated, Any

from errands.core.canon import decode
from errands.core.errors import ToolError
from errands.world import World

from . import mail
from .reading import Folder, message_row


@mail.write("mail.write")
def move(
    w: World, messages: Annotated[list[str], "message ids, at most 50"], folder: Annotated[Folder, "where to"]
) -> dict[str, Any]:
    """Move messages to another folder: `archive` archives, `trash` deletes."""
    if len(messages) > 50:
        raise ToolError(
            "limit", f"{len(messages)} messages are too many at once", field="messages", expected="at most 50"
        )
    for ident in messages:
        message_row(w, ident, "messages")
        w.update("mail_message", ident, folder=folder)
    return {"moved": messages, "folder": folder}


@mail.write("mail.write")
def label(
    w: World,
    message: Annotated[str, "a message id"],
    add: Annotated[list[str], "labels to put on"] = [],  # noqa: B006
    remove: Annotated[list[str], "labels to take off"] = [],  # noqa: B006
) -> dict[str, Any]:
    """Add or remove labels of a message."""
    labels = decode(message_row(w, message)["labels"])
    new = sorted({*labels, *(x.strip()[:40] for x in add if x.strip())} - set(remove))
    if len(new) > 20:
        raise ToolError(
            "limit", f"{len(new)} labels are too many", field="add", expected="at most 20 on a message"
        )
    w.update("mail_message", message, labels=json.dumps(new, ensure_ascii=False))
    return {"message": message, "labels": new}


@mail.write("mail.write")
def mark(
    w: World,
    message: Annotated[str, "a message id"],
    unread: Annotated[bool, "true for unread, false for read"],
) -> dict[str, Any]:
    """Mark a message as unread or read."""
    message_row(w, message)
    w.update("mail_message", message, unread=int(unread))
    return {"message": message, "unread": unread}


@mail.on("mail.arrives")
def arrives(w: World, e: dict[str, Any]) -> None:
    """A message comes in: `sender, sender_name, to, subject, body`, optionally `thread, reply_to, cc, notice`."""
    ident = w.new_id("msg")
    w.insert(
        "mail_message",
        id=ident,
        thread=e.get("thread") or w.new_id("thr"),
        folder="inbox",
        sender=e["sender"],
        sender_name=e["sender_name"],
        subject=e["subject"],
        body=e["body"],
        at=w.now,
        reply_to=e.get("reply_to", ""),
        unread=1,
        labels="[]",
    )
    for role in ("to", "cc"):
        for email in e.get(role, []):
            w.insert("mail_recipient", message=ident, role=role, email=email, opened=0)
    for name, media, data in e.get("files", []):
        w.insert("mail_file", owner=ident, name=name, media=media, data=data.encode())
    if e.get("notice", True):
        w.notify(f"New mail from {e['sender_name']}: {e['subject']}", ident)
