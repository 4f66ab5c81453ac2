"""What a scanner finds in a text: a typed value and where it stands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

#: Characters that may follow a value that fills a field.
_CLOSING = " \t\r\n.。"


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """A mention. `value` is None when it is plainly a mention of that type but has no single meaning."""

    value: T | None
    start: int
    end: int
    words: str


def apart(found: Iterable[Found[T]]) -> list[Found[T]]:
    """The mentions in text order; of overlapping ones the first, and of those the longest."""
    kept: list[Found[T]] = []
    for one in sorted(found, key=lambda f: (f.start, -f.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def whole(found: list[Found[T]], text: str) -> T | None:
    """The value of the only mention, if it fills the text."""
    if len(found) != 1 or found[0].start != 0 or text[found[0].end :].strip(_CLOSING):
        return None
    return found[0].value
