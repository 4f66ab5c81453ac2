"""Making a fixture: a file with the kernel's and the apps' tables, filled before history begins."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import apsw

from errands.core.canon import canonical
from errands.core.errors import TaskError

from .app import app
from .ledger import START_CHAIN, content_digest, dump, sum_of
from .schema import KERNEL, Table, layout
from .sql import rows

MAX_WORLD = 600 * 1024


@dataclass(frozen=True, slots=True)
class Fixture:
    """The world before an attempt: identity by content; the blob is a cache of it."""

    digest: str
    blob: bytes


class Draft:
    """A fixture being built. `Draft(apps)` starts blank, `Draft(apps, base)` on the bytes of an earlier draft."""

    def __init__(self, apps: tuple[str, ...], base: bytes | None = None):
        self.apps = apps
        schemas = tuple(app(name).schema or "" for name in apps)
        self.tables: dict[str, Table] = layout(schemas)
        self.db = apsw.Connection(":memory:")
        if base is None:
            for sql in (KERNEL, *schemas):
                self.db.execute(sql)
        else:
            self.db.deserialize("main", base)
        self.db.config(apsw.SQLITE_DBCONFIG_ENABLE_FKEY, 1)
        self.db.execute("BEGIN")

    def insert(self, table: str, /, **row: Any) -> None:
        """Insert one row given by column; raises `TaskError` naming the table when it does not fit."""
        cols = ", ".join(row)
        sql = f'INSERT INTO "{table}" ({cols}) VALUES ({", ".join("?" * len(row))})'
        try:
            self.db.execute(sql, tuple(row.values()))
        except (apsw.ConstraintError, apsw.SQLError) as why:
            raise TaskError(
                f"a row does not fit: {why}", where=f"fixture, table {table}", do=f"row was {row}"
            ) from why

    def all(self, sql: str, *args: Any) -> list[dict[str, Any]]:
        """Rows as dictionaries, for builders that look at what they have built."""
        return rows(self.db, sql, args)

    def base(self) -> bytes:
        """The bytes so far, to start other drafts on."""
        self.db.execute("COMMIT")
        blob = self.db.serialize("main")
        self.db.execute("BEGIN")
        return blob

    def finish(self, *, now: int, zone: str, **meta: Any) -> Fixture:
        """Close the draft: world time `now` (UTC ms), the owner's zone, and facts for `exam_meta`."""
        for key, value in {**meta, "zone": zone, "apps": list(self.apps), "start": now}.items():
            text = value if isinstance(value, str) else canonical(value)
            self.insert("exam_meta", key=key, value=text)
        lines = dump(self.db, self.tables)
        rows_sum = sum_of(lines)
        self.insert("exam_state", one=1, seq=0, now=now, rows_sum=f"{rows_sum:064x}", chain=START_CHAIN.hex())
        self.db.execute("COMMIT")
        ident = content_digest(self.db, self.tables, lines)
        self.db.execute("VACUUM")
        blob = self.db.serialize("main")
        self.db.close()
        if len(blob) > MAX_WORLD:
            raise TaskError(
                f"the world has {len(blob)} bytes", where="fixture", expected=f"at most {MAX_WORLD}"
            )
        return Fixture(ident, blob)


def blob_name(data: bytes) -> str:
    """Content address of a file's bytes in a world."""
    return "sha256:" + hashlib.sha256(data).hexdigest()
