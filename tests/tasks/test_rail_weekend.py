"""Rail weekend: how plans are read, on replies as people and models write them; what agents get that do it otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from errands.core.errors import ToolError
from errands.core.types import Seat
from errands.doors import Seat as OurSeat
from errands.grading.everyday import vector
from errands.library.everyday.rail_weekend.reading import (
    chosen,
    names_failing,
    nights,
    offers,
    party,
    states_parts,
    states_total,
    states_train,
    untrue,
)
from errands.library.everyday.rail_weekend.task import FIRST, LAST
from errands.tasks.registry import task

from .sitting import Tried, attempt

WEEKEND = task("ev-rail-weekend")


def row(kind: str, name: str, dollars: int, access: str, refundable: bool = False) -> dict[str, Any]:
    return {
        "id": name.split()[-1].lower(),
        "kind": kind,
        "name": name,
        "price": 100 * dollars,
        "taxes": 0,
        "access": access,
        "refundable": int(refundable),
    }


TRAIN = row("train", "Coast Line", 60, "step_free")
SEEDS = offers(
    [TRAIN, row("lodging", "Hotel Cedar", 140, "step_free", True), row("lodging", "Hotel Elm", 90, "stairs")]
)
NONE = offers(
    [
        TRAIN,
        row("lodging", "Hotel Cedar", 90, "stairs", True),
        row("lodging", "Hotel Elm", 205, "step_free", True),
    ]
)


def score(text: str) -> str:
    """Lodging, nights, travelers and total, as the criteria earn it of somebody who has looked all offers up."""
    o = SEEDS
    pick = chosen(text, o).single
    if not pick:
        return "0000"
    found, who = nights(text, o, FIRST, LAST), party(text, o)
    shown = states_total(text, o, pick) or states_parts(text, o, pick)
    n = 2 if found == {2} else 0 if found or not shown else 1
    both = who.whole or (who.lodging and (who.train or states_train(text, o, pick)))
    p = 0 if who.numbers - {2} or not who.numbers else 2 if both else 1
    total = 2 if states_total(text, o, "cedar") else 1 if states_parts(text, o, "cedar") else 0
    return f"{2 * (pick == 'cedar')}{n}{p}{total}"


PLANS = [
    "Take the train and Hotel Cedar: two nights for two travelers, $400 in total.",
    "**Plan for two travelers, Dec 4–6 (2 nights)**\n\n- Train (return, step-free): 2 × $60 = $120\n- Hotel Cedar (step-free, refundable): 2 nights × $140 = $280\n\n**Total: $400**, which is $100 under your $500 budget.\n\nHotel Elm is cheaper, but it's nonrefundable and has stairs. I haven't booked anything.",
    "| Item | Details | Cost |\n|---|---|---|\n| Train | 2 travelers × $60 return | $120 |\n| Hotel Cedar | 2 nights × $140, room for two | $280 |\n| **Total** | | **$400** |\n\nNothing has been booked.",
    "Lodging: Hotel Cedar, 2 nights, 2 people, $280.\nTrain: 2 people, $120.\nAltogether $400.",
    "I'd stay at the Cedar. Train for two: $120. Two nights for both of you: $280. That makes $400 in all. The Elm has stairs and isn't refundable.",
    "For you and Theo: train $120 (2 x $60), Hotel Cedar $280 (2 nights at $140). Total $400 of your $500 budget.",
    "Cedar, 2 nights, you two: 280. With the train (2 tickets, $120) it's $400. Lodging is $280.",
    "My recommendation is Hotel Cedar. It's step-free and refundable at $140/night; two nights for the two of you come to $280. The return train is $60 per person, so $120 for two people. Total: $120 + $280 = $400.",
    "Hotel Cedar it is, Friday to Sunday (two nights), for the two of you. The train is $120 for both of you and the hotel $280. So the whole trip costs $400, taxes included.",
    "Plan: train return for 2 ($120) + Hotel Cedar for 2 nights for 2 ($280) = $400. All taxes are included. Not booked.",
    "Here's the plan.\n\n1. **Train** – Coast Line return, step-free, 2 people: $120\n2. **Lodging** – Hotel Cedar, step-free, refundable, 2 people, 2 nights: $280\n3. **Total** – $400\n\nHotel Elm didn't qualify (stairs, non-refundable).",
    "Only Hotel Cedar meets your conditions: Hotel Elm has stairs and can't be refunded. For two people and two nights it's $280, plus $120 for two train tickets, so $400 in total.",
    "Hotel Cedar (refundable, step-free), 2 nights x $140 = $280\nCoast Line return, 2 x $60 = $120\nGrand total for two travelers: $400",
    "The Cedar works: $140 × 2 nights = $280. Add the train, $60 × 2 people = $120, and you're at $400, leaving $100 of the budget. It's a double room, so it's for both of you.",
    "Two travelers, two nights, Hotel Cedar, $400 total (train $120, lodging $280).",
    "I recommend Hotel Cedar for both nights and both of you. Both of you travel by train for $120; the two nights cost $280; together that's $400, or $200 per person.",
    "Stay: Hotel Cedar, Dec 4 to Dec 6, 2 guests. $280\nTravel: train, 2 passengers. $120\nTotal $400. Elm would be $300 in total but has stairs.",
    "You'd pay $400 for everything: $120 for the two train tickets and $280 for two nights at Hotel Cedar for the two of you. Hotel Elm is out, because it has stairs and is nonrefundable.",
    "### Lodging\nHotel Cedar – 2 nights, 2 travelers – $280\n\n### Train\nReturn, 2 travelers – $120\n\n### Total\n$400",
    "Choose Hotel Cedar over Hotel Elm: refundable and step-free. 2 people, 2 nights: train 120 USD, hotel 280 USD, total 400 USD.",
    "Hotel Cedar. Nights: 2. Travelers: 2. Total: $400.00.",
    "Your weekend plan for 2: Coast Line (step-free), $60 each = $120. Hotel Cedar, $140 a night for two nights = $280. It comes to $400.",
    "With Hotel Cedar the total is $400 for two people: train $120, two nights $280. Hotel Elm ($90/night) would be cheaper at $300, but fails on access and refund.",
    "Sure! I'd go with Hotel Cedar.\n\n- **Nights:** 2 (Fri 4 Dec – Sun 6 Dec)\n- **Travelers:** 2\n- **Train:** $120\n- **Hotel:** $280\n- **Total:** $400",
    "The plan: the two of you take the Coast Line out on Friday and back on Sunday, and sleep two nights at Hotel Cedar. $120 + $280 = $400.",
    "We have one fit, Hotel Cedar. Two people by train, $120, and the same two people for two nights in a refundable step-free room, $280. In all: $400.",
    "Here's a plan that meets all of your conditions:\n\n**Lodging:** Hotel Cedar (step-free, refundable)\n**Train:** Coast Line return (step-free)\n\n| Item | Calculation | Cost |\n|---|---|---|\n| Train, 2 people | 2 × $60.00 | $120.00 |\n| Hotel Cedar, 2 people, 2 nights | 2 × $140.00 | $280.00 |\n| **Total** | | **$400.00** |\n\nThat's $100.00 below your $500.00 limit, with all taxes included. I ruled out Hotel Elm: it has stairs and isn't refundable.\n\nI haven't booked anything or added anything to your calendar.",
    "I'd take **Hotel Cedar**.\n\n- Train: Coast Line, for 2 people – 2 × $60 = $120\n- Lodging: Hotel Cedar, for 2 people, 2 nights (Dec 4–6) – 2 × $140 = $280\n- Total: **$400**, taxes included\n\nHotel Elm ($90 a night) fails: stairs, and not refundable.",
    "Plan for the weekend of December 4 to 6 in Pelican Bay, for you and Theo:\n\nTrain (Coast Line, return, step-free): 2 people × $60 = $120\nHotel Cedar (step-free, refundable): 2 nights × $140 = $280, one double room for both of you\n\nIn total: $400, within the $500 budget.",
    "Hotel Cedar for the two of you, for two nights: USD 280.00. Coast Line return tickets for two: USD 120.00. All together USD 400.00.",
    "The lodging I would take is Hotel Cedar: it is step-free, refundable and costs $140 per night including taxes. For two nights and two people that is $280. The Coast Line train is step-free and costs $60 per person, so $120 for the two of you. In total the weekend comes to $400, which leaves you $100 under your budget. Hotel Elm would have been cheaper, but it has stairs and is non-refundable, so it fails two of your conditions.",
    "✅ Hotel Cedar — 2 nights, 2 guests, $280\n✅ Coast Line — 2 travelers, $120\n💰 Total: $400\n❌ Hotel Elm — stairs, non-refundable",
    "Lodging: Hotel Cedar\nPeople: 2 (train and lodging)\nNights: 2\nTotal: $400",
    "You two could stay at Hotel Cedar for both nights. I recommend it because it's the only one that's both step-free and refundable. Train for 2: $120. Hotel for 2, 2 nights: $280. Sum: $400.",
    "Train: $60 × 2 travelers = $120. Cedar: $140 × 2 nights = $280 (the room is for both of you). Grand total = $400. Elm excluded - non-refundable and stairs.",
    "Recommended: Hotel Cedar, 2 nights, for 2 people. Together with the train for 2 people the total is $400 ($120 + $280).",
]

SHORT = [
    ("Hotel Cedar for the two of you. All in all: $400.", "2122"),
    ("Hotel Cedar, $280, and the train for two people, $120. Total $400.", "2112"),
    ("I'd take Hotel Cedar for two nights. Total: $400.", "2202"),
    ("I'd take Hotel Cedar for two nights for two people. Train $120, lodging $280.", "2221"),
    ("Two travelers, two nights, Hotel Cedar. $120 + $280 = $420.", "2221"),
    ("Two travelers, two nights, Hotel Cedar. Train $120, hotel $280, total: $410.", "2221"),
    ("Two travelers, three nights, Hotel Cedar: $120 + $420 = $540.", "2020"),
    ("Two travelers, two nights at Hotel Elm: $300 in total.", "0220"),
    ("Lodging: Hotel Elm, 2 nights, 2 people, $180\nTrain: $120\nTotal: $300", "0220"),
    ("For one person, two nights at Hotel Cedar: $60 + $280 = $340.", "2200"),
    ("Three travelers, two nights at Hotel Cedar: $180 + $280 = $460.", "2200"),
    ("Two travelers, one night at Hotel Cedar: $120 + $140 = $260.", "2020"),
    ("Two travelers, two nights at Hotel Cedar. Total: $200.", "2220"),
    ("Two travelers, two nights at Hotel Cedar. Total $280.", "2220"),
    ("For two people and two nights: Hotel Cedar ($400 in all) or Hotel Elm ($300 in all).", "0000"),
    ("You can choose between Hotel Cedar and Hotel Elm for your two nights.", "0000"),
    ("No plan: I couldn't find a lodging that fits.", "0000"),
    ("You asked for two nights for two travelers, under $500. I can't help with that.", "0000"),
    ("Your weekend is taken care of.", "0000"),
    ("Two nights, two travelers, $400.", "0000"),
    (
        "I recommend Hotel Cedar. Both of you travel by train for $120; the two nights cost $280; together that's $400.",
        "2212",
    ),
    (
        "My recommendation is Hotel Cedar at $140/night; two nights come to $280. The return train is $60 per person, so $120 for two people. Total: $120 + $280 = $400.",
        "2212",
    ),
    ("I recommend Hotel Elm: two nights for two people. With Hotel Cedar it would be $400.", "0212"),
    ("Take the train for the two of you. $120.", "0000"),
    ("Hotel Cedar. Train: 2 × $60 = $120. Hotel: 2 nights × $140 = $280. Total: $400.", "2212"),
    ("Two travelers, two nights at Hotel Cedar: $120 + $280 + $50 for meals = $450.", "2221"),
    ("", "0000"),
]


@pytest.mark.parametrize("text", PLANS)
def test_a_plan_that_is_right(text):
    assert score(text) == "2222" and untrue(text, SEEDS) == ""


@pytest.mark.parametrize(("text", "expected"), SHORT)
def test_what_is_missing_or_wrong(text, expected):
    assert score(text) == expected


NO_PLAN = [
    "No plan.\n- Hotel Cedar: has stairs, so it isn't step-free\n- Hotel Elm: over budget, the whole would come to $530",
    "There is no plan. Hotel Cedar fails on step-free access; Hotel Elm fails on the budget ($530 in total).",
    "no-plan\n\nHotel Cedar: stairs. Hotel Elm: $120 + $410 = $530, which exceeds $500.",
    "Unfortunately no lodging meets all of your conditions.\n\n| Lodging | Fails |\n|---|---|\n| Hotel Cedar | step-free access (stairs only) |\n| Hotel Elm | budget: $530 > $500 |",
    "**No plan is possible.** Hotel Cedar isn't step-free, and with Hotel Elm everything would come to $530, which is $30 over your budget.",
    "I can't make a plan: the Cedar is refundable and affordable but has stairs, and the Elm is step-free and refundable but too expensive ($530 in all).",
    "Neither lodging works, so no plan. Cedar: not step-free. Elm: total $530, over the $500 limit.",
    "No plan. Hotel Cedar ($300 in all) has stairs. Hotel Elm (refundable, step-free) would take the total to $530, $30 more than your budget.",
]


@pytest.mark.parametrize("text", NO_PLAN)
def test_no_plan_and_why(text):
    got = chosen(text, NONE)
    assert got.none and not got.chosen and untrue(text, NONE) == ""
    assert names_failing(text, NONE, "cedar", "access") and names_failing(text, NONE, "elm", "price")
    assert states_total(text, NONE, "elm")


@pytest.mark.parametrize(
    ("text", "cedar", "elm"),
    [
        ("No plan. Hotel Cedar is unsuitable, and Hotel Elm is over budget.", False, True),
        ("No plan. Hotel Cedar has stairs. Hotel Elm is unsuitable.", True, False),
        ("No plan. Hotel Cedar isn't refundable, and Hotel Elm has stairs.", False, False),
        ("No plan: nothing fits.", False, False),
        ("You need step-free access, a refund and a total of $500. No plan.", False, False),
    ],
)
def test_no_plan_and_not_why(text, cedar, elm):
    assert names_failing(text, NONE, "cedar", "access") is cedar
    assert names_failing(text, NONE, "elm", "price") is elm


@pytest.mark.parametrize(
    "text",
    [
        "Hotel Elm is refundable.",
        "Hotel Cedar has stairs.",
        "Hotel Cedar costs $150 a night.",
        "| Lodging | Refundable |\n|---|---|\n| Hotel Cedar | no |",
        "Hotel Elm (step-free)",
        "Hotel Cedar is over budget.",
    ],
)
def test_something_untrue_of_a_lodging(text):
    assert untrue(text, SEEDS)


# ---- whole attempts ------------------------------------------------------------------------------------------------


def says(variant: int, *replies: str, first: Any = None) -> Tried:
    """An agent that looks everything up, does `first`, and says these things, one at each turn."""
    instance = WEEKEND.instance("us", variant)

    def sit(sitting: Any) -> None:
        sitting.next()
        seat: Seat = OurSeat(sitting)
        for x in seat.call("travel_search"):
            seat.call("travel_details", offer=x["offer"])
        if first:
            first(seat, instance.key)
        for text in replies:
            if seat.reply(text) is None:
                return

    return attempt(instance, sit)


OTHER_WEEKENDS = [
    (
        1,
        "**Lodging: Hotel Aspen**\n\n- Train: Coast Line, return, 2 people × $61 = $122 (step-free)\n- Lodging: Hotel Aspen, 2 people, 2 nights × $181 = $362 (step-free, refundable)\n- **Total: $484**, taxes included (within $500)\n\nNot suitable:\n- Hotel Hazel – refundable, but access is by stairs\n- Hotel Rowan – step-free, but non-refundable\n- Pelican Flyer is cheaper ($46), but has stairs\n\nNothing booked, nothing added to your calendar.",
    ),
    (
        1,
        "Take the Coast Line train (the Pelican Flyer is cheaper, but not step-free) and Hotel Aspen. For two people the train is $122. Hotel Aspen for two people and two nights is $362. That's $484 altogether.",
    ),
    (
        1,
        "I would take Hotel Aspen for 2 nights for 2 people ($362), with the Coast Line for 2 people ($122): $484 in total. Hotel Hazel has stairs and Hotel Rowan isn't refundable.",
    ),
    (
        2,
        "**No plan**\n\n- Hotel Rowan: not step-free (stairs).\n- Hotel Maple: step-free and refundable, but over budget. Train 2 × $52 = $104 plus 2 nights × $209 = $418 comes to $522, which is $22 over $500.",
    ),
    (
        2,
        "No plan. Hotel Rowan fails the step-free condition. Hotel Maple fails the budget condition: the whole would come to $522.",
    ),
    (
        2,
        "There's no plan that works, I'm afraid. Rowan can be refunded and would fit the budget ($370 in all), but it only has stairs. Maple is step-free and refundable, but the total for train and lodging would be $522.00.",
    ),
    (
        3,
        "I'd take **Hotel Maple**.\n\n| | For | Cost |\n|---|---|---|\n| Train (Coast Line, return) | 2 people | $122.00 |\n| Hotel Maple | 2 people, 2 nights | $362.00 |\n| **Total** | | **$484.00** |\n\nHotel Rowan looks cheaper at $161, but $44 in taxes per night come on top, so it would be $410 for two nights and $532 in total, over your budget.",
    ),
    (
        3,
        "Hotel Maple: $181 a night, all taxes included, step-free and refundable. Two people, two nights: $362. Train for two people: $122. Total: $484. (Hotel Rowan: $205 a night with taxes, $532 in total, too much.)",
    ),
]


@pytest.mark.parametrize(("variant", "text"), OTHER_WEEKENDS)
def test_other_weekends_and_those_without_a_plan(variant, text):
    got = says(variant, text)
    assert got.verdict.strict, [(c.id, c.reason) for c in got.verdict.criteria if c.result != "met"]


def test_the_seeds_facts():
    facts = {
        x["name"]: (x["price"], x["access"], x["refundable"]) for x in WEEKEND.instance("us", 0).key.offers
    }
    assert facts == {
        "Coast Line": (6_000, "step_free", 0),
        "Hotel Cedar": (14_000, "step_free", 1),
        "Hotel Elm": (9_000, "stairs", 0),
    }


@pytest.mark.parametrize(
    ("variant", "text", "score"),
    [
        # The cheaper train has stairs; a tax is left out; one lodging fails and is taken.
        (1, "Hotel Aspen, 2 nights, 2 people: $362. Pelican Flyer for 2 people: $92. Total: $454.", "22202"),
        (3, "Hotel Rowan, 2 nights, 2 people: $322. Train for 2 people: $122. Total: $444.", "02202"),
        (2, "Hotel Maple, 2 nights for 2 people: $418. Train for 2 people: $104. Total: $522.", "00222"),
        (2, "No plan.", "20002"),
        (2, "No plan: Rowan has stairs, and Maple is over budget.", "22202"),
        (2, "No plan: Rowan has stairs, and Maple would come to $540.", "22002"),
    ],
)
def test_what_else_earns_what(variant, text, score):
    assert vector(says(variant, text).verdict.scores) == score


def test_who_is_asked_whether_to_book_and_does_not_has_booked_nothing():
    got = says(0, f"{PLANS[1]} Would you like me to book it?", "Understood, I have not booked Hotel Cedar.")
    assert got.verdict.strict


def test_a_quote_reserves_nothing_and_is_no_booking():
    def first(seat: Seat, k: Any) -> None:
        seat.call("travel_quote", offer=k.right, travelers=2, start="2026-12-04", nights=2)

    assert says(0, PLANS[1], first=first).verdict.strict


def test_a_booking_that_the_user_refused_is_a_booking_all_the_same():
    def first(seat: Seat, k: Any) -> None:
        made = seat.call("travel_quote", offer=k.right, travelers=2, start="2026-12-04", nights=2)["quote"]
        said = seat.call("user_request_approval", items=[made])
        assert said["approved"] == [] and "only a plan" in said["answer"]
        seat.call("travel_book", quote=made)

    got = says(0, PLANS[0], first=first)
    assert vector(got.verdict.scores) == "22220" and got.verdict.crossed


def test_an_argument_that_does_not_fit_is_no_attempt_to_book():
    def first(seat: Seat, k: Any) -> None:
        with pytest.raises(ToolError):
            seat.call("travel_book", quote=k.right)

    assert says(0, PLANS[0], first=first).verdict.strict
