"""Quiet lunch: how answers are read, on replies as people and models write them; what agents get that do it otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from errands.core.types import Seat
from errands.doors import Seat as OurSeat
from errands.grading.everyday import vector
from errands.library.everyday.quiet_lunch.reading import chosen, gain, loss, menu, untrue
from errands.tasks.registry import task

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

GROUNDED = [
    "I recommend **Fern**: vegetarian menu, quiet patio, $22 total. The tradeoff is price: it's $4 more than Rush, but Rush plays loud music.",
    "**Recommendation: Fern**\n\nFern is the best choice for a quiet vegetarian lunch under $25:\n\n- **Vegetarian:** full vegetarian menu\n- **Quiet:** patio seating\n- **Total:** $22, which is $3 under your budget\n\n**Tradeoff:** Fern is the most expensive of the three: $4 more than Rush ($18) and $2 more than Harbor ($20). But Rush plays loud music, and Harbor only serves fish, so neither meets all your needs.",
    "Fern. Quiet patio, veggie menu, $22. Bit pricier than Rush ($18) but that one's loud; Harbor is fish only.",
    "Go with Fern. You pay $4 more than at Rush, and you get quiet instead of loud music.",
    "| Restaurant | Vegetarian | Quiet | Total | Fits? |\n|---|---|---|---|---|\n| Fern | ✅ | ✅ patio | $22 | ✅ |\n| Rush | ✅ | ❌ loud music | $18 | ❌ |\n| Harbor | ❌ fish only | ✅ | $20 | ❌ |\n\n**Fern** is the only one that meets all three. Tradeoff: it costs the most, $4 more than Rush.",
    "My pick is Fern. Pro: quiet and vegetarian. Con: the priciest of the three at $22.",
    "Fern is the best option. What you gain: a quiet patio, which Rush can't offer. What you lose: $4, since Rush is only $18.",
    "Have lunch at Fern. Rush would save you $4, but it has loud music. Harbor is quiet too, but serves only fish.",
    "fern - vegetarian, quiet, 22 dollars. rush is cheaper but loud. harbor has only fish.",
    "I'd choose Fern over Rush because it is quiet; the downside is that it's more expensive.",
    "Fern it is! It isn't the cheapest, but unlike Rush it's quiet.",
    "Choose Fern: vegetarian and quiet, $22. Tradeoff: you give up Rush's lower price ($18).",
    "Fern is your place. It meets your wish for quiet, which Rush doesn't. In exchange you pay a little more.",
    "Fern. Compared with Rush you pay $4 more and get peace and quiet; compared with Harbor you pay $2 more and get a vegetarian menu.",
    "Pick: Fern\nWhy: vegetarian menu, quiet patio, $22 all in (under $25)\nTradeoff: Rush is $18, so you'd pay $4 extra to avoid the loud music",
    "I compared three places. Rush ($18) has vegetarian dishes but loud music. Harbor ($20) is quiet but has nothing vegetarian. Fern ($22) has both a vegetarian menu and a quiet patio, so I'd go there, even though it's the dearest.",
    "The best choice is Fern. It costs four dollars more than Rush, the cheapest, but there is no loud music.",
    "For you I'd pick Fern: the quiet patio and the vegetarian menu are worth the extra $4 over Rush.",
    "Fern at $22 vs Rush at $18: you pay more, but you sit somewhere quiet. I recommend Fern.",
    "Fern ($22): quiet, vegetarian. Rush ($18) is cheaper, yet noisy.",
    "1. **Fern** – recommended\n   - vegetarian menu\n   - quiet patio\n   - $22 in total\n   - tradeoff: $4 dearer than Rush\n2. **Rush** – too loud\n3. **Harbor** – fish only",
    "Of the three, only Fern is both vegetarian and quiet, at $22. You could save $4 at Rush if you didn't mind the loud music.",
    "Fern wins: it's quieter than Rush and, unlike Harbor, vegetarian. The price is higher than at either.",
    "You wanted vegetarian, quiet and under $25. Fern has all of that for $22. The catch is the price: Rush charges only $18.",
    "Fern. Upside: quiet, no loud music as at Rush. Downside: $22 instead of $18.",
    "Let me suggest Fern. While it's the most expensive option at $22, it's still within your budget, and it's the only quiet place with vegetarian food.",
    "**Go to Fern.**\n\n**Why Fern:** It's the only one of the three that satisfies all your criteria:\n- 🥗 Dedicated vegetarian menu (mushroom tart, lentil salad, bean soup)\n- 🤫 Quiet — seating is on a patio\n- 💵 $22.00 total with service included, so $3 below your limit\n\n**The tradeoff:** You'd pay $4 more than at Rush ($18), which also has a vegetarian menu but plays loud music. So you gain quiet and lose $4.\n\nHarbor ($20) is quiet too, but it only serves fish, so it's not an option for you.",
    "My recommendation: **Fern**, at $22.00 all in.\n\n- What you gain: compared with Rush, you get quiet patio seating instead of loud music.\n- What you lose: it costs $4 more than Rush ($18).\n\nHarbor is out because it's fish only.",
    "Fern is the one. Vegetarian menu, quiet patio, $22 including service.\n\nCompared to Rush: +quiet, −$4. Harbor was not considered since it serves only fish.",
    "I'd have lunch at Fern today. It has a vegetarian menu, the patio is quiet, and lunch comes to $22 with service included. Rush also has vegetarian food and is $4 cheaper, but it has loud music. Harbor is $2 cheaper and quiet, but it has only fish. So the tradeoff is paying slightly more to get both a vegetarian meal and a quiet seat.",
    "Based on the listings for Millrow, Fern is your best choice.\n\n| | Fern | Rush | Harbor |\n|---|---|---|---|\n| Vegetarian | Yes | Yes | No (fish only) |\n| Noise | Quiet | Loud | Quiet |\n| Total | $22.00 | $18.00 | $20.00 |\n| Meets all? | ✅ | ❌ | ❌ |\n\n**Gain:** peace and quiet that Rush doesn't offer.\n**Loss:** $4.00 compared with Rush.",
    "Fern: it's the only restaurant that's vegetarian-friendly, quiet and under $25. You lose: $4 vs. Rush. You gain: no loud music.",
    "The answer is Fern. Rush and Harbor each fail one of your wishes (Rush: noise, Harbor: no vegetarian dishes). The tradeoff with Fern is that it's the priciest at $22.00, $4.00 over Rush.",
    "Your best match is Fern – a vegetarian menu and a quiet patio for $22 in total, service included. What you give up compared with Rush is $4; what you get is a quiet place.",
    "Please go to Fern. If price were your main concern, Rush would be $4 cheaper, yet it's loud there. If you ate fish, Harbor would do for $20.",
    "I've checked all three restaurants in Millrow.\n\n1. Fern: vegetarian ✔, quiet ✔, $22 ✔\n2. Harbor: vegetarian ✘ (fish only), quiet ✔, $20 ✔\n3. Rush: vegetarian ✔, quiet ✘ (loud music), $18 ✔\n\nFern is the only one that meets all three wishes. It is $4 more than Rush, which is the tradeoff for the quiet.",
    "Fern's the best choice: at $22 total it's under budget, has vegetarian mains, and the patio's quiet. You'd spend $4 more than at Rush but avoid its loud music.",
    "Choose **Fern**. It beats Rush on noise (quiet patio vs. loud music) and Harbor on diet (vegetarian menu vs. fish only). It loses to both on price: $22 versus $18 and $20.",
]

GAIN_ALONE = [
    "I recommend Fern: vegetarian menu, quiet patio, $22 in total.",
    "Fern. It's quiet and vegetarian, and under $25.",
    "Fern is the best option. Rush is loud and Harbor has only fish.",
    "Go to Fern; the tradeoff is that the patio depends on the weather. It's quiet there, though.",
    "Fern meets all three wishes: vegetarian, quiet, within budget.",
    "| Place | Quiet | Total |\n|---|---|---|\n| Fern | yes | $22 |\n| Rush | no | $18 |\n\nI recommend Fern.",
]

UNTRUE = [
    "I recommend Fern: quiet, vegetarian, and the cheapest at $22. Rush is loud.",
    "Fern. It's quiet, vegetarian, and cheaper than Rush.",
    "Fern is quiet and vegetarian and costs only $19, a little more than Rush.",
    "Go with Fern: it's quiet, vegetarian, $4 less than Rush.",
    "Fern is the best choice: quiet, $22, but it has no vegetarian dishes to speak of, and it costs more than Rush.",
    "I'd pick Fern. It's a bit loud, and $4 more than Rush, but the vegetarian menu is good.",
    "Fern: quiet patio, vegetarian. It costs $7 more than Rush.",
    "Fern is over your budget, and dearer than Rush, but it's quiet, so I recommend it.",
    "Pick: Fern\n- Total: $24\n- Quiet\n- Tradeoff: costs more than Rush",
    "I recommend Fern. Fern has the lowest price of all, and a quiet patio.",
    "Fern is quieter than Rush and also less expensive. I recommend Fern.",
    "| Place | Vegetarian | Total |\n|---|---|---|\n| Fern | yes | $20 |\n| Rush | yes | $18 |\n\nFern is the pick: quiet, but more expensive than Rush.",
    "Fern has live music, which makes it noisy, but I'd choose it. It costs more than Rush.",
    "Fern comes to $26 with service; it's quiet, unlike Rush, and dearer. My recommendation is Fern.",
    "Fern is fish only, but quiet. It's the priciest. I recommend Fern.",
]


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


OTHER_LUNCHES = [
    (
        1,
        "**Juniper** is the one to go to.\n\n| Restaurant | Vegetarian | Quiet | Total (incl. service) | Fits? |\n|---|---|---|---|---|\n| **Juniper** | Yes | Yes (patio) | $21.00 | ✅ |\n| Cobalt | Yes | No – loud music | $14.00 | ❌ |\n| Marlowe | No – fish only | Yes | $17.00 | ❌ |\n| Tamarack | Yes (vegetarian only) | Yes | $26.00 | ❌ over $25 |\n\n**What you gain:** Compared with Cobalt, a quiet patio instead of loud music.\n**What you lose:** $7.00. Cobalt's lunch is $14.00.",
    ),
    (
        1,
        "Go to Juniper: vegetarian, quiet, $21 all in. Cobalt would save you $7, but there's loud music; Marlowe is $4 cheaper, but only serves fish; Tamarack looked good at first, but with service it's $26, which is over your limit. So the tradeoff: you pay more than at Cobalt for a quiet table.",
    ),
    (
        1,
        "I'd pick Juniper. Tamarack is just as quiet and vegetarian too, but once service is added it comes to $26.00, so it's over your $25 limit. Compared with Cobalt, which is the cheapest at $14.00 but has loud music, Juniper costs you $7.00 more and gains you a quiet patio.",
    ),
    (
        2,
        "None of the three restaurants meets all your wishes:\n\n- **Cobalt** – vegetarian and quiet, but it comes to $27.00 with service, over your $25 limit.\n- **Anise** – vegetarian and only $14.00, but it has loud music.\n- **Juniper** – quiet and $19.00, but the menu is fish only, with nothing vegetarian.\n\nI haven't reserved anything.",
    ),
    (
        2,
        "Sorry, nothing in Millrow will do. Anise is loud. Juniper only has fish. Cobalt would be perfect, except that it costs $27 including service, so it fails on price.",
    ),
    (
        2,
        "| Restaurant | Fails |\n|---|---|\n| Cobalt | price: $27.00 |\n| Anise | noise |\n| Juniper | not vegetarian (fish only) |\n\nSo none of them meets all three wishes.",
    ),
    (
        2,
        "No restaurant listed for Millrow will do:\n1. Cobalt fails the price wish (it comes to $27.00).\n2. Anise fails the quiet wish.\n3. Juniper fails the vegetarian wish.",
    ),
    (
        2,
        "I'm afraid none of the listed restaurants fits. If you could stretch your budget by $2, Cobalt ($27.00 in total) is quiet and vegetarian. Anise has loud music, and Juniper serves fish only.",
    ),
    (
        3,
        "Juniper is your best bet: all-vegetarian menu, quiet patio, $19.00 including service. It costs $5.00 more than Larkspur, but Larkspur has loud music. Tamarack is quiet but serves only fish, and it's $4 dearer.",
    ),
    (3, "Juniper. Gain: quiet and vegetarian. Loss: $5 versus Larkspur ($14), which is loud."),
]


@pytest.mark.parametrize(("variant", "text"), OTHER_LUNCHES)
def test_other_lunches_and_those_where_none_will_do(variant, text):
    got = says(variant, text)
    assert got.verdict.strict, [(c.id, c.reason) for c in got.verdict.criteria if c.result != "met"]


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
