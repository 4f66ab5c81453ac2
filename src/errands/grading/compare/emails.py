"""E-mail addresses: one, with or without a display name; letter case does not count."""

from __future__ import annotations

import re

from errands.grading.compare.folding import field, fold

ADDRESS = r"[A-Za-z0-9._%+'-]+@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}"
# The `>` of a display name's address has gone with the outer quotes. A name may hold a comma: Chua Zhi Hao, Bryan.
_FIELD = re.compile(
    rf"(?:mailto:)?({ADDRESS})|[^<>@]{{1,80}}<({ADDRESS})|[^<>@()]{{1,80}}\(({ADDRESS})\)?|({ADDRESS})\s?\([^<>@()]{{1,80}}\)?"
)


def read_email(value: object) -> str | None:
    """The address in lower case."""
    text = field(value)
    match = _FIELD.fullmatch(text) if text else None
    return next(g for g in match.groups() if g).casefold() if match else None


def same_email(given: object, expected: str) -> bool:
    return read_email(given) == fold(expected).casefold()
