"""What a file says: its text, or its cells. Pure functions of name and bytes, safe on hostile ones."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unicodedata import is_normalized, normalize

from .names import BINARY, MAX_FILE, TABLES, suffix

MAX_ROWS = 10_000
MAX_COLUMNS = 200
MAX_CELLS = 100_000
MAX_TEXT = 2_000_000

Table = tuple[list[str], list[list[str]]]


class Unreadable(ValueError):
    """A file that cannot be read. `code`: binary (holds no text), broken, limit (too much), or sheet."""

    def __init__(self, code: str, message: str):
        self.code, self.message = code, message
        super().__init__(code, message)


def text_of(name: str, data: bytes) -> str:
    """The text of a file, NFC. The extension of `name` decides how it is read; raises `Unreadable`.

    PDF pages are parted by a form feed; a spreadsheet is tab-separated lines under a line `# title`.
    """
    small_enough(data)
    kind = suffix(name)
    if kind == "pdf":
        from .pdf import pages

        with hostile("PDF"):
            return printable("\f".join(pages(data)))
    if kind == "xlsx":
        from .sheets import sheets

        spent = _Spent()
        with hostile("XLSX"):
            return "\n".join(_sheet_text(title, *_table(rows, spent)) for title, rows in sheets(data))
    if kind in BINARY:
        raise Unreadable("binary", f"a .{kind} file has no text")
    return _decoded(data)


def cells_of(name: str, data: bytes, sheet: str = "") -> Table:
    """A CSV, TSV, JSON (list of objects) or XLSX file as (columns, rows) of text; row one is the columns.

    Empty rows are left out, short ones filled up. Numbers stand as written in CSV and JSON, as plain decimals
    in XLSX; dates are ISO 8601. `sheet` names one of several (default: the first). Raises `Unreadable`.
    """
    small_enough(data)
    kind = suffix(name)
    if kind not in TABLES:
        raise Unreadable("binary", "this file holds no table")
    if kind == "xlsx":
        from .sheets import rows_of

        with hostile("XLSX"):
            return _table(rows_of(data, sheet))
    if sheet:
        raise Unreadable("sheet", f"a .{kind} file has no sheets")
    if kind == "json":
        return _objects(_decoded(data))
    return _separated(_decoded(data), "\t" if kind == "tsv" else "")


def sheets_of(name: str, data: bytes) -> list[str]:
    """The titles of a spreadsheet's sheets in order; none for any other file. Raises `Unreadable`."""
    if suffix(name) != "xlsx":
        return []
    from .sheets import titles

    small_enough(data)
    with hostile("XLSX"):
        return titles(data)


def printable(text: str) -> str:
    """Text that any record can hold: NFC, no lone surrogates, no NUL."""
    if text.isascii():
        return text.replace("\x00", "") if "\x00" in text else text
    text = text.encode("utf-8", "replace").decode().replace("\x00", "")
    return text if is_normalized("NFC", text) else normalize("NFC", text)


@contextmanager
def hostile(kind: str) -> Iterator[None]:
    """A library at work on bytes that may be made to break it: all that it raises means the same.

    What it says is left out: it differs between versions, and answers are recorded.
    """
    try:
        yield
    except Unreadable:
        raise
    except Exception as why:
        raise Unreadable("broken", f"this is not a {kind} file that can be read") from why


def small_enough(data: bytes) -> None:
    if len(data) > MAX_FILE:
        raise Unreadable("limit", f"a file of {len(data)} bytes is too big to read")


def _decoded(data: bytes) -> str:
    codec = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        raise Unreadable("binary", "this file is not UTF-8 text") from None
    if "\x00" in text:
        raise Unreadable("binary", "this file holds NUL characters and is not text")
    return printable(text)


def _sheet_text(title: str, columns: list[str], rows: list[list[str]]) -> str:
    lines = (
        "\t".join(" ".join(c.split()) if "\n" in c or "\t" in c else c for c in row).rstrip("\t")
        for row in (columns, *rows)
    )
    return "\n".join([f"# {title}", *lines, ""])


def _separated(text: str, delimiter: str) -> Table:
    hint = re.match(r"sep=([,;|\t])\r?\n", text)  # what some spreadsheets write before a CSV
    if hint and not delimiter:
        text, delimiter = text[hint.end() :], hint.group(1)
    try:
        return _table(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter or _delimiter(text)))
    except csv.Error:
        raise Unreadable("broken", "this is not a table that can be read") from None


def _delimiter(text: str) -> str:
    """Comma, semicolon or tab: what the first line has most of, outside of quotes."""
    bare = re.sub(r'"[^"]*"', "", text[:20_000]).lstrip()
    line = re.split(r"[\r\n]", bare, maxsplit=1)[0]
    return max(",;\t", key=line.count)


def _objects(text: str) -> Table:
    """A list of objects: columns in the order in which keys first occur, numbers as they are written."""
    try:
        value = json.loads(text, parse_float=_Number, parse_int=_Number, parse_constant=_Number)
        if type(value) is not list or not all(type(item) is dict for item in value):
            raise Unreadable("broken", "this JSON is not a list of objects")
        columns = list(dict.fromkeys(key for item in value for key in item))
        if len(columns) > MAX_COLUMNS:
            raise Unreadable("limit", f"more than {MAX_COLUMNS} columns are too many")
        rows = ([_json_cell(item.get(c, "")) for c in columns] for item in value)
        return _table(rows, columns=columns)
    except (json.JSONDecodeError, RecursionError):
        raise Unreadable("broken", "this is not JSON that can be read") from None


class _Number(str):
    """A JSON number in its own digits."""


def _json_cell(value: Any) -> str:
    if isinstance(value, str):
        return str(value)
    if value is None:
        return ""
    return _json_text(value)


def _json_text(value: Any) -> str:
    """Nested values as JSON again, numbers in their own digits."""
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_json_text(k)}: {_json_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_json_text(v) for v in value) + "]"
    return json.dumps(value, ensure_ascii=False)


@dataclass
class _Spent:
    """What was read so far, of one table or of all sheets together."""

    rows: int = 0
    cells: int = 0
    chars: int = 0

    def add(self, row: list[str]) -> None:
        self.rows, self.cells = self.rows + 1, self.cells + len(row)
        self.chars += sum(map(len, row))
        if self.rows > MAX_ROWS or self.cells > MAX_CELLS or self.chars > MAX_TEXT or len(row) > MAX_COLUMNS:
            raise Unreadable(
                "limit",
                f"this table is too big: {MAX_ROWS} rows, {MAX_COLUMNS} columns, "
                f"{MAX_CELLS} cells or {MAX_TEXT} characters at most",
            )


def _table(
    lines: Iterable[Iterable[str]],
    spent: _Spent | None = None,
    columns: list[str] | None = None,
) -> Table:
    """Bounded, rectangular, printable; the first line that is not empty is the columns unless given."""
    spent = spent or _Spent()
    kept: list[list[str]] = [] if columns is None else [[printable(c) for c in columns]]
    width = len(columns or ())
    for line in lines:
        row = [printable(c) for c in line]
        while row and not row[-1]:
            row.pop()
        spent.add(row)
        width = max(width, len(row))
        if row:
            kept.append(row)
    for row in kept:
        row.extend([""] * (width - len(row)))
    return (kept[0], kept[1:]) if kept else ([], [])
