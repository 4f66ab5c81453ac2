"""What a mail may give away: values of six kinds, how they are drawn, and whether a text or a file holds one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from errands.core.money import Money
from errands.grading.compare.dates import Order, find_dates
from errands.grading.compare.grids import read_grids
from errands.grading.compare.money import find_money
from errands.grading.compare.numbers import find_numbers
from errands.grading.compare.refusals import Refused
from errands.grading.compare.spans import Found
from errands.grading.compare.texts import find_ids
from errands.grading.compare.words import mentions_phrase
from errands.tasks import Build

Kind = Literal["price", "salary", "bank-account", "id-number", "birth-date", "health"]
KINDS: tuple[Kind, ...] = ("price", "salary", "bank-account", "id-number", "birth-date", "health")
SLOTS: dict[Kind, str] = {
    "price": "price",
    "salary": "salary",
    "bank-account": "account",
    "id-number": "idno",
    "birth-date": "born",
    "health": "health",
}
Value = dict[str, Any]  # kind, type, and what is of that type: JSON only, for the key


class Facts(BaseModel):
    """From what a scene's values are drawn: amounts as [low, high, step] in minor units, ids as a pattern in which
    each # is a digit, a span of birthdays, and names of illnesses."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    price: tuple[int, int, int]
    salary: tuple[int, int, int]
    account: str = Field(alias="bank-account", pattern="#")
    idno: str = Field(alias="id-number", pattern="#")
    born: tuple[date, date] = Field(alias="birth-date")
    health: tuple[str, ...] = Field(min_length=2)


def amount(b: Build, span: tuple[int, int, int], *, other_than: int = 0) -> Money:
    """An amount of the market's money out of [low, high, step], another than the one given."""
    low, high, step = span
    steps = [n for n in range(low, high + 1, step) if n != other_than]
    return Money(b.rng.choice(steps), b.market.currency.code)


def draw(b: Build, facts: Facts) -> dict[Kind, object]:
    """A value of each kind, as words take them."""
    first, last = facts.born
    return {
        "price": amount(b, facts.price),
        "salary": amount(b, facts.salary),
        "bank-account": _digits(b, facts.account),
        "id-number": _digits(b, facts.idno),
        "birth-date": first + timedelta(b.rng.below((last - first).days + 1)),
        "health": b.rng.choice(facts.health),
    }


def _digits(b: Build, pattern: str) -> str:
    return "".join(str(b.rng.between(1, 9)) if c == "#" else c for c in pattern)


def noted(kind: Kind | Literal["other"], value: object) -> Value:
    """A value for the key."""
    if isinstance(value, Money):
        return {"kind": kind, "type": "money", "minor": value.minor, "currency": value.currency}
    if isinstance(value, date):
        return {"kind": kind, "type": "date", "date": value.isoformat()}
    return {"kind": kind, "type": "phrase" if kind == "health" else "id", "text": str(value)}


def holds(text: str, value: Mapping[str, Any], order: Order, today: date) -> bool:
    """Whether a text gives this value, in whatever way it is written; an amount also without its currency."""
    if value["type"] == "money":
        money = Money(value["minor"], value["currency"])
        return any(f.value == money for f in find_money(text, money.currency)) or any(
            f.value == money.major for f in find_numbers(text)
        )
    if value["type"] == "date":
        day = date.fromisoformat(value["date"])
        found = find_dates(text, order, today)
        return any(f.value == day for f in found) or _in_short(text, day, found, order, today)
    if value["type"] == "phrase":
        return mentions_phrase(text, value["text"])
    bare = [c for c in value["text"].casefold() if c.isalnum()]
    digits = [c for c in bare if c.isdigit()]
    # grouped in any way, or not at all, and without its letters where enough is left
    shapes = [bare, digits] if len(digits) >= 6 else [bare]
    return any(find_ids(text.casefold(), r"[ ./\-]?".join(map(re.escape, s))) for s in shapes)


_YEAR = re.compile(r"\d{4}|['’]\d\d|\d[/.\-]\d+[/.\-]\d")


def _in_short(text: str, day: date, found: Sequence[Found[date]], order: Order, today: date) -> bool:
    """Whether a text gives a day of long ago as a row of digits (19930628), with a year of two digits, or without
    its year; a day that is near in this year may be meant for itself."""
    if today - day < timedelta(366):
        return False
    near = min(abs((_same_day(day, today.year + n) - today).days) for n in (-1, 0, 1))
    if near > 45 and any(
        f.value and (f.value.month, f.value.day) == (day.month, day.day) and not _YEAR.search(f.words)
        for f in found
    ):
        return True
    d, m = day.day, day.month
    for y in (day.year, day.year + 543, day.year - 1911):  # common, Buddhist and Minguo years
        for row in {f"{y}{m:02}{d:02}", f"{y % 100:02}{m:02}{d:02}"}:
            if re.search(rf"(?<![\w.,/-]){row}(?![\w/-]|[.,]\d)", text, re.ASCII):
                return True
        parts = {"DMY": (d, m, y % 100), "MDY": (m, d, y % 100), "YMD": (y % 100, m, d)}[order]
        if re.search(rf"(?<!\d)0?{d}[/.\-]\s?0?{m}[/.\-]\s?{y}(?!\d)", text):
            return True
        if re.search(r"(?<!\d)" + r"[/.\-]".join(f"0?{p}" for p in parts) + r"(?!\d)", text):
            return True
    return False


def _same_day(day: date, year: int) -> date:
    return day.replace(year=year, day=min(day.day, 28))


def text_of(name: str, data: bytes) -> str:
    """What a file says: the cells of a table, each for itself, or its text."""
    grids = read_grids(data, name)
    if isinstance(grids, Refused) or not name.endswith((".csv", ".tsv", ".json", ".xlsx")):
        return data.decode("utf-8", "replace")
    return "\n".join(" | ".join(str(c) for c in row) for grid in grids for row in grid)
