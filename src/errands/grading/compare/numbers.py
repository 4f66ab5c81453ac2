"""Plain numbers without a unit: `1,234.5`, `٣`, `1.2万`, `十二`."""

from __future__ import annotations

import re
from decimal import Decimal

from errands.grading.compare.folding import field, fold
from errands.grading.compare.numerals import ANY, CONTINENTAL, RUN, plain_number, read_numeral
from errands.grading.compare.spans import Found

_FIELD = re.compile(rf"(?P<sign>[+-])?\s*(?P<number>{ANY})")
_PROSE = re.compile(
    rf"(?P<sign>(?<![\w)-])-)?(?<![\dA-Za-z_]\.)(?<![\dA-Za-z_])(?<!\d,)(?:{CONTINENTAL}|{RUN})(?![\dA-Za-z_]|[.,]\d)"
)


def read_number(value: object) -> Decimal | None:
    """The one number a field holds, exact."""
    if isinstance(value, (int, float, Decimal)):
        return plain_number(value)
    text = field(value)
    match = _FIELD.fullmatch(text) if text else None
    numeral = read_numeral(match["number"]) if match else None
    if match is None or numeral is None:
        return None
    return -numeral.value if match["sign"] == "-" else numeral.value


def same_number(given: object, expected: int | Decimal) -> bool:
    return read_number(given) == expected


def find_numbers(text: str) -> list[Found[Decimal]]:
    """The numbers in a text that stand alone (not inside an id or a word), with spans in `fold(text)`."""
    found: list[Found[Decimal]] = []
    for match in _PROSE.finditer(fold(text)):
        numeral = read_numeral(match[0].removeprefix("-"))
        if numeral is not None:
            value = -numeral.value if match["sign"] else numeral.value
            found.append(Found(value, match.start(), match.end(), match[0]))
    return found
