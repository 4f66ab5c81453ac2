"""Percentages, in points: `9%`, `9 per cent`, `٩٪`, `ร้อยละ 7`, `3割`, `一成`; a bare number is points too."""

from __future__ import annotations

import re
from decimal import Decimal

from errands.grading.compare.folding import field
from errands.grading.compare.numerals import ANY, plain_number, read_numeral

_FIELD = re.compile(
    rf"(?P<sign>[+-])?\s*(?:(?:ร้อยละ|百分之)\s*)?(?P<number>{ANY})"
    r"\s*(?P<unit>%|percent|per cent|pct|퍼센트|프로|パーセント|เปอร์เซ็นต์|بالمائة|بالمئة|割|成)?",
    re.IGNORECASE,
)


def read_percent(value: object) -> Decimal | None:
    """Percentage points, exact. `割` and `成` are tenths."""
    if isinstance(value, (int, float, Decimal)):
        return plain_number(value)
    text = field(value)
    match = _FIELD.fullmatch(text) if text else None
    numeral = read_numeral(match["number"]) if match else None
    if match is None or numeral is None:
        return None
    points = numeral.value * (10 if match["unit"] in ("割", "成") else 1)
    return -points if match["sign"] == "-" else points


def same_percent(given: object, expected: Decimal) -> bool:
    return read_percent(given) == expected
