"""Declared faults (rule 11): applied or not, answered or not, by count, late, or from the past."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errands.core.errors import ToolError
from errands.world.ledger import content_digest

from .looks import rows, sound
from .test_invariants import SCRIPT, play
from .toy import world

MAKE = {"label": "new"}
SECOND = 1_000


def made(w) -> bool:
    return w.value("SELECT count(*) FROM toy_box WHERE label = 'new'") == 1


@pytest.mark.parametrize("answered", [0, 1])
@pytest.mark.parametrize("applied", [0, 1])
def test_applied_and_answered_are_two_things(applied, answered):
    w = world(faults=[{"tool": "toy_make", "applied": applied, "answered": answered, "code": "timeout"}])
    if applied and answered:
        assert w.call("toy_make", MAKE).startswith("box_")
    else:
        with pytest.raises(ToolError) as caught:
            w.call("toy_make", MAKE)
        assert caught.value.code == "timeout" and "may or may not" in caught.value.message
    assert made(w) == bool(applied)
    body = rows(w, "call")[0]["body"]
    assert body["fault"] == "flt_0"
    assert ("done" in body) == (applied and not answered) and ("error" in body) == (
        not (applied and answered)
    )
    assert len([e for e in rows(w, "effect") if e["name"] == "toy_box"]) == applied
    sound(w)


@pytest.mark.parametrize("code", ["timeout", "unavailable", "limit", "conflict", "teapot"])
def test_the_caller_reads_the_declared_code(code):
    with pytest.raises(ToolError) as caught:
        world(faults=[{"tool": "toy_make", "code": code}]).call("toy_make", MAKE)
    assert caught.value.code == code and caught.value.message


def outcomes(w, n: int, fork: bool = False) -> str:
    """`x` for a call that was refused, `.` for one that was not."""
    out = ""
    for _ in range(n):
        w = w.fork() if fork else w
        try:
            w.call("toy_look", {"box": "box_0"})
            out += "."
        except ToolError:
            out += "x"
    return out


@pytest.mark.parametrize("fork", [False, True])
@pytest.mark.parametrize(
    ("skip", "times", "seen"),
    [(0, 1, "x....."), (2, 1, "..x..."), (1, 3, ".xxx.."), (0, 0, "......"), (3, 0, "......")],
)
def test_skip_and_times_count_calls_also_through_forks(skip, times, seen, fork):
    w = world(faults=[{"tool": "toy_look", "skip": skip, "times": times}])
    assert outcomes(w, 6, fork) == seen


def test_several_faults_of_a_tool_take_turns_and_other_tools_do_not_count():
    w = world(faults=[{"tool": "toy_look", "skip": 1}, {"tool": "toy_make"}, {"tool": "toy_look", "skip": 1}])
    assert outcomes(w, 6) == ".x.x.."
    with pytest.raises(ToolError):
        w.call("toy_make", MAKE)
    w.call("toy_make", MAKE)


def test_a_call_that_is_refused_at_the_door_does_not_count():
    w = world(faults=[{"tool": "toy_look"}])
    for args in ({"box": 7}, {}, "box_0"):
        with pytest.raises(ToolError, match="invalid"):
            w.call("toy_look", args)
    assert outcomes(w, 2) == "x."


def test_the_count_is_an_effect_of_the_call():
    w = world(faults=[{"tool": "toy_look"}])
    outcomes(w, 1)
    (effect,) = rows(w, "effect")
    assert effect["name"] == "exam_fault" and effect["cause"] == rows(w, "call")[0]["seq"]
    sound(w)


def test_a_delay_passes_on_the_virtual_clock_only():
    w = world(faults=[{"tool": "toy_make", "applied": 1, "delay_ms": 45 * SECOND}])
    start = w.now
    w.call("toy_make", MAKE)
    assert w.now == start + 3 * SECOND + 45 * SECOND
    w.call("toy_make", {"label": "newer"})
    assert w.now == start + 3 * SECOND + 45 * SECOND + 3 * SECOND


def test_what_falls_due_during_a_delay_happens_after_the_call_at_its_own_time():
    w = world(faults=[{"tool": "toy_make", "delay_ms": 10 * 60 * SECOND}])
    w.call("toy_later", {"minutes": 5, "label": "late"})
    due = w.value("SELECT due FROM exam_agenda")
    with pytest.raises(ToolError):
        w.call("toy_make", MAKE)
    event, call = rows(w, "event")[0], rows(w, "call")[1]
    assert event["at"] == due and call["at"] < due and call["seq"] < event["seq"]


# ---- stale reads ------------------------------


def stale(lag_s: int, skip: int = 0):
    return world(faults=[{"tool": "toy_look", "applied": 1, "lag_ms": lag_s * SECOND, "skip": skip}])


def test_a_stale_read_shows_the_past_and_puts_the_present_back():
    w = stale(60)
    w.call(
        "toy_relabel", {"box": "box_0", "label": "beta"}
    )  # REPLACE throws box_1 away, cascades take six things
    w.call("toy_put", {"box": "box_0", "weight": 5})
    before, rows_sum = content_digest(w.db, w.ledger.tables), w.ledger.rows_sum
    past = w.call("toy_look", {"box": "box_0"})
    assert past["label"] == "alpha" and len(past["things"]) == 3
    assert [e["name"] for e in rows(w, "effect")][-1] == "exam_fault", "undoing is not in the ledger"
    now = w.call("toy_look", {"box": "box_0"})
    assert now["label"] == "beta" and [t["weight"] for t in now["things"]] == [5]
    w.run("UPDATE exam_fault SET times = 1")  # as it was before the read
    assert content_digest(w.db, w.ledger.tables) == before
    assert w.ledger.rows_sum != rows_sum  # only the fault's count went down
    w.call("tock_wait", {"minutes": 0})
    sound(w)


def test_a_stale_read_that_fails_puts_the_present_back_too():
    w = stale(60)
    ident = w.call("toy_make", MAKE)
    with pytest.raises(ToolError, match="not_found"):
        w.call("toy_look", {"box": ident})
    assert w.call("toy_look", {"box": ident})["label"] == "new"
    assert w.value("PRAGMA foreign_keys") == 1
    sound(w)


def test_staleness_is_for_reads_a_write_is_done_now_and_stays():
    w = world(faults=[{"tool": "toy_make", "applied": 1, "lag_ms": 60 * SECOND}])
    w.call("toy_make", MAKE)
    assert made(w)
    sound(w)


QUIET = SCRIPT.map(lambda s: [x for x in s if x[0] not in ("toy_look", "toy_bad_read", "toy_later")])


@settings(max_examples=100, deadline=None)
@given(QUIET, st.integers(0, 60))
def test_a_stale_read_equals_what_a_read_would_have_said_then(script, lag_s):
    w, then = stale(lag_s), world()
    play(w, script)
    for step in script:
        if then.now > w.now - lag_s * SECOND:
            break
        play(then, [step])
    recorded = w.ledger.rows_sum
    assert play(w, [("toy_look", {"box": "box_0"})]) == play(then, [("toy_look", {"box": "box_0"})])
    fault = json.loads(w.value("SELECT body FROM exam_ledger WHERE name = 'exam_fault'"))
    assert fault["before"]["times"] == 1 and fault["after"]["times"] == 0
    assert lag_s == 0 or w.ledger.rows_sum != recorded
    sound(w)
