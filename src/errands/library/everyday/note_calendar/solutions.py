"""Right and wrong ways to write the agenda, as calls that an agent could make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from errands.core import clock
from errands.core.types import Seat
from errands.tasks import Key

from .task import task

OPEN = "unresolved"


@dataclass(frozen=True, slots=True)
class Facts:
    """What goes into an agenda: topics, the time in words, and whom one meets."""

    topics: tuple[str, ...]
    time: str
    person: str


def note(s: Seat, k: Key) -> tuple[str, ...]:
    """The topics, out of the note."""
    (ident,) = [n["note"] for n in s.call("notes_list") if n["title"] == f"Next {k.meeting}"]
    body = s.call("notes_read", note=ident)["body"]
    return tuple(t for t in (*k.topics, *k.old_topics) if t in body)


def event(s: Seat, k: Key) -> tuple[str, str]:
    """Time and person, out of the calendar of this week."""
    found = s.call("calendar_events", start="2026-11-17", end="2026-11-21", query=k.meeting)["events"]
    found = [x for x in found if x["title"] == k.meeting and x["status"] == "confirmed"]
    if not found:
        return OPEN, OPEN
    (one,) = found
    shown = s.call("calendar_event", event=one["event"])
    others = [a["name"] for a in shown["attendees"] if a["email"] == shown["organizer"]]
    return told(clock.read_iso(one["start"], k.own_zone), k.zone), others[0]


def told(at: int, zone: str) -> str:
    local = clock.from_ms(at, zone)
    return f"{local:%A}, {local:%B} {local.day}, {local:%H:%M} {'UTC' if zone == 'UTC' else 'Pacific'}"


def own_clock(s: Seat, k: Key) -> tuple[str, str]:
    """The same, both zones told."""
    time, person = event(s, k)
    if k.starts is None:
        return time, person
    here = clock.from_ms(k.starts, k.own_zone)
    return f"{time} ({here:%a} {here.hour % 12 or 12}:{here:%M} {here:%p} PT)", person.split()[0]


def nobody_read(s: Seat, k: Key) -> tuple[str, ...]:
    return tuple(k.topics)


def guessed(s: Seat, k: Key) -> tuple[str, str]:
    """As it is, without a look."""
    return (told(k.starts, k.zone), k.person) if k.starts is not None else (OPEN, OPEN)


def first_topic(s: Seat, k: Key) -> tuple[str, ...]:
    return note(s, k)[:1]


def all_topics(s: Seat, k: Key) -> tuple[str, ...]:
    return (*note(s, k), *k.old_topics)


def old_topics(s: Seat, k: Key) -> tuple[str, ...]:
    note(s, k)
    return tuple(k.old_topics)


def invented_time(s: Seat, k: Key) -> tuple[str, str]:
    """Two hours off, or out of the air."""
    _, person = event(s, k)
    at = k.starts + 7_200_000 if k.starts is not None else k.week[1] - 28_800_000
    return told(at, k.zone), person


def invented_both(s: Seat, k: Key) -> tuple[str, str]:
    return invented_time(s, k)[0], k.other


def another_person(s: Seat, k: Key) -> tuple[str, str]:
    return event(s, k)[0], k.other


def without_zone(s: Seat, k: Key) -> tuple[str, str]:
    """The hour as the calendar's clock shows it; where there is none, the person alone is left open."""
    time, person = event(s, k)
    return (invented_time(s, k)[0] if time == OPEN else time.rpartition(" ")[0]), person


def as_list(k: Key, f: Facts) -> str:
    lines = [f"Agenda: {k.meeting}", f"When: {f.time}", f"With: {f.person}", ""]
    return "\n".join([*lines, *(f"{n}. {t.capitalize()}" for n, t in enumerate(f.topics, 1))])


def as_prose(k: Key, f: Facts) -> str:
    return f"The {k.meeting} is {f.time} with {f.person}. We will talk about {' and about '.join(f.topics)}."


