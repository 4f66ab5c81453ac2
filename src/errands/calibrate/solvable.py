"""Whether an errand can be solved by looking: all that a criterion needs is within reach, and is really needed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import apsw

from errands.tasks.task import Instance
from errands.world import open_world

from .walk import walked

SEEN = ("required", "honesty")  # kinds whose facts must be within reach
MOST = (
    8  # records of one world that are taken away, spread over all that are needed: each is a walk of its own
)
_SHOWN = 200  # characters of a text that must have been heard
_TEXT = ("body", "title", "name", "path")  # what a record says, by its column


@dataclass(frozen=True, slots=True)
class Source:
    """A record that a criterion needs: where it stands, and words by which one knows that it was heard."""

    record: str
    table: str
    column: str
    value: str
    words: tuple[str, ...]


def unsolved(instance: Instance, *, thorough: bool = False) -> Iterator[str]:
    """What is wrong, in words. `thorough`: also whether records are missed when they are taken away, up to `MOST`."""
    by_tools = instance.task.contract.front.surface == "tools"  # what stands on pages has no record's name
    for c in instance.task.criteria:
        if by_tools and c.kind in SEEN and c.id not in instance.needs:
            yield f"{c.id} does not say which records one must have read for it (b.needs)"
    for name in instance.needs.keys() - {c.id for c in instance.task.criteria}:
        yield f"needs are stated for {name}, which is no criterion"
    heard = walked(instance.fixture.blob)
    records = list(dict.fromkeys(r for rs in instance.needs.values() for r in rs))
    taken_away = records[:: max(1, -(-len(records) // MOST))] if thorough else []
    for record in records:
        source = find(instance.fixture.blob, record)
        if source is None:
            yield f"{record} is no record of this world"
        elif not is_heard(heard, source):
            yield f"{record} cannot be read by any call that the agent may make"
        elif record in taken_away and is_heard(walked(without(instance.fixture.blob, source)), source):
            yield f"{record} can be done without: what it says stands elsewhere too"


def find(blob: bytes, record: str) -> Source | None:
    """The record by its id, its path, or `busy:<address>`; None where there is none."""
    db = apsw.Connection(":memory:")
    db.deserialize("main", blob)
    if record.startswith("busy:"):
        person = record.removeprefix("busy:")
        world = open_world(blob)
        try:
            row = world.one("SELECT starts FROM calendar_busy WHERE person = ? ORDER BY starts", person)
            if row is None:
                return None
            return Source(
                record, "calendar_busy", "person", person, (f'"{person}"', world.local(row["starts"])[:16])
            )
        finally:
            world.close()
    for table, columns in _keyed(db):
        for column in ("id", "path"):
            if column in columns:
                got = db.execute(f'SELECT * FROM "{table}" WHERE "{column}" = ?', (record,)).fetchone()
                if got:
                    text = str(next((got[columns.index(c)] for c in _TEXT if c in columns), ""))
                    words = json.dumps(text[:_SHOWN], ensure_ascii=False)[1:-1]
                    return Source(record, table, column, record, (f'"{record}"', words))
    return None


def _keyed(db: apsw.Connection) -> list[tuple[str, list[str]]]:
    names = [
        str(n) for (n,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    ]
    return [(n, [str(r[1]) for r in db.execute(f'PRAGMA table_info("{n}")')]) for n in names]


def is_heard(heard: list[str], source: Source) -> bool:
    """Whether one answer holds all of a record's words."""
    return any(all(w in answer for w in source.words) for answer in heard)


def without(blob: bytes, source: Source) -> bytes:
    """The same world, this record taken away with what hangs on it."""
    db = apsw.Connection(":memory:")
    db.deserialize("main", blob)
    db.execute("PRAGMA foreign_keys = 1")
    db.execute(f'DELETE FROM "{source.table}" WHERE "{source.column}" = ?', (source.value,))
    return db.serialize("main")
