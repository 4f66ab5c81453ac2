"""Group chats: reading, posting, members who answer and take back, meetings that are planned and scheduled."""

from __future__ import annotations

from typing import Any

import pytest

from errands.apps.groups import seed as groups
from errands.apps.groups.hearing import named
from errands.core import clock
from errands.core.canon import canonical
from errands.core.errors import ToolError
from errands.exam.sitting import Limits, Sitting
from errands.people.brief import Brief, seat
from errands.world import World, open_world
from errands.world.fixture import Draft
from tests.world.guard import guard
from tests.world.looks import sound

PACIFIC, BERLIN = "America/Los_Angeles", "Europe/Berlin"
MINUTE = 60_000
MON, TUE, WED = (clock.read_iso(f"2026-11-{d}+00:00", "UTC") for d in ("23T10:00", "24T14:00", "25T11:00"))
BACK = "I have to take Tuesday at 14:00 back."


def world(until: str = "2026-11-20T10:30") -> World:
    """Mira has Monday 10 and Tuesday 14, Jo Tuesday 14 (taken back later) and Wednesday 11, Lee Tuesday 14."""
    d = Draft(("groups", "clock", "people"))
    for scope in ("read", "post", "schedule"):
        d.insert("exam_grant", app="groups", scope=f"groups.{scope}", live=1)
    now = clock.read_iso("2026-11-20T09:10", PACIFIC)
    groups.thread(d, id="grp_a", name="Trio", about="Three of us.")
    groups.thread(d, id="grp_b", name="Another")
    for name, zone, free in (("Mira", "UTC", [MON, TUE]), ("Jo", BERLIN, [TUE, WED]), ("Lee", "UTC", [TUE])):
        back = {"retracts": TUE, "words": BACK} if name == "Jo" else {}
        groups.member(d, id=f"mem_{name}", thread="grp_a", name=name, zone=zone, free=free, **back)
    groups.message(d, id="gms_1", thread="grp_a", member="mem_Lee", text="When?", at=now - 60 * MINUTE)
    groups.message(d, id="gms_2", thread="grp_a", member="mem_Jo", text="Tuesday.", at=now - 50 * MINUTE)
    due = now + 30 * MINUTE
    d.insert(
        "exam_agenda",
        id="due_x1",
        due=due,
        name="groups.retract",
        payload=canonical({"member": "mem_Jo"}),
        cause=0,
    )
    seat(d, Brief(goal="a test"))
    more = {"until": clock.read_iso(until, PACIFIC)}
    return open_world(d.finish(now=now, zone=PACIFIC, instruction="Do it.", **more).blob)


def post(w: World, text: str) -> None:
    w.call("groups_post", {"thread": "grp_a", "text": text})


def heard(w: World, minutes: int = 40) -> list[str]:
    """What members say in the next minutes: `Jo: …`."""
    out: list[str] = []
    end = w.now + minutes * MINUTE
    while w.now < end:
        got = w.call("clock_wait", {"until": w.local(end + 60_000)[:16]})
        out += [n["text"].partition("): ")[2] for n in got["notices"]]
        if not got["notices"]:
            break
    return out


def test_messages_are_read_oldest_first_with_who_said_them():
    w = world()
    assert [m["name"] for m in w.call("groups_list")[1]["members"]] == ["Jo", "Lee", "Mira"]
    post(w, "Hello!")
    got = w.call("groups_read", {"thread": "grp_a"})["messages"]
    assert [(m["name"], m["zone"], m["body"]) for m in got] == [
        ("Lee", "UTC", "When?"),
        ("Jo", BERLIN, "Tuesday."),
        ("you", PACIFIC, "Hello!"),
    ]
    assert len(w.call("groups_read", {"thread": "grp_a", "limit": 1})["messages"]) == 1
    since = w.call("groups_read", {"thread": "grp_a", "since": "2026-11-20T09:00"})["messages"]
    assert [m["body"] for m in since] == ["Hello!"]


def test_a_proposal_is_answered_and_whoever_takes_it_back_does_so_once():
    w = world()
    post(w, "Tuesday 24 November at 14:00 UTC?")
    assert heard(w) == ["Lee: Works for me.", "Mira: Fine with me.", f"Jo: {BACK}"]
    post(w, "Really not Tuesday at 14:00?")
    assert heard(w) == ["Jo: Sorry, I can't make that."]  # the others have said yes already


def test_without_a_proposal_it_is_taken_back_half_an_hour_after_the_start():
    w = world()
    post(w, "Thank you all, I am on it.")
    assert heard(w, 27) == [] and heard(w, 10) == [f"Jo: {BACK}"]
    assert w.value("SELECT at FROM groups_away") == clock.read_iso("2026-11-20T09:40", PACIFIC)


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ("Tuesday 14 UTC?", True),
        ("Does Tuesday suit you?", True),
        ("Mira: Mon 10, Tue 14; Jo: Tue 14, Wed 11", True),
        ("15:00 in Berlin on Tuesday", True),
        ("How about Monday at 10:00?", False),
        ("When could you all meet?", False),
    ],
)
def test_the_first_post_that_names_its_day_has_it_taken_back(text, back):
    w = world()
    post(w, text)
    assert (f"Jo: {BACK}" in heard(w, 3)) is back


