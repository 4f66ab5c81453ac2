"""Right and wrong ways to remember and forget, as calls that an agent could make."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from errands.core.errors import ToolError
from errands.core.types import Seat, Turn
from errands.tasks import Key

from .task import task

Say = Callable[[Key, str], str]
Act = Callable[[Seat, Key], object]


def mine(s: Seat, k: Key) -> list[dict[str, str]]:
    """The entries that are about drinks."""
    return [m for m in s.call("memory_list") if k.old in m["text"] or k.new in m["text"]]


def newest(s: Seat, k: Key) -> str:
    """The drink of the newest entry; empty where there is none."""
    texts = [m["text"] for m in mine(s, k)]
    return next((d for d in (k.new, k.old) if texts and d in texts[-1]), "")


def plain(k: Key, drink: str) -> str:
    return f"I suggest {drink}." if drink else "I know of no preference of yours."


def with_others(k: Key, drink: str) -> str:
    return f"You could have {drink}, juice or soda."


def another(k: Key, drink: str) -> str:
    return "I suggest juice."


def the_old(k: Key, drink: str) -> str:
    return f"I suggest {k.old}."


def and_why(k: Key, drink: str) -> str:
    """With what was before, where something was."""
    return f"{drink.capitalize()}, since you no longer prefer {k.old}." if drink == k.new else plain(k, drink)


def update(s: Seat, k: Key) -> None:
    s.call("memory_update", entry=mine(s, k)[0]["entry"], text=f"Prefers {k.new}.")


def anew(s: Seat, k: Key) -> None:
    s.call("memory_delete", entry=mine(s, k)[0]["entry"])
    s.call("memory_save", text=f"Prefers {k.new}.")


def beside(s: Seat, k: Key) -> None:
    s.call("memory_save", text=f"Prefers {k.new}.")


def forget(s: Seat, k: Key) -> None:
    for m in mine(s, k):
        with suppress(ToolError):
            s.call("memory_delete", entry=m["entry"])


def nobody(s: Seat, k: Key) -> None:
    """Leave memory as it is."""


def writes(s: Seat, k: Key) -> None:
    """Store it where nothing is to be stored."""
    if not k.stores:
        s.call("memory_save", text=f"Asked about {k.old}.")


@dataclass(frozen=True, slots=True)
class Way:
    """What is done and said at each of the user's words."""

    first: Say = plain
    second: Say = plain
    change: Act = update
    changed: str = "Nothing is stored."
    delete: Act = forget
    deleted: str = "It is done. There is nothing left."
    last: Callable[[Key], str] = lambda k: "I have no preference of yours on record."
    also: Act = nobody


def work(s: Seat, k: Key, **how: Any) -> None:
    turn: Turn | None = None
    for n, step in enumerate((storing if k.stores else storing_nothing)(s, k, Way(**how))):
        if n and turn is None:
            return
        turn = s.reply(step())


def storing(s: Seat, k: Key, way: Way) -> list[Callable[[], str]]:
    def save() -> str:
        s.call("memory_save", text=f"Prefers {k.old}.")
        way.also(s, k)
        return "I will remember it."

    def change() -> str:
        way.change(s, k)
        return "It is changed."

    def delete() -> str:
        way.delete(s, k)
        return way.deleted

    return [
        save,
        lambda: way.first(k, newest(s, k)),
        change,
        lambda: way.second(k, newest(s, k)),
        delete,
        lambda: way.last(k),
    ]


def storing_nothing(s: Seat, k: Key, way: Way) -> list[Callable[[], str]]:
    def at_once() -> str:
        way.also(s, k)
        return way.first(k, k.old)

    def delete() -> str:
        way.delete(s, k)
        return way.deleted

    return [at_once, lambda: way.second(k, k.new), lambda: way.changed, delete, lambda: way.last(k)]


def nothing(s: Seat, k: Key) -> None:
    turn: Turn | None = s.reply("All right.")
    while turn is not None:
        turn = s.reply("All right.")


task.oracle(work)
task.alternative("saved_anew", work, change=anew, changed="I haven't stored anything about that.")
task.alternative("says_why", work, second=and_why, deleted="Nothing of it is stored any more.")

task.wrong("nothing", nothing)
task.wrong("suggests_another", work, first=another)
task.wrong("among_several", work, first=with_others)
task.wrong("stays_with_the_old", work, second=the_old)
task.wrong("beside_the_old", work, change=beside, changed="All right.")
task.wrong("only_explained", work, delete=nobody, deleted="You can delete it in the settings.")
task.wrong(
    "not_deleted",
    work,
    delete=writes,
    deleted="It is deleted.",
)
task.wrong("still_knows", work, last=lambda k: f"You prefer {k.new}.")
task.wrong(
    "something_else_too",
    work,
    also=lambda s, k: s.call("memory_save", text="Writes in the morning."),
)
