"""How builders fill a mailbox."""

from __future__ import annotations

import json
from collections.abc import Iterable

from errands.world.fixture import Draft


def message(
    d: Draft,
    *,
    id: str,
    thread: str,
    folder: str,
    sender: tuple[str, str],
    to: Iterable[str],
    subject: str,
    body: str,
    at: int,
    cc: Iterable[str] = (),
    reply_to: str = "",
    unread: bool = False,
    labels: Iterable[str] = (),
    files: Iterable[tuple[str, str, bytes]] = (),
    unopened: Iterable[str] = (),
) -> str:
    """One message: `sender` is (address, name), `at` UTC ms, `files` are (name, media type, bytes). Returns its id.

    What the owner sent has been opened by everybody but the addresses in `unopened`.
    """
    closed = set(unopened)
    d.insert(
        "mail_message",
        id=id,
        thread=thread,
        folder=folder,
        sender=sender[0],
        sender_name=sender[1],
        subject=subject,
        body=body,
        at=at,
        reply_to=reply_to,
        unread=int(unread),
        labels=json.dumps(sorted(labels), ensure_ascii=False),
    )
    for role, emails in (("to", to), ("cc", cc)):
        for email in emails:
            opened = int(folder == "sent" and email not in closed)
            d.insert("mail_recipient", message=id, role=role, email=email, opened=opened)
    for name, media, data in files:
        d.insert("mail_file", owner=id, name=name, media=media, data=data)
    return id
