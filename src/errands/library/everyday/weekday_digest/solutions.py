"""Right and wrong ways to send the digests, as calls that an agent could make."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from errands.core.types import Seat, Turn
from errands.tasks import Key

from .task import task

Items = list[dict[str, Any]]
NINE = "0 9 * * 1-5"


def now(s: Seat) -> datetime:
    """The world's local time."""
    return datetime.fromisoformat(s.call("clock_now")["now"])


def todays(s: Seat, k: Key) -> Items:
    """What the feed has of today."""
    day = now(s).date().isoformat()
    return [i for i in s.call("feeds_items", feed=k.feed)["items"] if i["at"][:10] == day]


def first_only(s: Seat, k: Key) -> Items:
    items = s.call("feeds_items", feed=k.feed, limit=50)["items"]
    return [i for i in items if i["id"] == k.notes[0]["id"]]


def all_there_are(s: Seat, k: Key) -> Items:
    return list(s.call("feeds_items", feed=k.feed)["items"])


def of_the_board(s: Seat, k: Key) -> Items:
    day = now(s).date().isoformat()
    return [i for i in s.call("feeds_items", feed=k.board)["items"] if i["at"][:10] == day]


def day_before_on_the_second(s: Seat, k: Key) -> Items:
    """Yesterday's note on the second day; today's on all others."""
    second = now(s).timestamp() * 1_000 - k.due[1]
    return first_only(s, k) if 0 <= second < 3_600_000 else todays(s, k)


def plain(items: Items) -> str:
    return "\n".join(f"{i['subject']}: {i['body']}" for i in items) or "There is no new note today."


def in_words(items: Items) -> str:
    """With more around it."""
    if not items:
        return "Good morning,\n\nthe marina has not published a note this morning, so there is nothing new.\n"
    told = items[0]["body"].replace("$", "USD ")
    return f"Good morning,\n\nthis is {items[0]['subject'].lower().replace('ps-', 'PS-')} of the marina. {told}\n"


def a_tenth_more(items: Items) -> str:
    return "\n".join(f"{i['subject']}: {i['body'].replace('$', '$9')}" for i in items)


def send(s: Seat, k: Key, to: list[str], text: str) -> None:
    draft = s.call("mail_draft", to=to, subject="Marina digest", body=text)["draft"]
    s.call("mail_send", draft=draft)


def deliver(
    s: Seat,
    k: Key,
    *,
    items: Callable[[Seat, Key], Items] = todays,
    write: Callable[[Items], str] = plain,
    times: int = 1,
    to: tuple[str, ...] = (),
) -> None:
    text = write(items(s, k))
    for _ in range(times):
        send(s, k, [k.inbox, *to], text)


def late_on_the_second(s: Seat, k: Key) -> None:
    if 0 <= now(s).timestamp() * 1_000 - k.due[1] < 3_600_000:
        s.call("clock_wait", until=(now(s) + timedelta(minutes=40)).isoformat(timespec="minutes"))
    deliver(s, k)


def not_on_the_fifth(s: Seat, k: Key) -> None:
    if now(s).timestamp() * 1_000 < k.due[4]:
        deliver(s, k)


def on_weekdays(s: Seat, k: Key) -> None:
    if now(s).weekday() < 5:
        deliver(s, k)


def work(
    s: Seat,
    k: Key,
    *,
    cron: str = NINE,
    each: Callable[[Seat, Key], None] = deliver,
    after: Callable[[Seat, Key], None] = lambda s, k: None,
    cancels: bool = True,
) -> None:
    routine = s.call("routines_create", name="Marina digest", cron=cron, zone=k.zone)["routine"]
    turn: Turn | None = s.reply("The digest is set up for nine on weekdays.")
    over = False
    while turn is not None:
        if turn.kind == "user":
            over = True
            if cancels:
                s.call("routines_cancel", routine=routine)
            turn = s.reply("The digest is cancelled.")
        else:
            (after if over else each)(s, k)
            turn = s.reply("")


def by_waiting(s: Seat, k: Key) -> None:
    """No routine: one long turn."""
    for _ in range(40):
        at = now(s)
        nine = at.replace(hour=9, minute=0, second=0, microsecond=0, tzinfo=None)
        if at.replace(tzinfo=None) >= nine:
            nine += timedelta(1)
        woken = s.call("clock_wait", until=nine.isoformat(timespec="minutes"))
        if woken["notices"]:
            s.reply("The digest is cancelled.")
            return
        if nine.weekday() < 5:
            deliver(s, k)


def nothing(s: Seat, k: Key) -> None:
    s.reply("The digest will come at nine on weekdays.")


task.oracle(work)
task.alternative("by_waiting", by_waiting)
task.alternative("every_day", work, cron="0 9 * * *", each=on_weekdays)
task.alternative("lets_it_ring", work, cancels=False)
task.alternative("in_own_words", work, each=lambda s, k: deliver(s, k, write=in_words))

task.wrong("nothing", nothing)
task.wrong("stopped_after_four", work, each=not_on_the_fifth)
task.wrong("seven_past", work, cron="7 9 * * 1-5")
task.wrong("too_early", work, cron="58 8 * * 1-5")
task.wrong("once_late", work, each=late_on_the_second)
task.wrong("first_note_again", work, each=lambda s, k: deliver(s, k, items=first_only))
task.wrong("all_so_far", work, each=lambda s, k: deliver(s, k, items=all_there_are))
task.wrong("other_feed", work, each=lambda s, k: deliver(s, k, items=of_the_board))
task.wrong("wrong_amount", work, each=lambda s, k: deliver(s, k, write=a_tenth_more))
task.wrong("one_day_old", work, each=lambda s, k: deliver(s, k, items=day_before_on_the_second))
task.wrong("sent_twice", work, each=lambda s, k: deliver(s, k, times=2))
task.wrong("goes_on", work, cancels=False, after=deliver)
task.wrong("to_a_friend", work, each=lambda s, k: deliver(s, k, to=("theo.lindqvist@bluefernmail.example",)))
