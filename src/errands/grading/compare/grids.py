"""Files into grids of raw cells: JSON, JSON Lines, CSV and its kin, Markdown tables. No cell is interpreted
here."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable
from decimal import Decimal
from pathlib import PurePosixPath
from typing import NoReturn

from errands.grading.compare.refusals import Refused

Grid = list[list[object]]  # the first row is the heading

LARGEST_FILE = 5_000_000
MOST_ROWS = 20_000
_DELIMITERS = (",", "\t", ";", "|")
_RULE = re.compile(r"\s*\|?(?:\s*:?-{2,}:?\s*\|)*\s*:?-{2,}:?\s*\|?\s*")


def read_grids(data: bytes | str, filename: str = "") -> list[Grid] | Refused:
    """The grids a file may mean: one, or for delimited text one for each delimiter that cuts its heading.

    The ending of `filename` decides (.json .jsonl .ndjson .csv .tsv .txt .md .xlsx); without one, the
    content does.
    """
    if len(data) > LARGEST_FILE:
        return Refused(f"the file is larger than {LARGEST_FILE:,} bytes")
    ending = PurePosixPath(filename.replace("\\", "/")).suffix.lower()
    if isinstance(data, bytes) and (ending == ".xlsx" or data[:4] == b"PK\x03\x04"):
        from errands.grading.compare.sheets import read_sheet

        return _one(read_sheet(data))
    text = _decoded(data)
    if isinstance(text, Refused):
        return text
    if not text.strip():
        return Refused("the file is empty")
    if ending in (".jsonl", ".ndjson"):
        return _one(_json_lines(text))
    if ending == ".json" or (ending not in (".csv", ".tsv", ".md") and text.lstrip()[0] in "[{"):
        return _one(_json(text))
    if _is_markdown(text):
        return _one(_markdown(text))
    if ending == ".md":
        return Refused("no table in the Markdown file")
    return _delimited(text, ("\t",) if ending == ".tsv" else _DELIMITERS)


def _one(grid: Grid | Refused) -> list[Grid] | Refused:
    return grid if isinstance(grid, Refused) else [grid]


def _decoded(data: bytes | str) -> str | Refused:
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        return data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        return Refused("the file is not UTF-8 text")


def _delimited(text: str, delimiters: Iterable[str]) -> list[Grid] | Refused:
    """One grid a delimiter; the caller knows which heading it wants."""
    grids: list[Grid] = []
    reason = ""
    for delimiter in delimiters:
        try:
            rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
        except csv.Error as error:
            reason = str(error)
            continue
        grid: Grid = [list(row) for row in rows if any(cell.strip() for cell in row)]
        if len(grid) > MOST_ROWS:
            return Refused(f"more than {MOST_ROWS:,} rows")
        grids.append(grid)
    return grids or Refused(f"not delimited text: {reason}")


def _is_markdown(text: str) -> bool:
    lines = text.splitlines()
    return any("|" in line and _RULE.fullmatch(line) for line in lines[1:])


def _markdown(text: str) -> Grid | Refused:
    lines = text.splitlines()
    rules = [n for n, line in enumerate(lines) if n and "|" in line and _RULE.fullmatch(line)]
    if len(rules) > 1:
        return Refused("several tables")
    grid: Grid = [_piped(lines[rules[0] - 1])]
    end = rules[0] + 1
    while end < len(lines) and "|" in lines[end]:
        grid.append(_piped(lines[end]))
        end += 1
    beside = [*lines[: rules[0] - 1], *lines[end:]]
    if any("|" in line or _listed(line, len(grid[0])) for line in beside):
        return Refused("another list stands beside the table")
    return grid


def _listed(line: str, cells: int) -> bool:
    """Whether a line beside a table looks like a row of a list with as many cells."""
    return cells > 1 and any(line.count(d) >= cells - 1 for d in (",", ";", "\t"))


def _piped(line: str) -> list[object]:
    inner = line.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", inner)]


def _json(text: str) -> Grid | Refused:
    value = _parsed(text)
    if isinstance(value, Refused):
        return value
    if isinstance(value, dict):
        lists = {name: part for name, part in value.items() if isinstance(part, list)}
        if set(lists) == {"columns", "rows"}:
            return _rows(lists["rows"], lists["columns"])
        lists = {n: p for n, p in lists.items() if any(isinstance(row, dict | list) for row in p)} or lists
        if len(lists) != 1:
            return Refused(f"expected one list of rows, found {len(lists)}")
        value = next(iter(lists.values()))
    return _rows(value, None) if isinstance(value, list) else Refused("expected a list of rows")


def _json_lines(text: str) -> Grid | Refused:
    rows: list[object] = []
    for line in text.splitlines():
        if line.strip():
            value = _parsed(line)
            if isinstance(value, Refused):
                return value
            rows.append(value)
    return _rows(rows, None)


def _rows(rows: list[object], columns: list[object] | None) -> Grid | Refused:
    """Objects with one set of names, or lists under given columns."""
    if not rows:
        return Refused("no rows")
    if columns is not None and not all(isinstance(name, str) for name in columns):
        return Refused("the names of the columns are not all texts")
    if len(rows) > MOST_ROWS:
        return Refused(f"more than {MOST_ROWS:,} rows")
    if all(isinstance(row, dict) for row in rows):
        heading = columns or list(
            dict.fromkeys(name for row in rows if isinstance(row, dict) for name in row)
        )
        return [heading, *([row.get(name, "") for name in heading] for row in rows if isinstance(row, dict))]
    if all(isinstance(row, list) for row in rows):
        cells = [row for row in rows if isinstance(row, list)]
        return [columns, *cells] if columns is not None else cells
    return Refused("rows are neither all objects nor all lists")


def _parsed(text: str) -> object | Refused:
    try:
        value: object = json.loads(
            text, parse_float=Decimal, parse_constant=_refuse, object_pairs_hook=_unique
        )
    except (ValueError, RecursionError) as error:
        return Refused(f"not JSON: {error}")
    return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    named = dict(pairs)
    if len(named) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return named
