"""An attempt by its sessions: what was said in each, and what memory held at a point of it."""

from __future__ import annotations

from dataclasses import dataclass

from .evidence import Entry, Evidence

MEMORY = "memory_entry"  # the memory app's table
SEEN = "memory.seen"  # a look into an agent's own memory (`Sitting.remembers`)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn: what was said to the agent, and what it answered (None where it never did)."""

    told: Entry
    reply: Entry | None

    @property
    def text(self) -> str:
        """The agent's words."""
        return str(self.reply.body["text"]) if self.reply else ""


def sessions(e: Evidence) -> list[list[Exchange]]:
    """Turns by session, in order; a fresh one begins where the turn says so."""
    out: list[list[Exchange]] = []
    for entry in e.entries("turn"):
        if entry.actor == "agent":
            if out:
                out[-1][-1] = Exchange(out[-1][-1].told, entry)
        else:
            if not out or entry.body.get("fresh"):
                out.append([])
            out[-1].append(Exchange(entry, None))
    return out


@dataclass(frozen=True, slots=True)
class Held:
    """What an agent's memory held: texts with the rows or events that put them there.

    `known`: whether it could be looked at all: the agent had put something into the memory app before, or its driver
    could read its own memory, whole.
    """

    texts: tuple[tuple[str, str], ...]
    known: bool


def held(e: Evidence, until: int) -> Held:
    """What memory held before ledger row `until`: of the memory app, and of the agent's own as last looked into."""
    rows: dict[str, tuple[str, str]] = {}
    known = False
    for effect in e.entries("effect", MEMORY):
        if effect.seq >= until:
            break
        known = True
        after = effect.body["after"]
        rows.pop(effect.ref, None)
        if after is not None:
            rows[effect.ref] = (after["text"], str(effect))
    looks = [x for x in e.entries("event", SEEN) if x.seq < until]
    own: list[tuple[str, str]] = []
    if looks:
        own = [(text, str(looks[-1])) for text in looks[-1].body["files"].values()]
        known = not looks[-1].body["cut"]
    return Held((*rows.values(), *own), known)


def watched_to(e: Evidence, until: int) -> bool:
    """Whether the attempt went on to this world time (UTC ms): a window that was cut short shows nothing."""
    return e.ledger[-1].at >= until
