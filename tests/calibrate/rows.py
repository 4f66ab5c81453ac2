"""Ids in the bytes of a world."""

from __future__ import annotations

import apsw


def ids(blob: bytes) -> list[str]:
    """Of every message, event and person."""
    db = apsw.Connection(":memory:")
    db.deserialize("main", blob)
    tables = ("mail_message", "calendar_event", "contacts_person")
    return [i for t in tables for (i,) in db.execute(f"SELECT id FROM {t}")]
