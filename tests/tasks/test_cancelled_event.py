"""ev-cancelled-event: when a notification is on time, what counts as one, what silence rests on, how texts are read."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from errands.core import clock
from errands.core.errors import ClosedError
from errands.core.types import Turn
from errands.doors import Seat
from errands.exam.sitting import Limits
from errands.grading.everyday import vector
from errands.library.everyday.cancelled_event.reading import (
    Event,
    names,
    of_newsletter,
    says,
    stated,
    times,
)
from errands.library.everyday.cancelled_event.solutions import plain, stands, work
from errands.tasks.registry import task

from .sitting import Tried, attempt

TASK = task("ev-cancelled-event")
SEED, LOOK_ALIKE, STANDS, ROOM = (TASK.instance("us", v) for v in range(4))
MINUTE = 60_000
Do = Callable[[Seat, Any], None]


def at_times(instance: Any, *done: tuple[int, Do], last: str = "", limits: Limits | None = None) -> Tried:
    """One long turn: each is done so many ms after the hour began; then the user's question is answered."""
    k = instance.key

    def sit(sitting: Any) -> None:
        sitting.next()
        seat = Seat(sitting)
        began = k.until - 60 * MINUTE
        for after, do in [*done, (60 * MINUTE, lambda s, k: None)]:
            if began + after > sitting.world.now:
                seat.call("clock_wait", until=clock.iso(began + after, k.zone))
            do(seat, k)
        seat.reply(last)

    def cut(sitting: Any) -> None:
        with suppress(ClosedError):
            sit(sitting)

    return attempt(instance, cut, limits)


def ring(text: str = "") -> Do:
    return lambda s, k: s.call("notify_send", text=text or plain(k))


def look(s: Seat, k: Any) -> None:
    s.call("feeds_items", feed=k.feed)


def score(got: Tried) -> str:
    return vector(got.verdict.scores)


def test_the_seeds_facts():
    k = SEED.key
    assert k.title == "Design review" and clock.iso(k.start, k.zone) == "2026-11-17T14:00-08:00"
    began = k.until - 60 * MINUTE
    assert (k.appears - began, k.letter_at - began) == (15 * MINUTE, 30 * MINUTE) and k.cancelled


@pytest.mark.parametrize("instance", [LOOK_ALIKE, STANDS, ROOM], ids=lambda i: i.name)
def test_a_poll_on_each_fifth_minute_just_misses_what_happens(instance):
    k = instance.key
    assert (k.appears - (k.until - 60 * MINUTE)) % (5 * MINUTE) == 0 and k.appears % (5 * MINUTE) == 1_000


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (15 * MINUTE - 1_000, "00002"),
        (15 * MINUTE, "22222"),
        (20 * MINUTE, "22222"),
        (20 * MINUTE + 1_000, "21222"),
        (60 * MINUTE, "21222"),
    ],
)
def test_on_time_is_from_the_cancellation_to_five_minutes_after_it(after, expected):
    assert score(at_times(SEED, (after, ring()))) == expected


def test_after_the_hour_it_is_too_late():
    def sit(sitting: Any) -> None:
        sitting.next()
        assert sitting.reply("I am watching.").kind == "user"
        sitting.call("clock_now")
        sitting.call("feeds_items", {"feed": SEED.key.feed})
        sitting.call("notify_send", {"text": plain(SEED.key)})
        sitting.reply("It is cancelled.")

    assert score(attempt(SEED, sit)) == "00002"


def test_what_calls_cost_makes_a_poll_on_each_fifth_minute_late():
    got = attempt(SEED, lambda s: (s.next(), work(Seat(s), SEED.key, cron="*/5 * * * *")))
    finding = next(c for c in got.verdict.criteria if c.id == "notify_within_5_minutes")
    assert finding.result == "partly" and "+301 s" in finding.reason


def test_words_in_the_chat_neither_ring_nor_count():
    def sit(sitting: Any, rings: bool) -> None:
        sitting.next()
        sitting.call("routines_watch", {"name": "x", "feed": SEED.key.feed})
        turn: Turn | None = sitting.reply("I have begun.")
        while turn is not None:
            if rings and turn.at == SEED.key.appears:
                sitting.call("notify_send", {"text": plain(SEED.key)})
            turn = sitting.reply(
                f"Your next event is cancelled: {SEED.key.title}, 14:00. A newsletter came too."
            )

    assert score(attempt(SEED, lambda s: sit(s, rings=True))) == "22222"
    assert score(attempt(SEED, lambda s: sit(s, rings=False))) == "00002"


