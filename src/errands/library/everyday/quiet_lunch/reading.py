"""How an answer about lunch is read: diet, noise and budget as traits, and what is gained and lost by a pick."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from errands.grading.clauses import Clause, Option, clauses, mentioned, read
from errands.grading.picks import Picks, picks
from errands.grading.prices import (
    Offered,
    Price,
    comparisons,
    false_comparison,
    false_price,
    prices,
    said_cheaper,
    said_dearer,
)
from errands.grading.traits import Trait, all_claims, false_of, says

BUDGET = 2_500  # US cents; a lunch must come to less
DIET = Trait(
    "diet",
    (r"\b(?:vegetarians?|veggies?|veg|vegan\w*|plant-based|meat-?free|meatless)\b",),
    (r"\b(?:fish|seafood|meat|steaks?)(?![- ]?(?:free|less))\b",),
    (r"\b(?:diets?|dietary|menu|food)\b",),
)
NOISE = Trait(
    "noise",
    (r"\b(?:quiet\w*|calm\w*|peaceful\w*|tranquil\w*|serene|hushed)\b",),
    (r"\b(?:loud\w*|nois(?:y|ier|iest)|music|blar\w+|din|rowdy)\b",),
    (r"\b(?:noise|seating|atmosphere)\b",),
)
_LIMIT = (
    r"(?:(?:your|the|my|that|a) )?(?:\$ ?25(?:\.00)?|(?:\$ ?25(?:\.00)?[- ])?(?:budget|limit|cap|ceiling"
    r"|maximum|price))"
)
PRICE = Trait(
    "price",
    (
        rf"\b(?:within|under|below|inside|in|less than|beneath) {_LIMIT}",
        r"\bunder-budget\b|(?<!fails )(?<!only )\bon budget\b",
    ),
    (
        rf"\b(?:over|above|beyond|more than|past|exceed\w*|bust\w*|blows?) {_LIMIT}",
        r"\b(?:over|above)[- ]budget\b",
        r"\btoo (?:expensive|pricey|dear|costly|high|much)\b",
        r"> ?\$ ?25\b",
        r"\bnot (?:under|below|less than|within) (?:your |the )?\$ ?25\b",
        r"\bexceeds\b",
        r"\bout of (?:your )?budget\b",
    ),
    (r"\b(?:price|budget|cost|limit)\b",),
)
TRAITS = (DIET, NOISE, PRICE)

# That what follows, or stands before, is what one loses.
_LOSS = re.compile(
    r"\b(?:trade-?offs?|down-?sides?|drawbacks?|catch|cons?|in exchange|disadvantages?|minus|los(?:e|es|ing|s)"
    r"|give up|giving up|sacrific\w+|price you pay)\b"
)
_ALL = re.compile(
    r"^(?!.*(?:\bnot\b|n't\b)).*\b(?:meets?|has|have|ticks?|checks?|fits?|satisf\w+|fulfil\w*|covers?|offers?"
    r"|gives?|gets?) (?:\w+ ){0,3}?(?:all|every\w*|each|both)\b"
)
_AGAINST = re.compile(r"\b(?:vs|versus|compared|against|instead of|rather than|while|whereas|but|though)\b")
_MONEY_WORD = re.compile(r"\b(?:price|pricier|expens\w+|costs?|money|bill|pay(?:ing)?)\b")


@dataclass(frozen=True, slots=True)
class Menu:
    """What is true: the restaurants as options, their traits, and the money."""

    options: tuple[Option, ...]
    facts: Mapping[str, Mapping[str, bool]]
    offered: Offered

    @property
    def right(self) -> str:
        """The one that meets all three wishes; empty where none does. `ValueError` if several do."""
        found = [o for o, traits in self.facts.items() if all(traits.values())]
        if len(found) > 1:
            raise ValueError(f"{len(found)} restaurants will do")
        return next(iter(found), "")

    def failing(self, trait: str) -> str:
        """The one that fails this wish."""
        return next((o for o, traits in self.facts.items() if not traits[trait]), "")


def menu(rows: Sequence[Mapping[str, Any]]) -> Menu:
    """The facts of these rows of `places_place`."""
    total = {str(r["id"]): int(r["price"]) + int(r["service"]) for r in rows}
    return Menu(
        tuple(Option(str(r["id"]), (str(r["name"]),)) for r in rows),
        {
            str(r["id"]): {
                "diet": r["vegetarian"] != "no",
                "noise": r["noise"] == "quiet",
                "price": total[str(r["id"])] < BUDGET,
            }
            for r in rows
        },
        Offered(
            "USD",
            total,
            {str(r["id"]): (int(r["price"]), int(r["service"]), total[str(r["id"])]) for r in rows},
            BUDGET,
        ),
    )


def chosen(text: str, m: Menu) -> Picks:
    """What a text chooses."""
    return picks(text, m.options, traits=TRAITS)


def untrue(text: str, m: Menu, option: str) -> str:
    """The clause that says something untrue of this option; empty where there is none."""
    for c in clauses(text, m.options):
        if any(false_of(claim, m.facts, option) for claim in all_claims([c], TRAITS)):
            return c.text
        if any(false_price(p, m.offered, option) for p in prices(c, m.offered.currency)):
            return c.text
        if any(false_comparison(x, m.offered, option) for x in comparisons(c)):
            return c.text
    return ""


def names_failing(text: str, m: Menu, option: str, trait: str) -> bool:
    """Whether a text says that this option fails this wish; of the price, what it comes to will do."""
    said = clauses(text, m.options)
    if trait == "price" and comes_to(text, m, option):
        return True
    return any(
        claim.trait == trait and not claim.holds and option in claim.clause.about
        for claim in all_claims(said, TRAITS)
    )


def comes_to(text: str, m: Menu, option: str) -> bool:
    """Whether a text says what this option comes to in all."""
    wanted = m.offered.totals[option]
    return any(
        p.amount == wanted and option in c.about
        for c in clauses(text, m.options)
        for p in prices(c, m.offered.currency)
    )


def gain(text: str, m: Menu, option: str) -> str:
    """A clause with a true advantage of this option over another; empty where there is none."""
    rivals = m.offered.rivals(option)
    for c in clauses(text, m.options):
        for claim in all_claims([c], TRAITS):
            mine = m.facts[option][claim.trait]
            lacking = [r for r in rivals if not m.facts[r][claim.trait]]
            own = claim.holds and says(claim, option)
            theirs = not claim.holds and any(r in c.about for r in lacking)
            if mine and lacking and (own or theirs):
                return c.text
        if said_cheaper(comparisons(c), m.offered, option):
            return c.text
        if option == m.right and option in c.about and _ALL.search(c.text):
            return c.text  # no other meets all of them
    return ""


def loss(text: str, m: Menu, option: str) -> str:
    """A clause with a true disadvantage of this option against another; empty where there is none."""
    rivals = m.offered.rivals(option)
    more = {m.offered.totals[option] - m.offered.totals[r] for r in rivals}
    for c in clauses(text, m.options):
        for claim in all_claims([c], TRAITS):
            mine = m.facts[option][claim.trait]
            having = [r for r in rivals if m.facts[r][claim.trait]]
            if not mine and having and not claim.holds and says(claim, option):
                return c.text
        if said_dearer(comparisons(c), m.offered, option):
            return c.text
        if any(_lost(p, c) and abs(p.amount or 0) in more for p in prices(c, "USD")):
            return c.text
    return _side_by_side(text, m, option)


def _lost(p: Price, c: Clause) -> bool:
    """Whether an amount is what one loses: "you lose $4", "-$4"."""
    return (p.amount or 0) < 0 or (p.difference and _LOSS.search(c.text) is not None)


def _side_by_side(text: str, m: Menu, option: str) -> str:
    """A sentence that sets its price against a lower one, or calls the price the tradeoff."""
    own = m.offered.totals[option]
    lower = {r: t for r, t in m.offered.totals.items() if t < own}
    for line in read(text, m.options) if lower else ():
        if any(c.cell for c in line.clauses):
            continue
        said = {p.amount for c in line.clauses for p in prices(c, m.offered.currency)}
        names_it = any(m.options[n].id in lower for n in mentioned(line.text))
        lost = _LOSS.search(f"{line.heading} {line.text}") is not None
        both = own in said and bool(said & {*lower.values()})
        if both and (lost or (names_it and _AGAINST.search(line.text))):
            return line.text
        if lost and _MONEY_WORD.search(_LOSS.sub(" ", line.text)):
            return line.text
    return ""
