"""Which promises still stand in a set of threads. See Task.md."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from errands.core import clock
from errands.core.errors import TaskError
from errands.core.types import Finding
from errands.grading import listing
from errands.grading.compare.dates import Order, read_date
from errands.grading.compare.emails import read_email
from errands.grading.compare.ids import read_id
from errands.grading.compare.nothing import is_nothing
from errands.grading.compare.tables import Column
from errands.grading.evidence import Evidence
from errands.grading.listing import Wanted
from errands.markets.calendar import add_workdays, is_workday
from errands.markets.words import WordsError
from errands.markets.writing import Writing, load_writing
from errands.people.brief import Brief
from errands.tasks import Build, Key, Task
from errands.tasks.life import pause
from errands.tasks.lists import only_a_list

from .script import Act, Line, Script, Setting, scripts

task = Task(__package__)
task.gate("mail.send", "never")
task.gate("calendar.notify", "never")

PLACE = "workspace/commitments"
NONE = "none"


@task.build
def build(b: Build) -> Key:
    setting, all_scripts = scripts(b.package, b.market.code)
    said: list[dict[str, Any]] = []
    for script, ending in _cast(b, all_scripts):
        said += _write(b, setting, script, ending)
    standing = fold(said)
    b.user(Brief(goal="a list of open commitments, nothing touched"))
    b.instruct(label=setting.label)
    for criterion in ("complete", "grounded"):
        b.needs(criterion, *(a["message"] for a in said))
    rows = [
        {"owner": b.people[a["owner"]].email, "deadline": a["due"], "message_id": a["message"]}
        for a in standing
    ]
    gone = {
        kind: [_row(b, _first(said, a)) for a in said if a["kind"] == kind] for kind in ("done", "withdrawn")
    }
    gone["other"] = [_row(b, a) for a in said if a["kind"] == "other"]
    moved = [{"now": _row(b, a), "first": _row(b, _first(said, a))} for a in standing if a["kind"] == "moved"]
    by_holiday = [{**_row(b, a), "naive": a["naive"]} for a in standing if a["naive"] != a["due"]]
    alike = [
        {**_row(b, a), "alike": b.people[p].email} for a in standing for p in b.people[a["owner"]].alike[:1]
    ]
    for name, found in (
        ("moved", moved),
        ("done", gone["done"]),
        ("withdrawn", gone["withdrawn"]),
        ("alike", alike),
        ("other", gone["other"]),
        ("holiday", by_holiday),
    ):
        if not found:
            raise TaskError(
                f"this variant has no {name} case",
                where="commitment_audit, build",
                expected="one of each kind of trap: " + _WANTED[name],
            )
    return Key(
        rows=rows,
        moved=moved,
        done=gone["done"],
        withdrawn=gone["withdrawn"],
        other=gone["other"],
        alike=alike,
        by_holiday=by_holiday,
        label=setting.label,
        chief=b.people[setting.chief].email,
        day=add_workdays(b.market, b.today, 5).isoformat(),
        order=b.market.date_order,
        today=b.today.isoformat(),
    )


_WANTED = {
    "moved": "threads whose ending `moved` can be drawn",
    "done": "threads whose ending `done` can be drawn",
    "withdrawn": "threads whose ending `withdrawn` can be drawn",
    "alike": "an open promise of somebody who has `alike` in people.toml",
    "other": "an act `other`, which only looks like a promise",
    "holiday": "an open promise whose date is another if the holiday is counted as a working day (`workdays` over it, or"
    " `after-holiday` with the last day before it as `holiday` of the setting)",
}


def _row(b: Build, act: dict[str, Any]) -> dict[str, str]:
    return {
        "owner": b.people[act["owner"]].email,
        "deadline": act["due"] or NONE,
        "message_id": act["message"],
    }


def _first(said: list[dict[str, Any]], act: dict[str, Any]) -> dict[str, Any]:
    return next(
        a for a in said if a["kind"] == "promise" and (a["thread"], a["item"]) == (act["thread"], act["item"])
    )


def fold(said: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The independent solver: what was said, in order, folded to the promises that still stand."""
    standing: dict[tuple[str, str], dict[str, Any]] = {}
    for act in sorted(said, key=lambda a: (a["at"], a["message"])):
        place = (act["thread"], act["item"])
        if act["kind"] == "other":
            continue
        if act["kind"] == "promise" and place in standing:
            raise TaskError(
                f"{place} is promised twice",
                where="commitment_audit, threads",
                expected="one promise, then `moved`: two would be two answers",
            )
        if act["kind"] != "promise" and place not in standing:
            raise TaskError(
                f"{place} is {act['kind']} and is no open promise",
                where="commitment_audit, threads",
                expected="a promise of this item before it",
            )
        if act["kind"] in ("done", "withdrawn"):
            del standing[place]
        else:
            standing[place] = act
    rows = [(a["message"], a["owner"]) for a in standing.values()]
    if twice := [r for r in rows if rows.count(r) > 1]:
        raise TaskError(
            f"{twice[0][1]} owes two things by one message",
            where="commitment_audit, threads",
            expected="one open commitment a person and message, or rows cannot be told apart",
        )
    return sorted(standing.values(), key=lambda a: (a["at"], a["message"]))


# ---- writing the threads ------------------------------------------------------------------------------------------


