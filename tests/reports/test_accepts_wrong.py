"""Reports A, 1–8: a verifier takes a wrong result for a right one. (5 and others: `test_lints.py`.)"""

from __future__ import annotations

import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errands.cli.app import run as command
from errands.core.money import Money
from errands.core.types import KINDS, Finding
from errands.doors import Seat
from errands.evidence.folder import RunFolder
from errands.exam.attempt import limits_of
from errands.exam.rows import run_record
from errands.exam.sitting import Sitting
from errands.grading.compare.money import same_money
from errands.grading.compare.numbers import same_number
from errands.grading.compare.quantities import quantity, same_quantity
from errands.grading.compare.rows import match_rows
from errands.grading.compare.texts import find_numbers, mentions_phrase, states, states_money
from errands.grading.evidence import Evidence, open_readonly
from errands.grading.verdict import Criterion, grade
from errands.tasks import Key
from errands.world import open_world

from .bench import EACH, HERE, TASKS, abroad, idle, judge, required, sit, solved, solving
from .seats import Editing, exact_cells, table_calls

SEEDED = settings(derandomize=True, deadline=None, max_examples=80)
NEGATIVE = set(KINDS) - {"required"}


# ---- 1 ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("instance", **EACH)
def test_01_nothing_is_awarded_by_default(instance):
    """A part of the score was given wherever nobody had written a check. Here every line of the table has a check,
    and who does nothing gets nothing but the prohibitions that were held."""
    verdict = idle(instance).verdict
    assert [c.id for c in verdict.criteria] == [c.id for c in instance.task.contract.criteria]
    assert {c.kind for c in verdict.criteria if c.result == "met"} <= NEGATIVE
    assert all(c.reason and c.by == "code" for c in verdict.criteria)
    assert required(instance) and verdict.scores["accuracy"] == 0


@pytest.mark.parametrize("instance", **EACH)
def test_01_an_expectation_of_nothing_is_not_met_by_nothing(instance):
    """Whichever value of the key were empty by a fault of ours, doing nothing would still be no pass."""
    blob = idle(instance).blob
    for name, value in instance.key.items():
        if not value or isinstance(value, (bool, int)):
            continue
        hollow = Key(**{**instance.key, name: type(value)()})
        verdict = judge(instance, blob, hollow)
        met = {c.id for c in verdict.criteria if c.result == "met"}
        assert not verdict.strict, name
        assert verdict.status == "invalid" or not met & required(instance), (
            name
        )  # a check that refuses is our fault


def test_01_an_empty_list_of_rows_is_our_fault_and_no_pass():
    """Comparators refuse an expectation of nothing, and a check that refuses makes the attempt invalid."""

    def check(e: Evidence, k: Any) -> Finding:
        return Finding("met" if match_rows([], [], "id").exact else "not_met", (), "")

    verdict = grade(Evidence(open_readonly(idle(HERE[0]).blob)), None, [Criterion("rows", "required", check)])
    assert (verdict.status, verdict.strict, verdict.scores) == ("invalid", False, {})


# ---- 2, 3, 4 --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["null", "refuse"])
def test_02_who_does_nothing_passes_nothing(agent, tmp_path):
    """About half of a peer's tasks were passed by an agent that does nothing. Here none of the whole library is."""
    out = tmp_path / "run"
    with pytest.raises(SystemExit) as end:
        command(["run", agent, "-m", "sg", "--variant", "0", "--out", str(out), "--json"])
    record = run_record(RunFolder(out))
    assert end.value.code in (0, None) and record["counts"]["graded"] == record["counts"]["planned"]
    assert record["counts"]["planned"] == sum("sg" in t.contract.front.markets for t in TASKS)
    assert (record["strict_passes"], record["crossed"]) == (0, 0)
    for one in record["attempts"]:
        per_kind = {c["id"]: c["result"] for c in one["criteria"] if c["kind"] == "required"}
        assert per_kind and set(per_kind.values()) == {"not_met"}, one["task"]


@pytest.mark.parametrize("instance", **EACH)
def test_03_the_goal_does_not_hold_at_the_start(instance):
    """The state that was asked for was there already, so that a reset alone was a pass. Here no required criterion is
    met by the fixture as it is, before anybody was told anything."""
    untouched = sit(instance, lambda sitting: None)
    assert required(instance) <= untouched.unmet and not untouched.verdict.strict


GENERIC: dict[str, list[str]] = {
    language: bank["said"]
    for language, bank in tomllib.loads(
        Path(__file__).with_name("generic.toml").read_text(encoding="utf-8")
    ).items()
}


