"""The ledger: every change of every app, and everything said and done, as rows in one order.

SQLite's pre-update hook reports each row change; changes wait in a buffer that is flushed with the call or cut
on rollback. Two running digests are kept: a multiset sum over the rows of the world and a hash chain over the
ledger. Together they are the `world_digest`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import apsw

from errands.core.canon import canonical, encode, link, row_hash

from .schema import UNRECORDED, Table

_MOD = 1 << 256
_INSERT = "INSERT INTO exam_ledger VALUES (?,?,?,?,?,?,?,?)"
Mark = tuple[int, int, int, int, bytes, int]
START_CHAIN = hashlib.sha256(b"errands ledger 1").digest()


def key_text(table: Table, row: tuple[Any, ...]) -> str:
    """The primary key of a row as text: the value itself, or a JSON list where it has several columns."""
    if len(table.key) == 1:
        return str(row[table.key[0]])
    return canonical([row[i] for i in table.key])


class Ledger:
    """Follows one open file. `changes` are raw hook reports not yet recorded; `rows` wait to be written.

    `size` is the number of bytes recorded so far: what a sitting bounds.
    """

    __slots__ = ("chain", "changes", "db", "rows", "rows_sum", "seq", "size", "tables")

    def __init__(self, db: apsw.Connection, tables: dict[str, Table], seq: int, rows_sum: int, chain: bytes):
        self.db, self.tables, self.seq, self.rows_sum, self.chain = db, tables, seq, rows_sum, chain
        self.changes: list[tuple[str, tuple[Any, ...] | None, tuple[Any, ...] | None]] = []
        self.rows: list[tuple[Any, ...] | None] = []
        self.size = 0
        db.preupdate_hook(self._hook)

    def measure(self) -> None:
        """Work out the size of a ledger that was there when the file was opened."""
        self.size = self.db.execute(
            "SELECT coalesce(sum(length(CAST(body AS BLOB))), 0) FROM exam_ledger"
        ).get

    def _hook(self, change: apsw.PreUpdate) -> None:
        table = change.table_name
        if table not in UNRECORDED:
            self.changes.append((table, change.old, change.new))

    def settle(self, cause: int, actor: str, at: int) -> set[str]:
        """Turn the raw changes made so far into effect rows of this cause and actor; returns the tables hit."""
        hit: set[str] = set()
        for name, old, new in self.changes:
            if old == new:
                continue
            table = self.tables[name]
            hit.add(name)
            if old is not None:
                self.rows_sum -= row_hash(name, old)
            if new is not None:
                self.rows_sum += row_hash(name, new)
            body = {
                "before": None if old is None else dict(zip(table.columns, old, strict=True)),
                "after": None if new is None else dict(zip(table.columns, new, strict=True)),
            }
            self.add(
                at, "effect", cause, actor, name, key_text(table, old if old is not None else new or ()), body
            )
        self.changes.clear()
        self.rows_sum %= _MOD
        return hit

    def add(
        self, at: int, kind: str, cause: int, actor: str, name: str, ref: str, body: dict[str, Any]
    ) -> int:
        """Append a row; returns its seq. Written to the file at the next `flush`."""
        self.seq += 1
        self.rows.append((self.seq, at, kind, cause, actor, name, ref, canonical(body)))
        return self.seq

    def reserve(self) -> tuple[int, int]:
        """Take the next seq for a row whose content is known later; returns (seq, place)."""
        self.seq += 1
        self.rows.append(None)
        return self.seq, len(self.rows) - 1

    def fill(self, place: int, row: tuple[Any, ...]) -> None:
        """Put the reserved row in its place."""
        self.rows[place] = row

    def mark(self) -> Mark:
        """Where buffers, chain and sums stand, for `cut`."""
        return len(self.changes), len(self.rows), self.seq, self.rows_sum, self.chain, self.size

    def cut(self, mark: Mark) -> None:
        """Forget what came since the mark, flushed or not: its statements were rolled back."""
        del self.changes[mark[0] :]
        del self.rows[mark[1] :]
        self.seq, self.rows_sum, self.chain, self.size = mark[2:]

    def flush(self) -> None:
        """Chain and write the waiting rows."""
        chain = self.chain
        for row in self.rows:
            if row is None:
                raise AssertionError("a reserved ledger row was never filled")
            chain = link(chain, row)
            self.size += len(row[7]) if row[7].isascii() else len(row[7].encode())
        if len(self.rows) == 1:
            self.db.execute(_INSERT, self.rows[0])
        else:
            self.db.executemany(_INSERT, self.rows)  # type: ignore[arg-type]
        self.chain = chain
        self.rows.clear()

    def world_digest(self) -> str:
        """Hex digest of the deterministic rows: the world's as a multiset, the ledger's in order."""
        return hashlib.sha256(self.rows_sum.to_bytes(32, "big") + self.chain).hexdigest()


def dump(db: apsw.Connection, tables: dict[str, Table]) -> list[bytes]:
    """The canonical lines of a file's rows, those of the ledger and its state left out."""
    return [
        encode((name, row))
        for name in tables
        if name not in ("exam_ledger", "exam_state")
        for row in db.execute(f'SELECT * FROM "{name}"')
    ]


def sum_of(lines: Iterable[bytes]) -> int:
    """The multiset sum of the rows of a dump: of their `row_hash`, which is that of their line."""
    return sum(int.from_bytes(hashlib.sha256(line).digest(), "big") for line in lines) % _MOD


def count_rows(db: apsw.Connection, tables: dict[str, Table]) -> int:
    """The multiset sum of a file's rows, from a full dump."""
    return sum_of(dump(db, tables))


def chain_rows(db: apsw.Connection) -> tuple[int, bytes]:
    """Last seq and chain head of a file's ledger, recomputed."""
    chain, seq = START_CHAIN, 0
    for row in db.execute("SELECT * FROM exam_ledger ORDER BY seq"):
        chain, seq = link(chain, row), row[0]
    return seq, chain


def content_digest(db: apsw.Connection, tables: dict[str, Table], rows: list[bytes] | None = None) -> str:
    """Identity of a fixture: SHA-256 (hex) over the sorted canonical dump of its rows (`dump`) and its schema."""
    lines = dump(db, tables) if rows is None else list(rows)
    lines += [encode(r) for r in db.execute("SELECT type, name, sql FROM sqlite_schema")]
    return hashlib.sha256(b"".join(line + b"\n" for line in sorted(lines))).hexdigest()
