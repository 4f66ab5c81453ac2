"""Notes, and connections: what an agent sees of its access, and how an app is closed while others stay open."""

from __future__ import annotations

from typing import Any

import pytest

from errands.apps.connections import seed as connections
from errands.apps.notes import seed as notes
from errands.core.canon import canonical
from errands.core.errors import ToolError
from errands.world import World, open_world
from errands.world.fixture import Draft
from tests.world.guard import guard
from tests.world.looks import rows, sound

ZONE, START, MINUTE = "America/Los_Angeles", 1_794_933_600_000, 60_000
LETS = {"notes.read": "read notes", "notes.write": "write, change and delete notes"}


def world(*events: tuple[int, str, dict[str, Any]], withheld: tuple[str, ...] = ()) -> World:
    """Two notebooks with a note each, connected beside a mailbox; events are (minutes, name, payload)."""
    d = Draft(("notes", "connections", "mail", "clock"))
    for scope in ("notes.read", "notes.write", "connections.read", "connections.request", "mail.read"):
        live = int(scope not in withheld)
        d.insert("exam_grant", app=scope.partition(".")[0], scope=scope, live=live)
    notes.notebook(d, id="nbk_a", name="Ideas")
    notes.notebook(d, id="nbk_b", name="Agendas")
    notes.note(d, id="nte_a", notebook="nbk_a", title="One", body="First.", at=START - 2 * MINUTE)
    notes.note(d, id="nte_b", notebook="nbk_b", title="Two", body="Second.", at=START - MINUTE)
    connections.service(d, id="con_n", app="notes", name="Notes", lets=LETS)
    lets = {"mail.read": "read mail", "mail.send": "send mail"}
    connections.service(d, id="con_m", app="mail", name="Mailbox", lets=lets, about="A mailbox.")
    for n, (at, name, payload) in enumerate(events):
        due = START + at * MINUTE
        d.insert("exam_agenda", id=f"due_x{n}", due=due, name=name, payload=canonical(payload), cause=0)
    return open_world(d.finish(now=START, zone=ZONE).blob)


def refused(w: World, tool: str, **args: Any) -> ToolError:
    with pytest.raises(ToolError) as caught:
        w.call(tool, args)
    return caught.value


# ---- notes -------------------------------------------------------------------------------------------------------


def test_notes_are_listed_newest_first_and_read_whole():
    w = world()
    guard(w)
    assert w.call("notes_notebooks") == [
        {"notebook": "nbk_a", "name": "Ideas", "notes": 1},
        {"notebook": "nbk_b", "name": "Agendas", "notes": 1},
    ]
    assert [n["title"] for n in w.call("notes_list")] == ["Two", "One"]
    (one,) = w.call("notes_list", {"notebook": "nbk_a"})
    assert "body" not in one and w.call("notes_read", {"note": one["note"]}) == {**one, "body": "First."}


def test_a_note_is_written_changed_moved_and_deleted():
    w = world()
    caught = guard(w)
    made = w.call("notes_create", {"title": "T", "body": "B"})
    assert made["notebook"] == "nbk_a", "the usual one"
    changed = w.call("notes_update", {"note": made["note"], "body": "C", "notebook": "nbk_b"})
    assert (changed["notebook"], changed["title"]) == ("nbk_b", "T")
    assert w.call("notes_read", {"note": made["note"]})["body"] == "C"
    assert changed["changed"] > changed["created"]
    assert w.call("notes_delete", {"note": made["note"]}) == {"deleted": made["note"]}
    assert refused(w, "notes_read", note=made["note"]).code == "not_found"
    assert caught == []
    sound(w)


