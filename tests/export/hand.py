"""Exported fixtures of the tests, each made once; and an app that nobody has written a format for."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Annotated, Any

from errands.export.hand.build import exported
from errands.export.hand.model import Sheet
from errands.export.hand.scene import Scene
from errands.tasks.registry import task
from errands.tasks.task import Instance
from errands.world import App, World, open_world
from errands.world.fixture import Draft, Fixture

NOW = 1_794_934_800_000  # Tue 17 Nov 2026, 09:00 in Los Angeles
HOUR = 3_600_000


@lru_cache(maxsize=64)
def files(name: str, market: str, variant: int = 0) -> dict[str, bytes]:
    """An errand's export."""
    return exported(task(name), market, variant)


def instance(name: str, market: str, variant: int = 0) -> Instance:
    """The instance behind it."""
    return task(name).instance(market, variant)


def scene(of: Instance | Fixture) -> Scene:
    """Its world at the start."""
    fixture = of.fixture if isinstance(of, Instance) else of
    world = open_world(fixture.blob)
    try:
        return Scene.of(world)
    finally:
        world.close()


def sheet(found: dict[str, bytes]) -> Sheet:
    """The run sheet of an export."""
    return Sheet.model_validate_json(found["tester/sheet.json"])


def under(found: dict[str, bytes], folder: str, ending: str = "") -> dict[str, bytes]:
    """The files below a folder, by what follows it."""
    return {
        p.removeprefix(f"{folder}/"): d
        for p, d in found.items()
        if p.startswith(f"{folder}/") and p.endswith(ending)
    }


# ---- an app without a format of its own --------------------------------------------------------------------------

lending = App(
    "lending",
    scopes=("lending.read", "lending.take"),
    schema="""
CREATE TABLE lending_shelf (id TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE lending_thing (
  id TEXT PRIMARY KEY, shelf TEXT NOT NULL REFERENCES lending_shelf(id), title TEXT NOT NULL, fee INTEGER NOT NULL,
  currency TEXT NOT NULL, tags TEXT NOT NULL, back INTEGER NOT NULL, grade INTEGER NOT NULL, secret TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE lending_taken (thing TEXT NOT NULL REFERENCES lending_thing(id), starts INTEGER NOT NULL,
  ends INTEGER NOT NULL, PRIMARY KEY (thing, starts)) STRICT, WITHOUT ROWID;
CREATE TABLE lending_clerk (id TEXT PRIMARY KEY, name TEXT NOT NULL, brief TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE lending_duty (clerk TEXT PRIMARY KEY, hours TEXT NOT NULL) STRICT, WITHOUT ROWID;
""",
)


@lending.read("lending.read")
def things(w: World) -> list[dict[str, Any]]:
    """What can be lent."""
    rows = w.all(
        "SELECT t.*, s.name FROM lending_thing t JOIN lending_shelf s ON s.id = t.shelf ORDER BY t.id"
    )
    return [
        {
            "thing": r["id"],
            "shelf": r["name"],
            "title": r["title"],
            "price": f"{r['fee'] / 100:.2f}",
            "currency": r["currency"],
            "tags": json.loads(r["tags"]),
            "back": w.local(r["back"]),
        }
        for r in rows
    ]


@lending.read("lending.read")
def desk(w: World) -> list[str]:
    """Who lends."""
    return [r["id"] for r in w.all("SELECT id FROM lending_clerk")]


@lending.read("lending.read")
def free(
    w: World, thing: Annotated[str, "a thing's id"], when: Annotated[str, "local ISO time"]
) -> dict[str, Any]:
    """Whether a thing is there at a time."""
    at = w.moment("when", when)
    taken = w.value("SELECT 1 FROM lending_taken WHERE thing = ? AND starts <= ? AND ends > ?", thing, at, at)
    return {"free": not taken}


@lending.on("lending.arrives")
def arrives(w: World, e: dict[str, Any]) -> None:
    """Something new on a shelf."""
    w.insert("lending_thing", **e)


@lending.on("lending.told")
def told(w: World, e: dict[str, Any]) -> None:
    """A secret comes out, as a thing of its own; what held it notes that it did."""
    w.insert("lending_thing", **{**DRILL, "title": e["title"]})
    w.run("UPDATE lending_duty SET hours = ?", e["title"])


@lending.on("lending.leaves")
def leaves(w: World, e: dict[str, Any]) -> None:
    """Something is gone."""
    w.run("DELETE FROM lending_thing WHERE id = ?", e["id"])


LADDER = {
    "id": "thg_x7k2m9",
    "shelf": "shf_q1w2e3",
    "title": "Ladder, three metres",
    "fee": 450,
    "currency": "USD",
    "tags": '["tall", "aluminium"]',
    "back": NOW + 5 * HOUR,
    "grade": 7,
    "secret": "wobbles on the left",
}
DRILL = {**LADDER, "id": "thg_a4b5c6", "title": "Drill with a case", "fee": 1200, "secret": "blunt"}
BRIEF = {
    "greeting": "Lending desk, hello.",
    "facts": [{"asked": ["hours"], "answer": "Until six."}],
    "hours": [{"at": "18:30", "free": 2}],
}


def world_of(*apps: str, later: tuple[tuple[int, str, dict[str, Any]], ...] = (), **meta: Any) -> Fixture:
    """A blank world of these apps in the locale us, with events; lending has its things."""
    d = Draft((*apps, "clock", "people"))
    for name, scope in (("lending", "lending.read"), ("mail", "mail.read")):
        if name in apps:
            d.insert("exam_grant", app=name, scope=scope, live=1)
    if "lending" in apps:
        d.insert("lending_shelf", id="shf_q1w2e3", name="Back room")
        d.insert("lending_thing", **LADDER)
        d.insert("lending_taken", thing=LADDER["id"], starts=NOW + HOUR, ends=NOW + 2 * HOUR)
        d.insert("lending_clerk", id="clk_z9y8x7", name="Rowan", brief=json.dumps(BRIEF))
        d.insert("lending_duty", clerk="clk_z9y8x7", hours=json.dumps([NOW, NOW + HOUR]))
    for n, (at, name, payload) in enumerate(later):
        d.insert("exam_agenda", id=f"due_{n:04}", due=at, name=name, payload=json.dumps(payload), cause=0)
    return d.finish(
        now=NOW,
        zone="America/Los_Angeles",
        **{
            "task": "a-lending",
            "market": "us",
            "variant": "0",
            "language": "en",
            "languages": "en",
            "owner": "maren@bluefernmail.example",
            "owner_name": "Maren Castellano",
            "instruction": "Borrow the ladder, please.",
            **meta,
        },
    )
