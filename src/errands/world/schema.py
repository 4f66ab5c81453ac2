"""Tables: the kernel's own, the lint that keeps an app's tables within what the ledger can follow."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import apsw

from errands.core.errors import SchemaError

# Rows of these tables are the record itself, or where the record stands: the ledger does not list them.
UNRECORDED = frozenset({"exam_ledger", "exam_state", "exam_meta"})

# Everything that happens is one row in one table, so `seq` is a total order over turns, calls, effects,
# commits, approvals and events. WITHOUT ROWID keeps a table and its key in one tree (one page when empty).
KERNEL = """
CREATE TABLE exam_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE exam_state (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, now INTEGER NOT NULL,
  rows_sum TEXT NOT NULL, chain TEXT NOT NULL) STRICT;
CREATE TABLE exam_ledger (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL,
  cause INTEGER NOT NULL, actor TEXT NOT NULL, name TEXT NOT NULL, ref TEXT NOT NULL, body TEXT NOT NULL) STRICT;
CREATE TABLE exam_agenda (id TEXT PRIMARY KEY, due INTEGER NOT NULL, name TEXT NOT NULL,
  payload TEXT NOT NULL, cause INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE exam_notice (id TEXT PRIMARY KEY, at INTEGER NOT NULL, text TEXT NOT NULL, ref TEXT NOT NULL)
  STRICT, WITHOUT ROWID;
CREATE TABLE exam_grant (app TEXT NOT NULL, scope TEXT NOT NULL, live INTEGER NOT NULL, PRIMARY KEY (app, scope))
  STRICT, WITHOUT ROWID;
CREATE TABLE exam_fault (id TEXT PRIMARY KEY, tool TEXT NOT NULL, skip INTEGER NOT NULL, times INTEGER NOT NULL,
  applied INTEGER NOT NULL, answered INTEGER NOT NULL, code TEXT NOT NULL, delay_ms INTEGER NOT NULL,
  lag_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Table:
    """Column names in order, and which of them form the primary key."""

    name: str
    columns: tuple[str, ...]
    key: tuple[int, ...]


def tables(db: apsw.Connection) -> dict[str, Table]:
    """Every ordinary table of an open file, read from the file itself."""
    out = {}
    names = [r[0] for r in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    for name in names:
        if name.startswith("sqlite_"):
            continue
        info = list(db.execute("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid", (name,)))
        key = tuple(i for i, r in sorted(enumerate(info), key=lambda x: x[1][1]) if r[1])
        out[name] = Table(name, tuple(str(r[0]) for r in info), key)
    return out


_BANNED = (
    (r"\bautoincrement\b", "AUTOINCREMENT keeps a hidden table"),
    (r"\bgenerated\s+always\b|\bas\s*\(", "generated columns are not in the recorded row"),
    (r"\bcreate\s+virtual\b", "virtual tables (FTS, R-tree) write shadow tables"),
    (r"\bcreate\s+(temp|temporary)\b", "temporary objects are not in the file"),
    (r"\bcreate\s+trigger\b", "triggers hide causes; write the effect in the tool"),
    (r"\bcurrent_(time|date|timestamp)\b", "the host clock must not reach the world"),
    (
        r"'now'|\b(date|time|datetime|julianday|unixepoch)\s*\(\s*\)",
        "the host clock must not reach the world",
    ),
    (r"\brandom(blob)?\s*\(", "chance must not reach the world"),
    (r"\breal\b|\bany\b", "REAL and ANY columns have no canonical form"),
)


def lint(app: str, sql: str) -> None:
    """Refuse a schema that the ledger could not follow exactly; raises `SchemaError` naming app and rule."""
    bare = re.sub(r"--[^\n]*|/\*.*?\*/", " ", sql, flags=re.DOTALL)
    for pattern, why in _BANNED:
        hit = re.search(pattern, bare, re.IGNORECASE)
        if hit:
            raise SchemaError(f"{hit.group(0)!r} is not allowed: {why}", where=f"apps/{app}/schema.sql")
    for statement in filter(None, (s.strip() for s in bare.split(";"))):
        if re.match(r"create\s+(unique\s+)?index\b", statement, re.IGNORECASE):
            continue
        table = re.match(r"create\s+table\s+(\w+)", statement, re.IGNORECASE)
        if not table:
            raise SchemaError(
                f"only CREATE TABLE and CREATE INDEX may stand here, not {statement[:40]!r}",
                where=f"apps/{app}/schema.sql",
            )
        name = table.group(1)
        if not name.startswith(f"{app}_"):
            raise SchemaError(
                f"table {name!r} does not carry its app's name",
                where=f"apps/{app}/schema.sql",
                expected=f"a name such as {app}_{name}",
            )
        if "primary key" not in statement.lower() or not re.search(
            r"\)\s*strict\b", statement, re.IGNORECASE
        ):
            raise SchemaError(
                f"table {name!r} is not STRICT or has no PRIMARY KEY",
                where=f"apps/{app}/schema.sql",
                expected="STRICT and a PRIMARY KEY",
            )


@lru_cache(maxsize=64)
def layout(sqls: tuple[str, ...]) -> dict[str, Table]:
    """Tables that the kernel and these app schemas make; worked out once a process."""
    db = apsw.Connection(":memory:")
    for sql in (KERNEL, *sqls):
        db.execute(sql)
    return tables(db)


@lru_cache(maxsize=64)
def column_names(sqls: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """A cache, shared by all worlds of these schemas, of the column names that a query returns."""
    return {}
