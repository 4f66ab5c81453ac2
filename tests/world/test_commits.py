"""What cannot be taken back (rule 7): one row a commit, its digest of that moment, keys that act once."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errands.core.canon import canonical, digest
from errands.core.errors import ToolError
from errands.world import App, Shown, World, open_world
from errands.world.fixture import Draft

from .looks import refused, rows, sound
from .toy import shown, world

SEND = {"box": "box_0", "idempotency_key": "k1"}


def test_the_commit_row_says_what_was_sent_by_whom_and_why():
    w = world()
    before = shown(w, "box_0")
    assert w.call("toy_send", {"box": "box_0", "idempotency_key": "k1"}) == {"sent": "box_0"}
    (row,), (call,) = rows(w, "commit"), rows(w, "call")
    assert (row["name"], row["ref"], row["cause"], row["actor"]) == (
        "toy.send",
        "box_0",
        call["seq"],
        "agent",
    )
    assert row["at"] == call["at"] == 1_793_667_000_000
    assert row["body"] == {
        "staged": "box", "content": before.content, "digest": digest(before.content), "text": "box alpha",
        "key": "k1", "done": canonical({"sent": "box_0"}),
    }  # fmt: skip
    sound(w)


def test_the_digest_is_of_the_content_at_the_commit_not_when_it_was_staged():
    w = world()
    staged = digest(shown(w, "box_0").content)
    w.call("toy_put", {"box": "box_0", "weight": 5})
    w.call("toy_send", SEND)
    (row,) = rows(w, "commit")
    assert row["body"]["digest"] != staged
    assert row["body"]["digest"] == digest(row["body"]["content"])
    assert [t["weight"] for t in row["body"]["content"]["things"]] == [0, 1, 2, 5]


def test_an_edit_that_is_taken_back_gives_the_old_digest():
    w = world()
    staged = digest(shown(w, "box_0").content)
    for label in ("other", "alpha"):
        w.call("toy_relabel", {"box": "box_0", "label": label})
    assert shown(w, "box_0").content["things"] == []  # REPLACE threw the things away: not the same content
    w = world()
    w.call("toy_put", {"box": "box_0", "weight": 5})
    w.run("DELETE FROM toy_thing WHERE weight = 5")
    w.call("toy_send", SEND)
    assert rows(w, "commit")[0]["body"]["digest"] == staged


def test_an_edit_after_the_commit_leaves_its_row_alone():
    w = world()
    w.call("toy_send", SEND)
    row = rows(w, "commit")
    w.call("toy_put", {"box": "box_0", "weight": 5})
    w.call("toy_drop", {"box": "box_0"})
    assert rows(w, "commit") == row


def test_sending_twice_is_refused_without_a_key_and_answered_with_one():
    w = world()
    first = w.call("toy_send", SEND)
    assert w.call("toy_send", SEND) == first
    assert refused(w, "toy_send", {"box": "box_0"}, "not_found").field == "box"
    assert refused(w, "toy_send", {"box": "box_0", "idempotency_key": "k2"}, "not_found")
    assert len(rows(w, "commit")) == 1 and len(rows(w, "call")) == 4
    sound(w)


def test_a_key_stays_with_what_it_was_used_for():
    w = world()
    w.call("toy_send", SEND)
    why = refused(w, "toy_send", {**SEND, "box": "box_1"}, "conflict")
    assert (why.field, why.value) == ("idempotency_key", "k1") and why.expected
    assert w.call("toy_send", {"box": "box_1", "idempotency_key": "k2"}) == {"sent": "box_1"}


def test_a_failed_try_does_not_use_the_key_up():
    w = world()
    refused(w, "toy_send", {"box": "box_9", "idempotency_key": "k1"}, "not_found")
    assert w.call("toy_send", SEND) == {"sent": "box_0"}


def test_a_key_is_remembered_by_the_file():
    w = world()
    first = w.call("toy_send", SEND)
    again = w.fork()
    assert again.call("toy_send", SEND) == first
    assert len(rows(again, "commit")) == 1


def test_a_key_with_text_in_another_form_is_the_same_key():
    w = world()
    w.call("toy_send", {"box": "box_0", "idempotency_key": "caf\u00e9"})
    assert w.call("toy_send", {"box": "box_0", "idempotency_key": "cafe\u0301"}) == {"sent": "box_0"}


def test_carried_out_without_an_answer_then_tried_again():
    w = world(faults=[{"tool": "toy_send", "applied": 1, "answered": 0, "code": "timeout"}])
    with pytest.raises(ToolError, match="timeout"):
        w.call("toy_send", SEND)
    assert w.call("toy_send", SEND) == {"sent": "box_0"}
    assert len(rows(w, "commit")) == 1


def test_refused_by_a_fault_leaves_no_commit():
    w = world(faults=[{"tool": "toy_send"}])
    with pytest.raises(ToolError, match="unavailable"):
        w.call("toy_send", SEND)
    assert rows(w, "commit") == [] and shown(w, "box_0") is not None
    w.call("toy_send", SEND)
    assert len(rows(w, "commit")) == 1


# ---- two commit tools of one scope on one kind of staged object ------------------------------

duo = App(
    "duo",
    scopes=("duo.act",),
    schema="""