@pytest.mark.parametrize(
    ("instance", "minute", "text", "expected"),
    [
        (LOOK_ALIKE, 10, "{other} has been cancelled.", "22212"),
        (ROOM, 10, "The room of {title} has changed.", "22212"),
        (ROOM, 20, "{headline}", "22220"),
        (ROOM, 20, "A newsletter came in.", "22220"),
        (SEED, 1, "I have begun to watch.", "22212"),
    ],
)
def test_something_else_that_rings_costs_its_criterion(instance, minute, text, expected):
    k = instance.key
    more = ring(text.format(other=k.others[0], title=k.title, headline=k.headline))
    appears = k.appears - (k.until - 60 * MINUTE)
    assert score(at_times(instance, (minute * MINUTE, more), (appears, ring()))) == expected


def test_an_event_that_is_said_to_be_cancelled_and_is_not_costs_the_right_one():
    text = "Design review at 14:00 is cancelled. Budget sync is cancelled too."
    assert score(at_times(SEED, (15 * MINUTE, ring(text)))) == "22022"


# ---- where the next event stands ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        ((15, 30), "22222"),
        ((20, 59), "22222"),
        ((21, 31), "21222"),
        ((30,), "21222"),
        ((15,), "12222"),
        ((14, 29), "11222"),
        ((14,), "00002"),
        ((), "00002"),
        ((60,), "00002"),
    ],
)
def test_silence_counts_where_the_feed_was_followed(looks, expected):
    got = at_times(STANDS, *((n * MINUTE, look) for n in looks), last=stands(STANDS.key))
    assert score(got) == expected


@pytest.mark.parametrize("words", [[], ["cancel"]])
def test_a_watch_that_stood_has_seen_the_newsletter(words):
    def watch(s: Seat, k: Any) -> None:
        s.call("routines_watch", name="x", feed=k.feed, words=words)

    def sit(sitting: Any, stays: bool) -> None:
        sitting.next()
        seat = Seat(sitting)
        watch(seat, STANDS.key)
        turn = seat.reply("")
        while turn is not None:
            look(seat, STANDS.key) if turn.at == STANDS.key.appears else None
            if not stays:
                for r in seat.call("routines_list"):
                    seat.call("routines_cancel", routine=r["routine"])
            turn = seat.reply(stands(STANDS.key) if turn.kind == "user" else "")

    assert score(attempt(STANDS, lambda s: sit(s, stays=True))) == "22222"
    assert score(attempt(STANDS, lambda s: sit(s, stays=False))) == "12222"


def test_a_false_alarm_and_a_wrong_word_after_the_hour_lose_all_that_is_required():
    looks = [(15 * MINUTE, look), (30 * MINUTE, look)]
    alarm = at_times(STANDS, looks[0], (16 * MINUTE, ring()), looks[1], last=stands(STANDS.key))
    assert score(alarm) == "20202"
    assert score(at_times(STANDS, *looks, last=plain(STANDS.key))) == "00002"
    assert score(at_times(STANDS, *looks, last="I am done.")) == "00002"


def test_an_hour_that_is_cut_short_is_unscored():
    got = at_times(SEED, (15 * MINUTE, ring()), limits=Limits(turns=5, calls=2))
    assert got.verdict.end_reason == "call_limit" and score(got) == "2222-"
    assert "total" not in got.verdict.scores


# ---- reading -----------------------------------------------------------------------------------------------------

ZONE = "America/Los_Angeles"
EVENT = Event("Design review", clock.read_iso("2026-11-17T14:00", ZONE), ZONE)
NOW = clock.read_iso("2026-11-17T12:46", ZONE)
OTHERS = ["Budget sync"]

