"""What the trace of a page explains: whether a control stands where a person's pointer and keys have put it.

A page posts, with each step, what happened to its controls. It is evidence, not proof: whoever re-implements the
script can write any trace. What it does catch is a value that was put into the page without any gesture.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .fields import Counter, Slider, whole

MOST = 2_000  # events of one page; older ones are dropped by the page itself


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a control: `kind` is the DOM's name of it, `value` the control's value then (or the
    key). `trusted`: the browser made it, not a script."""

    kind: str
    control: str
    value: str
    trusted: bool


def read_trace(raw: str) -> list[list[str | bool]]:
    """The rows of a posted trace (kind, control, value, trusted); what is no trace has none."""
    try:
        rows = json.loads(raw)
    except (ValueError, RecursionError):
        return []
    if not isinstance(rows, list):
        return []
    return [
        [row[0][:20], row[1][:80], row[2][:80], row[3] == 1]
        for row in rows[-MOST:]
        if isinstance(row, list) and len(row) == 4 and all(isinstance(x, str) for x in row[:3])
    ]


def events(rows: Sequence[Sequence[Any]]) -> list[Event]:
    """What a recorded trace tells."""
    return [
        Event(str(kind), str(control), str(value), trusted is True) for kind, control, value, trusted in rows
    ]


def unexplained(field: Slider | Counter, begins: int, value: str, trace: list[Event]) -> str:
    """Why a value is not what a person's gestures made of the one that the page began with; "" if it is."""
    stands = _slid(field, begins, trace) if isinstance(field, Slider) else _counted(field, begins, trace)
    return "" if str(stands) == value else f"{field.name} is {value}, and the gestures seen make it {stands}"


def _slid(field: Slider, begins: int, trace: list[Event]) -> int | None:
    """Where a slider stands. While the pointer holds it, it goes anywhere; a key moves it as far as that key does."""
    at: int | None = begins
    held, key = False, ""
    for e in trace:
        if e.control != field.name or not e.trusted:
            continue
        if e.kind in ("pointerdown", "touchstart"):
            held, key = True, ""
        elif e.kind in ("pointerup", "touchend", "change"):
            held = False
        elif e.kind == "keydown":
            held, key = False, e.value
        elif e.kind == "input":
            to = whole(e.value)
            by_key = at is not None and to in _reached(field, at, key)
            at = to if held or by_key else None
    return at


def _reached(field: Slider, at: int, key: str) -> set[int]:
    """Where a key may take a slider. How far a page goes is the browser's: a tenth of the way, rounded to a step."""
    if key in ("Home", "End"):
        return {field.least if key == "Home" else field.most}
    sign = {"ArrowRight": 1, "ArrowUp": 1, "PageUp": 1, "ArrowLeft": -1, "ArrowDown": -1, "PageDown": -1}.get(
        key, 0
    )
    tenth = round((field.most - field.least) / 10 / field.step) * field.step
    far = (field.step,) if key.startswith("Arrow") else (tenth - field.step, tenth, tenth + field.step)
    return {min(field.most, max(field.least, at + sign * max(field.step, by))) for by in far}


def _counted(field: Counter, begins: int, trace: list[Event]) -> int:
    """Where a counter stands: each click on + or - moves it by a step, within its bounds."""
    at = begins
    for e in trace:
        if e.trusted and e.kind == "click" and e.control in (f"{field.name}+", f"{field.name}-"):
            by = field.step if e.control.endswith("+") else -field.step
            at = min(field.most, max(field.least, at + by))
    return at


def opened(control: str, trace: list[Event]) -> bool:
    """Whether a person has opened something: a click, a tap, Enter or the space bar on its opener."""
    return any(
        e.trusted
        and e.control == control
        and (e.kind == "click" or (e.kind == "keydown" and e.value in ("Enter", " ")))
        for e in trace
    )
