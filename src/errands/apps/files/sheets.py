"""Reading XLSX: the package is repacked within bounds before openpyxl sees it, so that no bomb reaches it."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal
from typing import Any

from openpyxl import load_workbook

from .reading import MAX_COLUMNS, Unreadable, printable

MAX_UNPACKED = 8_000_000
MAX_PARTS = 300
MAX_SHEETS = 50
MAX_TITLE = 100
_STEP = 65_536


def titles(data: bytes) -> list[str]:
    """Titles of the sheets that hold cells, in order."""
    with closing(_book(data)) as book:
        return [printable(sheet.title) for sheet in book.worksheets]


def rows_of(data: bytes, title: str) -> Iterator[list[str]]:
    """The rows of a sheet ("" is the first) as text, cut one column after what a table may have."""
    seen = []
    for name, rows in sheets(data):
        seen.append(name)
        if not title or name == title:
            yield from rows
            return
    raise Unreadable("sheet", f"there is no such sheet; there is {', '.join(seen)[:300] or 'none'}")


def sheets(data: bytes) -> Iterator[tuple[str, Iterator[list[str]]]]:
    """Every sheet as (title, rows of text)."""
    with closing(_book(data)) as book:
        for sheet in book.worksheets:
            yield printable(sheet.title), _rows(sheet)


def _rows(sheet: Any) -> Iterator[list[str]]:
    sheet.reset_dimensions()  # what a sheet says of its own size may be wrong
    for row in sheet.iter_rows(max_col=MAX_COLUMNS + 1, values_only=True):
        width = next((n for n in range(len(row), 0, -1) if row[n - 1] is not None), 0)
        yield [cell_text(value) for value in row[:width]]


def _book(data: bytes) -> Any:
    book = load_workbook(repacked(data), read_only=True, data_only=True, keep_links=False)
    if len(book.worksheets) > MAX_SHEETS or any(len(sheet.title) > MAX_TITLE for sheet in book.worksheets):
        raise Unreadable("limit", f"more than {MAX_SHEETS} sheets, or titles beyond {MAX_TITLE} characters")
    return book


def repacked(data: bytes) -> io.BytesIO:
    """The same package, unpacked step by step under a bound and stored plainly.

    A package may lie about sizes, name parts twice, or declare entities; such ones are refused.
    """
    out, total = io.BytesIO(), 0
    with zipfile.ZipFile(io.BytesIO(data)) as package, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as clean:
        parts = package.infolist()
        if len(parts) > MAX_PARTS:
            raise Unreadable("limit", f"this spreadsheet has {len(parts)} parts, too many to read")
        if len({p.filename for p in parts}) < len(parts):
            raise Unreadable("broken", "this spreadsheet names a part twice")
        for part in parts:
            if part.flag_bits & 1 or part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise Unreadable("broken", "this spreadsheet is encrypted or packed in an unusual way")
            content = bytearray()
            with package.open(part) as f:
                while step := f.read(_STEP):
                    content += step
                    total += len(step)
                    if total > MAX_UNPACKED:
                        raise Unreadable("limit", f"unpacked, this is more than {MAX_UNPACKED} bytes")
            head = bytes(content).replace(b"\x00", b"")  # UTF-16 hides no declaration
            if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
                raise Unreadable("broken", "this spreadsheet declares entities")
            clean.writestr(zipfile.ZipInfo(part.filename), bytes(content))
    out.seek(0)
    return out


def cell_text(value: Any) -> str:
    """A cell's value as text: plain decimals with the 15 digits that spreadsheets show, ISO 8601 dates."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return format(Decimal(format(value, ".15g")), "f")
    if isinstance(value, dt.datetime):
        if value.time() == dt.time():
            return value.date().isoformat()
        return value.isoformat(timespec="seconds" if value.second else "minutes")
    if isinstance(value, dt.time):
        return value.isoformat(timespec="seconds" if value.second else "minutes")
    if isinstance(value, dt.timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return str(value)
