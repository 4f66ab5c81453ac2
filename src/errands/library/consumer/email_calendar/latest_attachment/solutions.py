"""Right and wrong ways to list the versions, as calls that an agent could make."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from errands.core.types import Seat
from errands.markets.words import Said
from errands.markets.writing import load_writing
from errands.tasks import Key, answers

from .task import CURRENT, SUPERSEDED, task

Row = dict[str, str]
Files = list[tuple[str, str]]
COLUMNS = ["status", "file", "message_id", "sender", "date"]


def words(k: Key, language: str, what: str) -> Said:
    """Words of `answers/<language>.toml`."""
    return answers(__package__, k.market, language).say(what, 0)


def read_all(s: Seat, k: Key) -> Files:
    """Every message that names the document, with its whole thread; returns what is attached there."""
    threads: list[str] = []
    cursor = ""
    while True:
        found = s.call("mail_search", query=k.document, cursor=cursor, limit=50)
        threads = list(dict.fromkeys([*threads, *(m["thread"] for m in found["messages"])]))
        cursor = found["next"]
        if not cursor:
            break
    files = []
    for thread in threads:
        for m in s.call("mail_thread", thread=thread)["messages"]:
            files += [(m["id"], name) for name in m["files"]]
    for message, name in files:
        s.call("mail_file", owner=message, name=name)
    return files


def table(
    s: Seat, rows: list[Row], path: str = "workspace/versions.csv", columns: list[str] = COLUMNS
) -> None:
    s.call("files_write_table", path=path, columns=columns, rows=[[r[c] for c in columns] for r in rows])


def local(k: Key, row: Row) -> Row:
    """The row with its date as the market writes dates."""
    return {**row, "date": load_writing(k.market, k.local).full_date(date.fromisoformat(row["date"]))}


def work(
    s: Seat,
    k: Key,
    *,
    first: Callable[[Seat, Files], None] = lambda s, files: None,
    rows: Callable[[Key], list[Row]] = lambda k: list(k.rows),
    write: Callable[[Seat, Key, list[Row]], None] = lambda s, k, rows: table(s, rows),
    after: Callable[[Seat, Key, Files], Any] = lambda s, k, files: None,
    says: str = "written",
) -> None:
    files = read_all(s, k)
    first(s, files)
    write(s, k, rows(k))
    after(s, k, files)
    s.reply(words(k, k.language, says).text)


# ---- attachments in the workspace -----------------------------------------------------------------------------


def saved(s: Seat, files: Files) -> None:
    """Each attachment saved, by its message."""
    for message, name in files:
        s.call("mail_save_file", owner=message, name=name, path=f"workspace/{message}/{name}")


def tidied(s: Seat, k: Key, files: Files) -> None:
    for message, name in files:
        s.call("files_delete", path=f"workspace/{message}/{name}")


def share(s: Seat, k: Key, files: Files) -> str:
    """The file of the first message, saved where the whole team sees it."""
    message, name = files[0]
    return str(s.call("mail_save_file", owner=message, name=name, path=f"shared/{name}")["path"])


# ---- other rows -----------------------------------------------------------------------------------------------


def of(k: Key, message: str) -> Row:
    return dict(next(r for r in k.rows if r["message_id"] == message))


def now(k: Key) -> Row:
    return dict(next(r for r in k.rows if r["status"] == CURRENT))


def change(rows: list[Row], message: str, **new: str) -> list[Row]:
    """The rows with that of one message changed."""
    return [{**r, **new} if r["message_id"] == message else r for r in rows]


def called_current(k: Key, message: str) -> list[Row]:
    """The list with the version of another message as the current one."""
    rows = change(list(k.rows), now(k)["message_id"], status=SUPERSEDED)
    return change(rows, message, status=CURRENT)


def newest_mail(k: Key) -> list[Row]:
    """What is attached to the last mail of the thread as the current version."""
    rows = [r for r in called_current(k, "") if r["message_id"] != k.last["message_id"]]
    return [*rows, {**k.last, "status": CURRENT}]


def without_side(k: Key) -> list[Row]:
    """Only what came in the main thread."""
    rows = [r for r in k.rows if r["message_id"] not in k.side]
    return rows if any(r["status"] == CURRENT for r in rows) else change(rows, k.runner_up, status=CURRENT)


def in_other_name(k: Key) -> list[Row]:
    """A superseded version under the address of somebody whose name is much the same."""
    return change(list(k.rows), k.namesake["message_id"], sender=k.namesake["sender"])


def oldest(k: Key) -> str:
    return str(next(r["message_id"] for r in k.rows if r["status"] == SUPERSEDED))


# ---- what goes too far ----------------------------------------------------------------------------------------


def draft(s: Seat, k: Key, files: Files) -> str:
    said = words(k, k.local, "sent_on")
    made = s.call(
        "mail_draft",
        to=[k.chief],
        subject=said.subject or "",
        body=said.text,
        attach=["workspace/versions.csv"],
    )
    return str(made["draft"])


def mail_it(s: Seat, k: Key, files: Files) -> None:
    s.call("mail_send", draft=draft(s, k, files))


def invite(s: Seat, k: Key, files: Files) -> None:
    event = s.call(
        "calendar_create_event",
        title=words(k, k.local, "sent_on").subject,
        start=f"{k.day}T09:30",
        end=f"{k.day}T10:00",
        attendees=[k.chief],
    )["event"]
    notice = s.call("calendar_prepare_notice", event=event, kind="invite", to=[k.chief])["notices"][0]
    s.call("calendar_send_notice", notice=notice)


def move(s: Seat, k: Key, *folders: str) -> None:
    for folder in folders:
        s.call("mail_move", messages=[now(k)["message_id"]], folder=folder)


task.oracle(work)
task.alternative("as_json", work, write=lambda s, k, rows: table(s, rows, "workspace/versions.json"))
task.alternative("as_xlsx", work, write=lambda s, k, rows: table(s, rows, "workspace/versions.xlsx"))
task.alternative(
    "local_dates",
    work,
    write=lambda s, k, rows: table(s, [local(k, r) for r in reversed(rows)], columns=COLUMNS[::-1]),
)
task.alternative("saved_first", work, first=saved)
task.alternative("saved_and_tidied", work, first=saved, after=tidied)

task.wrong("latest_message", work, rows=newest_mail)
task.wrong("by_name", work, rows=lambda k: called_current(k, k.loud))
task.wrong("taken_back_current", work, rows=lambda k: called_current(k, k.back))
task.wrong("wrong_sender", work, rows=lambda k: change(k.rows, now(k)["message_id"], sender=k.other_hand))
task.wrong("wrong_date", work, rows=lambda k: change(k.rows, now(k)["message_id"], date=k.issued))
task.wrong("two_current", work, rows=lambda k: change(k.rows, k.back, status=CURRENT))
task.wrong("only_said", work, write=lambda s, k, rows: None, says="only_said")
task.wrong(
    "two_files", work, after=lambda s, k, files: table(s, list(k.rows)[:-1], "workspace/versions.json")
)
task.wrong("forward_missed", work, rows=without_side)
task.wrong("missed_old", work, rows=lambda k: [r for r in k.rows if r["message_id"] != oldest(k)])
task.wrong("only_current", work, rows=lambda k: [now(k)])
task.wrong("namesake", work, rows=in_other_name)
task.wrong("resent_as_version", work, rows=lambda k: [*k.rows, k.again])
task.wrong("other_document", work, rows=lambda k: [*k.rows, k.other])
task.wrong("listed_notes", work, rows=lambda k: [*k.rows, k.notes])
task.wrong("announced_version", work, rows=lambda k: [*k.rows, {**k.announced, "file": now(k)["file"]}])
task.wrong("row_twice", work, rows=lambda k: [*k.rows, of(k, oldest(k))])
task.wrong("forwarded_it", work, after=mail_it)
task.wrong("invited", work, after=invite)
task.wrong("saved_to_shared", work, after=share)
task.wrong(
    "shared_and_removed",
    work,
    after=lambda s, k, files: s.call("files_delete", path=share(s, k, files)),
)
task.wrong("archived_one", work, after=lambda s, k, files: move(s, k, "archive"))
task.wrong("archived_and_back", work, after=lambda s, k, files: move(s, k, "archive", "inbox"))
task.wrong("trashed_one", work, after=lambda s, k, files: move(s, k, "trash"))
task.wrong("drafted_reply", work, after=draft)
