"""What an agent can read of an app at a moment: the answers of its tools to a walker that knows no errand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import apsw

from errands.calibrate.walk import MOST, Walker
from errands.exam.sitting import Limits, Sitting
from errands.world import open_world

LONG = 5  # characters from which a text may be part of a longer one


class Heard:
    """The answers: which texts they hold, and which fields."""

    def __init__(self, answers: tuple[str, ...]):
        self._whole = "\n".join(answers)
        self._texts: set[str] = set()
        self.fields: set[str] = set()
        for answer in answers:
            for field, value in _leaves(json.loads(answer)):
                self.fields.add(field)
                self._texts.add(str(value))

    def says(self, text: str) -> bool:
        """Whether an answer holds this text: as a value, or within one where that is no chance. A mere word may well
        stand elsewhere for itself."""
        if text in self._texts:
            return True
        telling = len(text) >= LONG and any(c.isdigit() or c.isspace() for c in text)
        return telling and json.dumps(text, ensure_ascii=False)[1:-1] in self._whole


DEAF = Heard(())  # to whom nothing is shown


def _leaves(value: Any, field: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, one in value.items():
            yield name, ""
            yield from _leaves(one, name)
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one, field)
    else:
        yield field, value


@lru_cache(maxsize=8)
def heard(blob: bytes, app: str) -> Heard:
    """What the reading tools of an app answer in a world with these bytes; nothing that is still to come."""
    world = open_world(_nothing_to_come(blob))
    sitting = Sitting(world, Limits(turns=10, calls=MOST + 10))
    try:
        walker = Walker(sitting)
        walker.tools = [t for t in walker.tools if world.tools[t.name].app.name == app]
        return Heard(tuple(walker.walk().heard))
    finally:
        sitting.let_go()
        world.close()


def _nothing_to_come(blob: bytes) -> bytes:
    """The same world without its agenda: calls take world time, and what lies ahead must not happen meanwhile."""
    db = apsw.Connection(":memory:")
    db.deserialize("main", blob)
    db.execute("DELETE FROM exam_agenda; DELETE FROM exam_notice; DELETE FROM exam_fault")
    bare: bytes = db.serialize("main")
    db.close()
    return bare
