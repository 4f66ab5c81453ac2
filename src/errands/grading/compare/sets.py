"""Sets: a list whose order does not count and whose items are each there once."""

from __future__ import annotations

from collections.abc import Set
from typing import TypeVar

from errands.grading.compare.lists import Reader, read_list

T = TypeVar("T")


def read_set(value: object, reader: Reader[T]) -> frozenset[T] | None:
    """The items through the reader; None when one cannot be read or stands twice."""
    read = read_list(value, reader)
    if read is None or len(set(read)) != len(read):
        return None
    return frozenset(read)


def same_set(given: object, expected: Set[T], reader: Reader[T]) -> bool:
    """Whether the field names exactly these values: none missing, none more."""
    if not expected:
        raise ValueError("an expected set must hold something; an empty answer needs a code of its own")
    return read_set(given, reader) == frozenset(expected)
