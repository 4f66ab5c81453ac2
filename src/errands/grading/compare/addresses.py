"""Postal addresses: postal code, unit, and the remaining words in any order and usual abbreviation.

Everything counts: another digit is another town, and a number must keep a neighbour (`978 … Street 98` is
not `98 … Street 978`). Only what the market's rules call noise (the country's name, `Blk`) or optional (a
postal code in Taiwan, Korea, Thailand) may be missing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from errands.grading.compare.address_rules import rules_of
from errands.grading.compare.folding import LONGEST_FIELD, fold

_WORD = re.compile(r"[^\s,;|()\[\]、。]+")


@dataclass(frozen=True, slots=True)
class Address:
    """An address as read, its words in the order written."""

    postal: str
    unit: str
    words: tuple[str, ...]

    def numbers(self) -> list[tuple[str, str, str]]:
        """Each word that holds a digit, with the word before and the word after it."""
        padded = ("", *self.words, "")
        around = zip(self.words, padded, padded[2:], strict=False)
        return [(word, before, after) for word, before, after in around if any(c.isdigit() for c in word)]


def read_address(value: object, country: str) -> Address | None:
    """The one address in a field (`country`: sg, kr, jp, tw, th, ae), or in the text parts of an object.

    None where two postal codes or two units stand.
    """
    rules = rules_of(country)
    if isinstance(value, dict):
        parts = [part for part in value.values() if part is not None and part != ""]
        if not all(isinstance(part, str) for part in parts):
            return None
        value = ", ".join(str(part) for part in parts)
    if type(value) is not str or len(value) > LONGEST_FIELD:
        return None
    text = " ".join(fold(value).lower().split())
    postal, text = _take(rules.postal, text)
    unit, text = _take(rules.unit, text)
    if postal is None or unit is None:
        return None
    for pattern, plain in rules.spellings:
        text = pattern.sub(plain, text)
    words = [w for word in _WORD.findall(text) if (w := word.strip(".-'\"#")) and w not in rules.noise]
    if not words:
        return None
    code = re.sub(r"\D", "", postal)
    return Address(
        code[: rules.postal_digits or None], re.sub(r"\s", "", unit).replace("之", "-"), tuple(words)
    )


def same_address(given: object, expected: str, country: str) -> bool:
    """Whether the field holds this address and no other."""
    wanted, read = read_address(expected, country), read_address(given, country)
    if wanted is None:
        raise ValueError(f"expected address {expected!r} cannot be read as one of {country}")
    if read is None or read.unit != wanted.unit or sorted(read.words) != sorted(wanted.words):
        return False
    given_numbers = read.numbers()
    for number, before, after in wanted.numbers():
        if not any(n == number and (b == before or a == after) for n, b, a in given_numbers):
            return False
    return read.postal == wanted.postal or (not read.postal and not rules_of(country).postal_needed)


def _take(pattern: re.Pattern[str], text: str) -> tuple[str | None, str]:
    """What the pattern captures, and the text without it; "" where it is absent, None where it stands
    twice."""
    matches = list(pattern.finditer(text))
    if not matches:
        return "", text
    if len(matches) > 1:
        return None, text
    return matches[0][1], f"{text[: matches[0].start()]} {text[matches[0].end() :]}"
