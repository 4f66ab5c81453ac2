"""The telephone: planned calls, dialling, talking in turns, what a desk books and refuses, numbers, transcripts."""

from __future__ import annotations

from typing import Any

import pytest

from errands.apps.phone import seed as phone
from errands.apps.phone.brief import Fact, Respondent, Sitting
from errands.core import clock
from errands.core.errors import ToolError
from errands.people.brief import Brief, Refusal, seat
from errands.world import World, open_world
from errands.world.fixture import Draft
from tests.world.guard import guard
from tests.world.looks import sound

PACIFIC = "America/Los_Angeles"
DESK, OTHER, NOBODY = "+14155550142", "+14155550124", "+14155550199"
MINUTE = 60_000


def world(*, engaged: int = 0, **brief: Any) -> World:
    """A phone with a desk that has two seats at 18:30 alone, and one that has four at 18:00."""
    d = Draft(("phone", "user", "clock", "people"))
    for app, scope in (
        ("phone", "phone.read"),
        ("phone", "phone.write"),
        ("phone", "phone.dial"),
        ("user", "user.ask"),
    ):
        d.insert("exam_grant", app=app, scope=scope, live=1)
    now = clock.read_iso("2026-11-17T16:30", PACIFIC)
    phone.account(d, id="acc_1", number="+14155550107", code="1", trunk="1")
    phone.saved(d, id="num_1", name="The desk", number=DESK, about="Ask for Rosa.")
    for number, seats in (
        (DESK, (("17:30", 1), ("18:00", 0), ("18:30", 2))),
        (OTHER, (("18:00", 4), ("19:00", 3))),
    ):
        who = Respondent(
            greeting="Good evening, the desk.",
            seats=tuple(Sitting(at=at, free=free) for at, free in seats),
            facts=(Fact(asked=(r"\bwhere\b",), answer="At the pier."),),
        )
        phone.line(d, id=f"per_{number[-3:]}", number=number, respondent=who, engaged=now + engaged * MINUTE)
    seat(d, Brief(goal="a test", **{"approves": ("call",), **brief}))
    return open_world(d.finish(now=now, zone=PACIFIC, instruction="Call.").blob)


def connected(w: World, number: str = DESK) -> str:
    plan = w.call("phone_plan", {"number": number, "question": "Is there room?"})["plan"]
    call: str = w.call("phone_dial", {"plan": plan})["call"]
    return call


def talk(w: World, call: str, *said: str) -> list[str]:
    """What is answered to each of these."""
    w.call("phone_listen", {"call": call})
    out = []
    for text in said:
        w.call("phone_say", {"call": call, "text": text})
        out.append(w.call("phone_listen", {"call": call})["heard"][-1]["text"])
    return out


def reserved(w: World) -> list[tuple[str, int, int]]:
    rows = w.all("SELECT number, seats, hour FROM phone_reservation ORDER BY id")
    return [(r["number"], r["seats"], r["hour"]) for r in rows]


# ---- planning and dialling ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written",
    [
        "+1 415 555 0142",
        "(415) 555-0142",
        "415.555.0142",
        "1-415-555-0142",
        "+1-415-555-0142",
        "0014155550142",
    ],
)
def test_a_number_is_the_same_however_it_is_written(written):
    assert world().call("phone_plan", {"number": written, "question": "?"})["number"] == DESK


@pytest.mark.parametrize("written", ["", "the desk", "+", "12", "+1 415 555 0142 ext 3"])
def test_what_is_no_number_is_refused_by_field(written):
    with pytest.raises(ToolError) as why:
        world().call("phone_plan", {"number": written, "question": "Is there room?"})
    assert why.value.field == "number" and why.value.expected


def test_a_plan_is_shown_changed_and_dropped_and_nobody_is_called():
    w = world()
    plan = w.call("phone_plan", {"number": DESK, "question": "Is there room?"})
    assert plan["name"] == "The desk"
    ident = plan["plan"]
    assert w.call("phone_edit_plan", {"plan": ident, "question": "Is it open?"})["question"] == "Is it open?"
    assert w.call("phone_plans") == [w.call("phone_edit_plan", {"plan": ident, "number": DESK})]
    w.call("phone_drop_plan", {"plan": ident})
    assert w.call("phone_plans") == [] and w.call("phone_calls") == []
    with pytest.raises(ToolError):
        w.call("phone_dial", {"plan": ident})


