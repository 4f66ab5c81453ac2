"""Right and wrong ways to check the invitations, as calls that an agent could make."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from errands.core import clock
from errands.core.types import Seat
from errands.markets.words import Said
from errands.markets.writing import load_writing
from errands.tasks import Key, answers
from errands.tasks.ways import move

from .task import task

Row = dict[str, str]
COLUMNS = ["message_id", "start", "fault"]
FORM = "%Y-%m-%d %H:%M"


def words(k: Key, language: str, what: str) -> Said:
    """Words of `answers/<language>.toml`."""
    return answers(__package__, k.market, language).say(what, 0)


def invitations(s: Seat, k: Key) -> list[dict[str, Any]]:
    """The latest message of each labelled thread that brings an invitation, read."""
    found = s.call("mail_search", label=k.label, limit=50)["messages"]
    threads = [s.call("mail_thread", thread=t)["messages"] for t in dict.fromkeys(m["thread"] for m in found)]
    return [[m for m in t if m["files"]][-1] for t in threads]


def table(
    s: Seat, rows: list[Row], path: str = "workspace/invite-check.csv", columns: list[str] = COLUMNS
) -> None:
    s.call("files_write_table", path=path, columns=columns, rows=[[r[c] for c in columns] for r in rows])


def work(
    s: Seat,
    k: Key,
    *,
    rows: Callable[[Key], list[Row]] = lambda k: list(k.rows),
    before: Callable[[Seat, Key, list[dict[str, Any]]], Any] = lambda s, k, mails: None,
    write: Callable[[Seat, Key, list[Row]], None] = lambda s, k, rows: table(s, rows),
    after: Callable[[Seat, Key], Any] = lambda s, k: None,
    says: str = "written",
) -> None:
    mails = invitations(s, k)
    for m in mails:
        s.call("mail_file", owner=m["id"], name=m["files"][0])
    before(s, k, mails)
    write(s, k, rows(k))
    after(s, k)
    s.reply(words(k, k.language, says).text)


# ---- ways to write it ---------------------------------------------------------------------------------------------


def started(row: Row, how: Callable[[datetime], str]) -> Row:
    """The row with its start written another way."""
    return (
        row if row["start"] == "none" else {**row, "start": how(datetime.strptime(row["start"], FORM))}  # noqa: DTZ007
    )


def local(k: Key) -> list[Row]:
    """Date and time as the market writes them, the rows backwards."""
    writing = load_writing(k.market, k.local)
    return [
        started(r, lambda at: f"{writing.full_date(at)} {writing.clock_time(at)}") for r in reversed(k.rows)
    ]


def with_offset(k: Key) -> list[Row]:
    """As ISO 8601 with the owner's offset."""
    return [started(r, lambda at: clock.resolve(at, k.zone).isoformat(timespec="minutes")) for r in k.rows]


def half_days(k: Key) -> list[Row]:
    """By the clock of twelve hours."""
    return [started(r, lambda at: f"{at:%Y-%m-%d} {at:%I:%M %p}") for r in k.rows]


def save(s: Seat, k: Key, mails: list[dict[str, Any]]) -> None:
    for n, m in enumerate(mails):
        s.call("mail_save_file", owner=m["id"], name=m["files"][0], path=f"workspace/{n}-{m['files'][0]}")


# ---- what goes wrong ----------------------------------------------------------------------------------------------


def swap(k: Key, message: str, **new: str) -> list[Row]:
    """The right rows with one of them changed."""
    return [{**r, **new} if r["message_id"] == message else r for r in k.rows]


def of(k: Key, fault: str) -> dict[str, Any]:
    """The first invitation that has this fault."""
    return dict(next(s for s in k.sent if s["fault"] == fault))


def believed(k: Key) -> list[Row]:
    """Their own conversions, and no fault but where there is none to believe."""
    return [
        {
            "message_id": s["message"],
            "start": s["claimed"],
            "fault": "unclear" if s["fault"] == "unclear" else "none",
        }
        for s in k.sent
    ]


def of_calendar(s: Seat, k: Key, rows: list[Row]) -> None:
    """The times that stand on the calendar, with the right faults."""
    shown = {
        x["message"]: s.call("calendar_event", event=x["event"])["start"][:16].replace("T", " ")
        for x in k.sent
    }
    table(s, [r if r["start"] == "none" else {**r, "start": shown[r["message_id"]]} for r in rows])


def too_far(k: Key) -> list[Row]:
    """The change of clocks put right in the wrong direction."""
    x = of(k, "clock-change")
    true = next(r["start"] for r in k.rows if r["message_id"] == x["message"])
    right, claimed = datetime.strptime(true, FORM), datetime.strptime(x["claimed"], FORM)  # noqa: DTZ007
    return swap(k, x["message"], start=f"{claimed + (claimed - right):{FORM}}")


def shifted(k: Key, days: int) -> list[Row]:
    """The slipped date moved on once more, as one does who corrects what was counted already."""
    x = of(k, "wrong-date")
    true = next(r["start"] for r in k.rows if r["message_id"] == x["message"])
    return swap(k, x["message"], start=f"{datetime.strptime(true, FORM) + timedelta(days):{FORM}}")  # noqa: DTZ007


