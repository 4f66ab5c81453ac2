"""An agenda from a note and the calendar, saved as one new note in the notebook that is named. See Task.md."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from errands.apps.notes import seed as notes
from errands.core import clock
from errands.core.types import Finding
from errands.grading.evidence import Change, Entry, Evidence
from errands.grading.findings import missed, partly, satisfied
from errands.grading.scope import within
from errands.people.brief import Brief
from errands.tasks import Build, Key, Task

from .reading import left_open, names_time, people, topics, when
from .scene import OTHERS, PEOPLE, PLANS, TUESDAY, Diary

task = Task(__package__)

DAY = 86_400_000


@task.build
def build(b: Build) -> Key:
    plan = PLANS[b.variant]
    b.begins(TUESDAY, "08:40")
    diary = Diary(b, plan)
    diary.fill()
    met = diary.met()
    usual, place, work = sorted(b.id("nbk") for _ in range(3))
    for ident, name in ((usual, "usual"), (place, "place"), (work, "work")):
        notes.notebook(b.draft, id=ident, name=b.say(name).text)
    note = _note(b, work, "next", 2, meeting=plan.meeting, one=plan.now[0], two=plan.now[1])
    _note(b, work, "last", 23, meeting=plan.meeting, one=plan.before[0], two=plan.before[1])
    _note(b, usual, "errands", 1)
    _note(b, place, "old_agenda", 7)
    b.needs("reads_note", note)
    b.needs("correct_topics", note)
    b.needs("reads_calendar", *([met.event] if met else []))
    b.needs("correct_time_and_person", *([met.event] if met else []))
    b.needs("saves_only_designated_note", place)
    b.user(Brief(goal="an agenda from a note and the calendar"))
    b.instruct(meeting=plan.meeting, place=b.say("place").text)
    return Key(
        meeting=plan.meeting,
        note=note,
        place=place,
        usual=usual,
        topics=list(plan.now),
        old_topics=list(plan.before),
        event=met.event if met else None,
        starts=met.starts if met else None,
        ends=met.ends if met else None,
        zone=diary.zone,
        own_zone=b.market.zone,
        person=diary.person,
        other=diary.other,
        today=b.today.isoformat(),
        week=[b.now, b.at(TUESDAY + timedelta(3), "18:00")],
    )


def _note(b: Build, notebook: str, key: str, days: int, **slots: Any) -> str:
    choice = b.variant % 2 if key == "next" else 0
    said = b.say(key, choice, **slots)
    at = b.now - days * DAY
    return notes.note(
        b.draft, id=b.id("nte"), notebook=notebook, title=said.subject or "", body=said.text, at=at
    )


# ---- criteria ----------------------------------------------------------------------------------------------------


def _new(e: Evidence) -> list[Change]:
    """The notes that the agent added."""
    return [c for c in e.net("notes_note").values() if c.before is None]


def _agendas(e: Evidence, k: Key) -> list[Change]:
    """Those that stand where the agenda belongs; where none does, whatever was added."""
    return [c for c in _new(e) if c.record["notebook"] == k.place] or _new(e)


def _saved(e: Evidence, k: Key) -> int:
    """When the agenda stood as it stands: the last ledger row that made it, or the last reply where there is none."""
    made = [x.seq for c in _agendas(e, k) for x in c.effects]
    return max(made or [r.seq for r in e.replies] or [0])


def _reads(e: Evidence, name: str) -> list[Entry]:
    """Successful calls of a tool by the agent."""
    return [c for c in e.entries("call") if c.name == name and c.actor == "agent" and "result" in c.body]


def _before(e: Evidence, k: Key, found: list[Entry], what: str) -> Finding:
    """Whether one of these looks came before the agenda was written; late looks count half."""
    if not found:
        return missed(f"{what} was not read")
    early = [c for c in found if c.seq < _saved(e, k)]
    if early:
        return satisfied(f"{what} was read before the agenda was written", early[0])
    return partly(f"{what} was read only after the agenda was written", found[0])


@task.criterion
def reads_note(e: Evidence, k: Key) -> Finding:
    return _before(
        e, k, [c for c in _reads(e, "notes_read") if c.body["args"].get("note") == k.note], "the note"
    )


@task.criterion
def reads_calendar(e: Evidence, k: Key) -> Finding:
    if k.event is None:
        return _searched(e, k)
    listed = [
        c for c in _reads(e, "calendar_events") if k.event in {x["event"] for x in c.body["result"]["events"]}
    ]
    shown = [c for c in _reads(e, "calendar_event") if c.body["result"]["event"] == k.event]
    return _before(e, k, sorted([*listed, *shown], key=lambda c: c.seq), "the meeting")


def _searched(e: Evidence, k: Key) -> Finding:
    """Whether the rest of the week was gone through, where the meeting does not stand in it."""
    looks = _reads(e, "calendar_events")
    spans = [(c, _span(c, k.own_zone)) for c in looks]
    low, high = k.week
    if _covers([s for c, s in spans if c.seq < _saved(e, k)], low, high):
        return satisfied("the whole week was gone through before the agenda was written", *looks)
    if _covers([s for _, s in spans], low, high) or any(a < high and z > low for _, (a, z) in spans):
        return partly("the week was gone through in part, or only afterwards", *looks)
    return missed("the calendar of this week was not looked at", *looks)


def _span(c: Entry, zone: str) -> tuple[int, int]:
    """The window that a look into the calendar asked for, UTC ms."""
    start, end = (str(c.body["args"][name]).strip() for name in ("start", "end"))
    low, high = (clock.read_iso(t if "T" in t or " " in t else f"{t}T00:00", zone) for t in (start, end))
    return low, high


def _covers(spans: list[tuple[int, int]], low: int, high: int) -> bool:
    for a, z in sorted(spans):
        if a <= low:
            low = max(low, z)
    return low >= high


def _judged(e: Evidence, k: Key, how: Callable[[str, Change | str], Finding]) -> Finding:
    """The worst of what is found in the agendas; where none was saved, what the last reply says right counts half."""
    found = [how(f"{c.record['title']}\n{c.record['body']}", c) for c in _agendas(e, k)]
    if found:
        return min(found, key=lambda f: ("not_met", "partly", "met").index(f.result))
    said = how(e.final_reply, str(e.replies[-1]) if e.replies else "")
    if said.result != "met":
        return missed("no agenda was saved", *said.rows)
    return partly(f"only in the reply: {said.reason}", *said.rows)


@task.criterion
def correct_topics(e: Evidence, k: Key) -> Finding:
    def named(text: str, row: Change | str) -> Finding:
        found = topics(text, k.old_topics)
        right, rival = found & set(k.topics), found & set(k.old_topics)
        if rival:
            return missed(f"it names {', '.join(sorted(rival))}, of last time", row)
        say = (missed, partly, satisfied)[len(right)]
        return say(f"it names {len(right)} of the 2 topics", row)

    return _judged(e, k, named)


@task.criterion
def correct_time_and_person(e: Evidence, k: Key) -> Finding:
    today = date.fromisoformat(k.today)
    zones = list(dict.fromkeys([k.zone, k.own_zone]))

    def told(text: str, row: Change | str) -> Finding:
        named = people(text, (*PEOPLE, *OTHERS), k.person if k.event else "")
        if k.starts is None:
            time_open, person_open = left_open(text)
            time = time_open and not names_time(text, zones, today)
            person = person_open and not named
        else:
            at = when(text, zones, today, k.starts, k.ends)
            time = at.right and at.zoned and not at.rival
            person = named == {k.person}
        say = (missed, partly, satisfied)[time + person]
        return say(f"the time is {_right(time)}, the person {_right(person)}", row)

    return _judged(e, k, told)


def _right(so: bool) -> str:
    return "right" if so else "wrong"


@task.criterion
def saves_only_designated_note(e: Evidence, k: Key) -> Finding:
    changed = list(e.net("notes_note").values())
    new = _new(e)
    here = [c for c in new if c.record["notebook"] == k.place]
    if len(changed) > len(new):
        return missed("a note that was there was changed", *(c for c in changed if c.before is not None))
    if len(here) == len(new) == 1:
        return satisfied("one new note stands in the notebook that was named", *here)
    if here and len(new) == 2:
        return partly("one note too many was added", *new)
    return missed(f"{len(here)} notes were added there, and {len(new) - len(here)} elsewhere", *new)


@task.criterion
def scope(e: Evidence, k: Key) -> Finding:
    return within(e, {"notes_note": lambda c: c.before is None and c.record["notebook"] == k.place})
