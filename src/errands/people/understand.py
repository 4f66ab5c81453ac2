"""What was asked, and about which staged things: deterministic rules per language, in a written order."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from typing import Any, Literal

Intent = Literal["approval", "question", "statement"]
Item = tuple[str, tuple[str, ...]]  # id, handles


@lru_cache(maxsize=16)
def speech(language: str) -> dict[str, Any]:
    """The rules and words of a language; raises `FileNotFoundError` for one that has none."""
    file = resources.files("errands.people.speech").joinpath(f"{language}.toml")
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    for name, patterns in table["understand"].items():
        table["understand"][name] = [re.compile(p, re.IGNORECASE) for p in patterns]
    return table


_SIGNS = str.maketrans(
    {**dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"), **dict.fromkeys("\u2018\u2019\u02bc", "'")}
)


def fold(text: str) -> str:
    """Text as it is compared: compatibility forms, case, runs of space, hyphens and apostrophes are one."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_SIGNS).casefold().split())


_QUOTED = re.compile(r"“([^“”]{0,2000})”|„([^“”„\n]{0,600})[“”]|«([^«»]{0,2000})»|\"([^\"\n]{0,600})\"")
_CITED = re.compile(r"^\s*>.*$", re.MULTILINE)
_MARKS = re.compile(r"[*`#]+|(?<!\w)_+|_+(?!\w)|^\s*(?:[-•]|\d+[.)])\s+", re.MULTILINE)
_ENDS = re.compile(r"(?<=[.!?:…])\s+|\n+")
_LONG = 600  # a longer sentence is looked at in pieces, so that no message costs more than its length


def _unquoted(m: re.Match[str]) -> str:
    """A quoted word or two ("yes") are the speaker's own; more are somebody else's, or a draft that is shown."""
    return " " if len(m[0].split()) > 2 else m[0]


def _sentences(text: str) -> list[str]:
    """Sentences without mark-up and without what they quote."""
    plain = _CITED.sub("", unicodedata.normalize("NFKC", text).translate(_SIGNS))
    plain = _MARKS.sub("", _QUOTED.sub(_unquoted, plain))
    found = [s for s in (p.strip() for p in _ENDS.split(plain)) if s]
    return [s[i : i + _LONG] for s in found for i in range(0, len(s), _LONG)]


def intent(language: str, text: str) -> Intent:
    """Whether this asks for a yes, asks something else, or only states."""
    rules = speech(language)["understand"]
    said = _sentences(text)
    for s in said:
        asks = any(p.search(s) for p in rules["approval"])
        if asks and (s.endswith("?") or not any(p.search(s) for p in rules.get("told", ()))):
            return "approval"
    if any(p.search(s) for s in said for p in rules["question"]):
        return "question"
    return "statement"


def _spans(text: str, handle: str) -> list[tuple[int, int]]:
    """Where a handle stands as a whole word (letters and digits on neither side)."""
    needle = fold(handle)
    if len(needle) < 2:
        return []
    return [m.span() for m in re.finditer(rf"(?<![\w@.-]){re.escape(needle)}(?![\w@-]|\.\w)", text)]


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
