"""The fields of a form: what a page asks for, how what is typed is read, and what is wrong with it.

A field stores one text, in one form: "$640,000", "640000" and "640 000" are all kept as "640000". What it cannot
read it refuses with a sentence for the person at the screen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import ClassVar

from errands.markets import load_market

MAX_TEXT = 200


def whole(text: str) -> int | None:
    """A whole number of at most nine digits, or None."""
    return int(text) if re.fullmatch(r"-?\d{1,9}", text, re.ASCII) else None


class Unfit(ValueError):
    """What was entered does not do; the message is what the page says beside the field."""


@dataclass(frozen=True, kw_only=True)
class Field:
    """One field of a step.

    `shown_if` is (field, value): asked only where a field before it, in this step or an earlier one, has that value.
    `under`: a heading that begins here.
    `watched`: the first input is told to the server at once (a beacon), so that it can be ordered against a question
    to the user. Not for sliders and counters, which stand somewhere from the first.
    """

    name: str
    label: str
    hint: str = ""
    required: bool = True
    shown_if: tuple[str, str] | None = None
    under: str = ""
    watched: bool = False
    kind: ClassVar[str] = "text"
    empty: ClassVar[str] = "Please fill this in."

    def read(self, raw: str) -> str:
        """The text to keep; raises `Unfit`."""
        text = " ".join(raw.split())
        if len(text) > MAX_TEXT:
            raise Unfit(f"Please use at most {MAX_TEXT} characters.")
        if not text:
            if self.required:
                raise Unfit(self.empty)
            return ""
        return self.fit(text)

    def fit(self, text: str) -> str:
        """As `read`, of a text that is not empty."""
        return text


@dataclass(frozen=True, kw_only=True)
class Text(Field):
    """Free text, or one that a pattern must fit as a whole (case does not matter); kept as it was typed (`upper`: in
    capitals)."""

    pattern: str = ""
    wrong: str = "Please check what you have entered."
    upper: bool = False

    def fit(self, text: str) -> str:
        kept = text.upper() if self.upper else text
        if self.pattern and re.fullmatch(self.pattern, kept, re.IGNORECASE | re.ASCII) is None:
            raise Unfit(self.wrong)
        return kept


@dataclass(frozen=True, kw_only=True)
class Postcode(Field):
    """A postcode of a market or locale, by its rule; kept in capitals."""

    market: str

    def fit(self, text: str) -> str:
        kept = text.upper()
        if not load_market(self.market).postal.accepts(kept):
            raise Unfit("Please check this: it is no code of a place here.")
        return kept


@dataclass(frozen=True, kw_only=True)
class Number(Field):
    """A number from `least` to `most` (both count); `unit` stands before or behind the box."""

    least: Decimal | int = 0
    most: Decimal | int = 10**9
    places: int = 0
    unit: str = ""
    kind: ClassVar[str] = "number"

    def fit(self, text: str) -> str:
        bare = re.sub(r"[\s$£€]", "", text.removesuffix("%"))
        if "," in bare and not re.fullmatch(r"-?\d{1,3}(,\d{3})+(\.\d+)?", bare, re.ASCII):
            raise Unfit("Please enter a number, such as 1,250 or 12.50.")
        bare = bare.replace(",", "")
        try:
            value = Decimal(bare)
        except InvalidOperation:
            raise Unfit("Please enter a number.") from None
        if not value.is_finite():
            raise Unfit("Please enter a number.")
        if not self.least <= value <= self.most:
            raise Unfit(f"Please enter a number from {self.least:,} to {self.most:,}.")
        if value != round(value, self.places):
            raise Unfit(
                "Please enter a whole number."
                if not self.places
                else f"At most {self.places} decimal places."
            )
        return f"{value:.{self.places}f}"


@dataclass(frozen=True, kw_only=True)
class Day(Field):
    """A date, as ISO 8601; `least` and `most` are dates of the same form."""

    least: str = ""
    most: str = ""
    kind: ClassVar[str] = "date"

    def fit(self, text: str) -> str:
        try:
            day = date.fromisoformat(text).isoformat()
        except ValueError:
            raise Unfit("Please enter a date, such as 2026-11-21.") from None
        if (self.least and day < self.least) or (self.most and day > self.most):
            raise Unfit(
                f"Please choose a date from {self.least or 'the past'} to {self.most or 'the future'}."
            )
        return day


@dataclass(frozen=True, kw_only=True)
class Choice(Field):
    """One of several: (value, label) pairs, as a list to pull down or (`spread`) as buttons beside each other."""

    options: Sequence[tuple[str, str]]
    spread: bool = False
    kind: ClassVar[str] = "choice"
    empty: ClassVar[str] = "Please choose one."

    def fit(self, text: str) -> str:
        if text not in (value for value, _ in self.options):
            raise Unfit("Please choose one of the options.")
        return text

    def words(self, value: str) -> str:
        """What the page calls a value."""
        return next((label for v, label in self.options if v == value), value)


@dataclass(frozen=True, kw_only=True)
class Tick(Field):
    """A box to tick: "yes", or "no"."""

    required: bool = False
    kind: ClassVar[str] = "tick"

    def read(self, raw: str) -> str:
        if raw not in ("", "no", "yes", "on"):
            raise Unfit("Please tick the box, or leave it.")
        ticked = raw in ("yes", "on")
        if self.required and not ticked:
            raise Unfit("Please tick the box to go on.")
        return "yes" if ticked else "no"


@dataclass(frozen=True, kw_only=True)
class _Moved(Field):
    least: int
    most: int
    step: int = 1
    start: int | None = None  # where it stands at first; `least` unless given
    unit: str = ""

    @property
    def begins(self) -> int:
        """Where it stands before anybody has moved it."""
        return self.least if self.start is None else self.start

    def fit(self, text: str) -> str:
        value = whole(text)
        if value is None or not self.least <= value <= self.most or (value - self.least) % self.step:
            raise Unfit("Please set the control.")
        return str(value)


@dataclass(frozen=True, kw_only=True)
class Slider(_Moved):
    """A number set by dragging or with the arrow keys, and in no other way."""

    kind: ClassVar[str] = "slider"


@dataclass(frozen=True, kw_only=True)
class Counter(_Moved):
    """A small number set with - and +, and in no other way."""

    kind: ClassVar[str] = "counter"
