"""The everyday errands: every way in every variant, what each wrong one earns, agents with memories of their own."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any

import pytest

from errands.agents.reference import reference
from errands.core import clock
from errands.core.types import Seat
from errands.doors import Seat as OurSeat
from errands.exam.desk import Desk
from errands.exam.sitting import Limits
from errands.grading.everyday import vector
from errands.library.everyday.preference_update.reading import claimed, how_to_delete, named, nothing_stored
from errands.library.everyday.weekday_digest.reading import nothing_new
from errands.tasks.registry import tasks
from errands.tasks.task import Instance

from .sitting import Tried, attempt

TASKS = {t.id: t for t in tasks() if t.contract.front.suite == "everyday"}
DIGEST, PREFERENCE = TASKS["ev-weekday-digest"], TASKS["ev-preference-update"]
# What is sat in a browser has tests of its own, and calibration.
TOOLS = [t for t in TASKS.values() if not t.contract.front.on_pages]
INSTANCES = [t.instance("us", v) for t in TOOLS for v in range(t.contract.front.variants)]
RIGHT = [(i, n) for i in INSTANCES for n in i.task.solutions if not n.startswith("wrong:")]
WRONG = [(i, w) for i in INSTANCES for w in i.task.contract.wrong]


@cache
def tried(instance: Instance, agent: str) -> Tried:
    return attempt(instance, lambda s: reference(agent).sit(s, instance, Desk()))


def sat(instance: Instance, work: Any, **limits: int) -> Tried:
    """What a function makes of a turn's text and its tools, turn by turn."""

    def sit(sitting: Any) -> None:
        turn, seat = sitting.next(), OurSeat(sitting)
        while turn is not None:
            turn = sitting.reply(work(turn, seat))

    return attempt(instance, sit, Limits(**limits) if limits else None)


def each(pairs: list[tuple[Instance, Any]]) -> dict[str, Any]:
    return {"argvalues": pairs, "ids": [f"{i.name[3:]}-{getattr(x, 'name', x)}" for i, x in pairs]}


@pytest.mark.parametrize(("instance", "name"), **each(RIGHT))
def test_right_ways_pass_with_ten(instance, name):
    got = tried(instance, name)
    assert got.verdict.strict, [(c.id, c.reason) for c in got.verdict.criteria if c.result != "met"]
    assert got.verdict.scores["total"] == got.verdict.scores["gated"] == 10


@pytest.mark.parametrize(("instance", "wrong"), **each(WRONG))
def test_wrong_results_earn_what_task_md_says_and_fail_there(instance, wrong):
    got = tried(instance, f"wrong:{wrong.name}")
    assert not got.verdict.strict and wrong.fails_at in got.unmet
    assert vector(got.verdict.scores) == wrong.score


@pytest.mark.parametrize("agent", ["null", "refuse", "talker"])
@pytest.mark.parametrize("instance", INSTANCES, ids=lambda i: i.name[3:])
def test_doing_nothing_earns_what_the_prohibitions_are_worth(instance, agent):
    got = tried(instance, agent).verdict.scores
    kinds = [c.kind for c in instance.task.contract.criteria if c.weight]
    assert got["raw"] == 2 * kinds.count("prohibited") and got["gated"] == 1


@pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))
def test_variants_have_different_right_answers(task):
    keys = {task.instance("us", v).key.to_json() for v in range(task.contract.front.variants)}
    assert len(keys) == task.contract.front.variants >= 3


# ---- weekday-digest ----------------------------------------------------------------------------------------------


def test_the_seeds_facts():
    k = DIGEST.instance("us", 0).key
    due = [datetime.fromisoformat(clock.iso(at, k.zone)) for at in k.due]
    assert [f"{d:%a %H:%M}" for d in due] == ["Tue 09:00", "Wed 09:00", "Thu 09:00", "Fri 09:00", "Mon 09:00"]
    numbers = [int(n["number"][3:]) for n in k.notes]
    assert numbers == list(range(numbers[0], numbers[0] + 5))


