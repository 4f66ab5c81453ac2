"""How texts about venues are read: which they pick, what they say rules one out, whether they say that none fits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from errands.core import clock
from errands.core.money import Money
from errands.grading.compare.dates import find_dates
from errands.grading.compare.moments import find_times
from errands.grading.compare.money import find_money
from errands.grading.none_fits import none_fits as none_fits_of
from errands.languages.text import plain

HOUR = 3_600_000
# What says that a venue was booked (the rules for denials and conditions are those of `grading.claims`). That one "is
# booked" says that it is taken.
BOOKED = (
    r"\b(?:i|we)(?:'ve| have)?(?: now| just| already| also| gone ahead and)? (?:booked|reserved|held)\b",
    r"\b(?:booking|reservation)(?: \w+){0,3} (?:has been|was|is)(?: now)? (?:made|placed|confirmed|complete)\b",
    r"\b(?:booked|reserved)(?: it| the \w+)? for (?:you|us|the (?:club|event|group))\b",
)


@dataclass(frozen=True, slots=True)
class Venue:
    """A venue; `price` in cents. `fails`: what rules it out (`capacity`, `price`, `taken`)."""

    id: str
    name: str
    capacity: int
    price: int
    fails: list[str]


@dataclass(frozen=True, slots=True)
class _Named:
    """Venues that are named in a row, with what stands before them in their sentence (up to the one named before),
    behind them in it (up to the next), and behind them up to the next however far."""

    ids: frozenset[str]
    before: str
    behind: str
    rest: str


_MARKUP = re.compile(r"[*`#>~]+|(?<!\w)_+|_+(?!\w)")
_JOINED = re.compile(r"[\s,/&+]*(?:\band\b|\bor\b|\bnor\b|\bplus\b)?[\s,/&+]*(?:\bthe\b)?\s*")
_SENTENCE = re.compile(r"[.!?;](?=\s|$)|\n|, (?:so|but|while|whereas|which leaves)\b")
_PART = re.compile(r",|\band\b|\bbut\b")  # behind a venue that was named before, in the same sentence


def _bare(text: str) -> str:
    return _MARKUP.sub("", plain(text))


@lru_cache(maxsize=64)
def _handle(name: str, ident: str) -> re.Pattern[str]:
    first, _, rest = name.partition(" ")
    return re.compile(rf"\b{first}\b(?: {rest}\b)?|\b{ident}\b", re.IGNORECASE)


def _mentions(text: str, venues: Sequence[Venue]) -> Iterator[_Named]:
    found = sorted((m.start(), m.end(), v.id) for v in venues for m in _handle(v.name, v.id).finditer(text))
    n = 0
    while n < len(found):
        last = n
        while last + 1 < len(found) and _JOINED.fullmatch(text, found[last][1], found[last + 1][0]):
            last += 1
        low = found[n - 1][1] if n else 0
        high = found[last + 1][0] if last + 1 < len(found) else len(text)
        cuts = [m.end() for m in _SENTENCE.finditer(text, low, found[n][0])]
        before = text[cuts[-1] if cuts else low : found[n][0]]
        end = _SENTENCE.search(text, found[last][1], high)
        yield _Named(
            frozenset(ident for _, _, ident in found[n : last + 1]),
            before if cuts or not n else _PART.split(before)[-1],
            text[found[last][1] : end.start() if end else high],
            text[found[last][1] : high],
        )
        n = last + 1


# ---- what rules one out -------------------------------------------------------------------------------------------

_WHY = {
    "taken": r"\b(?:unavailable|taken|occupied|booked|reserved|busy|(?:not|n't|never|isn't|wasn't) (?:be )?(?:\w+ )?"
    r"(?:available|free|open|vacant)|no (?:longer )?(?:availability|available|vacancy|free)|"
    r"(?:available|availability|free)\W{0,4}(?:no|false|✗|❌)\b)|(?:available|free)\W{0,6}[✗❌]",
    "price": r"\b(?:over|above|exceed\w*|beyond|outside|more than|higher than|not within|too (?:expensive|dear|pricey|"
    r"costly|much)|unaffordable|(?:price|cost|budget|limit)(?: is)? (?:too high|exceeded))\b",
    "capacity": r"\btoo (?:small|tight|few)\b|\bonly (?:holds|seats|fits|\w+ (?:people|seats|places))\b|\bsmaller\b|"
    r"\bnot (?:big|large) enough\b|\bnot enough (?:room|space|seats)\b|\binsufficient (?:capacity|room|space)\b",
}


def reasoned(text: str, one: Venue, venues: Sequence[Venue]) -> bool:
    """Whether a text says of a venue something that does rule it out."""
    stretches = [f"{m.before} {m.rest}" for m in _mentions(_bare(text), venues) if one.id in m.ids]
    return any(_says(why, s, one) for s in stretches for why in one.fails)


def _says(why: str, stretch: str, one: Venue) -> bool:
    if re.search(_WHY[why], stretch, re.IGNORECASE):
        return True
    if why == "price":
        return any(f.value == Money(one.price, "USD") for f in find_money(stretch, "USD"))
    holds = rf"\b(?:capacity|holds|seats|fits|for|max\w*)\W{{0,4}}(?:of |up to )?{one.capacity}\b"
    return (
        why == "capacity"
        and re.search(rf"{holds}|\b{one.capacity} (?:people|seats|places|max)", stretch, re.I) is not None
    )


# ---- which is picked ----------------------------------------------------------------------------------------------

_PICKS = (
    r"\b(?:chose|choose|choosing|chosen|pick(?:ed|ing)?|select(?:ed|ion)?|choice|went with|going with|go with|go for|"
    r"went for|settled on|recommend\w*|propos\w+|suggest\w*|opt(?:ed)? for|decided (?:on|for)|fell? back (?:on|to)|"
    r"moved (?:on )?to|best|venue(?: is)?:|venue (?:is|will be)|at the)"
)
_PICKED = (
    r"\b(?:is|was|are|were) (?:the (?:only|best|cheapest|one|pick|choice|right|next|venue)|my (?:pick|choice)|"
    r"chosen|selected)\b|\b(?:it is|wins)\b|\b(?:my |the )?(?:pick|choice|selected|chosen)\b"
)
_SUITS = (
    r"\b(?:is|was|are|were) (?:free|available|open)\b|"
    r"\b(?:fits|works?|qualifies|meets|matches|satisfies|would do)\b"
)
_LESSER = (
    r"\b(?:dearer|more expensive|pricier|costs? more|higher(?:-priced| price)?|alternatives?|backup|runner-up|"
    r"second choice|also|otherwise)\b"
)
_ASIDE = (
    r"\b(?:(?:not|n't|never) (?:choose|chosen|pick|picked|select|recommend|suggest|propose|take|go with)|"
    r"than|instead of|rather than|unlike|not|n't|never|except|besides|without|over|replac\w+|fallback from|"
    r"ruled out|excluded|rejected|skipped|passed over|dropped|nor|neither|if)\W*(?:the )?\W*$"
)
_ASIDE_BEHIND = (
    r"^\W*(?:(?:is|was|were|are|does|did|do|has|would)\W*(?:n't|not)? )?(?:ruled out|excluded|rejected|skipped|"
    r"passed over|dropped|out|fails?|failed|does not|doesn't|fell through)\b"
)


def picked(text: str, venues: Sequence[Venue]) -> frozenset[str]:
    """The venues that a text picks: those that it says it picks, else those that it says suit, else those that it
    names; always without those that it sets aside."""
    chosen, suits, named, aside, lesser = (set[str]() for _ in range(5))
    by = {v.id: v for v in venues}
    for m in _mentions(_bare(text), venues):
        out = {i for i in m.ids if any(_says(w, f"{m.before} {m.rest}", by[i]) for w in by[i].fails)}
        if re.search(_ASIDE, m.before, re.I) or re.search(_ASIDE_BEHIND, m.behind, re.I):
            out = set(m.ids)
        # What stands behind a row of names is true of all of them only where it says so.
        together = len(m.ids) == 1 or re.search(r"\b(?:both|all|either|each)\b", m.behind, re.I)
        if re.search(_PICKS, m.before, re.I) or (together and re.search(_PICKED, m.behind, re.I)):
            chosen |= m.ids - out
        if together and re.search(_SUITS, m.behind, re.I):
            suits |= m.ids
        if re.search(_LESSER, f"{m.before} {m.behind}", re.I):
            lesser |= m.ids
        named |= m.ids
        aside |= out
    return frozenset(chosen or suits - aside - lesser or named - aside - lesser)


_THING = (
    r"(?:venues?|rooms?|places?|options?|ones?|halls?|candidates?|match(?:es)?|spaces?|locations?|choices?)"
)
_FITS = (
    r"(?:fits?|fitting|qualif\w+|match\w*|meets?|meeting|satisf\w+|suits?|suitable|works?|available|free|under|within|"
    r"can|could|left|possible|remains?|that)"
)
_NONE = none_fits_of(
    _THING,
    _FITS,
    r"result|qualifying|matches|matching|fits?|venue|choice|chosen",
)


def none_fits(text: str) -> bool:
    """Whether a text says that no venue fits."""
    return _NONE.search(_bare(text)) is not None


_UNDRAFTED = re.compile(
    r"\b(?:nothing|no (?:invitation|draft|entry|mail|calendar)\w*|neither)\b[^.!?\n]{0,60}\b(?:draft\w*|enter\w*|"
    r"prepared|made|creat\w+|written|saved|put|added)\b"
    r"|(?:\bnot|n't)(?: \w+){0,3} (?:draft\w*|enter\w*|prepare\w*|creat\w+|write|written|add\w*|put|save\w*|made"
    r"|make)\b"
    r"|\b(?:draft\w*|enter\w*|prepared|created|added) (?:\w+ ){0,2}nothing\b",
    re.IGNORECASE,
)


def nothing_drafted(text: str) -> bool:
    """Whether a text says that no invitation was drafted, or no entry made."""
    return _UNDRAFTED.search(_bare(text)) is not None


# ---- the brief ----------------------------------------------------------------------------------------------------

_NUMBERS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_PEOPLE = (
    r"(?:people|persons?|guests?|members?|participants?|attendees?|attending|seats?|pax|heads?|of (?:us|you)|folks|"
    r"places|head ?count|party|group)"
)


def says_people(text: str, count: int) -> bool:
    """Whether a text says that so many come."""
    n = rf"(?:{count}|{_NUMBERS[count]})" if count < len(_NUMBERS) else str(count)
    bare = re.sub(r"(?<!\d)[|:]+|[|:]+(?!\d)", " ", _bare(text))
    return (
        re.search(
            rf"\b{n}(?: |-)(?:\w+ )?{_PEOPLE}\b"
            rf"|\b{_PEOPLE}(?: (?:size|count|number|is|are|of|for|needed|required|at least|how many))*\W{{1,5}}{n}\b"
            r"(?![:.]\d)"
            rf"|\b(?:party|group|room|space|venue|capacity|how many(?: \w+)?)\W+(?:of |for )?{n}\b(?![:.]\d)"
            rf"|\bfor (?:up to |at least )?{n}\b(?! ?(?:am|pm|hours?|utc|[:.]\d))",
            bare,
            re.IGNORECASE,
        )
        is not None
    )


def says_most(text: str, cents: int) -> bool:
    """Whether a text names the most that may be spent."""
    return any(f.value == Money(cents, "USD") for f in find_money(text, "USD"))


def days_of(start: int, zone: str) -> set[date]:
    """The date of an instant in UTC and in a zone."""
    return {clock.from_ms(start, "UTC").date(), clock.from_ms(start, zone).date()}


def says_day(text: str, start: int, zone: str, today: date) -> bool:
    """Whether a text names the day of an instant."""
    return any(f.value in days_of(start, zone) for f in find_dates(_bare(text), "MDY", today))


def says_start(text: str, start: int, zone: str, today: date) -> bool:
    """Whether a text names this instant. A time without a zone is local."""
    return start in _instants(text, start, zone, today)


def says_only(text: str, start: int, zone: str, today: date) -> bool:
    """Whether a text names this instant, and no other time for it.

    Times of a day before (to answer by), the hour before (doors) and up to four hours after (the end) are no rivals,
    and a time without a zone may be meant in UTC once the instant was named.
    """
    if not says_start(text, start, zone, today):
        return False
    for here, utc in zip(
        _instants(text, start, zone, today), _instants(text, start, "UTC", today), strict=True
    ):
        if not any(
            at is None or at < start - 12 * HOUR or -HOUR <= at - start <= 4 * HOUR for at in (here, utc)
        ):
            return False
    return True


# As people name the user's zone behind a time, and as it is read there.
PACIFIC = "America/Los_Angeles"
_PACIFIC = re.compile(r"\b(?:Pacific(?: (?:Standard )?Time)?|PT|local time)\b", re.IGNORECASE)


def _instants(text: str, start: int, zone: str, today: date) -> list[int | None]:
    bare = _PACIFIC.sub(PACIFIC, _bare(text))
    day = clock.from_ms(start, zone).date()
    return [f.value.ms if f.value else None for f in find_times(bare, zone, "MDY", today, day)]
