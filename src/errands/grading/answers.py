"""An answer that the agent delivers as one file at its declared place: named values, a table, or a line of text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from errands.core.money import Money

from .compare.folding import key
from .compare.money import find_money, read_money
from .compare.refusals import Refused
from .compare.tables import Column, read_table
from .evidence import Change, Evidence
from .listing import content, delivered

LONGEST = 10_000  # characters of an answer


@dataclass(frozen=True)
class Answer:
    """The file at the declared place and what it holds; `why` there is none to read."""

    change: Change | None
    why: str
    values: Mapping[str, object] = field(default_factory=dict)
    text: str = ""
    rows: Sequence[Mapping[str, object]] = ()

    @property
    def proof(self) -> tuple[Change, ...]:
        """The change, if there is one."""
        return (self.change,) if self.change else ()


def answer_object(e: Evidence, path: str, names: Sequence[str]) -> Answer:
    """The JSON object at a path, its values by these names (case, spaces and punctuation of a name do not count).

    What it holds beside them is passed over; a name that is missing, or stands twice, is `why`.
    """
    got = answer_text(e, path)
    if got.change is None or got.why:
        return got
    try:
        raw = json.loads(got.text, parse_float=Decimal, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as why:
        return Answer(got.change, f"{path} is no JSON: {why}")
    if isinstance(raw, list) and len(raw) == 1:
        raw = raw[0]
    if not isinstance(raw, dict):
        return Answer(got.change, f"{path} holds no object")
    values: dict[str, object] = {}
    for name in names:
        found = [v for k, v in raw.items() if key(k) == key(name)]
        if len(found) != 1:
            return Answer(got.change, f"{name} stands {len(found)} times in {path}")
        values[name] = found[0]
    return Answer(got.change, "", values, got.text)


def answer_table(e: Evidence, place: str, columns: Sequence[Column]) -> Answer:
    """The table at a place (without its ending, in any format that is read), as `rows`."""
    found = delivered(e, place)
    if len(found) != 1:
        return Answer(
            None, f"there are {len(found)} tables at {place}" if found else f"there is no table at {place}"
        )
    table = read_table(content(e, found[0]), found[0].key, columns)
    if isinstance(table, Refused):
        return Answer(found[0], table.reason)
    return Answer(found[0], "", rows=table.rows)


def answer_text(e: Evidence, path: str) -> Answer:
    """The text at a path, as it stands at the end."""
    change = e.net("files_entry").get(path)
    if change is None or change.after is None:
        return Answer(None, f"there is no {path}")
    try:
        text = content(e, change).decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        return Answer(change, f"{path} is no UTF-8 text")
    if not 0 < len(text) <= LONGEST:
        return Answer(change, f"{path} is empty" if not text else f"{path} is too long to be an answer")
    return Answer(change, "", {}, text)


def gives_only(text: str, wanted: Money) -> bool:
    """Whether a text gives this amount and no other: with a mark, or alone behind a semicolon, comma, tab or colon."""
    found = find_money(text, wanted.currency)
    if found:
        return all(f.value == wanted for f in found)
    last = re.split(r"[;\t\n]|: |, ", text)[-1]
    return read_money(last.strip().rstrip("."), wanted.currency) == wanted


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    named = dict(pairs)
    if len(named) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return named
