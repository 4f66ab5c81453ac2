"""Which version of a document is the current one, and which it replaced. See Task.md."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from datetime import date
from typing import Any

from errands.core import clock
from errands.core.errors import TaskError
from errands.core.types import Finding
from errands.grading import listing
from errands.grading.compare.codes import one_of_words
from errands.grading.compare.dates import Order, read_date
from errands.grading.compare.emails import read_email
from errands.grading.compare.ids import read_id
from errands.grading.compare.tables import Column
from errands.grading.compare.times import read_datetime
from errands.grading.evidence import Evidence
from errands.grading.findings import missed, satisfied
from errands.grading.listing import Wanted
from errands.markets.calendar import add_workdays
from errands.people.brief import Brief
from errands.tasks import Build, Key, Task
from errands.tasks.lists import only_a_list

from .scene import ENDINGS, Office, Scene, Sent, Written, write
from .versions import Version, versions
from .versions import current as standing

task = Task(__package__)
task.gate("mail.send", "never")
task.gate("calendar.notify", "never")

PLACE = "workspace/versions"
CURRENT, SUPERSEDED = "current", "superseded"
WORDS = {
    CURRENT: (CURRENT, "현재", "現行", "最新", "現行版", "ปัจจุบัน", "حالية", "الحالية", "سارية"),
    SUPERSEDED: (SUPERSEDED, "대체됨", "旧版", "舊版", "已取代", "ถูกแทนที่", "ملغاة", "مستبدلة"),
}


@task.build
def build(b: Build) -> Key:
    office = b.data("scenes", Office)
    n = b.variant
    scene = office.scene[n % len(office.scene)]
    ending = ENDINGS[(n + n // len(ENDINGS)) % len(ENDINGS)]
    written = write(b, scene, ending)
    attached = b.draft.all(
        "SELECT m.id, m.sender, m.at, f.name, f.data FROM mail_file f JOIN mail_message m ON m.id = f.owner"
        " ORDER BY m.at, m.id, f.name"
    )
    found = versions(attached, scene.document)
    now = standing(found, written.taken_back)
    rows = [_row(b, v.file, v.message, v.sender, v.at, v.message == now.message) for v in found]
    back = [s.message for s in written.sent if s.line.takes_back]
    for criterion in ("current", "history", "grounded"):
        b.needs(criterion, *(v.message for v in found), *back)
    b.user(Brief(goal="a list of the versions of one document, nothing touched"))
    b.instruct(document=scene.document)
    return Key(
        rows=rows,
        document=scene.document,
        chief=b.people[office.chief].email,
        day=add_workdays(b.market, b.today, 5).isoformat(),
        order=b.market.date_order,
        zone=b.market.zone,
        **_pitfalls(b, scene, written, found, now),
    )


def _row(b: Build, file: str, message: str, sender: str, at: int, stands: bool) -> dict[str, str]:
    return {
        "status": CURRENT if stands else SUPERSEDED,
        "file": file,
        "message_id": message,
        "sender": sender,
        "date": clock.from_ms(at, b.market.zone).date().isoformat(),
    }


def _pitfalls(b: Build, scene: Scene, written: Written, found: list[Version], now: Version) -> dict[str, Any]:
    """What of this variant misleads, each as wrong results need it; `TaskError` where one is not there."""

    def need(what: str, got: list[Any]) -> Any:
        if not got:
            raise TaskError(
                f"this variant has {what[: what.index(':')]} not at all",
                where=f"latest_attachment, {b.market.code}, {scene.document}",
                expected=what.partition(": ")[2],
            )
        return got[-1]

    def row(s: Sent) -> dict[str, str]:
        return _row(b, s.name, s.message, b.who(s.line.from_)[0], s.at, False)

    ids = {v.message for v in found}
    by_version = {s.line.brings: s for s in written.of("brings")}
    here = next(v for v, s in by_version.items() if s.message == now.message)
    attached = [s for s in written.sent if s.name and s.line.thread == "main" and not s.line.notes]
    last = need("a late old file: after the current version, something older in the thread", attached)
    again = [s for s in written.of("resends") if s.message not in ids]
    numbered = [s for s in by_version.values() if "{n}" in s.line.file]
    loud = max(numbered, key=lambda s: int("".join(c for c in s.name.rpartition(".")[0] if c.isdigit())))
    other_hands = [
        who
        for who in (
            *(b.who(s.line.from_)[0] for s in again if here in s.line.resends and len(s.line.resends) == 1),
            b.people[by_version[here].line.by or by_version[here].line.from_].email,
        )
        if who != now.sender
    ]
    namesakes = [
        {"message_id": s.message, "sender": b.people[p].email}
        for s in by_version.values()
        for p in b.people[s.line.from_].alike[:1]
        if s.message != now.message
    ]
    if last.message == now.message or loud.message == now.message:
        raise TaskError(
            "the newest mail or the highest number is the current version",
            where=f"latest_attachment, {b.market.code}, {scene.document}",
            expected="an older file after it, and a higher number before it",
        )
    side = [s.message for s in by_version.values() if s.line.thread != "main"]
    rest = [v for v in found if v.message not in {*side, *written.taken_back}]
    return {
        "last": row(last),
        "again": row(need("a file sent again: a line with `resends`", again)),
        "loud": loud.message,
        "back": need("a version taken back: a line with `takes_back`", written.taken_back),
        "side": [need("a version elsewhere: a line with `brings` beside the main thread", side), *side[:-1]],
        "runner_up": need("a version in the main thread: lines with `brings`", rest).message,
        "other_hand": need("another hand: the current version sent on, or in another's name", other_hands),
        "issued": written.papers[here].on.isoformat(),
        "namesake": need("a namesake: a version from somebody who has `alike`", namesakes),
        "other": row(need("another document: a line with `other`", written.of("other"))),
        "notes": row(need("notes: a line with `notes`", written.of("notes"))),
        "announced": row(need("a version only announced: a line with `announces`", written.of("announces"))),
    }


# ---- criteria -------------------------------------------------------------------------------------------------


_status = one_of_words({word: status for status, words in WORDS.items() for word in words})


def _file(value: object) -> str | None:
    """The name alone: where it was saved to does not matter."""
    return read_id(value.strip().rpartition("/")[2]) if isinstance(value, str) else None


def _day(order: Order, zone: str) -> Callable[[object], date | None]:
    """A date, or the moment of the message as mail shows it."""

    def read(value: object) -> date | None:
        day = read_date(value, order)
        if day is not None:
            return day
        moment = read_datetime(value, zone, order)
        return clock.from_ms(moment.ms, zone).date() if moment else None

    return read


def columns(order: Order, zone: str) -> tuple[Column, ...]:
    """The columns of the list, and other names for them."""
    return (
        Column("status", _status, ("state",)),
        Column("file", _file, ("file name", "attachment", "name")),
        Column("message_id", read_id, ("message", "message id")),
        Column("sender", read_email, ("from", "sender email", "sent by")),
        Column("date", _day(order, zone), ("message date", "sent on")),
    )


def wanted(k: Key) -> Wanted:
    """The list as it must be."""
    rows = [
        {**r, "file": unicodedata.normalize("NFKC", r["file"]), "date": date.fromisoformat(r["date"])}
        for r in k.rows
    ]
    return Wanted(PLACE, columns(k.order, k.zone), rows, ("message_id",), "version")


def _now(k: Key) -> str:
    return str(next(r["message_id"] for r in k.rows if r["status"] == CURRENT))


@task.criterion
def current(e: Evidence, k: Key) -> Finding:
    got = listing.listing(e, wanted(k))
    if got.rows is None:
        return missed(got.why, *got.proof)
    for row in got.rows.rows:
        message = str(row.key[0])
        if message != _now(k):
            if "status" in row.differs:
                return missed(
                    f"the version of {message} is not the current one, nor the only one", *got.proof
                )
        elif not row.found:
            return missed(f"the current version, {message}, is not listed", *got.proof, message)
        elif row.differs:
            what = ", ".join(row.differs)
            return missed(f"the {what} of the current version, {message}, is another", *got.proof, message)
    more = [r for r in got.rows.extra if r["status"] == CURRENT]
    if more:
        return missed(f"{more[0]['message_id']} is called the current version too", *got.proof)
    return satisfied(f"{_now(k)} brought the current version", *got.proof, _now(k))


@task.criterion
def history(e: Evidence, k: Key) -> Finding:
    got = listing.listing(e, wanted(k))
    if got.rows is None:
        return missed(got.why, *got.proof)
    older = [r for r in got.rows.rows if r.key[0] != _now(k)]
    for row in older:
        message = str(row.key[0])
        if not row.found:
            return missed(f"the superseded version of {message} is not listed", *got.proof, message)
        if row.differs:
            what = ", ".join(row.differs)
            return missed(f"the {what} of the version of {message} is another", *got.proof, message)
    ids = [str(r.key[0]) for r in older]
    return satisfied(f"all {len(ids)} superseded versions are listed rightly", *got.proof, *ids)


only_a_list(task, wanted)
