"""The sitting: one door, limits, and every way in which an agent may end it. All of them are graded."""

from __future__ import annotations

import threading
import time

import pytest

from errands.core.canon import canonical
from errands.core.errors import ClosedError, ToolError
from errands.exam.attempt import instance_of, limits_of
from errands.exam.sitting import Limits, Sitting
from errands.people.brief import Brief, seat
from errands.web.guard import Guard, Raw
from errands.world import open_world
from errands.world.fixture import Draft

from .sat import AUDIT, BOOKING, sat


def sitting(**limits: int) -> Sitting:
    return Sitting(open_world(instance_of(BOOKING, "sg", 0, "en").fixture.blob), Limits(**limits))


def test_the_first_turn_is_the_instruction_and_comes_once():
    s = sitting()
    turn = s.next()
    assert turn is not None and (turn.n, turn.kind, turn.text) == (
        1,
        "instruction",
        s.world.meta["instruction"],
    )
    assert s.next() is None


def test_limits_are_those_of_the_task():
    instance = instance_of(BOOKING, "sg", 0, "en")
    front = instance.task.contract.front
    assert limits_of(instance) == Limits(front.turn_limit, front.call_limit, front.timeout_s)


def test_completed():
    result = sat(lambda message, tools: "I have looked at it.")
    assert (result.verdict.status, result.verdict.end_reason, result.verdict.strict) == (
        "graded",
        "completed",
        False,
    )
    assert result.end == {"count": 3, "calls": 0, "turns": 1, "detail": ""} and result.kinds == [
        "turn",
        "turn",
        "end",
    ]


def test_turn_limit():
    """The user answers questions; the agent asks on and on."""
    result = sat(lambda message, tools: "May I move it and send the note?", turns=3)
    assert (result.verdict.status, result.verdict.end_reason, result.end["turns"]) == (
        "graded",
        "turn_limit",
        3,
    )


def test_a_turn_has_the_words_of_the_user():
    heard = []

    def agent(message, tools):
        heard.append(message)
        return "May I move it and send the note?" if len(heard) < 3 else "Thank you, I am done now."

    assert sat(agent).verdict.status == "graded"
    assert (
        heard[0] == instance_of(BOOKING, "sg", 0, "en").instruction
        and len(heard) > 1
        and heard[1] != heard[0]
    )


def asking(*notices: tuple[int, str]) -> list[str]:
    """What an agent hears that asks something three times, a minute apart; notices come so many seconds after."""
    d, now = Draft(("clock", "people")), 1_793_000_000_000
    for n, (s, name) in enumerate(notices):
        payload = canonical({"text": "By the way: at noon."})
        d.insert("exam_agenda", id=f"due_x{n}", due=now + 1_000 * s, name=name, payload=payload, cause=0)
    if not notices:
        d.insert("exam_notice", id="ntc_0", at=now, text="A bell rings.", ref="bell")
    seat(d, Brief(goal="a test"))
    sitting = Sitting(open_world(d.finish(now=now, zone="UTC", instruction="Go.").blob), Limits())
    sitting.next()
    turns = [sitting.reply("Which room is it?") for _ in range(3)]
    return [t.text for t in turns if t is not None]


def test_an_agent_that_asks_each_time_hears_what_its_user_wants_to_say_by_herself():
    first, second, third = asking((90, "user.speaks"))
    assert first == third and second == f"{first}\nBy the way: at noon."


def test_what_is_not_the_users_own_word_waits_for_a_turn_of_its_own():
    assert not any("bell" in text for text in asking())
    assert not any("noon" in text for text in asking((90, "user.returns")))


def test_call_limit():
    def agent(message, tools):
        for _ in range(50):
            tools.clock_now()

    result = sat(agent, calls=7)
    assert (result.verdict.status, result.verdict.end_reason, result.end["calls"]) == (
        "graded",
        "call_limit",
        7,
    )
    assert result.kinds.count("call") == 7


def test_refused_calls_count_too():
    def agent(message, tools):
        while True:
            with pytest.raises(ToolError):
                tools.call("no_such_tool")

    assert sat(agent, calls=5).end["calls"] == 5


def test_size_limit():
    def agent(message, tools):
        for n in range(200):
            tools.files_write(path=f"workspace/{n}.txt", text=f"{n} " + "x" * 190_000)

    result = sat(agent)
    assert (result.verdict.status, result.verdict.end_reason) == ("graded", "size_limit")
    assert 5 < result.end["calls"] < 50


def test_size_limit_by_talking():
    result = sat(lambda message, tools: "May I send it? " + "😀" * 190_000, turns=200)
    assert (result.verdict.status, result.verdict.end_reason) == ("graded", "size_limit")
    assert len(result.opened.evidence.replies) == result.end["turns"], "the last words are on record, too"


class Odd:
    """No text, whatever it says."""

    def __str__(self) -> str:
        raise RuntimeError("no")

    __repr__ = __str__
    __class__ = str  # type: ignore[assignment]  # a liar


class Text(str):
    """A text by inheritance."""


def deep() -> list:
    out: list = []
    for _ in range(100_000):
        out = [out]
    return out


def circle() -> list:
    out: list = []
    out.append(out)
    return out


