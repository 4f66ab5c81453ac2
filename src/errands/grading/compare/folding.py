"""Unicode folding: one plain spelling of what an agent typed, before any grammar looks at it.

NFKC, every decimal digit as ASCII, one dash, one tilde, one kind of quote, Arabic punctuation as Latin, no
invisible marks. Superscripts become `^2` (NFKC alone would read `10²` as 102). Case is kept.
"""

from __future__ import annotations

import unicodedata

#: A field longer than this is prose, not a value.
LONGEST_FIELD = 300

#: Inside brackets of a regular expression: digits and letters of scripts that put spaces between words.
LETTER = r"0-9A-Za-z_\u00c0-\u024f\u0370-\u052f"

_QUOTES = " \t\r\n\"'`<>"
_SAME = {
    "-": "‐‑‒–—―−⁃",
    "~": "〜∼〰",
    "'": "‘’‚‛′",
    '"': "“”„‟″«»「」『』《》〈〉",
    ",": "،٬",
    ";": "؛",
    ".": "٫",
    "?": "؟",
    "%": "٪",
    "": "\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068"
    "\u2069\u00ad\u0640\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652",
}
_SUPERSCRIPTS = str.maketrans({mark: f"^{digit}" for digit, mark in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")})


class _Table(dict[int, str]):
    """Translation that learns: a character is looked at once in the life of the process."""

    def __missing__(self, point: int) -> str:
        digit = unicodedata.decimal(chr(point), None)
        self[point] = plain = chr(point) if digit is None else str(digit)
        return plain


_PLAIN = _Table({ord(mark): plain for plain, marks in _SAME.items() for mark in marks})


def fold(text: str) -> str:
    """The plain spelling of a text. Spans that scanners report are spans of this."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text.translate(_SUPERSCRIPTS)).translate(_PLAIN)


def field(value: object) -> str | None:
    """A text value, folded, without surrounding space and quotes; None for anything else, or for nothing."""
    if type(value) is not str or len(value) > LONGEST_FIELD:
        return None
    return fold(value).strip(_QUOTES) or None


def key(text: str) -> str:
    """A heading or name reduced to its letters and digits, case folded: `Unit_Price (S$)` is `unitprices`."""
    return "".join(c for c in fold(text).casefold() if c.isalnum() or unicodedata.category(c)[0] == "M")
