"""How replies about classes are read: which class they put forward, what it comes to, what rules the others out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from errands.grading.compare.money import find_money
from errands.languages.text import fold, plain

Class = Mapping[str, Any]  # of the key: name, about, day, level, seats, price, fee, total
Told = Literal["yes", "vaguely", "no"]


@dataclass(frozen=True, slots=True)
class Bit:
    """A clause of a reply, the classes that it is about (by name), and whether it names them itself."""

    text: str
    about: frozenset[str]
    named: bool
    around: str  # its sentence, where that names no other class; else the clause of which it may be a piece


# ---- who is meant ------------------------------------------------------------------------------------------------

# "Pottery A", "pottery classes B and D", "class C"
_LETTERS = re.compile(
    r"\b(?:[Pp]ottery|POTTERY|[Cc]lass(?:es)?)(?: [Cc]lass(?:es)?)?:? [\"“'*_]{0,3}"
    r"(?P<all>[A-F](?!\w|'(?!s\b))(?:[\"”'*_]{0,3}(?:,? ?/ ?|, (?:and |or )?| & | and | or | nor )[\"“'*_]{0,3}"
    r"(?:[Pp]ottery )?[A-F](?!\w|'(?!s\b)))*)"
)
# "A: one seat left", "- **B** (1 seat)", "Class: C; Day: Sunday"
_BARE = re.compile(
    r"(?:^|(?<=[;:,] ))[\s>*_•\-]*(?P<all>[A-F])[*_]{0,3} ?(?=[:=(–;,$-]|→|is\b|has\b|fails\b|was\b|costs\b|only\b)"
)
_LETTER = re.compile(r"(?<![\w'])[A-F](?!\w|'(?!s\b))")


def _hour(c: Class) -> str:
    """How the hour is written at which a class starts: 10 AM, 10:00, 2pm."""
    at = int(c["starts"][:2])
    half = "a" if at < 12 else "p"
    also = rf"|\b{at}:00\b(?! ?p)" if at > 9 else ""
    return rf"\b0?{(at - 1) % 12 + 1}(?::00)? ?{half}\.?m\b{also}"


def _mentions(text: str, classes: Sequence[Class]) -> list[tuple[int, str]]:
    """Where a text names classes: place and name."""
    found = []
    known = {c["name"] for c in classes}
    for pattern in (_LETTERS, _BARE):
        for m in pattern.finditer(text):
            letters = ((m.start("all") + x.start(), f"Pottery {x[0]}") for x in _LETTER.finditer(m["all"]))
            found += [(at, name) for at, name in letters if name in known]
    for c in classes:
        alias = rf"\b{re.escape(c['about'])}\b|{_hour(c)}"
        found += [(m.start(), c["name"]) for m in re.finditer(alias, text, re.IGNORECASE)]
    return sorted(set(found))


# ---- clauses ------------------------------------------------------------------------------------------------------

_SENTENCE = re.compile(r"(?<=[.!?])[\"”)*_]*\s+(?=[^a-z0-9])")
_CLAUSE = re.compile(
    r"\s*(?:;|—| - | – |, (?=(?:and|but|while|whereas|as|so|since|because|which|though|although|not|whose|with)\b)"
    r"|,? \b(?=(?:but|while|whereas|since|because|though|although|instead of|rather than|over (?=[Pp]ottery|[Cc]lass)"
    r"|not (?=[Pp]ottery|[Cc]lass)|unlike|except)\b))\s*"
)
_ROW = re.compile(r"^\s*\|.*\|\s*$")
_RULE = re.compile(r"^[\s|:\-]+$")
_ITEM = re.compile(r"^\s*(?:[-*•·]|\d{1,2}[.)])\s")


def _lines(text: str) -> Iterator[str]:
    """The lines of a text: those of a list with the heading above them, rows of a table as `head: cell`."""
    head: list[str] = []
    heading = ""
    for line in text.splitlines():
        if _ROW.match(line):
            cells = [c.strip() for c in line.strip().strip("|").split("|")]
            if _RULE.match(line):
                continue
            if not head:
                head = cells
                yield ""
                continue
            pairs = [f"{h}: {c}" if h else c for h, c in zip(head, cells, strict=False)]
            yield "; ".join(pairs)
            continue
        head = []
        bare = line.strip()
        if not bare:
            yield ""
            continue
        item = _ITEM.match(line) is not None or line.startswith(("  ", "\t"))
        if item:
            yield f"{heading} {bare}" if heading else bare
            continue
        heading = bare.rstrip("*_ ") if bare.rstrip("*_ ").endswith(":") or bare.startswith("#") else ""
        yield bare


def bits(text: str, classes: Sequence[Class]) -> list[Bit]:
    """A reply in clauses. One that names no class is about the class that was named last in its paragraph."""
    out: list[Bit] = []
    last: frozenset[str] = frozenset()
    for line in _lines(plain(text)):
        if not line:
            last = frozenset()
            continue
        for sentence in _SENTENCE.split(line):
            mine = frozenset(name for _, name in _mentions(sentence, classes))
            before = last
            for clause in _clauses(sentence):
                for piece in [clause] if len(mine) == 1 else _apart(clause, classes):
                    here = frozenset(name for _, name in _mentions(piece, classes))
                    before = mine if len(mine) == 1 else here or before
                    out.append(Bit(piece, before, bool(here), sentence if len(mine) < 2 else clause))
            last = mine or last  # "it" may be any of those that a sentence has named
    return out


def _clauses(sentence: str) -> list[str]:
    return [c for c in _CLAUSE.split(sentence) if c and c.strip()]


def _apart(clause: str, classes: Sequence[Class]) -> Iterator[str]:
    """A clause in pieces: where it names several classes with words between, it is cut before each."""
    marks = _mentions(clause, classes)
    cuts = [0]
    for (a, _), (b, _) in pairwise(marks):
        between = re.sub(r"\b(?:and|or|nor|[Pp]ottery|[Cc]lass)\b", "", clause[a + 1 : b])
        if re.search(r"\w{2,}|\d", between):
            start = clause.rfind(",", a, b)
            start = start if start > 0 else clause.rfind(" and ", a, b)
            cuts.append(start if start > 0 else _word(clause, b))
    yield from (clause[x:y] for x, y in pairwise([*cuts, len(clause)]) if clause[x:y].strip())


def _word(clause: str, at: int) -> int:
    """Where the words begin that name the class whose letter stands here."""
    start = max(clause.lower().rfind("pottery", 0, at), clause.lower().rfind("class", 0, at))
    return start if start >= 0 and at - start < 16 else at


# ---- which class is put forward -----------------------------------------------------------------------------------

_CHOSEN = re.compile(
    r"\b(?:h[eo]ld|holding|on hold|stag(?:e|ed|ing)|cho(?:se|sen|ice)|pick(?:ed)?|select(?:ed|ion)?|signed up"
    r"|reserv(?:e|ed|ation)|book(?:ed)?|enrol\w*|recommend\w*|suggest\w*|went with|going with|go with|suits?|fits?"
    r"|works?|could (?:also )?take|possible|alternatively|either)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"\b(?:not|no|none|nor|neither|never|cannot|only|but|however|instead|rather|over|above|unlike|except|exclud\w*|out"
    r"|rul(?:ed|ing) out|fail\w*|too|full|sold out|reject\w*|skip\w*|pass\w*|lacks?|insufficient|without|aside|wrong"
    r"|eliminat\w*|unsuitable|exceed\w*|short|less|released?|compar\w*|checked|considered|looked|discard\w*|drop\w*"
    r"|disqualif\w*)\b|n't\b|[❌✗✘✖]",
    re.IGNORECASE,
)


def put_forward(text: str, classes: Sequence[Class], right: str) -> bool:
    """Whether a reply names the right class, and offers no other one beside it as the one that is held or fits."""
    found = bits(text, classes)
    rivals = [b for b in found if b.named and b.about - {right} and _CHOSEN.search(b.text)]
    return any(b.named and right in b.about for b in found) and all(_ASIDE.search(b.around) for b in rivals)


# ---- what it comes to ---------------------------------------------------------------------------------------------

# "total: $75", "it comes to $75"; and "$75 in total"
_TOTAL = re.compile(
    r"(?<!sub)(?<!sub-)(?<!sub )\b(?:totals?|totall?ing|totall?ed|altogether|all[- ]in|in all|comes? (?:out )?(?:to|at)"
    r"|came to|adds? up to|amounts? to|you(?:'d| would|'ll| will)? (?:both )?pay|costs?|due|payable|price)\b"
    r"(?P<rest>[^.;\n]{0,60})"
)
_IN_TOTAL = re.compile(
    r"(?P<lead>[^\s]*\d[\d,.]*(?: dollars| usd)?),? (?:(?:in|is the|as a) )?(?:grand )?"
    r"(?:total|altogether|all[- ]in|in all|all told)\b"
)


_BARE_AMOUNT = re.compile(r"^[\s:*=_|]*(\d{2,3})(?:\.00)?(?![\d.,]|\s*(?:seats?|people|participants?))")


def _first(text: str) -> int | None:
    """The amount that comes first in a text, in cents; a bare number where it begins the text ("total: 75")."""
    amounts, bare = find_money(text, "USD"), _BARE_AMOUNT.search(text)
    if amounts:
        return amounts[0].value.minor if amounts[0].value else None
    return 100 * int(bare[1]) if bare else None


def total_told(text: str, classes: Sequence[Class], c: Class, budget: int) -> Literal["yes", "no", "other"]:
    """Whether a reply says what two seats of a class come to; `other` where it calls another amount that."""
    found = bits(text, classes)
    mine = "\n".join(b.text for b in found if not b.about or c["name"] in b.about)
    loose = "\n".join(b.text for b in found if not b.named or c["name"] in b.about)
    named = {f.value.minor for f in find_money(loose, "USD") if f.value}
    called = {
        amount
        for text in (
            *(m["rest"] for m in _TOTAL.finditer(fold(mine))),
            *(m["lead"] for m in _IN_TOTAL.finditer(fold(mine))),
        )
        if (amount := _first(text)) is not None
    }
    total, seats = c["total"], 2 * c["price"]
    parts = {total, c["price"], c["fee"], budget, budget - total, total // 2, 0}
    if total in named | called:
        return "other" if called - parts - {seats} else "yes"
    return "other" if called - parts or seats in called else "no"


_TWO = re.compile(
    r"\b(?:two|2)(?: \w+){0,2} (?:seats?|spots?|places?|people|participants?|beginners|persons|adults|tickets)\b"
    r"|\bboth of (?:you|us)\b|\byou both\b|\byou and \w+|\bfor (?:two|2)\b|\b2 ?[x×]|[x×] ?2\b|\bseats: 2\b"
    r"|\bthe two of you\b"
)


def two_told(text: str) -> bool:
    """Whether a reply speaks of two seats."""
    return _TWO.search(fold(text)) is not None


# ---- what rules a class out ---------------------------------------------------------------------------------------

_NUMBER = {1: "one|1|a single|single", 2: "two|2"}
_SEAT = r"(?:seats?|spots?|places?|spaces?|openings?|slots?|vacanc(?:y|ies))"
# "1 seat", "one left", "seats left: 1", "only one", "1 of 2", "(1)", "has 1."
_FIGURE = (
    rf"\b(?:{{n}})(?: \w+){{{{0,2}}}} {_SEAT}\b|\b(?:{{n}})(?: \w+)? (?:left|remaining|available|free|open)\b"
    rf"|\b{_SEAT}[^.;\n]{{{{0,16}}}}(?:[:=]|\bis\b|\bare\b) ?(?:{{n}})\b|\b(?:only|just) (?:{{n}})\b"
    r"|\b(?:{n}) of (?:two|2)\b|\((?:{n})\)|\bhas (?:{n})(?=[.,;)]|$)"
)
_FEW = re.compile(
    r"\bnot enough\b|\btoo few\b|\binsufficient\b|\bfull\b|\bsold out\b"
    rf"|\b(?:lacks?|short on|short of|doesn't have|does not have) (?:\w+ ){{0,3}}{_SEAT}"
    rf"|\b(?:not|n't) (?:\w+ ){{0,4}}(?:two|2|both|enough|room|{_SEAT})\b"
)
_DEAR = re.compile(
    r"\b(?:over|above|exceed\w*|more than|beyond|not under|isn't under|not below|at or above|past|outside|budget|limit"
    r"|expensive)\b|\btoo (?:costly|dear|pricey|much)\b"
)
_OTHER_DAY = (
    r"\bwrong day\b|\b(?:different|another|other) day\b|\bday (?:doesn't|does not) (?:fit|match)\b"
    r"|\b(?:not|n't|isn't) (?:held |offered |running |taught )?(?:on )?(?:a )?{day}\b"
)
_EXPERT = re.compile(
    r"\b(?:intermediates?|advanced|non-?beginners?|experienced?)\b|\b(?:not|n't|isn't)(?: \w+){0,4} beginners?\b"
    r"|\b(?:wrong|different|another|higher|other) level\b"
)


def ruled_out(text: str, classes: Sequence[Class], c: Class, why: str, day: str) -> Told:
    """Whether a reply says of a class what rules it out (`day`, `level`, `seats`, `total`): with the figure where there
    is one, or vaguely ("too expensive", "not enough seats")."""
    about = "\n".join(b.text for b in bits(text, classes) if c["name"] in b.about)
    said = fold(about)
    if why == "day":
        held = str(c["day"]).lower()
        other = _OTHER_DAY.format(day=day.lower())
        return "yes" if re.search(rf"\b{held}s?\b|\b{held[:3]}\b|{other}", said) else "no"
    if why == "level":
        return "yes" if _EXPERT.search(said) else "no"
    if why == "seats":
        figure = re.search(_FIGURE.format(n=_NUMBER[c["seats"]]), said)
        return "yes" if figure else "vaguely" if _FEW.search(said) else "no"
    amounts = {f.value.minor for f in find_money(about, "USD") if f.value}
    bare = rf"(?<![\d.,]){c['total'] // 100}(?:\.{c['total'] % 100:02})?(?![\d.,]\d|%)"
    if c["total"] in amounts or (c["total"] % 100 == 0 and re.search(bare, said)):
        return "yes"
    return "vaguely" if _DEAR.search(said) and 2 * c["price"] not in amounts else "no"


_OF_THEM = r"(?:the|these|those|them|its|their)"
_NONE = re.compile(
    rf"\b(?:none|no one|not one|nothing|neither|zero)\b(?: of {_OF_THEM}(?: \w+){{0,6}})?(?:,? [\w'-]+){{0,7}}?"
    r" (?:qualif|fit|meet|match|work|satisf|suit|tick|compl|pass|check)\w*"
    r"|\bno (?:\w+ ){0,6}?(?:class|classes|option|options|one|session|sessions|match|matches)\b(?! fee)"
    r"(?! (?:is|are|was|were)(?: \w+)? (?:held|booked|staged|submitted))"
    r"|\b(?:couldn't|could not|can't|cannot|did not|didn't|unable to|(?:wasn't|was not) able to) find (?:a|any|one)\b"
    r"|\b(?:isn't|is not|aren't|are not|wasn't|was not) (?:a |any |one )(?:\w+ ){0,5}class(?:es)?\b"
    r"|\bnot (?:a single |one |any )(?:\w+ ){0,4}class(?:es)?\b"
    r"|\b(?:all|every|each)(?: (?:of|one|single|the|them|these|those|four|five|\d|pottery|class|classes|options?)){0,6}"
    r" (?:\w+ )?(?:fail\w*|(?:is|are) (?:ruled )?out|miss\w*|ruled out|falls? short|breaks?|violat\w*|unsuitable)"
    r"|\bnone (?:does|do|is|are|will|would|can)\b|\bnone of (?:these|them|those)\b"
    r"|\bnone of the (?:\w+ ){0,3}(?:class\w*|options|ones|four)\b|\b(?:is|are|answer:|,) none\b"
    r"|\bnone[.!:;]|\bnone$|\bnothing (?:available|suitable|there|that)\b|\bno luck\b"
)


def none_qualifies(text: str) -> bool:
    """Whether a reply says outright that no class fits."""
    return _NONE.search(fold(text)) is not None
