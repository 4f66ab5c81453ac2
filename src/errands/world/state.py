"""The state of a world as its apps use it: rows, times, staged things, signals, notices, what is written when."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Set
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import apsw

from errands.core import clock
from errands.core.canon import canonical
from errands.core.errors import EvidenceError, ToolError
from errands.core.types import ToolSpec

from .app import App, Shown, Staged, Tool, app
from .ledger import Ledger
from .refusals import missing
from .schema import column_names, layout

if TYPE_CHECKING:
    from .world import World

Row = dict[str, Any]
KERNEL_STATE = frozenset({"exam_agenda", "exam_grant", "exam_fault", "exam_notice"})
FRESH = "session"  # `ref` of a notice that begins a fresh session: it wakes an agent that knows nothing of earlier ones


class State:
    """One open attempt file: what a tool or a listener may look at, change, tell and leave behind."""

    def __init__(self, db: apsw.Connection):
        self.db = db
        db.config(apsw.SQLITE_DBCONFIG_ENABLE_FKEY, 1)
        db.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        db.limit(apsw.SQLITE_LIMIT_LENGTH, 4 << 20)
        db.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)
        self.meta: dict[str, str] = dict(db.execute("SELECT key, value FROM exam_meta"))
        self.apps: dict[str, App] = {name: app(name) for name in json.loads(self.meta["apps"])}
        self.tools: dict[str, Tool] = {t.name: t for a in self.apps.values() for t in a.tools.values()}
        self.zone = self.meta["zone"]
        schemas = tuple(a.schema or "" for a in self.apps.values())
        tables = layout(schemas)
        self._names = column_names(schemas)
        seq, now, rows_sum, chain, last = db.execute(
            "SELECT seq, now, rows_sum, chain, (SELECT coalesce(max(seq), 0) FROM exam_ledger) FROM exam_state"
        ).get
        self.ledger = Ledger(db, tables, seq, int(rows_sum, 16), bytes.fromhex(chain))
        self.now: int = now
        if last != seq:  # both are written in one transaction
            raise EvidenceError(f"the ledger ends at #{last} and its summary at #{seq}")
        if last:
            self.ledger.measure()
        self.cause, self.actor = 0, "exam"
        self._ids = 0
        self._events_run = 0
        self._watch: Callable[[str], None] | None = None
        self._working = ""
        self._on_disk = bool(db.filename)
        self._refresh(KERNEL_STATE)

    # ---- looking -------------------------------------------------------------------------------------------

    def all(self, sql: str, *args: Any) -> list[Row]:
        """Rows as dictionaries."""
        cursor = self.db.execute(sql, args)
        first = cursor.fetchone()
        if first is None:
            return []
        names = self._columns(sql, cursor)
        return [dict(zip(names, r, strict=True)) for r in (first, *cursor)]

    def one(self, sql: str, *args: Any) -> Row | None:
        """The first row, or None."""
        cursor = self.db.execute(sql, args)
        first = cursor.fetchone()
        return None if first is None else dict(zip(self._columns(sql, cursor), first, strict=True))

    def _columns(self, sql: str, cursor: apsw.Cursor) -> tuple[str, ...]:
        names = self._names.get(sql)
        if names is None:
            names = self._names[sql] = tuple(d[0] for d in cursor.get_description())
        return names

    def value(self, sql: str, *args: Any) -> Any:
        """The first column of the first row, or None."""
        row = self.db.execute(sql, args).fetchone()
        return None if row is None else row[0]

    def row(self, table: str, ident: str, what: str, source: str, *, field: str = "") -> Row:
        """The row with this `id`, or the error that an agent reads; see `missing` for the words."""
        row = self.one(f'SELECT * FROM "{table}" WHERE id = ?', ident)
        if row is None:
            raise missing(what, ident, source, field=field)
        return row

    def moment(self, field: str, text: str, zone: str = "") -> int:
        """Read an ISO 8601 date-time; without an offset it is local to `zone` (default: the owner's). UTC ms."""
        try:
            ms = clock.read_iso(text, zone or self.zone)
            clock.from_ms(ms, self.zone)  # what cannot be shown to the owner again is no time either
            return ms
        except ValueError as why:
            raise ToolError(
                "invalid",
                str(why),
                field=field,
                value=text,
                expected="an ISO 8601 date-time such as 2026-11-05T16:30",
            ) from None

    def local(self, ms: int, zone: str = "") -> str:
        """A time as ISO 8601 with the offset of `zone` (default: the owner's)."""
        return clock.iso(ms, zone or self.zone)

    def staged(self, kind: str) -> Staged:
        """How staged objects of this kind are shown."""
        for a in self.apps.values():
            if kind in a.staged_kinds:
                return a.staged_kinds[kind]
        raise KeyError(kind)

    @property
    def _world(self) -> World:
        return cast("World", self)  # there are no other states than worlds

    def find_staged(self, ident: str) -> tuple[str, Shown] | None:
        """The staged object with this id as (kind, shown), whichever app holds it."""
        for a in self.apps.values():
            for kind, staged in a.staged_kinds.items():
                shown = staged.show(self._world, ident)
                if shown is not None:
                    return kind, shown
        return None

    def all_staged(self) -> list[tuple[str, str, Shown]]:
        """Everything that is staged now, as (kind, id, shown), in the order in which it was staged."""
        out = []
        for a in self.apps.values():
            for kind, staged in a.staged_kinds.items():
                for ident in [r[0] for r in self.db.execute(f'SELECT id FROM "{staged.table}" ORDER BY id')]:
                    shown = staged.show(self._world, ident)
                    if shown is not None:
                        out.append((kind, ident, shown))
        return out

    def granted(self, tool: Tool) -> bool:
        """Whether the agent sees this tool: its scope was named at the start, also as withheld, and also if revoked."""
        return not tool.scope or (tool.app.name, tool.scope) in self._grants

    def specs(self) -> list[ToolSpec]:
        """The tools that the task grants, as an agent sees them."""
        return [t.spec for t in self.tools.values() if self.granted(t) and not t.page]

    # ---- changing ------------------------------------------------------------------------------------------

    def run(self, sql: str, *args: Any) -> None:
        """Execute one statement of an app."""
        self.db.execute(sql, args)

    def insert(self, table: str, /, **row: Any) -> None:
        """Insert one row given by column."""
        cols = ", ".join(row)
        self.db.execute(
            f'INSERT INTO "{table}" ({cols}) VALUES ({", ".join("?" * len(row))})', tuple(row.values())
        )

    def update(self, table: str, ident: str, /, **changes: Any) -> None:
        """Update one row by its `id`."""
        sets = ", ".join(f"{c} = ?" for c in changes)
        self.db.execute(f'UPDATE "{table}" SET {sets} WHERE id = ?', (*changes.values(), ident))

    def new_id(self, prefix: str) -> str:
        """A fresh id with this type prefix: the same in every run of the same calls."""
        self._ids += 1
        dash = "-" if self._ids >= 36**2 else ""  # else the 1,297th of call 1 is the first of call 37
        return f"{prefix}_{_base36(self.cause)}{dash}{_base36(self._ids):0>2}"

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """A savepoint for a statement whose failure is caught: what it half did leaves no ghost in the ledger."""
        mark = self.ledger.mark()
        self.db.execute("SAVEPOINT attempt")
        try:
            yield
        except BaseException:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK TO attempt; RELEASE attempt")
            self.ledger.cut(mark)
            raise
        self.db.execute("RELEASE attempt")

    @contextmanager
    def acting(self, actor: str) -> Iterator[None]:
        """What happens inside is done by this actor (`app:mail`, `user`, `person:tan`)."""
        self._settle()
        before, self.actor = self.actor, actor
        try:
            yield
            self._settle()
        finally:
            self.actor = before

    def signal(self, name: str, /, **payload: Any) -> list[Any]:
        """Tell all who listen, now, inside this call; returns their answers that are not None."""
        answers = []
        for a in self.apps.values():
            for listener in a.listeners.get(name, ()):
                with self.acting(f"app:{a.name}"):
                    answer = self._watched(a.name, listener, self, payload)
                if answer is not None:
                    answers.append(answer)
        return answers

    def schedule(self, due: int, name: str, /, **payload: Any) -> None:
        """Put an event on the agenda for world time `due` (UTC ms); it fires in order of (due, id)."""
        self._ids += 1
        ident = f"due_{self.cause:08d}{self._ids:04d}"
        due = max(due, self.now)  # history does not run backwards
        self.insert("exam_agenda", id=ident, due=due, name=name, payload=canonical(payload), cause=self.cause)

    def notify(self, text: str, ref: str = "") -> None:
        """Leave a notice that wakes the agent: it ends a wait, or becomes a turn. `ref` is told to who listens to
        `notices.told` once the agent has it; `FRESH` begins a session of its own."""
        self._ids += 1
        self.insert("exam_notice", id=f"ntc_{self.cause:08d}{self._ids:04d}", at=self.now, text=text, ref=ref)

    def log(self, kind: str, name: str, ref: str, body: dict[str, Any]) -> int:
        """Write a ledger row that is no row change (an approval, a turn); returns its seq."""
        self._settle()
        return self.ledger.add(self.now, kind, self.cause, self.actor, name, ref, body)

    def _settle(self) -> None:
        if self.ledger.changes:
            self._refresh(self.ledger.settle(self.cause, self.actor, self.now))

    def _refresh(self, hit: Set[str]) -> None:
        """Read again what the kernel keeps at hand of its own tables, where one of them was hit."""
        if not hit & KERNEL_STATE:
            return
        self._next_due: int | None
        self._next_due, noticed, faults = self.db.execute(
            "SELECT (SELECT min(due) FROM exam_agenda), (SELECT count(*) FROM exam_notice),"
            " (SELECT count(*) FROM exam_fault)"
        ).get
        self._noticed = bool(noticed)
        self._faulty = {r[0] for r in self.db.execute("SELECT tool FROM exam_fault")} if faults else set()
        if "exam_grant" in hit:
            self._grants = {(a, s): bool(live) for a, s, live in self.db.execute("SELECT * FROM exam_grant")}

    def _watched(self, app: str, fn: Callable[..., Any], /, *args: Any, **named: Any) -> Any:
        """Run something of an app, and let who watches know that it does."""
        if self._watch is None:
            return fn(*args, **named)
        before, self._working = self._working, app
        self._watch(app)
        try:
            return fn(*args, **named)
        finally:
            self._working = before
            self._watch(before)

    def watch(self, fn: Callable[[str], None]) -> None:
        """For tests: be told which app is about to run, "" for the kernel (the authorizer test proves rule 13)."""
        self._watch = fn


_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def _base36(n: int) -> str:
    out = ""
    while True:
        n, r = divmod(n, 36)
        out = _DIGITS[r] + out
        if not n:
            return out
