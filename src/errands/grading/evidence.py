"""What grading sees of an attempt: its rows and its history, read-only, without a world.

`Evidence` reads the attempt file; nothing in it can be changed through this view, and nothing of the host is read.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import apsw

from errands.core.canon import decode
from errands.core.errors import EvidenceError
from errands.world.schema import Table, tables
from errands.world.sql import rows

Row = dict[str, Any]
MAX_BYTES = 32 << 20  # a sitting ends long before: see `MAX_RECORD`


@dataclass(frozen=True, slots=True)
class Entry:
    """One ledger row; `body` is its parsed JSON."""

    seq: int
    at: int
    kind: str
    cause: int
    actor: str
    name: str
    ref: str
    body: Row

    def __str__(self) -> str:
        return f"#{self.seq}"


@dataclass(frozen=True, slots=True)
class Change:
    """The net change of one row by one party: before and after (None where it did not exist), and its effects."""

    table: str
    key: str
    before: Row | None
    after: Row | None
    effects: tuple[Entry, ...]

    @property
    def rows(self) -> tuple[str, ...]:
        """Ledger rows that made it."""
        return tuple(str(e) for e in self.effects)

    @property
    def record(self) -> Row:
        """The row as it stands, or as it stood before it went."""
        return self.after or self.before or {}

    @property
    def fields(self) -> dict[str, tuple[Any, Any]]:
        """Columns that differ, as (before, after)."""
        old, new = self.before or {}, self.after or {}
        return {c: (old.get(c), new.get(c)) for c in {**old, **new} if old.get(c) != new.get(c)}


def open_readonly(blob: bytes, where: str = "") -> apsw.Connection:
    """Open bytes that may be hostile: capped, defensive, unable to write; raises `EvidenceError` naming `where`."""
    if len(blob) > MAX_BYTES:
        raise EvidenceError(
            f"the attempt file has {len(blob)} bytes", where=where, expected=f"at most {MAX_BYTES}"
        )
    db = apsw.Connection(":memory:")
    db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    db.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    db.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    db.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0)
    db.limit(apsw.SQLITE_LIMIT_LENGTH, 4 << 20)
    db.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)
    try:
        db.deserialize("main", blob)
        db.execute("PRAGMA query_only = 1")
        odd = (
            "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')"
            " OR rootpage < 1 OR rootpage IS NULL"
        )
        if db.execute(odd).get:
            raise EvidenceError(
                "the attempt file holds views, triggers or virtual tables",
                where=where,
                expected="tables and indexes only",
            )
        db.execute("SELECT seq FROM exam_ledger LIMIT 1").get  # noqa: B018  (a file that is none fails here)
    except (apsw.Error, ValueError) as why:
        raise EvidenceError(f"this is not an attempt file ({why})", where=where) from why
    return db


class Evidence:
    """The attempt as rows. `layout` may be given where the file is our own; else it is read from the file."""

    def __init__(self, db: apsw.Connection, layout: dict[str, Table] | None = None):
        self._db = db
        self._layout = layout if layout is not None else tables(db)

    @cached_property
    def meta(self) -> dict[str, str]:
        """Facts of the fixture: task, market, variant, language, owner, zone, start."""
        return dict(self._db.execute("SELECT key, value FROM exam_meta"))

    @cached_property
    def ledger(self) -> tuple[Entry, ...]:
        """The whole history in order."""
        history = self._db.execute(
            "SELECT seq, at, kind, cause, actor, name, ref, body FROM exam_ledger ORDER BY seq"
        )
        return tuple(
            Entry(seq, at, kind, cause, actor, name, ref, decode(body))
            for seq, at, kind, cause, actor, name, ref, body in history
        )

    @cached_property
    def memo(self) -> dict[str, Any]:
        """What a task has worked out from this evidence once and needs for several criteria."""
        return {}

    @cached_property
    def _by_seq(self) -> dict[int, Entry]:
        return {e.seq: e for e in self.ledger}

    @cached_property
    def _by_kind(self) -> dict[str, list[Entry]]:
        out: dict[str, list[Entry]] = {}
        for e in self.ledger:
            out.setdefault(e.kind, []).append(e)
        return out

    def entries(self, kind: str, name: str = "") -> list[Entry]:
        """Ledger rows of a kind (`call`, `effect`, `commit`, `approval`, `turn`, `event`), optionally of a name."""
        found = self._by_kind.get(kind, [])
        return [e for e in found if e.name == name] if name else found

    def entry(self, seq: int) -> Entry | None:
        """One ledger row."""
        return self._by_seq.get(seq)

    def commits(self, name: str = "") -> list[Entry]:
        """Irreversible acts, in order."""
        return self.entries("commit", name)

    @cached_property
    def replies(self) -> list[Entry]:
        """What the agent said to its user, in order."""
        return [e for e in self.entries("turn") if e.actor == "agent"]

    @property
    def final_reply(self) -> str:
        """The last thing the agent said, or an empty text."""
        return str(self.replies[-1].body["text"]) if self.replies else ""

    # ---- state ---------------------------------------------------------------------------------------------

    def after(self, table: str) -> dict[str, Row]:
        """Rows of a table at the end, by key."""
        return self._state[table] if table in self._state else self._load(table)

    @cached_property
    def _state(self) -> dict[str, dict[str, Row]]:
        return {}

    def _load(self, name: str) -> dict[str, Row]:
        self._known(name)
        t = self._layout[name]
        found = (dict(zip(t.columns, r, strict=True)) for r in self._db.execute(f'SELECT * FROM "{name}"'))
        self._state[name] = {self._key(t, r): r for r in found}
        return self._state[name]

    def _known(self, name: str) -> None:
        if name not in self._layout:
            near = difflib.get_close_matches(name, self._layout, 2, 0.6)
            raise EvidenceError(
                f"the attempt file has no table {name!r}",
                expected=f"perhaps {' or '.join(near)}" if near else "",
            )

    @staticmethod
    def _key(t: Table, row: Row) -> str:
        from errands.core.canon import canonical

        if len(t.key) == 1:
            return str(row[t.columns[t.key[0]]])
        return canonical([row[t.columns[i]] for i in t.key])

    def before(self, table: str) -> dict[str, Row]:
        """Rows of a table at the start, by key: the end with the ledger undone."""
        out = dict(self.after(table))
        for e in reversed(self.entries("effect", table)):
            old, new = e.body["before"], e.body["after"]
            if new is not None:
                out.pop(self._key(self._layout[table], new), None)
            if old is not None:
                out[self._key(self._layout[table], old)] = old
        return out

    def query(self, sql: str, *args: Any) -> list[Row]:
        """Rows of the final state by SQL (read-only)."""
        return rows(self._db, sql, args)

    # ---- who did what --------------------------------------------------------------------------------------

    def by_agent(self, effect: Entry) -> bool:
        """Whether the agent made this effect, itself or through an app inside its own call.

        What persons or later events do, even in answer to the agent, is not the agent's.
        """
        if effect.actor != "agent" and not effect.actor.startswith("app:"):
            return False
        cause = self._by_seq.get(effect.cause)
        return cause is not None and cause.kind == "call" and cause.actor == "agent"

    def effects(self, table: str, by: Callable[[Entry], bool] | None = None) -> list[Entry]:
        """Row changes of a table in order, by default the agent's."""
        mine = by or self.by_agent
        return [e for e in self.entries("effect", table) if mine(e)]

    def net(self, table: str) -> dict[str, Change]:
        """The agent's net changes of a table, by key; what was done and undone again is not among them."""
        self._known(table)
        if table not in self._nets:
            self._nets[table] = self._net(table)
        return self._nets[table]

    @cached_property
    def _nets(self) -> dict[str, dict[str, Change]]:
        return {}

    def _net(self, table: str) -> dict[str, Change]:
        found: dict[str, list[Entry]] = {}
        for e in self.effects(table):
            found.setdefault(e.ref, []).append(e)
        out = {}
        for key, effects in found.items():
            before, after = effects[0].body["before"], effects[-1].body["after"]
            if before != after:
                out[key] = Change(table, key, before, after, tuple(effects))
        return out

    def changed_tables(self) -> Iterator[str]:
        """Tables of apps in which the agent changed anything."""
        seen = {
            e.name
            for e in self.entries("effect")
            if not e.name.startswith(("exam_", "people_")) and self.by_agent(e)
        }
        yield from sorted(seen)
