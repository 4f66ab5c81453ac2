"""Telephone numbers as they are dialled and shown."""

from __future__ import annotations

import re

from errands.core.errors import ToolError
from errands.world import World

_WRITTEN = re.compile(r"(\+|00)?[\d\s().\-/]{3,30}")
_SHORTEST, _LONGEST = 7, 15  # digits with the country's code (ITU-T E.164 allows 15)


def dialled(w: World, number: str) -> str:
    """A number in E.164 (`+14155550142`); without a country code, one of the user's own country."""
    text = number.strip().removeprefix("tel:")
    digits = re.sub(r"\D", "", text)
    if _WRITTEN.fullmatch(text):
        own = w.one("SELECT code, trunk FROM phone_account ORDER BY id") or {"code": "", "trunk": ""}
        if text.startswith("00"):
            digits = digits[2:]
        elif not text.startswith("+"):
            digits = own["code"] + digits.removeprefix(own["trunk"])
        if _SHORTEST <= len(digits) <= _LONGEST:
            return f"+{digits}"
    raise ToolError(
        "invalid",
        "this is no telephone number",
        field="number",
        value=number,
        expected="digits with country code, e.g. +1 415 555 0100",
    )


def forms(number: str) -> tuple[str, ...]:
    """How people write a number (E.164): grouped as in North America where it is one of there."""
    if re.fullmatch(r"\+1\d{10}", number):
        a, b, c = number[2:5], number[5:8], number[8:]
        home = (f"({a}) {b}-{c}", f"{a}-{b}-{c}", f"{a} {b} {c}", f"{a}.{b}.{c}", f"{a}{b}{c}")
        return (f"+1 {a} {b} {c}", number, *(f"+1 {x}" for x in home[:2]), f"+1-{home[1]}", *home, f"{b}-{c}")
    return (number, number.removeprefix("+"))


def shown(number: str) -> str:
    """A number as a phone shows it."""
    return forms(number)[0]
