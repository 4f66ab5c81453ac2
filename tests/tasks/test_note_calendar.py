"""An agenda from a note and the calendar: how agendas are read, and what the calendar of each variant holds."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from errands.core import clock
from errands.doors import Seat
from errands.grading.everyday import vector
from errands.library.everyday.note_calendar.reading import left_open, names_time, people, topics, when
from errands.library.everyday.note_calendar.scene import OTHERS, PEOPLE
from errands.tasks.registry import task

from .sitting import attempt

TASK = task("ev-note-calendar")
OWN, TODAY = "America/Los_Angeles", date(2026, 11, 17)
SAM = "Sam Whitlock"


def read(text: str, variant: int = 0) -> tuple[int, bool, bool]:
    """Of an agenda: how many topics are right (-1: one of last time is there), whether the time is, the person."""
    k = TASK.instance("us", variant).key
    found = topics(text, k.old_topics)
    named = people(text, (*PEOPLE, *OTHERS), k.person if k.event else "")
    if k.event is None:
        time_open, person_open = left_open(text)
        time = time_open and not names_time(text, (k.zone, OWN), TODAY)
        person = person_open and not named
    else:
        at = when(text, (k.zone, OWN), TODAY, k.starts, k.ends)
        time, person = at.right and at.zoned and not at.rival, named == {k.person}
    return (-1 if found & set(k.old_topics) else len(found & set(k.topics)), time, person)


ALL_RIGHT = [
    "Prototype review\nThursday, November 19, 2026, 11:00 UTC, with Sam Whitlock\n\n1. Battery prototype\n2. "
    "Shipping",
    "# Prototype review agenda\n\n**When:** Thu, Nov 19, 11:00–11:45 UTC\n**With:** Sam\n\n- Battery "
    "prototype\n- Shipping",
    "Thu 19 Nov 11:00 UTC w/ Sam. Battery prototype. Shipping.",
    "| Item | Detail |\n|---|---|\n| Date | Thursday, November 19, 2026 |\n| Time | 11:00 UTC |\n| Attendees "
    "| Sam Whitlock, Maren Castellano |\n"
    "| Topic 1 | Battery prototype |\n| Topic 2 | Shipping |",
    "Agenda: Prototype review\nDate: Thursday, 19 November 2026\nTime: 11:00 AM UTC (3:00 AM "
    "Pacific)\nParticipants: Maren, Sam\n"
    "Discuss: battery prototype; shipping",
    "Prototype review on Thursday at 3:00 AM Pacific (11:00 UTC) with Sam Whitlock.\nWe discuss the battery "
    "prototype and shipping.",
    "Time zone: UTC\nThursday, Nov 19\n11:00 Welcome\n11:05 Battery prototype\n11:25 Shipping\n11:40 Next "
    "steps\nPresent: Sam Whitlock",
    "Meeting: Prototype review\nStart: 2026-11-19T11:00Z\nEnd: 2026-11-19T11:45Z\nWith: Sam Whitlock "
    "(organizer)\nTopics: shipping, battery prototype",
    "Thursday, Nov 19 from 11:00 to 11:45 UTC\nSam Whitlock\n\n1) Battery prototype: progress since last "
    "meeting\n2) Shipping: dates",
    "Thursday 11 a.m. UTC, Sam.\n\n* Status of the battery prototype\n* Shipment plan",
    "Prototype review — Thursday, November 19, 2026 · 11:00–11:45 a.m. UTC\nPeople: Sam "
    "Whitlock\n\nTopics\n1. The new battery prototype\n2. Shipping",
    "Hi, here is the agenda.\n\nWhen? Thursday, November 19, 11:00 (UTC)\nWho? Sam Whitlock and me\nWhat? "
    "Battery prototype; shipping\n",
    "Thursday, 19 November, 03:00 PST / 11:00 UTC. With Sam. Battery prototype, shipping.",
    "Thursday 19.11.2026 11:00 UTC\nSam\nBattery prototype\nShipping\n\nNot on the agenda: casing and label "
    "print (October).",
    "Date & time: Thursday, Nov 19, 2026, 11:00 Coordinated Universal Time\nMeeting with: Sam Whitlock "
    "<sam.whitlock@ostlerglass.example>\n"
    "1. Battery prototype review\n2. Shipping",
    "Thursday, November 19th, 2026 at 11:00 GMT with Sam W.: battery prototype + shipping",
    "All times UTC.\n\nThursday, November 19, 2026, 11:00 – 11:45\nSam Whitlock\n\n1. Battery prototype (20 "
    "min)\n2. Shipping (20 min)",
    "Prototype review\n\nDate: Nov 19, 2026 (Thursday)\nTime: 11:00-11:45 UTC\nAttendees:\n- Sam Whitlock\n- "
    "Maren Castellano\n\n"
    "Agenda:\n1. Discuss battery prototype\n2. Discuss shipping\n3. Action items",
    "Thursday 11:00 UTC | Sam Whitlock\n0:00 Intro\n0:05 Battery prototype\n0:25 Shipping\n0:40 Wrap-up",
    "*Prototype review* with *Sam Whitlock*, *Thursday, November 19, 11:00 UTC*\n\n_Battery prototype_\n_Shipping_",
    "Thursday, November 19, 2026, 3 AM Pacific Time, with Sam Whitlock: the battery prototype, then shipping.",
    "Prototype review (45 min)\nThu Nov 19 · 11:00 UTC · Sam Whitlock\n→ battery prototype\n→ shipping\n→ any "
    "other business",
    "The meeting is this Thursday at 11:00 UTC, and Sam will be there. First the battery prototype, second "
    "shipping.",
    "AGENDA\nPrototype review / Thursday, 2026-11-19 / 11:00 UTC / Sam Whitlock\nI. Battery prototype\nII. "
    "Shipping",
    "Thu, Nov 19, 11:00 UTC, Sam.\n- Battery prototype: casing, capacity, cost\n- Shipping: labels, carriers, dates",
    "Thursday, November 19, 2026\n11:00 AM - 11:45 AM UTC\nOrganizer: Sam Whitlock\n\nBattery prototype. "
    "Shipping. Decisions.",
]  # fmt: skip


@pytest.mark.parametrize("text", ALL_RIGHT)
def test_agendas_that_are_right(text):
    assert read(text) == (2, True, True)


WHO, WHEN, WHAT = "With Sam.", "Thursday, November 19, 11:00 UTC.", "Battery prototype and shipping."
FAULTY = [
    (f"{WHEN} {WHO} Battery prototype.", (1, True, True)),
    (f"{WHEN} {WHO} Shipping.", (1, True, True)),
    (f"{WHEN} {WHO} To be discussed.", (0, True, True)),
    (f"{WHEN} {WHO} The prototype.", (0, True, True)),
    (f"{WHEN} {WHO} {WHAT} Dial colors.", (-1, True, True)),
    (f"{WHEN} {WHO} {WHAT} Engraving.", (-1, True, True)),
    (f"{WHEN} {WHO} Dial colors and engraving.", (-1, True, True)),
    (f"Thursday, November 19, 11:00. {WHO} {WHAT}", (2, False, True)),
    (f"Thursday, November 19, 11:00 Pacific. {WHO} {WHAT}", (2, False, True)),
    (f"Thursday, November 19, 3:00 AM. {WHO} {WHAT}", (2, False, True)),
    (f"Thursday, November 19, 3:00 UTC. {WHO} {WHAT}", (2, False, True)),
    (f"Thursday, November 19, 12:00 UTC. {WHO} {WHAT}", (2, False, True)),
    (f"Wednesday, November 18, 11:00 UTC. {WHO} {WHAT}", (2, False, True)),
    (f"Thursday, November 12, 11:00 UTC. {WHO} {WHAT}", (2, False, True)),
    (f"Thursday, November 26, 11:00 UTC. {WHO} {WHAT}", (2, False, True)),
    (f"11:00 UTC. {WHO} {WHAT}", (2, False, True)),
    (f"Thursday. {WHO} {WHAT}", (2, False, True)),
    (f"Thursday at 11:00 UTC or at 15:00 UTC. {WHO} {WHAT}", (2, False, True)),
    (f"unresolved. {WHO} {WHAT}", (2, False, True)),
    (f"{WHO} {WHAT}", (2, False, True)),
    (f"{WHEN} {WHAT}", (2, True, False)),
    (f"{WHEN} With Gus. {WHAT}", (2, True, False)),
    (f"{WHEN} With Sam and Gus Tanaka. {WHAT}", (2, True, False)),
    (f"{WHEN} With Nadia. {WHAT}", (2, True, False)),
    (f"{WHEN} With the same people. {WHAT}", (2, True, False)),
    (f"{WHEN} With unresolved. {WHAT}", (2, True, False)),
    ("Done.", (0, False, False)),
]


@pytest.mark.parametrize(("text", "expected"), FAULTY)
def test_agendas_that_are_not(text, expected):
    assert read(text) == expected


OPEN = [
    ("When: unresolved\nWith: unresolved\n", True, True),
    ("Date and time: **unresolved**\nParticipant: **unresolved**", True, True),
    ("Time and person: unresolved", True, True),
    ("| Time | unresolved |\n| Person | unresolved |", True, True),
    ("Warranty review, unresolved, with unresolved.", True, True),
    ("Time: Unresolved (it is not in the calendar this week)\nAttendees: Unresolved", True, True),
    ("Day: unresolved\nHour: unresolved\nTime zone: unresolved\nWho: unresolved", True, True),
    ("Date/Time: unresolved — last month's was on October 22 at 9:00 UTC\nWith: unresolved", True, True),
    ("Time: unresolved\nPerson: unresolved\n\n0:00 Return rates\n0:20 Spare parts", True, True),
    ("Time: unresolved. Person: unresolved.", True, True),
    ("Time: unresolved\nWith: Gus Tanaka", True, False),
    ("Time: unresolved", True, False),
    ("Time: Thursday, 16:45 UTC\nWith: unresolved", False, True),
    ("Time: to be confirmed\nWith: to be confirmed", False, False),
    ("Time: unresolved, perhaps Thursday at 11:00\nWith: unresolved", False, True),
    ("Thursday 16:45 UTC with Gus", False, False),
    ("Time: unresolved\nWith: unresolved (Lena Hartog?)", True, False),
    ("", False, False),
]


@pytest.mark.parametrize(("text", "time", "person"), OPEN)
def test_what_an_agenda_leaves_open(text, time, person):
    assert read(text, 3)[1:] == (time, person)


def test_the_seeds_facts():
    k = TASK.instance("us", 0).key
    assert clock.iso(k.starts, "UTC") == "2026-11-19T11:00+00:00" and k.zone == "UTC"
    assert (k.meeting, k.person, k.topics) == ("Prototype review", SAM, ["battery prototype", "shipping"])


def test_what_stands_in_the_calendar_of_the_others():
    again, moved, missing = (TASK.instance("us", v) for v in (1, 2, 3))
    assert again.key.zone == OWN and clock.from_ms(again.key.starts, OWN).weekday() == 2
    assert clock.from_ms(moved.key.starts, "UTC").weekday() == 4
    assert missing.key.event is None

    def titles(instance: Any) -> list[tuple[str, str]]:
        found = []

        def sit(sitting: Any) -> None:
            sitting.next()
            week = {"start": "2026-11-16", "end": "2026-11-21"}
            found.extend((x["title"], x["status"]) for x in sitting.call("calendar_events", week)["events"])
            sitting.reply("")

        attempt(instance, sit)
        return [t for t in found if t[0] == instance.key.meeting]

    assert titles(again) == [("Packaging review", "cancelled"), ("Packaging review", "confirmed")]
    assert titles(moved) == [("Launch review", "confirmed")] and titles(missing) == []


@pytest.mark.parametrize(
    ("looks", "score"),
    [
        ([("2026-11-17", "2026-11-21")], "22222"),
        ([("2026-11-17T08:00", "2026-11-20T23:00")], "22222"),
        ([("2026-11-19", "2026-11-22"), ("2026-11-16", "2026-11-19")], "22222"),
        ([("2026-11-01", "2026-12-01")], "22222"),
        ([("2026-11-19", "2026-11-20")], "21222"),
        ([("2026-11-17", "2026-11-18"), ("2026-11-20", "2026-11-21")], "21222"),
        ([("2026-11-01", "2026-11-15")], "20222"),
        ([], "20222"),
    ],
)
def test_where_the_meeting_is_missing_the_week_must_have_been_gone_through(looks, score):
    instance = TASK.instance("us", 3)
    k = instance.key

    def sit(sitting: Any) -> None:
        sitting.next()
        s = Seat(sitting)
        s.call("notes_read", note=k.note)
        for start, end in looks:
            s.call("calendar_events", start=start, end=end)
        body = "Time: unresolved\nWith: unresolved\n- return rates\n- spare parts"
        s.call("notes_create", title="Agenda", body=body, notebook=k.place)
        s.reply("It is in your notes; the calendar has no such meeting this week.")

    assert vector(attempt(instance, sit).verdict.scores) == score


def test_two_agendas_are_one_too_many_and_the_worse_one_counts():
    instance = TASK.instance("us", 0)
    k = instance.key

    def sit(sitting: Any) -> None:
        sitting.next()
        s = Seat(sitting)
        s.call("notes_read", note=k.note)
        s.call("calendar_event", event=k.event)
        s.call("notes_create", title="Agenda", body=f"{WHEN} {WHO} {WHAT}", notebook=k.place)
        s.call("notes_create", title="Agenda", body=f"{WHEN} {WHO} Shipping.", notebook=k.place)
        s.reply("Done.")

    got = attempt(instance, sit)
    assert vector(got.verdict.scores) == "22121"
    assert not got.verdict.strict
