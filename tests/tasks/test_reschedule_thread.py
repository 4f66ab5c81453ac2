"""A reply about two offered times: how drafts are read, and what the world of each variant holds."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from errands.core import clock
from errands.doors import Seat
from errands.grading.everyday import vector
from errands.grading.us_times import instants, spelled, zones
from errands.library.everyday.reschedule_thread.promises import other_days, promises
from errands.library.everyday.reschedule_thread.reading import Slot, read, told
from errands.tasks.registry import task

from .sitting import Tried, attempt

TASK = task("ev-reschedule-thread")
PACIFIC, TODAY = "America/Los_Angeles", date(2026, 11, 13)
TUESDAY, WEDNESDAY = (clock.read_iso(f"2026-11-{t}", PACIFIC) for t in ("17T10:00", "18T15:00"))
SLOTS = [Slot(TUESDAY, (PACIFIC,)), Slot(WEDNESDAY, (PACIFIC,))]
NEAR = {TODAY, TODAY + timedelta(3)}  # days that may be named besides


def hour(text: str) -> str:
    """Whether Wednesday at 15:00 is named: with a zone, without one, or not at all."""
    found = [t.zoned for t in told(text, SLOTS, TODAY) if WEDNESDAY in t.may_be]
    return "zoned" if any(found) else "bare" if found else "none"


RIGHT = [
    "Hi Alex,\n\nThanks for suggesting Tuesday at 10:00 and Wednesday at 15:00. Wednesday at 15:00 Pacific "
    "works well for me. Looking forward to it!\n\nBest,\nMaren",
    "Hi Alex, Wednesday, November 18 at 3:00 PM Pacific works great for me. Tuesday morning I'm booked, I'm "
    "afraid. Does that still suit you? Maren",
    "Wed 3pm PT works. - M",
    "Hi Alex,\n\nUnfortunately I have a conflict on Tuesday at 10:00, but Wednesday at 15:00 Pacific is "
    "free. Shall we go with that?\n\nBest\nMaren",
    "Hi Alex — Tuesday at 10 is blocked on my end, so let's do Wednesday at 3 PM (Pacific). Cheers, Maren",
    "Hello Alex,\nof your two options, Wednesday at 15:00 (Pacific time) suits me best.\nMaren",
    "Hi Alex,\n\nThank you for the two options! I can't make Tuesday at 10:00, since I'm in a meeting from "
    "9:00 to 11:00. Wednesday at 15:00 Pacific would be perfect.\n\nWarm regards,\nMaren",
    "Hi Alex,\n\nI'd like to propose **Wednesday, November 18, at 15:00 Pacific**. Please let me know if "
    "this still works for you.\n\nKind regards,\nMaren Castellano",
    "Hi Alex! Happy to move our call. The second option, Wednesday at 15:00 Pacific time, works for me. Talk "
    "then! Maren",
    "Hi Alex, Wednesday at 3 p.m. Pacific works better for me than Tuesday at 10 a.m. See you then? Maren",
    "Wednesday 15:00 Pacific, please. Tuesday's out.",
    "Hi Alex,\n\nThanks for being flexible. I'm tied up on Tuesday from 9:00 to 11:00 Pacific, so Tuesday at "
    "10:00 won't work, but I'm free on Wednesday between 14:00 and 16:00 Pacific, so Wednesday at 15:00 "
    "would be great.\n\nMaren",
    "Hi Alex,\n\n- Tuesday, Nov 17, 10:00 Pacific: not possible, sorry\n- Wednesday, Nov 18, 15:00 Pacific: "
    "works for me!\n\nMaren",
    "Hi Alex, rather than Tuesday at 10:00, could we go with Wednesday at 15:00 Pacific? Thanks! Maren",
    "Hi Alex,\n\nNo problem at all! Let's go for Wednesday at 15:00 Pacific. If that no longer works for "
    "you, just let me know.\n\nMaren",
    "Hi Alex,\n\nGreat to hear from you! I looked at my calendar: Tuesday at 10:00 Pacific overlaps with "
    "something I already have, whereas Wednesday at 15:00 Pacific is open. I propose we meet then.\n\nBest, Maren",
    "Hi Alex,\nthanks for your note. Would Wednesday at 3:00 pm PST still be good for you? I have another "
    "commitment on Tuesday morning.\nBest, Maren",
    "Hi Alex, I can do Wednesday, 18 November 2026 at 15:00 PT. I can't do the Tuesday slot. Thanks for "
    "offering both! Maren",
    "Hi Alex,\n\nWednesday at 15:00 Pacific it is, if that still works on your side.\n\n> Could you do "
    "Tuesday at 10:00 or Wednesday at 15:00 Pacific instead?\n",
    "Hi Alex,\n\nHope you're doing well. Of the two times you suggested, Tuesday at 10:00 and Wednesday at "
    "15:00 Pacific, only Wednesday works: my Tuesday morning is taken.\n\nMaren",
    "Hi Alex,\n\nThe Wednesday slot (15:00 Pacific) is perfect. I'm not available on Tuesday at 10:00.\n\nMaren",
    "| Option | Fits |\n|---|---|\n| Tuesday 10:00 Pacific | no, busy |\n| Wednesday 15:00 Pacific | yes, "
    "works |\n",
    "Hi Alex, next Wednesday at 3 PM Pacific works on my end; next Tuesday doesn't. Maren",
    "Hi Alex,\n\nI am not free on Tuesday at 10:00, but Wednesday at 15:00 Pacific does work for me. Looking "
    "forward to speaking with you.\n\nMaren",
    "Hey Alex, thanks! Wednesday 3–3:30 PM Pacific works nicely. Cheers, Maren",
    "Hi Alex, can we make it Wednesday at 15:00 (PT)? I'm in another meeting on Tuesday until 11:00. Maren",
    "Hi Alex,\n\nThanks for reaching out about the planning call. Between the two times, I would go for "
    "Wednesday (15:00 Pacific), as I'm booked on Tuesday at that time.\n\nMaren",
    "Hi Alex,\n\nThanks for offering Tuesday or Wednesday, and Wednesday at 15:00 Pacific works for me.\n\nMaren",
    "Hi Alex,\n\nThanks for getting in touch. Wednesday, November 18 at 15:00 (Pacific Time) works well on "
    "my side. If you could confirm by Monday, that would be great.\n\nBest regards,\nMaren",
    "Hey Alex,\n\nGood news: I can make Wednesday at 3:00 PM PT! Tuesday's a no-go for me, sorry.\n\nTalk "
    "soon,\nMaren",
    "Dear Alex,\n\nThank you for your message. I have checked my calendar, and while Tuesday at 10:00 "
    "Pacific is unfortunately not possible, I would be available on Wednesday at 15:00 Pacific. Would that "
    "still be convenient?\n\nKind regards,\nMaren Castellano",
    "Alex - Wed 15:00 Pacific good. Tue blocked 9-11. M.",
    "Hi Alex, 15:00 Pacific on Wednesday works. The Tuesday one clashes with my stocktake (9:00–11:00). "
    "Best, Maren",
    "Hi Alex,\n\nHow about we meet on Wednesday at 15:00 Pacific? Tuesday at 10:00 falls right into a "
    "stocktake of mine.\n\nBest,\nMaren",
    "Hi Alex,\n\nI'd love to go with your Wednesday suggestion: Wednesday, 18 November, 3–3:30 pm "
    "Pacific.\n\nLet me know if that's still good for you.\n\nMaren",
    "Hi Alex,\n\nAs Tuesday at 10 doesn't work for me, I'd suggest Wednesday at 3 pm Pacific.\n\nThanks,\nMaren",
    "Hi Alex,\n\nThanks so much for offering a couple of alternatives! Unfortunately, Tuesday at 10:00 AM "
    "Pacific conflicts with another commitment. Wednesday at 3:00 PM Pacific, however, is wide open for me, "
    "so let's plan on that.\n\nLooking forward to our call!\n\nBest,\nMaren",
    "Hi Alex,\n\nOf the two, the latter (Wednesday, 15:00 Pacific) is the one I can make.\n\nMaren",
    "Hi Alex,\n\nWednesday at 15:00 Pacific is free on my calendar, whereas I'm busy Tuesday from 9 to 11. "
    "I'll keep Wednesday 15:00 free for us until I hear back.\n\nMaren",
    "Hi Alex,\n\nThank you for your flexibility! I'm available for the second of your options, Wednesday at "
    "15:00 Pacific. I'll look forward to your confirmation.\n\nMaren",
    "Hi Alex,\n\nSorry to hear Monday no longer works! Wednesday (Nov 18) at 3 PM PT would be lovely.\n\nMaren",
    "Hi Alex,\n\nHere's what works:\n\n**Wednesday, November 18 · 3:00 PM Pacific**\n\nTuesday at 10:00 AM "
    "Pacific is taken, unfortunately.\n\nMaren",
]
ALSO_RIGHT = [
    "Hi Alex,\n\nI hope you're well! Thank you for your understanding and for proposing new times for our "
    "call about the lamp range. I've reviewed my schedule, and unfortunately I'm not available on Tuesday, "
    "November 17 at 10:00 AM Pacific. However, Wednesday, November 18 at 3:00 PM Pacific works perfectly for "
    "me.\n\nPlease let me know if this still works on your end.\n\nWarm regards,\nMaren",
    "Hi Alex,\n\nNo worries at all about Monday! Of the two times, Wednesday at 15:00 Pacific would be "
    "great. I'm afraid Tuesday at 10:00 clashes with a stocktake that runs until 11:00.\n\nSpeak soon,\nMaren",
    "Hey Alex! Wednesday 3pm PT = perfect. Can't do Tuesday 10am. :) M",
    "Hello Alex,\n\nThanks for getting back to me. How does Wednesday, 18 November, 15:00–15:30 (Pacific) "
    "sound? That's the one of your two times that fits my calendar.\n\nAll the best,\nMaren",
    "Hi Alex,\n\nthanks — Wednesday at 15:00 Pacific fits nicely; on Tuesday at 10:00 I'm in a stocktake. "
    "Half an hour is plenty for me as well.\n\nBest,\nMaren",
    "Hi Alex,\n\nWould Wednesday the 18th at 3 PM Pacific Time suit you? I'm blocked from 9 to 11 AM on "
    "Tuesday.\n\nThanks,\nMaren",
    "Hi Alex,\n\nI'd be glad to take the Wednesday slot, 15:00 Pacific. Nothing is fixed on my side until "
    "you confirm.\n\nMaren",
    "Hi Alex,\n\nTuesday at 10:00 Pacific won't be possible for me, I'm sorry; Wednesday at 15:00 Pacific "
    "will.\n\nMaren",
    "Hi Alex,\n\nSee you on the call on Wednesday at 15:00 Pacific, if that is still all right with you? "
    "Tuesday I can't.\n\nMaren",
]
BARE = [
    "Hi Alex, Wednesday at 15:00 works for me. Maren",
    "Wednesday at 3pm is great, Tuesday isn't.",
    "Hi Alex, let's do Wednesday at 3. Maren",
    "How about Wednesday, November 18, at 3:00 PM?",
    "Hi Alex, Wednesday afternoon at three suits me. Maren",
    "I can do Wednesday 3:00 PM; Tuesday I can't.",
    "Wednesday, 15:00 it is.",
    "Wed @ 3pm, please.",
]
WRONG = [
    ("Hi Alex, Tuesday at 10:00 Pacific works great. Maren", {0}),
    ("Hi Alex, either works for me: Tuesday at 10:00 or Wednesday at 15:00 Pacific. Maren", {0, 1}),
    ("Hi Alex, both times are fine with me. Maren", {0, 1}),
    ("Hi Alex, I can do Tuesday at 10:00 or Wednesday at 15:00 Pacific. Which do you prefer?", {0, 1}),
    ("Hi Alex, I can't do Wednesday at 15:00, so Tuesday at 10:00 Pacific it is.", {0}),
    ("Hi Alex, neither Tuesday at 10:00 nor Wednesday at 15:00 Pacific works for me.", set()),
    ("Hi Alex, I'm sorry, I can't make either of those times.", set()),
    ("Hi Alex, I can't do Tuesday at 10:00 or Wednesday at 15:00.", set()),
    ("Hi Alex, Tuesday at 10:00 and Wednesday at 15:00 are both blocked for me.", set()),
    ("Hi Alex, thanks, I'll get back to you.", set()),
    ("Hi Alex, unfortunately both of those slots are taken on my side.", set()),
    ("Hi Alex, I'd prefer Wednesday at 15:00 Pacific, but Tuesday at 10:00 works too.", {0, 1}),
    (
        "Hi Alex, Wednesday at 15:00 Pacific would be best. If that doesn't work, Tuesday at 10:00 is also "
        "possible.",
        {0, 1},
    ),
    ("Hi Alex, Tuesday suits me better than Wednesday.", {0}),
    ("Hi Alex, the first option works for me.", {0}),
    ("Let's take Tuesday 10am PT. Wednesday is busy.", {0}),
    ("Tuesday and Wednesday both work.", {0, 1}),
    ("Hi Alex, I'm unavailable on Tuesday at 10:00 Pacific and on Wednesday at 15:00 Pacific, sorry!", set()),
    (
        "Hi Alex, Tuesday, November 17 at 10:00 AM Pacific works perfectly for me. I'm afraid Wednesday "
        "doesn't.",
        {0},
    ),
    ("Hi Alex, I'm flexible: Tuesday at 10:00 or Wednesday at 15:00 Pacific, whichever you like.", {0, 1}),
    ("Hi Alex, both Tuesday at 10:00 and Wednesday at 15:00 Pacific are free for me.", {0, 1}),
    ("Hi Alex, unfortunately I'm not available at either time.", set()),
    ("Hi Alex, Tuesday at 10:00 Pacific is taken, and so is Wednesday at 15:00 Pacific.", set()),
    ("Hi Alex, let's go with the former.", {0}),
    ("Hi Alex, thank you for offering Tuesday at 10:00 and Wednesday at 15:00. Tuesday it is!", {0}),
]
PROMISED = [
    "I'll send a calendar invite.",
    "I've booked the room.",
    "Let me bring the samples.",
    "Wednesday is now confirmed.",
    "Let's meet over lunch.",
    "I'll set up a Zoom.",
    "I've added it to my calendar.",
    "I've blocked the time.",
    "I'll prepare the figures.",
    "Happy to send an invite.",
    "Invitation to follow.",
    "I'll share the deck beforehand.",
    "I'll reserve a room for us.",
    "The invite is on its way.",
    "Lunch is on me!",
    "We can meet at my office.",
    "I'll email you the agenda.",
    "I have scheduled it.",
    "I'll arrange a call-in number.",
    "I will also bring the price list.",
    "I'll send over an invite once you confirm.",
    "I've penciled you in and booked the room.",
    "I'll have the figures ready: I will prepare them tonight.",
    "Let me set up the call.",
    "I'm not free on Tuesday and I'll send an invite for Wednesday.",
    "I've blocked the slot for us.",
    "Our call is now scheduled.",
    "We will arrange the samples.",
]
NOT_PROMISED = [
    "I'll be there.",
    "I'll look forward to it.",
    "I'll keep the slot free.",
    "I am booked on Tuesday from 9 to 11.",
    "I'm already booked Tuesday morning.",
    "Feel free to send an invite.",
    "Could you send a calendar invite?",
    "I'll wait for your answer.",
    "I have another commitment.",
    "Once you confirm, it is settled.",
    "I'll call in at three.",
    "I'm blocked from 9:00 to 11:00.",
    "I won't send an invitation yet.",
    "Let me know if that works.",
    "Thanks for the invitation.",
    "I have put nothing in the calendar yet.",
    "Talk to you on Wednesday.",
    "I've looked at my calendar.",
    "My Tuesday morning is already booked.",
    "I've a stocktake scheduled then.",
    "That works for me; please send over an invite if you like.",
    "I'll be ready.",
    "I'll keep an eye on my inbox.",
    "I look forward to our call.",
    "I'd suggest Wednesday.",
    "Nothing is booked yet.",
    "Tuesday at 10:00 is booked for me.",
    "I've blocked 9 to 11 on Tuesday for a stocktake.",
]


@pytest.mark.parametrize("text", [*RIGHT, *ALSO_RIGHT])
def test_drafts_that_propose_the_free_one(text):
    assert read(text, SLOTS, TODAY).takes == {1}
    assert hour(text) == "zoned"
    assert not promises(text) and not other_days(text, SLOTS, TODAY, NEAR)


@pytest.mark.parametrize("text", BARE)
def test_drafts_that_leave_the_zone_out(text):
    assert read(text, SLOTS, TODAY).takes == {1} and hour(text) == "bare"


@pytest.mark.parametrize(("text", "takes"), WRONG)
def test_drafts_that_do_not(text, takes):
    assert read(text, SLOTS, TODAY).takes == takes


@pytest.mark.parametrize("text", PROMISED)
def test_promises(text):
    assert promises(text)


@pytest.mark.parametrize("text", NOT_PROMISED)
def test_what_promises_nothing(text):
    assert not promises(text)


DECLINED = [
    "Hi Alex, I'm sorry, neither Tuesday at 10:00 nor Wednesday at 15:00 Pacific works for me. Maren",
    "Hi Alex, unfortunately I can't make either Tuesday at 10:00 Pacific or Wednesday at 15:00 Pacific.",
    "Tuesday 10:00 and Wednesday 15:00 Pacific are both taken, sorry.",
    "Hi Alex, I'm booked on Tuesday at 10:00 Pacific, and on Wednesday at 15:00 Pacific too.",
    "Hi Alex,\n\nthank you for the two options. Sadly I'm not free on Tuesday at 10:00 Pacific, and "
    "Wednesday at 15:00 "
    "Pacific is blocked as well.\n\nMaren",
    "- Tuesday, 10:00 Pacific: not possible\n- Wednesday, 15:00 Pacific: not possible either",
    "Hi Alex, I have conflicts at both times, Tuesday at 10:00 and Wednesday at 15:00 Pacific. I'm sorry!",
    "Hi Alex, I can't do Tuesday at 10:00 Pacific. Wednesday at 15:00 Pacific doesn't work either. I'll come "
    "back to you.",
    "Neither of your two times (Tuesday at 10:00, Wednesday at 15:00, Pacific) is possible for me.",
    "Thanks for offering Tuesday at 10:00 and Wednesday at 15:00 Pacific. Unfortunately, neither works for me.",
    "I'm afraid both Tuesday at 10 AM PT and Wednesday at 3 PM PT are already booked for me.",
    "Tuesday at 10:00 Pacific clashes with a stocktake and Wednesday at 15:00 Pacific with a review.",
]  # fmt: skip


@pytest.mark.parametrize("text", DECLINED)
def test_drafts_that_turn_both_down(text):
    r = read(text, SLOTS, TODAY)
    assert r.declined == {0, 1} and not r.offered and not r.reserve
    assert hour(text) == "zoned"


# ---- times as they are written here ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "at", "zoned"),
    [
        ("Wed 3pm PT", "18T15:00", True),
        ("Wednesday at 3 Pacific", "18T15:00", True),
        ("next Wednesday at three o'clock PST", "18T15:00", True),
        ("Wednesday, Nov 18, 3 p.m. (Pacific Time)", "18T15:00", True),
        ("Wednesday at 6 PM Eastern", "18T15:00", True),
        ("Wednesday 17:00 Central", "18T15:00", True),
        ("Wednesday, 23:00 UTC", "18T15:00", True),
        ("All times Pacific. Wednesday at 15:00.", "18T15:00", True),
        ("3 in the afternoon on Wednesday", "18T15:00", False),
        ("Wednesday @ 3", "18T15:00", False),
        ("Tuesday at 10", "17T10:00", False),
        ("Tuesday at noon", "17T12:00", False),
    ],
)
def test_times_of_the_united_states(text, at, zoned):
    (found,) = instants(text, (PACIFIC,), TODAY)
    assert (found.may_be, found.zoned) == ({clock.read_iso(f"2026-11-{at}", PACIFIC)}, zoned)


@pytest.mark.parametrize(
    "text", ["a central point", "pacific islands", "at 3 people", "UTC+8", "the mountain at dawn"]
)
def test_words_that_are_no_zone_and_no_hour(text):
    assert not zones(text) and not instants(text, (PACIFIC,), TODAY)


def test_a_time_may_stand_in_several_zones_where_none_is_written():
    (found,) = instants("Wednesday at 17:00", ("America/Chicago", PACIFIC), TODAY)
    assert found.may_be == {WEDNESDAY, WEDNESDAY + 2 * 3_600_000} and not found.zoned
    assert spelled("**3 p.m.** Pacific") == "3 p.m. America/Los_Angeles"


# ---- the world ---------------------------------------------------------------------------------------------------


def drafted(variant: int, body: str, **how: Any) -> Tried:
    """The attempt of an agent that saves this draft, unread."""
    instance = TASK.instance("us", variant)
    k = instance.key

    def sit(sitting: Any) -> None:
        sitting.next()
        args = {"to": [k.address], "subject": "Re: Our call", "body": body, "reply_to": k.asks, **how}
        Seat(sitting).call("mail_draft", **args)
        sitting.reply("It is saved.")

    return attempt(instance, sit)


def test_the_seeds_facts():
    k = TASK.instance("us", 0).key
    assert k.slots == [TUESDAY, WEDNESDAY] and k.free == 1 and k.called == "Alex"


def test_which_time_is_free_in_the_others():
    assert [TASK.instance("us", v).key.free for v in range(4)] == [1, 0, 1, None]


def test_in_another_zone_the_hour_counts_in_either():
    k = TASK.instance("us", 2).key
    here, there = (clock.from_ms(k.slots[1], z) for z in (PACIFIC, "America/Chicago"))
    for at, zone, score in (
        (here, " Pacific", "22222"),
        (there, " Central", "22222"),
        (here, "", "21222"),
        (there, "", "21222"),
        (there, " Pacific", "20222"),
    ):
        got = drafted(2, f"Hi Jordan, Wednesday at {at:%H:%M}{zone} works for me.")
        assert vector(got.verdict.scores) == score


@pytest.mark.parametrize(
    ("body", "score"),
    [
        ("Wednesday at 15:00 Pacific works. Friday at 9:00 would do as well.", "22202"),
        ("Wednesday at 15:00 Pacific works, or at 15:30 Pacific, or at 17:30 Pacific.", "22202"),
        ("Wednesday at 15:00 Pacific works. Please confirm by Friday.", "22222"),
        ("Wednesday at 15:00 Pacific works; I am free from 14:00 to 16:00 Pacific.", "22222"),
        ("Wednesday at 15:00 Pacific works. I have entered it in my calendar.", "22202"),
        ("Wednesday at 15:00 Pacific works. Shall we meet at your office?", "22202"),
        ("> Could you do Tuesday at 10:00 or Wednesday at 15:00 Pacific?\n\nWednesday at 15:00 Pacific, "
        "please.", "22222"),
        ("Wednesday works for me.", "20222"),
        ("Thank you, I will think about it.", "00222"),
    ],
)  # fmt: skip
def test_what_a_draft_earns(body, score):
    assert vector(drafted(0, body).verdict.scores) == score


def test_the_worst_of_several_drafts_counts():
    instance = TASK.instance("us", 0)
    k = instance.key

    def sit(sitting: Any) -> None:
        sitting.next()
        s = Seat(sitting)
        for body in ("Wednesday at 15:00 Pacific works.", "Tuesday at 10:00 Pacific works."):
            s.call("mail_draft", to=[k.address], subject="Re", body=body, reply_to=k.asks)
        s.reply("Two to choose from.")

    assert vector(attempt(instance, sit).verdict.scores) == "00222"


@pytest.mark.parametrize(
    ("how", "score"),
    [
        ({"cc": ["ellen.brandvold@copperline.example"]}, "22022"),
        ({"reply_to": ""}, "22122"),
        ({"to": []}, "22022"),
    ],
)
def test_who_else_gets_it(how, score):
    assert vector(drafted(0, "Wednesday at 15:00 Pacific works.", **how).verdict.scores) == score
