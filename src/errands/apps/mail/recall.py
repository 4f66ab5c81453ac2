"""Recall: possible only inside one's own mail system and while unopened, as real services have it."""

from __future__ import annotations

from typing import Annotated, Any

from errands.core.errors import ToolError
from errands.world import Shown, World

from . import mail
from .reading import message_row


def _reach(w: World, message: str) -> dict[str, list[str]]:
    """Who could lose the message again, and who has it for good."""
    home = w.meta["owner"].rpartition("@")[2]
    rows = w.all("SELECT email, opened FROM mail_recipient WHERE message = ? ORDER BY email", message)
    can = [r["email"] for r in rows if r["email"].endswith(f"@{home}") and not r["opened"]]
    return {"recallable": can, "not_recallable": [r["email"] for r in rows if r["email"] not in can]}


def _sent(w: World, message: str) -> dict[str, Any]:
    row = message_row(w, message)
    if row["sender"] != w.meta["owner"]:  # wherever it is filed now
        raise ToolError(
            "invalid",
            "only a message you sent can be recalled",
            field="message",
            value=message,
            expected="a message that you sent",
        )
    return row


@mail.staged("recall", table="mail_recall")
def shown(w: World, ident: str) -> Shown | None:
    """A recall that waits, as its user sees it."""
    r = w.one(
        "SELECT c.*, m.subject FROM mail_recall c JOIN mail_message m ON m.id = c.message"
        " WHERE c.id = ? AND c.sent = 0",
        ident,
    )
    if r is None:
        return None
    reach = _reach(w, r["message"])
    return Shown(
        {"message": r["message"], "reason": r["reason"], **reach},
        f"recall of “{r['subject']}”",
        (r["subject"], r["message"]),
    )


@mail.read("mail.read")
def recall_options(w: World, message: Annotated[str, "a message you sent"]) -> dict[str, Any]:
    """Say from whom a sent message could be recalled. Other mail systems never give a message back."""
    _sent(w, message)
    return {"message": message, **_reach(w, message)}


@mail.write("mail.write")
def prepare_recall(
    w: World,
    message: Annotated[str, "a message you sent"],
    reason: Annotated[str, "why, in a few words"] = "",
) -> dict[str, Any]:
    """Prepare a recall; nothing happens until mail_recall."""
    _sent(w, message)
    if not _reach(w, message)["recallable"]:
        raise ToolError(
            "conflict",
            "no recipient of this message can be recalled",
            field="message",
            value=message,
            expected="a recipient in your own organisation who has not opened it",
        )
    ident = w.new_id("rcl")
    w.insert("mail_recall", id=ident, message=message, reason=reason, sent=0)
    return {"recall": ident, **_reach(w, message)}


@mail.commit("mail.send", stages="recall")
def recall(w: World, recall: Annotated[str, "a prepared recall"]) -> dict[str, Any]:
    """Carry out a prepared recall: the message disappears for those who have not opened it."""
    row = w.one("SELECT message FROM mail_recall WHERE id = ?", recall)
    assert row is not None  # the kernel has checked that it is staged
    reach = _reach(w, row["message"])
    w.update("mail_recall", recall, sent=1)
    for email in reach["recallable"]:
        w.run("DELETE FROM mail_recipient WHERE message = ? AND email = ?", row["message"], email)
    return {"recalled_from": reach["recallable"], "kept_by": reach["not_recallable"]}
