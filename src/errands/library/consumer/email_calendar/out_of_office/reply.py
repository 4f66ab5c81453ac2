"""What an automatic reply says: its part in a language, and the dates in it."""

from __future__ import annotations

import re
from datetime import date

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


def states_return(text: str, k: Key) -> str:
    """What is wrong with the dates of a reply, or nothing: the day back is named, others only of the absence."""
    low, high = date.fromisoformat(k.right["out"]), date.fromisoformat(k.right["back"])
    found = [f for f in find_dates(text, k.order, date.fromisoformat(k.today)) if dated(f.words)]
    if stray := [f for f in found if f.value is None or not low <= f.value <= high]:
        return f"names another date: {stray[0].words!r}"
    return "" if high in [f.value for f in found] else f"does not say that the user is back on {high}"


def dated(words: str) -> bool:
    """Whether a mention is a date, and not a weekday or "today" alone."""
    return any(c.isdigit() or c == "月" for c in words)
