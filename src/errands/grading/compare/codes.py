"""Closed codes: one word of a list that the errand gives, however it is spelled together."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from errands.grading.compare.folding import LONGEST_FIELD, fold


def one_of(*codes: str) -> Callable[[object], str | None]:
    """A reader of these codes; case, and hyphen, underscore or space between words, do not count."""
    return one_of_words({code: code for code in codes})


def one_of_words(words: Mapping[str, str]) -> Callable[[object], str | None]:
    """The same where several words stand for a code (word to code); `ValueError` if two that are read alike differ."""
    known: dict[str, str] = {}
    for word, code in words.items():
        if known.setdefault(_key(word), code) != code:
            raise ValueError(f"{word!r} means {known[_key(word)]!r} and {code!r}")

    def read(value: object) -> str | None:
        if type(value) is not str or len(value) > LONGEST_FIELD:
            return None
        return known.get(_key(value))

    return read


def _key(text: str) -> str:
    return " ".join(fold(text).replace("-", " ").replace("_", " ").casefold().split())
