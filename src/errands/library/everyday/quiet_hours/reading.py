"""How digests and other words to the user are read: their facts, what they say was taken back, urgency, questions."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import date
from functools import lru_cache

from errands.core.money import Money
from errands.grading.compare.folding import fold
from errands.grading.compare.texts import find_dates, find_money
from errands.languages.text import sentences

# ---- facts --------------------------------------------------------------------------------------------------------

# Before a date, it is one that no longer holds: "instead of Thursday", "not Nov 19, as told before".
_ASIDE = re.compile(
    r"(?:\b(?:was|were|from) (?:on )?"
    r"|\b(?:instead of|rather than|not|no longer|previously|originally|formerly|earlier|initially|replac\w+|supersed\w+"
    r"|withdrawn|recalled|wrong(?:ly)?|mistaken(?:ly)?|old)\b(?:(?!\b(?:arriv|due|com|deliver|here|expect|now))[^.,;!?\n]){0,28})$",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"\b(?:withdr[ae]wn?|withdrew|recalled|taken back|took back|pulled|retracted|rescinded|revoked|expired|cancel\w+"
    r"|removed|gone|no longer|(?:not|isn't|is not)(?: \w+)? (?:available|open|offered|on offer|valid|holds?|active))\b",
    re.IGNORECASE,
)
_OFFERS = ("offer", "offered", "upgrade", "move", "switch", "available", "optional", "open")


def mentions(text: str, *words: str) -> bool:
    """Whether a text has one of these words or names, upper and lower case and spaces aside."""
    return any(_named(w).search(fold(text)) for w in words)


@lru_cache(maxsize=64)
def _named(name: str) -> re.Pattern[str]:
    parts = [re.escape(p) for p in re.split(r"[\s_-]+", name)]
    return re.compile(r"(?<!\w)" + r"[\s_-]*".join(parts) + r"(?:e?s)?(?!\w)", re.IGNORECASE)


def days(text: str, today: date) -> set[date]:
    """The days that a text written on `today` gives, those that it sets aside left out."""
    folded = fold(text)
    found = [(f.value, f.start) for f in find_dates(folded, "MDY", today) if f.value]
    for m in re.finditer(r"(?<![\d/.-])(1[0-2]|0?[1-9])/(3[01]|[12]\d|0?[1-9])(?![\d/])", folded):
        try:
            found.append((date(today.year, int(m[1]), int(m[2])), m.start()))
        except ValueError:
            continue
    return {day for day, at in found if _ASIDE.search(folded[max(0, at - 60) : at]) is None}


def amounts(text: str) -> set[int]:
    """The dollar amounts that a text gives, in cents."""
    return {f.value.minor for f in find_money(text, "USD") if isinstance(f.value, Money)}


def standing(text: str, service: str, plan: str, price: int, older: Collection[str]) -> list[str]:
    """The sentences that tell of an offer, by its name or price, as if it stood; those of older ones aside. None where
    one of them, or the one behind it, says that it was taken back."""
    said = sentences(text)
    told = [
        n
        for n, s in enumerate(said)
        if not mentions(s, *older)
        and (
            mentions(s, f"{service} {plan}")
            or price in amounts(s)
            or (mentions(s, service) and mentions(s, *_OFFERS))
        )
    ]
    near = {m for n in told for m in (n, n + 1) if m < len(said)}
    return [] if any(_TAKEN_BACK.search(said[m]) for m in near) else [said[n] for n in told]


# ---- urgency ------------------------------------------------------------------------------------------------------

_DO = r"(?:decid\w+|act|respond\w*|repl(?:y|ies)|confirm\w*|accept\w*|approv\w+|upgrad\w+|buy|order|choose|answer)"
_SOON = r"(?:immediately|right away|at once|straight away|without delay|(?:today|now) (?:to|before|while))"
_URGENT = re.compile(
    r"\burgen(?:t|tly|cy)\b|\basap\b|\bas soon as possible\b|\bhurry\b|\blast chance\b|\bcritical\b"
    r"|\b(?:is|it's|this) an emergency\b"
    r"|\btime[- ](?:sensitive|critical)\b|\blimited[- ]time\b|\bhigh(?:est)?[- ]priority\b"
    r"|\b(?:don't|do not) (?:miss|wait|delay)\b|\bbefore it(?:'s| is) too late\b"
    r"|\bact (?:now|fast|soon|quickly|today)\b|\b(?:final|last) (?:notice|reminder|call)\b"
    r"|\b(?:expir\w+|ends?|ending|clos\w+|runs? out) (?:very )?"
    r"(?:soon|today|tonight|shortly|in (?:a few |\d+ |two |three )?(?:hours?|minutes?))\b"
    r"|\b(?:hours?|minutes?) (?:left|remaining)\b"
    r"|\b(?:immediate|prompt) (?:action|attention|decision|response)\b"
    rf"|\b{_DO}\b[^.;!?\n]{{0,30}}?\b{_SOON}\b"
    rf"|\b(?:must|have to|has to|need to|needs to) {_DO}\b[^.;!?\n]{{0,24}}?\b(?:now|today|by|before|within)\b",
    re.IGNORECASE,
)
# Before it in its sentence: it is denied, or said of what might come.
_DENIED = re.compile(
    r"(?:\b(?:not|no|non|never|nothing|none|neither|nor|without|hardly|if|unless|should|in case|whether"
    r"|only(?! \d| \w+ (?:hour|minute))|except|anything|rather than|instead of|optional)\b|n't\b)[^.;!?\n]{0,70}$",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\W{0,4}(?::|=|-|\?|\|)\s*(?:none|no|nothing|0|low|routine|normal)\b|\s+items?\W{1,4}(?:none|no)\b",
    re.IGNORECASE,
)


def urgent(text: str) -> str:
    """The words by which a text makes something urgent; empty where it does not."""
    for s in sentences(fold(text).replace("*", "").replace("_", " ")):
        for m in _URGENT.finditer(s):
            if not _DENIED.search(s[: m.start()]) and not _NO.match(s, m.end()):
                return m[0]
    return ""


# ---- questions ----------------------------------------------------------------------------------------------------

_POLITE = re.compile(
    r"\b(?:anything|something) (?:else|more)\b|\b(?:sound|look)s? (?:good|right|ok(?:ay)?)\b"
    r"|^\W*(?:ok(?:ay)?|all right|right)\W*$",
    re.IGNORECASE,
)


def asks(text: str) -> bool:
    """Whether a text asks its reader something, courtesies aside."""
    return any(s.rstrip(" \"'”’)*_").endswith("?") and not _POLITE.search(s) for s in sentences(fold(text)))