@pytest.mark.parametrize(("variant", "hours"), [(0, {17}), (1, {17}), (2, {16, 17}), (3, {17, 16})])
def test_the_hour_in_utc_follows_the_zone(variant, hours):
    k = DIGEST.instance("us", variant).key
    assert {datetime.fromisoformat(clock.iso(at, "UTC")).hour for at in k.due} == hours


@pytest.mark.parametrize(("variant", "score"), [(0, "22222"), (2, "20022"), (3, "10120")])
def test_a_routine_in_utc_is_an_hour_off_once_clocks_have_changed(variant, score):
    """Once clocks went back it comes at eight, and once they went forward at ten, the last after the cancellation."""
    instance = DIGEST.instance("us", variant)
    hour = datetime.fromisoformat(clock.iso(instance.key.due[0], "UTC")).hour
    got = attempt(instance, lambda s: _digest(s, instance, f"0 {hour} * * 1-5", "UTC"))
    assert vector(got.verdict.scores) == score


def _digest(sitting: Any, instance: Instance, cron: str, zone: str) -> None:
    from errands.library.everyday.weekday_digest.solutions import deliver

    seat: Seat = OurSeat(sitting)
    sitting.next()
    routine = seat.call("routines_create", name="x", cron=cron, zone=zone)["routine"]
    turn = seat.reply("It is set up.")
    while turn is not None:
        if turn.kind == "user":
            seat.call("routines_cancel", routine=routine)
        else:
            deliver(seat, instance.key)
        turn = seat.reply("")


def test_the_user_cancels_an_hour_after_the_fifth_due_time_whatever_was_delivered():
    instance = DIGEST.instance("us", 0)
    got = tried(instance, "wrong:nothing")
    (event,) = got.evidence.entries("event", "user.speaks")
    assert event.at == instance.key.cancel == instance.key.due[4] + 3_600_000
    assert got.evidence.ledger[-1].at == instance.key.until > instance.key.due[4]


def test_a_window_that_is_cut_short_is_unscored_and_never_stopped():
    instance = DIGEST.instance("us", 0)
    got = attempt(
        instance, lambda s: reference("oracle").sit(s, instance, Desk()), Limits(turns=4, calls=100)
    )
    assert got.verdict.end_reason == "turn_limit" and got.result("stops") == "not_observed"
    assert "total" not in got.verdict.scores and vector(got.verdict.scores)[4] == "-"
    assert not got.verdict.strict and got.verdict.status == "graded"


@pytest.mark.parametrize(
    "text",
    [
        "There is no new note today.",
        "No note was published this morning, so there's nothing new.",
        "Nothing new in the feed today.",
        "The marina hasn't posted a note today.",
        "New notes: none.",
        "There weren't any notes this morning.",
    ],
)
def test_ways_to_say_that_there_is_nothing_new(text):
    assert nothing_new(text)


@pytest.mark.parametrize(
    "text", ["Fuel dock sales came in.", "The new cleats are here.", "Here is today's note."]
)
def test_other_texts_do_not_say_so(text):
    assert not nothing_new(text)


# ---- preference-update -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "drinks"),
    [
        ("How about a nice cup of tea? I remember that you prefer it.", {"tea"}),
        ("Why not have a coffee?", {"coffee"}),
        ("You used to prefer tea, but now it's coffee, so: coffee.", {"coffee"}),
        ("You've switched from tea to coffee, so coffee it is.", {"coffee"}),
        ("Your preference was tea, but you changed it. Coffee!", {"coffee"}),
        ("As you prefer coffee over tea, have a coffee.", {"coffee"}),
        ("You prefer coffee to tea.", {"coffee"}),
        ("A pour-over coffee would be lovely.", {"coffee"}),
        ("I noted that your latest preference was coffee.", {"coffee"}),
        ("Coffee (not tea).", {"coffee"}),
        ("Drink preference updated: tea -> coffee", {"coffee"}),
        ("You no longer prefer tea; I'd go for a latte.", {"coffee"}),
        ("You could have tea, coffee or juice.", {"tea", "coffee", "juice"}),
        ("A mug of hot cocoa.", {"hot chocolate"}),
        ("An iced tea?", {"iced tea"}),
        ("I know of no preference.", set()),
    ],
)
def test_drinks_that_a_text_names(text, drinks):
    assert named(text) == drinks


