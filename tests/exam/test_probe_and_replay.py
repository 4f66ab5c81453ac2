"""The probing attempt, and taking over a recorded one: plumbing told from skill, rows that come out again."""

from __future__ import annotations

import time

import pytest

from errands.agents.reference import reference
from errands.core.errors import EvidenceError, UsageError
from errands.core.types import Turn
from errands.core.usage import Usage
from errands.evidence.regrade import open_bundle
from errands.exam.attempt import instance_of, sit
from errands.exam.desk import Desk, NoAccess
from errands.exam.probe import Probe, estimate, probe
from errands.exam.replay import replay

from .sat import AUDIT, BOOKING, Plain


def instance(task: str = BOOKING, market: str = "sg", variant: int = 0):
    return instance_of(task, market, variant, "en")


def bad(fn) -> list[str]:
    return [name for name, good, _ in probe(Plain(fn), instance()).checks if not good]


def works(message, tools):
    tools.mail_search(query="guideline")
    return "I had a look."


def test_an_agent_that_does_the_errand_badly_has_sound_plumbing():
    seen = probe(Plain(works), instance())
    assert seen.ok and [name for name, _, _ in seen.checks] == [
        "replies",
        "calls a tool",
        "second turn",
        "stops",
    ]
    assert 0 < seen.first_s <= seen.wall_s and seen.usage is None and seen.cost_usd is None


def test_each_broken_pipe_is_told_from_the_others():
    def no_words(message, tools):
        tools.mail_search(query="x")
        return ""

    def wrong_arguments(message, tools):
        try:
            tools.mail_search(qwery="x")
        except Exception:
            return "it did not work"
        return "it did"

    def raises_later(message, tools):
        tools.mail_search(query="x")
        if "finished" in message:
            raise ValueError("second turn")
        return "first turn"

    assert bad(no_words) == ["replies"]
    assert bad(lambda message, tools: "hello") == ["calls a tool"]
    assert bad(wrong_arguments) == ["calls a tool"]
    assert bad(raises_later) == ["second turn", "stops"]
    assert bad(lambda message, tools: 7) == ["replies", "calls a tool", "second turn", "stops"]


def test_no_access_is_said_and_not_taken_for_the_agents_fault():
    def dead(message, tools):
        raise NoAccess("401 Unauthorized", where="http://model.example")

    seen = probe(Plain(dead), instance())
    assert not seen.ok and "401 Unauthorized" in seen.trouble


def test_an_estimate_is_half_to_twice_of_what_was_seen():
    seen = Probe((), "", 1.0, 10.0, Usage(100, 0, 0, 20, 2), 0.05)
    guess = estimate(seen, 8, 2)
    assert guess["seconds"] == [20.0, 80.0] and guess["cost_usd"] == [0.2, 0.8] and guess["tokens"] == 960
    assert estimate(Probe((), "", None, 10.0, None, None), 8, 1)["cost_usd"] is None


# ---- taking over ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "market"), [(BOOKING, "sg"), (AUDIT, "kr"), ("ec-reschedule-three-party", "ae")]
)
def test_a_replay_stands_where_the_record_stood_after_each_call(task, market):
    i = instance(task, market, 1)
    opened = open_bundle(sit(reference("oracle"), i).sealed.data)
    calls = [e for e in opened.evidence.ledger if e.kind == "call" and e.actor == "agent"]
    for n in range(len(calls) + 1):
        sitting = replay(opened, i, n)
        rows = list(sitting.world.db.execute("SELECT * FROM exam_ledger ORDER BY seq"))
        recorded = [(e.seq, e.at, e.kind, e.cause, e.actor, e.name, e.ref) for e in opened.evidence.ledger]
        assert [r[:7] for r in rows] == recorded[: len(rows)]
        assert sum(r[2] == "call" and r[4] == "agent" for r in rows) == n
        assert not sitting.ended
    sitting.world.close()


def test_whoever_takes_over_can_do_it_otherwise():
    i = instance()
    opened = open_bundle(sit(reference("hasty"), i).sealed.data)
    sitting = replay(opened, i, 3)
    before = sitting.world.ledger.seq
    assert sitting.call("clock_now")["zone"] == "Asia/Singapore"
    assert sitting.world.ledger.seq == before + 1 and isinstance(sitting.reply("Shall I go on?"), Turn | None)


def test_what_cannot_be_taken_over_is_said():
    i = instance()
    opened = open_bundle(sit(reference("oracle"), i).sealed.data)
    with pytest.raises(UsageError, match=r"no call 999.*0 to"):
        replay(opened, i, 999)
    with pytest.raises(EvidenceError, match="another edition"):
        replay(opened, instance(variant=1), 1)


# ---- the agent's own end -------------------------------------------------------------------------


def test_a_fresh_session_gets_a_new_instance_of_a_class(monkeypatch):
    """A door whose second turn begins a fresh session: what the first instance knew is gone."""
    seen = []

    class Forgetful:
        def __init__(self):
            self.heard = []

        def __call__(self, message, tools):
            self.heard.append(message)
            seen.append(list(self.heard))
            return "ok"

    class Door:
        tools, left = [], [Turn(2, "user", "two", 0), Turn(3, "notice", "three", 0, fresh=True), None]

        def next(self):
            return Turn(1, "instruction", "one", 0)

        def reply(self, text):
            return self.left.pop(0)

    agent = Plain(lambda: None)
    agent.fn = Forgetful
    agent.sit(Door(), instance(), Desk())
    assert seen == [["one"], ["one", "two"], ["three"]]


def test_a_late_agent_is_stopped_through_its_desk():
    """What hangs on something outside is let go of when its time is over, so that nothing strays."""
    from errands.exam.sitting import Limits

    class Waits(Plain):
        def sit(self, sitting, instance, desk):
            sitting.next()
            desk.stopped.wait(30)

    begun = time.monotonic()
    sat = sit(Waits(lambda: None), instance(), limits=Limits(timeout_s=0.3))
    assert not sat.stray and time.monotonic() - begun < 5
    assert open_bundle(sat.sealed.data).manifest["end_reason"] == "timeout"