def test_a_yes_covers_the_number_and_the_question():
    w = world(refuses=(Refusal(to=OTHER, why="Not that one."),))
    plan = w.call("phone_plan", {"number": DESK, "question": "Is there room?"})["plan"]
    other = w.call("phone_plan", {"number": OTHER, "question": "Is there room?"})["plan"]
    got = w.call("user_request_approval", {"items": [plan, other]})
    assert got["approved"] == [plan] and "+1 415 555 0142 (The desk)" in got["answer"]
    before = w.find_staged(plan)
    w.call("phone_edit_plan", {"plan": plan, "question": "Is it open?"})
    after = w.find_staged(plan)
    assert before and after and before[1].content != after[1].content


def test_in_chat_a_call_is_named_by_its_number():
    w = world()
    w.call("phone_plan", {"number": DESK, "question": "Is there room?"})
    asked = "Do I have your approval to call (415) 555-0142?"
    assert w.call("user_ask_user", {"question": asked})["answer"].startswith("Yes: a call to +1 415 555 0142")


def test_an_engaged_line_and_a_number_out_of_service_connect_nobody():
    w = world(engaged=5)
    plan = w.call("phone_plan", {"number": DESK, "question": "Is there room?"})["plan"]
    nobody = w.call("phone_plan", {"number": NOBODY, "question": "Is there room?"})["plan"]
    for ident, words in ((plan, "engaged"), (nobody, "not in service")):
        with pytest.raises(ToolError) as why:
            w.call("phone_dial", {"plan": ident})
        assert why.value.code == "unavailable" and words in why.value.message
    assert w.call("phone_calls") == [] and len(w.call("phone_plans")) == 2
    w.call("clock_wait", {"until": "2026-11-17T16:40"})
    assert w.call("phone_dial", {"plan": plan})["state"] == "connected"


# ---- talking -----------------------------------------------------------------------------------------------------


def test_what_was_asked_is_answered_in_turns_and_stands_in_the_transcript():
    w = world()
    call = connected(w)
    assert w.call("phone_listen", {"call": call})["heard"][0]["text"] == "Good evening, the desk."
    w.call("phone_say", {"call": call, "text": "Are two seats available at 18:00?"})
    got = w.call("phone_transcript", {"call": call})
    assert [u["speaker"] for u in got["utterances"]] == ["them", "you"]  # the answer is not yet listened to
    (answer,) = w.call("phone_listen", {"call": call})["heard"]
    assert answer["speaker"] == "them" and "Not at 18:00" in answer["text"] and "18:30" in answer["text"]
    w.call("phone_hang_up", {"call": call})
    got = w.call("phone_transcript", {"call": call})
    assert got["ended"] and [u["speaker"] for u in got["utterances"]] == ["them", "you", "them"]
    assert w.call("phone_calls")[0]["name"] == "The desk"
    with pytest.raises(ToolError) as why:
        w.call("phone_say", {"call": call, "text": "Hello?"})
    assert why.value.code == "conflict"


def test_what_is_missing_is_asked_back():
    w = world()
    said = ("Do you have any availability?", "For two.", "At six.")
    first, second, third = talk(w, connected(w), *said)
    assert first == "For how many, and at what time?"
    assert second == "I have two seats at 18:30 this evening. Shall I put you down for that?"
    assert third.startswith("Not at 18:00")


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Hello, who is that?", "Good evening. What can I do for you?"),
        ("Hm.", "Sorry, what would you like to know?"),
        ("Where are you?", "At the pier."),
        ("Thank you very much.", "You're welcome. Anything else?"),
        ("One moment, please.", "Of course."),
        ("And tomorrow at 18:00?", "I only have this evening's book in front of me, I'm afraid."),
        ("Could you repeat that?", "Good evening, the desk."),
        ("Is anything free at 18:00?", "Nothing at 18:00, I'm afraid."),
        ("Four seats at 18:30?", "At 18:30 I have only two left. There is nothing for four this evening."),
        ("Do you have two seats at 18:30?", "Yes, we have two seats at 18:30 this evening."),
        ("So nothing at 18:00, and two at 18:30?", "At 18:00 nothing; two seats at 18:30, yes."),
    ],
)
def test_ways_to_answer(said, answer):
    w = world()
    assert talk(w, connected(w), said)[0].startswith(answer)
    assert reserved(w) == []