CREATE TABLE duo_hold (id TEXT PRIMARY KEY, state TEXT NOT NULL,
  guests INTEGER NOT NULL) STRICT, WITHOUT ROWID;
""",
)


@duo.staged("hold", table="duo_hold")
def hold(w: World, ident: str) -> Shown | None:
    row = w.one("SELECT * FROM duo_hold WHERE id = ?", ident)
    return Shown({"guests": row["guests"]}, "a table", ()) if row else None


@duo.commit("duo.act", stages="hold")
def book(w: World, hold: str, fail: bool = False) -> dict[str, str]:
    """Book it."""
    w.update("duo_hold", hold, state="booked")
    w.log("note", "duo", hold, {})
    if fail:
        raise ToolError("limit", "fully booked", expected="another day")
    return {"state": "booked"}


@duo.commit("duo.act", stages="hold")
def cancel(w: World, hold: str) -> dict[str, str]:
    """Cancel it."""
    w.update("duo_hold", hold, state="cancelled")
    return {"state": "cancelled"}


def table() -> World:
    d = Draft(("duo",))
    d.insert("exam_grant", app="duo", scope="duo.act", live=1)
    d.insert("duo_hold", id="hld_1", state="held", guests=2)
    return open_world(d.finish(now=0, zone="Asia/Tokyo").blob)


def test_the_key_of_one_act_does_not_answer_for_another():
    w = table()
    w.call("duo_book", {"hold": "hld_1", "idempotency_key": "k"})
    assert (
        refused(w, "duo_cancel", {"hold": "hld_1", "idempotency_key": "k"}, "conflict").field
        == "idempotency_key"
    )
    assert w.call("duo_cancel", {"hold": "hld_1", "idempotency_key": "k2"}) == {"state": "cancelled"}
    assert [r["body"]["done"] for r in rows(w, "commit")] == ['{"state":"booked"}', '{"state":"cancelled"}']


def test_a_commit_that_is_refused_halfway_leaves_nothing():
    w = table()
    refused(w, "duo_book", {"hold": "hld_1", "fail": True, "idempotency_key": "k"}, "limit")
    assert rows(w, "commit") == rows(w, "note") == rows(w, "effect") == []
    assert w.call("duo_book", {"hold": "hld_1", "idempotency_key": "k"}) == {"state": "booked"}
    sound(w)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["toy_send", "toy_put", "toy_drop", "fork"]),
        st.sampled_from(["box_0", "box_1", "box_9"]), st.sampled_from(["", "a", "b"]),
    ), max_size=12,
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(STEPS)
def test_no_order_of_sends_edits_and_keys_acts_twice(steps):
    w = world(faults=[{"tool": "toy_send", "applied": 1, "answered": 0, "skip": 1}])
    for tool, box, key in steps:
        args = {"toy_send": {"box": box, "idempotency_key": key}, "toy_put": {"box": box, "weight": 1}}
        try:
            if tool == "fork":
                w = w.fork()
            else:
                w.call(tool, args.get(tool, {"box": box}))
        except ToolError:
            pass
    commits = rows(w, "commit")
    assert len({c["ref"] for c in commits}) == len(commits)
    keys = [c["body"]["key"] for c in commits if c["body"]["key"]]
    assert len(set(keys)) == len(keys)
    assert all(c["body"]["digest"] == digest(c["body"]["content"]) for c in commits)
    sound(w)
