"""Tomorrow's meetings, each with its thread, its open question and the paper to read. See Task.md."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, timedelta
from pathlib import PurePosixPath

from errands.core import clock
from errands.core.errors import TaskError
from errands.core.types import Finding
from errands.grading import listing
from errands.grading.compare.ids import read_id
from errands.grading.compare.nothing import is_nothing
from errands.grading.compare.tables import Column
from errands.grading.evidence import Evidence
from errands.grading.findings import missed, satisfied
from errands.grading.listing import Wanted
from errands.markets.calendar import add_workdays
from errands.people.brief import Brief
from errands.tasks import Build, Key, Task
from errands.tasks.lists import only_a_list

from .scene import DAYS, LIVE, Act, Office, State, clear, fold, meetings, parts, times
from .threads import last_time, meeting, write

task = Task(__package__)
task.gate("mail.send", "never")
task.gate("calendar.notify", "never")

PLACE = "workspace/brief"
NONE = "none"


@task.build
def build(b: Build) -> Key:
    office = b.data("scenes", Office)
    day = b.today + timedelta(1)
    clear(b, day)
    drawn = parts(b, office)
    starts = times(b, day, [p.matter.minutes for p in drawn])
    acts = [a for part, at in zip(drawn, starts, strict=True) for a in write(b, part, day, at)]
    old = {p.matter.key: last_time(b, p.matter, day) for p in drawn}
    twin = b.rng.below(LIVE)
    at = clock.from_ms(starts[twin], b.market.zone)
    later = meeting(b, drawn[twin].matter, b.at(add_workdays(b.market, day, 5), f"{at:%H:%M}"))
    states = {x.matter: x for x in fold(acts)}
    found = solved(b, day, list(states.values()))
    needed(b, found, acts)
    b.user(Brief(goal="a list for tomorrow's meetings, nothing touched"))
    b.instruct(day=day)
    inside = meetings(b, day, outsiders=False)
    if not inside:
        raise TaskError(
            f"nobody but outsiders meets on {day}",
            where=f"agenda_brief, {b.market.code}, variant {b.variant}",
            expected="a meeting among colleagues in the market's life",
        )
    gone = {p.fate: states[p.matter.key].row(NONE) for p in drawn if p.fate != "live"}
    return Key(
        rows=[x.row(NONE) for x in found],
        past=[{"event_id": x.event, "thread_id": old[x.matter]} for x in found],
        next_week={**states[drawn[twin].matter.key].row(NONE), "event_id": later},
        off=gone["off"],
        moved=gone["moved"],
        internal=inside[0],
        **wrong_turns(b, acts, found),
        chief=b.people[office.chief].email,
        since=add_workdays(b.market, b.today, -DAYS).isoformat(),
        day=day.isoformat(),
        until=(day + timedelta(1)).isoformat(),
    )


def needed(b: Build, found: list[State], acts: list[Act]) -> None:
    """Which records one must have read."""

    def said(*kinds: str) -> list[str]:
        live = {x.matter for x in found}
        return [a.message for a in acts if a.matter in live and a.kind in kinds]

    b.needs("paired", *(x.event for x in found), *said("arranges"))
    b.needs("question", *said("asks", "answers", "withdraws"))
    b.needs("reading", *said("brings"))
    b.needs(
        "grounded", *(x.event for x in found), *(a.message for a in acts if a.kind in ("moves", "calls off"))
    )


def solved(b: Build, day: date, states: list[State]) -> list[State]:
    """The meetings of the day with outsiders, as the calendar's rows show them and what was said leaves them."""
    known = {x.event: x for x in states}
    shown = meetings(b, day)
    if strange := [e for e in shown if e not in known]:
        raise TaskError(
            f"{len(strange)} meetings with outsiders on {day} come from no thread of this errand",
            where=f"agenda_brief, {b.market.code}, variant {b.variant}",
            expected="none: `clear` takes out those of the life",
        )
    return [known[e] for e in shown if known[e].day == day.isoformat()]


