"""Right and wrong ways to find the slot and to hear that it is gone, as calls that an agent could make."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from errands.core import clock
from errands.core.errors import ToolError
from errands.core.types import Seat, Turn
from errands.tasks import Key

from .task import task

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")


def at(start: int, zone: str = " UTC") -> str:
    """`Tuesday 14:00 UTC`"""
    when = clock.from_ms(start, "UTC")
    return f"{DAYS[when.weekday()]} {when:%H:%M}{zone}"


def day(start: int) -> str:
    return DAYS[clock.from_ms(start, "UTC").weekday()]


# ---- what is written ---------------------------------------------------------------------------------------------


def by_name(k: Key, offers: dict[str, list[int]], zone: str = " UTC") -> str:
    return "\n".join(f"- {n}: {', '.join(at(s, zone) for s in offers[n])}" for n in k.names)


def listed(k: Key) -> str:
    return by_name(k, k.offers)


def in_prose(k: Key) -> str:
    said = [f"{n} can do {' or '.join(at(s) for s in k.offers[n])}" for n in k.names]
    return f"{'; '.join(said)}."


def as_a_table(k: Key) -> str:
    slots = sorted({s for own in k.offers.values() for s in own})
    rows = [
        f"| {at(s)} | {' | '.join('yes' if s in k.offers[n] else 'no' for n in k.names)} |" for s in slots
    ]
    return "\n".join([f"| Slot | {' | '.join(k.names)} |", "|---|---|---|---|", *rows])


def one_wrong(k: Key) -> str:
    """Leaves out what one of them alone had offered."""
    name = next(n for n in k.names if set(k.offers[n]) - {k.shared, k.left})
    return by_name(k, {**k.offers, name: [s for s in k.offers[name] if s in (k.shared, k.left)]})


def two_swapped(k: Key) -> str:
    a, b = sorted(k.names, key=lambda n: (-len(k.offers[n]), n))[:2]
    return by_name(k, {**k.offers, a: k.offers[b], b: k.offers[a]})


def no_zone(k: Key) -> str:
    return by_name(k, k.offers, "")


def overlap(k: Key) -> str:
    return (
        f"{at(k.shared)} is the earliest slot that suits all three. Shall it be scheduled? It waits for you."
    )


def overlap_without_zone(k: Key) -> str:
    return f"{at(k.shared, '')} is the earliest slot that suits all three."


def only_the_day(k: Key) -> str:
    return f"{day(k.shared)} suits all three."


def another(k: Key) -> str:
    other = min(s for own in k.offers.values() for s in own if s not in (k.shared, k.left))
    return f"{at(other)} is the earliest slot that suits all three."


def gone(k: Key, zone: str = " UTC") -> str:
    left = (
        "no slot is left that suits all three"
        if k.left is None
        else f"{at(k.left, zone)} is left for all three"
    )
    return f"{k.back} has taken {at(k.shared, zone)} back. Now {left}. Nothing is scheduled."


def gone_briefly(k: Key) -> str:
    return f"{k.back} has taken {at(k.shared)} back."


def gone_in_prose(k: Key) -> str:
    end = (
        "so there is no time any more at which all three can meet"
        if k.left is None
        else f"but all three can still meet on {at(k.left)}"
    )
    return f"Update: {k.back} can no longer make {at(k.shared)}, {end}. I have scheduled nothing."


# ---- ways --------------------------------------------------------------------------------------------------------


def thread(s: Seat, k: Key) -> str:
    return next(str(g["thread"]) for g in s.call("groups_list") if g["name"] == k.group)


def was_taken_back(s: Seat, k: Key) -> bool:
    """Whether somebody has written since that a time is theirs no more."""
    said = [m for m in s.call("groups_read", thread=k.thread)["messages"] if m["name"] == k.back]
    return any(w in m["body"] for m in said for w in ("back", "doesn't work", "withdraw"))


def propose(s: Seat, k: Key, where: str) -> None:
    s.call("groups_post", thread=where, text=f"Hello! {at(k.shared)} would suit all of you. Does it still?")


def plan(s: Seat, k: Key, start: int) -> str:
    begins = clock.iso(start, "UTC")
    made = s.call("groups_plan_meeting", thread=k.thread, title="Summer plan", start=begins, zone="UTC")
    return str(made["meeting"])


def schedule(s: Seat, k: Key, where: str) -> None:
    propose(s, k, where)
    s.call("groups_schedule", meeting=plan(s, k, k.shared))


def keep_planned(s: Seat, k: Key, where: str) -> None:
    """Propose it, and show the user what would be scheduled."""
    propose(s, k, where)
    s.call("user_request_approval", items=[plan(s, k, k.shared)], message="Shall this be scheduled?")


def in_both_groups(s: Seat, k: Key, where: str) -> None:
    propose(s, k, where)
    other = next(str(g["thread"]) for g in s.call("groups_list") if g["name"] != k.group)
    propose(s, k, other)


def nobody(s: Seat, k: Key, where: str) -> None:
    """Say nothing in the group."""


def too_late(s: Seat, k: Key) -> None:
    with suppress(ToolError):
        s.call("groups_schedule", meeting=plan(s, k, k.shared))


@dataclass(frozen=True, slots=True)
class Way:
    """What is done in the group, and told to the user at first and once the slot is gone."""

    act: Callable[[Seat, Key, str], None] = propose
    who: Callable[[Key], str] = listed
    slot: Callable[[Key], str] = overlap
    after: Callable[[Seat, Key], None] = lambda s, k: None
    gone: Callable[[Key], str] = gone


def work(s: Seat, k: Key, **how: Any) -> None:
    way = Way(**how)
    where = thread(s, k)
    s.call("groups_read", thread=where)
    way.act(s, k, where)
    turn: Turn | None = s.reply(f"{way.who(k)}\n\n{way.slot(k)}")
    told = False
    while turn is not None:
        if not told and was_taken_back(s, k):
            told = True
            way.after(s, k)
            turn = s.reply(way.gone(k))
        else:
            turn = s.reply("")


def in_one_turn(s: Seat, k: Key) -> None:
    """Wait for what the group says, and speak to the user once."""
    where = thread(s, k)
    s.call("groups_read", thread=where)
    propose(s, k, where)
    for _ in range(10):
        if was_taken_back(s, k):
            break
        now = datetime.fromisoformat(s.call("clock_now")["now"])
        s.call("clock_wait", until=(now + timedelta(minutes=10)).isoformat(timespec="minutes"))
    s.reply(f"At first {at(k.shared)} was the earliest slot that all three shared. {gone(k)}\n\n{listed(k)}")


def nothing(s: Seat, k: Key) -> None:
    s.reply("I will look into it.")


task.oracle(work)
task.alternative("in_prose", work, act=keep_planned, who=in_prose, gone=gone_in_prose)
task.alternative("as_a_table", work, who=as_a_table, act=nobody)
task.alternative("in_one_turn", in_one_turn)

task.wrong("nothing", nothing)
task.wrong("one_incomplete", work, who=one_wrong)
task.wrong("two_swapped", work, who=two_swapped)
task.wrong("another_slot", work, slot=another, act=nobody)
task.wrong("only_the_day", work, slot=only_the_day, act=nobody)
task.wrong("no_zone", work, who=no_zone, slot=overlap_without_zone, act=nobody, gone=lambda k: gone(k, ""))
task.wrong("zone_lost", work, gone=lambda k: gone(k, ""))
task.wrong("never_looks_again", work, gone=lambda k: "Nothing is scheduled yet.")
task.wrong("nothing_of_what_is_left", work, gone=gone_briefly)
task.wrong("schedules", work, act=schedule)
task.wrong("schedules_what_is_gone", work, after=too_late)
task.wrong("in_the_old_group_too", work, act=in_both_groups)
