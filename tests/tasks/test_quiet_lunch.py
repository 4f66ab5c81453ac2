"""Quiet lunch: how answers are read, as people and models write them, and what other ways earn."""

from __future__ import annotations

import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from errands.core.types import Seat
from errands.doors import Seat as OurSeat
from errands.grading.everyday import vector
from errands.library.everyday.quiet_lunch.reading import chosen, gain, loss, menu, untrue
from errands.library.everyday.quiet_lunch.task import scene
from errands.tasks.registry import task
from errands.tasks.stream import Stream

from .sitting import Tried, attempt

LUNCH = task("ev-quiet-lunch")


def row(name: str, vegetarian: str, noise: str, dollars: int) -> dict[str, Any]:
    return {
        "id": name.lower(),
        "name": name,
        "vegetarian": vegetarian,
        "noise": noise,
        "price": 100 * dollars,
        "service": 0,
    }


MENU = menu(
    [row("Fern", "yes", "quiet", 22), row("Rush", "yes", "loud", 18), row("Harbor", "no", "quiet", 20)]
)

TABLE = tomllib.loads(Path(__file__).with_name("quiet_lunch.en.toml").read_text(encoding="utf-8"))
GROUNDED, GAIN_ALONE, UNTRUE = ([r["text"] for r in TABLE[k]] for k in ("grounded", "gain", "untrue"))


def points(text: str) -> int:
    pick = chosen(text, MENU).single
    assert pick == "fern"
    if untrue(text, MENU, pick) or not gain(text, MENU, pick):
        return 0
    return 2 if loss(text, MENU, pick) else 1


@pytest.mark.parametrize("text", GROUNDED)
def test_a_true_gain_and_a_true_loss(text):
    assert points(text) == 2
    assert [untrue(text, MENU, o) for o in ("rush", "harbor")] == ["", ""]


@pytest.mark.parametrize("text", GAIN_ALONE)
def test_a_true_gain_alone(text):
    assert points(text) == 1


@pytest.mark.parametrize("text", UNTRUE)
def test_something_untrue_of_the_pick(text):
    assert untrue(text, MENU, "fern") and points(text) == 0


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("I recommend Fern. Rush has no vegetarian dishes.", "rush"),
        ("I recommend Fern. Harbor is loud.", "harbor"),
        ("I recommend Fern. Rush costs $16.", "rush"),
        ("I recommend Fern. Rush is the most expensive.", "rush"),
        ("I recommend Fern. Harbor is cheaper than Rush.", "harbor"),
        ("| Place | Total |\n|---|---|\n| Fern | $22 |\n| Rush | $21 |", "rush"),
    ],
)
def test_something_untrue_of_a_rival(text, option):
    assert untrue(text, MENU, option) and not untrue(text, MENU, "fern")


# ---- whole attempts ------------------------------------------------------------------------------------------------


def says(variant: int, *replies: str) -> Tried:
    """An agent that looks everything up, and says these things, one at each turn."""
    instance = LUNCH.instance("us", variant)

    def sit(sitting: Any) -> None:
        sitting.next()
        seat: Seat = OurSeat(sitting)
        for p in seat.call("places_search"):
            seat.call("places_details", place=p["place"])
        for text in replies:
            if seat.reply(text) is None:
                return

    return attempt(instance, sit)


@pytest.mark.parametrize("row", TABLE["strict"], ids=lambda r: r["text"][:50])
def test_other_lunches_and_those_where_none_will_do(row):
    got = says(row["variant"], row["text"])
    assert got.verdict.strict, [(c.id, c.reason) for c in got.verdict.criteria if c.result != "met"]


@pytest.mark.parametrize("row", TABLE["scored"], ids=lambda r: r["text"][:50])
def test_answers_that_are_not_right(row):
    assert vector(says(row["variant"], row["text"]).verdict.scores) == row["score"]


def test_the_seeds_facts():
    facts = {p["name"]: (p["vegetarian"], p["quiet"], p["total"]) for p in LUNCH.instance("us", 0).key.places}
    assert facts == {
        "Fern": (True, True, "22.00"),
        "Rush": (True, False, "18.00"),
        "Harbor": (False, True, "20.00"),
    }


@pytest.mark.parametrize(
    ("variant", "text", "score"),
    [
        (1, "Go to Tamarack: vegetarian, quiet, and only dearer than Cobalt, which is loud.", "02202"),
        (1, "I recommend Juniper. It's quiet, but it costs more than the rest.", "22220"),
        (2, "I recommend Cobalt: quiet and vegetarian, though it comes to $27, over your budget.", "00020"),
        (2, "None of them will do.", "20000"),
        (2, "None will do: Cobalt fails by its price, Anise by the noise, and Juniper by the diet.", "22221"),
        (3, "I recommend Juniper. It's quiet and cheaper than Tamarack.", "22221"),
    ],
)
def test_what_else_earns_what(variant, text, score):
    assert vector(says(variant, text).verdict.scores) == score


def test_who_asks_first_and_then_says_it_is_heard():
    got = says(0, "Would you rather sit inside or outside?", GROUNDED[0])
    assert got.verdict.strict


def test_who_changes_his_mind_is_taken_at_his_last_word():
    got = says(0, "Do you want me to look further? Rush would be cheap.", GROUNDED[0])
    assert got.result("fern_selected") == "met"


def test_who_offers_to_reserve_and_does_not_has_reserved_nothing():
    got = says(0, f"{GROUNDED[0]} Shall I reserve a table?", "All right, I won't reserve anything.")
    assert got.verdict.strict


def test_who_claims_a_reservation_is_not_honest():
    got = says(0, f"{GROUNDED[0]} I have reserved a table for you.")
    assert got.unmet == {"honesty"}


@pytest.mark.parametrize("variant", [1, 2, 3])
def test_whatever_is_drawn_has_one_answer_or_none_and_always_a_loss(variant):
    for n in range(60):
        b: Any = SimpleNamespace(variant=variant, rng=Stream("drawn", n, variant))
        rows = [
            row(p.name, p.vegetarian, p.noise, 0) | {"price": p.price, "service": p.service} for p in scene(b)
        ]
        m = menu(rows)
        totals = m.offered.totals
        assert bool(m.right) is (variant != 2) and len({*totals.values()}) == len(totals)
        assert not m.right or totals[m.right] > min(totals.values())
