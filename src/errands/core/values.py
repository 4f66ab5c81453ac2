"""What may cross the door: plain JSON values, checked and copied before anything else sees them."""

from __future__ import annotations

import math
from typing import Any
from unicodedata import is_normalized, normalize

from .errors import ToolError

MAX_TEXT = 200_000
MAX_DEPTH = 16
MAX_ITEMS = 5_000
_INT_MIN, _INT_MAX = -(2**63), 2**63 - 1


def plain(value: Any, field: str = "arguments", depth: int = 0) -> Any:
    """A fresh NFC copy of a JSON value; anything else raises `ToolError` that names the field.

    Refused: types that are not JSON's, lone surrogates, NUL, NaN and infinities, integers beyond 64 bits,
    texts beyond 200,000 characters, nesting beyond 16, more than 5,000 items in one list or object.
    """
    kind = type(value)
    if kind is str:
        if len(value) > MAX_TEXT:
            raise ToolError("invalid", f"text of {len(value)} characters is too long", field=field,
                            expected=f"at most {MAX_TEXT} characters")
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise ToolError("invalid", "text is not valid Unicode (lone surrogate)", field=field,
                                expected="valid UTF-8 text") from None
            if not is_normalized("NFC", value):
                value = normalize("NFC", value)
        if "\x00" in value:
            raise ToolError("invalid", "text holds a NUL character", field=field, expected="text without NUL")
        return value
    if value is None or kind is bool:
        return value
    if kind is int:
        if not _INT_MIN <= value <= _INT_MAX:
            raise ToolError("invalid", "integer is out of range", field=field, expected="a 64-bit integer")
        return value
    if kind is float:
        if not math.isfinite(value):
            raise ToolError("invalid", f"{value} is not a number JSON knows", field=field,
                            expected="a finite number")
        return value
    if depth >= MAX_DEPTH:
        raise ToolError("invalid", "value is nested too deeply", field=field, expected=f"depth {MAX_DEPTH} at most")
    if kind is list or kind is tuple:
        _count(len(value), field)
        return [plain(v, f"{field}[{i}]" if depth else f"[{i}]", depth + 1) for i, v in enumerate(value)]
    if kind is dict:
        _count(len(value), field)
        out = {}
        for k, v in value.items():
            if type(k) is not str:
                raise ToolError("invalid", f"object key of type {type(k).__name__}", field=field,
                                expected="text keys")
            key = plain(k, f"{field} (a key)", depth + 1)
            out[key] = plain(v, key if depth == 0 else f"{field}.{key}", depth + 1)
        return out
    raise ToolError("invalid", f"a {kind.__name__} is not a JSON value", field=field,
                    expected="text, number, true/false, null, list or object")


def _count(n: int, field: str) -> None:
    if n > MAX_ITEMS:
        raise ToolError("invalid", f"{n} items are too many", field=field, expected=f"at most {MAX_ITEMS}")


def printable(value: Any, limit: int = 2_000) -> str:
    """A bounded, valid-UTF-8 picture of any value, for the record of a refused call."""
    try:
        text = repr(value)
    except BaseException as why:  # a hostile __repr__ must neither break the record nor end the exam
        text = f"<{type(value).__name__} whose repr raises {type(why).__name__}>"
    return text[:limit].encode("utf-8", "backslashreplace").decode()