def test_those_who_cannot_say_so():
    w = world()
    post(w, "How about Monday at 10:00 UTC?")
    assert heard(w, 3) == [
        "Jo: Sorry, I can't make that.",
        "Lee: That one doesn't work for me.",
        "Mira: Yes, that suits me.",
    ]


def test_each_new_message_wakes_the_agent():
    s = Sitting(world(), Limits(turns=20, calls=50))
    s.next()
    s.call("groups_post", {"thread": "grp_a", "text": "Tuesday at 14:00?"})
    turn, told = s.reply(""), []
    while turn is not None:
        told.append((turn.kind, turn.text.partition(": ")[2]))
        turn = s.reply("")
    assert told == [
        ("notice", "Lee: Works for me."),
        ("notice", "Mira: Fine with me."),
        ("notice", f"Jo: {BACK}"),
    ]


# ---- meetings ----------------------------------------------------------------------------------------------------


def plan(w: World, start: str = "2026-11-23T10:00", **more: Any) -> str:
    args = {"thread": "grp_a", "title": "Plan", "start": start, "zone": "UTC", **more}
    ident: str = w.call("groups_plan_meeting", args)["meeting"]
    return ident


def test_a_planned_meeting_is_nobodys_business_and_a_scheduled_one_everybodys():
    w = world()
    ident = plan(w)
    assert [m["name"] for m in w.call("groups_read", {"thread": "grp_a"})["messages"]] == ["Lee", "Jo"]
    w.call("groups_edit_meeting", {"meeting": ident, "start": "2026-11-24T14:00", "title": "Tea"})
    kind, shown = w.find_staged(ident) or ("", None)
    assert kind == "meeting" and shown and "Tea, Tuesday, 2026-11-24 14:00 UTC" in shown.text
    w.call("groups_schedule", {"meeting": ident})
    assert w.call("groups_meetings")[0]["state"] == "scheduled"
    last = w.call("groups_read", {"thread": "grp_a"})["messages"][-1]
    assert last["name"] == "you" and last["body"].startswith("Scheduled: Tea, Tuesday")
    for tool in ("groups_schedule", "groups_edit_meeting", "groups_drop_meeting"):
        with pytest.raises(ToolError):
            w.call(tool, {"meeting": ident})


def test_no_meeting_is_scheduled_when_somebody_is_away_or_in_the_past():
    w = world()
    late, past = plan(w, "2026-11-24T14:00"), plan(w, "2026-11-20T10:00")
    heard(w)
    for ident, words in ((late, "Jo is marked as not available"), (past, "past")):
        with pytest.raises(ToolError) as why:
            w.call("groups_schedule", {"meeting": ident})
        assert why.value.code == "conflict" and words in why.value.message
    assert {m["state"] for m in w.call("groups_meetings")} == {"planned"}
    w.call("groups_drop_meeting", {"meeting": past})
    assert len(w.call("groups_meetings")) == 1


@pytest.mark.parametrize(
    ("field", "args"),
    [
        ("start", {"start": "Tuesday"}),
        ("zone", {"zone": "Utopia/Here"}),
        ("minutes", {"minutes": 1}),
        ("title", {"title": " "}),
        ("thread", {"thread": "grp_zz"}),
    ],
)
def test_what_is_no_meeting_is_refused_by_field(field, args):
    w = world()
    with pytest.raises(ToolError) as why:
        plan(w, **args)
    assert why.value.field == field and w.call("groups_meetings") == []


# ---- the record, and what is heard -------------------------------------------------------------------------------


def test_it_writes_its_own_tables_alone_and_the_record_adds_up():
    w = world()
    caught = guard(w)
    ident = plan(w)
    post(w, "Tuesday at 14:00?")
    twin = w.fork()
    for one in (w, twin):
        heard(one)
        one.call("groups_schedule", {"meeting": ident})
    assert w.world_digest() == twin.world_digest()
    assert caught == []
    sound(w)


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("Tuesday 14", {(1, 14)}),
        ("Tue 14:00 UTC or Wed 11", {(1, 14), (2, 11)}),
        ("2 pm on Tuesday", {(1, 14)}),
        ("Tuesday, 24 November, at 14:00", {(1, 14)}),
        ("Tuesday 24 November", set()),
        ("Monday.\nWe are 14 people.", set()),
    ],
)
def test_times_that_a_post_names(text, times):
    assert named(text).times == {(d, h * 60) for d, h in times}
