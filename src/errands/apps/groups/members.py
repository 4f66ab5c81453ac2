"""What members do: speak when an event of the fixture says so, take a time back, answer a proposal.

- Whoever is to take a time back does so 90 seconds after a post has named its day, or when `groups.retract` comes.
- A post that names one single time of those that members had offered is a proposal: whoever has it free says yes, the
  others say no, each once, the first 30 seconds later and the next every 20 seconds.
"""

from __future__ import annotations

import json
from typing import Any

from errands.core.canon import canonical
from errands.core.clock import from_ms
from errands.world import World

from . import groups
from .hearing import Named, named
from .threads import speak

RETRACTS_MS, FIRST_MS, NEXT_MS = 90_000, 30_000, 20_000
YES = ("Works for me.", "Fine with me.", "Yes, that suits me.")
NO = ("Sorry, I can't make that.", "That one doesn't work for me.", "Not possible for me, sorry.")
Mind = dict[str, Any]  # member, name, zone, thread, free, retracts, words, state


def _minds(w: World, thread: str) -> list[Mind]:
    rows = w.all(
        "SELECT p.id AS member, p.name, p.zone, p.thread, m.free, m.retracts, m.words, m.state"
        " FROM groups_member p JOIN groups_mind m ON m.member = p.id WHERE p.thread = ? ORDER BY p.name, p.id",
        thread,
    )
    return [{**r, "free": json.loads(r["free"])} for r in rows]


@groups.on("groups.posted")
def posted(w: World, e: dict[str, Any]) -> None:
    """The agent has said something: react to what it names."""
    minds = _minds(w, e["thread"])
    heard = named(e["text"])
    zones = ["UTC", *(m["zone"] for m in minds)]
    for m in minds:
        if m["state"] == "" and m["retracts"] is not None and _day_named(heard, m["retracts"], zones):
            with w.acting(f"person:{m['member']}"):
                _set(w, m["member"], state="due")
            w.schedule(w.now + RETRACTS_MS, "groups.retract", member=m["member"])
    offered = sorted({s for m in minds for s in [*m["free"], *([m["retracts"]] if m["retracts"] else [])]})
    hit = [s for s in offered if _named(heard, s, zones)]
    if len(hit) != 1:
        return
    (start,) = hit
    willing = [m for m in minds if not (m["retracts"] == start and m["state"] in ("", "due"))]
    for n, m in enumerate(willing):
        words = (YES if start in m["free"] else NO)[n % 3]
        w.schedule(
            w.now + FIRST_MS + n * NEXT_MS, "groups.answers", member=m["member"], starts=start, text=words
        )


def _named(heard: Named, start: int, zones: list[str]) -> bool:
    """Whether this start was named, in one of these zones."""
    local = (from_ms(start, z) for z in zones)
    return any((t.weekday(), t.hour * 60 + t.minute) in heard.times for t in local)


def _day_named(heard: Named, start: int, zones: list[str]) -> bool:
    return any(from_ms(start, z).weekday() in heard.days for z in zones)


def _set(w: World, member: str, **changes: Any) -> None:
    sets = ", ".join(f"{c} = ?" for c in changes)
    w.run(f"UPDATE groups_mind SET {sets} WHERE member = ?", *changes.values(), member)


@groups.on("groups.retract")
def retract(w: World, e: dict[str, Any]) -> None:
    """A member takes a time back, once: says so, and is marked as away then."""
    m = w.one(
        "SELECT p.thread, p.name, m.* FROM groups_mind m JOIN groups_member p ON p.id = m.member WHERE m.member = ?",
        e["member"],
    )
    if m is None or m["retracts"] is None or m["state"] == "done":
        return
    with w.acting(f"person:{m['member']}"):
        left = [s for s in json.loads(m["free"]) if s != m["retracts"]]
        _set(w, m["member"], state="done", free=canonical(left))
        w.insert("groups_away", member=m["member"], starts=m["retracts"], at=w.now)
    _says(w, m["member"], m["words"])


@groups.on("groups.answers")
def answers(w: World, e: dict[str, Any]) -> None:
    """A member says yes or no to a proposed time, once."""
    if w.one("SELECT 1 FROM groups_answer WHERE member = ? AND starts = ?", e["member"], e["starts"]):
        return
    w.insert("groups_answer", member=e["member"], starts=e["starts"])
    _says(w, e["member"], e["text"])


@groups.on("groups.speaks")
def speaks(w: World, e: dict[str, Any]) -> None:
    """A member says something of their own accord (an event of the fixture): `member`, `text`."""
    _says(w, e["member"], e["text"])


def _says(w: World, member: str, text: str) -> None:
    """A member speaks, and whoever is at the agent's end is told."""
    p = w.one(
        "SELECT p.thread, p.name, t.name AS title FROM groups_member p JOIN groups_thread t ON t.id = p.thread"
        " WHERE p.id = ?",
        member,
    )
    if p is None:
        return
    with w.acting(f"person:{member}"):
        ident = speak(w, p["thread"], member, text)
    w.notify(f"New in “{p['title']}” ({p['thread']}): {p['name']}: {text}", ident)
