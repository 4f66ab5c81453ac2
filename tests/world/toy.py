"""A two-table app that does all that the kernel must survive: cascades, REPLACE, caught failures, events."""

from __future__ import annotations

from typing import Annotated

import apsw

from errands.core.canon import canonical
from errands.core.errors import ToolError
from errands.world import App, Shown, World, open_world
from errands.world.fixture import Draft, Fixture

SCHEMA = """
CREATE TABLE toy_box (id TEXT PRIMARY KEY, label TEXT NOT NULL UNIQUE, sent INTEGER NOT NULL DEFAULT 0)
  STRICT, WITHOUT ROWID;
CREATE TABLE toy_thing (id TEXT PRIMARY KEY, box TEXT NOT NULL REFERENCES toy_box(id) ON DELETE CASCADE,
  weight INTEGER NOT NULL, note BLOB) STRICT, WITHOUT ROWID;
CREATE INDEX toy_thing_box ON toy_thing(box);
"""

toy = App("toy", schema=SCHEMA, scopes=("toy.use", "toy.send"))


@toy.staged("box", table="toy_box")
def shown(w: World, ident: str) -> Shown | None:
    row = w.one("SELECT * FROM toy_box WHERE id = ? AND sent = 0", ident)
    if row is None:
        return None
    things = w.all("SELECT id, weight FROM toy_thing WHERE box = ? ORDER BY id", ident)
    return Shown({"label": row["label"], "things": things}, f"box {row['label']}", (row["label"],))


@toy.read("toy.use")
def look(w: World, box: str) -> dict[str, object]:
    """Look into a box."""
    row = w.one("SELECT * FROM toy_box WHERE id = ?", box)
    if row is None:
        raise ToolError("not_found", f"no box {box!r}", field="box", value=box, expected="a box id")
    return {**row, "things": w.all("SELECT id, weight FROM toy_thing WHERE box = ? ORDER BY id", box)}


@toy.write("toy.use")
def make(w: World, label: Annotated[str, "what is written on it"]) -> str:
    """Make a box."""
    ident = w.new_id("box")
    w.insert("toy_box", id=ident, label=label)
    return ident


@toy.write("toy.use")
def put(w: World, box: str, weight: int, keep: bool = True) -> str:
    """Put a thing into a box; too heavy things fail after the row is written."""
    ident = w.new_id("thg")
    try:
        w.insert("toy_thing", id=ident, box=box, weight=weight, note=b"\x00\xff")
    except apsw.ConstraintError:
        raise ToolError("not_found", f"no box {box!r}", field="box", value=box) from None
    if weight > 100:
        raise ToolError("invalid", "too heavy", field="weight", value=weight, expected="at most 100")
    if weight == 13:
        raise RuntimeError("a planted bug")
    return ident


@toy.write("toy.use")
def relabel(w: World, box: str, label: str) -> bool:
    """Replace a box by label; a clash with another label throws the other box away (REPLACE and cascade)."""
    old = w.one("SELECT * FROM toy_box WHERE id = ?", box)
    if old is None:
        raise ToolError("not_found", "no such box", field="box", value=box)
    w.run("INSERT OR REPLACE INTO toy_box VALUES (?, ?, ?)", box, label, old["sent"])
    return True


@toy.write("toy.use")
def clash(w: World, label: str) -> str:
    """Try to make two boxes of one label: the caught failure must leave no ghost."""
    first = w.new_id("box")
    try:
        with w.attempt():
            w.insert("toy_box", id=first, label=label)
            w.run("UPDATE toy_thing SET weight = weight + 1")
            w.insert("toy_box", id=w.new_id("box"), label=label)
    except apsw.ConstraintError:
        return "clashed"
    return "made"


@toy.write("toy.use")
def drop(w: World, box: str) -> int:
    """Throw a box away, with all in it."""
    w.run("DELETE FROM toy_box WHERE id = ?", box)
    return w.db.changes()


@toy.write("toy.use")
def clear(w: World) -> int:
    """Throw everything away (SQLite's truncate shortcut must be seen too)."""
    w.run("DELETE FROM toy_thing")
    return w.db.changes()


def soon(minutes: int) -> None:
    if not 0 <= minutes <= 10_000:
        raise ToolError("invalid", "too far away", field="minutes", value=minutes, expected="0 to 10000")


@toy.write("toy.use")
def later(w: World, minutes: int, label: str) -> str:
    """Have a box arrive later, with a notice."""
    soon(minutes)
    w.schedule(w.now + minutes * 60_000, "toy.arrives", label=label)
    return "ok"


@toy.on("toy.arrives")
def arrives(w: World, e: dict[str, object]) -> None:
    w.run("INSERT OR IGNORE INTO toy_box (id, label) VALUES (?, ?)", w.new_id("box"), e["label"])
    w.notify(f"{e['label']} is here")


@toy.commit("toy.send", stages="box")
def send(w: World, box: str) -> dict[str, str]:
    """Send a box away for good."""
    w.update("toy_box", box, sent=1)
    return {"sent": box}


@toy.read("toy.use")
def bad_read(w: World) -> str:
    """Declared a read, but writes."""
    w.run("UPDATE toy_box SET label = label || '!'")
    return "oops"


@toy.read("toy.use")
def sly_read(w: World) -> str:
    """Declared a read, but writes and then refuses."""
    w.run("DELETE FROM toy_thing")
    raise ToolError("not_found", "nothing here", expected="something")


clocks = App("tock", schema="")


@clocks.kernel_tool
def wait(w: World, minutes: int) -> int:
    """Wait."""
    soon(minutes)
    return w.now + minutes * 60_000


def fixture(faults: list[dict[str, object]] | None = None, revoke_at: int | None = None) -> Fixture:
    d = Draft(("toy", "tock"))
    for scope in toy.scopes:
        d.insert("exam_grant", app="toy", scope=scope, live=1)
    for n, label in enumerate(("alpha", "beta", "gamma")):
        d.insert("toy_box", id=f"box_{n}", label=label)
        for m in range(3):
            d.insert("toy_thing", id=f"thg_{n}{m}", box=f"box_{n}", weight=10 * n + m, note=None)
    for n, fault in enumerate(faults or []):
        row = {
            "id": f"flt_{n}",
            "skip": 0,
            "times": 1,
            "applied": 0,
            "answered": 1,
            "code": "unavailable",
            "delay_ms": 0,
            "lag_ms": 0,
            **fault,
        }
        d.insert("exam_fault", **row)
    if revoke_at is not None:
        payload = canonical({"app": "toy", "scope": "toy.send"})
        d.insert("exam_agenda", id="due_x", due=revoke_at, name="connector.revoked", payload=payload, cause=0)
    return d.finish(now=1_793_667_000_000, zone="Asia/Singapore", task="toy")


def world(**kw: object) -> World:
    return open_world(fixture(**kw).blob)  # type: ignore[arg-type]