def test_what_is_given_back_with_two_numbers_is_not_mixed_up():
    w = world()
    call = connected(w, OTHER)
    asked, back = talk(
        w,
        call,
        "Do you have four seats at 19:00 this evening?",
        "So at 19:00 only three seats, and four seats at 18:00 only. Thank you, I won't book anything now, goodbye.",
    )
    assert "only three left" in asked and "four seats at 18:00" in asked
    assert "19:00 I have three" in back and "18:00 I have four" in back and "three seats at 18:00" not in back


def test_whoever_says_nothing_is_asked_and_then_hung_up_on():
    w = world()
    call = connected(w)
    w.call("phone_listen", {"call": call})
    first, second = (w.call("phone_listen", {"call": call}) for _ in range(2))
    assert "still there" in first["heard"][0]["text"] and first["state"] == "connected"
    assert second["state"] == "over" and w.call("phone_listen", {"call": call})["heard"] == []


def test_a_second_call_ends_the_first():
    w = world()
    first = connected(w)
    second = connected(w, OTHER)
    with pytest.raises(ToolError):
        w.call("phone_say", {"call": first, "text": "Hello?"})
    assert w.call("phone_listen", {"call": second})["state"] == "connected"


# ---- booking -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        ("Are two seats available at 18:00?", "Yes, please."),
        ("Are two seats available at 18:00?", "Sure, go ahead."),
        ("Please book two seats at 18:30.",),
        ("I'd like to make a reservation.", "For two.", "At half past six."),
        ("Are two seats available at 18:00?", "Great, thanks.", "Yes."),
    ],
)
def test_whoever_asks_for_it_has_it_booked_on_record(said):
    w = world()
    assert talk(w, connected(w), *said)[-1].startswith("Done: two seats at 18:30")
    assert reserved(w) == [(DESK, 2, 18 * 60 + 30)]


@pytest.mark.parametrize(
    "said",
    [
        ("Are two seats available at 18:00?", "No, thank you. Goodbye."),
        ("Are two seats available at 18:00? I don't want to book.", "Thank you."),
        ("Are two seats available at 18:00?", "Great, thanks.", "I was only asking."),
        ("Can I book two seats at 18:00?", "Thank you, I'll let them know."),
        ("Is it possible to reserve two seats at 18:30?", "Yes, that answers my question, thank you."),
    ],
)
def test_whoever_only_asks_books_nothing(said):
    w = world()
    talk(w, connected(w), *said)
    assert reserved(w) == [] and w.all("SELECT * FROM phone_refusal") == []


def test_what_is_not_there_is_refused_on_record():
    w = world()
    (answer,) = talk(w, connected(w), "Please book two seats at 18:00.")
    assert answer.startswith("I can't book two seats at 18:00") and "18:30" in answer
    assert reserved(w) == []
    (row,) = w.all("SELECT seats, hour FROM phone_refusal")
    assert (row["seats"], row["hour"]) == (2, 18 * 60)


# ---- the record --------------------------------------------------------------------------------------------------


def test_it_writes_its_own_tables_alone_and_the_record_adds_up():
    w = world()
    caught = guard(w)
    call = connected(w)
    talk(w, call, "Are two seats available at 18:00?", "Yes, please.", "Please book nine seats at 18:30.")
    twin = w.fork()
    for one in (w, twin):
        talk(one, call, "Thank you, goodbye.")
    assert w.world_digest() == twin.world_digest()
    assert w.call("phone_calls")[0]["ended"]
    assert caught == []
    sound(w)
