"""Quantities: an exact number and a unit, compared in the unit's base (2.5 kg is 2,500 g, 3명 is 3 pax)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from errands.grading.compare.day_parts import HOURS
from errands.grading.compare.folding import field
from errands.grading.compare.numerals import RUN, plain_number, read_numeral
from errands.grading.compare.units import meanings

_NATIVE = {word: n for word, n in HOURS.items() if n <= 10}
_FIELD = re.compile(
    rf"(?P<sign>[+-])?(?:(?P<number>{RUN})|(?P<word>{'|'.join(_NATIVE)})|(?P<han>[〇一二兩两三四五六七八九十百千]+))"
    r"\s*(?P<unit>[^\d\s](?:.*\S)?)?"
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount of a base unit: g, m, l, min, day, person, piece, … or of nothing named ("")."""

    amount: Decimal
    unit: str


def quantity(number: int | str | Decimal, unit: str) -> Quantity:
    """An expected quantity: `quantity("2.5", "kg")`. ValueError for a unit that the table does not hold."""
    found = meanings(unit)
    if not found:
        raise ValueError(f"unknown unit {unit!r}")
    return Quantity(Decimal(number) * found[0].times, found[0].base)


def read_quantity(value: object, unit: str = "") -> Quantity | None:
    """The one quantity a field holds. `unit` is meant where none is written, or the word is shared (분)."""
    usual = meanings(unit)
    if isinstance(value, (int, float, Decimal)):
        number = plain_number(value)
        return _in(number, usual[0].base, usual[0].times) if number is not None and usual else None
    text = field(value)
    match = _FIELD.fullmatch(text) if text else None
    if match is None:
        return None
    amount = _amount(match)
    possible = meanings(match["unit"]) if match["unit"] else usual
    if amount is None or not possible:
        return None
    fitting = [u for u in possible if usual and u.base == usual[0].base] or possible
    if len(fitting) > 1:
        return None
    return _in(-amount if match["sign"] == "-" else amount, fitting[0].base, fitting[0].times)


def same_quantity(given: object, expected: Quantity, unit: str = "") -> bool:
    """Whether the field holds exactly this much. `unit` is what a bare number counts: the unit asked for."""
    return read_quantity(given, unit or expected.unit) == expected


def _amount(match: re.Match[str]) -> Decimal | None:
    if match["word"]:
        return Decimal(_NATIVE[match["word"]])
    numeral = read_numeral(match["number"] or match["han"])
    return numeral.value if numeral else None


def _in(number: Decimal, base: str, times: Decimal) -> Quantity:
    return Quantity(number * times, base)
