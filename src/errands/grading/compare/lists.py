"""Lists in order: a JSON array, or text with one item a line, numbered, bulleted, or separated by ; 、 or
commas."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from errands.grading.compare.folding import fold

T = TypeVar("T")
Reader = Callable[[object], T | None]

_BULLET = re.compile(r"\s*(?:[-*•·・‣]|\(?\d{1,3}[.)])\s+")
_SEPARATORS = (re.compile(r"\r?\n"), re.compile(r";|；"), re.compile("、"), re.compile(r",(?!\d{3}(?!\d))|،"))
_LONGEST = 100_000


def items(value: object) -> list[object] | None:
    """The items of a JSON array (also as text) or of a written list; one item where nothing separates."""
    if isinstance(value, (list, tuple)):
        return list(value)
    if type(value) is not str or len(value) > _LONGEST or not value.strip():
        return None
    text = value.strip()
    if text[0] == "[":
        return _json(text)
    for separator in _SEPARATORS:
        parts = [part for part in separator.split(text) if part.strip()]
        if len(parts) > 1:
            return [_BULLET.sub("", fold(part), count=1).strip() for part in parts]
    return [_BULLET.sub("", fold(text), count=1).strip()]


def read_list(value: object, reader: Reader[T]) -> tuple[T, ...] | None:
    """Every item through the reader, in order; None when there is no item or one cannot be read."""
    found = items(value)
    if not found:
        return None
    read = [reader(item) for item in found]
    kept = tuple(item for item in read if item is not None)
    return kept if len(kept) == len(read) else None


def same_list(given: object, expected: Sequence[T], reader: Reader[T]) -> bool:
    """Whether the field lists exactly these values in this order."""
    if not expected:
        raise ValueError("an expected list must hold something; an empty answer needs a code of its own")
    return read_list(given, reader) == tuple(expected)


def _json(text: str) -> list[object] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else None