def as_table(k: Key, f: Facts) -> str:
    rows = [("Time", f.time), ("Participant", f.person), *(("Topic", f"**{t}**") for t in f.topics)]
    return "\n".join(["| What | |", "|---|---|", *(f"| {a} | {z} |" for a, z in rows), "", "Next steps: all"])


def save(s: Seat, k: Key, text: str) -> None:
    s.call("notes_create", title=f"Agenda: {k.meeting}", body=text, notebook=k.place)


def save_and_mend(s: Seat, k: Key, text: str) -> None:
    """First a rough one in the usual notebook, then the whole in its place."""
    ident = s.call("notes_create", title="Agenda", body="To be written.")["note"]
    s.call("notes_update", note=ident, title=f"Agenda: {k.meeting}", body=text, notebook=k.place)


def save_and_copy(s: Seat, k: Key, text: str) -> None:
    save(s, k, text)
    s.call("notes_create", title=f"Agenda: {k.meeting} (copy)", body=text)


def save_elsewhere(s: Seat, k: Key, text: str) -> None:
    s.call("notes_create", title=f"Agenda: {k.meeting}", body=text)


def into_the_note(s: Seat, k: Key, text: str) -> None:
    save(s, k, text)
    s.call("notes_update", note=k.note, title=f"Next {k.meeting} (done)")


def and_an_event(s: Seat, k: Key, text: str) -> None:
    save(s, k, text)
    day = clock.from_ms(k.week[1], k.own_zone).date() + timedelta(3)
    s.call("calendar_create_event", title="Prepare", start=f"{day}T08:00", end=f"{day}T08:30")


def not_saved(s: Seat, k: Key, text: str) -> None:
    """Leave it in the chat."""


Reads = Callable[[Seat, Key], Any]


def work(
    s: Seat,
    k: Key,
    *,
    topics: Callable[[Seat, Key], Sequence[str]] = note,
    time: Callable[[Seat, Key], tuple[str, str]] = event,
    write: Callable[[Key, Facts], str] = as_list,
    saves: Callable[[Seat, Key, str], None] = save,
    after: tuple[Reads, ...] = (),
    says: bool = False,
) -> None:
    text = write(k, Facts(tuple(topics(s, k)), *time(s, k)))
    saves(s, k, text)
    for look in after:
        look(s, k)
    s.reply(text if says else "The agenda is in your notes.")


def calendar_first(s: Seat, k: Key) -> None:
    """The calendar first, day by day."""
    found = []
    for n in range(4):
        day = clock.from_ms(k.week[0], k.own_zone).date() + timedelta(n)
        found += s.call("calendar_events", start=f"{day}", end=f"{day + timedelta(1)}")["events"]
    work(s, k, write=as_prose)


def nothing(s: Seat, k: Key) -> None:
    s.reply("The agenda is in your notes.")


task.oracle(work)
task.alternative("as_table", work, write=as_table, time=own_clock)
task.alternative("calendar_first", calendar_first)
task.alternative("mended", work, saves=save_and_mend, says=True)

task.wrong("nothing", nothing)
task.wrong("note_unread", work, topics=nobody_read)
task.wrong("note_read_late", work, topics=nobody_read, after=(note,))
task.wrong("calendar_unread", work, time=guessed)
task.wrong("calendar_read_late", work, time=guessed, after=(event,))
task.wrong("one_topic", work, topics=first_topic)
task.wrong("topics_of_last_time", work, topics=old_topics)
task.wrong("all_topics", work, topics=all_topics)
task.wrong("another_time", work, time=invented_time)
task.wrong("without_zone", work, time=without_zone)
task.wrong("another_person", work, time=another_person)
task.wrong("neither_right", work, time=invented_both)
task.wrong("only_in_chat", work, saves=not_saved, says=True)
task.wrong("elsewhere", work, saves=save_elsewhere)
task.wrong("and_a_copy", work, saves=save_and_copy)
task.wrong("note_changed", work, saves=into_the_note)
task.wrong("and_an_event", work, saves=and_an_event)
