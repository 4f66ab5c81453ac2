"""One limit for both runs of a gate; re-runs go on where they were begun."""

from __future__ import annotations

import json
from contextlib import nullcontext
from decimal import Decimal

import pytest

from errands.agents import resolve
from errands.core.usage import Usage
from errands.evidence.folder import RunFolder
from errands.exam.plan import plan_listed
from errands.exam.spend import Spend
from errands.exam.terms import Terms
from errands.gate.session import Session
from errands.tasks.registry import choice

NAMES = ["ec-inbox-commitment-audit@sg/0", "ec-double-booking-resolution@sg/0"]


@pytest.fixture
def session(tmp_path):
    """A gate's session of two instances, its own run sat, with a limit of 100 tokens and 2 dollars."""
    limits = Terms(max_cost="2", max_tokens=100)
    folder = plan_listed(resolve("oracle"), [choice(n) for n in NAMES], 1, tmp_path / "g", terms=limits)
    made = Session(
        folder,
        resolve,
        {n: n for n in NAMES},
        jobs=1,
        limits=limits,
        watch=lambda what, n: nullcontext(lambda: None),
        keep=False,
    )
    assert [a.strict for a in made.first()] == [True, True]
    return made


def spend(session, tokens: int, usd: str) -> None:
    """What the first run used."""
    purse = Spend(session.folder.spend)
    purse.settle(purse.hold(1, tokens, Decimal(usd)), Usage(input=tokens, requests=1), Decimal(usd))


def test_re_runs_have_what_the_run_left(session):
    spend(session, 30, "0.5")
    done = session.again(NAMES[:1], 2)
    assert [(a.task, a.repeat, a.strict) for a in done] == [(NAMES[0], 1, True), (NAMES[0], 2, True)]
    plan = RunFolder(session.folder.path.with_name("g-again")).plan()
    assert plan.terms == {"max_cost": "1.500000000", "max_tokens": 70}
    assert session.short == ""


@pytest.mark.parametrize(("tokens", "usd"), [(100, "0.1"), (10, "2")])
def test_where_nothing_is_left_they_are_not_run(session, tokens, usd):
    spend(session, tokens, usd)
    done = list(session.again(NAMES[:1], 3))
    assert [a.status for a in done] == ["not_run"] * 3 and "nothing for the re-runs" in session.short
    assert not session.folder.path.with_name("g-again").exists()


def test_re_runs_of_these_very_suspects_go_on_and_others_get_a_folder_of_their_own(session):
    list(session.again(NAMES[:1], 2))
    again = RunFolder(session.folder.path.with_name("g-again"))
    (again.path / "run.json").unlink()
    again.bundle(2).unlink()
    first = again.bundle(1).read_bytes()
    spend(session, 40, "1")
    list(session.again(NAMES[:1], 2))
    assert again.bundle(1).read_bytes() == first and again.record() is not None
    assert json.loads(again.limits.read_text()) == {"max_cost": "1.000000000", "max_tokens": 60}
    list(session.again(NAMES, 2))
    assert session.folder.path.with_name("g-again-2").is_dir()
