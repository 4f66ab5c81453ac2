"""Which option a text chooses: replies as people and models write them, right and wrong, about lunch and about a trip."""

from __future__ import annotations

import pytest

from errands.grading.clauses import Option
from errands.grading.picks import picks
from errands.grading.traits import Trait

LUNCH = (Option("fern", ("Fern",)), Option("rush", ("Rush",)), Option("harbor", ("Harbor",)))
DIET = Trait("diet", (r"vegetarian", r"\bveg(?:gie)?\b"), (r"\bfish(?: only|-only)?\b", r"\bseafood\b"))
QUIET = Trait("quiet", (r"\bquiet\w*", r"\bcalm\b"), (r"\bloud\w*", r"\bnois(?:y|ier)\b"))
STAYS = (
    Option("train", ("Coast Line", "train")),
    Option("cedar", ("Hotel Cedar", "Cedar")),
    Option("elm", ("Hotel Elm", "Elm")),
)
REFUND = Trait("refund", (r"\brefundab\w+",), (r"non-?refundable",))
STEPS = Trait("steps", (r"step-free",), (r"\bstairs\b",))

AT_FERN = [
    "Fern.",
    "fern",
    "Fern it is: quiet patio, vegetarian menu, $22.",
    "I recommend Fern.",
    "I'd go with Fern over Rush and Harbor.",
    "My pick is Fern: vegetarian menu, quiet patio, $22 total.",
    "**Recommendation: Fern**\n\nIt has a vegetarian menu and a quiet patio.",
    "The best option is **Fern**. Rush is cheaper but loud, and Harbor only serves fish.",
    "Go to Fern. Rush has loud music; Harbor has nothing vegetarian.",
    "Fern is the only place that meets all three conditions.",
    "Only Fern fits. Rush is too loud, Harbor only does fish.",
    "fern - quiet patio, veg menu, $22. rush is cheaper but loud, harbor is fish only",
    "Have lunch at Fern (vegetarian, quiet, $22). The tradeoff: Rush would be $4 cheaper, but it's loud.",
    "## Best choice\n\n**Fern** – vegetarian menu, quiet patio, $22 total.\n\n## Why not the others\n\n- **Rush** – loud music\n- **Harbor** – fish only",
    "| Place | Vegetarian | Quiet | Total | Verdict |\n|---|---|---|---|---|\n| Fern | ✅ | ✅ | $22 | ✅ Pick |\n| Rush | ✅ | ❌ | $18 | ❌ |\n| Harbor | ❌ | ✅ | $20 | ❌ |",
    "| | Fern | Rush | Harbor |\n|---|---|---|---|\n| Vegetarian | yes | yes | no |\n| Quiet | yes | no | yes |\n| Total | $22 | $18 | $20 |\n| Fits? | yes | no | no |",
    "Here is how they compare:\n\n- Fern: vegetarian, quiet patio, $22 ✅\n- Rush: vegetarian, loud music, $18 ❌\n- Harbor: fish only, quiet, $20 ❌\n\nSo Fern it is.",
    "1. Fern - vegetarian menu, quiet, $22\n2. Rush - loud music\n3. Harbor - fish only\n\nI'd choose the first: Fern.",
    "I looked at Fern, Rush and Harbor. Rush was out because of its loud music and Harbor because it only has fish, which leaves Fern.",
    "After comparing all three, I'd suggest Fern. If you didn't mind the music, Rush would save you $4.",
    "Fern wins. It costs $4 more than Rush, but Rush is loud.",
    "Choose Fern instead of Rush: you pay a bit more for the quiet.",
    "Rather than Rush, I'd pick Fern.",
    "Not Rush (too loud) and not Harbor (fish only), so I recommend Fern.",
    "Neither Rush nor Harbor works for you: one is loud, the other has only fish. Fern does.",
    "Your best bet is Fern. Tradeoff: it's the most expensive of the three.",
    "Pick: Fern\nWhy: vegetarian menu, quiet patio, $22\nTradeoff: $4 more than Rush, which is loud",
    "✅ Fern\n❌ Rush: loud\n❌ Harbor: fish only",
    "Fern ticks every box: vegetarian, quiet, $22.",
    "Fern meets all your criteria, while Rush is loud and Harbor serves only fish.",
    "While Rush is the cheapest at $18, it plays loud music, so Fern is the better choice.",
    "I'd skip Rush and Harbor and eat at Fern.",
    "Lunch at Fern: vegetarian menu, quiet patio, $22 all in. Rush is $18 but loud.",
    "I considered Rush because it's cheapest, but the loud music rules it out. Fern is my recommendation.",
    "Fern. Quiet patio, veggie menu, $22. Bit pricier than Rush ($18) but that one's loud; Harbor is fish only.",
    "**Fern** is the right spot for you.\n\n| | Total |\n|---|---|\n| Fern | $22 |\n| Rush | $18 |\n| Harbor | $20 |",
    "TL;DR: Fern. Rush is cheaper and louder, Harbor has no vegetarian dishes.",
    "Winner: Fern 🏆\n\nRunner-up: Rush, if you can stand the music.",
    "Of the three, Fern is the best fit. Rush would be my second choice.",
    "The pick: Fern. The price of it: four dollars more than Rush.",
    "I would not choose Rush, because of the music. I would choose Fern.",
    "You should go to Fern for lunch. Rush isn't the best choice here despite its price.",
    "Fern is the best option for a quiet vegetarian lunch under $25. Rush is the cheapest option, though it's loud.",
    "The winner for you is Fern, with Rush as a fallback.",
    "Fern isn't the cheapest, but it's the one that's both vegetarian and quiet. Rush is loud and Harbor is fish only.",
    "Fern (vegetarian, quiet patio, $22)\nRush (loud music) - ruled out\nHarbor (fish only) - ruled out",
]

