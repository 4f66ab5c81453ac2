"""Identifiers: exact, case-sensitive, one. No part of an id is that id."""

from __future__ import annotations

import unicodedata

from errands.grading.compare.folding import LONGEST_FIELD

_AROUND = " \t\r\n\"'`<>“”‘’«»「」『』"


def read_id(value: object) -> str | None:
    """An id after NFKC, without surrounding space, quotes and angle brackets. An int is its digits."""
    if type(value) is int:
        return str(value) if abs(value) < 10**18 else None
    if type(value) is not str or len(value) > LONGEST_FIELD:
        return None
    text = unicodedata.normalize("NFKC", value.strip(_AROUND)).strip(_AROUND)
    return text if text and not any(c.isspace() for c in text) else None


def same_id(given: object, expected: str) -> bool:
    """Whether the field holds this id and nothing else."""
    return read_id(given) == unicodedata.normalize("NFKC", expected)
