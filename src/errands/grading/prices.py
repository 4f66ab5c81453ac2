"""What English text says of the prices of named options: amounts, and which is cheaper or dearer than which."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from .clauses import MENTION, Clause
from .compare.money import find_money


@dataclass(frozen=True, slots=True)
class Offered:
    """What is true of the money: `totals` of the options, all amounts that belong to each (its total among them), and
    the budget; minor units of one currency."""

    currency: str
    totals: Mapping[str, int]
    amounts: Mapping[str, tuple[int, ...]]
    budget: int

    def rivals(self, option: str) -> tuple[str, ...]:
        """The other options."""
        return tuple(o for o in self.totals if o != option)


@dataclass(frozen=True, slots=True)
class Price:
    """An amount (minor units; None if it cannot be read) that a clause gives.

    `difference`: it may lie between two prices, and be none. `sure`: it is said of the options of the clause.
    """

    amount: int | None
    difference: bool
    clause: Clause
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Comparison:
    """That the options of a clause cost more (`dearer`) or less than others; `most`: than all. `within`: of those that
    qualify, say, so that nothing can be told from the prices alone."""

    dearer: bool
    most: bool
    within: bool
    clause: Clause


_AFTER = re.compile(
    r"\s*(?:or so |a (?:head|person) )?(?:more|less|cheaper|extra|over|under|below|above|saved|savings?|left"
    r"|to spare|differences?|higher|lower"
    r"|premium|pricier|dearer|off|of (?:headroom|room|slack|savings)|margin|headroom|beneath|short|within"
    r"|remaining|inside|on top|gap|upcharge|surcharge"
    r"|cushion|buffer|spare|surplus)\b|-(?:cheaper|higher|lower)"
)
_BEFORE = re.compile(
    r"\b(?:sav(?:es?|ed|ing|ings)|lose|lost|losing|give up|giving up|trade-?off|down-?side|drawback|cons?"
    r"|sacrifice|extra|additional|difference|by|leav\w+|spare|premium|remaining|headroom|cushion|buffer|margin"
    r"|surplus)\b"
    r"(?: (?:you|of|is|an?|about|around|just|only|roughly|another|there's|the|it|us)\b)*[\s:=]*\(?$"
)
_WEIGHED = re.compile(r"\b(?:compared|lose|losing|loss|give up|gain|trade-?off|difference|in exchange)\b")
_DEARER = re.compile(
    r"\b(?P<most>most expensive|priciest|dearest|costliest|highest[- ](?:price|priced|cost|total|bill)"
    r"|highest of (?:the|all)|most costly)\b"
    r"|\b(?:more expensive|pricier|dearer|costlier|more costly|higher[- ](?:price|priced|cost|costs|total"
    r"|bill)|price premium|steeper)\b"
    r"|\b(?:cost\w*|pay\w*|spend\w*|charg\w+|runs?|priced|comes? (?:to|out)|bit|little|slightly|somewhat"
    r"|dollars?|bucks|total\w*|money) (?:a (?:bit|little|few \w+) |slightly |somewhat |somewhat |about |just "
    r"|only |you )*"
    r"(?:more|higher|extra)\b|(?:\$ ?[\d.]+|\b(?:usd )?[\d.]+(?: dollars| usd)?|\b(?:one|two|three|four|five"
    r"|six|seven|eight|nine|ten) (?:dollars|bucks)) (?:\w+ )?(?:more|extra|higher|pricier|dearer|above ~"
    r"|over ~|on top|premium)\b"
    r"|\b(?:price|cost|total|bill) (?:is|are|would be|comes out) (?:\w+ )?(?:higher|more|steeper)\b"
    r"|\b(?:extra|additional|another) (?:\$ ?[\d.]+|cost|money|expense|dollars)|\bpremium\b"
)
_CHEAPER = re.compile(
    r"\b(?P<most>cheapest|least expensive|lowest[- ](?:price|priced|cost|total|bill)|most affordable"
    r"|least costly|lowest of (?:the|all))\b"
    r"|\b(?:cheaper|less expensive|less costly|more affordable|lower[- ](?:price|priced|cost|costs|total|bill))\b"
    r"|\b(?:cost\w*|pay\w*|spend\w*|charg\w+|runs?|priced|bit|little|slightly|somewhat|dollars?"
    r"|bucks) (?:a (?:bit|little|few \w+) |slightly |somewhat |about |just |only |you )*(?:less|lower)\b"
    r"|(?:\$ ?[\d.]+|\b[\d.]+ dollars|\b(?:one|two|three|four|five|six|seven|eight|nine|ten) (?:dollars"
    r"|bucks)) (?:less|lower|off|under ~|below ~)\b"
    r"|\b(?:price|cost|total|bill) (?:is|are|would be|comes out) (?:\w+ )?lower\b"
    r"|\b(?:would |could |you'd |you |will |'d )?sav(?:e|es|ing) (?:you )?(?:\$|money|about|a (?:bit|few"
    r"|couple|little)|some|one|two|three|four|five|six|seven)"
)
_NEG = re.compile(r"(?:\b(?:not|never|isn't|hardly|nor|no|without|neither)\b|n't)(?: \w+){0,3} ?$")
_QUALIFIED = re.compile(
    r"^[^,;.]*\b(?:that|which|who|meet\w*|fit\w*|qualif\w+|suit\w*|match\w*|satisf\w+|acceptable|eligible"
    r"|valid|viable|with|among|step-free|refundable|quiet|vegetarian)\b"
)
_EVERY_OTHER = re.compile(
    r"\b(?:than|over|versus|vs|above|of) (?:at )?(?:the )?(?:other (?:two|three|options?|places?|ones?|choices"
    r"|restaurants?)|others|rest|alternatives|both|either|all)\b|\bof (?:the )?(?:three|four|all|lot|bunch)\b"
    r"|\bboth (?:\w+ )?(?:alternatives|others|rivals)"
)
_BUDGET = re.compile(r"\b(?:budget|limit|cap|ceiling|maximum|max|left|spare|headroom|under your|under the)\b")


@lru_cache(maxsize=4096)
def _money(text: str, currency: str) -> tuple[tuple[int | None, int, int], ...]:
    found = find_money(_bare(text, currency), currency)
    return tuple((f.value.minor if f.value else None, f.start, f.end) for f in found)


def _bare(text: str, currency: str) -> str:
    """A folded text as amounts are found in it: without mentions, whose digits are no amounts, and with the code as it
    is written."""
    return re.sub(rf"\b{currency}\b", currency, MENTION.sub("x", text), flags=re.IGNORECASE)


def prices(clause: Clause, currency: str) -> list[Price]:
    """The amounts that a clause gives."""
    text = _bare(clause.text, currency)
    return [
        Price(
            amount,
            bool(_AFTER.match(text, end) or _BEFORE.search(text[:start]) or _WEIGHED.search(text)),
            clause,
            clause.sure and start >= clause.text.find("@"),
        )
        for amount, start, end in _money(clause.text, currency)
    ]


def comparisons(clause: Clause) -> list[Comparison]:
    """Which way a clause compares, each time that it does. "Not the cheapest" says dearer."""
    out = []
    for dearer, pattern in ((True, _DEARER), (False, _CHEAPER)):
        for m in pattern.finditer(clause.text):
            denied = _NEG.search(clause.text[: m.start()]) is not None
            most = bool(m["most"])
            within = most and bool(_QUALIFIED.match(clause.text[m.end() :]))
            out.append(Comparison(dearer is not denied, most and not denied, within, clause))
    return out


def true_price(p: Price, o: Offered, option: str) -> bool:
    """Whether an amount belongs to this option, to the budget, or (a difference) lies between it and another."""
    if p.amount is None:
        return False
    if p.amount in (*o.amounts[option], o.budget):
        return True
    if not p.difference and p.amount > 0:
        return False
    others = [r for r in p.clause.versus if r in o.totals] or list(o.rivals(option))
    apart = {abs(o.totals[option] - o.totals[r]) for r in others}
    if _BUDGET.search(p.clause.text):
        apart.add(abs(o.budget - o.totals[option]))
    return abs(p.amount) in apart


def false_price(p: Price, o: Offered, option: str) -> bool:
    """Whether an amount is surely said of this option and untrue; of no option in particular: untrue of all."""
    if p.sure:
        return option in p.clause.about and not any(
            true_price(p, o, a) for a in p.clause.about if a in o.totals
        )
    return not any(true_price(p, o, a) for a in o.totals)


def true_comparison(c: Comparison, o: Offered, option: str) -> bool:
    """Whether it is true of this option."""
    mine = o.totals[option]
    others = [r for r in c.clause.versus if r in o.totals and r != option]
    every = c.most or (not others and _EVERY_OTHER.search(c.clause.text) is not None)
    found = [o.totals[r] < mine if c.dearer else o.totals[r] > mine for r in others or o.rivals(option)]
    return all(found) if every or others else any(found)


def false_comparison(c: Comparison, o: Offered, option: str) -> bool:
    """Whether it is surely said of this option and untrue; of no option in particular: untrue of all."""
    if c.within:
        return False
    if c.clause.sure:
        return option in c.clause.about and not true_comparison(c, o, option)
    return not any(true_comparison(c, o, a) for a in o.totals)


def said_dearer(found: Iterable[Comparison], o: Offered, option: str) -> list[Comparison]:
    """The true statements that say that this option costs more than another."""
    return [c for c in found if _says(c, o, option, dearer=True)]


def said_cheaper(found: Iterable[Comparison], o: Offered, option: str) -> list[Comparison]:
    """The true statements that say that this option costs less than another."""
    return [c for c in found if _says(c, o, option, dearer=False)]


def _says(c: Comparison, o: Offered, option: str, *, dearer: bool) -> bool:
    """Of the option itself, or the contrary of another that is compared with it, or with nobody."""
    if c.within:
        return False
    if c.dearer is dearer and (option in c.clause.about or not c.clause.sure):
        return true_comparison(c, o, option)
    others = [a for a in c.clause.about if a != option and a in o.totals]
    against = option in c.clause.versus or not c.clause.versus
    gap = [o.totals[a] < o.totals[option] if dearer else o.totals[a] > o.totals[option] for a in others]
    return c.dearer is not dearer and against and any(gap) and any(true_comparison(c, o, a) for a in others)