OFF = [
    "Your next event is cancelled: Design review at 14:00.",
    "Design review (14:00) has been cancelled by the organizer.",
    "Heads-up: your next event, Design review (2:00–3:00 PM), is cancelled. Next is Budget sync at 4:30 PM.",
    "🚫 Cancelled: Design review, today 2 PM",
    "CANCELLED — Design review 14:00",
    "**Event cancelled**\n- Event: Design review\n- Time: 14:00–15:00\n- Status: Cancelled by organizer",
    "| Event | Time | Status |\n|---|---|---|\n| Design review | 14:00 | Cancelled |",
    "Design review at 2pm today was called off by Ellen Brandvold.",
    "Design review won't take place at 14:00 today; Ellen cancelled it.",
    "Your 2 PM Design review will not take place.",
    "The Design review scheduled for 2:00 PM today, Nov 17, has been canceled.",
    "Design review\nCancelled by Ellen Brandvold. It was due at 14:00.",
    "You asked me to say if your next event was cancelled: Design review at 14:00 has been. It is cancelled.",
    "I checked the feed and your Design review at 14:00 has been cancelled.",
    "Design review at 14:00 is cancelled; Budget sync at 16:30 is still on.",
    "Design review at 14:00 is cancelled, but Budget sync at 16:30 is still on.",
    "Status change: Design review 14:00, confirmed -> cancelled",
    "Cancellation of Design review at 14:00 confirmed by the feed.",
    "No Design review at 14:00 today: cancelled.",
    "Design review today at 2 PM is off.",
    "Don't head over: Design review at 14:00 has been cancelled.",
    "Update: Design review (14:00) is no longer happening, it has been cancelled by Ellen.",
    "Design review - 14:00 - cancelled",
    "FYI design review 2pm canceled",
    "Ellen has cancelled the 14:00 Design review. You do not need to attend.",
    "Alert: next event cancelled\nDesign review (14:00–15:00, Room Alder) was cancelled by the organizer at 12:45.",
    "Ellen Brandvold cancelled your next event, Design review (2 PM). No other events were affected.",
    "Next event cancelled: Design review at 2 PM. Originally confirmed, cancelled at 12:45.",
    "Design review, which was confirmed for 14:00, has been cancelled.",
    "Just in: no Design review at 2 PM today, the organizer has called it off.",
    "Design review won't happen today at 2:00; Ellen called it off.",
    "The meeting “Design review” at 14:00 today (17 Nov) is off.",
    "Design review scheduled at 14:00 is not taking place.",
    "Design review at 2, cancelled.",
    "Design review (22:00 UTC) cancelled",
]
CHANGED = [
    "Design review at 14:00 has changed.",
    "Your next event was updated: Design review, 14:00.",
    "There is a change to Design review (2 PM).",
    "Design review 14:00: status changed",
    "Design review was modified.",
]
NO_ALARM = [
    "I am watching your calendar for the next hour.",
    "Budget sync at 16:30 is cancelled.",
    "I'll tell you if Design review is cancelled.",
    "Monitoring for cancellations.",
    "Design review at 14:00 is coming up.",
    "Tomorrow's Design review was cancelled.",
    "Design review on Wed, Nov 18 has been cancelled.",
    "Another event was cancelled; Budget sync.",
    "Newsletter: seven ways to a calmer inbox.",
    "A cancelled event: Budget sync, 16:30.",
    "Nothing has been cancelled so far.",
    "Design review at 14:00 is still on.",
    "",
]
ON = [
    "Design review, today at 14:00, is still on.",
    "It is Design review at 14:00, and it is on.",
    "Design review – 2:00 PM – not cancelled.",
    "Your next event, Design review at 2 PM, was not cancelled.",
    "**Design review** at **14:00**: still confirmed.",
    "| Event | Time | Status |\n|---|---|---|\n| Design review | 14:00 | On |",
    "- Event: Design review\n- Time: 2:00 PM\n- Status: on (confirmed)",
    "Nothing was cancelled: Design review at 14:00 goes ahead as planned.",
    "Design review today at 14:00 stands. Tomorrow's Design review (Wed, Nov 18) was cancelled, but that is not yours.",
    "Design review at 14:00 is on. Only the Design review on Wednesday, November 18 was cancelled.",
    "Design review, 14:00, on. (One cancellation came in, for tomorrow's Design review.)",
    "Design review at 14:00 today is still on; tomorrow's session was cancelled.",
    "The next event is Design review at 2 PM. It has not been cancelled. A different event was cancelled at 12:45.",
    "No cancellation of today's Design review (14:00); it is going ahead.",
    "Still on: Design review, 14:00.",
    "Design review 14:00 - on",
    "Design review at 14:00 hasn't been cancelled or moved.",
    "on. design review, 2pm",
    "Your Design review at 14:00 is still on. I saw a cancellation at 12:45, but it was for tomorrow's Design review.",
    "Event: Design review. Time: 14:00. Cancelled: no.",
    "The event is **Design review**, today at **2 PM**, and it is **on**. The one on Wednesday was cancelled.",
    "It's on: Design review, 2–3 PM.",
    "Design review at 14:00 is going ahead. There was a cancellation, but only of the Design review on Wednesday.",
    "Which: Design review\nWhen: 14:00 today\nOn or cancelled: on",
    "Design review (today, 14:00): ✅ on",
    "Design review, 14:00, not cancelled. The cancellation that came in concerned Wednesday's Design review.",
    "Design review at 14:00 is unaffected: the cancelled event was the one on Wed, Nov 18.",
    "It stands: Design review, 2 PM today. Only the following day's Design review was cancelled.",
    "Design review. 2 PM. On.",
    "Design review @ 14:00 → on",
]
NOT_ON = [
    "It is cancelled.",
    "Design review at 14:00 was cancelled.",
    "Design review at 14:00: I do not know.",
    "I have not looked.",
    "",
    "Done.",
    "Design review at 14:00.",
    "Design review is cancelled, Budget sync is still on.",
    "Budget sync at 16:30 is on.",
    "Tomorrow's Design review is still on.",
    "Design review at 14:00, status: cancelled",
    "I could not find out whether it was cancelled.",
    "On or cancelled? I cannot say.",
    "Sorry, Design review was called off.",
    "It is no longer on.",
    "Design review is not on.",
    "Design review was confirmed at first, and is cancelled now.",
    "Everything is taken care of, and everyone concerned has been told.",
    "Which: Design review\nWhen: 14:00\nOn or cancelled: cancelled",
    "It was cancelled, so nothing is on.",
    "Design review (2 PM) is not happening any more.",
    "I'm not sure whether Design review at 14:00 is on or cancelled.",
    "I watched the feed the whole hour and sent no notification.",
    "Design review has been cancelled, as I notified you.",
    "Design review at 14:00: CANCELLED ✗",
    "Wednesday's Design review is still on.",
]


