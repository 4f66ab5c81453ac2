"""What a scripted model server has served: totals by model, and a line for every request."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from dataclasses import asdict
from email.message import Message
from typing import Any

from .wire import Tokens

KEYS = ("authorization", "x-api-key")


def key_seen(headers: Mapping[str, str] | Message) -> dict[str, str] | None:
    """By which header a key came, and the beginning of its hash; never the key."""
    for name in KEYS:
        value = headers.get(name)
        if value:
            key = value.removeprefix("Bearer ")
            return {"header": name, "sha256": hashlib.sha256(key.encode()).hexdigest()[:8]}
    return None


class Log:
    """Safe for many threads. Tokens count only for answers that went out whole."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        with self._lock:
            self._each: list[dict[str, Any]] = []
            self._offered: list[list[str]] = []
            self._problems: list[str] = []

    def begin(self, entry: dict[str, Any], tools: list[str]) -> dict[str, Any]:
        """Note a request; its entry is filled in later by `end`."""
        with self._lock:
            if tools not in self._offered:
                self._offered.append(tools)
            line = {"n": len(self._each) + 1, **entry, "tools": self._offered.index(tools), "status": None}
            self._each.append(line)
            return line

    def end(self, line: dict[str, Any], status: int | str, tokens: Tokens | None = None) -> None:
        """How a request ended: an HTTP status, or `cut` where the answer did not reach the client."""
        with self._lock:
            line["status"] = status
            line["usage"] = asdict(tokens) if tokens else None

    def times(self, model: str) -> int:
        """How many requests this model name has had."""
        with self._lock:
            return sum(line["model"] == model for line in self._each)

    def problem(self, what: str) -> None:
        """A script that could not go on."""
        with self._lock:
            self._problems.append(what)

    def to_dict(self) -> dict[str, Any]:
        """`total` and `models` sum up `each`; an entry's `tools` is an index into `offered`."""
        with self._lock:
            each = [dict(line) for line in self._each]
            names = sorted({line["model"] for line in each})
            return {
                "total": _sum(each),
                "models": {m: _sum([line for line in each if line["model"] == m]) for m in names},
                "each": each,
                "offered": [list(names) for names in self._offered],
                "problems": list(self._problems),
            }


def _sum(lines: list[dict[str, Any]]) -> dict[str, Any]:
    answered = [line["usage"] for line in lines if line.get("usage")]
    failed = [str(line["status"]) for line in lines if line["status"] not in (200, None)]
    return {
        "requests": len(lines),
        "answered": len(answered),
        "usage": {c: sum(u[c] for u in answered) for c in Tokens.__dataclass_fields__},
        "failed": {s: failed.count(s) for s in sorted(set(failed))},
    }