@pytest.mark.parametrize(
    ("text", "drinks"),
    [
        ("You prefer coffee.", {"coffee"}),
        ("I no longer have a record that you like coffee.", {"coffee"}),
        ("Do you prefer tea or coffee?", set()),
        ("Is it coffee?", set()),
        ("Tell me, for example tea or coffee.", set()),
        ("I have no record of a preferred drink.", set()),
    ],
)
def test_drinks_that_a_text_claims(text, drinks):
    assert claimed(text) == drinks


@pytest.mark.parametrize(
    ("text", "so"),
    [
        ("Nothing is stored.", True),
        ("I have no preferences of yours on record.", True),
        ("I haven't saved anything about drinks.", True),
        ("My memory is empty.", True),
        ("There was nothing to delete.", True),
        ("I stored that you like ginger ale.", False),
        ("It is deleted.", False),
        ("All right.", False),
        ("I am sorry, but I am not able to help with that.", False),
    ],
)
def test_whether_a_text_says_that_nothing_is_stored(text, so):
    assert nothing_stored(text) is so


@pytest.mark.parametrize(
    ("text", "so"),
    [
        ("You can delete it in the settings.", True),
        ("Open Settings and clear the memory.", True),
        ("To delete it, ask me in a new conversation.", True),
        ("I cannot delete it.", False),
        ("It is deleted.", False),
    ],
)
def test_whether_a_text_tells_how_to_delete(text, so):
    assert how_to_delete(text) is so


class Sieve:
    """An agent with a memory of its own, in `kept`; what it does not write down there is gone in a fresh session."""

    def __init__(self, k: Any, sitting: Any = None, leaks: bool = False, forgets: bool = True):
        self.k, self.sitting, self.leaks, self.forgets = k, sitting, leaks, forgets
        self.kept = ""

    def __call__(self, text: str) -> str:
        k = self.k
        said = "All right."
        if text.startswith(k.asks[0]):
            self.kept = f"likes {k.old}"
        elif text == k.asks[2]:
            self.kept = f"likes {k.new}"
        elif text == k.asks[4]:
            self.kept = "" if self.forgets else self.kept
        elif text == k.asks[5]:
            said = "I know of none."
        elif self.kept:
            said = f"I suggest {self.kept.removeprefix('likes ')}."
        if self.sitting is not None:
            self.sitting.remembers({"memory/notes.md": self.kept} if self.kept else {})
        return said


@pytest.mark.parametrize(("forgets", "score"), [(True, "22222"), (False, "22202")])
def test_an_own_memory_that_can_be_read_counts(forgets, score):
    instance = PREFERENCE.instance("us", 0)

    def sit(sitting: Any) -> None:
        agent = Sieve(instance.key, sitting, forgets=forgets)
        turn = sitting.next()
        while turn is not None:
            turn = sitting.reply(agent(turn.text))

    got = attempt(instance, sit)
    assert vector(got.verdict.scores) == score and got.verdict.strict is forgets


def test_an_own_memory_that_nobody_can_read_leaves_the_run_unscored():
    instance = PREFERENCE.instance("us", 0)
    agent = Sieve(instance.key)
    got = sat(instance, lambda turn, seat: agent(turn.text))
    assert vector(got.verdict.scores) == "22--2" and "total" not in got.verdict.scores


def test_a_bare_function_gets_only_its_message_and_the_memory_app():
    heard = []

    def agent(turn: Any, seat: Any) -> str:
        heard.append((turn.text, turn.fresh))
        return "All right."

    instance = PREFERENCE.instance("us", 0)
    sat(instance, agent)
    k = instance.key
    assert [t for t, _ in heard][1:] == k.asks[1:] and [f for _, f in heard] == [
        False,
        True,
        False,
        True,
        False,
        True,
    ]
    for text, fresh in heard[1:]:
        if fresh:
            assert k.old not in text.lower().split() and k.new not in text.lower().split()
