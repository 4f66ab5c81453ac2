"""What an automatic reply says: its part in a language, and the dates in it."""

from __future__ import annotations

import re
from datetime import date

from errands.grading.compare.folding import fold
from errands.grading.compare.texts import find_dates
from errands.languages.pack import pack
from errands.languages.text import letters, plain
from errands.tasks import Key


def in_language(language: str, text: str) -> str:
    """The lines of a text that are in a language, by their letters, and those without letters."""
    kept, scripts = [], pack(language).scripts
    for line in plain(text).splitlines():
        count = letters(re.sub(r"\S+@\S+", " ", line))
        mine, total = sum(count.get(s, 0) for s in scripts), sum(count.values())
        weight = 1 if "Latn" in scripts else 3  # as register rules weigh a syllable or a character
        if mine * weight >= total - mine:
            kept.append(line)
    return "\n".join(kept)


# Words right before or behind a date that say who is back on it.
_BACK_BEFORE = re.compile(
    r"\b(?:back|return(?:s|ing)?)\b(?: (?!until|till|from|leave|after|through|before|to)[a-z]+){0,4},? ?$"
    r"|กลับ(?:มา|เข้า)(?:(?!หลัง)[^\d,.]){0,25}$|(?:أعود|اعود|العودة|عودتي)(?:(?!بعد)[^\d,.]){0,25}$"
)
_BACK_AFTER = re.compile(
    r"^ ?(?:\([^)]*\))?(?:(?:に|から|より)は?[^\d、。]{0,6}(?:出社|戻|復帰|再開)"
    r"| ?(?:에|부터) ?[^\d,.]{0,8}(?:복귀|출근)|[^\d,。;不未沒放休]{0,4}(?:回來|返回|恢復上班|銷假))"
)
_AWAY_ON = re.compile(r"\b(?:up to and including|through)(?: [a-z]+)?,? ?$")


def states_return(text: str, k: Key) -> str:
    """What is wrong with the dates of a reply, or nothing: the day back is named, others only of the absence."""
    low, high = date.fromisoformat(k.right["out"]), date.fromisoformat(k.right["back"])
    found = [f for f in find_dates(text, k.order, date.fromisoformat(k.today)) if dated(f.words)]
    if stray := [f for f in found if f.value is None or not low <= f.value <= high]:
        return f"names another date: {stray[0].words!r}"
    folded = fold(text)
    for f in found:
        before, after = folded[: f.start], folded[f.end :]
        if f.value != high and (_BACK_BEFORE.search(before) or _BACK_AFTER.search(after)):
            return f"gives another day of return: {f.words!r}"
        if f.value == high and _AWAY_ON.search(before):
            return f"says that the user is away on {high}"
    return "" if high in [f.value for f in found] else f"does not say that the user is back on {high}"


def dated(words: str) -> bool:
    """Whether a mention is a date, and not a weekday or "today" alone."""
    return any(c.isdigit() or c == "月" for c in words)
