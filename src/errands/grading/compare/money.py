"""Amounts of money: every normal way of writing one, read to exact minor units. Equality is exact.

Refused: NaN, infinities, booleans, floats that are no whole number of minor units, more decimals than the
currency has (`S$1,250.000`), abbreviations other than `k`, 万/만/หมื่น and their kin, several amounts in
one field.
"""

from __future__ import annotations

import re
from decimal import Decimal

from errands.core.money import MINOR, Money
from errands.grading.compare.currencies import MARK, MARK_BEFORE, codes, settle
from errands.grading.compare.folding import LETTER, field, fold
from errands.grading.compare.numerals import ANY, CONTINENTAL, HAN, RUN, Numeral, read_numeral
from errands.grading.compare.spans import Found, apart

_FIELD = re.compile(
    rf"(?P<open>\()?(?P<sign>[-+▲△])?\s*(?:金|금)?\s*(?P<pre>{MARK_BEFORE})?\s*(?P<inner>-)?\s*"
    rf"(?P<number>{ANY})\s*(?P<post>{MARK})?(?:\.-|/-|整|也|정|ถ้วน)?(?P<close>\))?",
    re.IGNORECASE,
)
_NUMBER = re.compile(rf"(?<![\dA-Za-z_]\.)(?<!\d)(?<!\d,)(?:{CONTINENTAL}|{RUN}|{HAN})(?!\d|[.,]\d)")
_BEFORE = re.compile(rf"(?P<sign>(?<!\w)[-▲△])?(?<![{LETTER}])(?P<mark>{MARK_BEFORE})\s?(?P<inner>-)?$")
# A digit may follow a sign or a word that needs no space (`1,000円2枚`), not a code (`1,000 SGD2`).
_AFTER = re.compile(rf"\s?(?P<mark>{MARK})(?!(?<=[A-Za-z])\d)(?!(?=\D)[{LETTER}])")
_NEXT = re.compile(r"\s?-?\d")
_GLUED = re.compile(f"[{LETTER}]")
_MARK_LENGTH = 14


def read_money(value: object, currency: str | None = None) -> Money | None:
    """The one amount a field holds. `currency` is meant where none is written, or the mark is shared (`$`).

    Numbers are major units. Objects `{"amount": …, "currency": …}` and `{"minor": …, "currency": …}` are
    read.
    """
    if isinstance(value, Money):
        return value
    if isinstance(value, (int, float, Decimal)):
        return _number(value, currency)
    if isinstance(value, dict):
        return _object(value)
    text = field(value)
    match = _FIELD.fullmatch(text) if text else None
    if match is None or bool(match["open"]) != bool(match["close"]):
        return None
    minus = [bool(match["open"]), match["sign"] not in (None, "+"), bool(match["inner"])]
    numeral = read_numeral(match["number"])
    code = settle(codes(match["pre"], match["post"]), currency)
    return _exact(numeral, code, negative=any(minus)) if numeral and sum(minus) < 2 else None


def same_money(given: object, expected: Money) -> bool:
    """Whether the field holds exactly this amount, in this currency or in none named."""
    return read_money(given, expected.currency) == expected


def find_money(text: str, currency: str | None = None) -> list[Found[Money]]:
    """The amounts in a text that carry a currency mark, with spans in `fold(text)`."""
    folded = fold(text)
    found: list[Found[Money]] = []
    taken = 0  # a mark belongs to one amount
    for match in _NUMBER.finditer(folded):
        start, end = match.span()
        before = _BEFORE.search(folded, max(taken, start - _MARK_LENGTH), start)
        after = _AFTER.match(folded, end)
        if before and after and _NEXT.match(folded, after.end()):
            after = None  # `S$10 S$100`: it is the next one's
        numeral = read_numeral(match[0])
        if numeral is None or not (before or after) or (not match[0][0].isdigit() and end - start < 3):
            continue
        if before is None and start and _GLUED.match(folded, start - 1):
            continue
        code = settle(codes(before and before["mark"], after and after["mark"]), currency)
        negative = bool(before and (before["sign"] or before["inner"]))
        value = _exact(numeral, code, negative=negative)
        if after is None and _GLUED.match(folded, end):
            value = None  # `S$5m`
        start, end = before.start() if before else start, after.end() if after else end
        taken = end
        found.append(Found(value, start, end, folded[start:end]))
    return apart(found)


def _number(value: int | float | Decimal, currency: str | None) -> Money | None:
    if isinstance(value, bool) or currency is None:
        return None
    try:
        return Money.of(value if isinstance(value, int) else Decimal(str(value)), currency)
    except (ValueError, ArithmeticError):
        return None


def _object(value: dict[object, object]) -> Money | None:
    code = value.get("currency")
    if not isinstance(code, str) or code not in MINOR or len(value) != 2:
        return None
    minor = value.get("minor")
    return Money(minor, code) if type(minor) is int else read_money(value.get("amount"), code)


def _exact(numeral: Numeral, code: str | None, *, negative: bool) -> Money | None:
    if code is None:
        return None
    exponent = MINOR[code]
    whole_yen = exponent == 0 and numeral.places == 2 and numeral.value % 1 == 0
    if numeral.places > exponent and not whole_yen:
        return None
    amount = Money.of(numeral.value, code)
    return -amount if negative else amount
