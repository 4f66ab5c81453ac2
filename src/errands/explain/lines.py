"""Ledger rows in words that a person reads."""

from __future__ import annotations

import json
from typing import Any

from errands.core import clock
from errands.grading.evidence import Change, Entry


def clip(text: str, width: int = 110) -> str:
    """One line of at most `width` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def when(entry: Entry, zone: str) -> str:
    """Local time of day in the world, with the date where it is not the first."""
    return f"{clock.from_ms(entry.at, zone):%d %b %H:%M:%S}".lstrip("0")


def value(name: str, raw: Any, zone: str) -> str:
    """A column's value; instants as local time."""
    if isinstance(raw, int) and raw > 10**12:
        return clock.iso(raw, zone)
    if raw is None:
        return "nothing"
    return clip(str(raw), 60)


def arguments(args: Any) -> str:
    """Arguments of a call, short."""
    if not isinstance(args, dict):
        return clip(str(args), 60)
    return ", ".join(f"{k}={clip(json.dumps(v, ensure_ascii=False), 44)}" for k, v in args.items())


def line(e: Entry, zone: str) -> str:
    """What a ledger row says, in a line."""
    b = e.body
    if e.kind == "call":
        outcome = f" → refused: {b['error']['message']}" if "error" in b else ""
        return clip(f"{e.name}({arguments(b.get('args'))}){outcome}", 150)
    if e.kind == "commit":
        return clip(f"{e.name}: {b['text']}", 150)
    if e.kind == "approval":
        what = {"yes": "yes to", "no": "no to", "revoke": "takes back the yes to"}[e.name]
        return clip(f"user: {what} {b.get('text', e.ref)} (asked by {b['channel']})", 150)
    if e.kind == "turn":
        return clip(f"{e.actor if e.actor != 'exam' else e.name}: “{b['text']}”", 150)
    if e.kind == "end":
        return f"end: {e.name}" + (f" ({clip(b['detail'], 90)})" if b.get("detail") else "")
    if e.kind == "event":
        return clip(f"event {e.name} {arguments(b)}", 150)
    if e.kind == "effect":
        return effect(e, zone)
    return clip(f"{e.kind} {e.name} {e.ref}", 150)


def effect(e: Entry, zone: str) -> str:
    """A row change in words: what differs, before and after."""
    before, after = e.body["before"], e.body["after"]
    if before is None:
        return clip(f"new {e.name} {e.ref}: {_brief(after, zone)}", 150)
    if after is None:
        return clip(f"removed {e.name} {e.ref}: {_brief(before, zone)}", 150)
    return clip(f"{e.name} {e.ref}: {_differences(before, after, zone)}", 150)


def change(c: Change, zone: str) -> str:
    """A net change in words."""
    if c.before is None:
        return clip(f"new: {_brief(c.after or {}, zone)}", 150)
    if c.after is None:
        return clip(f"removed: {_brief(c.before, zone)}", 150)
    return _differences(c.before, c.after, zone)


def _differences(before: dict[str, Any], after: dict[str, Any], zone: str) -> str:
    return "; ".join(f"{k} {value(k, before.get(k), zone)} → {value(k, v, zone)}" for k, v in after.items() if before.get(k) != v)


def _brief(row: dict[str, Any], zone: str) -> str:
    shown = [f"{k} {value(k, v, zone)}" for k, v in row.items() if v not in ("", None, 0, "[]") and k != "id"]
    return ", ".join(shown[:6])
