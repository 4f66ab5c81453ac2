"""Excel workbooks: the one sheet that holds something, as stored values. Formulas are refused, never
evaluated."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from errands.grading.compare.refusals import Refused

_LARGEST_CONTENT = 50_000_000
_MOST_CELLS = 400_000


def read_sheet(data: bytes) -> list[list[object]] | Refused:
    """The filled rows of the only filled sheet."""
    from openpyxl import load_workbook

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(part.file_size for part in archive.infolist()) > _LARGEST_CONTENT:
                return Refused("the workbook unpacks to too much")
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=False)
        filled = []
        for sheet in book.worksheets:
            rows = _rows(sheet)
            if isinstance(rows, Refused):
                return rows
            if rows:
                filled.append(rows)
    except Exception as error:  # openpyxl raises whatever a broken part makes it raise
        return Refused(f"not an Excel workbook: {type(error).__name__}")
    if len(filled) != 1:
        return Refused(f"expected one filled sheet, found {len(filled)}")
    return filled[0]


def _rows(sheet: Any) -> list[list[object]] | Refused:
    rows: list[list[object]] = []
    cells = 0
    for row in sheet.iter_rows():
        values: list[object] = []
        for cell in row:
            if cell.data_type == "f":
                return Refused(f"cell {cell.coordinate} holds a formula, not a value")
            values.append("" if cell.value is None else cell.value)
        cells += len(values)
        if cells > _MOST_CELLS:
            return Refused(f"more than {_MOST_CELLS:,} cells")
        if any(value != "" for value in values):
            rows.append(values)
    width = max((n + 1 for row in rows for n, value in enumerate(row) if value != ""), default=0)
    return [[*row[:width], *[""] * (width - len(row))] for row in rows]
