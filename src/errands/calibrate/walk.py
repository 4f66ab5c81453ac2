"""A walker that knows nothing of any errand: it reads all that an agent may read, by tools' schemas alone.

What a criterion needs must be among what it finds (`needs`), or the errand cannot be solved; and no record may be
needless: without it, the walker must miss something.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from errands.core.errors import ClosedError, ToolError
from errands.core.types import ToolSpec
from errands.exam.sitting import Limits, Sitting
from errands.world import open_world

MOST = 20_000  # calls
_IDENT = re.compile(r"[a-z]{2,5}_[A-Za-z0-9_]+")
_DAYS = 28  # a window that calendars show at once
_SPAN = (-120, 120)


class Walker:
    """One walk over a world; `heard` is every answer as JSON text, in order."""

    def __init__(self, sitting: Sitting):
        self.sitting = sitting
        self.heard: list[str] = []
        self.words: dict[str, dict[Any, None]] = {}  # by field: values seen there
        self.ids: dict[str, None] = {}
        self.files: dict[tuple[str, str], None] = {}
        self._asked: set[str] = set()
        self._refused: dict[tuple[str, str, str], int] = {}
        self.tools = [t for t in sitting.tools if self._looks(t.name)]

    def _looks(self, name: str) -> bool:
        """Reads, and what only fetches for reading (saving an attachment to look into it). Not the browser's tools:
        what pages say is read by the oracle alone, for nobody walks through a form by its schema."""
        tool = self.sitting.world.tools.get(name)
        if tool is None:
            return False
        return tool.effect == "read" or (tool.effect == "write" and tool.scope.endswith(".read"))

    def walk(self) -> Walker:
        """Call whatever can be called with what is known, until nothing new turns up."""
        self.sitting.next()
        grown = True
        while grown and len(self._asked) < MOST:
            before = len(self.heard)
            for tool in self.tools:
                if tool.name == "clock_wait":  # time is not to pass
                    continue
                for args in list(self._arguments(tool)):
                    self._pages(tool.name, args)
            grown = len(self.heard) > before
        return self

    def _pages(self, tool: str, args: dict[str, Any]) -> None:
        """The answer, and those behind its `next`."""
        while True:
            key = json.dumps([tool, args], sort_keys=True)
            if key in self._asked or self._hopeless(tool, args):
                return
            self._asked.add(key)
            try:
                answer = self.sitting.call(tool, args)
            except ToolError as why:
                self._note_refusal(tool, args, why)
                return
            except ClosedError:
                return
            self.heard.append(json.dumps(answer, ensure_ascii=False))
            self._harvest(answer)
            more = answer.get("next") if isinstance(answer, dict) else None
            field = next((f for f in ("cursor", "offset") if f in self._fields(tool)), "")
            if not more or not field:
                return
            args = {**args, field: more}

    def _note_refusal(self, tool: str, args: dict[str, Any], why: ToolError) -> None:
        value = args.get(why.field)
        if isinstance(value, str) and _IDENT.fullmatch(value):
            kind = value.partition("_")[0]
            at = (tool, why.field, kind)
            self._refused[at] = self._refused.get(at, 0) + 1

    def _hopeless(self, tool: str, args: dict[str, Any]) -> bool:
        """Whether ids of this kind were refused here twice."""
        return any(
            isinstance(v, str) and self._refused.get((tool, f, v.partition("_")[0]), 0) >= 2
            for f, v in args.items()
        )

    def _fields(self, tool: str) -> dict[str, Any]:
        fields: dict[str, Any] = next(t for t in self.tools if t.name == tool).parameters["properties"]
        return fields

    # ---- what to ask with ------------------------------------------------------------------------------------

    def _arguments(self, tool: ToolSpec) -> Iterator[dict[str, Any]]:
        fields, needed = tool.parameters["properties"], tool.parameters.get("required", [])
        if "owner" in needed and "name" in needed:
            for owner, name in self.files:
                yield {"owner": owner, "name": name}
            return
        base: list[dict[str, Any]] = [{}]
        for name in needed:
            choices = self._choices(tool.name, name, fields[name])
            base = [{**b, name: c} for b in base for c in choices]
        if {"start", "end"} <= set(needed):
            base = [{**b, "start": a, "end": z} for b in base for a, z in self._windows()]
        enums = [n for n, s in fields.items() if n not in needed and _enum(s)]
        for args in base:
            yield args
            for name in enums:
                for value in _enum(fields[name]):
                    yield {**args, name: value}

    def _choices(self, tool: str, name: str, schema: dict[str, Any]) -> list[Any]:
        if values := _enum(schema):
            return values
        if name in ("start", "end"):
            return [""]  # filled by the windows
        if schema.get("type") == "integer":
            return [30]
        if schema.get("type") == "array":
            return [[p] for p in ("me", *self.words.get("email", {}))]
        if schema.get("type") == "boolean":
            return [False]
        known = [w for w in self.words.get(name, {}) if isinstance(w, str)]
        return list(dict.fromkeys([*known, *self.ids])) if self.ids or known else ["a"]

    def _windows(self) -> list[tuple[str, str]]:
        world = self.sitting.world
        today = datetime.fromisoformat(world.local(world.now)).date()
        days = range(_SPAN[0], _SPAN[1], _DAYS)
        return [
            ((today + timedelta(n)).isoformat(), (today + timedelta(n + _DAYS)).isoformat()) for n in days
        ]

    def _harvest(self, answer: Any) -> None:
        if isinstance(answer, list):
            for one in answer:
                self._harvest(one)
        elif isinstance(answer, dict):
            for field, value in answer.items():
                if isinstance(value, dict | list):
                    self._harvest(value)
                elif isinstance(value, str) and 0 < len(value) <= 200:
                    self._keep(field, value)
            owner = next((str(answer[f]) for f in ("id", "draft") if f in answer), "")
            for name in answer.get("files") or () if owner else ():
                if isinstance(name, str):
                    self.files[owner, name] = None

    def _keep(self, field: str, value: str) -> None:
        self.words.setdefault(field, {})[value] = None
        if "@" in value and " " not in value:
            self.words.setdefault("email", {})[value] = None
        if _IDENT.fullmatch(value):
            self.ids[value] = None


def _enum(schema: dict[str, Any]) -> list[Any]:
    found = schema.get("enum") or [v for s in schema.get("anyOf", []) for v in s.get("enum", [])]
    return [v for v in found if v != ""]


@lru_cache(maxsize=4)  # several questions are asked about one world
def walked(blob: bytes) -> list[str]:
    """All that a walker hears in a world with these bytes."""
    world = open_world(blob)
    try:
        return Walker(Sitting(world, Limits(turns=10, calls=MOST + 10))).walk().heard
    finally:
        world.close()
