"""What English text says of named options: whether they have a trait ("quiet", "refundable"), clause by clause."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .clauses import Clause


@dataclass(frozen=True, slots=True)
class Trait:
    """A yes-or-no property, by regular expressions (folded text) that assert it (`yes`) or its contrary (`no`).

    `matter`: words for what it is about ("noise", "price"), by which an option may be said to fail.
    """

    name: str
    yes: tuple[str, ...]
    no: tuple[str, ...]
    matter: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """That the options of a clause have a trait, or have it not. `sure`: that it is of them that this is said."""

    trait: str
    holds: bool
    clause: Clause
    sure: bool = True


Facts = Mapping[str, Mapping[str, bool]]  # option -> trait -> whether it has it

# What denies the words behind it, up to the next comma or "and"; and what denies all that follows in its clause.
_NOT = re.compile(
    r"(?:\b(?:not|no|without|never|lacks?|lacking|neither|nor|hardly|free (?:of|from)|zero|avoid\w*|non"
    r"|away from|escap\w+"
    r"|there's no|rather than|instead of|vs|versus|against|unlike|as opposed to|give up|giving up|sacrific\w+"
    r"|lose|losing|forgo\w*|isn't|aren't|wasn't|doesn't|don't|can't|cannot|won't|nothing)\b|n't\b)"
    r"(?:(?!\b(?:and|but|with|only|just|because|so)\b| - )[^,;:.!?|(~])*$"
)
_FAILS = re.compile(
    r"\b(?:fail\w*|violat\w+|break(?:s|ing)?|miss(?:es|ing)|(?:does|do|did|is|are|would|was|can)(?:n't"
    r"| not) (?:\w+ )?"
    r"(?:meet|meeting|satisfy|satisfied|fulfil\w*|match|comply|offer|provide|have|include|allow)|not met|unmet"
    r"|rul\w+ (?:it |this |that |@\d+@ )?out|falls? (?:short|foul)|(?:problem|issue|trouble|failing"
    r"|fault) (?:is|with)"
    r"|knocked out|excluded|out on|loses? on|rejected)\b|❌|✗|✘|✖|🚫"
)
_FAILS_BEFORE = re.compile(
    r"\b(?:except|but|apart from|only(?! (?:on|by|for|because|due|at)\b)|besides|wins?|meets?|passes)\b"
)
_NO_BEHIND = re.compile(
    r"^[\s:=?|(-]{0,3}(?:(?:access|menu|cancellation|lodging|option|options|required|requirement|policy"
    r"|seating|dishes|rooms?|stay|terms"
    r"|condition|needed|rule)\b[\s:=?|(-]{0,3}){0,2}(?:[:=?|-]|is|are)?\s*(?:❌|✗|✘|✖|🚫|(?:no|none|false"
    r"|not)\b(?!\s*\w)|not (?:available|offered|met|possible|included|provided)\b|(?:fails?|failed|missing"
    r"|unmet|lacking)\b)"
)
# The user's wishes, which say nothing of an option; unless it is said to meet or to fail them.
_WISH = re.compile(
    r"\b(?:you(?:'d| would|'ve| have|'re| are)? (?:also )?(?:asked|want\w*|need\w*|require\w*|said|specif\w+"
    r"|prefer\w*|looking|insist\w*|wish\w*)"
    r"|your (?:\w+ ){0,3}(?:requirements?|needs?|conditions?|requests?|preferences?|criteria|must-haves?)"
    r"|requirements?\b|criteria\b|must (?:be|have)|should be|looking for|if\b|unless\b|whether\b|were it"
    r"|had it|checked|priorit\w+"
    r"|if you|as requested|needed to be|what matters|don't mind|you can (?:live|put up)|willing to)"
)
_MEETS = re.compile(
    r"\b(?:meet|meets|meeting|satisf(?:y|ies|ying)|fulfil\w*|match\w*|fits?|pass\w*|tick\w*|check(?:s|ing)? "
    r"|as you|cover\w*|suits?|gives? you|delivers)\b"
)


def claims(clause: Clause, traits: Sequence[Trait]) -> list[Claim]:
    """What a clause says of the traits of whichever option it speaks of; nothing where it tells the user's wishes."""
    return [
        Claim(
            name, holds, clause, clause.sure and at > clause.text.find("@")
        )  # "the quiet that @1@ cannot offer"
        for name, holds, at in _read(clause.text, tuple(traits))
    ]


def all_claims(clauses: Iterable[Clause], traits: Sequence[Trait]) -> list[Claim]:
    """The claims of many clauses, in order."""
    return [c for clause in clauses for c in claims(clause, traits)]


def false_of(claim: Claim, facts: Facts, option: str) -> bool:
    """Whether a claim surely is about this option and untrue of it.

    What may be about another is false only if it is so of every option.
    """
    of: tuple[str, ...] = (option,) if option in claim.clause.about and claim.sure else ()
    if not claim.sure and not claim.clause.versus:
        of = tuple(facts)
    return bool(of) and all(facts[o][claim.trait] is not claim.holds for o in of)


def says(claim: Claim, option: str) -> bool:
    """Whether a claim is about this option, or may be."""
    return option in claim.clause.about or not claim.sure


@lru_cache(maxsize=4096)
def _read(text: str, traits: tuple[Trait, ...]) -> tuple[tuple[str, bool, int], ...]:
    if _WISH.search(text) and not _MEETS.search(text) and not _FAILS.search(text):
        return ()
    out = []
    for trait in traits:
        left = text
        for holds in (False, True):
            for m in list(_any(trait.yes if holds else trait.no).finditer(left)):
                denied = _denied(left, m.start(), m.end(), failing=holds)
                out.append((trait.name, holds is not denied, m.start()))
                left = f"{left[: m.start()]}{'·' * (m.end() - m.start())}{left[m.end() :]}"
        for m in _any(trait.matter).finditer(left):
            if _failing(left[: m.start()]) or _NO_BEHIND.match(left[m.end() :]):
                out.append((trait.name, False, m.start()))
    return tuple(out)


@lru_cache(maxsize=256)
def _any(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{p})" for p in patterns) or r"(?!)")


def _denied(text: str, start: int, end: int, *, failing: bool) -> bool:
    """Whether what stands there is denied. `failing`: to fail it denies it (a wish), not (a fault)."""
    before = text[:start]
    if _NO_BEHIND.match(text[end:]):
        return True
    if failing and _failing(before):
        return True
    return _NOT.search(before) is not None


def _failing(before: str) -> bool:
    """Whether what stands before says that something fails."""
    fails = next(reversed(list(_FAILS.finditer(before))), None)
    return fails is not None and not _FAILS_BEFORE.search(before, fails.end())
