"""What invitations and replies say in words, by language: rules/<language>.toml."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from importlib import resources

from pydantic import BaseModel, ConfigDict

from errands.grading.claims import claims_done
from errands.grading.compare.calendar_words import WEEKDAYS
from errands.languages.pack import finds
from errands.languages.text import plain
from errands.markets import read_toml


class Rules(BaseModel):
    """Patterns of one language.

    Of dates: `out` says that they fall out, `not_out` that they do not, `free` that they are holidays or closing days,
    `meet` that there is a meeting, `begins` that it is the first, `span` that they are ends of a range, `former` that
    they stand in an older notice; `also` adds a date in brackets. Of the series: `every` stands before its weekday
    (`weekdays`: other forms), `weekly` says that it is one, `fortnight` that it is rarer, `called_off` that it does
    not take place. `hours`, `minutes`: a length (group 1: how many; none: two). Of people: `invited`, `uninvited`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    language: str
    out: tuple[str, ...]
    not_out: tuple[str, ...]
    free: tuple[str, ...]
    meet: tuple[str, ...]
    begins: tuple[str, ...]
    span: tuple[str, ...]
    former: tuple[str, ...]
    also: tuple[str, ...]
    every: str
    weekdays: tuple[str, ...] = ()
    weekly: tuple[str, ...]
    fortnight: tuple[str, ...]
    called_off: tuple[str, ...]
    hours: str
    minutes: str
    numbers: dict[str, int] = {}
    invited: tuple[str, ...]
    uninvited: tuple[str, ...]


@lru_cache(maxsize=16)
def rules(language: str) -> Rules:
    """The rules of a language."""
    return Rules.model_validate(read_toml(resources.files(__package__).joinpath("rules", f"{language}.toml")))


def says(languages: Iterable[str], text: str, *what: Callable[[Rules], tuple[str, ...]]) -> bool:
    """Whether any of these rules fits a sentence in any of the languages."""
    said = plain(text)
    return any(finds(part(rules(code)), said) for code in languages for part in what)


def stance(languages: Sequence[str], words: str) -> str:
    """Whether words say of dates that they fall out (`out`) or stay (`kept`), or neither."""
    if says(languages, words, lambda r: r.not_out):
        return "kept"
    if says(languages, words, lambda r: r.out):
        return "out"
    return "kept" if says(languages, words, lambda r: r.meet) else ""


def other_weekday(languages: Iterable[str], sentence: str, right: int) -> bool:
    """Whether a sentence says that it is every week on another weekday than the right one (Monday is 0)."""
    said = plain(sentence)
    return any(n != right for code in languages for n in _weekdays(code, said))


def _weekdays(language: str, text: str) -> list[int]:
    r = rules(language)
    words = dict(WEEKDAYS) | {w: n % 7 for n, w in enumerate(r.weekdays)}
    names = "|".join(re.escape(w) for w in sorted(words, key=len, reverse=True))
    found = re.finditer(rf"{r.every}({names})(?![次回場])", text.casefold())  # 每週一次 is once a week
    return [words[m[1]] for m in found]


def lengths(languages: Iterable[str], sentence: str) -> list[int]:
    """The lengths in minutes that a sentence gives."""
    said, out = plain(sentence), []
    for r in map(rules, languages):
        for pattern, one in ((r.hours, 60), (r.minutes, 1)):
            for m in re.finditer(pattern, said, re.IGNORECASE):
                word = (m[1] or "2").casefold()
                out.append(one * (int(word) if word.isdigit() else r.numbers.get(word, 0)))
    return [n for n in out if n]


def called_off(languages: Iterable[str], sentence: str) -> bool:
    """Whether a sentence says that something was called off."""
    return claims_done({code: rules(code).called_off for code in languages}, sentence)


def invited(languages: Iterable[str], sentence: str) -> bool:
    """Whether a sentence says that people were invited."""
    return claims_done({code: rules(code).invited for code in languages}, sentence)
