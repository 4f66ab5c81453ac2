"""Looking: lists, search, threads, messages, attachments. Reading a message does not mark it as read."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from errands.core.canon import canonical, decode
from errands.core.errors import ToolError
from errands.world import World
from errands.world.refusals import bad_cursor, missing, offset

from . import mail

PAGE = 20
Folder = Literal["inbox", "sent", "archive", "trash"]
Limit = Annotated[int, "messages a page, 1 to 50"]
Cursor = Annotated[str, "the `next` of the page before; empty for the first page"]
_HEAD = "id, thread, folder, sender, sender_name, subject, at, unread, labels, substr(body, 1, 160)"


def message_row(w: World, ident: str, field: str = "message") -> dict[str, Any]:
    """The message row, or the error that an agent reads."""
    return w.row("mail_message", ident, "message", "a message id such as one from mail_search", field=field)


def recipients(w: World, ident: str, role: str) -> list[str]:
    """Addresses of a message in one role."""
    rows = w.db.execute(
        "SELECT email FROM mail_recipient WHERE message = ? AND role = ? ORDER BY email", (ident, role)
    )
    return [r[0] for r in rows]


def file_names(w: World, owner: str) -> list[str]:
    """Names of what is attached to a message or draft."""
    return [r[0] for r in w.db.execute("SELECT name FROM mail_file WHERE owner = ? ORDER BY name", (owner,))]


def _hit(w: World, r: tuple[Any, ...]) -> dict[str, Any]:
    ident, thread, folder, sender, name, subject, at, unread, labels, body = r
    return {
        "id": ident,
        "thread": thread,
        "folder": folder,
        "from": sender,
        "from_name": name,
        "subject": subject,
        "at": w.local(at),
        "unread": bool(unread),
        "labels": decode(labels),
        "snippet": " ".join(body.split())[:120],
    }


def _page(w: World, where: str, args: list[Any], cursor: str, limit: int) -> dict[str, Any]:
    """One page of messages, newest first; the cursor is the last (time, id) shown."""
    if not 1 <= limit <= 50:
        raise ToolError(
            "invalid", "a page cannot be of this size", field="limit", value=limit, expected="1 to 50"
        )
    if cursor:
        at, _, ident = cursor.partition("/")
        if not (ident and at.isascii() and at.isdigit() and len(at) < 16):
            raise bad_cursor(cursor)
        where += " AND (at, id) < (?, ?)"
        args = [*args, int(at), ident]
    rows = w.db.execute(
        f"SELECT {_HEAD} FROM mail_message WHERE {where} ORDER BY at DESC, id DESC LIMIT {limit + 1}",
        args,
    ).fetchall()
    more = rows[limit:] and f"{rows[limit - 1][6]}/{rows[limit - 1][0]}"
    return {"messages": [_hit(w, r) for r in rows[:limit]], "next": more or ""}


@mail.read("mail.read")
def list_(
    w: World,
    folder: Annotated[Folder, "which folder"] = "inbox",
    label: Annotated[str, "only messages with this label"] = "",
    unread_only: Annotated[bool, "only messages that are unread"] = False,
    cursor: Cursor = "",
    limit: Limit = PAGE,
) -> dict[str, Any]:
    """List the messages of a folder, newest first."""
    where = "folder = ?"
    args: list[Any] = [folder]
    if unread_only:
        where += " AND unread = 1"
    if label:
        where += " AND instr(labels, ?)"
        args.append(canonical(label))
    return _page(w, where, args, cursor, limit)


@mail.read("mail.read")
def search(
    w: World,
    query: Annotated[str, "words that must all occur in subject, body, sender or recipients"] = "",
    sender: Annotated[str, "part of the sender's name or address"] = "",
    folder: Annotated[Folder | Literal[""], "one folder; empty searches all but trash"] = "",
    label: Annotated[str, "only messages with this label"] = "",
    since: Annotated[str, "local date or time, inclusive, e.g. 2026-10-01"] = "",
    before: Annotated[str, "local date or time, exclusive"] = "",
    cursor: Cursor = "",
    limit: Limit = PAGE,
) -> dict[str, Any]:
    """Find messages, newest first."""
    where = "folder = ?" if folder else "folder <> ?"
    args: list[Any] = [folder or "trash"]
    if label:  # labels are a JSON list: a label with its quotes is whole
        where += " AND instr(labels, ?)"
        args.append(canonical(label))
    if sender:
        where += " AND (sender LIKE ? ESCAPE '\\' OR sender_name LIKE ? ESCAPE '\\')"
        args += [_like(sender)] * 2
    for field, text, op in (("since", since, ">="), ("before", before, "<")):
        if text:
            where += f" AND at {op} ?"
            args.append(_edge(w, field, text))
    for word in query.split():  # last: what is dear is asked of the fewest rows
        like = _like(word)
        where += (
            " AND (subject LIKE ? ESCAPE '\\' OR body LIKE ? ESCAPE '\\' OR sender LIKE ? ESCAPE '\\'"
            " OR sender_name LIKE ? ESCAPE '\\' OR id IN (SELECT message FROM mail_recipient"
            " WHERE role <> 'bcc' AND email LIKE ? ESCAPE '\\'))"
        )
        args += [like] * 5
        if len(args) > 200:
            raise ToolError("invalid", "too many words", field="query", expected="at most 40 words")
    return _page(w, where, args, cursor, limit)


def _like(word: str) -> str:
    if len(word) > 500:
        raise ToolError(
            "invalid", "this word is too long to search for", field="query", expected="500 characters at most"
        )
    return "%" + word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"


def _edge(w: World, field: str, text: str) -> int:
    return w.moment(field, text if "T" in text or ":" in text else f"{text.strip()}T00:00")


@mail.read("mail.read")
def thread(w: World, thread: Annotated[str, "a thread id"], cursor: Cursor = "") -> dict[str, Any]:
    """Read a whole thread, oldest message first, 20 messages a page."""
    start = offset(cursor)
    rows = w.all(
        "SELECT * FROM mail_message WHERE thread = ? ORDER BY at, id LIMIT ? OFFSET ?",
        thread,
        PAGE + 1,
        start,
    )
    if not rows:
        raise missing("thread", thread, "a thread id such as one from mail_search")
    of = "IN (SELECT id FROM mail_message WHERE thread = ?)"
    people: dict[tuple[str, str], list[str]] = {}
    for ident, role, email in w.db.execute(
        f"SELECT message, role, email FROM mail_recipient WHERE message {of}", (thread,)
    ):
        people.setdefault((ident, role), []).append(email)
    files: dict[str, list[str]] = {}
    for ident, name in w.db.execute(
        f"SELECT owner, name FROM mail_file WHERE owner {of} ORDER BY name", (thread,)
    ):
        files.setdefault(ident, []).append(name)
    shown = [
        _shown(w, r, people.get((r["id"], "to"), []), people.get((r["id"], "cc"), []), files.get(r["id"], []))
        for r in rows[:PAGE]
    ]
    return {"thread": thread, "messages": shown, "next": str(start + PAGE) if rows[PAGE:] else ""}


@mail.read("mail.read")
def message(w: World, message: Annotated[str, "a message id"]) -> dict[str, Any]:
    """Read one message."""
    return _full(w, message_row(w, message))


def _full(w: World, r: dict[str, Any]) -> dict[str, Any]:
    ident = r["id"]
    return _shown(w, r, recipients(w, ident, "to"), recipients(w, ident, "cc"), file_names(w, ident))


def _shown(w: World, r: dict[str, Any], to: list[str], cc: list[str], files: list[str]) -> dict[str, Any]:
    return {
        "id": r["id"],
        "thread": r["thread"],
        "folder": r["folder"],
        "from": r["sender"],
        "from_name": r["sender_name"],
        "to": to,
        "cc": cc,
        "subject": r["subject"],
        "at": w.local(r["at"]),
        "unread": bool(r["unread"]),
        "labels": decode(r["labels"]),
        "reply_to": r["reply_to"],
        "files": files,
        "body": r["body"],
    }


@mail.read("mail.read")
def file(
    w: World, owner: Annotated[str, "a message or draft id"], name: Annotated[str, "name of the file"]
) -> dict[str, Any]:
    """Read an attachment as text (CSV, TXT and the like); save others with mail_save_file to look into them."""
    row = w.one("SELECT media, data FROM mail_file WHERE owner = ? AND name = ?", owner, name)
    if row is None:
        raise ToolError(
            "not_found",
            f"{owner!r} has no file {name!r}",
            field="name",
            value=name,
            expected="; ".join(file_names(w, owner)) or "a message that has files",
        )
    try:
        text = row["data"].decode("utf-8-sig")
    except UnicodeDecodeError:
        return {"name": name, "media": row["media"], "size": len(row["data"]), "text": None}
    return {"name": name, "media": row["media"], "size": len(row["data"]), "text": text[:20_000]}


@mail.write("mail.read")
def save_file(
    w: World,
    owner: Annotated[str, "a message or draft id"],
    name: Annotated[str, "name of the file"],
    path: Annotated[str, "where to, e.g. workspace/rates.xlsx; empty keeps the name"] = "",
) -> dict[str, Any]:
    """Save an attachment into the files app."""
    from base64 import b64encode

    row = w.one("SELECT media, data FROM mail_file WHERE owner = ? AND name = ?", owner, name)
    if row is None:
        raise ToolError("not_found", f"{owner!r} has no file {name!r}", field="name", value=name)
    saved = w.signal(
        "files.save",
        path=path or f"workspace/{name}",
        media=row["media"],
        data_b64=b64encode(row["data"]).decode(),
    )
    if not saved:
        raise ToolError("unavailable", "there is no place to save files to", field="path", value=path)
    return dict(saved[0])
