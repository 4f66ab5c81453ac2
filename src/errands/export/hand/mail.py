"""A mailbox as .eml files (RFC 5322), one a message, threads by References; and an index of how each one lies there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from errands.core import clock
from errands.world import App

from .scene import PLACE, Put, Row, Scene, listed, many, sheet, slug

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
    if fresh:
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
    letter = EmailMessage(policy=SMTP)
    letter["Date"] = format_datetime(clock.from_ms(m["at"], scene.zone))
    letter["From"] = _address(m["sender"], m["sender_name"])
    to = [r for r in scene.rows("mail_recipient") if r["message"] == m["id"]]
    for role in ("to", "cc", "bcc"):
        if found := [_address(r["email"]) for r in to if r["role"] == role]:
            letter[role.capitalize()] = found
    letter["Subject"] = _one_line(m["subject"])
    letter["Message-ID"] = _reference(m)
    if before := _thread(scene, m):
        letter["In-Reply-To"] = _reference(before[-1])
        letter["References"] = " ".join(map(_reference, before))
    if labels := listed(m["labels"]):
        letter["Keywords"] = ", ".join(map(str, labels))
    return _with_body(scene, letter, m["body"], m["id"])


def _draft(scene: Scene, d: Row) -> bytes:
    letter = EmailMessage(policy=SMTP)
    letter["Date"] = format_datetime(clock.from_ms(d["at"], scene.zone))
    letter["From"] = _address(*scene.owner)
    for role in ("recipients", "cc", "bcc"):
        if found := [_address(e) for e in listed(d[role])]:
            letter["To" if role == "recipients" else role.capitalize()] = found
    letter["Subject"] = _one_line(d["subject"])
    answered = next((m for m in scene.rows("mail_message") if m["id"] == d["reply_to"]), None)
    if answered is not None:
        letter["In-Reply-To"] = _reference(answered)
        letter["References"] = " ".join(map(_reference, [*_thread(scene, answered), answered]))
    letter["X-Unsent"] = "1"
    return _with_body(scene, letter, d["body"], d["id"])


def _with_body(scene: Scene, letter: EmailMessage, body: str, owner: str) -> bytes:
    letter.set_content(body)
    for f in (f for f in scene.rows("mail_file") if f["owner"] == owner):
        main, _, sub = f["media"].partition("/")
        letter.add_attachment(f["data"], maintype=main, subtype=sub or "octet-stream", filename=f["name"])
    if letter.is_multipart():  # the library would draw one from the host's chance
        letter.set_boundary(f"=_{hashlib.sha256(owner.encode()).hexdigest()[:32]}")
    return letter.as_bytes()


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


def _address(email: str, name: str = "") -> Address:
    return Address(_one_line(name), addr_spec=email)


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
