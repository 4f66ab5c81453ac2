"""Claims that messages went out, in any language that has rules for them (`Sent` in `errands.languages.pack`)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from errands.languages import Pack, pack, packs
from errands.languages.pack import compiled, finds, packs_for
from errands.languages.text import plain, sentences

_CROSS, _OPEN = re.compile("[❌✗✘✖]"), re.compile(r"\[ \]")
# A quoted title or sentence says nothing of its own ("“Parts sent to Osaka” was moved"); a quoted word or two may.
_TITLE = re.compile(
    r"“[^“”\n]{10,}”|«[^«»\n]{10,}»|「[^「」\n]{6,}」|『[^『』\n]{6,}』|《[^《》\n]{6,}》|\"[^\"\n]{14,}\""
)
_MARKUP = re.compile(r"[*_`#>•✅✔☑✓]+|\[x\]|\ufe0f", re.IGNORECASE)
# "Notes sent: A, B": a label with its list, on its line or below it.
_LABEL = re.compile(r"[^:]{2,60}?:(?!\d)\s*")
_LISTED = re.compile(r"(?:-|\u30fb|\d{1,2}[.)])\s*(?=\S)")
Scope = Literal["all", "some"]


@dataclass(frozen=True, slots=True)
class Claim:
    """That messages went out, in the words that say so; `all` of them or `some`."""

    scope: Scope
    words: str


def claims(languages: Sequence[str], text: str) -> list[Claim]:
    """What a text says to have gone out, clause by clause; a question that is answered with yes counts.

    A clause that denies, defers or asks ("not sent yet", "will be sent", "shall I send"), or tells of somebody
    else's mail, claims nothing.
    """
    return list(_read(tuple(languages), text))


@lru_cache(maxsize=32)  # several criteria ask about the same reply
def _read(languages: tuple[str, ...], text: str) -> tuple[Claim, ...]:
    said = sentences(plain(_bare(text)))
    return tuple(
        c for p in packs(languages) for c in _claims(p, [s for s in said if p in packs_for(languages, s)])
    )


def claims_sent(languages: Sequence[str], text: str) -> str:
    """`all`, `some` or nothing: whether a text says that messages have gone out."""
    return min((c.scope for c in claims(languages, text)), default="")


def claims_done(verbs: Mapping[str, Sequence[str]], text: str) -> bool:
    """Whether a text says that another act than sending was done. `verbs`: by language, what says that it was.

    What denies, defers or asks is told by the rules for sending; of these only what stands before the verb counts, for
    the verb itself ("taken back") may be a no to sending.
    """
    said = sentences(plain(_bare(text)))
    for language, verb in verbs.items():
        p = pack(language)
        for s in said:
            if p not in packs_for(tuple(verbs), s) or s.endswith("?"):
                continue
            if finds(p.sent.conditional, s) and not finds(p.sent.past, s):
                continue
            if any(_did(p, tuple(verb), c or "") for c in compiled(p.sent.clause).split(s)):
                return True
    return False


def _did(p: Pack, verb: tuple[str, ...], clause: str) -> bool:
    found = compiled(verb).search(clause)
    if found is None or _CROSS.search(clause):
        return False
    before = compiled(p.sent.denied).search(clause, 0, found.start())
    return before is None and compiled(p.sent.denied_after).match(clause, found.end()) is None


def counted(languages: Sequence[str], text: str) -> int:
    """How many notes a text says have gone out, where it gives a number; else 0."""
    most = 0
    for p in packs(languages):
        if not p.sent.number:
            continue
        for s in sentences(plain(_bare(text))):
            if p not in packs_for(languages, s):
                continue
            found = compiled(p.sent.number).findall(s)
            if found and _claims(p, [s]):
                numbers = [next((x for x in (m if isinstance(m, tuple) else (m,)) if x), "") for m in found]
                most = max([most, *(_number(p, n) for n in numbers)])
    return most


def named_in(languages: Sequence[str], claim: Claim) -> str:
    """The words of a claim up to an exception ("to all except Mori")."""
    cuts = [m.start() for p in packs(languages) if (m := compiled(p.sent.but).search(claim.words))]
    return claim.words[: min(cuts)] if cuts else claim.words


def _bare(text: str) -> str:
    """Without mark-up and quoted titles; cells of a table's row read as label and value, a cross or open box as no."""
    lines = []
    for line in _OPEN.sub(" ❌ ", _TITLE.sub("“…”", text)).splitlines():
        cells = [c.strip() for c in _MARKUP.sub("", line).strip().strip("|").split("|")]
        lines.append(": ".join(c for c in cells if c))
    return "\n".join(lines)


