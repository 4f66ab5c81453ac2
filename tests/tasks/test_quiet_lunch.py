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


MENU = menu([row("Fern", "yes", "quiet", 22), row("Rush", "yes", "loud", 18), row("Harbor", "no", "quiet", 20)])

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
