"""Telephone numbers: digits, country code and trunk zero understood; possible rather than assigned numbers.

Worlds use numbers that no one holds, so validity in a numbering plan's issued ranges is not asked. An
extension, a second number, and `+971 050 …` (which cannot be dialled) are refused; `+82 (0)10 …` is read.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from errands.grading.compare.folding import field


class Plan(NamedTuple):
    """A country's numbering: code, trunk prefix, national numbers dialled with it and without it."""

    code: str
    trunk: str
    dialled: re.Pattern[str]
    bare: re.Pattern[str]


_NONE = re.compile(r"(?!)")
PLANS: dict[str, Plan] = {
    "sg": Plan("65", "", _NONE, re.compile(r"[3689]\d{7}|1?800\d{7}")),
    "kr": Plan(
        "82",
        "0",
        re.compile(r"10\d{8}|2\d{7,8}|[3-6]\d\d{7,8}|70\d{8}|50\d{8,9}|80\d{7,8}"),
        re.compile(r"1[568]\d{6}"),
    ),
    "jp": Plan("81", "0", re.compile(r"[1-9]\d{8}|[2-9]0\d{8}"), _NONE),
    "tw": Plan("886", "0", re.compile(r"9\d{8}|[2-8]\d{7,8}|800\d{6}"), _NONE),
    "th": Plan("66", "0", re.compile(r"[689]\d{8}|[2-7]\d{7}"), re.compile(r"1\d{3}|1800\d{6}")),
    "ae": Plan("971", "0", re.compile(r"5\d{8}|[2-4679]\d{7}"), re.compile(r"800\d{2,9}|600\d{6}")),
}
_SHAPE = re.compile(
    r"(?:(?:(?:phone|tel|mobile|hp|m|t)[.:]|tel|phone|mobile|โทร\.?|電話:?|전화:?|هاتف:?)\s*)?(\+|00)?\s*([\d\s().\-/ー]+)",
    re.IGNORECASE,
)
_OTHER = {plan.code: plan for plan in PLANS.values()}


def read_phone(value: object, country: str) -> str | None:
    """E.164 (`+6591234567`). `country` (sg, kr, jp, tw, th, ae) is meant where no country code is written.

    An int is a number whose leading zero a spreadsheet has eaten.
    """
    plan = _plan(country)
    if type(value) is int:
        digits = str(value)
        return f"+{plan.code}{digits}" if _national(plan, digits) else None
    text = field(value)
    match = _SHAPE.fullmatch(text) if text else None
    if match is None or not match[2][-1].isdigit():
        return None
    abroad = match[1] or ""
    digits = "".join(c for c in match[2].replace("(0)", "" if abroad else "0") if c.isdigit())
    if abroad:
        return _international(digits)
    if plan.bare.fullmatch(digits):
        return f"+{plan.code}{digits}"
    if plan.trunk and digits[:1] == plan.trunk:
        return f"+{plan.code}{digits[1:]}" if plan.dialled.fullmatch(digits[1:]) else None
    rest = digits.removeprefix(plan.code)
    return f"+{digits}" if rest != digits and _national(plan, rest) else None


def same_phone(given: object, expected: str, country: str) -> bool:
    """Whether the field holds exactly this number (`expected` in any readable form)."""
    wanted = read_phone(expected, country)
    if wanted is None:
        raise ValueError(f"expected number {expected!r} cannot be read as one of {country}")
    return read_phone(given, country) == wanted


def _plan(country: str) -> Plan:
    if country not in PLANS:
        raise ValueError(
            f"no numbering plan for market {country!r} in {__name__}.PLANS; there are: {', '.join(PLANS)}"
        )
    return PLANS[country]


def _national(plan: Plan, digits: str) -> bool:
    return bool(plan.dialled.fullmatch(digits) or plan.bare.fullmatch(digits))


def _international(digits: str) -> str | None:
    for code, plan in _OTHER.items():
        rest = digits.removeprefix(code)
        if rest != digits:
            return f"+{digits}" if _national(plan, rest) else None
    return f"+{digits}" if 7 <= len(digits) <= 15 and digits[0] != "0" else None