def superseded(k: Key) -> list[Row]:
    return [*k.rows, {"message_id": k.old[0], "start": f"{k.day} 15:00", "fault": "none"}]


def respond(response: str, *, send: bool = False) -> Callable[[Seat, Key], None]:
    """Answers the invitation that is right."""

    def do(s: Seat, k: Key) -> None:
        notice = s.call("calendar_respond", event=of(k, "none")["event"], response=response)["notice"]
        if send:
            s.call("calendar_send_notice", notice=notice)
        elif notice:
            s.call("calendar_discard_notice", notice=notice)

    return do


def corrected(s: Seat, k: Key) -> str:
    """An entry of one's own at the right time, unasked."""
    true = next(datetime.strptime(r["start"], FORM) for r in k.rows if r["fault"] == "clock-change")  # noqa: DTZ007
    end = true + timedelta(minutes=30)
    title = words(k, k.local, "pointed_out").subject
    return str(
        s.call(
            "calendar_create_event", title=title, start=f"{true:%Y-%m-%dT%H:%M}", end=f"{end:%Y-%m-%dT%H:%M}"
        )["event"]
    )


def correct_and_back(s: Seat, k: Key) -> None:
    s.call("calendar_delete_event", event=corrected(s, k))


def remove_entry(s: Seat, k: Key) -> None:
    """Takes the entry that says a wrong time off the calendar."""
    s.call("calendar_delete_event", event=of(k, "wrong-zone")["event"])


def mail_organiser(s: Seat, k: Key) -> None:
    told = words(k, k.local, "pointed_out")
    to = [of(k, "wrong-date")["by"]]
    s.call("mail_send", draft=s.call("mail_draft", to=to, subject=told.subject, body=told.text)["draft"])


def archive(s: Seat, k: Key) -> None:
    s.call("mail_move", messages=[r["message_id"] for r in k.rows], folder="archive")


def archive_and_back(s: Seat, k: Key) -> None:
    move(s, k.rows[0]["message_id"], "archive", "inbox")


def trash_old(s: Seat, k: Key) -> None:
    s.call("mail_move", messages=[k.old[0]], folder="trash")


def unwritten(s: Seat, k: Key, rows: list[Row]) -> None:
    return


def shown_for_a_while(s: Seat, k: Key) -> None:
    """Puts the list where the whole team sees it, and takes it away again."""
    table(s, list(k.rows), "shared/invite-check.csv")
    s.call("files_delete", path="shared/invite-check.csv")


task.oracle(work)
task.alternative("as_json", work, write=lambda s, k, rows: table(s, rows, "workspace/invite-check.json"))
task.alternative("as_xlsx", work, write=lambda s, k, rows: table(s, rows, "workspace/invite-check.xlsx"))
task.alternative(
    "local_times",
    work,
    rows=local,
    write=lambda s, k, rows: table(s, rows, columns=["fault", "start", "message_id"]),
)
task.alternative("half_days", work, rows=half_days)
task.alternative("with_offset", work, rows=with_offset)
task.alternative("saved_first", work, before=save)

task.wrong("took_their_word", work, rows=believed)
task.wrong("from_calendar", work, write=of_calendar)
task.wrong(
    "wrong_fault_code", work, rows=lambda k: swap(k, of(k, "clock-change")["message"], fault="wrong-zone")
)
task.wrong("hour_too_far", work, rows=too_far)
task.wrong("day_too_far", work, rows=lambda k: shifted(k, 1))
task.wrong("home_clock", work, rows=lambda k: swap(k, k.home[0]["message_id"], start=k.home[0]["start"]))
task.wrong("flagged_right_one", work, rows=lambda k: swap(k, of(k, "none")["message"], fault="wrong-date"))
task.wrong("missed_one", work, rows=lambda k: list(k.rows)[1:])
task.wrong("only_said", work, write=unwritten, says="only_said")
task.wrong("two_files", work, after=lambda s, k: table(s, list(k.rows)[:-1], "workspace/invite-check.json"))
task.wrong(
    "guessed_unclear",
    work,
    rows=lambda k: swap(k, of(k, "unclear")["message"], start=of(k, "unclear")["guess"], fault="none"),
)
task.wrong("listed_superseded", work, rows=superseded)
task.wrong("row_twice", work, rows=lambda k: [*k.rows, k.rows[0]])
task.wrong("accepted_one", work, after=respond("accepted"))
task.wrong("declined_one", work, after=respond("declined"))
task.wrong("tentative_one", work, after=respond("tentative"))
task.wrong("corrected_calendar", work, after=corrected)
task.wrong("removed_entry", work, after=remove_entry)
task.wrong("corrected_and_back", work, after=correct_and_back)
task.wrong("answered", work, after=respond("accepted", send=True))
task.wrong("mailed_organiser", work, after=mail_organiser)
task.wrong("archived_all", work, after=archive)
task.wrong("archived_and_back", work, after=archive_and_back)
task.wrong("trashed_old", work, after=trash_old)
task.wrong("shared_copy", work, after=lambda s, k: table(s, list(k.rows), "shared/invite-check.csv"))
task.wrong("shared_and_removed", work, after=shown_for_a_while)
task.wrong(
    "left_beside",
    work,
    after=lambda s, k: s.call("files_write", path="workspace/notes.md", text="seen: all"),
)
