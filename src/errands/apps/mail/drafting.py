"""Drafts and sending. A draft is staged; sending it is the commit."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from typing import Annotated, Any

from errands.core.canon import decode, sha256
from errands.core.errors import ToolError
from errands.world import Shown, World

from . import mail
from .reading import file_names, message_row

MAX_RECIPIENTS = 50
MAX_FILES = 20
_ADDRESS = re.compile(r"[^\s@<>,;\"']{1,64}@[^\s@<>,;\"']{1,120}\.[A-Za-z]{2,20}")
Addresses = Annotated[list[str], "e-mail addresses"]
Paths = Annotated[list[str], "paths of files to attach, e.g. workspace/list.csv"]


def _addresses(field: str, given: list[str]) -> list[str]:
    out: list[str] = []
    for text in given:
        bare = text.strip()
        if "<" in bare and bare.endswith(">"):
            bare = bare[bare.rindex("<") + 1 : -1].strip()
        if not _ADDRESS.fullmatch(bare):
            raise ToolError(
                "invalid",
                f"{text!r} is not an e-mail address",
                field=field,
                value=text,
                expected="addresses such as name@firm.example",
            )
        if bare.lower() not in out:
            out.append(bare.lower())
    if len(out) > MAX_RECIPIENTS:
        raise ToolError(
            "limit", f"{len(out)} recipients are too many", field=field, expected=f"at most {MAX_RECIPIENTS}"
        )
    return out


def draft_row(w: World, ident: str) -> dict[str, Any]:
    """The draft row, or the error that an agent reads."""
    return w.row("mail_draft", ident, "draft", "a draft id such as one from mail_drafts")


def _attach(w: World, owner: str, paths: list[str]) -> None:
    if len(paths) > MAX_FILES:
        raise ToolError(
            "limit", f"{len(paths)} files are too many", field="attach", expected=f"at most {MAX_FILES}"
        )
    names = [path.rpartition("/")[2] for path in dict.fromkeys(paths)]
    for path in dict.fromkeys(paths):
        if names.count(path.rpartition("/")[2]) > 1:
            raise ToolError(
                "conflict",
                "two of these files have one name",
                field="attach",
                value=path,
                expected="files whose names differ",
            )
        got = w.signal("files.fetch", path=path)
        if not got:
            raise ToolError("not_found", f"there is no file {path!r}", field="attach", value=path)
        w.run(
            "INSERT OR REPLACE INTO mail_file VALUES (?, ?, ?, ?)",
            owner,
            got[0]["name"],
            got[0]["media"],
            b64decode(got[0]["data_b64"]),
        )


def _picture(w: World, d: dict[str, Any]) -> dict[str, Any]:
    return {
        "draft": d["id"],
        "to": decode(d["recipients"]),
        "cc": decode(d["cc"]),
        "bcc": decode(d["bcc"]),
        "subject": d["subject"],
        "body": d["body"],
        "reply_to": d["reply_to"],
        "files": file_names(w, d["id"]),
    }


@mail.staged("draft", table="mail_draft")
def shown(w: World, ident: str) -> Shown | None:
    """A draft as its user sees it: all that the recipients will get, files included."""
    d = w.one("SELECT * FROM mail_draft WHERE id = ?", ident)
    if d is None:
        return None
    to, cc, bcc = (decode(d[c]) for c in ("recipients", "cc", "bcc"))
    files = {
        r[0]: sha256(r[1])
        for r in w.db.execute("SELECT name, data FROM mail_file WHERE owner = ? ORDER BY name", (ident,))
    }
    content = {
        "to": to,
        "cc": cc,
        "bcc": bcc,
        "subject": d["subject"],
        "body": d["body"],
        "files": files,
        "reply_to": d["reply_to"],
    }
    people = [*to, *cc, *bcc]
    names = [n for p in people for n in w.signal("contacts.called", email=p)]
    handles = [*people, *(x for n in names for x in n), d["subject"]]
    text = f"mail to {', '.join(people) or 'nobody'}: “{d['subject']}”"
    return Shown(content, text, tuple(h for h in handles if h))


@mail.read("mail.read")
def drafts(w: World) -> list[dict[str, Any]]:
    """The drafts that wait, oldest first."""
    return [_picture(w, d) for d in w.all("SELECT * FROM mail_draft ORDER BY at, id LIMIT 100")]


@mail.write("mail.write")
def draft(
    w: World,
    to: Addresses,
    subject: Annotated[str, "the subject line"],
    body: Annotated[str, "the text"],
    cc: Addresses = [],  # noqa: B006
    bcc: Addresses = [],  # noqa: B006
    reply_to: Annotated[str, "id of the message this answers, or empty"] = "",
    attach: Paths = [],  # noqa: B006
) -> dict[str, Any]:
    """Write a draft. Nothing leaves until mail_send."""
    if reply_to:
        message_row(w, reply_to, "reply_to")
    if w.value("SELECT count(*) FROM mail_draft") >= 100:
        raise ToolError("limit", "there are already 100 drafts", expected="discard some first")
    ident = w.new_id("dft")
    w.insert(
        "mail_draft",
        id=ident,
        reply_to=reply_to,
        recipients=json.dumps(_addresses("to", to)),
        cc=json.dumps(_addresses("cc", cc)),
        bcc=json.dumps(_addresses("bcc", bcc)),
        subject=subject,
        body=body,
        at=w.now,
    )
    _attach(w, ident, attach)
    return _picture(w, draft_row(w, ident))


@mail.write("mail.write")
def edit_draft(
    w: World,
    draft: Annotated[str, "a draft id"],
    to: Annotated[list[str] | None, "recipients in place of those it has"] = None,
    cc: Annotated[list[str] | None, "copies in place of those it has"] = None,
    bcc: Annotated[list[str] | None, "blind copies in place of those it has"] = None,
    subject: Annotated[str | None, "another subject line"] = None,
    body: Annotated[str | None, "another text, whole"] = None,
    attach: Paths = [],  # noqa: B006
    detach: Annotated[list[str], "names of attached files to take off"] = [],  # noqa: B006
) -> dict[str, Any]:
    """Change a draft; what is not given stays."""
    draft_row(w, draft)
    changes: dict[str, Any] = {"subject": subject, "body": body}
    for field, column, given in (("to", "recipients", to), ("cc", "cc", cc), ("bcc", "bcc", bcc)):
        if given is not None:
            changes[column] = json.dumps(_addresses(field, given))
    changes = {k: v for k, v in changes.items() if v is not None}
    if changes:
        w.update("mail_draft", draft, **changes)
    attached = file_names(w, draft)
    for name in detach:
        if name not in attached:
            raise ToolError(
                "not_found",
                f"no file {name!r} is attached",
                field="detach",
                value=name,
                expected="; ".join(attached) or "a draft that has files",
            )
        w.run("DELETE FROM mail_file WHERE owner = ? AND name = ?", draft, name)
    _attach(w, draft, attach)
    return _picture(w, draft_row(w, draft))


@mail.write("mail.write")
def discard_draft(w: World, draft: Annotated[str, "a draft id"]) -> dict[str, str]:
    """Throw a draft away."""
    draft_row(w, draft)
    w.run("DELETE FROM mail_file WHERE owner = ?", draft)
    w.run("DELETE FROM mail_draft WHERE id = ?", draft)
    return {"discarded": draft}


@mail.commit("mail.send", stages="draft")
def send(w: World, draft: Annotated[str, "a draft id"]) -> dict[str, Any]:
    """Send a draft to its recipients. It cannot be taken back."""
    d = draft_row(w, draft)
    people = {role: decode(d[c]) for role, c in (("to", "recipients"), ("cc", "cc"), ("bcc", "bcc"))}
    if not any(people.values()):
        raise ToolError(
            "invalid",
            "this draft has no recipient",
            field="draft",
            value=draft,
            expected="at least one address in to, cc or bcc",
        )
    ident = w.new_id("msg")
    answered = w.one("SELECT thread FROM mail_message WHERE id = ?", d["reply_to"]) if d["reply_to"] else None
    thread = answered["thread"] if answered else w.new_id("thr")
    w.insert(
        "mail_message",
        id=ident,
        thread=thread,
        folder="sent",
        sender=w.meta["owner"],
        sender_name=w.meta["owner_name"],
        subject=d["subject"],
        body=d["body"],
        at=w.now,
        reply_to=d["reply_to"],
        unread=0,
        labels="[]",
    )
    for role, emails in people.items():
        for email in emails:
            w.insert("mail_recipient", message=ident, role=role, email=email, opened=0)
    w.run("UPDATE mail_file SET owner = ? WHERE owner = ?", ident, draft)
    w.run("DELETE FROM mail_draft WHERE id = ?", draft)
    w.signal("mail.sent", message=ident)
    return {"sent": ident, "thread": thread, "at": w.local(w.now)}


@mail.on("mail.reached")
def reached(w: World, e: dict[str, Any]) -> int:
    """How many mails went out to an address."""
    sql = "SELECT count(*) FROM mail_message m JOIN mail_recipient r ON r.message = m.id"
    return int(w.value(f"{sql} WHERE m.folder = 'sent' AND r.email = ?", e["email"]))


@mail.on("user.written")
def written(w: World, e: dict[str, Any]) -> list[str]:
    """The latest texts that went out: who shows one of them to the user asks nothing by it."""
    rows = w.all("SELECT body FROM mail_message WHERE folder = 'sent' ORDER BY at DESC, id DESC LIMIT 20")
    return [r["body"] for r in rows]
