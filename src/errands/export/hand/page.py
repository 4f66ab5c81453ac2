"""The run sheet as one offline page, to be read on a screen or printed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from posixpath import commonpath
from typing import Any

from markupsafe import Markup, escape

from errands.core import clock
from errands.explain.lines import moment
from errands.explain.page import template

from .model import Sheet
from .scene import Row

WORDS = {
    "prompt": "Prompt",
    "say": "You say",
    "new conversation": "New conversation; you say",
    "put in": "You put in",
    "notice": "The app tells it",
    "access": "Access",
    "end": "End",
}


def page(sheet: Sheet, key: Mapping[str, Any], withheld: Mapping[str, Mapping[str, Sequence[Row]]]) -> str:
    """The page as text; it loads nothing from anywhere."""
    html: str = template(__package__ or "", "sheet.html").render(
        sheet=sheet,
        words=WORDS,
        offset=offset,
        wall=lambda iso: moment(clock.read_iso(iso, sheet.zone), sheet.zone),
        place=place,
        marked=_marked,
        key=[(name, _plainly(value, sheet.zone)) for name, value in key.items()],
        withheld=withheld,
        counted=[r for r in sheet.criteria if r.earns],
        others=[r for r in sheet.criteria if not r.earns],
    )
    return html


def offset(seconds: int) -> str:
    """Time after the prompt: `+0:20`, `+1 d 0:20`, with seconds where there are any."""
    minutes, rest = divmod(seconds, 60)
    days, left = divmod(minutes, 24 * 60)
    text = f"{left // 60}:{left % 60:02}" + (f":{rest:02}" if rest else "")
    return f"+{days} d {text}" if days else f"+{text}"


def place(files: Sequence[str]) -> str:
    """The one file, or the folder in which all of them lie."""
    return files[0] if len(files) == 1 else f"{commonpath(files)}/"


def _marked(text: str) -> Markup:
    """Prose of Task.md, with what stands between backticks as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def _plainly(value: Any, zone: str) -> list[str]:
    """A value of the key, in lines: instants as local times, an item of a list a line."""
    told = _told(value, zone)
    return [_line(x) for x in told] if isinstance(told, list) else [_line(told)]


def _line(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{k}: {_inner(v)}" for k, v in value.items())
    return _inner(value)


def _inner(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _told(value: Any, zone: str) -> Any:
    if isinstance(value, dict):
        return {k: _told(v, zone) for k, v in value.items()}
    if isinstance(value, list):
        return [_told(v, zone) for v in value]
    if isinstance(value, int) and not isinstance(value, bool) and value >= 10**11:
        return moment(value, zone)
    return value
