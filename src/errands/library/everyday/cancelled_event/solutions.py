"""Right and wrong ways to watch the feed, as calls that an agent could make."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from errands.core.types import Seat, Turn
from errands.tasks import Key

from .task import task

Say = Callable[[Key], str]
Act = Callable[[Seat, Key], None]
EACH_MINUTE = "* * * * *"


def look(s: Seat, k: Key) -> bool:
    """Whether the feed says that the next event is cancelled."""
    items = s.call("feeds_items", feed=k.feed, limit=50)["items"]
    return any(
        "cancelled by" in i["subject"] and k.title in i["subject"] and k.when in i["body"] for i in items
    )


def hour(k: Key) -> str:
    """When the next event begins, as the feed writes it."""
    return str(k.when).rpartition(", ")[2]


# ---- what is told -------------------------------------------------------------------------------------------------


def plain(k: Key) -> str:
    return f"Your next event is cancelled: {k.title}, {k.when}."


def in_words(k: Key) -> str:
    return (
        f"{k.title} at {hour(k)} today has been called off by its organizer, so you don't need to be there."
        f" Next would be {k.others[0]}."
    )


def changed(k: Key) -> str:
    return f"Your next event has changed: {k.title}, {k.when}."


def title_alone(k: Key) -> str:
    return f"Cancelled: {k.title}."


def nameless(k: Key) -> str:
    return "Your next event has been cancelled."


def of_another(k: Key) -> str:
    """Of another event; where the next one stands, that it is cancelled."""
    return f"Your next event is cancelled: {k.others[0]}." if k.cancelled else plain(k)


def stands(k: Key) -> str:
    return f"{k.title}, {k.when}: it is still on."


def stands_in_words(k: Key) -> str:
    return f"It was not cancelled: {k.title} goes ahead today at {hour(k)} as planned. Another event was cancelled."


def ring(s: Seat, text: str) -> None:
    s.call("notify_send", text=text)


# ---- ways ---------------------------------------------------------------------------------------------------------


def nobody(s: Seat, k: Key) -> None:
    """Tell nobody anything."""


def work(
    s: Seat,
    k: Key,
    *,
    cron: str = EACH_MINUTE,
    until: int = 60,
    tell: Say = plain,
    times: int = 1,
    quiet: Say = stands,
    also: Act = nobody,
    believes: bool = False,
) -> None:
    """Look by a routine, for so many minutes; tell so many times, and do something else at the newsletter."""
    s.call("routines_create", name="Look at the calendar feed", cron=cron)
    turn: Turn | None = s.reply("I am watching the feed.")
    told = also_done = False
    while turn is not None:
        if turn.kind == "user":
            turn = s.reply(plain(k) if told or believes else quiet(k))
            continue
        over = turn.at >= k.until - (60 - until) * 60_000
        if not over and (look(s, k) or (believes and turn.at >= k.appears)) and not told:
            told = True
            for _ in range(times):
                ring(s, tell(k))
        if turn.at >= k.letter_at and not also_done:
            also_done = True
            also(s, k)
        turn = s.reply("")


def woken(s: Seat, k: Key, *, words: tuple[str, ...] = (), tell: Say = plain, quiet: Say = stands) -> None:
    """By a watch on the feed, or on words in it."""
    watch = s.call("routines_watch", name="Calendar", feed=k.feed, words=list(words))["routine"]
    turn: Turn | None = s.reply("I will keep an eye on it.")
    told = False
    while turn is not None:
        if turn.kind == "user":
            s.call("routines_cancel", routine=watch)
            turn = s.reply(plain(k) if told else quiet(k))
            continue
        if look(s, k) and not told:
            told = True
            s.call("notify_send", title="Cancelled", text=tell(k))
        turn = s.reply("Noted." if told else "")


def by_waiting(s: Seat, k: Key) -> None:
    """No routine: one long turn, looking every two minutes."""
    told = False
    for _ in range(60):
        if look(s, k) and not told:
            told = True
            ring(s, plain(k))
        now = datetime.fromisoformat(s.call("clock_now")["now"])
        until = (now + timedelta(minutes=2)).isoformat(timespec="seconds")
        if s.call("clock_wait", until=until)["notices"]:
            break
    s.reply(plain(k) if told else stands(k))


def once_asked(s: Seat, k: Key) -> None:
    """Look only when the user asks."""
    turn = s.reply("I am watching the feed.")
    if turn is not None:
        s.reply(plain(k) if look(s, k) else stands(k))


def nothing(s: Seat, k: Key) -> None:
    turn: Turn | None = s.reply("I am watching the feed.")
    while turn is not None:
        turn = s.reply("I am watching the feed.")


def where(cancelled: dict[str, Any], stands: dict[str, Any]) -> Callable[[Seat, Key], None]:
    """One way where the next event is cancelled, another where it stands."""
    return lambda s, k: work(s, k, **(cancelled if k.cancelled else stands))


def of_quiet(count: int) -> Act:
    def act(s: Seat, k: Key) -> None:
        for _ in range(count):
            ring(s, "Nothing to report so far.")

    return act


task.oracle(work)
task.alternative("by_watch", woken)
task.alternative("by_words", woken, words=("cancel", "called off"))
task.alternative("by_waiting", by_waiting)
task.alternative("in_own_words", woken, tell=in_words, quiet=stands_in_words)

task.wrong("nothing", nothing)
task.wrong("once_asked", once_asked)
task.wrong("wrong_event", work, tell=of_another, believes=True)
task.wrong("says_changed", where({"tell": changed}, {"until": 20}))
task.wrong("every_five", where({"cron": "*/5 * * * *"}, {"cron": "*/15 * * * *"}))
task.wrong("title_alone", work, tell=title_alone, quiet=lambda k: f"{k.title} is still on.")
task.wrong("nameless", work, tell=nameless, quiet=lambda k: "It is still on, at the time that was planned.")
task.wrong("told_twice", where({"times": 2}, {"also": of_quiet(1)}))
task.wrong("told_often", where({"times": 4}, {"also": of_quiet(3)}))
task.wrong("newsletter_too", work, also=lambda s, k: ring(s, f"New in your feed: {k.headline}"))
