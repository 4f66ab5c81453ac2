"""What the user is told of the recall: of whom it is said that the mail could be recalled from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from errands.languages import packs
from errands.languages.pack import compiled, finds, packs_for
from errands.languages.text import fold, plain, sentences

from .saying import Rules, rules

_CUT = re.compile(r"[,;、，；(]")
_HEAD = re.compile(r"^\s*(?:#+ .*|\*\*[^*]+\*\*:?|.*[:：])\s*$")
_NO = re.compile("[❌✗✘✖]")
_JOINS = re.compile(
    r"\b(?:and|or|from|also|mr|ms|mrs|dr|mdm)\b|さん|様|氏|及び|님|씨|과|와|및|(?:차장|과장|부장|대리)|คุณ|และ|以及|和|與|跟|小姐|先生|و|من"
)
Who = Callable[[str], set[str]]  # the addresses of those whom a text names


@dataclass
class Told:
    """Of whom the user was told: `rightly` those who are named where the recall is spoken of and not denied,
    `wrongly` those from whom it is plainly said to be possible and is not."""

    rightly: set[str] = field(default_factory=set)
    wrongly: set[str] = field(default_factory=set)


def told(languages: Sequence[str], text: str, named: Who, forms: Sequence[str], right: set[str]) -> Told:
    """What a text tells. `forms`: all forms of the people's names, `right`: from whom it can be recalled."""
    out = Told()
    before = ""
    for head, sentence in _sentences(languages, text):
        read = [rules(c) for c in languages]
        said = f"{head} {sentence}"
        topic = any(finds(r.topic, said) for r in read)
        led = any(finds(r.topic, before) for r in read) and not any(finds(r.barred, before) for r in read)
        before = sentence
        if not topic and not led:
            continue
        parts = _parts(languages, sentence)
        open_parts = [p for p in parts if not _barred(read, p)]
        for p in open_parts:
            out.rightly |= named(p)
        out.wrongly |= _wrongly(languages, sentence, parts, named, forms, right)
    return out


def _sentences(languages: Sequence[str], text: str) -> Iterator[tuple[str, str]]:
    """Each sentence with the heading above it; a table's row is one, its heading the first row."""
    head, table = "", ""
    for line in plain(text).splitlines():
        if line.strip().startswith("|"):
            table = table or line
            yield table, " ".join(line.split("|"))
            continue
        table = ""
        if _HEAD.match(line):
            head = line
        whole = [line]
        for code in languages:
            if rules(code).ends:
                whole = [part for s in whole for part in compiled(rules(code).ends).split(s)]
        for s in whole:
            yield from ((head, one) for one in sentences(s))


def _parts(languages: Sequence[str], sentence: str) -> list[str]:
    parts = _CUT.split(sentence)
    for p in packs(languages):
        parts = [c or "" for s in parts for c in compiled(p.sent.clause).split(s)]
    return [c for s in parts for c in re.split(r"\s+(?=คุณ)", s)]


def _barred(read: Sequence[Rules], part: str) -> bool:
    return any(finds(r.barred, part) and not finds(r.only, part) for r in read)


def _wrongly(
    languages: Sequence[str],
    sentence: str,
    parts: list[str],
    named: Who,
    forms: Sequence[str],
    right: set[str],
) -> set[str]:
    """Those who are named beside a plain "it can be recalled", or in a list that goes on from it."""
    read = [rules(c) for c in languages]
    spoken = packs_for(languages, sentence)
    if (
        sentence.rstrip().endswith("?")
        or _NO.search(sentence)
        or any(finds(p.sent.conditional, sentence) for p in spoken)
    ):
        return set()
    limited = any(finds(r.only, sentence) for r in read)
    denied = any(finds(r.negated, sentence) for r in read)
    heard: set[str] = set()
    listed = False
    for part in parts:
        can = any(finds(r.can, part) for r in read)
        no = any(finds(r.negated, part) for r in read)
        listed = (can and not no) or (listed and not denied and _names_only(part, forms))
        if listed:
            heard |= named(part)
    return set() if limited and heard & right else heard - right


def _names_only(part: str, forms: Sequence[str]) -> bool:
    """Whether a part of a sentence holds nothing but names."""
    left = fold(part)
    for form in forms:
        left = left.replace(form, " ")
    return not any(c.isalnum() for c in _JOINS.sub(" ", left))