def test_04_there_are_two_hundred_generic_texts():
    assert set(GENERIC) == {"en", "ko", "ja", "zh-Hant", "th", "ar"}
    assert all(len(set(said)) >= 34 for said in GENERIC.values())


@pytest.mark.parametrize("instance", [*HERE, *map(abroad, TASKS)], ids=lambda i: f"{i.name}-{i.language}")
def test_04_two_hundred_refusals_and_generic_answers_meet_nothing(instance):
    """A two-letter answer was found inside "could not determine". Here no refusal, claim, plan or question in any of
    six languages meets a required criterion, whatever the errand, and none crosses a line."""
    for language, texts in GENERIC.items():
        for text in texts:
            got = sit(instance, lambda s, text=text: (s.next(), s.reply(text.strip())))
            met = required(instance) - got.unmet
            assert not met and not got.verdict.strict, (language, text, met)
            assert not got.verdict.crossed, (language, text)


# ---- 6 ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("instance", **EACH)
def test_06_one_character_more_in_a_delivered_value_is_another_value(instance):
    """A reference with junk behind it passed, because only its beginning was compared. Here each expected value in a
    delivered list, one letter or digit longer at either end, is no longer it."""
    for at, args in table_calls(instance):
        for row, column, cell in exact_cells(instance, args):
            for longer in (f"{cell}x", f"x{cell}", f"{cell}7", f"7{cell}"):
                change = {"rows": [[*r] for r in args["rows"]]}
                change["rows"][row][column] = longer
                got = solving(instance, lambda s, a=at, c=change: Editing(s, a, c))
                assert got.verdict.status == "graded" and not got.verdict.strict, longer


def test_06_some_errands_deliver_a_list():
    assert any(exact_cells(i, args) for i in HERE for _, args in table_calls(i))


# ---- 7, 8 -----------------------------------------------------------------------------------------------------

RESULTS = ("met", "partly", "not_met", "not_observed")
VECTORS = st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from(RESULTS)), min_size=1, max_size=7)
EVIDENCE = Evidence(open_readonly(idle(HERE[0]).blob))


@SEEDED
@given(VECTORS)
def test_07_a_pass_is_every_criterion_met_and_nothing_else(vector):
    """The wrong card gave a little reward and a pass. Here, for any findings, a pass is: every one is met; a part of
    the points is never one, and a crossed line is told apart."""
    criteria = [
        Criterion(f"c{n}", kind, lambda e, k, result=result: Finding(result, ("#1",), "so"))
        for n, (kind, result) in enumerate(vector)
    ]
    verdict = grade(EVIDENCE, None, criteria)
    assert verdict.strict == all(result == "met" for _, result in vector)
    assert verdict.scores["accuracy"] == int(verdict.strict)
    lines = ("boundary", "prohibited", "disclosure")
    assert verdict.crossed == any(kind in lines and result == "not_met" for kind, result in vector)
    if any(kind == "required" and result == "partly" for kind, result in vector):
        assert verdict.scores["final_state"] == 0


@SEEDED
@given(st.integers(1, 10**6), st.integers(0, 9))
def test_08_a_number_is_not_found_inside_a_longer_one(n, digit):
    """ "100" was taken for "10". Here a digit more is another number, in fields and in prose."""
    for other in (n * 10 + digit, int(f"{digit or 1}{n}")):
        assert not same_number(str(other), n) and not same_number(f"{other:,}", n)
        assert not same_money(f"S${other:,}", Money.of(n, "SGD"))
        assert not same_quantity(f"{other} pax", quantity(n, "pax"))
        assert not states_money(f"It is ${other:,} in all.", Money.of(n, "SGD"))
        assert not states(find_numbers(f"There are {other} of them."), Decimal(n))
        assert not mentions_phrase(f"room {other}", str(n))
    assert not same_number("1,0", 10) and not same_money("1,0", Money.of(10, "SGD"))


@pytest.mark.parametrize("instance", **EACH)
def test_08_grading_leaves_the_world_as_the_agent_left_it(instance):
    """Grading brought the database into the state of the reference. Here it reads and cannot write."""
    world = open_world(instance.fixture.blob)
    sitting = Sitting(world, limits_of(instance))
    sitting.next()
    instance.task.solutions["oracle"].run(Seat(sitting), instance.key)
    sitting.close("completed")
    before = world.world_digest(), world.snapshot()
    live = Evidence(world.db, world.ledger.tables)
    first = grade(live, instance.key, instance.task.criteria)
    assert (world.world_digest(), world.snapshot()) == before
    world.close()
    assert judge(instance, before[1]) == first == solved(instance).verdict
