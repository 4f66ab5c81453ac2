"""A world: one open attempt file, its clock, and the one dispatcher through which every call goes.

Order of a call: due events (each with its own cause), the tool in its savepoint, the record, the clock, due
events again. `open_world` is the only constructor.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw

from errands.core.canon import canonical, digest
from errands.core.errors import EvidenceError, ToolError, WorldFault
from errands.core.values import plain, printable

from . import faults
from .app import Tool
from .fold import undo_since
from .ledger import Mark
from .state import FRESH, KERNEL_STATE, State

MAX_BYTES = 32 << 20
_EVENTS_LIMIT = 10_000

Row = dict[str, Any]


def open_world(blob: bytes, path: Path | None = None) -> World:
    """Open an attempt file from its bytes: in memory, or as a file at `path` (written first).

    Sets foreign keys, the recording hook and limits before anything else runs; none of these is in the bytes.
    Raises `EvidenceError` when the bytes are no attempt file.
    """
    if len(blob) > MAX_BYTES:
        raise EvidenceError(f"{len(blob)} bytes are too many for a world", expected=f"at most {MAX_BYTES}")
    if not _whole_file(
        blob
    ):  # SQLite would fill a page that is cut short with zeros, and take nothing for new
        raise EvidenceError("this is not an attempt file (its header does not fit its length)")
    db = None
    try:
        if path is None:
            db = _in_memory(blob)
        else:
            # The journal of a killed try at the same name would be rolled back into the new bytes.
            path.with_name(f"{path.name}-journal").unlink(missing_ok=True)
            path.write_bytes(blob)
            db = apsw.Connection(str(path))
            # A killed process must leave whole calls; a killed machine may lose the attempt (it starts again).
            db.execute("PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=OFF")
        return World(db)
    except (apsw.Error, LookupError, ValueError, TypeError, ImportError) as why:
        if db is not None:
            db.close()
        raise EvidenceError(f"this is not an attempt file ({type(why).__name__}: {why})") from why


def _in_memory(blob: bytes) -> apsw.Connection:
    """A database of its own with this content.

    Copied, not deserialized in place: the latter keeps all in one block that is moved whole when it must grow.
    """
    db, source = apsw.Connection(":memory:"), apsw.Connection(":memory:")
    source.deserialize("main", blob)
    with db.backup("main", source, "main") as copy:
        copy.step()
    source.close()
    return db


def _whole_file(blob: bytes) -> bool:
    """Whether the length is what the header says (pages times page size) and nothing waits in a write-ahead log."""
    page = int.from_bytes(blob[16:18], "big")
    pages = int.from_bytes(blob[28:32], "big")
    return len(blob) == (65_536 if page == 1 else page) * pages > 0 and blob[18:20] == b"\x01\x01"


def recovered(path: Path) -> bytes:
    """The bytes of an attempt file whose process was killed; SQLite first rolls back the call that was cut off.

    Reading the file itself is not enough: half of that call may be in it, and the way back in its journal.
    """
    db = apsw.Connection(str(path))
    try:
        db.execute("SELECT count(*) FROM sqlite_schema").get  # noqa: B018  (bytes that are none fail here)
        return db.serialize("main") or b""
    except apsw.Error as why:
        raise EvidenceError(f"this is not an attempt file ({why})", where=str(path)) from why
    finally:
        db.close()


class World(State):
    """State and history of one attempt: what enters, in which order, and what of it stays. Not thread-safe: the
    sitting calls it under one lock."""

    # ---- the transaction around everything that enters -------------------------------------------------------

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """One turn, event or notice is on file whole or not at all, and only here does a bug of ours surface."""
        before = self._begin()
        try:
            yield
            self._end()
        except BaseException as why:
            self._undo(before, why)
            raise  # not reached for an Exception: _undo raises WorldFault

    def _begin(self) -> tuple[Mark, int]:
        self._events_run = 0
        self.db.execute("SAVEPOINT whole")
        return self.ledger.mark(), self.now

    def _end(self) -> None:
        if self.ledger.changes:
            self._settle()
        self.ledger.flush()
        if self._on_disk:  # what a killed process leaves must say how late it is
            self._keep()
        self.db.execute("RELEASE whole")

    def _undo(self, before: tuple[Mark, int], why: BaseException) -> None:
        """Roll everything back. An interrupt is no bug, and must not leave half a call either."""
        if self.db.in_transaction:  # on a full disk SQLite rolls back by itself, savepoints and all
            self.db.execute("ROLLBACK TO whole; RELEASE whole")
        self.ledger.cut(before[0])
        self.now = before[1]
        self._refresh(KERNEL_STATE)
        if isinstance(why, Exception):
            raise WorldFault(
                f"{type(why).__name__}: {why}", do="this is a bug of ours, not the agent's"
            ) from why

    def record(self, kind: str, actor: str, name: str, body: dict[str, Any]) -> int:
        """Record something said or decided at the door (a turn, the end); returns its seq."""
        with self._whole():
            return self.ledger.add(self.now, kind, 0, actor, name, "", body)

    def say(self, signal: str, seq: int, /, **payload: Any) -> list[Any]:
        """Let listeners react to something at the door (a reply) that has ledger row `seq`."""
        with self._whole():
            self.cause, self.actor, self._ids = seq, "exam", 0
            return self.signal(signal, **payload)

    @contextmanager
    def outside(self, actor: str, name: str) -> Iterator[dict[str, Any]]:
        """Changes that were made outside (a folder, a form) enter as a whole, caused by one event row `name`.

        What is put into the dictionary handed out becomes the body of that row. No time passes.
        """
        with self._whole():
            seq, place = self.ledger.reserve()
            self.cause, self.actor, self._ids = seq, actor, 0
            body: dict[str, Any] = {}
            yield body
            self._settle()
            self.ledger.fill(place, (seq, self.now, "event", 0, actor, name, "", canonical(body)))

    # ---- the dispatcher ------------------------------------------------------------------------------------

    def call(self, name: str, args: Any = None, actor: str = "agent", *, page: bool = False) -> Any:
        """Call a tool; returns its JSON result or raises `ToolError` (both recorded). `page`: a door asks for a page of
        a site; no page can be called otherwise.

        Raises `WorldFault` when the world itself broke: everything of this call is rolled back.
        """
        if self._next_due is not None and self._next_due <= self.now:
            self._run_due(self.now)
        tool = self.tools.get(name) if type(name) is str else None
        if tool is not None and tool.page is not page:
            tool = None
        before = self._begin()
        try:
            if tool is not None and tool.kernel:
                answer = self._wait(tool, args, actor)
            else:
                answer = self._call(tool, name, args, actor)
            self._end()
        except apsw.TooBigError:
            answer = self._too_big(before, name, args, actor)
        except BaseException as why:
            self._undo(before, why)
            raise
        if self._next_due is not None and self._next_due <= self.now:
            self._run_due(self.now)
        if isinstance(answer, ToolError):
            raise answer
        return answer

    def _call(self, tool: Tool | None, name: Any, args: Any, actor: str) -> Any:
        ledger, started = self.ledger, self.now
        seq, place = ledger.reserve()
        self.cause, self.actor, self._ids = seq, actor, 0
        body: dict[str, Any] = {}
        cost, answer = 1_000, None
        try:
            clean = self._check(tool, name, args, body)
            assert tool is not None  # _check refuses an unknown tool
            cost = tool.cost_ms
            fault = faults.due(self, tool.name) if tool.name in self._faulty else None
            self._settle()
        except ToolError as why:
            answer = why
        else:
            if fault:
                body["fault"] = fault.id
                cost += fault.delay_ms
            answer = self._try(tool, clean, fault, body)
        if isinstance(answer, ToolError):
            body["error"] = answer.body()
            if "done" not in body and _too_long(body["args"]):
                body["args"] = printable(body["args"])  # nothing came of it: a picture of it will do
        else:
            body["result"] = answer
        shown = name if tool is not None else printable(name, 80)
        ledger.fill(place, (seq, started, "call", 0, actor, shown, "", canonical(body)))
        self.now = started + cost
        return answer

    def _too_big(self, before: tuple[Mark, int], name: str, args: Any, actor: str) -> ToolError:
        """Effects or an answer that do not fit into a row of the file: the call changes nothing, and is recorded."""
        why = ToolError(
            "limit",
            "this is too much for one call",
            field="arguments",
            expected="less text, or a narrower question",
        )
        with suppress(WorldFault):
            self._undo(before, why)
        with self._whole():
            seq, place = self.ledger.reserve()
            body = {"args": printable(args), "error": why.body()}
            self.ledger.fill(place, (seq, self.now, "call", 0, actor, name, "", canonical(body)))
            self.now += 1_000
        return why

    def _try(
        self, tool: Tool, clean: dict[str, Any], fault: faults.Fault | None, body: dict[str, Any]
    ) -> Any:
        """Run a tool in its savepoint; returns its result, or the `ToolError` after which nothing has changed."""
        if fault and not fault.applied:
            return fault.error()
        if tool.effect == "read":  # nothing to take back: a read that writes is our bug, and ends the whole
            try:
                result = self._look(tool, clean, fault.lag_ms) if fault else self._run_tool(tool, clean)
            except ToolError as why:
                result = why
            if self.ledger.changes:
                raise AssertionError(f"{tool.name} is declared a read and wrote {self.ledger.changes[0][0]}")
            return (
                self._answered(result, fault, body) if fault and result.__class__ is not ToolError else result
            )
        mark = self.ledger.mark()
        self.db.execute("SAVEPOINT tool")
        try:
            result = self._commit(tool, clean) if tool.effect == "commit" else self._run_tool(tool, clean)
            self._settle()
        except ToolError as why:
            self.db.execute("ROLLBACK TO tool; RELEASE tool")
            self.ledger.cut(mark)
            self._refresh(KERNEL_STATE)
            return why
        self.db.execute("RELEASE tool")
        return self._answered(result, fault, body)

    @staticmethod
    def _answered(result: Any, fault: faults.Fault | None, body: dict[str, Any]) -> Any:
        if fault and not fault.answered:
            body["done"] = result
            return fault.error()
        return result

    def _check(self, tool: Tool | None, name: Any, args: Any, body: dict[str, Any]) -> dict[str, Any]:
        """The door: whatever fails here is the world's answer and never a bug of ours."""
        try:
            return self._checked(tool, name, args, body)
        except ToolError:
            if "args" not in body:
                body["args"] = printable(args) if args is not None else {}
            raise

    def _checked(self, tool: Tool | None, name: Any, args: Any, body: dict[str, Any]) -> dict[str, Any]:
        if tool is None or not self.granted(tool):
            raise ToolError(
                "unknown_tool",
                f"there is no tool {printable(name, 80)}",
                field="tool",
                expected=", ".join(spec.name for spec in self.specs()),
            )
        if args is not None and type(args) is not dict:
            raise ToolError(
                "invalid",
                "arguments must be one object",
                field="arguments",
                expected="an object of named arguments",
            )
        clean = plain(args or {})
        body["args"] = clean
        checked = tool.check(clean)
        if not self._open(tool):
            raise ToolError(
                "permission",
                f"{tool.app.name} refused: access {tool.scope!r} {self._why_closed(tool)}",
                expected="a scope that the user still grants",
            )
        return checked

    def _open(self, tool: Tool) -> bool:
        return not tool.scope or self._grants.get((tool.app.name, tool.scope), False)

    def _why_closed(self, tool: Tool) -> str:
        """Whether a scope was taken away on the way, or the connection never had it."""
        gone = self.value(
            "SELECT 1 FROM exam_ledger WHERE kind = 'event' AND name = 'connector.revoked'"
            " AND body ->> 'app' = ? AND body ->> 'scope' = ?",
            tool.app.name,
            tool.scope,
        )
        return "was withdrawn" if gone else "is not granted"

    def _look(self, tool: Tool, clean: dict[str, Any], lag_ms: int) -> Any:
        """A read that may be stale: undo what is younger than the lag, look, put it back."""
        if not lag_ms:
            return self._run_tool(tool, clean)
        mark = self.ledger.mark()
        self.db.execute("SAVEPOINT stale")
        undo_since(self.db, self.ledger.tables, self.now - lag_ms)
        self.ledger.cut(mark)
        try:
            return self._run_tool(tool, clean)
        finally:
            self.db.execute("ROLLBACK TO stale; RELEASE stale")

    def _run_tool(self, tool: Tool, clean: dict[str, Any]) -> Any:
        if self._watch is None:
            return tool.run(self, **clean)
        return self._watched(tool.app.name, tool.run, self, **clean)

    def _commit(self, tool: Tool, clean: dict[str, Any]) -> Any:
        key = clean.pop("idempotency_key")
        ident = next(iter(clean.values()))
        if key:
            before = self.one(
                "SELECT done.ref, done.body ->> 'done' AS done, call.name AS tool FROM exam_ledger done"
                " JOIN exam_ledger call ON call.seq = done.cause"
                " WHERE done.kind = 'commit' AND done.name = ? AND done.body ->> 'key' = ?",
                tool.scope,
                key,
            )
            if before:
                if (before["ref"], before["tool"]) != (ident, tool.name):
                    raise ToolError(
                        "conflict",
                        "this idempotency key was used for something else",
                        field="idempotency_key",
                        value=key,
                        expected="a new key",
                    )
                return json.loads(before["done"])
        shown = self.staged(tool.stages).show(self, ident)
        if shown is None:
            field = next(iter(clean))
            raise ToolError(
                "not_found",
                f"there is no {tool.stages} {ident!r} waiting",
                field=field,
                value=ident,
                expected=f"the id of a {tool.stages} that is staged",
            )
        done = self._run_tool(tool, clean)
        self.log(
            "commit",
            tool.scope,
            ident,
            {
                "staged": tool.stages,
                "digest": digest(shown.content),
                "content": shown.content,
                "text": shown.text,
                "key": key,
                "done": canonical(done),
            },
        )
        return done

    def _wait(self, tool: Tool, args: Any, actor: str) -> Any:
        """`clock_wait`: events run first, so the record of the wait comes after what it waited through."""
        started, body = self.now, dict[str, Any]()
        answer: Any
        try:
            until = self._run_tool(tool, self._check(tool, tool.name, args, body))
        except ToolError as why:
            answer, body["error"] = why, why.body()
            self.now += 1_000
            seq, place = self.ledger.reserve()
        else:
            self._advance(until)
            seq, place = self.ledger.reserve()
            self.cause, self.actor = seq, actor
            notices = self._take_notices()
            self._settle()
            answer = body["result"] = {"now": self.local(self.now), "notices": notices}
            if self._noticed:  # a fresh session waits: what it says is not for this one
                answer["session"] = "over: end your turn"
        self.ledger.fill(place, (seq, started, "call", 0, actor, tool.name, "", canonical(body)))
        return answer

    def take_notices(self) -> list[dict[str, str]]:
        """Hand over waiting notices (they are then delivered), up to one that begins a fresh session; that one comes
        first, and alone."""
        if not self._noticed:
            return []
        with self._whole():
            self.cause, self.actor, self._ids = self.ledger.seq, "exam", 0
            return self._take_notices(fresh=True)

    def _take_notices(self, *, fresh: bool = False) -> list[dict[str, str]]:
        if not self._noticed:
            return []
        waiting = self.all("SELECT id, text, ref, at FROM exam_notice ORDER BY at, id")
        begins = next((n for n, r in enumerate(waiting) if r["ref"] == FRESH), None)
        taken = waiting if begins is None else waiting[: begins or int(fresh)]
        if len(taken) == len(waiting):
            self.run("DELETE FROM exam_notice")
        for r in taken if len(taken) < len(waiting) else ():
            self.run("DELETE FROM exam_notice WHERE id = ?", r["id"])
        self._settle()
        if taken:
            self.signal("notices.told", refs=[r["ref"] for r in taken])
        return [{"text": r["text"], "ref": r["ref"], "at": self.local(r["at"])} for r in taken]

    # ---- the clock -----------------------------------------------------------------------------------------

    def advance(self, until: int) -> bool:
        """Let time pass to `until`, or to the first notice on the way; returns whether a notice came."""
        with self._whole():
            self._advance(until)
        return self._noticed

    def run_out(self, until: int) -> None:
        """Let time pass to `until` once the agent has left: apps hear `agent.left` first, and notices reach nobody."""
        with self.outside("exam", "agent.left"):
            self.signal("agent.left")
        with self._whole():
            while self._next_due is not None and self._next_due <= until:
                self.now = max(self.now, self._next_due)
                self._fire()
            self.now = max(self.now, until)

    def _advance(self, until: int) -> None:
        while not self._noticed and self._next_due is not None and self._next_due <= until:
            self.now = max(self.now, self._next_due)
            self._fire()
        if not self._noticed:
            self.now = max(self.now, until)

    def _run_due(self, until: int) -> None:
        with self._whole():
            after = self.now
            while self._next_due is not None and self._next_due <= until:
                self.now = self._next_due
                self._fire()
            self.now = max(after, self.now)

    def _fire(self) -> None:
        """Run the earliest event: its row leaves the agenda and its listeners act, caused by the event."""
        self._events_run += 1
        if self._events_run > _EVENTS_LIMIT:
            raise AssertionError("events keep scheduling events")
        event = self.one("SELECT * FROM exam_agenda ORDER BY due, id LIMIT 1")
        assert event is not None
        payload = json.loads(event["payload"])
        seq = self.ledger.add(self.now, "event", event["cause"], "exam", event["name"], event["id"], payload)
        self.cause, self.actor, self._ids = seq, "exam", 0
        self.run("DELETE FROM exam_agenda WHERE id = ?", event["id"])
        if event["name"] == "connector.revoked":
            self.run(
                "UPDATE exam_grant SET live = 0 WHERE app = ? AND scope = ?", payload["app"], payload["scope"]
            )
            self._settle()
        self.signal(event["name"], **payload)
        self._settle()

    # ---- bytes ---------------------------------------------------------------------------------------------

    def world_digest(self) -> str:
        """Hex digest of everything deterministic so far: equal calls on equal fixtures give equal digests."""
        return self.ledger.world_digest()

    def snapshot(self) -> bytes:
        """The attempt file as it stands, between calls: open it anywhere and go on."""
        self._keep()
        return self.db.serialize("main")

    def _keep(self) -> None:
        """Write down where the record and the clock stand."""
        led = self.ledger
        self.db.execute(
            "INSERT OR REPLACE INTO exam_state VALUES (1,?,?,?,?)",
            (led.seq, self.now, f"{led.rows_sum:064x}", led.chain.hex()),
        )

    def fork(self) -> World:
        """An independent twin of this world."""
        return open_world(self.snapshot())

    def close(self) -> None:
        """Let go of the file."""
        self.db.close()


def _too_long(args: Any) -> bool:
    return isinstance(args, dict) and any(
        isinstance(v, (str, list, dict)) and len(v) > 2_000 for v in args.values()
    )
