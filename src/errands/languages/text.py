"""Text as rules see it: folded, cut into sentences, and its letters by script."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

LONG = 600  # a longer sentence is looked at in pieces, so that no text costs more than its length

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
        **dict.fromkeys("\u2018\u2019\u02bc", "'"),
        "\u061f": "?",
        "\u060c": ",",
        "\u061b": ";",
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u061c\u0640", None),
        **dict.fromkeys(map(chr, range(0x064B, 0x0653)), None),
        **{chr(0x0660 + n): str(n) for n in range(10)},
        **{chr(0x06F0 + n): str(n) for n in range(10)},
        **{chr(0x0E50 + n): str(n) for n in range(10)},
    }
)


def plain(text: str) -> str:
    """Compatibility forms, dashes, apostrophes, digits and Arabic marks as one; case and lines are kept."""
    if text.isascii():
        return text
    return whole_am(unicodedata.normalize("NFKC", text).translate(_SIGNS))


def whole_am(text: str) -> str:
    """The Thai vowel am as one letter, which NFKC takes apart."""
    return text.replace("\u0e4d\u0e32", "\u0e33")


def fold(text: str) -> str:
    """Text as it is compared: `plain`, without case, and runs of space are one."""
    return " ".join(plain(text).casefold().split())


_ENDS = re.compile(
    r"(?<=[.!?:…])\s+|\n+|(?<=[。！？])|(?<=[!?])(?=[^\x00-\x7f\s])"
)  # what follows an end mark without a space is a sentence only where no Latin is written
_PROSE = re.compile(r"(?<=[.!?])\s+(?=[^a-z0-9])|\n+|;\s+|(?<=[。！？])|(?<=[!?])(?=[^\x00-\x7f\s)\]»”」』])")
_ITEM = re.compile(r"\s*(?:[-*•·]|\d{1,2}[.)])\s")


def parts(text: str) -> list[str]:
    """Sentences of what is said, cut at colons too."""
    return _pieces(_ENDS, text)


def sentences(text: str) -> list[str]:
    """Sentences of prose, roughly: cut after an end mark before a capital or a letter without case, and at line
    ends. Over-long ones come in pieces."""
    return _pieces(_PROSE, text)


def _pieces(cut: re.Pattern[str], text: str) -> list[str]:
    found = (p.strip() for p in cut.split(text))
    return [s[i : i + LONG] for s in found for i in range(0, len(s), LONG)]


_QUOTED = re.compile(
    r"“([^“”]{0,2000})”|„([^“”„\n]{0,600})[“”]|«([^«»]{0,2000})»|^\"([^\"]{0,2000})\"$|\"([^\"\n]{0,600})\"|「([^「」]{0,2000})」|『([^『』]{0,2000})』",
    re.MULTILINE,
)
_CITED = re.compile(r"^\s*>.*$", re.MULTILINE)
_MARKS = re.compile(r"[*`#]+|(?<!\w)_+|_+(?!\w)|^\s*(?:[-•]|\d+[.)])\s+", re.MULTILINE)
_SHORT = 2  # words, or so many letters of a script without spaces times three


def _unquoted(m: re.Match[str]) -> str:
    """A quoted word or two ("yes") are the speaker's own; more are somebody else's, or a draft that is shown."""
    longest = 3 * _SHORT if any(script(c) in ("Han", "Kana", "Thai") for c in m[0]) else len(m[0])
    return " " if len(m[0].split()) > _SHORT or len(m[0]) - 2 > longest else m[0]


def spoken(text: str) -> list[str]:
    """Sentences of what somebody says, without mark-up and without what they quote."""
    bare = _QUOTED.sub(_unquoted, plain(_CITED.sub("", text)))
    return parts(_MARKS.sub("", bare))


def under_headings(text: str) -> list[str]:
    """As `sentences`, each line of a list with the line before it that ends in a colon: what it is a list of."""
    out: list[str] = []
    heading = ""
    for line in text.splitlines():
        item = _ITEM.match(line) is not None
        if not item and line.strip():
            heading = ""
        out += [f"{heading} {s}".strip() if item else s for s in sentences(line)]
        if not item and line.rstrip(" *_").endswith((":", "：")):
            heading = sentences(line)[-1]
    return out


_SCRIPTS = (
    ("Hang", "HANGUL"),
    ("Kana", "HIRAGANA"),
    ("Kana", "KATAKANA"),
    ("Han", "CJK"),
    ("Thai", "THAI"),
    ("Arab", "ARABIC"),
    ("Latn", "LATIN"),
)


@lru_cache(maxsize=65_536)
def script(char: str) -> str:
    """The script of a letter (`Hang Kana Han Thai Arab Latn`, else `Zyyy`), empty for what is no letter."""
    category = unicodedata.category(char)[0]
    if category not in "LM" or char == "ー":
        return ""
    name = unicodedata.name(char, "")
    return next((code for code, start in _SCRIPTS if name.startswith(start)), "Zyyy")


_LETTERS = {
    "Hang": re.compile("[\uac00-\ud7a3]"),
    "Kana": re.compile("[\u3040-\u30ff]"),
    "Han": re.compile("[\u4e00-\u9fff]"),
    "Thai": re.compile("[\u0e01-\u0e4e]"),
    "Arab": re.compile("[\u0620-\u06d3]"),
}


def scripts_of(text: str) -> frozenset[str]:
    """Which scripts other than Latin a text has letters of."""
    if text.isascii():
        return frozenset()
    return frozenset(code for code, found in _LETTERS.items() if found.search(text))


def letters(text: str) -> dict[str, int]:
    """How many letters of each script a text has."""
    out: dict[str, int] = {}
    for char in text:
        if code := script(char):
            out[code] = out.get(code, 0) + 1
    return out
