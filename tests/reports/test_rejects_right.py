"""Reports B, 16–25: a verifier takes a right result for a wrong one, or one answer for two. (26, 27: the user.)"""

from __future__ import annotations

import socket
from contextlib import suppress
from decimal import Decimal

import pytest

from errands.agents.function import FunctionAgent
from errands.agents.reference import reference
from errands.core.errors import TaskError
from errands.core.money import Money
from errands.doors import Seat
from errands.evidence.regrade import open_bundle, regrade
from errands.exam.attempt import sit as sit_and_seal
from errands.exam.attempt import verdict_json
from errands.exam.replay import replay
from errands.grading.compare.dates import read_date
from errands.grading.compare.money import same_money
from errands.grading.compare.numbers import same_number
from errands.grading.compare.phones import same_phone
from errands.languages.text import sentences
from errands.tasks.task import Instance

from ..doors.mcp_seat import connected
from .bench import EACH, HERE, TASKS, abroad, idle, required, sit, solved, solving
from .seats import TABLE, Saying, as_objects, recorded

RIGHT = [(i, n) for i in HERE for n, s in i.task.solutions.items() if s.role != "wrong"]
EVERY = [(i, n) for i in HERE for n in i.task.solutions]


def shown(pairs: list[tuple[Instance, str]]) -> dict[str, object]:
    return {"argvalues": pairs, "ids": [f"{i.task.id}-{n}" for i, n in pairs]}


# ---- 16, 17, 18 -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("instance", "name"), **shown(RIGHT))
def test_16_each_declared_way_is_a_pass_on_its_own(instance, name):
    """Alternatives were honoured by two evaluators and not by the third. Here the oracle and every alternative of
    Task.md are full passes, each alone."""
    got = solved(instance, name)
    assert got.verdict.strict and got.verdict.scores["accuracy"] == 1, got.unmet


@pytest.mark.parametrize(
    "zero", ["0", "0.00", "$0", "$0.00", "S$0.00", "SGD 0", "0 SGD", "٠", "０", 0, 0.0, Decimal(0)]
)
def test_17_nothing_is_nothing_however_it_is_written(zero):
    """ "$0.00" was wrong where "0" was expected. Here a typed value has one meaning in all its spellings."""
    assert same_money(zero, Money(0, "SGD"))
    assert not same_money(zero, Money(1, "SGD"))
    if not isinstance(zero, str) or (zero[0].isdigit() and zero[-1].isdigit()):
        assert same_number(zero, 0)


def test_17_and_so_for_days_and_numbers_of_telephones():
    for text in (
        "Oct 21st 2026",
        "21 October 2026",
        "2026-10-21",
        "21/10/26",
        "令和8年10月21日",
        "21 ต.ค. 2569",
    ):
        assert str(read_date(text)) == "2026-10-21", text
    for text in ("+66 81 234 5678", "081-234-5678", "๐๘๑-๒๓๔-๕๖๗๘", "0066812345678"):
        assert same_phone(text, "081 234 5678", "th"), text


DRESSES = {
    "between courtesies": lambda t: f"👋\n\n{t}\n\n🙏",
    "a sentence a line": lambda t: "\n".join(sentences(t)),
    "as a list": lambda t: "\n".join(f"- {s}" for s in sentences(t)),
    "under a heading, in bold type": lambda t: (
        "## Summary\n\n" + "\n".join(f"**{s}**" if s.strip() else s for s in t.splitlines())
    ),
    "with other line ends and spaces": lambda t: (
        t.replace("\n", "  \r\n").replace(" ", "\u00a0") + "\u200b\n\n"
    ),
}


@pytest.mark.parametrize("dress", DRESSES)
@pytest.mark.parametrize("instance", [*HERE, *map(abroad, TASKS)], ids=lambda i: f"{i.name}-{i.language}")
def test_18_what_is_said_may_be_said_in_any_dress(instance, dress):
    """Exact words were demanded in free prose. Here the right last words pass in five dresses, in English and in the
    language of a market; other wordings are measured in tests/grading."""
    got = solving(instance, lambda s: Saying(s, DRESSES[dress]))
    assert got.verdict.strict, [c for c in got.verdict.criteria if c.result != "met"]


# ---- 19, 20 ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("instance", "name"), **shown(EVERY))
def test_19_two_ways_to_a_verdict_agree_to_the_byte(instance, name):
    """One answer passed in one harness and failed in its sibling. Here the verdict in the process of the attempt and
    the one from the sealed bundle, with a key that was written and read again, are the same bytes."""
    agent = reference(name)
    assert agent is not None
    done = sit_and_seal(agent, instance)
    again = regrade(open_bundle(done.sealed.data), instance.key.to_json())
    assert done.verdict is not None
    assert (
        verdict_json(again, {})
        == verdict_json(done.verdict, {})
        == verdict_json(solved(instance, name).verdict, {})
    )


