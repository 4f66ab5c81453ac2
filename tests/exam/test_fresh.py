"""Fresh sessions and windows: what a new conversation knows, and what goes on when nobody is there."""

from __future__ import annotations

from typing import Any

from errands.doors.mcp_server import Endpoint
from errands.exam.replay import replay
from errands.exam.sitting import Limits, Sitting
from errands.grading.evidence import Evidence
from errands.grading.sessions import held, sessions
from tests.apps.test_routines import item, local, sitting, world

BACK, SAYS = "user.returns", "user.speaks"


def evidence(s: Sitting) -> Evidence:
    return Evidence(s.world.db, s.world.ledger.tables)


def test_a_fresh_session_is_a_turn_that_says_so():
    s = sitting(
        world(
            ("2026-11-17T09:30", BACK, {"text": "Good morning."}),
            ("2026-11-17T09:40", SAYS, {"text": "One more thing."}),
            ("2026-11-17T11:00", BACK, {"text": "Me again."}),
            until="2026-11-17T12:00",
        )
    )
    turns = []
    turn = s.reply("All right.")
    while turn is not None:
        turns.append((turn.kind, turn.text, turn.fresh, local(s.world, turn.at)))
        turn = s.reply("All right.")
    assert turns == [
        ("user", "Good morning.", True, "2026-11-17T09:30"),
        ("user", "One more thing.", False, "2026-11-17T09:40"),
        ("user", "Me again.", True, "2026-11-17T11:00"),
    ]
    found = sessions(evidence(s))
    assert [[x.told.body["text"] for x in one] for one in found] == [
        ["Do it."],
        ["Good morning.", "One more thing."],
        ["Me again."],
    ]
    assert all(x.text == "All right." for one in found for x in one)


def test_a_wait_does_not_hear_what_begins_the_next_session():
    """Nor does its time go past it: who waits is told that this conversation is over."""
    s = sitting(
        world(
            ("2026-11-17T09:20", SAYS, {"text": "Still there?"}),
            ("2026-11-17T09:30", BACK, {"text": "A new day."}),
            item("2026-11-17T09:40", "itm_1"),
            until="2026-11-17T10:00",
        )
    )
    first = s.call("clock_wait", {"until": "2026-11-17T12:00"})
    assert [n["text"] for n in first["notices"]] == ["Still there?"] and "session" not in first
    for _ in range(2):
        got = s.call("clock_wait", {"until": "2026-11-17T12:00"})
        assert got["notices"] == [] and got["session"].startswith("over")
        assert got["now"][:16] == "2026-11-17T09:30"
    turn = s.reply("")
    assert turn is not None and turn.fresh and turn.text == "A new day."


def test_what_came_before_a_fresh_session_is_told_in_the_old_one():
    s = sitting(
        world(
            ("2026-11-17T08:40:02", SAYS, {"text": "By the way."}),
            ("2026-11-17T08:40:04", BACK, {"text": "A new day."}),
            ("2026-11-17T08:40:06", SAYS, {"text": "And this."}),
            until="2026-11-17T10:00",
        )
    )
    for _ in range(5):
        s.call("feeds_list")
    told = [s.reply(""), s.reply(""), s.reply("")]
    assert [(t.text, t.fresh) for t in told if t] == [
        ("By the way.", False),
        ("A new day.", True),
        ("And this.", False),
    ]


def test_mcp_says_fresh_and_hands_over_wakings():
    s = Sitting(
        world(("2026-11-17T10:00", BACK, {"text": "A new day."}), until="2026-11-17T11:00"), Limits(20, 50)
    )
    served = Endpoint(s)
    served.call("routines_create", {"name": "Morning", "cron": "0 9 * * *"})
    answers: list[dict[str, Any]] = [served._end_turn({"reply": ""}) for _ in range(3)]
    assert [(a["kind"], a["fresh"], a["over"]) for a in answers] == [
        ("notice", False, False),
        ("user", True, False),
        ("end", False, True),
    ]
    assert answers[0]["at"] == "2026-11-17T09:00:00-08:00"


def test_who_leaves_early_is_not_there_but_time_goes_on():
    """The window passes: what was to happen in it happens, and no routine rings for who has left."""
    w = world(
        item("2026-11-17T09:30", "itm_1"),
        ("2026-11-17T09:40", SAYS, {"text": "Hello?"}),
        item("2026-11-17T09:50", "itm_2"),
        until="2026-11-18T10:00",
    )
    s = sitting(w)
    s.call("routines_create", {"name": "Morning", "cron": "* * * * *"})
    s.close("completed")
    assert local(w, w.now) == "2026-11-18T10:00" and w.value("SELECT count(*) FROM feeds_item") == 3
    assert w.all("SELECT * FROM routines_run") == []
    assert [t.name for t in evidence(s).entries("turn")] == ["instruction"]
    assert evidence(s).ledger[-1].at == w.now


def test_a_window_is_not_run_out_by_a_limit():
    w = world(until="2026-11-18T10:00")
    s = Sitting(w, Limits(turns=2, calls=9))
    s.next()
    s.call("routines_create", {"name": "Often", "cron": "* * * * *"})
    assert s.reply("") is not None and s.reply("") is None
    assert s.ended == "turn_limit" and local(w, w.now) < "2026-11-17T09:00"


# ---- own memory --------------------------------------------------------------------------------------------------


def test_an_own_memory_is_on_record_as_often_as_it_changes():
    s = sitting(world(until="2026-11-17T10:00"))
    before = s.world.ledger.seq
    s.remembers({"memory/a.md": "likes tea"})
    s.remembers({"memory/a.md": "likes tea"})
    s.remembers({"memory/a.md": "likes coffee"}, ["memory/big"])
    e = evidence(s)
    looks = e.entries("event", "memory.seen")
    assert len(looks) == 2 and s.world.ledger.seq == before + 2
    assert held(e, looks[0].seq).known is False
    assert [t for t, _ in held(e, looks[1].seq).texts] == ["likes tea"] and held(e, looks[1].seq).known
    assert held(e, looks[1].seq + 1).known is False, "what is not there whole cannot be looked into"
    assert not list(e.changed_tables())


def test_an_attempt_with_an_own_memory_can_be_taken_over():
    from errands.evidence.regrade import open_bundle
    from errands.exam.attempt import instance_of, seal_attempt

    from .sat import Plain

    instance = instance_of("ev-preference-update", "us", 0, "en")
    from errands.world import open_world

    s = Sitting(open_world(instance.fixture.blob), Limits(20, 50))
    s.next()
    s.call("memory_list")
    s.remembers({"memory/a.md": "tea"})
    s.reply("All right.")
    s.call("memory_list")
    s.close("completed")
    sealed = seal_attempt(s, instance, Plain(lambda m, t: ""), n=1, tries=1, repeat=1)
    again = replay(open_bundle(sealed.data), instance, 2)
    assert again.world.value("SELECT count(*) FROM exam_ledger WHERE name = 'memory.seen'") == 1