ELSEWHERE = [
    ("I recommend Rush.", {"rush"}),
    ("Rush is the best choice: vegetarian and only $18. Fern is $22.", {"rush"}),
    ("Go with Harbor, it's quiet and $20.", {"harbor"}),
    ("I'd pick Rush over Fern, since it's cheaper.", {"rush"}),
    ("Fern is quiet, but at $22 I'd rather send you to Rush. My pick: Rush.", {"rush"}),
    ("Pick: Rush\nRunner-up: Fern", {"rush"}),
    ("Your options are Fern, Rush and Harbor.", {"fern", "rush", "harbor"}),
    ("I recommend Fern or Rush.", {"fern", "rush"}),
    ("You could go to Fern or to Rush.", {"fern", "rush"}),
    ("- Fern, $22\n- Rush, $18\n- Harbor, $20", {"fern", "rush", "harbor"}),
    ("My top picks are Fern and Harbor.", {"fern", "harbor"}),
    ("I recommend Rush. Fern would be my pick if money didn't matter.", {"rush"}),
    ("Don't go to Fern; go to Rush.", {"rush"}),
    ("Fern is too expensive, so Rush it is.", {"rush"}),
    (
        "| Place | Total | Verdict |\n|---|---|---|\n| Fern | $22 | no |\n| Rush | $18 | best pick |\n| Harbor | $20 | no |",
        {"rush"},
    ),
    ("I recommend Harbor rather than Fern.", {"harbor"}),
    ("Fern and Rush both fit.", {"fern", "rush"}),
    ("I couldn't find anything out about lunch.", set()),
    ("Done. Everything is taken care of.", set()),
    ("", set()),
]

NONE_FITS = [
    "None of the three fits: Fern is over budget, Rush is loud and Harbor only serves fish.",
    "No restaurant meets all your conditions. Fern: $27. Rush: loud. Harbor: fish only.",
    "Nothing fits. Rush is loud, Harbor has only fish, Fern comes to $27.",
    "Unfortunately, none of these places works for you.\n\n- Fern: $27, over budget\n- Rush: loud music\n- Harbor: fish only",
    "I can't recommend any of them: Fern is too expensive, Rush too loud, Harbor has no vegetarian food.",
    "There is no place that is vegetarian, quiet and under $25. Fern fails on price, Rush on noise, Harbor on diet.",
    "All three fail one condition: Fern the budget, Rush the noise, Harbor the diet.",
    "No option qualifies.\n\n| Place | Fails |\n|---|---|\n| Fern | over budget ($27) |\n| Rush | loud |\n| Harbor | fish only |",
    "None qualifies. The closest is Fern, which is $2 over.",
    "I couldn't find a place that satisfies everything: none of the options does.",
]

