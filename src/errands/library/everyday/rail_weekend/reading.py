"""How a travel plan is read: lodging, nights, travelers, and what it comes to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from errands.grading.clauses import Clause, Line, Option, clauses, mentioned, read
from errands.grading.compare.texts import find_dates
from errands.grading.picks import Picks, picks
from errands.grading.prices import prices
from errands.grading.traits import Trait, all_claims, false_of

BUDGET = 50_000  # US cents
NIGHTS = TRAVELERS = 2
ACCESS = Trait(
    "access",
    (
        r"\bstep[- ]?free\b",
        r"\baccessib\w+",
        r"\b(?:no|without) (?:stairs|steps)\b",
        r"\b(?:lift|elevator|ramp)\b",
        r"\bwheelchair\w*",
    ),
    (r"\bstairs?\b", r"\bsteps\b", r"\binaccessible\b", r"\bnon[- ]?accessible\b", r"\bnot? step[- ]?free\b"),
    (r"\baccess\b",),
)
REFUND = Trait(
    "refund",
    (r"\brefund(?:able|ability|s|ed)?\b", r"\bfree cancell?ation\b", r"\bcancell?able\b"),
    (r"\bnon[- ]?refund\w*", r"\bno[- ]refunds?\b", r"\bnot refundable\b"),
    (r"\b(?:refunds?|cancell?ation)\b",),
)
_LIMIT = (
    r"(?:(?:your|the|my|our|that|a) )?(?:\$ ?500(?:\.00)?|(?:\$ ?500(?:\.00)?[- ])?(?:budget|limit|cap|ceiling"
    r"|maximum))"
)
PRICE = Trait(
    "price",
    (
        rf"\b(?:within|under|below|inside|in|less than|beneath) {_LIMIT}",
        r"(?<!fails )(?<!only )\bon budget\b",
    ),
    (
        rf"\b(?:over|above|beyond|more than|past|exceed\w*|bust\w*|blows?|breaks?) {_LIMIT}",
        r"\b(?:over|above)[- ]budget\b",
        r"\btoo (?:expensive|pricey|dear|costly|high|much)\b",
        r"> ?\$ ?500\b",
        r"\bexceeds\b",
        r"\bout of (?:your |our |the )?budget\b",
    ),
    (r"\b(?:price|budget|cost|limit)\b",),
)
TRAITS = (ACCESS, REFUND, PRICE)


@dataclass(frozen=True, slots=True)
class Offers:
    """What is true: trains and lodgings as options, whether each lodging meets each condition, and the money (cents).

    `parts` is, by lodging, what the train for both and this lodging for all nights come to; `amounts`, all that may be
    said of it; `apart`, what lies between two lodgings, by night or in all.
    """

    options: tuple[Option, ...]
    lodgings: tuple[str, ...]
    facts: Mapping[str, Mapping[str, bool]]
    parts: Mapping[str, tuple[int, int]]
    amounts: Mapping[str, frozenset[int]]
    apart: frozenset[int]

    @property
    def right(self) -> str:
        """The lodging that meets all conditions; empty where none does. `ValueError` if several do."""
        found = [o for o in self.lodgings if all(self.facts[o].values())]
        if len(found) > 1:
            raise ValueError(f"{len(found)} lodgings will do")
        return next(iter(found), "")

    def total(self, lodging: str) -> int:
        """What a plan with this lodging comes to."""
        return sum(self.parts[lodging])

    def name(self, option: str) -> str:
        """What an option is called."""
        return next((o.names[0] for o in self.options if o.id == option), "")


def offers(rows: Sequence[Mapping[str, Any]]) -> Offers:
    """The facts of these rows of `travel_offer`, with the cheapest step-free train."""
    trains = [r for r in rows if r["kind"] == "train"]
    stays = [r for r in rows if r["kind"] == "lodging"]
    fare = min(int(r["price"]) for r in trains if r["access"] == "step_free")
    rates = {str(r["id"]): (int(r["price"]), int(r["taxes"])) for r in stays}
    parts = {o: (TRAVELERS * fare, NIGHTS * (rate + tax)) for o, (rate, tax) in rates.items()}
    facts = {
        str(r["id"]): {
            "access": r["access"] == "step_free",
            "refund": bool(r["refundable"]),
            "price": sum(parts[str(r["id"])]) <= BUDGET,
        }
        for r in stays
    }
    fares = [int(r["price"]) for r in trains]
    sums = {a for rate, tax in rates.values() for a in (rate, rate + tax)}
    return Offers(
        (*(_lodging(r) for r in stays), *_trains(trains)),
        tuple(facts),
        facts,
        parts,
        {o: _amounts(rates[o], fares) for o in rates},
        frozenset(n * abs(a - b) for a in sums for b in sums for n in (1, NIGHTS)),
    )


def _lodging(r: Mapping[str, Any]) -> Option:
    """A lodging, also without the word for what it is ("the Cedar")."""
    name = str(r["name"])
    short = " ".join(w for w in name.split() if w not in ("Hotel", "Inn", "House", "Lodge"))
    return Option(str(r["id"]), (name, short))


def _trains(rows: Sequence[Mapping[str, Any]]) -> list[Option]:
    """The trains; where there is one, "the train" is that."""
    common = ("return train", "train tickets", "train ticket", "train fare", "trains", "train", "rail")
    if len(rows) == 1:
        return [Option(str(rows[0]["id"]), (str(rows[0]["name"]), *common))]
    return [*(Option(str(r["id"]), (str(r["name"]),)) for r in rows), Option("train", common)]


def _amounts(rate: tuple[int, int], fares: Sequence[int]) -> frozenset[int]:
    """All amounts (cents) that may truly be said of a lodging: its own, the trains', both, halves, what is left."""
    nightly, tax = rate
    own = {n * a for a in (nightly, tax, nightly + tax) for n in (1, NIGHTS)}
    whole = {a + TRAVELERS * fare for a in own for fare in fares}
    said = own | whole | {n * fare for fare in fares for n in (1, TRAVELERS)}
    return frozenset(said | {a // 2 for a in own | whole} | {abs(BUDGET - a) for a in said} | {BUDGET})


def chosen(text: str, o: Offers) -> Picks:
    """Which lodging a text chooses."""
    return picks(text, o.options, among=o.lodgings, traits=(ACCESS, REFUND, PRICE))


def untrue(text: str, o: Offers) -> str:
    """A clause that surely says something untrue of a lodging; empty where there is none."""
    for c in clauses(text, o.options):
        of = [i for i in c.about if i in o.lodgings]
        if not c.sure or len(c.about) != 1 or not of:
            continue
        if any(false_of(claim, o.facts, of[0]) for claim in all_claims([c], TRAITS)):
            return c.text
        true = o.amounts[of[0]]
        said = [p for p in prices(c, "USD") if p.sure]
        if any(p.amount not in (true | o.apart if p.difference else true) for p in said):
            return c.text
    return ""


def names_failing(text: str, o: Offers, lodging: str, trait: str) -> bool:
    """Whether a text says that this lodging fails this condition; of the budget, what all comes to will do."""
    if trait == "price" and comes_to(text, o, lodging):
        return True
    return any(
        claim.trait == trait and not claim.holds and lodging in claim.clause.about
        for claim in all_claims(clauses(text, o.options), TRAITS)
    )


def comes_to(text: str, o: Offers, lodging: str) -> bool:
    """Whether a text gives what all would come to with this lodging."""
    return o.total(lodging) in _said(clauses(text, o.options))


# ---- nights -------------------------------------------------------------------------------------------------------

_NUMBER = {
    "one": 1,
    "two": 2,
    "both": 2,
    "couple of": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
}
_COUNT = rf"(?P<n>\d{{1,2}}|{'|'.join(_NUMBER)})"
_NIGHTS = re.compile(
    rf"\b{_COUNT}(?:[- ]| full | consecutive )nights?\b|\bnights?\s*[:=|]?\s*\(?(?P<m>\d{{1,2}}|one|two|three"
    rf"|four)\b(?!\s*(?:x|×|\*|@|\$))"
)
_TIMES = re.compile(
    r"(?:\b(?:x|times)|×|\*)\s*(?P<n>\d|two|three|one)\b|\b(?P<m>\d|two|three)\s*(?:(?:x|times)\b|×|\*)"
)
_PER_NIGHT = re.compile(r"\bnight\w*|/ ?night")


def nights(text: str, o: Offers, first: date, last: date) -> set[int]:
    """The numbers of nights that a text states for a stay; one is as a rule only the basis of a price ("1 night: $140")
    and left out where others are. Both dates state two nights."""
    found: set[int] = set()
    for c in clauses(text, o.options):
        found |= {_count(m) for m in _NIGHTS.finditer(c.text)}
        if _PER_NIGHT.search(c.text):
            found |= {_count(m) for m in _TIMES.finditer(_NIGHTS.sub(" ", c.text))} - {1}
    for line in read(text, o.options):
        if {first, last} <= _dates(line.text, first) or _days(line.text, first, last):
            found.add((last - first).days)
    return found - {1} or found


def _dates(text: str, near: date) -> set[date]:
    return {f.value for f in find_dates(text, "MDY", near) if f.value is not None}


def _days(text: str, first: date, last: date) -> bool:
    """Whether a text gives the dates as a span: "Dec 4-6", "Friday to Sunday"."""
    month = rf"{first:%b}".lower()
    span = rf"\b{month}\w*\.? {first.day}(?:st|nd|rd|th)?\s*(?:-|to|through|until)\s*{last.day}\b"
    week = rf"\b{first:%a}\w*\b[^.;|]{{0,24}}?(?:-|->|to|through|until|till)\s*{last:%a}\w*\b"
    return re.search(f"{span}|{week.lower()}", text) is not None


def _count(m: re.Match[str]) -> int:
    word = next(g for g in m.groups() if g)
    return _NUMBER.get(word, 0) or int(word)


# ---- travelers ----------------------------------------------------------------------------------------------------

_WHO = (
    r"(?:travell?ers?|people|persons?|adults?|guests?|passengers?|pax|seats|tickets?|fares|returns|of (?:you"
    r"|us)|heads?)"
)
_PEOPLE = re.compile(
    rf"\b{_COUNT}(?:[- ](?:return|round-trip|train|rail|adult|x))*[- ]{_WHO}\b|\b{_WHO}\s*[:=|(]\s*(?P<m>\d|one"
    rf"|two|three|four)\b"
    rf"|\bparty of (?P<p>\d|one|two|three)\b"
)
_BOTH = re.compile(
    r"\bboth (?:of (?:you|us)|travell?ers|people|guests|persons|passengers|train and|for)\b"
    r"|\bthe two of (?:you|us)\b|\byou (?:two|both)\b|\bfor (?:you )?(?:two|both|2)\b(?! nights?)"
    r"|\byou and [a-z]+\b|\b[a-z]+ and you\b|\b(?:double|twin) (?:room|bed)|\broom for (?:two|2)\b"
    r"|\bsleeps (?:two|2)\b|\byour partner\b"
)
_ONE = re.compile(
    r"\bfor (?:one|1) (?:person|travell?er|adult|passenger)\b|\bsolo\b|\bsingle (?:room|ticket|travell?er)\b"
)
# "For the two of you: the train, …", "Two travelers, two nights, Hotel Cedar".
_HEADED = re.compile(
    r"[^@:]*\bfor (?:the |you )?(?:two|2|both|you and \w+)\b(?! nights?)[^@:]*:|[^@:,]*\bfor (?:the "
    r"|you )?(?:two|2|both|you and \w+)\b(?! nights?)[^@:,]*,"
    r"|\W*(?:[a-z']+ ){0,4}?(?:two|2|both|three|3|four|4|one|1) (?:travell?ers?|people|persons?|adults?"
    r"|of you)\b[^@:]{0,24}?[,:]"
)
_YOU_BOTH = re.compile(
    r"\W*(?:[^@:,]{0,24}[:,] )?(?:the two of you|both of you|you both|you two|you and \w+)\b(?! by\b)"
)
_SPLIT = re.compile(r"\beach\b|\bper\b|\ba (?:person|head)\b")


@dataclass(frozen=True, slots=True)
class Party:
    """For how many a text says that the train, the lodging, or all of it is."""

    train: frozenset[int]
    lodging: frozenset[int]
    whole: frozenset[int]

    @property
    def numbers(self) -> frozenset[int]:
        return self.train | self.lodging | self.whole


def party(text: str, o: Offers) -> Party:
    """For how many people a plan is, and what of it."""
    out: dict[str, set[int]] = {"train": set(), "lodging": set(), "whole": set()}
    for line in read(text, o.options):
        for c in line.clauses:
            what = _of(c, line, o)
            found = {_count(m) for m in _PEOPLE.finditer(c.text)} - {1}
            if _ONE.search(c.text) and not _SPLIT.search(c.text):
                found.add(1)
            if _BOTH.search(c.text):
                found.add(2)
            stays = any(o.options[n].id in o.lodgings for n in mentioned(line.text))
            if _HEADED.match(c.text) or (
                stays and _YOU_BOTH.match(c.text)
            ):  # "For the two of you: the train, …"
                what = "whole"
            if what == "train":  # "$60 × 2" of the train is for two people
                found |= {_count(m) for m in _TIMES.finditer(c.text)} - {1}
            out[what] |= found
    return Party(*(frozenset(out[w]) for w in ("train", "lodging", "whole")))


def _of(c: Clause, line: Line, o: Offers) -> str:
    """What a clause is about: the train, the lodging, or all of it."""
    named = {o.options[n].id for n in mentioned(line.text if c.cell else c.text)}
    about = named or (set(c.about) if c.sure else set())
    if named and not named & {*o.lodgings} and re.search(r"\b(?:lodging|hotel|room|accommodation)\b", c.text):
        return "whole"
    if not named and re.search(r"\b(?:room|lodging|hotel|stay\w*|accommodation)\b", c.text):
        return "lodging"
    label = re.match(
        r"\W*(?:@\d+@|lodging|hotel|stay|accommodation|room|outbound|return|fares?|tickets?)\b", c.text
    )
    if not about and label:
        return "train" if re.search(r"outbound|return|fare|ticket", label[0]) else "lodging"
    if about and not about & set(o.lodgings):
        return "train"
    if about and about <= set(o.lodgings):
        return "lodging"
    return "whole"


# ---- money --------------------------------------------------------------------------------------------------------

_TOTAL = re.compile(
    r"\b(?:grand total|total|altogether|in all|all[- ]in|overall|comes? to|adds? up to|works out (?:at|to)|sum"
    r"|everything)\b|="
)
_SUBTOTAL = re.compile(
    r"\b(?:train|rail|fares?|tickets?|lodging|hotel|room|accommodation|stay|sub-?total|nights?|budget|limit"
    r"|left|remaining|sav\w+|under|nightly|each|per|tax\w*)\b|@\d+@"
)


def _said(found: Sequence[Clause]) -> set[int]:
    return {p.amount for c in found for p in prices(c, "USD") if p.amount is not None}


def totals(text: str, o: Offers) -> set[int]:
    """The amounts that a text calls the total of the plan, in clauses that name no part of it."""
    out: set[int] = set()
    for line in read(text, o.options):
        if any(c.cell for c in line.clauses):
            if re.search(r"\b(?:total|sum|overall|altogether)\b", line.text) and not _SUBTOTAL.search(
                line.text
            ):
                out |= _said(line.clauses[-1:])
            continue
        for c in line.clauses:
            cue = _TOTAL.search(c.text)
            if not cue:
                continue
            before, _, after = c.text.rpartition("=")
            sums = "+" in before
            if cue[0] == "=" and not sums:
                continue
            if (_SUBTOTAL.search(c.text) or c.cut) and not sums:
                continue
            amounts = [p for p in prices(c, "USD") if p.amount is not None]
            if not amounts:
                continue
            if sums and after:
                last = [p.amount for p in prices(Clause(after), "USD") if p.amount is not None]
                out |= {*last[:1]}
            else:
                rest = [p.amount for p in prices(Clause(c.text[cue.end() :]), "USD") if p.amount is not None]
                out |= {*rest[:1]}
    return out - {BUDGET}


def states_total(text: str, o: Offers, lodging: str) -> bool:
    """Whether a text gives what the plan comes to, and no other total of it."""
    wanted = o.total(lodging)
    return wanted in _said(clauses(text, o.options)) and not totals(text, o) - {wanted}


def states_train(text: str, o: Offers, lodging: str) -> bool:
    """Whether a text gives what the train comes to for both, by itself or in the total."""
    return bool({o.parts[lodging][0], o.total(lodging)} & _said(clauses(text, o.options)))


def states_parts(text: str, o: Offers, lodging: str) -> bool:
    """Whether a text gives what train and lodging come to, each."""
    return {*o.parts[lodging]} <= _said(clauses(text, o.options))