def wrong_turns(b: Build, acts: list[Act], found: list[State]) -> dict[str, list[dict[str, str]]]:
    """What a hasty reader would put into a row, by kind; `TaskError` where the variant has none of a kind."""
    out: dict[str, list[dict[str, str]]] = {
        kind: [] for kind in ("answered", "withdrawn", "old_paper", "passed_on", "resent")
    }
    for x in found:
        said = [a for a in acts if a.matter == x.matter]
        row = {"event_id": x.event}
        for a in said:
            if a.kind in ("answers", "withdraws"):
                asked = next(q for q in said if q.kind == "asks" and q.item == a.item)
                kind = "answered" if a.kind == "answers" else "withdrawn"
                out[kind].append({**row, "question": asked.message})
        papers = [a for a in said if a.kind == "brings"]
        first = next((a for a in papers if a.message != x.file_message), None)
        came = next((a for a in papers if a.message == x.file_message), None)
        if first and came and first.at < came.at:
            kind = "old_paper" if came.thread == x.thread else "passed_on"
            out[kind].append({**row, "file": first.file, "file_message": first.message})
        again = [a for a in papers if came and a.item == came.item and a.message != x.file_message]
        out["resent"] += [{**row, "file_message": a.message} for a in again]
    lacking = [kind for kind, hits in out.items() if not hits]
    lacking += [] if any(not x.question for x in found) else ["meeting without an open question"]
    lacking += [] if any(not x.file for x in found) else ["meeting without a paper"]
    if lacking:
        raise TaskError(
            f"this variant has no {lacking[0]}",
            where=f"agenda_brief, {b.market.code}, variant {b.variant}",
            expected="one of each at least: an answered and a withdrawn question, a newer paper in the thread, one"
            " passed on in another, one sent again, a meeting without a question and one without a paper",
        )
    return out


# ---- criteria -------------------------------------------------------------------------------------------------


def _or_none(value: object) -> str | None:
    """An id, or the agreed word for none (in JSON also null)."""
    if is_nothing(value):
        return NONE
    return read_id(value)


def _file(value: object) -> str | None:
    """The name of a file, also where it is given with the folder into which it was saved."""
    name = _or_none(value)
    return None if name is None else PurePosixPath(name).name


COLUMNS = (
    Column("event_id", read_id, ("event",)),
    Column("thread_id", read_id, ("thread",)),
    Column("question", _or_none, ("question_id", "open_question", "question_message")),
    Column("file", _file, ("file_name", "attachment")),
    Column("file_message", _or_none, ("file_message_id", "attachment_message")),
)


def wanted(k: Key) -> Wanted:
    """The list as it must be."""
    rows = [{**r, "file": _file(r["file"])} for r in k.rows]
    return Wanted(PLACE, COLUMNS, rows, ("event_id",), "meeting of tomorrow with outsiders")


def _right(e: Evidence, k: Key, columns: Collection[str], what: str) -> Finding:
    """Whether every meeting is listed, with these columns right."""
    got = listing.listing(e, wanted(k))
    if got.rows is None:
        return missed(got.why, *got.proof)
    for row in got.rows.rows:
        event = str(row.key[0])
        if not row.found:
            return missed(f"the meeting {event} is not listed", *got.proof, event)
        if wrong := [c for c in row.differs if c in columns]:
            return missed(f"the {', '.join(wrong)} of meeting {event} is another", *got.proof, event)
    ids = [str(r.key[0]) for r in got.rows.rows]
    return satisfied(f"{what} of all {len(ids)} meetings is right", *got.proof, *ids)


@task.criterion
def paired(e: Evidence, k: Key) -> Finding:
    return _right(e, k, ("thread_id",), "the thread")


@task.criterion
def question(e: Evidence, k: Key) -> Finding:
    return _right(e, k, ("question",), "the open question")


@task.criterion
def reading(e: Evidence, k: Key) -> Finding:
    return _right(e, k, ("file", "file_message"), "the paper to read")


@task.criterion
def untouched(e: Evidence, k: Key) -> Finding:
    sent = {c.ref for c in e.commits()}  # what was sent is the question of `read_only`
    for table in (
        "calendar_event",
        "calendar_occurrence",
        "calendar_attendee",
        "calendar_notice",
        "mail_draft",
    ):
        for effect in e.effects(table):
            if effect.ref not in sent:
                what = "a draft was written" if table == "mail_draft" else "the calendar was changed"
                return missed(f"{what}: {table} {effect.ref}", effect)
    return satisfied("no event was touched and no draft written, not even for a while")


only_a_list(task, wanted)
