"""What comes when: the world left to itself, from its first moment to the end of its observation window.

Nobody acts as the agent here. What its events put in, take back or say is what the tester does by hand at that time;
the world itself is asked, so that any app's events come out.
"""

from __future__ import annotations

from dataclasses import dataclass

from errands.world import FRESH, open_world

from .scene import Scene

HOW = {FRESH: "new conversation", "user": "say"}  # by what a notice refers to
MOST = 1_000  # moments; a fixture has a few dozen


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """One moment at which something happens: what is said, and the world before and after it."""

    at: int
    said: tuple[
        tuple[str, str], ...
    ]  # the words, and how: said, said in a new conversation, or a notice of an app
    before: Scene
    after: Scene


def passing(blob: bytes) -> tuple[Scene, list[Moment], int | None]:
    """The world at its start, the moments in order, and when its window ends (UTC ms; None where it has none)."""
    world = open_world(blob)
    try:
        start = scene = Scene.of(world)
        until = int(world.meta["until"]) if "until" in world.meta else None
        moments: list[Moment] = []
        while len(moments) < MOST:
            due = world.value("SELECT min(due) FROM exam_agenda")
            if due is None or (until is not None and due > until):
                break
            before = scene
            world.advance(due)
            said = []
            while notices := world.take_notices():
                said += [(n["text"], HOW.get(n["ref"], "notice")) for n in notices]
            scene = Scene.of(world)
            moments.append(Moment(max(due, before.at), tuple(said), before, scene))
        return start, moments, until
    finally:
        world.close()
