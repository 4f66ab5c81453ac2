"""Where a value stands in a tool's result, as a path such as `messages[subject="Rates"].id`; JSON in clients' texts.

A path is a chain of names and numbers, with dots between them. `[name="text", …]` picks the one element of a list
whose fields equal these JSON values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

#: Fields by which a person would tell the elements of a list apart, most telling first.
TELLING = (
    "title", "subject", "name", "from", "to", "email", "recipient", "kind", "folder", "path", "start", "at",
    "end", "calendar",
)  # fmt: skip
_LONGEST = 120  # characters of a value that may tell elements apart
_NAME = re.compile(r"\w+")
_DECODE = json.JSONDecoder().raw_decode


class Astray(LookupError):
    """A path leads nowhere in this value."""


# ---- writing paths -------------------------------------------------------------------------------------------


def path_to(value: Any, wanted: str, plain: Callable[[str], bool]) -> str | None:
    """The path to the first string that equals `wanted`, or None. `plain`: which texts a path may hold."""
    if value == wanted:
        return ""
    if isinstance(value, dict):
        for key, below in value.items():
            if _NAME.fullmatch(key) and (rest := path_to(below, wanted, plain)) is not None:
                return _joined(key, rest)
    elif isinstance(value, list):
        for n, below in enumerate(value):
            if (rest := path_to(below, wanted, plain)) is not None:
                return _joined(_picks(value, n, plain) or str(n), rest)
    return None


def _joined(head: str, rest: str) -> str:
    return head + rest if not rest or rest.startswith("[") else f"{head}.{rest}"


def _picks(elements: list[Any], n: int, plain: Callable[[str], bool]) -> str:
    """The filter that only the n-th element passes, with as few fields as can be; "" where there is none."""
    chosen = elements[n]
    if not isinstance(chosen, dict):
        return ""
    usable = [k for k in TELLING if _tells(chosen.get(k), plain)]
    for size in range(1, len(usable) + 1):
        for keys in combinations(usable, size):
            same = [e for e in elements if isinstance(e, dict) and all(e.get(k) == chosen[k] for k in keys)]
            if len(same) == 1:
                said = ", ".join(f"{k}={json.dumps(chosen[k], ensure_ascii=False)}" for k in keys)
                return f"[{said}]"
    return ""


def _tells(value: Any, plain: Callable[[str], bool]) -> bool:
    texts = value if isinstance(value, list) else [value]
    return bool(texts) and all(isinstance(t, str) and 0 < len(t) <= _LONGEST and plain(t) for t in texts)


# ---- following paths -----------------------------------------------------------------------------------------


def read_path(text: str, at: int = 0) -> tuple[list[str | dict[str, Any]], int]:
    """The segments of the path that begins at `at`, and where it ends; a dict is a filter."""
    segments: list[str | dict[str, Any]] = []
    while True:
        if text[at : at + 1] == "[":
            wanted: dict[str, Any] = {}
            at += 1
            while True:
                name = _NAME.match(text, at)
                if name is None or text[name.end() : name.end() + 1] != "=":
                    raise ValueError(f"no field at {at} of path {text!r}")
                wanted[name[0]], at = _DECODE(text, name.end() + 1)
                if text[at : at + 2] == ", ":
                    at += 2
                    continue
                break
            if text[at : at + 1] != "]":
                raise ValueError(f"no ] at {at} of path {text!r}")
            at += 1
            segments.append(wanted)
        elif (name := _NAME.match(text, at)) is not None:
            segments.append(name[0])
            at = name.end()
        if text[at : at + 1] == "[":
            continue
        if text[at : at + 1] != ".":
            return segments, at
        at += 1


def follow(value: Any, segments: Sequence[str | dict[str, Any]]) -> Any:
    """What stands at a path; `Astray` where it leads nowhere."""
    for segment in segments:
        if isinstance(segment, dict):
            found = [
                e
                for e in (value if isinstance(value, list) else [])
                if isinstance(e, dict) and all(e.get(k) == v for k, v in segment.items())
            ]
            if len(found) != 1:
                raise Astray(f"{len(found)} elements fit {segment}")
            value = found[0]
        elif isinstance(value, dict) and segment in value:
            value = value[segment]
        elif isinstance(value, list) and segment.isdigit() and int(segment) < len(value):
            value = value[int(segment)]
        else:
            raise Astray(f"there is no {segment!r}")
    return value


# ---- results as clients write them ---------------------------------------------------------------------------


def readings(text: str) -> Iterator[Any]:
    """The JSON values that a client's text may mean, most literal first.

    Clients put lines before the JSON, or the JSON into `{"result": …}`, into content parts, or into a string.
    """
    for value in _values(text):
        yield from _unwrapped(value, 6)


def _values(text: str) -> Iterator[Any]:
    try:
        yield json.loads(text)
        return
    except ValueError:
        pass
    first = None
    for start in re.finditer(r"[\[{]", text):
        try:
            value, end = _DECODE(text, start.start())
        except ValueError:
            continue
        if not text[end:].strip():
            yield value
            return
        first = value if first is None else first
    if first is not None:
        yield first


def _unwrapped(value: Any, depth: int) -> Iterator[Any]:
    if not isinstance(value, str):
        yield value
    if depth == 0:
        return
    if isinstance(value, str):
        for found in _values(value):
            yield from _unwrapped(found, depth - 1)
    elif isinstance(value, dict):
        for key in ("structuredContent", "structured_content", "result", "content", "output", "text"):
            if key in value:
                yield from _unwrapped(value[key], depth - 1)
    elif isinstance(value, list) and value and all(isinstance(p, dict) and "text" in p for p in value):
        yield from _unwrapped("".join(str(p["text"]) for p in value), depth - 1)