def _cast(b: Build, all_scripts: tuple[Script, ...]) -> list[tuple[Script, str]]:
    """Which threads this variant has, and how each ends: some of every ending, one date that hangs on the holiday."""
    idle = [s for s in all_scripts if not s.promises]
    busy = b.rng.shuffled([s for s in all_scripts if s.promises])
    wish = ["moved", "moved", "moved", "done", "done", "withdrawn", "withdrawn"]
    out = []
    hangs = next((s for s in busy if s.hangs_on_holiday), None)
    if hangs is None:
        raise TaskError(
            "no thread has a date that hangs on the holiday",
            where="commitment_audit, threads",
            expected="a promise with rule workdays or after-holiday",
        )
    for s in [hangs, *(x for x in busy if x is not hangs)][:11]:
        names = [e.name for e in s.ending]
        take = "open" if s is hangs else next((w for w in wish if w in names), "open")
        if take in wish:
            wish.remove(take)
        out.append((s, take))
    return out + [(s, s.ending[0].name) for s in idle]


def _write(b: Build, setting: Setting, script: Script, ending: str) -> list[dict[str, Any]]:
    """Mail one thread; returns what was said in it, with message ids and dates worked out."""
    writing = load_writing(b.market.code, script.language)
    lines = [*script.message, *next(e for e in script.ending if e.name == ending).message]
    due = {a.due.slot: _pick(b, a.due.pick) for line in lines for a in line.act if a.due and a.due.pick}
    at, thread, previous = clock.to_ms(clock.resolve(script.start, b.market.zone)), b.id("thr"), ""
    out = []
    for n, line in enumerate(lines):
        at += int(pause(line.after) / timedelta(milliseconds=1)) if line.after else 0
        if at >= b.now:
            raise TaskError(
                f"message {n + 1} lies in the world's future", where=f"commitment_audit, thread {script.id}"
            )
        subject = script.subject if n == 0 else f"Re: {script.subject}"
        previous = b.mail(
            line.from_,
            list(line.to),
            subject,
            _text(line, writing, due, script),
            at,
            thread=thread,
            cc=list(line.cc),
            labels=(setting.label,),
            reply_to=previous,
        )
        out += [_said(b, setting, script, line, act, previous, at, due) for act in line.act]
    return out


def _text(line: Line, writing: Writing, due: dict[str, date], script: Script) -> str:
    try:
        return line.text(writing, due)
    except WordsError as why:
        raise TaskError(
            str(why),
            where=f"commitment_audit, thread {script.id}, message of {line.from_}",
            expected=f"slots with a date to draw: {', '.join(due) or 'none'} (`due = {{ pick = …, slot = … }}`)",
        ) from None


def _said(
    b: Build,
    setting: Setting,
    script: Script,
    line: Line,
    act: Act,
    message: str,
    at: int,
    due: dict[str, date],
) -> dict[str, Any]:
    day = clock.from_ms(at, b.market.zone).date()
    when, naive = _dates(b, setting, act, day, due)
    return {
        "thread": script.id,
        "item": act.item,
        "owner": act.owner,
        "kind": act.kind,
        "message": message,
        "at": at,
        "due": when,
        "naive": naive,
    }


def _pick(b: Build, span: tuple[date, date]) -> date:
    days = [span[0] + timedelta(n) for n in range((span[1] - span[0]).days + 1)]
    open_ = [d for d in days if is_workday(b.market, d)]
    if not open_:
        raise TaskError(f"no working day from {span[0]} to {span[1]}", where="commitment_audit, a `pick`")
    return b.rng.choice(open_)


def _dates(b: Build, setting: Setting, act: Act, said_on: date, due: dict[str, date]) -> tuple[str, str]:
    """The deadline of an act as it is meant, and as someone reckons who forgets public holidays."""
    if act.due is None or act.due.rule == "none":
        return NONE, NONE
    if act.due.pick:
        return (due[act.due.slot].isoformat(),) * 2
    if act.due.rule == "workdays":
        assert act.due.n is not None  # the reader of the threads sees to it
        return add_workdays(b.market, said_on, act.due.n).isoformat(), _weekdays(
            said_on, act.due.n
        ).isoformat()
    if act.due.rule == "this-friday":
        return ((said_on + timedelta(4 - said_on.weekday())).isoformat(),) * 2
    if act.due.rule == "month-end":
        last = date(said_on.year + said_on.month // 12, said_on.month % 12 + 1, 1) - timedelta(1)
        return (last.isoformat(),) * 2
    if act.due.rule == "after-holiday":
        after = add_workdays(b.market, setting.holiday, 1)
        return after.isoformat(), _weekdays(setting.holiday, 1).isoformat()
    assert act.due.on is not None
    return (act.due.on.isoformat(),) * 2


def _weekdays(day: date, n: int) -> date:
    while n:
        day += timedelta(1)
        n -= day.weekday() < 5
    return day


# ---- criteria -------------------------------------------------------------------------------------------------


def _deadline(order: Order) -> Callable[[object], object | None]:
    """A date, or the agreed word for no date (in JSON also null)."""

    def read(value: object) -> object | None:
        if is_nothing(value):
            return NONE
        return read_date(value, order)

    return read


def columns(order: Order) -> tuple[Column, ...]:
    """The columns of the list, and other names for them."""
    return (
        Column("owner", read_email, ("who", "owner email", "email")),
        Column("deadline", _deadline(order), ("due", "due date")),
        Column("message_id", read_id, ("message", "source message")),
    )


def wanted(k: Key) -> Wanted:
    """The list as it must be."""
    rows = [
        {**r, "deadline": NONE if r["deadline"] == NONE else date.fromisoformat(r["deadline"])}
        for r in k.rows
    ]
    return Wanted(PLACE, columns(k.order), rows, ("message_id", "owner"), "open commitment")


@task.criterion
def complete(e: Evidence, k: Key) -> Finding:
    return listing.complete(e, wanted(k))


only_a_list(task, wanted)
