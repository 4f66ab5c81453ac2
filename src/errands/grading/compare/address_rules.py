"""How addresses of the six markets are written: postal code, unit, abbreviations, and words that add
nothing."""

from __future__ import annotations

import re
from typing import NamedTuple

from errands.grading.compare.folding import fold


class Rules(NamedTuple):
    """`postal` and `unit` capture their value; `spellings` are applied in order to the folded lower-case
    rest."""

    postal: re.Pattern[str]
    postal_needed: bool
    postal_digits: int
    unit: re.Pattern[str]
    spellings: tuple[tuple[re.Pattern[str], str], ...]
    noise: frozenset[str]


def _rules(
    postal: str, unit: str, words: dict[str, str], noise: str = "", *, needed: bool = False, digits: int = 0
) -> Rules:
    spellings = tuple((re.compile(fold(written)), fold(plain)) for written, plain in words.items())
    return Rules(
        re.compile(postal), needed, digits, re.compile(fold(unit)), spellings, frozenset(fold(noise).split())
    )


_SHORT = {
    "ave": "avenue",
    "rd": "road",
    "st": "street",
    "cres": "crescent",
    "dr": "drive",
    "lor": "lorong",
    "ln": "lane",
    "jln": "jalan",
    "bt": "bukit",
    "upp": "upper",
    "cl": "close",
    "ctrl": "central",
    "nth": "north",
    "sth": "south",
    "pk": "park",
    "pl": "place",
    "ter": "terrace",
    "bldg": "building",
    "sq": "square",
    "kg": "kampong",
    "blk": "block",
    "twr": "tower",
    "blvd": "boulevard",
    "apt": "apartment",
}
_STREETS = {rf"\b{short}\b\.?": full for short, full in _SHORT.items()}


def _han_before(noun: str) -> dict[str, str]:
    """Han 1 to 6 as a digit, before 丁目 or 段."""
    return {f"{digit}(?={noun})": str(n) for n, digit in enumerate("一二三四五六", 1)}


RULES: dict[str, Rules] = {
    "sg": _rules(
        r"(?:\b(?:singapore|s'?pore|s)\s?)?\(?(?<![\d#-])(\d{6})(?!\d)\)?",
        r"(?:#|\bunit\s)\s?(b?\d{1,3}\s?-\s?\d{1,5}[a-z]?)\b",
        _STREETS,
        "singapore block",
        needed=True,
    ),
    "ae": _rules(
        r"p\.?\s?o\.?\s?box\s?(\d{1,7})",
        r"\b(?:flat|apt\.?|apartment|unit|villa|office|شقة|مكتب|فيلا)\s?(?:no\.?\s?)?(\d{1,5}[a-z]?)\b",
        {**_STREETS, "الشارع": "شارع", "[أإآ]": "ا"},
        "uae united arab emirates الامارات العربية المتحدة",
    ),
    "kr": _rules(
        r"[(\[]?(?<![\d-])(\d{5})(?![\d-])[)\]]?",
        r"((?:\d{1,4}동\s?)?\d{1,5}호)",
        {
            r"\([^)]*\)": " ",
            r"(서울)(?:특별시|시)": r"\1",
            r"(부산|대구|인천|광주|대전|울산)(?:광역시|시)": r"\1",
            r"(경기|강원|제주)(?:특별자치)?도": r"\1",
            r"(로|길)\s+(?=\d)": r"\1",
        },
        "대한민국",
    ),
    "jp": _rules(
        r"〒?\s?(?<!\d)(\d{3}-?\d{4})(?![\d-])",
        r"(\d{1,5})号室",
        {
            r"[\s,、]+": "",
            **_han_before("丁目"),
            "丁目|番地の?|番|号": "-",
            r"-+": "-",
            r"-(?!\d)": "",
            "ヶ": "ケ",
        },
        "日本",
        needed=True,
    ),
    "tw": _rules(
        r"^(?:台灣|臺灣)?\s?(\d{3}(?:-?\d{2,3})?)(?!\d)(?!號)",
        r"((?:\d{1,3}樓|\d{1,3}f)(?:之\d{1,3}|-\d{1,3})?)",
        {
            r"[\s,、]+": "",
            "臺": "台",
            **_han_before("段"),
            r"(\d+)[之-](\d+)號": r"\1號之\2",
            r"號-(?=\d)": "號之",
        },
        "台灣",
        digits=3,
    ),
    "th": _rules(
        r"(?<![\d-])(\d{5})(?![\d-])",
        r"(?:ห้อง|room|rm\.?|unit)\s?(\d{1,5}[a-z]?)",
        {
            r"กรุงเทพ(?:มหานคร|ฯ)?|กทม\.?": " กรุงเทพ ",
            r"ตำบล|แขวง|อำเภอ|เขต|จังหวัด|(?<![ก-๛])[ตอจ]\.": " ",
            r"ถนน|(?<![ก-๛])ถ\.": " ถนน ",
            r"ซอย|(?<![ก-๛])ซ\.": " ซอย ",
            r"หมู่ที่|หมู่(?!บ้าน)|(?<![ก-๛])ม\.": " หมู่ ",
            r"\bmoo\b": "หมู่",
            **_STREETS,
        },
        "thailand ประเทศไทย",
    ),
}  # fmt: skip


def rules_of(country: str) -> Rules:
    """How addresses of a market are read; `ValueError` that names those that are known."""
    if country not in RULES:
        raise ValueError(
            f"no rules for addresses of market {country!r} in {__name__}; there are: {', '.join(RULES)}"
        )
    return RULES[country]
