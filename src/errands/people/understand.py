"""What was asked, and about which staged things: deterministic rules per language, in a written order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from errands.languages import packs
from errands.languages.pack import compiled, finds, packs_for
from errands.languages.text import fold, plain, script, spoken

Intent = Literal["approval", "question", "statement"]
Item = tuple[str, tuple[str, ...]]  # id, handles


def intent(languages: Sequence[str], text: str) -> Intent:
    """Whether this asks for a yes, asks something else, or only states, to a user who has these languages."""
    said = [(s, packs_for(languages, s)) for s in spoken(text)]
    for s, known in said:
        if any(finds(p.ears.approval, s) for p in known) and (
            s.endswith("?") or not any(finds(p.ears.told, s) for p in known)
        ):
            return "approval"
    if any(finds(p.ears.question, s) for s, known in said for p in known):
        return "question"
    return "statement"


def put_forward(languages: Sequence[str], text: str) -> str:
    """A request for a yes without what it leaves out: "all three, but not the one to Mori"."""
    bare = plain(text)
    for p in packs(languages):
        bare = " ".join(compiled(p.ears.spared).split(bare))
    return bare


# ---- which staged things are named ---------------------------------------------------------------------------------

# What may stand right before or right behind a handle, by the script in which it begins or ends. Korean particles
# and Chinese, Japanese and Thai words follow without a space; Arabic joins "and", "to", "for", "by" in front.
_BEFORE = {
    "Hang": r"(?<![가-힣])",
    "Arab": r"(?<![\u0620-\u065f\u066e-\u06d3])(?:[وف]?(?:ل|ب|ك)?)",
    "Han": "",
    "Kana": "",
    "Thai": "",
}
_BEHIND = {"Hang": "", "Han": "", "Kana": "", "Thai": "", "Arab": r"(?![\u0620-\u065f\u066e-\u06d3])"}
_SHORTEST = {"Hang": 2, "Han": 2, "Kana": 3, "Thai": 4, "Arab": 3}


@lru_cache(maxsize=4096)
def _pattern(needle: str) -> re.Pattern[str]:
    first, last = script(needle[0]), script(needle[-1])
    before = _BEFORE.get(first, r"(?<![^\W가-힣\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff\u0620-\u06d3]|[@.-])")
    behind = _BEHIND.get(
        last, r"(?![^\W가-힣\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff\u0620-\u06d3]|[@-]|\.[a-z0-9])"
    )
    words = needle.split() if first in ("Hang", "Han", "Kana") else [needle]
    it = r"\s?".join(map(re.escape, words))  # 村瀬 達郎 is written 村瀬達郎 too
    return re.compile(rf"{before}(?P<it>{it}){behind}")


def _spans(text: str, handle: str) -> list[tuple[int, int]]:
    """Where a handle stands as a word of its script."""
    needle = fold(handle)
    if len(needle) < _SHORTEST.get(script(needle[:1]) if needle else "", 2) or needle[:2] not in text:
        return []
    return [m.span("it") for m in _pattern(needle).finditer(text)]


def named(text: str, items: Sequence[Item], others: Sequence[str] = ()) -> list[str]:
    """Ids of the staged items that a text identifies, most telling handle first: id, then handles.

    The longest match over all handles of the world wins, so "Tan Wei Ling" never names "Tan Wei Li", and `others`
    (names that belong to nothing staged) take their place in the text too. An item is left out where another one
    fits all that it fits, and more: a shared title beside a recipient only describes that recipient's item.
    """
    folded = fold(text)
    by_id = [ident for ident, _ in items if _spans(folded, ident)]
    if by_id:
        return by_id
    claims: list[tuple[int, int, str]] = []
    for handle in {h for _, handles in items for h in handles} | set(others):
        claims += [(start, end, handle) for start, end in _spans(folded, handle)]
    claims.sort(key=lambda c: (-(c[1] - c[0]), c[0], c[2]))
    taken: list[tuple[int, int]] = []
    seen: set[str] = set()
    for start, end, handle in claims:
        if any(start < e and s < end for s, e in taken if (s, e) != (start, end)):
            continue
        taken.append((start, end))
        seen.add(handle)
    fits = {ident: {fold(h) for h in handles if h in seen} for ident, handles in items}
    return [
        ident for ident, mine in fits.items() if mine and not any(mine < other for other in fits.values())
    ]


def poor_handle(languages: Sequence[str], handle: str) -> str:
    """Why a name is unfit to identify anybody or anything ("" if it is fit): too short, or an everyday word."""
    needle = fold(handle)
    if len(needle) < _SHORTEST.get(script(needle[:1]) if needle else "", 2):
        return f"{handle!r} is too short to be told from other words"
    if any(needle == fold(word) for p in packs(languages) for word in p.everyday):
        return f"{handle!r} is an everyday word"
    return ""
