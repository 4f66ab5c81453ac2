"""How currencies are written: sign or word to the ISO codes it may mean; of several, context decides."""

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
    "新臺幣": ("TWD",), "新台幣": ("TWD",), "臺幣": ("TWD",), "台幣": ("TWD",),
    "塊": ("TWD",), "塊錢": ("TWD",),
    "元": ("TWD", "CNY", "SGD", "HKD"), "圓": ("TWD", "JPY"),
    "HK$": ("HKD",), "A$": ("AUD",), "AU$": ("AUD",), "C$": ("CAD",), "CA$": ("CAD",),
    "NZ$": ("NZD",), "B$": ("BND",),
    "¥": ("JPY", "CNY"), "円": ("JPY",), "日圓": ("JPY",), "日元": ("JPY",), "엔": ("JPY",), "yen": ("JPY",),
    "RMB": ("CNY",), "yuan": ("CNY",), "人民币": ("CNY",), "人民幣": ("CNY",),
    "₩": ("KRW",), "원": ("KRW",), "won": ("KRW",), "ウォン": ("KRW",), "韓元": ("KRW",),
    "฿": ("THB",), "บาท": ("THB",), "baht": ("THB",), "泰銖": ("THB",), "バーツ": ("THB",),
    "Dh": ("AED",), "Dhs": ("AED",), "\u20c3": ("AED",), "د.إ": ("AED",), "د.إ.": ("AED",), "د.ا": ("AED",),
    "درهم": ("AED",), "درهما": ("AED",), "دراهم": ("AED",),
    "درهم إماراتي": ("AED",), "dirham": ("AED",), "dirhams": ("AED",),
    "KD": ("KWD",), "د.ك": ("KWD",), "€": ("EUR",), "euro": ("EUR",), "euros": ("EUR",), "£": ("GBP",),
    "دولار": ("USD",), "دولار أمريكي": ("USD",), "دولارا": ("USD",), "ดอลลาร์": ("USD",), "ดอลลาร์สหรัฐ": ("USD",),
    "ريال سعودي": ("SAR",), "ريالا سعوديا": ("SAR",), "جنيه إسترليني": ("GBP",), "يورو": ("EUR",),
    "유로": ("EUR",), "파운드": ("GBP",), "ユーロ": ("EUR",), "ポンド": ("GBP",), "歐元": ("EUR",), "英鎊": ("GBP",),
    "ยูโร": ("EUR",), "ปอนด์": ("GBP",), "เยน": ("JPY",), "หยวน": ("CNY",),
    "RM": ("MYR",), "ringgit": ("MYR",), "Rp": ("IDR",), "₹": ("INR",), "₫": ("VND",), "₱": ("PHP",),
}  # fmt: skip
#: Words that stand after a number only: `사원 3명` (three employees) holds no 원, `won 3 games` no won.
_AFTER_ONLY = {
    *(
        "원",
        "円",
        "元",
        "圓",
        "塊",
        "塊錢",
        "엔",
        "달러",
        "ドル",
        "ウォン",
        "バーツ",
        "บาท",
        "baht",
        "won",
        "yen",
        "yuan",
        *(
            "دولار",
            "دولار أمريكي",
            "دولارا",
            "ดอลลาร์",
            "ดอลลาร์สหรัฐ",
            "ريال سعودي",
            "ريالا سعوديا",
            "جنيه إسترليني",
        ),
        *("يورو", "유로", "파운드", "ユーロ", "ポンド", "歐元", "英鎊", "ยูโร", "ปอนด์", "เยน", "หยวน"),
    ),
    *("dollar", "dollars", "bucks", "euro", "euros"),
}
_BY_NAME = {mark.casefold(): codes for mark, codes in _WRITTEN.items()}


def _pattern(mark: str) -> str:
    """Words in any case; codes and signs as they are, because `Rm 402` is a room and not ringgit."""
    literal = re.escape(mark)
    return f"(?i:{literal})" if len(mark) > 3 and mark.isascii() and mark.isalpha() else literal


#: Currency marks, longest first: any, and those that may stand before a number.
MARK = "|".join(_pattern(mark) for mark in sorted(_WRITTEN, key=lambda m: (-len(m), m)))
MARK_BEFORE = "|".join(
    _pattern(mark) for mark in sorted(_WRITTEN.keys() - _AFTER_ONLY, key=lambda m: (-len(m), m))
)


def codes(*marks: str | None) -> tuple[str, ...] | None:
    """The codes that all the given marks may mean; None when no mark was given."""
    given = [_BY_NAME.get(mark.casefold(), ()) for mark in marks if mark]
    if not given:
        return None
    return tuple(code for code in given[0] if all(code in other for other in given[1:]))


def settle(candidates: Iterable[str] | None, expected: str | None) -> str | None:
    """The one code meant: the only candidate, or the expected one among several or where none stands."""
    if candidates is None:
        return expected
    names = tuple(candidates)
    return names[0] if len(names) == 1 else expected if expected in names else None
