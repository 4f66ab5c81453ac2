"""What the trace of a page explains: whether a control stands where a person's pointer and keys have put it.

A page posts, with each step, what happened to its controls. It is evidence, not proof: whoever re-implements the
script can write any trace. What it does catch is a value that was put into the page without any gesture.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .fields import Counter, Slider

MOST = 2_000  # events of one page; older ones are dropped by the page itself
_KEYS = frozenset(
    {"ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown", "Enter", " "}
)


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


def unexplained(field: Slider | Counter, value: str, trace: list[Event]) -> str:
    """Why a value is not what a person's gestures made it; "" if it is."""
    stands = _slid(field, trace) if isinstance(field, Slider) else _counted(field, trace)
    return "" if str(stands) == value else f"{field.name} is {value}, and the gestures seen make it {stands}"


def _slid(field: Slider, trace: list[Event]) -> int:
    """Where a slider stands: at the last value that a drag or a key gave it."""
    at, held = field.begins, False
    for e in trace:
        if e.control != field.name or not e.trusted:
            continue
        if e.kind in ("pointerdown", "touchstart") or (e.kind == "keydown" and e.value in _KEYS):
            held = True
        elif e.kind == "input" and held and e.value.lstrip("-").isdigit():
            at = int(e.value)
    return at


def _counted(field: Counter, trace: list[Event]) -> int:
    """Where a counter stands: each click on + or - moves it by a step, within its bounds."""
    at = field.begins
    for e in trace:
        if e.trusted and e.kind == "click" and e.control in (f"{field.name}+", f"{field.name}-"):
            by = field.step if e.control.endswith("+") else -field.step
            at = min(field.most, max(field.least, at + by))
    return at


def opened(control: str, trace: list[Event]) -> bool:
    """Whether a person has opened something: a click, a tap or a key on its opener."""
    return any(
        e.trusted
        and e.control == control
        and (e.kind in ("click", "pointerdown") or (e.kind == "keydown" and e.value in _KEYS))
        for e in trace
    )
