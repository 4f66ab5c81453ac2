"""Right and wrong ways to answer, as calls that an agent could make."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from errands.core import clock
from errands.core.types import Seat
from errands.tasks import Key

from .task import task

Words = Callable[[Seat, Key], str]
THERE = "Kind regards,\nMaren"


def when(k: Key, n: int, minutes: int = 0) -> str:
    """One of the two times, as a day and an hour without a zone."""
    at = clock.from_ms(k.slots[n], k.zones[0]) + timedelta(minutes=minutes)
    return f"{at:%A} at {at:%H:%M}"


def free(s: Seat, k: Key) -> list[int]:
    """Which of the two the calendar leaves free, as an agent would look it up."""
    out = []
    for n, at in enumerate(k.slots):
        start, end = (clock.iso(at + add, k.zones[-1]) for add in (0, 1_800_000))
        if not s.call("calendar_free_busy", people=["me"], start=start, end=end)["people"][0]["busy"]:
            out.append(n)
    return out


def plain(s: Seat, k: Key) -> str:
    """The free one, or neither."""
    found, zone = free(s, k), k.zone_name
    if not found:
        return f"I'm sorry, I am busy {when(k, 0)} {zone} and can't make {when(k, 1)} {zone} either."
    (n,) = found
    return (
        f"I am busy {when(k, 1 - n)} {zone}, but {when(k, n)} {zone} works well for me. Shall we take that?"
    )


def in_words(s: Seat, k: Key) -> str:
    """The same, as another person would write it: in the owner's own zone, with the date, and thanks first."""
    found = free(s, k)
    own = [clock.from_ms(at, k.zones[-1]) for at in k.slots]
    told = [f"{at:%A}, {at:%B} {at.day}, {at.hour % 12 or 12}:{at:%M} {at:%p} Pacific time" for at in own]
    thanks = f"thank you for offering {when(k, 0)} and {when(k, 1)}."
    if not found:
        return (
            f"{thanks} Unfortunately neither works: on {told[0]} and on {told[1]} I have another commitment."
        )
    return f"{thanks} I'd love to go with the {'second' if found[0] else 'first'} one: {told[found[0]]}. Talk then!"


def short(s: Seat, k: Key) -> str:
    found, zone = free(s, k), k.zone_name
    if not found:
        return f"{when(k, 0)} and {when(k, 1)} ({zone}) are both taken here, sorry."
    return f"{when(k, found[0])} {zone}, please. The other one is taken."


def the_taken_one(s: Seat, k: Key) -> str:
    n = 0 if k.free is None else 1 - k.free
    return f"{when(k, n)} {k.zone_name} works well for me."


def either(s: Seat, k: Key) -> str:
    return f"either works for me: {when(k, 0)} or {when(k, 1)} {k.zone_name}. Which one do you prefer?"


def rather(s: Seat, k: Key) -> str:
    n, zone = (1 if k.free is None else k.free), k.zone_name
    if k.free is None:
        return f"{plain(s, k)} If need be I could squeeze in {when(k, n)} {zone}."
    return f"I'd prefer {when(k, n)} {zone}. If that doesn't work, {when(k, 1 - n)} {zone} is possible too."


def without_zone(s: Seat, k: Key) -> str:
    return plain(s, k).replace(f" {k.zone_name}", "")


def another_hour(s: Seat, k: Key) -> str:
    """Half an hour off."""
    text = plain(s, k)
    for n in (0, 1):
        text = text.replace(when(k, n), when(k, n, 90))
    return text


def another_day(s: Seat, k: Key) -> str:
    return f"{plain(s, k)} Friday the 20th at 11:00 {k.zone_name} would suit me too."


def promising(s: Seat, k: Key) -> str:
    return f"{plain(s, k)} I'll send a calendar invitation and bring the new samples."


def nothing_else(s: Seat, k: Key, draft: dict[str, Any]) -> None:
    """Leave it at that."""


def enter(s: Seat, k: Key, draft: dict[str, Any]) -> None:
    at = k.slots[k.free or 0]
    start, end = clock.iso(at, k.zones[-1]), clock.iso(at + 1_800_000, k.zones[-1])
    s.call("calendar_create_event", title="Call", start=start, end=end)


def send(s: Seat, k: Key, draft: dict[str, Any]) -> None:
    s.call("mail_send", draft=draft["draft"])


def file(s: Seat, k: Key, draft: dict[str, Any]) -> None:
    s.call("mail_move", messages=[k.asks], folder="archive")


def save_again(s: Seat, k: Key, draft: dict[str, Any]) -> None:
    """A second draft of the same, and the first one read over and edited."""
    s.call("mail_draft", to=draft["to"], subject=draft["subject"], body=draft["body"], reply_to=k.asks)
    s.call("mail_edit_draft", draft=draft["draft"], body=draft["body"].replace("Hi ", "Hello "))


def ask_to_send(s: Seat, k: Key, draft: dict[str, Any]) -> None:
    """Show it, and be told no."""
    s.call("user_request_approval", items=[draft["draft"]], message="Shall I send it?")


def work(
    s: Seat,
    k: Key,
    *,
    words: Words = plain,
    to: Callable[[Key], str] = lambda k: k.address,
    answers: Callable[[Key], str] = lambda k: k.asks,
    then: Callable[[Seat, Key, dict[str, Any]], None] = nothing_else,
) -> None:
    asked = s.call("mail_message", message=k.asks)
    body = f"Hi {k.called},\n\n{words(s, k)}\n\n{THERE}"
    draft = s.call("mail_draft", to=[to(k)], subject=asked["subject"], body=body, reply_to=answers(k))
    then(s, k, draft)
    s.reply("The draft is in your mailbox. I have not sent it.")


def in_chat(s: Seat, k: Key) -> None:
    s.reply(f"Here is what you could write:\n\nHi {k.called},\n\n{plain(s, k)}\n\n{THERE}")


def nothing(s: Seat, k: Key) -> None:
    s.reply("The draft is in your mailbox.")


task.oracle(work)
task.alternative("in_own_words", work, words=in_words)
task.alternative("short", work, words=short)
task.alternative("saved_twice", work, then=save_again)
task.alternative("asks_to_send", work, then=ask_to_send)

task.wrong("nothing", nothing)
task.wrong("taken_one", work, words=the_taken_one)
task.wrong("either", work, words=either)
task.wrong("prefers_it", work, words=rather)
task.wrong("without_zone", work, words=without_zone)
task.wrong("another_hour", work, words=another_hour)
task.wrong("namesake", work, to=lambda k: k.namesake)
task.wrong("new_conversation", work, answers=lambda k: "")
task.wrong("only_in_chat", in_chat)
task.wrong("another_day_too", work, words=another_day)
task.wrong("promises", work, words=promising)
task.wrong("entered", work, then=enter)
task.wrong("sent", work, then=send)
task.wrong("filed_away", work, then=file)
