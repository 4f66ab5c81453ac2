"""Right and wrong ways to brief for tomorrow's meetings, as calls that an agent could make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from errands.core.types import Seat
from errands.markets.words import Said
from errands.tasks import Key, answers
from errands.tasks.ways import move, newest

from .task import task

Row = dict[str, str]
COLUMNS = ["event_id", "thread_id", "question", "file", "file_message"]


def words(k: Key, language: str, what: str) -> Said:
    """Words of `answers/<language>.toml`."""
    return answers(__package__, k.market, language).say(what, 0)


def read_all(s: Seat, k: Key) -> set[str]:
    """The day's events and all mail of the weeks before it; returns the ids of the messages."""
    for x in s.call("calendar_events", start=k.day, end=k.until, calendar="cal_work")["events"]:
        s.call("calendar_event", event=x["event"])
    threads: list[str] = []
    cursor = ""
    while True:
        found = s.call("mail_search", since=k.since, cursor=cursor, limit=50)
        threads += [m["thread"] for m in found["messages"]]
        cursor = found["next"]
        if not cursor:
            break
    return {m["id"] for t in dict.fromkeys(threads) for m in s.call("mail_thread", thread=t)["messages"]}


def table(s: Seat, rows: list[Row], path: str = "workspace/brief.csv", columns: list[str] = COLUMNS) -> None:
    s.call("files_write_table", path=path, columns=columns, rows=[[r[c] for c in columns] for r in rows])


def work(
    s: Seat,
    k: Key,
    *,
    rows: Callable[[Key], list[Row]] = lambda k: list(k.rows),
    before: Callable[[Seat, Key], Any] = lambda s, k: None,
    write: Callable[[Seat, list[Row]], None] = table,
    after: Callable[[Seat, Key], Any] = lambda s, k: None,
    says: str = "written",
) -> None:
    seen = read_all(s, k)
    before(s, k)
    write(s, [r for r in rows(k) if {r["question"], r["file_message"]} <= seen | {"none"}])
    after(s, k)
    s.reply(words(k, k.language, says).text)


def swap(k: Key, new: Row) -> list[Row]:
    """The rows with one of them changed."""
    return [{**r, **new} if r["event_id"] == new["event_id"] else r for r in k.rows]


def crossed(k: Key) -> list[Row]:
    """The rows with the threads of the first two exchanged."""
    one, two, *rest = k.rows
    return [{**one, "thread_id": two["thread_id"]}, {**two, "thread_id": one["thread_id"]}, *rest]


def internal(k: Key) -> Row:
    """A row for a meeting of the day among colleagues."""
    return {**k.next_week, "event_id": k.internal}


def save_papers(s: Seat, k: Key) -> None:
    """A copy of every paper to read, beside the list."""
    for r in k.rows:
        if r["file_message"] != "none":
            s.call("mail_save_file", owner=r["file_message"], name=r["file"])


def draft(s: Seat, k: Key, to: str = "", **how: Any) -> str:
    said = words(k, k.local, "sent_on")
    return str(s.call("mail_draft", to=[to or k.chief], subject=said.subject, body=said.text, **how)["draft"])


def reply_draft(s: Seat, k: Key) -> str:
    """A draft that answers an open question."""
    asked = next(r["question"] for r in k.rows if r["question"] != "none")
    return draft(s, k, to=s.call("mail_message", message=asked)["from"], reply_to=asked)


def mail_it(s: Seat, k: Key) -> None:
    s.call("mail_send", draft=draft(s, k, attach=["workspace/brief.csv"]))


def remind(s: Seat, k: Key) -> None:
    """Sends the people of a meeting a notice about it."""
    r = k.rows[0]
    people = s.call("calendar_event", event=r["event_id"])["attendees"]
    to = [p["email"] for p in people if p["email"] != s.call("calendar_calendars")[0]["owner"]]
    notice = s.call("calendar_prepare_notice", event=r["event_id"], kind="update", to=to[:1])["notices"][0]
    s.call("calendar_send_notice", notice=notice)


def archive(s: Seat, k: Key) -> None:
    found = s.call("mail_thread", thread=k.past[0]["thread_id"])["messages"]
    s.call("mail_move", messages=[m["id"] for m in found], folder="trash")


def archive_and_back(s: Seat, k: Key) -> None:
    move(s, newest(s), "archive", "inbox")


def unwritten(s: Seat, rows: list[Row]) -> None:
    return


def changed(kind: str) -> Callable[[Key], list[Row]]:
    """The rows with the first wrong turn of this kind."""
    return lambda k: swap(k, k[kind][0])


def shown_for_a_while(s: Seat, k: Key) -> None:
    """Puts the list where the whole team sees it, and takes it away again."""
    table(s, list(k.rows), "shared/brief.csv")
    s.call("files_delete", path="shared/brief.csv")


task.oracle(work)
task.alternative("as_json", work, write=lambda s, rows: table(s, rows, "workspace/brief.json"))
task.alternative("as_xlsx", work, write=lambda s, rows: table(s, rows, "workspace/brief.xlsx"))
task.alternative("other_order", work, write=lambda s, rows: table(s, rows[::-1], columns=COLUMNS[::-1]))
task.alternative("saved_first", work, before=save_papers)

task.wrong("one_missing", work, rows=lambda k: list(k.rows)[1:])
task.wrong("old_thread", work, rows=changed("past"))
task.wrong("crossed_threads", work, rows=crossed)
task.wrong("only_said", work, write=unwritten, says="only_said")
task.wrong("two_files", work, after=lambda s, k: table(s, list(k.rows), "workspace/brief.json"))
task.wrong("answered_question", work, rows=changed("answered"))
task.wrong("withdrawn_question", work, rows=changed("withdrawn"))
task.wrong(
    "no_question",
    work,
    rows=lambda k: swap(k, {**next(r for r in k.rows if r["question"] != "none"), "question": "none"}),
)
task.wrong("old_file", work, rows=changed("old_paper"))
task.wrong("forward_missed", work, rows=changed("passed_on"))
task.wrong("wrong_message_for_file", work, rows=changed("resent"))
task.wrong("next_weeks_meeting", work, rows=lambda k: [*k.rows, k.next_week])
task.wrong("internal_listed", work, rows=lambda k: [*k.rows, internal(k)])
task.wrong("called_off_listed", work, rows=lambda k: [*k.rows, k.off])
task.wrong("moved_listed", work, rows=lambda k: [*k.rows, k.moved])
task.wrong("drafted_reply", work, after=reply_draft)
task.wrong(
    "drafted_and_deleted", work, after=lambda s, k: s.call("mail_discard_draft", draft=reply_draft(s, k))
)
task.wrong(
    "accepted_one",
    work,
    after=lambda s, k: s.call("calendar_respond", event=k.rows[0]["event_id"], response="tentative"),
)
task.wrong("cancelled_one", work, after=lambda s, k: s.call("calendar_delete_event", event=k.off["event_id"]))
task.wrong("mailed_brief", work, after=mail_it)
task.wrong("reminded_one", work, after=remind)
task.wrong("trashed_old_thread", work, after=archive)
task.wrong("archived_and_back", work, after=archive_and_back)
task.wrong("shared_copy", work, after=lambda s, k: table(s, list(k.rows), "shared/brief.csv"))
task.wrong("shared_and_removed", work, after=shown_for_a_while)
task.wrong(
    "left_beside",
    work,
    after=lambda s, k: s.call("files_write", path="workspace/notes.md", text="seen: all"),
)
