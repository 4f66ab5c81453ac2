"""State from history: undoing the ledger on the final state gives the fixture, redoing it the final state."""

from __future__ import annotations

import json
from typing import Any

import apsw

from errands.core.canon import unblob

from .schema import Table

_EFFECTS = "SELECT name, body FROM exam_ledger WHERE kind = 'effect'"


def _key(table: Table, row: dict[str, Any]) -> tuple[str, tuple[Any, ...]]:
    names = [table.columns[i] for i in table.key]
    return " AND ".join(f'"{n}" = ?' for n in names), tuple(unblob(row[n]) for n in names)


def _swap(db: apsw.Connection, table: Table, out: dict[str, Any] | None, into: dict[str, Any] | None) -> None:
    """Replace one row by another. A change stays an UPDATE: deleting and inserting would cascade."""
    values = tuple(unblob(into[c]) for c in table.columns) if into is not None else ()
    if out is None:
        db.execute(f'INSERT INTO "{table.name}" VALUES ({",".join("?" * len(values))})', values)
        return
    where, key = _key(table, out)
    if into is None:
        db.execute(f'DELETE FROM "{table.name}" WHERE {where}', key)
    else:
        sets = ", ".join(f'"{c}" = ?' for c in table.columns)
        db.execute(f'UPDATE "{table.name}" SET {sets} WHERE {where}', (*values, *key))


def undo_since(db: apsw.Connection, tables: dict[str, Table], at: int) -> None:
    """Put every recorded row back to how it was at world time `at` (UTC ms)."""
    with db:
        db.execute("PRAGMA defer_foreign_keys = 1")
        for name, body in list(db.execute(f"{_EFFECTS} AND at > ? ORDER BY seq DESC", (at,))):
            change = json.loads(body)
            _swap(db, tables[name], change["after"], change["before"])


def undo(db: apsw.Connection, tables: dict[str, Table]) -> None:
    """Undo every effect, newest first."""
    undo_since(db, tables, -(2**62))


def redo(db: apsw.Connection, tables: dict[str, Table], effects: list[tuple[str, str]]) -> None:
    """Apply effects (table, body JSON), oldest first."""
    with db:
        db.execute("PRAGMA defer_foreign_keys = 1")
        for name, body in effects:
            change = json.loads(body)
            _swap(db, tables[name], change["before"], change["after"])
