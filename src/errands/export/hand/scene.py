"""A world at one moment, as rows that writers of files read; and what a writer hands back."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from errands.core import clock
from errands.world import App, World

Row = Mapping[str, Any]
# In what is said of files, stands for the folder in which they come to lie: at the start, or at a later time.
PLACE = "\ue000"
_LONGEST = 40  # characters of a file's name that are taken from a title


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """The tables of a world's apps at world time `at` (UTC ms); `blob` opens that very world again."""

    at: int
    zone: str
    meta: Mapping[str, str]
    tables: Mapping[str, Mapping[tuple[Any, ...], Row]]  # table -> key -> row, in the order of the keys
    open_scopes: frozenset[tuple[str, str]]  # (app, scope) that the agent may use
    blob: bytes

    @classmethod
    def of(cls, world: World) -> Scene:
        """How things stand in a world now; the kernel's tables and the people's minds are left out."""
        tables = {}
        for t in world.ledger.tables.values():
            if t.name.startswith(("exam_", "people_")):
                continue
            key = [t.columns[n] for n in t.key]
            order = ", ".join(f'"{c}"' for c in key)
            rows = world.all(f'SELECT * FROM "{t.name}" ORDER BY {order}')
            tables[t.name] = {tuple(r[c] for c in key): r for r in rows}
        grants = world.all("SELECT app, scope FROM exam_grant WHERE live = 1")
        scopes = frozenset((r["app"], r["scope"]) for r in grants)
        return cls(world.now, world.zone, dict(world.meta), tables, scopes, world.snapshot())

    def rows(self, table: str) -> list[Row]:
        """A table's rows; none where this world has no such table."""
        return list(self.tables.get(table, {}).values())

    def fresh(self, table: str, since: Scene | None) -> list[Row]:
        """The rows that are new or differ since then; all of them where there is no then."""
        before = since.tables.get(table, {}) if since else {}
        return [row for key, row in self.tables.get(table, {}).items() if before.get(key) != row]

    def gone(self, table: str, since: Scene | None) -> list[Row]:
        """The rows that were there then and are no more."""
        now = self.tables.get(table, {})
        return [] if since is None else [r for k, r in since.tables.get(table, {}).items() if k not in now]

    @property
    def owner(self) -> tuple[str, str]:
        """The address and the name of the user."""
        return self.meta["owner"], self.meta["owner_name"]

    def local(self, ms: int, zone: str = "") -> str:
        """An instant as ISO 8601 on the user's clock (or that of another zone)."""
        return clock.iso(ms, zone or self.zone)


@dataclass(frozen=True, slots=True)
class Put:
    """What is to be put into an account: files by path (below a folder of the app's name), and in words how, a step
    each, in which `PLACE` goes before such a path.

    `withheld`: what the world holds of the app and its agent cannot read: for the tester's eyes, by table. `voices`:
    who speaks there (answers a call, writes in a group), and what they say when.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    how: tuple[str, ...] = ()
    withheld: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    voices: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.files or self.how)


Writer = Callable[[App, Scene, Scene | None], Put]
"""What an app holds at a moment; with an earlier scene, only what has come or gone since then."""


def slug(text: str, instead: str = "item") -> str:
    """A title as part of a file's name: letters, their marks and digits of any script, the rest as hyphens."""
    kept = [c if unicodedata.category(c)[0] in "LMN" else " " for c in unicodedata.normalize("NFC", text)]
    words = unicodedata.normalize("NFC", "".join(kept).casefold()).split()
    return "-".join(words)[:_LONGEST].strip("-") or instead


def sheet(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """A CSV file with these columns: comma, quotes where needed, LF, UTF-8."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return out.getvalue().encode()


def listed(raw: Any) -> list[Any]:
    """A column that holds a JSON list, as that list; what is none stands for itself."""
    try:
        found = json.loads(raw)
    except (TypeError, ValueError):
        return [] if raw in (None, "") else [raw]
    return found if isinstance(found, list) else [found]


def many(n: int, one: str, more: str = "") -> str:
    """`1 mail`, `3 mails`."""
    return f"{n} {one if n == 1 else more or f'{one}s'}"
