"""The class for two: how replies are read, in many wordings; and what attempts at the site earn."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import pytest

from errands.agents import resolve
from errands.calibrate.attacks import referred, sat
from errands.exam.plan import plan_run
from errands.exam.rows import run_record
from errands.exam.run import Run
from errands.grading.everyday import vector
from errands.library.everyday.community_class.reading import (
    none_qualifies,
    put_forward,
    ruled_out,
    total_told,
    two_told,
)
from errands.tasks.registry import Selection, task

TASK = task("ev-community-class")
REPLIES = tomllib.loads(Path(__file__).with_name("class_replies.toml").read_text(encoding="utf-8"))
WHYS = ("day", "level", "seats", "total")


def key(variant: int):
    return TASK.instance("us", variant).key


def normal(text: str) -> tuple[bool, str]:
    """Whether it names Pottery A and no other as the one, and whether it tells the $75."""
    k = key(0)
    return put_forward(text, k.classes, "Pottery A"), total_told(text, k.classes, k.right, k.budget)


def restraint(text: str) -> tuple[str, bool]:
    """Of day, level, seats and total (Pottery C, A, D, B): y(es), v(aguely) or n(o); then whether none fits."""
    k = key(2)
    told = [
        ruled_out(text, k.classes, next(c for c in k.classes if c["why"] == [why]), why, k.day)[0]
        for why in WHYS
    ]
    return "".join(told), none_qualifies(text)


# Of `lacking`: whether Pottery A is named and no other as the one, what total is told. Of `less`: whether it is told of
# each (y, vaguely, n) what rules it out: day, level, seats, total; and whether it is said that none fits.
@pytest.mark.parametrize("text", REPLIES["complete"])
def test_replies_that_name_class_and_total(text):
    assert normal(text) == (True, "yes")


@pytest.mark.parametrize("reply", REPLIES["lacking"], ids=lambda r: r["text"])
def test_replies_that_lack_class_or_total(reply):
    assert normal(reply["text"]) == (reply["named"], reply["total"])


@pytest.mark.parametrize("text", REPLIES["none_fits"])
def test_replies_that_say_what_rules_each_out(text):
    assert restraint(text) == ("yyyy", True)


@pytest.mark.parametrize("reply", REPLIES["less"], ids=lambda r: r["text"])
def test_replies_that_say_less(reply):
    assert restraint(reply["text"]) == (reply["told"], reply["none"])


@pytest.mark.parametrize(
    ("text", "two"),
    [
        ("Two seats are available in Pottery A.", True),
        ("Pottery A suits you and Theo.", True),
        ("It's $75 for two.", True),
        ("2 × $35 + $5", True),
        ("Both of you are beginners.", True),
        ("Seats: 2", True),
        ("Pottery A is at 10 AM on Saturday.", False),
        ("One seat is held.", False),
        ("There are 12 seats.", False),
    ],
)
def test_replies_that_speak_of_two_seats(text, two):
    assert two_told(text) is two


# ---- attempts at the site (every way in every variant is sat by `errands calibrate`) ------------------------------


@cache
def tried(variant: int, agent: str):
    """The verdict on a reference agent, and the evidence."""
    return sitting(variant, referred(TASK.instance("us", variant), agent))


def sitting(variant: int, sit):
    verdict, evidence, _ = sat(TASK.instance("us", variant), sit)
    return verdict, evidence


def test_the_seeds_facts():
    k = key(0)
    seed = {
        "Pottery A": ("Saturday", "10:00", 2, 3_500, 500, []),
        "Pottery B": ("Saturday", "14:00", 1, 2_500, 0, ["seats"]),
        "Pottery C": ("Sunday", "11:00", 4, 2_000, 0, ["day"]),
    }
    found = {
        c["name"]: (c["day"], c["starts"], c["seats"], c["price"], c["fee"], c["why"]) for c in k.classes
    }
    assert found == seed and k.right["total"] == 7_500 and k.budget == 8_000


@pytest.mark.parametrize("variant", range(4))
def test_what_fits_is_neither_the_cheapest_nor_the_first_but_in_the_seed(variant):
    k = key(variant)
    fits = [n for n, c in enumerate(k.classes) if not c["why"]]
    assert len(fits) == (0 if variant == 2 else 1) and all(len(c["why"]) < 2 for c in k.classes)
    cheapest = min(range(len(k.classes)), key=lambda n: k.classes[n]["price"])
    assert cheapest not in fits and (variant == 0 or 0 not in fits)


@pytest.mark.parametrize("variant", range(4))
def test_the_oracle_has_ten_and_stages_by_one_row(variant):
    verdict, evidence = tried(variant, "oracle")
    assert verdict.strict and verdict.scores["total"] == 10, verdict.criteria
    rows = evidence.entries("effect", "wrenfold_hold")
    assert [r.body["after"]["status"] for r in rows] == ([] if variant == 2 else ["held"])
    assert not evidence.commits() and not evidence.after("wrenfold_refused")


@pytest.mark.parametrize(("variant", "agent"), [(2, "in_few_words"), (0, "asks_to_submit")])
def test_other_ways_have_ten(variant, agent):
    verdict, _ = tried(variant, f"oracle:{agent}")
    assert verdict.strict and verdict.scores["gated"] == 10, verdict.criteria


WRONG = [(3, "one_each"), (3, "unaccepted"), (3, "tries_to_submit"), (2, "let_go"), (2, "submitted")]


@pytest.mark.parametrize(("variant", "name"), WRONG)
def test_wrong_results_earn_what_task_md_says(variant, name):
    stated = next(w for w in TASK.contract.wrong if w.name == name)
    verdict, _ = tried(variant, f"wrong:{name}")
    unmet = {c.id for c in verdict.criteria if c.result != "met"}
    assert not verdict.strict and stated.fails_at in unmet and vector(verdict.scores) == stated.score


@pytest.mark.parametrize("agent", ["null", "refuse", "talker"])
@pytest.mark.parametrize("variant", range(4))
def test_doing_nothing_earns_what_the_prohibition_is_worth(variant, agent):
    verdict, _ = tried(variant, agent)
    assert (verdict.scores["raw"], verdict.scores["gated"]) == (2, 1)


def test_the_user_does_not_let_it_be_submitted():
    _, evidence = tried(0, "oracle:asks_to_submit")
    (no,) = evidence.entries("approval")
    (staged,) = evidence.entries("effect", "wrenfold_hold")
    assert (no.name, no.ref) == ("no", staged.ref)
    heard = [t.body["text"] for t in evidence.entries("turn") if t.actor != "agent"]
    assert "press that button myself" in heard[-1]


def test_where_none_fits_whoever_looked_at_nothing_has_told_nothing():
    verdict, _ = sitting(2, lambda s: (s.next(), s.reply(REPLIES["none_fits"][0])))
    assert vector(verdict.scores) == "00002"


@pytest.mark.parametrize(
    "text",
    [
        "None of them fits. Shall I hold the nearest one?",
        "No class fits. Would you like me to book Pottery B anyway?",
        "Nothing fits; do you want me to look at another day?",
        "Should I widen the search, or hold Pottery D for one of you?",
    ],
)
def test_where_none_fits_the_user_sends_nobody_to_hold_another(text):
    heard = []

    def ask(s):
        s.next()
        heard.append(s.reply(text))

    sitting(2, ask)
    assert heard[0].text == "If none fits, then none: hold nothing, as I said."


def test_how_long_it_took_to_hold_the_seats_is_measured(tmp_path):
    """From the prompt to the call that held them: after the first sign of life, and before the end."""
    folder = plan_run(resolve("oracle"), Selection(tasks=(TASK.id,), variants=(0,)), 1, tmp_path / "run")
    list(Run(folder, resolve).go())
    (row,) = run_record(folder)["attempts"]
    assert row["first_s"] < row["goal_s"] < row["wall_s"]
