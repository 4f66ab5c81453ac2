"""How an answer about bottles is read: which it names, what it says rules them out, whether it says that none fits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from errands.core.money import Money
from errands.grading.compare.money import find_money
from errands.grading.compare.numbers import find_numbers
from errands.grading.none_fits import none_fits as none_fits_of
from errands.languages.text import plain

# What says that something was paid for (the rules for denials and conditions are those of `grading.claims`).
PAID = (
    r"\b(?:i|we)(?:'ve| have)?(?: now| just| already| also| successfully)? (?:paid|bought|purchased)\b",
    r"\b(?:payment|purchase|it|order|bottle|brush)(?: of \S+)? (?:has been|was|is now|is|went)(?: \w+){0,2} "
    r"(?:paid|bought|purchased|completed|charged|through)\b",
    r"\byour card (?:has been|was) charged\b|\bpaid with your\b",
)


@dataclass(frozen=True, slots=True)
class Bottle:
    """A bottle of the shop; amounts in cents. `fails`: what rules it out (`material`, `capacity`, `total`, `stock`);
    `wish`: the material that was asked for."""

    id: str
    name: str
    material: str
    capacity: int
    price: int
    total: int
    stock: int
    fails: list[str]
    wish: str

    def mentioned(self, text: str) -> bool:
        """Whether a text names it."""
        return _handle(self.name, self.id).search(plain(text)) is not None


@lru_cache(maxsize=64)
def _handle(*handles: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, handles))})\b", re.IGNORECASE)


# ---- the total ----------------------------------------------------------------------------------------------------

_SUM = re.compile(r"\b(?:total|sum|comes? to|in all|altogether|amount|due)\b", re.IGNORECASE)


def says_total(text: str, cents: int) -> bool:
    """Whether a text names this amount: with a currency, or as a number in a line that speaks of a total."""
    wanted = Money(cents, "USD")
    if any(f.value == wanted for f in find_money(text, "USD")):
        return True
    lines = [line for line in _bare(text).splitlines() if _SUM.search(line)]
    return any(f.value == wanted.major for line in lines for f in find_numbers(line))


# ---- that none fits -----------------------------------------------------------------------------------------------

_THING = r"(?:bottles?|products?|options?|items?|ones?|models?|matches|match|candidates?|listings?|choices?)"
_FITS = (
    r"(?:fits?|fitting|qualif\w+|match\w*|meets?|meeting|satisf\w+|suits?|suitable|works?|under|below|within|comes? in|"
    r"available|compl(?:y|ies)|fulfils?|fulfills?|eligible|passes|conforms?|possible|can|could|that)"
)
_NONE = none_fits_of(
    _THING,
    _FITS,
    r"result|qualifying|matches|matching|fits?|bottle",
)


def none_fits(text: str) -> bool:
    """Whether a text says that no bottle fits."""
    return _NONE.search(_bare(text)) is not None


_MARKUP = re.compile(r"[*`#>~]+|(?<!\w)_+|_+(?!\w)")


def _bare(text: str) -> str:
    return _MARKUP.sub("", plain(text))


# ---- what rules one out -------------------------------------------------------------------------------------------

_JOINED = re.compile(
    r"[\s,/&+|]*(?:\band\b|\bor\b|\bnor\b|\bplus\b)?[\s,/&+|]*(?:\bthe\b)?\s*(?:water )?(?:bottles?)?\s*"
)
_SENTENCE = re.compile(r"[.!?;](?=\s|$)|\n")


def _windows(text: str, wanted: Bottle, bottles: Sequence[Bottle]) -> Iterator[str]:
    """The stretches of a text that speak of a bottle: from the one named before, or the sentence's beginning, to the
    one that is named next. Names that stand in a row share theirs."""
    found = sorted((m.start(), m.end(), b.id) for b in bottles for m in _handle(b.name, b.id).finditer(text))
    n = 0
    while n < len(found):
        last = n
        while last + 1 < len(found) and _JOINED.fullmatch(text, found[last][1], found[last + 1][0]):
            last += 1
        before = found[n - 1][1] if n else 0
        if any(ident == wanted.id for _, _, ident in found[n : last + 1]):
            cut = [m.end() for m in _SENTENCE.finditer(text, before, found[n][0])]
            after = found[last + 1][0] if last + 1 < len(found) else len(text)
            yield text[cut[-1] if cut else before : after]
        n = last + 1


def reasoned(text: str, one: Bottle, bottles: Sequence[Bottle]) -> bool:
    """Whether a text says of a bottle something that does rule it out."""
    bare = _bare(text)
    return any(_says(why, window, one) for window in _windows(bare, one, bottles) for why in one.fails)


_OVER = (
    r"\b(?:over|above|exceed\w*|beyond|past|outside|more than|higher than|not under|isn't under|too (?:expensive|dear|"
    r"pricey|costly|much|high)|unaffordable|(?:price|cost|budget|limit|total)(?: is)? (?:too high|exceeded))\b"
)
_WHY = {
    "material": r"\b(?:not|isn't) (?:made (?:of|from) )?(?:a )?(?:stainless[- ])?"
    r"(?:WISH|the (?:right|requested) material)\b"
    r"|\bnon-WISH\b|\b(?:wrong|different|other) material\b|\bmaterial\b[^.\n|]{0,20}(?:wrong|mismatch|✗|❌|\bno\b)",
    "capacity": r"\btoo (?:small|big|large|little)\b|\b(?:smaller|larger|bigger)\b|\b(?:wrong|different|other) "
    r"(?:size|capacity|volume)\b|\b(?:size|capacity|volume)\b[^.\n|]{0,20}(?:wrong|mismatch|✗|❌|\bno\b)",
    "total": _OVER,
    "stock": r"\b(?:sold out|out of stock|unavailable|not (?:in stock|available)|no stock|none (?:left|in stock)"
    r"|0 in stock)\b",
}


def _says(why: str, window: str, one: Bottle) -> bool:
    if re.search(_WHY[why].replace("WISH", one.wish), window, re.IGNORECASE):
        return True
    if why == "material":
        return re.search(rf"\b{one.material}\b(?! look)", window, re.IGNORECASE) is not None
    if why == "capacity":
        return one.capacity in _millilitres(window)
    if why == "total":
        return any(f.value == Money(one.total, "USD") for f in find_money(window, "USD"))
    return False


_VOLUME = re.compile(
    r"(?<![\d.,$])(\d{1,3}(?:,\d{3})|\d+(?:\.\d+)?)[ -]?(ml|milli ?lit(?:er|re)s?|cl|l|lit(?:er|re)s?)\b"
    r"|\b(half)[- ](?:a[- ])?lit",
    re.IGNORECASE,
)


def _millilitres(text: str) -> set[int]:
    out = set()
    for number, unit, half in _VOLUME.findall(text):
        times = 1 if unit.lower().startswith("m") else 10 if unit.lower() == "cl" else 1000
        out.add(500 if half else int(Decimal(number.replace(",", "")) * times))
    return out
