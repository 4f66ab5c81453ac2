"""Facts in free prose: does a text *state* a value, and does it name no rival?

Every function scans typed mentions with the readers' own grammars. A text states a value when it mentions
it and mentions nothing else of that type outside `allowed`; a mention that cannot be resolved counts as a
rival. Whether the sentence denies the fact is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from datetime import date
from functools import lru_cache
from typing import TypeVar

from errands.core.money import Money
from errands.grading.compare.dates import Order, find_dates
from errands.grading.compare.emails import ADDRESS
from errands.grading.compare.folding import LETTER, fold
from errands.grading.compare.moments import find_times
from errands.grading.compare.money import find_money
from errands.grading.compare.numbers import find_numbers
from errands.grading.compare.spans import Found
from errands.grading.compare.words import mentions_phrase, single_choice

__all__ = [
    "find_dates",
    "find_emails",
    "find_ids",
    "find_money",
    "find_numbers",
    "find_times",
    "mentions_phrase",
    "rivals",
    "single_choice",
    "states",
    "states_date",
    "states_email",
    "states_id",
    "states_money",
    "states_time",
]

T = TypeVar("T")

_EMAIL = re.compile(rf"(?<![{LETTER}.+%@'-])(?:{ADDRESS})(?![{LETTER}@]|[.-][{LETTER}])")


def find_ids(text: str, pattern: str) -> list[Found[str]]:
    """Whole ids of the shape `pattern` (a regular expression), with spans in `fold(text)`. Case counts."""
    return [Found(m[0], m.start(), m.end(), m[0]) for m in _id(pattern).finditer(fold(text))]


def find_emails(text: str) -> list[Found[str]]:
    """E-mail addresses, in lower case."""
    return [Found(m[0].casefold(), m.start(), m.end(), m[0]) for m in _EMAIL.finditer(fold(text))]


def rivals(found: Iterable[Found[T]], allowed: Collection[T]) -> list[Found[T]]:
    """The mentions whose value is not among the allowed ones, those without value included."""
    return [one for one in found if one.value is None or one.value not in allowed]


def states(found: list[Found[T]], expected: T, allowed: Collection[T] = ()) -> bool:
    """Whether the mentions hold the expected value and no rival."""
    return any(one.value == expected for one in found) and not rivals(found, (expected, *allowed))


def states_id(text: str, expected: str, pattern: str, allowed: Collection[str] = ()) -> bool:
    """Whether the text names this id and no other of the shape, save allowed ones."""
    if not _id(pattern).fullmatch(fold(expected)):
        raise ValueError(f"{expected!r} is not of the shape {pattern!r}")
    return states(find_ids(text, pattern), fold(expected), [fold(one) for one in allowed])


def states_email(text: str, expected: str, allowed: Collection[str] = ()) -> bool:
    return states(find_emails(text), expected.casefold(), [one.casefold() for one in allowed])


def states_date(
    text: str,
    expected: date,
    order: Order = "DMY",
    reference: date | None = None,
    allowed: Collection[date] = (),
) -> bool:
    """Whether the text names this date and no other, save allowed ones."""
    return states(find_dates(text, order, reference or expected), expected, allowed)


def states_money(text: str, expected: Money, allowed: Collection[Money] = ()) -> bool:
    """Whether the text names this amount (with a currency mark) and no other, save allowed ones."""
    return states(find_money(text, expected.currency), expected, allowed)


def states_time(
    text: str,
    expected_ms: int,
    zone_name: str,
    order: Order = "DMY",
    reference: date | None = None,
    day: date | None = None,
    allowed: Collection[int] = (),
) -> bool:
    """Whether the text names this instant (UTC milliseconds) and no other, save allowed ones.

    The end of a range is an instant too: allow it where the text may give it. See `find_times` for the rest.
    """
    moments = find_times(text, zone_name, order, reference, day)
    instants = [Found(f.value.ms if f.value else None, f.start, f.end, f.words) for f in moments]
    return states(instants, expected_ms, allowed)


@lru_cache(maxsize=256)
def _id(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![{LETTER}])(?<![{LETTER}]-)(?:{pattern})(?![{LETTER}]|-[{LETTER}])")
