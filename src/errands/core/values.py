"""What may cross the door: plain JSON values, checked and copied before anything else sees them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import Any
from unicodedata import is_normalized, normalize

from .errors import ToolError

MAX_TEXT = 200_000
MAX_DEPTH = 16
MAX_ITEMS = 5_000
MAX_TOTAL = 400_000
_INT_MIN, _INT_MAX = -(2**63), 2**63 - 1


def plain(value: Any, field: str = "arguments", depth: int = 0, left: list[int] | None = None) -> Any:
    """A fresh NFC copy of a JSON value; anything else raises `ToolError` that names the field.

    Refused: types that are not JSON's, lone surrogates, NUL, NaN and infinities, integers beyond 64 bits,
    texts beyond 200,000 characters, nesting beyond 16, more than 5,000 items in one list or object, more than
    400,000 characters and items in all (`left` counts them down), two keys that are one in NFC.
    """
    kind = type(value)
    if left is None:
        left = [MAX_TOTAL]
    left[0] -= 1 + len(value) if kind is str else 1
    if left[0] < 0 and (kind is not str or len(value) <= MAX_TEXT):
        raise ToolError(
            "invalid",
            "the arguments are too large together",
            field=field[:200],
            expected=f"at most {MAX_TOTAL} characters and items in all",
        )
    if kind is str:
        if len(value) > MAX_TEXT:
            raise ToolError(
                "invalid",
                f"text of {len(value)} characters is too long",
                field=field,
                expected=f"at most {MAX_TEXT} characters",
            )
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise ToolError(
                    "invalid",
                    "text is not valid Unicode (lone surrogate)",
                    field=field,
                    expected="valid UTF-8 text",
                ) from None
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
            raise ToolError(
                "invalid", f"{value} is not a number JSON knows", field=field, expected="a finite number"
            )
        return value
    if depth >= MAX_DEPTH:
        raise ToolError(
            "invalid", "value is nested too deeply", field=field, expected=f"depth {MAX_DEPTH} at most"
        )
    if kind is list or kind is tuple:
        _count(len(value), field)
        return [
            plain(v, f"{field}[{i}]" if depth else f"[{i}]", depth + 1, left)
            for i, v in enumerate(tuple(value))
        ]
    if kind is dict:
        _count(len(value), field)
        out = {}
        for k, v in value.copy().items():  # in one step: a thread of the agent may go on changing it
            if type(k) is not str:
                raise ToolError(
                    "invalid", f"object key of type {_type_name(k)}", field=field, expected="text keys"
                )
            key = plain(k, f"{field} (a key)", depth + 1, left)
            where = key[:200] if depth == 0 else f"{field}.{key}"[:200]
            if key in out:
                raise ToolError(
                    "invalid", "two keys are the same text", field=where, expected="each key once"
                )
            out[key] = plain(v, where, depth + 1, left)
        return out
    raise ToolError(
        "invalid",
        f"a {_type_name(value)} is not a JSON value",
        field=field,
        expected="text, number, true/false, null, list or object",
    )


def _count(n: int, field: str) -> None:
    if n > MAX_ITEMS:
        raise ToolError("invalid", f"{n} items are too many", field=field, expected=f"at most {MAX_ITEMS}")


def printable(value: Any, limit: int = 2_000) -> str:
    """A bounded, valid-UTF-8 picture of any value, for the record of a refused call.

    Nothing of the value's own code runs, and no memory address shows: the record is the same in every run.
    """
    text = ""
    for piece in _pieces(value, limit, 0):
        text += piece
        if len(text) >= limit:
            break
    return text[:limit].encode("utf-8", "backslashreplace").decode()


def _pieces(value: Any, limit: int, depth: int) -> Iterator[str]:
    kind = type(value)
    if kind is str or kind is bytes:
        yield repr(value[:limit])
    elif value is None or kind is bool or kind is float or (kind is int and value.bit_length() <= 512):
        yield repr(value)
    elif (kind is not list and kind is not tuple and kind is not dict) or depth > MAX_DEPTH:
        yield f"<{_type_name(value)}>"
    else:
        yield "{" if kind is dict else "["
        for n, item in enumerate(islice(value.copy().items() if kind is dict else tuple(value), limit)):
            yield ", " if n else ""
            if kind is dict:
                yield from _pieces(item[0], limit, depth + 1)
                yield ": "
            yield from _pieces(item[1] if kind is dict else item, limit, depth + 1)
        yield "}" if kind is dict else "]"


def _type_name(value: Any) -> str:
    return type.__dict__["__name__"].__get__(type(value))  # type: ignore[no-any-return]  # a metaclass may lie
