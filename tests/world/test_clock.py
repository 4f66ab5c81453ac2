"""The virtual clock (rule 5): fixed cost a call, events in order with their own cause, waits, revocation."""

from __future__ import annotations

import datetime

import pytest
import time_machine
from hypothesis import given, settings
from hypothesis import strategies as st

from errands.core.canon import canonical
from errands.core.errors import ToolError, WorldFault
from errands.world import App, World, open_world
from errands.world.fixture import Draft

from .looks import refused, rows, sound
from .test_invariants import play
from .toy import fixture, toy, world

START, SECOND, MINUTE = 1_793_667_000_000, 1_000, 60_000

bell = App(
    "bell",
    schema="""
CREATE TABLE bell_rung (id TEXT PRIMARY KEY, name TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
""",
)


@bell.on("bell.ring")
def ring(w: World, e: dict) -> None:
    w.insert("bell_rung", id=w.new_id("rng"), name=e["name"], at=w.now)
    if e.get("again", 0):
        w.schedule(w.now + e["every"], "bell.ring", name=e["name"], again=e["again"] - 1, every=e["every"])
    if e.get("say"):
        w.notify(f"{e['name']} rang")


@bell.write()
def tie(w: World, at: int, name: str) -> int:
    """Have it ring at a time, also one that is over."""
    w.schedule(at, "bell.ring", name=name)
    return w.value("SELECT count(*) FROM bell_rung")


@bell.write()
def mint(w: World, n: int) -> int:
    """Many ids in one call."""
    for _ in range(n):
        w.insert("bell_rung", id=w.new_id("rng"), name="mint", at=w.now)
    return n


@bell.read()
def count(w: World) -> int:
    """How often it rang."""
    return w.value("SELECT count(*) FROM bell_rung")


def tower(*due: tuple[str, int, dict]) -> World:
    """A world whose agenda holds (id, ms after the start, payload)."""
    d = Draft(("bell", "tock"))
    for ident, after, payload in due:
        d.insert(
            "exam_agenda", id=ident, due=START + after, name="bell.ring", payload=canonical(payload), cause=0
        )
    return open_world(d.finish(now=START, zone="Asia/Singapore").blob)


def rung(w: World) -> list[tuple[str, int]]:
    return [(r["body"]["name"], r["at"] - START) for r in rows(w, "event")]


@pytest.mark.parametrize(
    ("tool", "args", "cost"),
    [("toy_look", {"box": "box_0"}, 2), ("toy_make", {"label": "x"}, 3), ("toy_send", {"box": "box_0"}, 4),
     ("tock_wait", {"minutes": 0}, 0), ("tock_wait", {"minutes": 2}, 120),
     ("toy_look", {}, 1), ("nonsense", {}, 1), ("tock_wait", {"minutes": "2"}, 1), ("toy_look",
     {"box": "box_9"}, 2)],
)  # fmt: skip
def test_a_call_costs_what_is_published(tool, args, cost):
    w = world()
    play(w, [(tool, args)])
    assert w.now == START + cost * SECOND
    assert rows(w, "call")[0]["at"] == START


def test_due_events_run_before_the_call_with_their_own_cause():
    w = tower(("due_a", 0, {"name": "a"}))
    assert w.call("bell_count") == 1
    event, effect = rows(w, "event")[0], rows(w, "effect")
    call = rows(w, "call")[0]
    assert event["seq"] < call["seq"] and (event["ref"], event["cause"]) == ("due_a", 0)
    assert {e["cause"] for e in effect} == {event["seq"]}
    assert [(e["name"], e["actor"]) for e in effect] == [("exam_agenda", "exam"), ("bell_rung", "app:bell")]


def test_what_falls_due_while_a_call_lasts_comes_after_it_at_its_own_time():
    w = tower(
        ("due_a", 1_500, {"name": "a"}), ("due_b", 2_000, {"name": "b"}), ("due_c", 2_001, {"name": "c"})
    )
    assert w.call("bell_count") == 0
    assert rung(w) == [("a", 1_500), ("b", 2_000)]
    assert w.now == START + 2_000
    assert [r["kind"] for r in w.all("SELECT kind FROM exam_ledger WHERE kind != 'effect' ORDER BY seq")] == [
        "call", "event", "event"]  # fmt: skip


def test_an_event_names_the_call_that_scheduled_it():
    w = world()
    w.call("toy_later", {"minutes": 1, "label": "x"})
    w.call("tock_wait", {"minutes": 2})
    assert rows(w, "event")[0]["cause"] == rows(w, "call")[0]["seq"]