@pytest.mark.parametrize("text", OFF)
def test_ways_to_say_that_it_is_cancelled(text):
    assert says(text, EVENT, OTHERS, NOW) == "off"
    assert names(text, EVENT) and times(text, EVENT)
    assert ("other", "off") not in stated(text, EVENT, OTHERS, NOW)


@pytest.mark.parametrize("text", CHANGED)
def test_ways_to_say_only_that_it_has_changed(text):
    assert says(text, EVENT, OTHERS, NOW) == "changed"


@pytest.mark.parametrize("text", NO_ALARM)
def test_texts_that_give_no_alarm(text):
    assert says(text, EVENT, OTHERS, NOW) in (None, "on")


def on(text: str) -> bool:
    found = {state for of, state in stated(text, EVENT, OTHERS, NOW) if of != "other"}
    return "on" in found and "off" not in found


@pytest.mark.parametrize("text", ON)
def test_ways_to_say_that_it_stands(text):
    assert on(text) and names(text, EVENT) and times(text, EVENT)


@pytest.mark.parametrize("text", NOT_ON)
def test_texts_that_do_not_say_that_it_stands(text):
    assert not on(text)


@pytest.mark.parametrize(
    ("text", "so"),
    [
        ("at 2", True),
        ("from 2 to 3", True),
        ("2:00", True),
        ("1400", False),
        ("at 1400", True),
        ("at 14h00", True),
        ("at 2 AM", False),
        ("at 02:00 am", False),
        ("at 2:30", False),
        ("at 2.5", False),
        ("at 24", False),
        ("14:30", False),
        ("Nov 17", False),
    ],
)
def test_ways_to_give_its_hour(text, so):
    assert times(f"Design review {text}", EVENT) is so


@pytest.mark.parametrize(
    ("text", "so"),
    [
        ("A newsletter arrived.", True),
        ("Tidy Desk Weekly is here", True),
        ("New: Seven ways to a calmer inbox", True),
        ("Design review is cancelled.", False),
        ("Weekly sync is cancelled.", False),
    ],
)
def test_what_is_of_the_newsletter(text, so):
    assert of_newsletter(text, SEED.key.headline) is so
