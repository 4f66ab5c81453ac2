"""How a reply about two offered times is read: which of them it offers, turns down or holds in reserve."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise

from errands.core import clock
from errands.grading.us_times import Told, days, instants, spelled, undotted, zones
from errands.languages.text import fold, sentences

MINUTE = 60_000
LENGTHS = (0, 15, 20, 30, 45, 60)  # minutes after its beginning at which a text may let the meeting end
LONGEST = 6_000  # characters of a draft that are read

# ---- what is cut -------------------------------------------------------------------------------------------------

_CITED = re.compile(
    r"^[ \t]*>[^\n]*$|^\s*-+ ?original message.*\Z|^on [^\n]{4,80} wrote:[ \t]*$.*\Z", re.M | re.I | re.S
)
_STRONG = re.compile(r"\s[-–—]+\s|(?<=[^\d]):\s|;\s|\s\(")
_CONTRAST = re.compile(
    r",? ?\b(?:but|so(?! (?:is|are|does|do|am)\b)|however|while|whereas|(?:al)?though|yet|rather than|instead of|than"
    r"|hence|therefore|because|since|as(?! (?:is|are|well)\b))\b",
    re.I,
)
_OVER = re.compile(r" (?:over|not) (?:on )?$", re.I)
_ALSO = re.compile(r",? ?\b(?:and|or|nor|&|plus)\b(?: also)?", re.I)
_FIRST_ONE = re.compile(
    r"\b(?:the )?(?:first|former|earlier)(?: (?:one|slot|option|time|suggestion|choice))?\b(?! of all)"
)
_SECOND_ONE = re.compile(
    r"\b(?:the )?(?:second|latter|later)(?: (?:one|slot|option|time|suggestion|choice))\b|\bthe latter\b"
)

# ---- what is meant -----------------------------------------------------------------------------------------------

# Words of refusal that refuse nothing.
_HARMLESS = re.compile(
    r"\b(?:no|without (?:any )?|not (?:a|an|any) )(?:other )?(?:problems?|conflicts?|clash(?:es)?|issues?"
    r"|worries|trouble|meetings?|overlaps?)\b|\bnot (?:busy|booked|blocked|taken)\b|\bnothing (?:else )?(?:on"
    r"|booked|scheduled|planned|blocked|in my)\b|\bcan(?:no|')t wait\b|\bdon't (?:hesitate|worry)\b"
    r"|\bisn't (?:blocked|booked|taken|busy)\b|\b(?:doesn't|don't|won't|does not|do not) (?:conflict|clash"
    r"|overlap|interfere)\b|\bnot only\b|\bnot just\b|\b(?:a|an|the|my|some) (?:free|open|clear)\b"
    r"|\b(?:opening|gap)\b|\bclear of\b|\bfree of (?:conflicts|meetings)\b|\b(?:if|in case"
    r"|should)\b[^,.;]*(?:n't|\bnot|\bno longer|conflict|clash)[^,.;]*|\bunless\b[^,.;]*"
    r"|\bsorry (?:again )?(?:about|for|to hear)\b|\bnot? (?:need|rush|pressure)\b"
)
_NO = re.compile(
    r"\b(?:can(?:no|')t|can not|could(?:n't| not)|wo(?:n't|uldn't)|w(?:ill|ould) not|do(?:n't|esn't| not"
    r"|es not)|(?:is|are|was|am)(?:n't| not)|i'm not|not|no longer|unavailable|unable|busy|(?:double-?)?booked"
    r"|blocked|block|taken|occupied|conflict\w*|clash\w*|overlap\w*|already (?:have|in|got|committed|full|on)"
    r"|tied up|engaged|spoken for|committed|out of the question|impossible|neither|nor|none|declin\w+|pass on"
    r"|(?:have to|must|need to|will) (?:skip|pass|miss)|rul(?:e|ed) out|rather than|instead of|no[- ]?go|a no"
    r"|no good|filled|full|(?:is|'s|are|'re) (?:out|off|gone|tricky|difficult|hard|tough)|won't fly"
    r"|another (?:meeting|call|appointment|commitment)|prior (?:commitment|engagement)|(?:in|at|on) (?:a|an"
    r"|another|the|my) (?:meeting|workshop|training|session|stocktake|appointment|review)|(?:i have"
    r"|i've got|i've|there's|there is) (?:a|an|another|something|plans|other|the|my)(?! (?:pleasure|good"
    r"|great)))\b"
)
_ASIDE = re.compile(r"\W*(?:than|over|not)\b")
_YES = re.compile(
    r"\b(?:work(?:s|ed|ing)?|suits?|suited|good|great|perfect\w*|free|available|availability|open|let's|let us"
    r"|can (?:do|make|meet|join|talk|offer|be)|could (?:do|we|make|meet)|able to|shall we|how about|what about"
    r"|happy|glad|delighted|prefer\w*|propos\w+|suggest\w*|see you|speak|talk|meet|catch up|confirm\w*|best"
    r"|better|ideal\w*|fine|okay|ok|take|go (?:with|for)|goes|looking forward|look forward|pencil|make it"
    r"|choose|pick|yes|love|i'm in|it is|lock|settle|stick with|would do|squeeze\w*|fit (?:it|you|that"
    r"|this) in|manage|possible|doable|feasible|manageable|an option)\b"
)
_RESTATES = re.compile(
    r"\b(?:thank|thanks|thx|cheers|appreciate|you (?:asked|suggested|offered|proposed|mentioned|gave|wrote"
    r"|sent|listed)|your (?:\w+ )?(?:options|suggestions|proposals?|slots|times|offer|e-?mail|message|note)"
    r"|offering|suggesting|proposing|the two (?:options|times|slots)|asked about|options (?:were|are))\b"
)
_RESERVE = re.compile(
    r"\b(?:if (?:need(?:ed| be)?|necessary|that|it|you|(?:mon|tues|wednes|thurs|fri)day|this|push)|otherwise"
    r"|fall-?back|back-?up|alternativ\w+|second (?:choice|best)|at a pinch|in a pinch|failing that|plan b|also"
    r"|too|as well|could (?:possibly|perhaps|maybe)|might|move (?:things|something)|at a push|squeeze)\b"
)
_PREFERS = re.compile(
    r"\b(?:prefer\w*|rather|better|best|ideal\w*|first choice|preference|favou?r\w*|easier|lean\w* (?:to"
    r"|towards?))\b"
)
_BOTH = re.compile(r"\b(?:both|either(?: one| of (?:them|those|these|the two))?)\b")
_ALL_NO = re.compile(
    r"\b(?:neither|none)\b(?: of (?:them|those|these|the|your)\b)?|\b(?:can't|cannot|can not|won't|unable to"
    r"|not able to)\b[^.;]*\b(?:either|both)\b|\b(?:both|either)\b[^.;]*\b(?:blocked|booked|taken|busy"
    r"|unavailable|clash|conflict|full|(?:do|are|is|does)(?:n't| not)|out)\b|\b(?:not|n't)\b[^.;]*\beither\b"
)


@dataclass
class Reading:
    """What a reply says about the two times, by their number (0, 1)."""

    offered: set[int] = field(default_factory=set)
    declined: set[int] = field(default_factory=set)
    reserve: set[int] = field(default_factory=set)  # offered in case the other one fails
    prefers: set[int] = field(default_factory=set)
    bare: set[int] = field(default_factory=set)  # named, and neither offered nor turned down

    @property
    def takes(self) -> set[int]:
        """Those that it offers: what it says yes to, or, where it says yes to none, what it just names."""
        yes = self.offered | self.reserve
        return yes or (self.bare - self.declined)


@dataclass(frozen=True, slots=True)
class Slot:
    """A time that was offered: its beginning (UTC ms), and the zones in which it may be told without naming one."""

    at: int
    zones: tuple[str, ...]

    @property
    def dates(self) -> set[date]:
        """The day on which it is."""
        return {clock.from_ms(self.at, z).date() for z in self.zones}


def own_words(body: str) -> str:
    """A mail without what it quotes."""
    return undotted(_CITED.sub("", body[:LONGEST]))


def told(body: str, slots: Sequence[Slot], today: date, *, any_zone: bool = False) -> list[Told]:
    """The times that a reply names. `any_zone`: one that stands without a zone may be meant in each that it may be."""
    words = own_words(body)
    return _instants(words, slots, today, frozenset() if any_zone else zones(words))


def _instants(words: str, slots: Sequence[Slot], today: date, named: frozenset[str]) -> list[Told]:
    places = list(dict.fromkeys(d for s in slots for d in sorted(s.dates)))
    return instants(words, slots[0].zones, today, places, named)


def read(body: str, slots: Sequence[Slot], today: date) -> Reading:
    """What a reply says about the two times."""
    words = own_words(body)
    out = Reading()
    for sentence in sentences(words):
        for clause in _clauses(spelled(sentence), lambda c: {n for _, _, n in _named(c, slots, today)}):
            _take(out, clause, slots, today)
    return out


def _clauses(sentence: str, names: Callable[[str], set[int]]) -> Iterator[str]:
    """Pieces of a sentence, cut where it is cut hard; what only says more of the time before it stays with that."""
    cuts = [0, *(m.start() for m in _STRONG.finditer(sentence)), len(sentence)]
    kept = ""
    for start, end in pairwise(cuts):
        piece = sentence[start:end]
        mine = names(kept)
        goes_on = not names(piece) or (len(mine) == 1 and names(piece) == mine)
        if kept and not (goes_on if mine else piece.startswith(" (")):
            yield kept
            kept = ""
        kept += piece
    yield kept


def _take(out: Reading, clause: str, slots: Sequence[Slot], today: date) -> None:
    named = _named(clause, slots, today)
    low = fold(clause)
    if not named:
        if _ALL_NO.search(low):
            out.declined |= {0, 1}
        elif _BOTH.search(low) and _YES.search(low):
            out.offered |= {0, 1}
        return
    both = len({n for _, _, n in named}) == 2
    if both and _restates(clause, named):
        head = _end_of_both(clause, named)
        cut = re.compile(r",|\band\b|\bso\b|\bbut\b").search(clause, head)
        if cut:
            _take(out, clause[cut.end() :], slots, today)
        return
    if both and _ALL_NO.search(low) and not _CONTRAST.search(clause):
        out.declined |= {0, 1}
        return
    before: tuple[str, int] = ("", -1)
    for n, part, joiner in _parts(clause, named):
        says = _says(part)
        if before[0] and joiner in ("or", "nor") and before[0] == "no":
            says = "no"
        elif before[0] and joiner and says == "bare":
            says = before[0]
        if before[0] == "bare" and says != "bare" and joiner in ("and", "or", "nor", "&"):
            out.bare.discard(before[1])
            _put(out, before[1], says, part)
        _put(out, n, says, part)
        before = (says, n)


def _put(out: Reading, n: int, says: str, part: str) -> None:
    low = fold(part)
    if says == "no":
        out.declined.add(n)
    elif says == "yes":
        (out.reserve if _RESERVE.search(low) and not _PREFERS.search(low) else out.offered).add(n)
        if _PREFERS.search(low):
            out.prefers.add(n)
    else:
        out.bare.add(n)


def _says(part: str) -> str:
    low = _HARMLESS.sub(" ", fold(part))
    if _ASIDE.match(low):
        return "no"
    return "no" if _NO.search(low) else "yes" if _YES.search(low) else "bare"


def _named(clause: str, slots: Sequence[Slot], today: date) -> list[tuple[int, int, int]]:
    """Where a clause names which of the two: by its day, its time, or its place in the list; by place in the clause."""
    found: list[tuple[int, int, int]] = []
    for d in days(clause, today):
        found += [(d.start, d.end, n) for n, s in enumerate(slots) if d.value in s.dates]
    for t in _instants(clause, slots, today, frozenset()):
        hits = [n for n, s in enumerate(slots) if s.at in t.may_be]
        if len(hits) == 1:
            found.append((t.start, t.end, hits[0]))
    for n, word in enumerate((_FIRST_ONE, _SECOND_ONE)):
        found += [(m.start(), m.end(), n) for m in word.finditer(clause.lower())]
    return sorted(found)


def _restates(clause: str, named: Sequence[tuple[int, int, int]]) -> bool:
    """Whether a clause that names both only says that they were offered."""
    head = fold(clause[: named[0][0]])
    return bool(_RESTATES.search(head)) and not _says_no(head)


def _says_no(text: str) -> bool:
    return bool(_NO.search(_HARMLESS.sub(" ", text)))


_SAME = re.compile(r"[ ,(]*(?:at|from|@)?[ ,(]*", re.IGNORECASE)


def _end_of_both(clause: str, named: Sequence[tuple[int, int, int]]) -> int:
    """Where the first mention of the second of them ends, with what belongs to it."""
    at = next(i for i, m in enumerate(named) if m[2] != named[0][2])
    end = named[at][1]
    for start, stop, n in named[at + 1 :]:
        if n == named[at][2] and _SAME.fullmatch(clause, end, start):
            end = stop
    return end


def _parts(clause: str, named: Sequence[tuple[int, int, int]]) -> Iterator[tuple[int, str, str]]:
    """Each run of mentions of one of them, with the words that belong to it and what joins it to the run before."""
    at, joiner = 0, ""
    for i, (_, end, n) in enumerate(named):
        following = named[i + 1] if i + 1 < len(named) else None
        if following is None:
            yield n, clause[at:], joiner
        elif following[2] != n:
            cut, word = _boundary(clause, end, following[0])
            yield n, clause[at:cut], joiner
            at, joiner = cut, word


def _boundary(clause: str, start: int, end: int) -> tuple[int, str]:
    """Where one mention's words end and those of the next begin, and the word that joins them (none: a contrast)."""
    between = clause[start:end]
    if m := _CONTRAST.search(between):
        return start + m.start(), ""
    if m := _OVER.search(between):
        return start + m.start(), ""
    comma = between.rfind(",")
    also = list(_ALSO.finditer(between))
    if also:
        m = also[-1]
        return start + m.start(), re.sub(r"[^a-z&]", "", m[0].lower()).replace("also", "")
    if comma >= 0:
        return start + comma, ","
    return end, ""
