"""Ways to do it, right and wrong, as calls that an agent could make. They may read the key: an agent cannot."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

from errands.core.types import Seat
from errands.tasks import Key

from .task import SUPPLIER, task

HEAD = ["invoice", "amount", "due"]


def rows(k: Key) -> list[list[str]]:
    return [[r["invoice"], f"SGD {r['amount'] / 100:.2f}", r["due"]] for r in k.rows]


def local(k: Key) -> list[list[str]]:
    return [
        [r["invoice"], f"S${r['amount'] / 100:,.2f}", f"{date.fromisoformat(r['due']):%d %b %Y}"]
        for r in k.rows
    ]


def first(k: Key) -> list[list[str]]:
    return [[r["invoice"], f"SGD {k.corrected / 100:.2f}", r["due"]] for r in k.rows]


def save(s: Seat, cells: list[list[str]], path: str = "workspace/owed.csv") -> None:
    if path.endswith(".json"):
        s.call("files_write", path=path, text=json.dumps([dict(zip(HEAD, r, strict=True)) for r in cells]))
    else:
        s.call("files_write_table", path=path, columns=HEAD, rows=cells)


def work(
    s: Seat,
    k: Key,
    *,
    cells: Any = rows,
    path: str = "workspace/owed.csv",
    write: bool = True,
    after: Any = lambda s, k: None,
) -> None:
    s.call("mail_search", query=SUPPLIER)
    if write:
        save(s, cells(k), path)
    after(s, k)
    s.reply("It is in your workspace.")


def mail_it(s: Seat, k: Key) -> None:
    draft = s.call("mail_draft", to=[k.chief], subject="What we owe", body=str(rows(k)))["draft"]
    s.call("mail_send", draft=draft)


def invite(s: Seat, k: Key) -> None:
    event = s.call(
        "calendar_create_event",
        title="Pay",
        start="2026-11-20T09:00",
        end="2026-11-20T09:15",
        attendees=[k.chief],
    )["event"]
    notice = s.call("calendar_prepare_notice", event=event, kind="invite", to=[k.chief])["notices"][0]
    s.call("calendar_send_notice", notice=notice)


task.oracle(work)
task.alternative("as_json", work, path="workspace/owed.json")
task.alternative("local_writing", work, cells=local)

task.wrong("first_mail", work, cells=first)
task.wrong("both_listed", work, cells=lambda k: [*rows(k), *first(k)])
task.wrong("only_said", work, write=False)
task.wrong("mailed_it", work, after=mail_it)
task.wrong("invited_them", work, after=invite)
task.wrong("shared_copy", work, after=lambda s, k: save(s, rows(k), "shared/owed.csv"))