@pytest.mark.parametrize(
    ("tool", "args", "field"),
    [
        ("notes_create", {"title": " ", "body": "B"}, "title"),
        ("notes_create", {"title": "T", "body": ""}, "body"),
        ("notes_create", {"title": "T" * 201, "body": "B"}, "title"),
        ("notes_create", {"title": "T", "body": "B" * 20_001}, "body"),
        ("notes_create", {"title": "T", "body": "B", "notebook": "nbk_z"}, "notebook"),
        ("notes_list", {"notebook": "nbk_z"}, "notebook"),
        ("notes_read", {"note": "nte_z"}, "note"),
        ("notes_update", {"note": "nte_z", "title": "T"}, "note"),
        ("notes_update", {"note": "nte_a", "body": ""}, "body"),
        ("notes_delete", {"note": "nte_z"}, "note"),
    ],
)
def test_what_cannot_be_done_is_named_and_changes_nothing(tool, args, field):
    w = world()
    assert refused(w, tool, **args).field == field
    assert not rows(w, "effect")


def test_an_update_needs_something_to_change():
    assert refused(world(), "notes_update", note="nte_a").code == "invalid"


def test_somebody_elses_note_appears_without_a_word():
    w = world((1, "notes.added", {"id": "nte_c", "notebook": "nbk_a", "title": "Three", "body": "Third."}))
    assert w.call("clock_wait", {"until": w.local(START + 2 * MINUTE)})["notices"] == []
    assert [n["title"] for n in w.call("notes_list")] == ["Three", "Two", "One"]
    (effect,) = [e for e in rows(w, "effect") if e["name"] == "notes_note"]
    assert effect["actor"] == "app:notes"


# ---- connections -------------------------------------------------------------------------------------------------


def test_what_one_may_do_is_said_in_words():
    mail, book = world(withheld=("notes.write",)).call("connections_list")
    assert (mail["name"], mail["about"], mail["status"]) == ("Mailbox", "A mailbox.", "connected")
    assert book["access"] == [
        {"scope": "notes.read", "lets_you": "read notes", "granted": True},
        {"scope": "notes.write", "lets_you": "write, change and delete notes", "granted": False},
    ]
    assert [a["granted"] for a in mail["access"]] == [True, False], "never in the world is not granted either"


def test_a_write_of_a_read_only_connection_is_refused_and_on_record():
    w = world(withheld=("notes.write",))
    assert "notes_create" in [t.name for t in w.specs()]
    why = refused(w, "notes_create", title="T", body="B")
    assert (why.code, "not granted" in why.message) == ("permission", True)
    (call,) = rows(w, "call")
    assert call["body"]["error"]["code"] == "permission" and not rows(w, "effect")
    assert refused(w, "notes_create", title="T").code == "invalid", "an argument error is none"


def test_a_revoked_app_is_closed_and_the_others_stay_open():
    w = world(*((1, "connector.revoked", {"app": "notes", "scope": s}) for s in LETS))
    w.advance(START + MINUTE)
    for tool, args in (("notes_list", {}), ("notes_create", {"title": "T", "body": "B"})):
        assert "withdrawn" in refused(w, tool, **args).message
    mail, book = w.call("connections_list")
    assert (mail["status"], book["status"]) == ("connected", "revoked")
    assert w.call("mail_list")["messages"] == []
    w = w.fork()
    assert refused(w, "notes_list").code == "permission"
    sound(w)


def test_one_scope_is_taken_and_the_rest_of_the_service_stays():
    w = world((1, "connector.revoked", {"app": "notes", "scope": "notes.write"}))
    w.advance(START + MINUTE)
    assert refused(w, "notes_delete", note="nte_a").code == "permission"
    assert w.call("notes_read", {"note": "nte_a"})["body"] == "First."
    assert w.call("connections_list")[1]["status"] == "connected"


def test_a_request_is_on_record_and_opens_nothing():
    w = world(withheld=("notes.write",))
    caught = guard(w)
    got = w.call("connections_request", {"service": "con_n", "scope": "notes.write", "reason": "to file it"})
    assert got["status"] == "waits for the user"
    assert w.one("SELECT service, scope, reason FROM connections_request") == {
        "service": "con_n",
        "scope": "notes.write",
        "reason": "to file it",
    }
    assert refused(w, "notes_create", title="T", body="B").code == "permission"
    assert refused(w, "connections_request", service="con_n", scope="mail.read").field == "scope"
    assert refused(w, "connections_request", service="con_z", scope="mail.read").field == "service"
    assert caught == []
    sound(w)