NOT_NONE = [
    "None of the others fits, so I recommend Fern.",
    "Fern. Neither of the other two works.",
    "No other place meets all three; Fern does.",
    "None is perfect, but I'd go with Fern.",
]


@pytest.mark.parametrize("text", AT_FERN)
def test_the_one_that_is_chosen(text):
    got = picks(text, LUNCH, traits=(DIET, QUIET))
    assert got.chosen == {"fern"} and not got.none


@pytest.mark.parametrize(("text", "chosen"), ELSEWHERE)
def test_another_several_or_none(text, chosen):
    got = picks(text, LUNCH, traits=(DIET, QUIET))
    assert (
        got.chosen == chosen
        and not got.none
        and got.single == (next(iter(chosen)) if len(chosen) == 1 else "")
    )


@pytest.mark.parametrize("text", NONE_FITS)
def test_that_none_will_do(text):
    got = picks(text, LUNCH, traits=(DIET, QUIET))
    assert got.none and not got.chosen


@pytest.mark.parametrize("text", NOT_NONE)
def test_that_none_of_the_others_will_do_says_that_one_will(text):
    got = picks(text, LUNCH, traits=(DIET, QUIET))
    assert got.chosen == {"fern"} and not got.none


AT_CEDAR = [
    "Take the train and Hotel Cedar for two nights: $400 in total.",
    "Train: $120\nLodging: Hotel Cedar, 2 nights, $280\nTotal: $400",
    "**Plan**\n- Train, return: 2 × $60 = $120\n- Hotel Cedar: 2 nights × $140 = $280\n\n**Total: $400**\n\nHotel Elm is cheaper but has stairs and can't be refunded.",
    "I'd stay at Hotel Cedar. Hotel Elm is nonrefundable and has stairs, so it's out.",
    "Hotel Cedar is step-free and refundable; Hotel Elm is neither.",
    "Lodging: Hotel Cedar (refundable, step-free). Hotel Elm was ruled out (stairs, non-refundable).",
    "Here's the plan for the two of you: the train there and back, and two nights at the Cedar. Nothing has been booked.",
    "| Item | Price |\n|---|---|\n| Train × 2 | $120 |\n| Hotel Cedar, 2 nights | $280 |\n| **Total** | **$400** |",
    "Cedar, 2 nights, 2 people: $280. Train for two: $120. Sum $400. Elm fails both conditions.",
    "Of the two hotels only the Cedar qualifies, as the Elm has stairs.",
    "I have not booked Hotel Cedar, as you asked; it is only what I'd choose.",
]


@pytest.mark.parametrize("text", AT_CEDAR)
def test_a_choice_among_some_of_those_that_are_named(text):
    got = picks(text, STAYS, among=("cedar", "elm"), traits=(REFUND, STEPS))
    assert got.chosen == {"cedar"} and not got.none


@pytest.mark.parametrize(
    ("text", "chosen", "none"),
    [
        ("Train $120 and Hotel Elm $180: $300 in total.", {"elm"}, False),
        ("Lodging: Hotel Elm, because it is the cheapest. Hotel Cedar costs more.", {"elm"}, False),
        ("You can stay at Hotel Cedar or at Hotel Elm.", {"cedar", "elm"}, False),
        ("No plan: Hotel Cedar has stairs, and Hotel Elm is non-refundable.", set(), True),
        ("no-plan. Cedar fails on access, Elm on the refund.", set(), True),
        (
            "I can't put together a plan. Neither Hotel Cedar nor Hotel Elm meets your conditions.",
            set(),
            True,
        ),
        ("**No plan is possible.**\n\n- Hotel Cedar: stairs\n- Hotel Elm: not refundable", set(), True),
        ("Take the train.", set(), False),
    ],
)
def test_another_lodging_both_or_no_plan(text, chosen, none):
    got = picks(text, STAYS, among=("cedar", "elm"), traits=(REFUND, STEPS))
    assert (got.chosen, got.none) == (chosen, none)
