"""A mailbox as .eml files (RFC 5322), one a message, threads by References; and an index of how each one lies there."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from email.encoders import encode_base64
from email.generator import BytesGenerator
from email.header import Header
from email.message import Message
from email.mime.base import MIMEBase
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.policy import compat32
from email.utils import format_datetime, formataddr

from errands.core import clock
from errands.world import App

from .scene import PLACE, Put, Row, Scene, listed, many, sheet, slug

MOST_A_LINE = 900  # characters; RFC 5322 2.1.1 allows 998
_INDEX = ("file", "folder", "date", "from", "to", "cc", "subject", "unread", "labels", "attachments")


def write(app: App, scene: Scene, since: Scene | None) -> Put:
    """Messages by folder, drafts, and the automatic reply as text."""
    files: dict[str, bytes] = {}
    index = []
    numbers: dict[str, int] = {}
    fresh = sorted(scene.fresh("mail_message", since), key=lambda m: (m["at"], m["id"]))
    for m in fresh:
        n = numbers[m["folder"]] = numbers.get(m["folder"], 0) + 1
        day = clock.from_ms(m["at"], scene.zone)
        name = f"mail/{m['folder']}/{n:04}-{day:%Y-%m-%d}-{slug(m['subject'], 'mail')}.eml"
        files[name] = _letter(scene, m)
        index.append(_line(scene, name.removeprefix("mail/"), m))
    for n, d in enumerate(scene.fresh("mail_draft", since), 1):
        files[f"mail/drafts/{n:04}-{slug(d['subject'], 'draft')}.eml"] = _draft(scene, d)
    for n, a in enumerate(scene.fresh("mail_auto_reply", since), 1):
        files[f"mail/automatic-reply-{n}.txt"] = _auto_reply(scene, a)
    if index:
        files["mail/index.csv"] = sheet(_INDEX, index)
    return Put(files, tuple(_how(scene, since, fresh, files)))


def _how(scene: Scene, since: Scene | None, fresh: list[Row], files: dict[str, bytes]) -> Iterator[str]:
    address, name = scene.owner
    if since is None:
        yield (
            f"Make a mail account of {name}. Its address in these files is {address}; where the account cannot have it,"
            " note the one it has in the record: addresses in the files stay as they are."
        )
    if since is not None:
        for m in fresh:
            what = f"“{m['subject']}” of {m['sender_name'] or m['sender']}"
            yield f"Let the message {what} arrive now ({m['folder']})."
    elif fresh:
        yield (
            f"Import {many(len(fresh), 'message')} into the folders in which they lie, with their own dates;"
            f" {PLACE}mail/index.csv says which are unread and how they are labelled."
        )
    if any("/drafts/" in f for f in files):
        yield f"Import what lies in {PLACE}mail/drafts into the drafts."
    if any("automatic-reply" in f for f in files):
        yield "Set up the automatic reply as its text says."
    for m in scene.gone("mail_message", since):
        yield f"Delete the message “{m['subject']}” of {m['sender_name'] or m['sender']}."


def _letter(scene: Scene, m: Row) -> bytes:
    to = [r for r in scene.rows("mail_recipient") if r["message"] == m["id"]]
    heads = [
        ("Date", _date(scene, m["at"])),
        ("From", formataddr((_one_line(m["sender_name"]), m["sender"]))),
    ]
    heads += [
        (role.capitalize(), ", ".join(r["email"] for r in to if r["role"] == role))
        for role in ("to", "cc", "bcc")
    ]
    heads += [
        ("Subject", _one_line(m["subject"])),
        ("Message-ID", _reference(m)),
        *_answers(_thread(scene, m)),
    ]
    heads.append(("Keywords", ", ".join(map(str, listed(m["labels"])))))
    return _written(scene, heads, m["body"], m["id"])


def _draft(scene: Scene, d: Row) -> bytes:
    address, name = scene.owner
    heads = [("Date", _date(scene, d["at"])), ("From", formataddr((name, address)))]
    heads += [
        (name, ", ".join(map(str, listed(d[column]))))
        for name, column in (("To", "recipients"), ("Cc", "cc"), ("Bcc", "bcc"))
    ]
    answered = next((m for m in scene.rows("mail_message") if m["id"] == d["reply_to"]), None)
    heads += [("Subject", _one_line(d["subject"])), ("X-Unsent", "1")]
    heads += _answers([*_thread(scene, answered), answered]) if answered is not None else []
    return _written(scene, heads, d["body"], d["id"])


def _answers(before: list[Row]) -> list[tuple[str, str]]:
    if not before:
        return []
    return [("In-Reply-To", _reference(before[-1])), ("References", " ".join(map(_reference, before)))]


def _date(scene: Scene, at: int) -> str:
    return format_datetime(clock.from_ms(at, scene.zone))


def _written(scene: Scene, heads: list[tuple[str, str]], body: str, owner: str) -> bytes:
    """A message by the library's old classes: its new ones lose spaces where they fold a long title that is not ASCII,
    and fold differently from version to version."""
    plain = body.isascii() and max(map(len, body.split("\n"))) < MOST_A_LINE
    text = MIMEText(body, "plain", "us-ascii" if plain else "utf-8")
    attached = [f for f in scene.rows("mail_file") if f["owner"] == owner]
    letter: Message = text
    if attached:  # the library would draw the boundary from the host's chance
        letter = MIMEMultipart("mixed", f"=_{hashlib.sha256(owner.encode()).hexdigest()[:32]}", [text])
        for f in attached:
            letter.attach(_attachment(f))
    for name, value in heads:
        if value:
            head = value if value.isascii() else Header(value, "utf-8", header_name=name).encode()
            letter[name] = head
    out = io.BytesIO()
    BytesGenerator(out, mangle_from_=False, policy=compat32.clone(linesep="\r\n")).flatten(letter)
    return out.getvalue()


def _attachment(f: Row) -> Message:
    main, _, sub = f["media"].partition("/")
    part = MIMEBase(main, sub or "octet-stream")
    part.set_payload(f["data"])
    encode_base64(part)
    if main == "text":
        part.set_param("charset", "utf-8")
    name: str = f["name"]
    part.add_header(
        "Content-Disposition", "attachment", filename=name if name.isascii() else ("utf-8", "", name)
    )
    return part


def _thread(scene: Scene, m: Row) -> list[Row]:
    """The messages that this one answers, the first first."""
    known = {x["id"]: x for x in scene.rows("mail_message")}
    out: list[Row] = []
    at = known.get(m["reply_to"])
    while at is not None and at not in out:
        out.insert(0, at)
        at = known.get(at["reply_to"])
    return out


def _reference(m: Row) -> str:
    return f"<{m['id']}@{m['sender'].partition('@')[2] or 'mail.example'}>"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _line(scene: Scene, file: str, m: Row) -> list[str]:
    def who(role: str) -> str:
        found = [r for r in scene.rows("mail_recipient") if (r["message"], r["role"]) == (m["id"], role)]
        return ", ".join(r["email"] for r in found)

    names = [f["name"] for f in scene.rows("mail_file") if f["owner"] == m["id"]]
    return [
        file,
        m["folder"],
        scene.local(m["at"]),
        m["sender"],
        who("to"),
        who("cc"),
        m["subject"],
        "yes" if m["unread"] else "",
        ", ".join(map(str, listed(m["labels"]))),
        ", ".join(names),
    ]


def _auto_reply(scene: Scene, a: Row) -> bytes:
    text = (
        f"From: {scene.local(a['starts'])}\nUntil: {scene.local(a['ends'])}\nGoes to: {a['audience']}\n"
        f"Subject: {a['subject']}\n\n{a['body']}\n"
    )
    return text.encode()
