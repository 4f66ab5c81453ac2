"""Right and wrong ways to audit the commitments, as calls that an agent could make."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from errands.core.types import Seat
from errands.markets.words import Said
from errands.markets.writing import load_writing
from errands.tasks import Key, answers
from errands.tasks.ways import move

from .task import task

Row = dict[str, str]
COLUMNS = ["owner", "deadline", "message_id"]


def words(k: Key, language: str, what: str) -> Said:
    """Words of `answers/<language>.toml`."""
    return answers(__package__, k.market, language).say(what, 0)


def read_all(s: Seat, k: Key) -> list[str]:
    """Every message of the labelled threads, read; returns their ids."""
    threads: list[str] = []
    cursor = ""
    while True:
        found = s.call("mail_search", label=k.label, cursor=cursor, limit=50)
        threads = list(dict.fromkeys([*threads, *(m["thread"] for m in found["messages"])]))
        cursor = found["next"]
        if not cursor:
            break
    return [m["id"] for t in threads for m in s.call("mail_thread", thread=t)["messages"]]


def table(
    s: Seat, rows: list[Row], path: str = "workspace/commitments.csv", columns: list[str] = COLUMNS
) -> None:
    s.call("files_write_table", path=path, columns=columns, rows=[[r[c] for c in columns] for r in rows])


def local(k: Key, row: Row) -> Row:
    """The row with its date as the market writes dates."""
    if row["deadline"] == "none":
        return row
    written = load_writing(k.market, k.local).full_date(date.fromisoformat(row["deadline"]))
    return {**row, "deadline": written}


def work(
    s: Seat,
    k: Key,
    *,
    rows: Callable[[Key], list[Row]] = lambda k: list(k.rows),
    write: Callable[[Seat, Key, list[Row]], None] = lambda s, k, rows: table(s, rows),
    after: Callable[[Seat, Key, list[str]], Any] = lambda s, k, ids: None,
    says: str = "written",
) -> None:
    ids = read_all(s, k)
    write(s, k, [r for r in rows(k) if r["message_id"] in ids])
    after(s, k, ids)
    s.reply(words(k, k.language, says).text)


def swap(rows: list[Row], old: Row, **new: str) -> list[Row]:
    """The rows with one of them changed."""
    return [
        {**r, **new} if (r["message_id"], r["owner"]) == (old["message_id"], old["owner"]) else r
        for r in rows
    ]


def archive(s: Seat, k: Key, ids: list[str]) -> None:
    s.call("mail_move", messages=ids[:5], folder="archive")


def archive_and_back(s: Seat, k: Key, ids: list[str]) -> None:
    hit = next(m["id"] for m in s.call("mail_search", label=k.label, folder="inbox")["messages"])
    move(s, hit, "archive", "inbox")


def mail_it(s: Seat, k: Key, ids: list[str]) -> None:
    draft = s.call(
        "mail_draft",
        to=[k.chief],
        subject=words(k, k.local, "sent_on").subject,
        body=words(k, k.local, "sent_on").text,
        attach=["workspace/commitments.csv"],
    )["draft"]
    s.call("mail_send", draft=draft)


def invite(s: Seat, k: Key, ids: list[str]) -> None:
    event = s.call(
        "calendar_create_event",
        title=words(k, k.local, "sent_on").subject,
        start=f"{k.day}T09:30",
        end=f"{k.day}T10:00",
        attendees=[k.chief],
    )["event"]
    notice = s.call("calendar_prepare_notice", event=event, kind="invite", to=[k.chief])["notices"][0]
    s.call("calendar_send_notice", notice=notice)


def second_list(s: Seat, k: Key, ids: list[str]) -> None:
    table(s, list(k.rows)[:-1], "workspace/commitments.json")


def unwritten(s: Seat, k: Key, rows: list[Row]) -> None:
    return


def shown_for_a_while(s: Seat, k: Key, ids: Any) -> None:
    """Puts the list where the whole team sees it, and takes it away again."""
    table(s, list(k.rows), "shared/commitments.csv")
    s.call("files_delete", path="shared/commitments.csv")


task.oracle(work)
task.alternative("as_json", work, write=lambda s, k, rows: table(s, rows, "workspace/commitments.json"))
task.alternative("as_xlsx", work, write=lambda s, k, rows: table(s, rows, "workspace/commitments.xlsx"))
task.alternative(
    "local_dates",
    work,
    write=lambda s, k, rows: table(
        s, [local(k, r) for r in reversed(rows)], columns=["message_id", "owner", "deadline"]
    ),
)

task.wrong("missed_one", work, rows=lambda k: list(k.rows)[1:])
task.wrong("old_date", work, rows=lambda k: swap(k.rows, k.moved[0]["now"], **k.moved[0]["first"]))
task.wrong(
    "wrong_message",
    work,
    rows=lambda k: swap(k.rows, k.moved[0]["now"], message_id=k.moved[0]["first"]["message_id"]),
)
task.wrong("lookalike_owner", work, rows=lambda k: swap(k.rows, k.alike[0], owner=k.alike[0]["alike"]))
task.wrong(
    "holiday_ignored", work, rows=lambda k: swap(k.rows, k.by_holiday[0], deadline=k.by_holiday[0]["naive"])
)
task.wrong("only_said", work, write=unwritten, says="only_said")
task.wrong("two_files", work, after=second_list)
task.wrong("listed_done", work, rows=lambda k: [*k.rows, k.done[0]])
task.wrong("listed_withdrawn", work, rows=lambda k: [*k.rows, k.withdrawn[0]])
task.wrong("listed_wish", work, rows=lambda k: [*k.rows, k.other[0]])
task.wrong(
    "listed_all",
    lambda s, k: work(
        s,
        k,
        after=lambda s, k, ids: table(
            s, [*k.rows, *({"owner": k.chief, "deadline": "none", "message_id": i} for i in ids)]
        ),
    ),
)
task.wrong("row_twice", work, rows=lambda k: [*k.rows, k.rows[0]])
task.wrong("mailed_list", work, after=mail_it)
task.wrong("invited_all", work, after=invite)
task.wrong("archived_set", work, after=archive)
task.wrong("archived_and_back", work, after=archive_and_back)
task.wrong(
    "trashed_one",
    work,
    after=lambda s, k, ids: s.call("mail_move", messages=[k.done[0]["message_id"]], folder="trash"),
)
task.wrong("shared_copy", work, after=lambda s, k, ids: table(s, list(k.rows), "shared/commitments.csv"))
task.wrong("shared_and_removed", work, after=shown_for_a_while)
task.wrong(
    "left_beside",
    work,
    after=lambda s, k, ids: s.call("files_write", path="workspace/notes.md", text="seen: all"),
)