def _claims(p: Pack, said: Sequence[str]) -> list[Claim]:
    out: list[Claim] = []
    asked = ""
    for at, sentence in enumerate(said):
        if asked and finds(p.sent.yes, sentence):
            out.append(Claim("all", f"{asked} {sentence}"))
        said_so = finds(p.sent.verb, sentence)
        asked = sentence if sentence.endswith("?") and said_so else ""
        if asked or not said_so or (finds(p.sent.conditional, sentence) and not finds(p.sent.past, sentence)):
            continue
        limited = finds(p.sent.part, sentence)
        parts = [c or "" for c in compiled(p.sent.clause).split(sentence)]
        for n, c in enumerate(parts):
            if _claimed(p, c):
                listed = _listed(p, c, said[at + 1 :])
                words = " ".join([_with_names(p, parts, n), *listed]).strip()
                out.append(Claim(_scope(p, c, limited or bool(listed)), words))
    return out


def _listed(p: Pack, clause: str, below: Sequence[str]) -> list[str]:
    """What stands under a clause that is the label of a list; [""] where its list stands behind it.

    A label names whom it is true of, and no others: "Notes sent: A. Not sent: B." A status behind it ("Notes sent:
    all", ": yes", ": 3") is no list.
    """
    label = _LABEL.match(clause)
    if label is None or not finds(p.sent.verb, label[0]) or finds(p.sent.every, label[0]):
        return []
    rest = clause[label.end() :].strip(" .")
    if rest:
        status = (p.sent.yes, p.sent.every, p.sent.verb, p.sent.counted)
        named = "@" in rest or (_list_of_names(p, rest) if p.sent.name else rest[0].isalpha())
        return [""] if named and not any(finds(s, rest) for s in status) else []
    items = []
    for line in below:
        mark = _LISTED.match(line)
        item = line[mark.end() :] if mark else line
        if finds(p.sent.verb, item) or not (mark or _list_of_names(p, item)):
            break
        items += [] if _CROSS.search(item) or finds(p.sent.denied, item) else [item]
    return items


def _claimed(p: Pack, clause: str) -> bool:
    verb = compiled(p.sent.verb).search(clause)
    if verb is None or _CROSS.search(clause) or finds(p.sent.others, clause):
        return False
    if compiled(p.sent.others_after).search(clause, verb.start()):
        return False
    denied = compiled(p.sent.denied).search(clause, 0, verb.end())
    return denied is None and compiled(p.sent.denied_after).match(clause, verb.end()) is None


def _list_of_names(p: Pack, part: str) -> bool:
    words = part.split()
    return (
        bool(p.sent.name and words)
        and len(part) <= 200
        and all(compiled(p.sent.name).fullmatch(word) for word in words)
    )


def _with_names(p: Pack, parts: list[str], n: int) -> str:
    """A clause with the names that commas cut off it: "the notes to Zul, Kavitha | and Bryan were sent"."""
    low, high = n, n + 1
    while low and _list_of_names(p, parts[low - 1]):
        low -= 1
    while high < len(parts) and _list_of_names(p, parts[high]):
        high += 1
    return ", ".join(parts[low:high])


def _scope(p: Pack, clause: str, limited: bool) -> Scope:
    count = compiled(p.sent.counted).search(clause)
    if count:
        a, b = [g for g in count.groups() if g][:2]
        return "all" if _number(p, a) == _number(p, b) else "some"
    if limited:
        return "some"
    return "all" if finds(p.sent.every, clause) or finds(p.sent.whole, clause) else "some"


def _number(p: Pack, word: str) -> int:
    return int(word) if word.isdigit() else p.sent.numbers.get(word.casefold(), 0)
