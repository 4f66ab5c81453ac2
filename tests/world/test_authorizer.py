"""No app writes another's tables, the kernel's, or the schema (rule 13): `guard` on a bad app."""

from __future__ import annotations

import apsw
import pytest
from hypothesis import given, settings

from errands.core.errors import WorldFault
from errands.world import App, World, open_world
from errands.world.fixture import Draft

from .guard import guard
from .looks import sound
from .test_invariants import FAULTS, SCRIPT, play
from .toy import SCHEMA, fixture

imp = App(
    "imp", schema="CREATE TABLE imp_note (id TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID;"
)

SINS = {
    "INSERT toy_box": "INSERT INTO toy_box (id, label) VALUES ('box_x', 'x')",
    "UPDATE toy_box": "UPDATE toy_box SET label = 'mine' WHERE id = 'box_0'",
    "DELETE toy_thing": "DELETE FROM toy_thing",
    "DELETE exam_ledger": "DELETE FROM exam_ledger",
    "INSERT exam_grant": "INSERT INTO exam_grant VALUES ('imp', 'imp.all', 1)",
    "UPDATE exam_fault": "UPDATE exam_fault SET times = 0",
    "DELETE sqlite_master": "DROP TABLE toy_thing",
    "INSERT sqlite_master": "CREATE TABLE imp_more (x)",
    "INSERT sqlite_temp_master": "CREATE TEMP TABLE imp_t (x)",
    "PRAGMA query_only": "PRAGMA query_only = 1",
    "TRANSACTION COMMIT": "COMMIT",
    "FUNCTION random": "INSERT INTO imp_note VALUES ('nte_r', random())",
    "FUNCTION current_timestamp": "INSERT INTO imp_note VALUES ('nte_t', CURRENT_TIMESTAMP)",
}


@imp.write()
def sin(w: World, which: str) -> str:
    """Do what is not allowed."""
    w.run(SINS[which])
    return "done"


@imp.write()
def hide(w: World, which: str) -> str:
    """Do it and swallow the error."""
    try:
        w.run(SINS[which])
    except apsw.Error as why:
        return type(why).__name__
    return "done"


@imp.write()
def honest(w: World, text: str) -> list[str]:
    """Write what is mine, around telling the toy, which writes what is its own."""
    w.insert("imp_note", id=w.new_id("nte"), text=text)
    w.schedule(w.now, "toy.arrives", label=text)
    w.signal("toy.arrives", label=f"{text} too")
    w.signal("imp.echo", text=text)
    w.insert("imp_note", id=w.new_id("nte"), text=text)
    return [r["label"] for r in w.all("SELECT label FROM toy_box ORDER BY label")]


@imp.on("imp.echo")
def echo(w: World, e: dict[str, str]) -> None:
    if e["text"] == "sly":
        w.run(SINS["UPDATE toy_box"])


@imp.on("toy.arrives")
def meddle(w: World, e: dict[str, str]) -> None:
    if e["label"] == "late":
        w.run(SINS["UPDATE toy_box"])


def both() -> World:
    d = Draft(("toy", "imp"))
    for scope in ("toy.use", "toy.send"):
        d.insert("exam_grant", app="toy", scope=scope, live=1)
    d.insert("toy_box", id="box_0", label="alpha")
    return open_world(d.finish(now=1_793_667_000_000, zone="Asia/Singapore").blob)


@pytest.mark.parametrize("which", SINS)
def test_every_sin_is_caught_denied_and_undone(which):
    w = both()
    caught = guard(w)
    before = w.world_digest()
    with pytest.raises(WorldFault, match=r"(?i)authorized"):
        w.call("imp_sin", {"which": which})
    assert caught[0] == f"imp: {which}"
    assert w.world_digest() == before
    sound(w)


def test_a_swallowed_denial_is_still_caught():
    w = both()
    caught = guard(w)
    assert w.call("imp_hide", {"which": "UPDATE toy_box"}) == "AuthError"
    assert caught == ["imp: UPDATE toy_box"]


def test_a_statement_that_its_owner_has_cached_is_judged_again():
    w = both()
    caught = guard(w)
    w.call("toy_clear", {})  # the very text of the sin
    assert caught == []
    with pytest.raises(WorldFault):
        w.call("imp_sin", {"which": "DELETE toy_thing"})
    assert caught == ["imp: DELETE toy_thing"]


def test_own_tables_signals_and_the_agenda_are_free():
    w = both()
    caught = guard(w)
    assert w.call("imp_honest", {"text": "hi"}) == ["alpha", "hi too"]
    assert w.value("SELECT count(*) FROM toy_box") == 3  # the scheduled one came, too
    assert w.value("SELECT count(*) FROM imp_note") == 2
    assert caught == []


@pytest.mark.parametrize("text", ["sly", "late"])
def test_listeners_of_signals_and_of_events_are_watched(text):
    w = both()
    caught = guard(w)
    with pytest.raises(WorldFault):
        w.call("imp_honest", {"text": text})
    assert caught == ["imp: UPDATE toy_box"]


def test_without_a_guard_the_kernel_lets_it_pass_and_records_it():
    w = both()
    w.call("imp_sin", {"which": "UPDATE toy_box"})
    assert w.value("SELECT label FROM toy_box") == "mine"
    sound(w)


@settings(max_examples=40, deadline=None)
@given(SCRIPT, FAULTS)
def test_the_toy_keeps_to_itself_and_the_guard_changes_nothing(script, faults):
    script = [s for s in script if s[0] != "toy_bad_read"]
    blob = fixture(faults=faults).blob
    plain, watched = open_world(blob), open_world(blob)
    caught = guard(watched)
    assert play(watched, script) == play(plain, script)
    assert caught == []
    assert watched.world_digest() == plain.world_digest()


def test_a_cascade_stays_in_the_app():
    assert "CASCADE" in SCHEMA
    w = both()
    caught = guard(w)
    w.call("toy_put", {"box": "box_0", "weight": 1})
    assert w.call("toy_drop", {"box": "box_0"}) == 1
    assert caught == [] and w.value("SELECT count(*) FROM toy_thing") == 0
