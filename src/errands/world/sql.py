"""Rows as dictionaries, from any open connection."""

from __future__ import annotations

from typing import Any

import apsw


def rows(db: apsw.Connection, sql: str, args: tuple[Any, ...] = ()) -> list[dict[str, Any]]:
    """All rows of a query by column name."""
    cursor = db.execute(sql, args)
    first = cursor.fetchone()
    if first is None:
        return []
    names = [d[0] for d in cursor.get_description()]  # only known while there are rows left
    return [dict(zip(names, r, strict=True)) for r in (first, *cursor)]