def test_a_wait_returns_at_the_first_notice():
    w = tower(
        ("due_a", 60_000, {"name": "a"}),
        ("due_b", 120_000, {"name": "b", "say": 1}),
        ("due_c", 180_000, {"name": "c"}),
    )
    got = w.call("tock_wait", {"minutes": 10})
    assert got == {"now": w.local(START + 120_000), "notices": [
        {"text": "b rang", "ref": "", "at": w.local(START + 120_000)}]}  # fmt: skip
    assert w.now == START + 120_000 and [n for n, _ in rung(w)] == ["a", "b"]
    assert w.call("tock_wait", {"minutes": 10}) == {"now": w.local(START + 720_000), "notices": []}
    assert [n for n, _ in rung(w)] == ["a", "b", "c"]
    assert rows(w, "call")[0]["at"] == START, (
        "a wait is recorded after what it waited through, with when it began"
    )
    sound(w)


def test_a_notice_that_is_already_there_is_handed_over_at_once():
    w = tower(("due_a", 0, {"name": "a", "say": 1}), ("due_b", 1_000, {"name": "b", "say": 1}))
    w.call("bell_count")
    got = w.call("tock_wait", {"minutes": 10})
    assert [n["text"] for n in got["notices"]] == ["a rang", "b rang"] and w.now == START + 2_000
    assert w.call("tock_wait", {"minutes": 1})["notices"] == []


def test_at_one_instant_the_id_decides():
    w = tower(
        ("due_b", 5_000, {"name": "b"}), ("due_c", 4_999, {"name": "c"}), ("due_a", 5_000, {"name": "a"})
    )
    w.call("tock_wait", {"minutes": 1})
    assert rung(w) == [("c", 4_999), ("a", 5_000), ("b", 5_000)]


DUE = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 3), st.integers(0, 4)), max_size=8)


@settings(max_examples=100, deadline=None)
@given(DUE, st.lists(st.sampled_from(["count", "wait", "advance", "fork"]), max_size=8))
def test_events_come_in_order_and_history_never_runs_backwards(due, steps):
    events = [
        (f"due_x{i}", 700 * s, {"name": f"e{i}", "again": n, "every": 700 * e})
        for i, (s, n, e) in enumerate(due)
    ]
    w = tower(*events)
    for step in steps:
        if step == "fork":
            w = w.fork()
        elif step == "advance":
            w.advance(w.now + 900)
        else:
            play(w, [("bell_count", {}) if step == "count" else ("tock_wait", {"minutes": 0})])
        assert w._next_due is None or w._next_due > w.now or not rows(w, "call")
    w.advance(START + 3_600_000)
    expected = sorted(START + a + k * p["every"] for _, a, p in events for k in range(p["again"] + 1))
    fired = [(r["at"], r["ref"]) for r in rows(w, "event")]
    assert [at for at, _ in fired] == expected
    fixed = [f for f in fired if f[1].startswith("due_x")]
    assert fixed == sorted(fixed)
    assert w.value("SELECT count(*) FROM bell_rung") == len(expected)
    sound(w)


def test_events_scheduled_by_events_run_in_the_same_wait():
    w = tower(("due_a", 1_000, {"name": "a", "again": 3, "every": 10_000}))
    w.call("tock_wait", {"minutes": 1})
    assert [at for _, at in rung(w)] == [1_000, 11_000, 21_000, 31_000]
    causes = [r["cause"] for r in rows(w, "event")]
    assert causes == [0, *[r["seq"] for r in rows(w, "event")][:-1]]


def test_what_is_scheduled_for_the_past_happens_now():
    w = tower()
    w.call("tock_wait", {"minutes": 1})
    assert w.call("bell_tie", {"at": START - 5, "name": "late"}) == 0, "after the tool, not inside it"
    assert rung(w) == [("late", MINUTE)]
    ats = [r["at"] for r in w.all("SELECT at FROM exam_ledger WHERE kind != 'call' ORDER BY seq")]
    assert ats == sorted(ats) and w.now == START + MINUTE + 3 * SECOND


def test_events_without_end_are_a_bug_of_ours_and_leave_nothing(monkeypatch):
    monkeypatch.setattr("errands.world.world._EVENTS_LIMIT", 200)
    w = tower(("due_a", 1_000, {"name": "a", "again": 10**6, "every": 0}))
    digest = w.world_digest()
    with pytest.raises(WorldFault, match="keep scheduling"):
        w.call("tock_wait", {"minutes": 1})
    assert (w.world_digest(), w.now) == (digest, START)
    sound(w)


def test_many_events_over_a_long_attempt_are_no_such_bug(monkeypatch):
    monkeypatch.setattr("errands.world.world._EVENTS_LIMIT", 200)
    w = tower(("due_a", 0, {"name": "a", "again": 500, "every": SECOND}))
    for _ in range(3):
        w.call("tock_wait", {"minutes": 3})
    assert w.call("bell_count") == 501


