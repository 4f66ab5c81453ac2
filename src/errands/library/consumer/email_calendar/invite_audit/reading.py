"""How the columns of the list are read: an instant or none, and a fault's code."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from errands.grading.compare.codes import one_of
from errands.grading.compare.dates import Order
from errands.grading.compare.folding import field
from errands.grading.compare.ids import read_id
from errands.grading.compare.nothing import is_nothing
from errands.grading.compare.tables import Column
from errands.grading.compare.times import read_datetime

from .scene import FAULTS, NONE

# What a field of date and time may hold beyond what `read_datetime` knows: the last dot of `2026. 11. 12. 16:30`, a
# zone's name behind its offset (RFC 9557), hours and minutes around a dot or an h.
_REWRITTEN = (
    (re.compile(r"(\d{4}\.\s?\d{1,2}\.\s?\d{1,2})\.(?=\s)"), r"\1"),
    (re.compile(r"((?:Z|[+-]\d\d:?\d\d))\[[A-Za-z]+(?:/[A-Za-z_]+)+\]$"), r"\1"),
    (re.compile(r"(?<=\s)(\d{1,2})[.h]([0-5]\d)(?=\s|$)"), r"\1:\2"),
)


def read_start(zone: str, order: Order, today: date) -> Callable[[object], object | None]:
    """A reader of instants as UTC ms, in the owner's zone unless another is written; `NONE` for the agreed word for
    none, for null and for an empty cell."""

    def read(value: object) -> object | None:
        if is_nothing(value):
            return NONE
        moment = read_datetime(value, zone, order, today)
        if moment is None and (text := field(value)) is not None:
            for form, instead in _REWRITTEN:
                text = form.sub(instead, text)
            moment = read_datetime(text, zone, order, today)
        return None if moment is None else moment.ms

    return read


def read_fault(value: object) -> str | None:
    """One of the codes; a cell with nothing is none."""
    return NONE if is_nothing(value) else _code(value)


_code = one_of(*FAULTS)


def columns(zone: str, order: Order, today: date) -> tuple[Column, ...]:
    """The columns of the list, and other names for them."""
    return (
        Column("message_id", read_id, ("message", "source message")),
        Column("start", read_start(zone, order, today), ("start time", "local start", "begins")),
        Column("fault", read_fault, ("error", "fault code")),
    )