@pytest.mark.parametrize("instance", **EACH)
def test_20_the_answer_is_worked_out_from_the_world_and_not_typed(instance):
    """The newest post was taken from the wrong list. Here the key is recomputed with the fixture, comes out the same,
    and is another for other variants; the lint finds no typed answer in the code."""
    task, market = instance.task, instance.market
    again = task._make(market, 0, instance.language)
    assert again.key.to_json() == instance.key.to_json()
    assert again.fixture.digest == instance.fixture.digest
    keys = [task.instance(market, v).key.to_json() for v in range(min(4, task.contract.front.variants))]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("instance", **EACH)
def test_20_the_answer_of_one_variant_is_wrong_in_the_next(instance):
    """An answer that was typed would be right everywhere."""
    other = instance.task.instance(instance.market, 1 % instance.task.contract.front.variants)

    def run(sitting):
        sitting.next()
        with suppress(TaskError):  # what it looks for may not be there
            instance.task.solutions["oracle"].run(Seat(sitting), other.key)

    assert not sit(instance, run).verdict.strict


# ---- 21, 22 ---------------------------------------------------------------------------------------------------


class Foreign(FunctionAgent):
    """The oracle as a foreign agent, in a thread of its own."""

    def __init__(self, instance: Instance):
        super().__init__("oracle.py", "oracle.py", "agent")
        self.instance = instance

    def sit(self, sitting, instance, desk):
        sitting.next()
        self.instance.task.solutions["oracle"].run(Seat(sitting), self.instance.key)


@pytest.mark.parametrize("instance", **EACH)
def test_21_the_same_acts_by_another_surface_have_the_same_verdict(instance):
    """The order was right, and the page's address was looked at. Here only rows count: by Python, as a foreign agent,
    by MCP and taken over from a record, the same acts leave the same world and the same verdict."""
    from errands.doors.mcp import Host

    right = solved(instance)
    opened = open_bundle(sit_and_seal(Foreign(instance), instance).sealed.data)
    assert regrade(opened, instance.key.to_json()) == right.verdict
    assert opened.manifest["world_digest"] == right.world_digest
    calls = sum(e.kind == "call" and e.actor == "agent" for e in opened.evidence.ledger)
    taken_over = replay(opened, instance, calls)
    assert taken_over.world.ledger.seq >= calls
    host = Host()
    host.run_in_thread()
    try:

        def by_mcp(sitting):
            with connected(host.url(host.open(sitting))) as seat:
                instance.task.solutions["oracle"].run(seat, instance.key)

        got = sit(instance, by_mcp)
    finally:
        host.stop()
    assert (got.verdict, got.world_digest) == (right.verdict, right.world_digest)


@pytest.mark.parametrize("instance", **EACH)
def test_22_what_is_expected_is_not_what_there_was(instance):
    """The expected end was a copy of the start, so that a right run always failed. Here the oracle's end differs from
    the start, and it alone is a pass."""
    right, nothing = solved(instance), idle(instance)
    assert right.verdict.strict and not nothing.verdict.strict
    assert right.world_digest != nothing.world_digest
    assert list(right.evidence.changed_tables()) and not list(nothing.evidence.changed_tables())
    for tool, args, _ in recorded(instance)[0].done:
        assert tool != TABLE or as_objects(args), "an empty list would be expected"


# ---- 24, 25 ---------------------------------------------------------------------------------------------------


def refuse(*_, **__):
    raise AssertionError("something outside is needed")


@pytest.mark.parametrize("instance", **EACH)
def test_24_the_reference_needs_nothing_from_outside(instance, monkeypatch):
    """References failed for want of an outside resource. Here building, sitting and grading need no network."""
    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)
    fresh = instance.task._make(instance.market, 0, instance.language)
    assert solving(fresh, Seat).verdict.strict


@pytest.mark.parametrize("instance", **EACH)
def test_25_twenty_times_the_start_fails_and_the_reference_passes(instance):
    """Gold sometimes failed, and what must fail sometimes passed. Here, twenty times each, nothing flips."""
    right = {(g.verdict.strict, g.world_digest) for g in (solving(instance, Seat) for _ in range(20))}
    wanted = tuple(sorted(required(instance)))
    nothing = {
        (tuple(sorted(required(instance) & g.unmet)), g.world_digest)
        for g in (sit(instance, lambda s: s.next()) for _ in range(20))
    }
    assert right == {(True, solved(instance).world_digest)}
    assert nothing == {(wanted, idle(instance).world_digest)}