def test_ids_of_one_busy_call_are_not_those_of_a_later_one():
    w = tower()
    w.call("bell_mint", {"n": 2_000})
    for _ in range(40):
        w.call("bell_mint", {"n": 1})
    assert w.call("bell_count") == 2_040


def test_a_fault_of_the_world_does_not_move_its_clock():
    w = world()
    with pytest.raises(WorldFault):
        w.call("toy_put", {"box": "box_0", "weight": 13})
    assert w.now == START


# ---- revocation (rule 10) ------------------------------


def test_a_revoked_scope_is_refused_on_record_and_others_stay():
    w = world(revoke_at=START + 5 * SECOND)
    w.call("toy_look", {"box": "box_0"})
    w.call("toy_send", {"box": "box_0"})  # until 6 s: the revocation comes with its end
    why = refused(w, "toy_send", {"box": "box_1"}, "permission")
    assert "'toy.send' was withdrawn" in why.message and why.expected
    w.call("toy_make", {"label": "still allowed"})
    assert [r["ref"] for r in rows(w, "commit")] == ["box_0"]
    (event,) = rows(w, "event")
    assert (event["name"], event["at"], event["actor"]) == ("connector.revoked", START + 5 * SECOND, "exam")
    (grant,) = [e for e in rows(w, "effect") if e["name"] == "exam_grant"]
    assert grant["cause"] == event["seq"] and grant["body"]["after"]["live"] == 0
    assert "toy_send" in [s.name for s in w.specs()], "it still shows, as a service would show it"
    sound(w)


def test_a_revocation_is_in_the_file():
    w = world(revoke_at=START)
    w.advance(START + 1)
    w = w.fork()
    refused(w, "toy_send", {"box": "box_0", "idempotency_key": "k"}, "permission")
    refused(w.fork(), "toy_send", {"box": "box_0"}, "permission")


def test_a_tool_that_was_never_granted_does_not_exist():
    d = Draft(("toy",))
    d.insert("exam_grant", app="toy", scope="toy.use", live=1)
    w = open_world(d.finish(now=START, zone="Asia/Singapore").blob)
    assert "toy_send" not in refused(w, "toy_send", {"box": "box_0"}, "unknown_tool").expected
    assert "toy_send" not in [s.name for s in w.specs()]


def test_a_scope_that_is_withheld_shows_and_is_refused_and_is_not_called_withdrawn():
    d = Draft(("toy",))
    for scope in toy.scopes:
        d.insert("exam_grant", app="toy", scope=scope, live=int(scope != "toy.send"))
    d.insert("toy_box", id="box_0", label="alpha")
    w = open_world(d.finish(now=START, zone="Asia/Singapore").blob)
    assert "toy_send" in [s.name for s in w.specs()]
    assert "'toy.send' is not granted" in refused(w, "toy_send", {"box": "box_0"}, "permission").message
    assert w.call("toy_look", {"box": "box_0"})["label"] == "alpha"
    (call, _) = rows(w, "call")
    assert (call["name"], call["body"]["error"]["code"]) == ("toy_send", "permission")
    assert not rows(w, "commit") and not rows(w, "effect")
    sound(w)


# ---- the host's clock ------------------------------

SCRIPT = [
    ("toy_make", {"label": "漢字"}), ("toy_later", {"minutes": 3, "label": "é"}), ("tock_wait",
    {"minutes": 9}),
    ("toy_relabel", {"box": "box_0", "label": "beta"}), ("toy_send", {"box": "box_2"}),
    ("toy_look", {"box": "nix"}),
]  # fmt: skip


@pytest.mark.parametrize("date", ["2029-02-28T23:59:59", "2029-11-29", "1999-12-31T23:59:59"])
def test_the_wall_clock_is_never_read(date):
    built = fixture()
    here = open_world(built.blob)
    answers = play(here, SCRIPT)
    with time_machine.travel(datetime.datetime.fromisoformat(date).replace(tzinfo=datetime.UTC), tick=True):
        assert fixture().digest == built.digest
        there = open_world(fixture().blob)
        assert play(there, SCRIPT) == answers
        assert (there.world_digest(), there.now) == (here.world_digest(), here.now)
        assert there.snapshot() == here.snapshot()


def test_a_moment_without_an_offset_is_the_owners():
    w = world()
    assert w.moment("at", "2026-11-05T16:30") == w.moment("at", "2026-11-05T08:30Z")
    assert w.moment("at", "2026-11-05T16:30", "Asia/Tokyo") == w.moment("at", "2026-11-05T15:30")
    with pytest.raises(ToolError) as caught:
        w.moment("at", "tomorrow")
    assert (caught.value.field, caught.value.value) == (
        "at",
        "tomorrow",
    ) and "ISO 8601" in caught.value.expected
