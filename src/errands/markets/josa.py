"""Korean particles, which follow from how the word before them ends."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

_HANGUL = range(0xAC00, 0xD7A4)
_RIEUL = 8  # ㄹ as a final consonant, in the order of Unicode syllables
# How a reading ends: True in a consonant, None in ㄹ, False in a vowel. 영 일 이 삼 사 오 육 칠 팔 구.
_DIGITS: Mapping[str, bool | None] = {
    "0": True, "1": None, "2": False, "3": True, "4": False,
    "5": False, "6": True, "7": None, "8": None, "9": False,
}  # fmt: skip
_UNITS: Mapping[str, bool | None] = {"%": False, "℃": False, "°": False, "㎏": True, "㎞": True, "㎡": True}
_LETTERS: Mapping[str, bool | None] = {"l": None, "r": None, "m": True, "n": True}  # others: vowel
_REVERSED = {"가/이", "는/은", "를/을", "와/과", "로/으로", "나/이나", "라/이라", "야/아"}


def josa(value: str, pair: str) -> str:
    """`value` with the particle that fits: "민수" and "이/가" give "민수가", "서울" and "으로/로" "서울로".

    `pair` is "after a consonant/after a vowel"; pairs that begin with 으로 take the second after ㄹ too.
    Digits, capitals and Latin words count by their Korean reading (words by a rule of thumb from their
    spelling); a closing quote or bracketed remark is passed over. Where the reading is unknown both are
    written, as Koreans do: "林이(가)". ValueError for a pair that is none or is the wrong way round.
    """
    closed, opened = particles(pair)
    ending = _ending(unicodedata.normalize("NFC", value))
    if ending == "unknown":
        extra = closed.removesuffix(opened)
        return value + (f"({extra}){opened}" if extra != closed else f"{closed}({opened})")
    if ending == "ㄹ":
        return value + (opened if closed.startswith("으로") else closed)
    return value + (closed if ending == "consonant" else opened)


def particles(pair: str) -> tuple[str, str]:
    """The form after a consonant and the one after a vowel. ValueError as above."""
    closed, slash, opened = pair.partition("/")
    if not slash or not closed or not opened or "/" in opened:
        raise ValueError(f"{pair!r} is no pair of particles such as 이/가")
    if pair in _REVERSED:
        raise ValueError(f"{pair!r} is the wrong way round: the form after a consonant comes first")
    return closed, opened


def _ending(value: str) -> str:
    """How the reading of `value` ends: "consonant", "ㄹ", "vowel" or "unknown"."""
    text = re.sub(r"(?<=\S)\s*\([^()]*\)\s*$", "", value)  # a remark in brackets is not read
    text = text.rstrip(" \t\n'\"’”」』》〉)]}.,!?…~")
    last = text[-1:]
    if last and ord(last) in _HANGUL:
        final = (ord(last) - _HANGUL.start) % 28
        return _name(None if final == _RIEUL else final != 0)
    if last in _UNITS:
        return _name(_UNITS[last])
    if number := re.search(r"[0-9][0-9,]*(\.[0-9]+)?$", text):
        return _name(_number_end(number.group(), decimal=number.group(1) is not None))
    bare = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    if word := re.search(r"[A-Za-z]+$", bare):
        return _name(_latin_end(word.group()))
    return "unknown"


def _name(closed: bool | None) -> str:
    return "ㄹ" if closed is None else "consonant" if closed else "vowel"


def _number_end(number: str, *, decimal: bool) -> bool | None:
    """Of a number: its last digit, or its place where it ends in zeros (십 백 천 만 억 close, 조 not)."""
    digits = number.replace(",", "")
    zeros = len(digits) - len(digits.rstrip("0"))
    if decimal or digits.startswith("0") or not zeros:  # decimals and codes are read digit by digit
        return _DIGITS[digits[-1]]
    return not 12 <= zeros < 16


def _latin_end(word: str) -> bool | None:
    """Of Latin letters: capitals one by one, other words by the usual Korean spelling of such endings."""
    low = word.lower()
    if word.isupper():
        return _LETTERS.get(low[-1], False)
    if re.search(r"ng$|[mn]e?$", low):
        return True
    if re.search(r"le?$", low):
        return None
    # A stop after one short vowel becomes a final consonant (Jack 잭, Philip 필립); elsewhere it gets a
    # vowel of its own (Mark 마크, Kate 케이트). The double o of Book 북 counts as short.
    return bool(re.search(r"(^|[^aeiou])[aeiou](ck|[ckpb]|pp|tt?)$|ook$", low))
