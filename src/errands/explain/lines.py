"""Ledger rows in words that a person reads."""

from __future__ import annotations

import json
from typing import Any

from errands.core import clock
from errands.grading.evidence import Change, Entry

from .names import ACTS, INNER, LISTS, label, noun, place

_NAMES = ("title", "subject", "path", "recipient", "email", "name")


def clip(text: str, width: int = 110) -> str:
    """One line of at most `width` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def when(entry: Entry, zone: str) -> str:
    """Local time of a row in the world: `Tue 3 Nov 08:50:26`."""
    at = clock.from_ms(entry.at, zone)
    return f"{at:%a} {at.day} {at:%b %H:%M:%S}"


def moment(ms: int, zone: str) -> str:
    """An instant as local time: `Fri 6 Nov 2026, 16:00`, with seconds where there are any."""
    at = clock.from_ms(ms, zone)
    return f"{at:%a} {at.day} {at:%b %Y, %H:%M}" + (f":{at:%S}" if at.second else "")


def value(name: str, raw: Any, zone: str, width: int = 60) -> str:
    """A column's value: instants as local time, lists as their items."""
    if raw is None or raw == "":
        return "nothing"
    if isinstance(raw, int) and raw > 10**12:
        return moment(raw, zone)
    if name in LISTS:
        try:
            items = json.loads(raw)
            return clip(", ".join(map(str, items)), width) or "nothing"
        except (TypeError, ValueError):
            pass
    return clip(raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False), width)


def arguments(args: Any) -> str:
    """Arguments of a call, short ones first."""
    if not isinstance(args, dict):
        return clip(str(args), 60)
    said = [f"{k}={clip(json.dumps(v, ensure_ascii=False), 44)}" for k, v in args.items()]
    return ", ".join(sorted(said, key=len))


def _page(site: str, args: Any) -> str:
    """A page that a browser asked for."""
    sent = ", ".join(f"{k}={v}" for k, v in args["form"].items())
    why = f" (refused: {'; '.join(args['refused'])})" if args["refused"] else ""
    verb = "opens" if args["method"] == "GET" else "sends"
    return f"{verb} {site}/{'/'.join(args['path'])}" + (f" {sent}" if sent else "") + why


def line(e: Entry, zone: str) -> str:
    """What a ledger row says, in a line."""
    b = e.body
    if e.kind == "call":
        outcome = f" → refused: {b['error']['message']}" if "error" in b else ""
        if e.name.endswith("_page") and isinstance(b.get("args"), dict) and "path" in b["args"]:
            return clip(_page(e.name.removesuffix("_page"), b["args"]) + outcome, 150)
        return clip(f"{e.name}({arguments(b.get('args'))}){outcome}", 150)
    if e.kind == "commit":
        return clip(f"{ACTS.get(e.name, f'{e.name}:')} {b['text']}", 150)
    if e.kind == "approval":
        what = {"yes": "yes to", "no": "no to", "revoke": "takes back the yes to"}[e.name]
        return clip(f"{what} {b.get('text', e.ref)} (asked by {b['channel']})", 150)
    if e.kind == "turn":
        return clip(f"“{b['text']}”" if b["text"] else "says nothing", 150)
    if e.kind == "end":
        return f"the attempt ends: {e.name.replace('_', ' ')}" + (
            f" ({clip(b['detail'], 90)})" if b.get("detail") else ""
        )
    if e.kind == "event":
        return clip(f"event {e.name} {arguments(b)}", 150)
    if e.kind == "effect":
        return effect(e, zone)
    return clip(f"{e.kind} {e.name} {e.ref}", 150)


def effect(e: Entry, zone: str) -> str:
    """A row change in words: what differs, before and after."""
    return clip(change(Change(e.name, e.ref, e.body["before"], e.body["after"], (e,)), zone), 150)


def change(c: Change, zone: str) -> str:
    """A net change in words: `new mail “New time”`, `calendar event “Review”: start … → …`."""
    row = c.record
    what = f"{noun(c.table)} {title(row, c.key)}"
    if c.before is None:
        to = value("recipients", row["recipients"], zone) if "recipients" in row else ""
        return f"new {what}" + (f" to {to}" if to else "")
    return f"removed {what}" if c.after is None else f"{what}: {differences(c, zone)}"


def title(row: dict[str, Any], key: str = "") -> str:
    """What a record is called, in quotation marks, else its key."""
    name = next((str(row[k]) for k in _NAMES if row.get(k)), "")
    return f"“{clip(name, 60)}”" if name else key


def differences(c: Change, zone: str) -> str:
    """The columns that differ; those of the machinery only where nothing else does."""
    seen = {k: v for k, v in c.fields.items() if k not in INNER} or c.fields
    said = [(label(k), f"{value(k, a, zone)} → {value(k, b, zone)}") for k, (a, b) in seen.items()]
    return "; ".join(f"{name} {what}" for name, what in sorted(said, key=lambda s: place(s[0])))
