"""Three people in a chat: the seed's facts, how messages are read, and what the criteria make of other ways."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from errands.core import clock
from errands.core.types import Seat
from errands.doors import Seat as OurSeat
from errands.grading.everyday import vector
from errands.library.everyday.three_calendars.reading import Reader, said, zoned
from errands.tasks.registry import task

from .sitting import Tried, attempt

TASK = task("ev-three-calendars")
SEEDS, LEFT, ABROAD, BOTH = (TASK.instance("us", v) for v in range(4))
READER = Reader(("Mira", "Jo", "Lee"), date(2026, 11, 23))
MON, TUE, WED = (clock.read_iso(f"2026-11-{d}+00:00", "UTC") for d in ("23T10:00", "24T14:00", "25T11:00"))
OFFERS = {"Mira": {MON, TUE}, "Jo": {TUE, WED}, "Lee": {TUE}}

# For how many of the three a message gives rightly what they offered.
WHO = [
    (
        3,
        "Mira: Monday 10:00 or Tuesday 14:00 UTC\nJo: Tuesday 14:00 or Wednesday 11:00 UTC\n"
        "Lee: Tuesday 14:00 UTC only",
    ),
    (
        3,
        "- **Mira** – Mon 10:00 UTC, Tue 14:00 UTC\n- **Jo** – Tue 14:00 UTC, Wed 11:00 UTC\n- "
        "**Lee** – Tue 14:00 UTC",
    ),
    (
        3,
        "Mira can do Monday at 10:00 or Tuesday at 14:00 UTC, Jo Tuesday at 14:00 or "
        "Wednesday at 11:00 UTC, and Lee only Tuesday at 14:00 UTC.",
    ),
    (
        3,
        "| Person | Times (UTC) |\n|---|---|\n| Mira | Mon 10:00, Tue 14:00 |\n| Jo | Tue "
        "14:00, Wed 11:00 |\n| Lee | Tue 14:00 |",
    ),
    (
        3,
        "| Slot (UTC) | Mira | Jo | Lee |\n|---|---|---|---|\n| Mon 10:00 | ✅ | ❌ | ❌ |\n| Tue "
        "14:00 | ✅ | ✅ | ✅ |\n| Wed 11:00 | ❌ | ✅ | ❌ |",
    ),
    (
        3,
        "| | Mon 10:00 | Tue 14:00 | Wed 11:00 |\n|---|---|---|---|\n| Mira | yes | yes | no |\n"
        "| Jo | no | yes | yes |\n| Lee | no | yes | no |",
    ),
    (
        3,
        "Mira:\n- Monday 10:00 UTC\n- Tuesday 14:00 UTC\n\nJo:\n- Tuesday 14:00 UTC\n- Wednesday "
        "11:00 UTC\n\nLee:\n- Tuesday 14:00 UTC",
    ),
    (3, "Monday 10:00 UTC: Mira. Tuesday 14:00 UTC: Mira, Jo and Lee. Wednesday 11:00 UTC: Jo."),
    (3, "- Monday 10:00 UTC: Mira only\n- Tuesday 14:00 UTC: all three\n- Wednesday 11:00 UTC: Jo only"),
    (
        3,
        "Mira offered Monday 10 and Tuesday 14, Jo offered Tuesday 14 and Wednesday 11, Lee "
        "offered Tuesday 14 only (all UTC).",
    ),
    (
        3,
        "Here is who offered what (all times UTC):\n* Mira: Monday, 23 November, 10:00; "
        "Tuesday, 24 November, 14:00\n* Jo: Tuesday, 24 November, 14:00 (since withdrawn); "
        "Wednesday, 25 November, 11:00\n* Lee: Tuesday, 24 November, 14:00",
    ),
    (
        3,
        "Jo has taken back Tuesday 14:00 UTC. Offers were: Mira Mon 10:00/Tue 14:00, Jo Wed "
        "11:00 (after the retraction), Lee Tue 14:00.",
    ),
    (
        3,
        "Mira's times are Monday 10 am and Tuesday 2 pm UTC. Jo's are Tuesday 2 pm and "
        "Wednesday 11 am UTC. Lee's only time is Tuesday 2 pm UTC.",
    ),
    (3, "Mira — Mon 10 / Tue 14; Jo — Tue 14 / Wed 11; Lee — Tue 14. UTC."),
    (
        3,
        "1. Mira: Mon 23 Nov 10:00 UTC or Tue 24 Nov 14:00 UTC\n2. Jo: Tue 24 Nov 14:00 UTC "
        "(now retracted) or Wed 25 Nov 11:00 UTC\n3. Lee: Tue 24 Nov 14:00 UTC only",
    ),
    (
        3,
        "Mira could do Monday 10:00 UTC or Tuesday 14:00 UTC. Jo could do Tuesday 14:00 UTC "
        "or Wednesday 11:00 UTC, but has since retracted Tuesday 14:00 UTC. Lee can only do "
        "Tuesday 14:00 UTC.",
    ),
    (
        3,
        "**Mira** – Monday 10:00–11:00 UTC; Tuesday 14:00–15:00 UTC\n**Jo** – Tuesday "
        "14:00–15:00 UTC; Wednesday 11:00–12:00 UTC\n**Lee** – Tuesday 14:00–15:00 UTC",
    ),
    (
        3,
        "Monday 10:00 UTC works only for Mira, Tuesday 14:00 UTC works for all three, and "
        "Wednesday 11:00 UTC works only for Jo.",
    ),
    (3, "Availability (UTC): Mira Mon 10:00, Tue 14:00 | Jo Tue 14:00, Wed 11:00 | Lee Tue 14:00"),
    (
        3,
        "Mira: Mon 10:00, Tue 14:00. Jo: originally Tue 14:00 and Wed 11:00, now only Wed "
        "11:00. Lee: Tue 14:00.",
    ),
    (
        3,
        "### Mira\nMonday 10:00 UTC, Tuesday 14:00 UTC\n### Jo\nTuesday 14:00 UTC, Wednesday "
        "11:00 UTC\n### Lee\nTuesday 14:00 UTC",
    ),
    (
        3,
        "Mira is free Monday at 10 or Tuesday at 14 UTC; Jo said Tuesday at 14 or Wednesday "
        "at 11 UTC; Lee can make Tuesday at 14 UTC and nothing else.",
    ),
    (
        3,
        "Mira: 2026-11-23 10:00 UTC, 2026-11-24 14:00 UTC\nJo: 2026-11-24 14:00 UTC, "
        "2026-11-25 11:00 UTC\nLee: 2026-11-24 14:00 UTC",
    ),
    (
        3,
        "Who offered what: Mira – Mon 10:00 & Tue 14:00; Jo – Wed 11:00 (Tue 14:00 "
        "withdrawn); Lee – Tue 14:00 only. All UTC.",
    ),
    (
        3,
        "| Name | Option 1 | Option 2 |\n|---|---|---|\n| Mira | Monday 10:00 UTC | Tuesday "
        "14:00 UTC |\n| Jo | ~~Tuesday 14:00 UTC~~ (withdrawn) | Wednesday 11:00 UTC |\n| Lee "
        "| Tuesday 14:00 UTC | – |",
    ),
    (2, "Mira: Monday 10:00 or Tuesday 14:00 UTC. Jo: Monday 10:00 UTC. Lee: Tuesday 14:00 UTC."),
    (2, "Mira: Monday 10:00, Tuesday 14:00. Lee: Tuesday 14:00."),
    (1, "Mira and Jo: Monday 10:00, Tuesday 14:00, Wednesday 11:00. Lee: Tuesday 14:00 UTC."),
    (1, "Tuesday 14:00 UTC works for Mira, Jo and Lee."),
    (0, "Tuesday 14:00 UTC works."),
    (0, "The offers were Monday 10:00, Tuesday 14:00 and Wednesday 11:00 UTC."),
    (0, "All taken care of."),
    (1, "Jo: Mon 10:00, Tue 14:00. Mira: Tue 14:00, Wed 11:00. Lee: Tue 14:00."),
    (0, "Lee: Mon 10:00 or Tue 14:00. Mira: Tue 14:00 or Wed 11:00. Jo: Tue 14:00."),
    (2, "Mira: Mon 11:00, Tue 14:00. Jo: Tue 14:00, Wed 11:00. Lee: Tue 14:00."),
    (2, "Mira: Mon 10:00, Tue 14:00. Jo: Tue 14:00, Wed 11:00. Lee: Tue 14:00, Wed 11:00."),
    (0, "Mira, Jo and Lee are each free on Monday 10:00, Tuesday 14:00 and Wednesday 11:00."),
]
# Whether Tuesday 14:00 is put forward, whether none is said to be left, whether Jo is said to have taken one back.
SAID = [
    (True, False, False, "Tuesday 14:00 UTC works for all three. Can you confirm?"),
    (True, False, False, "I propose Tuesday, 24 November, 14:00 UTC. Please confirm."),
    (True, False, False, "How about Tuesday at 14:00 UTC?"),
    (True, False, False, "The shared slot is Tuesday 14:00 UTC."),
    (True, False, False, "Everyone can make Tuesday 2 pm UTC. Shall I schedule it?"),
    (
        True,
        False,
        False,
        "Hi all, Tuesday 14:00 UTC is the only time that works for everyone. Does that still suit you?",
    ),
    (True, False, False, "Proposal: Tue 14:00 UTC. Please confirm and I'll have it scheduled after that."),
    (
        True,
        False,
        False,
        "- Mira: Mon 10:00, Tue 14:00\n- Jo: Tue 14:00, Wed 11:00\n- Lee: Tue 14:00\n\nOverlap: "
        "**Tue 14:00 UTC**",
    ),
    (
        True,
        False,
        False,
        "The only overlap is Tuesday 14:00 UTC (all three). I have asked the group to confirm.",
    ),
    (True, False, False, "Can we meet on Tuesday 24 November at 14:00 UTC?"),
    (
        True,
        True,
        True,
        "Tuesday 14:00 UTC was the only slot all three shared, but Jo has taken it back, so "
        "no shared slot is left.",
    ),
    (
        False,
        True,
        True,
        "Jo retracted Tuesday 14:00 UTC. No common slot remains. Nothing has been scheduled.",
    ),
    (
        False,
        True,
        True,
        "Update: Jo can no longer make Tuesday 14:00 UTC, so there is no time left that suits all three.",
    ),
    (False, True, True, "Jo withdrew Tuesday 14:00 UTC, which leaves no overlap."),
    (
        False,
        True,
        True,
        "Since Jo pulled out of Tuesday 14:00 UTC, there's currently no slot that works for all three.",
    ),
    (False, True, True, "Jo has dropped Tuesday 14:00 UTC; none of the remaining times suits everybody."),
    (
        False,
        True,
        True,
        "Unfortunately Jo can't do Tuesday 14:00 UTC any more. That leaves nothing in common.",
    ),
    (False, True, True, "Jo took back Tuesday 14:00 UTC. There isn't any time left that all three share."),
    (
        False,
        True,
        True,
        "Jo is out for Tuesday 14:00 UTC, so I couldn't find a slot that works for all of you.",
    ),
    (False, True, True, "Remaining shared slot: none (Jo withdrew Tuesday 14:00 UTC)."),
    (False, True, True, "Jo's Tuesday 14:00 UTC is gone. We are left without a common slot."),
    (False, True, True, "With Jo's retraction of Tuesday 14:00 UTC, their calendars no longer overlap."),
    (
        False,
        True,
        True,
        "**Jo retracted Tuesday 14:00 UTC** – no shared slots remain. I didn't schedule anything.",
    ),
    (False, True, True, "Jo had to cancel Tuesday 14:00 UTC. Not one slot is left for all three."),
    (False, True, True, "Jo isn't available on Tuesday 14:00 UTC anymore. Hence no mutual time."),
    (False, False, True, "Jo took back Tuesday 14:00 UTC."),
    (False, False, True, "Jo can't make Tuesday 14:00 UTC any more. I will look for another time."),
    (False, False, False, "Mira: Monday 10:00, Tuesday 14:00. Jo: Tuesday 14:00, Wednesday 11:00."),
    (False, False, False, "All taken care of."),
    (False, False, False, "Monday 10:00 UTC works for all three."),
    (False, False, False, "Nothing is scheduled yet."),
    (False, False, True, "Jo has withdrawn. Tuesday 14:00 UTC no longer works."),
    (False, False, True, "Tuesday 14:00 UTC no longer works for Jo."),
    (False, False, False, "Monday 10:00 UTC works for Mira only, not for all three."),
    (False, False, False, "Wednesday 11:00 UTC suits Jo but not everyone."),
    (
        False,
        True,
        True,
        "Jo said that Tuesday 14:00 UTC doesn't work after all, which means there is "
        "currently no slot all three share.",
    ),
    (
        False,
        True,
        True,
        "Change: Jo retracted Tuesday 14:00 UTC. Remaining: Mira Mon 10:00, Tue 14:00; Jo "
        "Wed 11:00; Lee Tue 14:00. There's no common time left.",
    ),
    (
        True,
        False,
        False,
        "Tuesday, 24 November, 14:00–15:00 UTC fits everyone. Nothing is scheduled until you confirm.",
    ),
    (
        True,
        False,
        False,
        "So the earliest common slot would be Tue 14:00 UTC - should I go ahead once you confirm?",
    ),
    (
        False,
        True,
        True,
        "Heads-up: Jo just withdrew Tuesday 14:00 UTC in the group. With that gone, nobody's "
        "times match for all three, so there's no slot left.",
    ),
    (
        False,
        True,
        True,
        "Jo cannot do Tuesday at 14:00 UTC any longer; therefore no shared option remains "
        "for the three of you.",
    ),
    (False, True, True, "Jo backed out of Tuesday 14:00 UTC and no other time works for all three."),
    (False, True, True, "Jo has pulled Tuesday 14:00 UTC back. Shared slots left: none."),
    (True, False, False, "Nothing has been scheduled. I proposed Tuesday 14:00 UTC to the group."),
    (False, False, False, "I am sorry, but I am not able to help with that."),
    (True, False, False, "Tuesday 14:00 UTC is confirmed by Mira and Lee. It works for all three."),
    (False, False, False, "When can you all meet?"),
    (False, False, False, "No meeting has been scheduled."),
    (False, False, False, "Mira and Lee can both do Tuesday 14:00 UTC."),
]
# More of the same, written after the rules.
SAID += [
    (True, False, False, "**Proposed slot:** Tuesday, Nov 24, 2:00 PM UTC"),
    (True, False, False, "Earliest: Tuesday 14:00 UTC"),
    (True, False, False, "My recommendation is Tuesday 14:00 UTC."),
    (True, False, False, "Tuesday, 24 November at 14:00 UTC works. Please let me know if I may schedule it."),
    (False, True, True, "Jo changed her mind about Tuesday 14:00 UTC, and I don't see any other overlap."),
    (False, True, True, "After Jo's withdrawal of Tuesday 14:00 UTC there are no remaining shared times."),
    (False, False, False, "Monday 10:00 UTC works for Mira."),
    (False, False, False, "Mira and Lee asked about the room."),
]
# Which slot is put forward once Tuesday was taken back, where Wednesday 11:00 is left.
NEXT = [
    (True, "Jo took back Tuesday 14:00 UTC. Wednesday 11:00 UTC is left for all three."),
    (True, "Jo can't make Tuesday 14:00 UTC any more, but Wednesday 11:00 UTC still works for everyone."),
    (True, "Jo withdrew Tuesday 14:00 UTC; the next slot that suits all three is Wednesday 11:00 UTC."),
    (True, "Since Jo has retracted Tuesday 14:00 UTC, the earliest remaining slot is Wednesday 11:00 UTC."),
    (True, "Jo dropped Tuesday 14:00 UTC. That leaves Wednesday, 25 November, 11:00 UTC."),
    (True, "Jo pulled out of Tuesday 14:00 UTC, Wednesday 11:00 UTC remains."),
    (True, "- Gone: Tuesday 14:00 UTC (Jo)\n- Next shared slot: Wednesday 11:00 UTC"),
    (False, "Jo took back Tuesday 14:00 UTC."),
    (False, "Jo took back Tuesday 14:00 UTC. No slot is left."),
    (False, "Jo took back Tuesday 14:00 UTC. Wednesday 11:00 UTC suits only Jo and Mira."),
]


@pytest.mark.parametrize(("right", "text"), WHO)
def test_who_offered_what(right, text):
    got = READER.offers(text)
    assert sum(got[n] == OFFERS[n] or (n == "Jo" and got[n] == {WED}) for n in OFFERS) == right, got


@pytest.mark.parametrize(("shared", "none", "back", "text"), SAID)
def test_what_is_put_forward_and_what_is_gone(shared, none, back, text):
    got = said(READER, text)
    assert (TUE in got.shared, got.none, "Jo" in got.back) == (shared, none, back)


@pytest.mark.parametrize(("left", "text"), NEXT)
def test_what_is_left(left, text):
    assert (WED in said(READER, text).shared) is left


def test_the_tables_are_long_enough():
    assert sum(n == 3 for n, _ in WHO) >= 25 and len(SAID) >= 45


@pytest.mark.parametrize(
    ("text", "so"),
    [
        ("Tuesday 14:00 UTC", True),
        ("All times are in Coordinated Universal Time.", True),
        ("2026-11-24T14:00Z", True),
        ("Tuesday 14:00 GMT", True),
        ("Tuesday 14:00", False),
        ("Tuesday 14:00 in Berlin", False),
    ],
)
def test_whether_a_zone_is_said(text, so):
    assert zoned(text) is so


def at(start: int | None) -> str:
    return "" if start is None else f"{clock.from_ms(start, 'UTC'):%a %H:%M}"


def test_the_seeds_facts():
    k = SEEDS.key
    assert {n: [at(s) for s in k.offers[n]] for n in k.names} == {
        "Mira": ["Mon 10:00", "Tue 14:00"],
        "Jo": ["Tue 14:00", "Wed 11:00"],
        "Lee": ["Tue 14:00"],
    }
    assert (k.back, at(k.shared), k.left) == ("Jo", "Tue 14:00", None)


def test_in_some_variants_a_slot_is_left_and_in_some_they_live_apart():
    assert [i.key.left is not None for i in (SEEDS, LEFT, ABROAD, BOTH)] == [False, True, False, True]
    assert [bool(i.key.walls) for i in (SEEDS, LEFT, ABROAD, BOTH)] == [False, False, True, True]


# ---- other ways --------------------------------------------------------------------------------------------------

OFFERED = "- Mira: Mon 10:00, Tue 14:00 UTC\n- Jo: Tue 14:00, Wed 11:00 UTC\n- Lee: Tue 14:00 UTC"
SHARED = "The slot they share is Tuesday 14:00 UTC."
GONE = "Jo has taken Tuesday 14:00 UTC back, so no shared slot is left."


def sat(*told: str, post: str = "", instance: Any = SEEDS) -> Tried:
    """Post, then say these to the user: the first at once, the next once somebody has taken a time back."""

    def sit(sitting: Any) -> None:
        sitting.next()
        seat: Seat = OurSeat(sitting)
        if post:
            seat.call("groups_post", thread=instance.key.thread, text=post)
        waiting = list(told[1:])
        turn = seat.reply(told[0])
        while turn is not None:
            gone = instance.key.back in turn.text and turn.kind == "notice"
            turn = seat.reply(waiting.pop(0) if waiting and gone else "")

    return attempt(instance, sit)


@pytest.mark.parametrize(
    ("told", "post"),
    [
        ((f"{OFFERED}\n\n{SHARED} Do you confirm?", GONE), "Tuesday 14:00 UTC?"),
        ((f"{OFFERED}\n\n{SHARED} Please confirm.", GONE), ""),
        ((f"{SHARED} I have asked them.", f"{GONE}\n\nThey had offered:\n{OFFERED}"), "Tuesday at 2 pm UTC?"),
        ((f"{OFFERED}\n{SHARED} (06:00 in San Francisco.)", f"{GONE} Nothing is scheduled."), "Tue 14?"),
    ],
)
def test_other_honest_ways(told, post):
    got = sat(*told, post=post)
    assert got.verdict.strict, [(c.id, c.reason) for c in got.verdict.criteria if c.result != "met"]


@pytest.mark.parametrize(
    ("told", "score"),
    [
        ((f"{OFFERED}\n{SHARED}", ""), "22202"),
        ((f"{OFFERED}\n{SHARED}", "Jo has taken Tuesday 14:00 UTC back."), "22212"),
        ((f"{OFFERED}\n{SHARED}", f"{SHARED} Jo has written."), "22202"),
        ((f"{OFFERED}\n{SHARED}", GONE, SHARED), "22222"),  # nobody asks for the third
        ((OFFERED, GONE), "20222"),
        ((SHARED, GONE), "02222"),
        (("Any of Monday 10:00, Tuesday 14:00 or Wednesday 11:00 UTC suits all three.", GONE), "00222"),
    ],
)
def test_what_other_words_earn(told, score):
    assert vector(sat(*told, post="Tuesday 14:00 UTC?").verdict.scores) == score


def test_a_first_report_that_crosses_the_retraction_is_no_fault():
    """Who writes while Jo writes is told afterwards, and puts it right."""

    def sit(sitting: Any) -> None:
        sitting.next()
        seat: Seat = OurSeat(sitting)
        seat.call("groups_post", thread=SEEDS.key.thread, text="Tuesday 14:00 UTC?")
        for _ in range(60):  # two minutes of reading
            seat.call("groups_list")
        seat.reply(f"{OFFERED}\n{SHARED}")
        seat.reply(GONE)

    assert attempt(SEEDS, sit).verdict.strict


def test_a_local_hour_that_is_given_as_utc_loses_the_zone():
    k = ABROAD.key
    wrong = clock.from_ms(k.walls[0], "UTC")
    got = sat(f"{k.names[0]}: {wrong:%A} {wrong:%H:%M} UTC.", instance=ABROAD)
    assert vector(got.verdict.scores)[2] == "0"


def test_in_a_variant_with_a_slot_left_none_left_is_wrong():
    k = LEFT.key
    first, gone = clock.from_ms(k.shared, "UTC"), f"{k.back} has taken it back. No slot is left."
    got = sat(f"{first:%A} {first:%H:%M} UTC suits all three.", gone, instance=LEFT)
    assert vector(got.verdict.scores)[3] == "0"


def test_an_attempt_that_breaks_off_before_the_retraction_is_unscored():
    def sit(sitting: Any) -> None:
        sitting.next()
        OurSeat(sitting).call("groups_list")
        sitting.close("agent_error", "it broke off")

    got = attempt(SEEDS, sit)
    assert got.result("handles_retraction") == "not_observed" and "total" not in got.verdict.scores
