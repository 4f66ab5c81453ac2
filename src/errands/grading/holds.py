"""Which of several numbered rules a text says to hold (`Holds` in `errands.languages.pack`)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from errands.languages import Pack
from errands.languages.pack import compiled, finds, packs_for
from errands.languages.text import plain

from .compare.texts import find_ids


def claimed(languages: Sequence[str], sentence: str, shape: str, right: str) -> tuple[bool, str]:
    """Whether a sentence names the rule that holds, and what is wrong in it ("" where nothing is).

    `shape` is the regular expression of such ids, `right` the one that is in force.
    """
    text = plain(sentence)
    known = packs_for(languages, text)
    codes = {f.value for f in find_ids(text, shape) if f.value}
    applied, in_force = _applied(known, text, shape), _ids(known, "in_force", text, shape)
    if len(codes) > 1 and not applied and not in_force and any(finds(p.holds.read, text) for p in known):
        return False, ""  # which ones were looked at says nothing of which was applied
    aside = in_force == {right} or any(finds(p.holds.aside, text) for p in known)
    meant = applied if aside else codes - _ids(known, "passed_over", text, shape)
    if wrong := meant - {right}:
        return False, f"{', '.join(sorted(wrong))} is given as the guideline; in force is another"
    if right not in codes:
        return False, ""
    if _of(known, "replaced", text, right):
        return False, f"it says that {right} was replaced, and that is in force"
    return not (codes == {right} and _of(known, "disowned", text, right)), ""


def _ids(known: Sequence[Pack], field: str, text: str, shape: str) -> set[str]:
    return {
        _as_written(m, text)
        for p in known
        for pattern in getattr(p.holds, field)
        for m in compiled((pattern,), ID=rf"(?P<id>{shape})").finditer(text)
    }


def _as_written(m: re.Match[str], text: str) -> str:
    return text[m.start("id") : m.end("id")]


def _applied(known: Sequence[Pack], text: str, shape: str) -> set[str]:
    """Rules that a sentence says were applied, however it calls them."""
    out = set()
    for p in known:
        for pattern in p.holds.applied:
            for m in compiled((pattern,), ID=rf"(?P<id>{shape})").finditer(text):
                if not compiled(p.holds.not_done).search(text, max(0, m.start() - 30), m.start()):
                    out.add(_as_written(m, text))
    return out


def _of(known: Sequence[Pack], field: str, text: str, rule: str) -> bool:
    return any(
        compiled((pattern,), ID=re.escape(rule)).search(text)
        for p in known
        for pattern in getattr(p.holds, field)
    )
