"""Numbers as people write them: grouped digits, 万/만/หมื่น/ألف multipliers, Han and Hangul numerals.

A comma groups by three and a point is decimal, as in all six markets. The continental `1.250,00` is read only
where it cannot mean anything else; `1.250` alone is decimal, `1,25` and `1,25,000` are refused.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

PLAIN = r"(?:[1-9]\d{0,2}(?:,\d{3})+|0|[1-9]\d*)(?:\.\d+)?"
CONTINENTAL = r"[1-9]\d{0,2}(?:\.\d{3})+,\d{1,2}|[1-9]\d{0,2}(?:\.\d{3}){2,}"

MULTIPLIERS: dict[str, int] = {
    "k": 10**3, "K": 10**3,
    "백": 10**2, "천": 10**3, "만": 10**4, "억": 10**8, "조": 10**12,
    "百": 10**2, "千": 10**3, "万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8, "兆": 10**12,
    "พัน": 10**3, "หมื่น": 10**4, "แสน": 10**5, "ล้าน": 10**6,
    "ألف": 10**3, "الف": 10**3, "آلاف": 10**3, "مليون": 10**6,
}  # fmt: skip
_TIMES = "|".join(sorted(MULTIPLIERS.keys() - {"k", "K"}, key=len, reverse=True)) + "|[kK](?![A-Za-z])"
_HAN = {
    **{c: i for i, c in enumerate("〇一二三四五六七八九")},
    **{c: i for i, c in enumerate("零壹貳參肆伍陸柒捌玖")},
    **{c: i for i, c in enumerate("영일이삼사오육칠팔구")},
    **dict.fromkeys("兩两貮贰弐", 2), **dict.fromkeys("壱", 1), **dict.fromkeys("参叁", 3),
}  # fmt: skip
_DIGIT = f"[{''.join(_HAN)}]"
_SECTION = re.compile(
    rf"(?:({_DIGIT}?)[千仟천])?(?:[零〇]?({_DIGIT}?)[百佰백])?(?:[零〇]?({_DIGIT}?)[十拾십])?([零〇]?)({_DIGIT}?)"
)
_PLACES = f"[{''.join(_HAN)}千仟천百佰백十拾십]*"
_GRAND = re.compile(rf"(?:({_PLACES})[兆조])?(?:({_PLACES})[億亿억])?(?:({_PLACES})[万萬만])?({_PLACES})")
HAN = f"[{''.join(_HAN)}千仟천百佰백十拾십万萬만億亿억兆조]+"

#: A run of digits and multipliers, and all that may fill a field; `read_numeral` gives the value.
RUN = rf"(?:{PLAIN}\s?(?:{_TIMES})\s?)*(?:{PLAIN})(?:\s?(?:{_TIMES}))?"
SPACED = r"[1-9]\d{0,2}(?: \d{3})+(?:\.\d+)?"
ANY = rf"(?:{CONTINENTAL}|{SPACED}|{RUN}|{HAN})"

_LONGEST = 60
_DIGITS = re.compile(PLAIN)
_SPACED = re.compile(SPACED)
_CONTINENTAL = re.compile(CONTINENTAL)
_PART = re.compile(rf"\s*({PLAIN})\s*({_TIMES})?")
_WORDS = re.compile(HAN)


class Numeral(NamedTuple):
    """A value, and how many decimals were written (zeros count, so `1.000` is not `1.00`)."""

    value: Decimal
    places: int


def read_numeral(text: str) -> Numeral | None:
    """The non-negative number that fills a folded text; None for what no one would write out."""
    if len(text) > _LONGEST:
        return None
    if _DIGITS.fullmatch(text):
        return _written(text.replace(",", ""))
    if _WORDS.fullmatch(text):
        value = han(text)
        return None if value is None else Numeral(Decimal(value), 0)
    if _SPACED.fullmatch(text):
        return _written(text.replace(" ", ""))
    if _CONTINENTAL.fullmatch(text):
        return _written(text.replace(".", "").replace(",", "."))
    return _multiplied(text)


def plain_number(value: int | float | Decimal) -> Decimal | None:
    """A JSON number as it was written; None for booleans, NaN and infinities."""
    if isinstance(value, bool):
        return None
    number = Decimal(value) if isinstance(value, int) else Decimal(str(value))
    return number if number.is_finite() else None


def _written(digits: str) -> Numeral | None:
    if len(digits) > 24:
        return None
    _, _, decimals = digits.partition(".")
    return Numeral(Decimal(digits), len(decimals))


def _multiplied(text: str) -> Numeral | None:
    """`3만 5천`, `1億2,000万`, `1.2k`: parts of falling size; only a lone one may have decimals."""
    total, at, before, parts = Decimal(0), 0, 10**20, 0
    while at < len(text):
        match = _PART.match(text, at)
        if match is None:
            return None
        number, times = Decimal(match[1].replace(",", "")), MULTIPLIERS.get(match[2] or "", 1)
        smaller = number * times < before and times < before
        if not smaller or (number % 1 and (parts or match.end() < len(text))):
            return None
        total, at, before, parts = total + number * times, match.end(), times, parts + 1
    exponent = total.normalize().as_tuple().exponent
    return Numeral(total, max(0, -exponent)) if isinstance(exponent, int) else None


def han(text: str) -> int | None:
    """Han or Hangul numerals: 一千二百, 壱拾弐万, 일백이십, 二〇二六. No 三百五: 350 in Taipei, 305 in
    Tokyo."""
    if text and all(c in _HAN for c in text):
        return int("".join(str(_HAN[c]) for c in text))
    grand = _GRAND.fullmatch(text)
    if grand is None:
        return None
    total, higher = 0, False
    for part, scale in zip(grand.groups(), (10**12, 10**8, 10**4, 1), strict=True):
        if part:
            section = _section(part, bool(higher and scale == 1))
            if section is None:
                return None
            total += section * scale
        elif part is not None and scale > 1:
            total += scale
        higher = higher or part is not None
    return total


def _section(text: str, after_bigger: bool) -> int | None:
    """A number below 10,000."""
    match = _SECTION.fullmatch(text)
    if match is None:
        return None
    thousands, hundreds, tens, zero, ones = match.groups()
    bigger = after_bigger or hundreds is not None or thousands is not None
    clipped = ones and not zero and tens is None and bigger
    if clipped and ones not in "일이삼사오육칠팔구":
        return None
    written = ((thousands, 1000), (hundreds, 100), (tens, 10))
    total = sum(_HAN.get(digit, 1) * size for digit, size in written if digit is not None)
    return total + _HAN.get(ones, 0)