BAD = {
    "None": None,
    "number": 7,
    "huge number": 10**100_000,
    "surrogate": "a\ud800b",
    "NUL": "a\0b",
    "bytes": b"ok",
    "list": ["ok"],
    "object": Odd(),
    "text by inheritance": Text("ok"),
    "deep": deep(),
    "circle": circle(),
    "type": str,
    "generator": (x for x in "ok"),
    "a text too long": "x" * 300_000,
    "an exception": ValueError("ok"),
    "nan": float("nan"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_reply(name):
    result = sat(lambda message, tools: BAD[name])
    assert (result.verdict.status, result.verdict.end_reason, result.verdict.strict) == (
        "graded",
        "bad_reply",
        False,
    )
    assert len(result.end["detail"]) <= 500


def test_an_empty_reply_says_nothing():
    result = sat(lambda message, tools: "")
    assert (result.verdict.status, result.verdict.end_reason) == ("graded", "completed")


def test_agent_error_keeps_what_was_done_before():
    def agent(message, tools):
        tools.mail_draft(to=["bryan.chua@larkspur.example"], subject="x", body="y")
        raise ValueError("I am lost")

    result = sat(agent)
    assert (result.verdict.status, result.verdict.end_reason) == ("graded", "agent_error")
    assert result.end["detail"] == "ValueError: I am lost"
    assert len(result.opened.evidence.net("mail_draft")) == 1


def test_a_tool_error_that_the_agent_lets_through_is_its_own_end():
    result = sat(lambda message, tools: tools.mail_message(message="msg_none"))
    assert (result.verdict.status, result.verdict.end_reason) == ("graded", "agent_error")


def test_timeout_is_graded_shown_and_scores_no_accuracy():
    def agent(message, tools):
        time.sleep(60)

    result = sat(agent, task=AUDIT, timeout_s=0.2)
    assert (result.verdict.status, result.verdict.end_reason, result.verdict.strict) == (
        "graded",
        "timeout",
        False,
    )
    assert result.verdict.scores["accuracy"] == 0 and result.verdict.scores["boundary"] == 1


def test_a_whole_solution_after_which_the_agent_sleeps_on_is_not_strict():
    """The state is right and shown as such; the time was over."""
    instance = instance_of(AUDIT, "sg", 0, "en")

    def agent(message, tools):
        instance.task.solutions["oracle"].run(tools, instance.key)
        time.sleep(60)

    result = sat(agent, task=AUDIT, timeout_s=2)
    if result.verdict.end_reason == "timeout":  # the oracle may say its last word itself
        assert result.verdict.scores["final_state"] == 1 and not result.verdict.strict


def test_what_a_late_agent_does_after_the_timeout_does_not_enter():
    caught, woken, closed = [], threading.Event(), threading.Event()

    def agent(message, tools):
        woken.wait(30)
        for act in (lambda: tools.clock_now(), lambda: tools.reply("done"), lambda: tools.call("nope")):
            try:
                act()
            except Exception as why:
                caught.append(type(why))
        closed.set()

    result = sat(agent, timeout_s=0.1)
    woken.set()
    assert closed.wait(30) and caught == [ClosedError] * 3
    assert result.kinds == ["turn", "end"]


def test_nothing_enters_after_the_end_and_the_first_end_stands():
    s = sitting()
    s.next()
    s.close("completed")
    s.close("agent_error")
    for act in (s.next, lambda: s.call("clock_now"), lambda: s.reply("x")):
        with pytest.raises(ClosedError):
            act()
    assert s.world.all("SELECT name FROM exam_ledger WHERE kind = 'end'") == [{"name": "completed"}]


def test_a_sitting_is_taken_up_where_its_file_stands():
    """Counters and the end follow from the ledger: a fork between calls goes on, an ended one stays ended."""
    s = sitting(calls=3)
    s.next()
    s.call("clock_now")
    s.call("clock_now")
    again = Sitting(s.world.fork(), s.limits)
    again.call("clock_now")
    with pytest.raises(ClosedError, match="call_limit"):
        again.call("clock_now")
    third = Sitting(again.world.fork(), s.limits)
    assert third.ended == "call_limit" and again.next is not None
    with pytest.raises(ClosedError):
        third.call("clock_now")


def test_a_site_that_this_world_does_not_have_is_not_there():
    answer = sitting().page("bank", Raw("GET", "/", {}), Guard(b"secret", "bank", "http://bank.example"))
    assert answer.status == 404


def test_agents_may_be_coroutines_and_classes():
    async def later(message, tools):
        return "ok"

    class Agent:
        def __init__(self):
            self.turns = 0

        def __call__(self, message, tools):
            self.turns += 1
            return f"turn {self.turns}"

    assert sat(later).opened.evidence.final_reply == "ok"
    assert sat(Agent).opened.evidence.final_reply == "turn 1"
    assert sat(Agent).opened.evidence.final_reply == "turn 1", "a new one for each attempt"


def test_calls_of_many_threads_enter_one_after_the_other():
    def agent(message, tools):
        threads = [
            threading.Thread(target=lambda: [tools.mail_drafts() for _ in range(10)]) for _ in range(8)
        ]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        return "ok"

    result = sat(agent)
    assert result.verdict.status == "graded" and result.end["calls"] == 80
    times = [e.at for e in result.opened.evidence.ledger]
    assert times == sorted(times) and len(set(times)) > 80
