"""How currencies are written: sign or word to the ISO codes it may mean. More than one means that context decides."""

from __future__ import annotations

import re
from collections.abc import Iterable

from errands.core.money import MINOR

_DOLLARS = ("SGD", "USD", "TWD", "HKD", "AUD", "CAD", "NZD", "BND", "MXN")
_WRITTEN: dict[str, tuple[str, ...]] = {
    **{code: (code,) for code in MINOR},
    "$": _DOLLARS, "dollar": _DOLLARS, "dollars": _DOLLARS, "bucks": _DOLLARS,
    "S$": ("SGD",), "SG$": ("SGD",), "SGD$": ("SGD",), "新币": ("SGD",), "新元": ("SGD",), "坡币": ("SGD",),
    "US$": ("USD",), "USD$": ("USD",), "美元": ("USD",), "美金": ("USD",), "달러": ("USD",), "ドル": ("USD",),
    "NT$": ("TWD",), "NTD": ("TWD",), "NTD$": ("TWD",), "NT": ("TWD",),
    "新臺幣": ("TWD",), "新台幣": ("TWD",), "臺幣": ("TWD",), "台幣": ("TWD",), "塊": ("TWD",), "塊錢": ("TWD",),
    "元": ("TWD", "CNY", "SGD", "HKD"), "圓": ("TWD", "JPY"),
    "HK$": ("HKD",), "A$": ("AUD",), "AU$": ("AUD",), "C$": ("CAD",), "CA$": ("CAD",), "NZ$": ("NZD",), "B$": ("BND",),
    "¥": ("JPY", "CNY"), "円": ("JPY",), "日圓": ("JPY",), "日元": ("JPY",), "엔": ("JPY",), "yen": ("JPY",),
    "RMB": ("CNY",), "yuan": ("CNY",), "人民币": ("CNY",), "人民幣": ("CNY",),
    "₩": ("KRW",), "원": ("KRW",), "won": ("KRW",), "ウォン": ("KRW",), "韓元": ("KRW",),
    "฿": ("THB",), "บาท": ("THB",), "baht": ("THB",), "泰銖": ("THB",), "バーツ": ("THB",),
    "Dh": ("AED",), "Dhs": ("AED",), "\u20c3": ("AED",), "د.إ": ("AED",), "د.إ.": ("AED",), "د.ا": ("AED",),
    "درهم": ("AED",), "درهما": ("AED",), "دراهم": ("AED",), "درهم إماراتي": ("AED",), "dirham": ("AED",), "dirhams": ("AED",),
    "KD": ("KWD",), "د.ك": ("KWD",), "€": ("EUR",), "euro": ("EUR",), "euros": ("EUR",), "£": ("GBP",),
    "RM": ("MYR",), "ringgit": ("MYR",), "Rp": ("IDR",), "₹": ("INR",), "₫": ("VND",), "₱": ("PHP",),
}  # fmt: skip
_BY_NAME = {mark.casefold(): codes for mark, codes in _WRITTEN.items()}



def _pattern(mark: str) -> str:
    """Words in any case; codes and signs as they are, because `Rm 402` is a room and not ringgit."""
    literal = re.escape(mark)
    return f"(?i:{literal})" if len(mark) > 3 and mark.isascii() and mark.isalpha() else literal


#: A currency mark, longest first.
MARK = "|".join(_pattern(mark) for mark in sorted(_WRITTEN, key=len, reverse=True))


def codes(*marks: str | None) -> tuple[str, ...] | None:
    """The codes that all the given marks may mean; None when no mark was given."""
    given = [_BY_NAME.get(mark.casefold(), ()) for mark in marks if mark]
    if not given:
        return None
    return tuple(code for code in given[0] if all(code in other for other in given[1:]))


def settle(candidates: Iterable[str] | None, expected: str | None) -> str | None:
    """The one code meant: the only candidate, or the expected one among several or where no mark was written."""
    if candidates is None:
        return expected
    names = tuple(candidates)
    return names[0] if len(names) == 1 else expected if expected in names else None
