"""Cells of a delivered table: the same in every file, another with one character more, none of nothing."""

from __future__ import annotations

import io
import json
import math
import string
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from errands.grading.compare.codes import one_of
from errands.grading.compare.dates import read_date
from errands.grading.compare.ids import read_id
from errands.grading.compare.money import read_money
from errands.grading.compare.rows import match_rows
from errands.grading.compare.tables import Column, Table, read_table

SEEDED = settings(derandomize=True, deadline=None)
EXTRAS = string.ascii_letters + "éßЖ가漢กب" + string.digits + "０５٠٥۵๕"
DAYS = st.dates(date(2019, 5, 1), date(2060, 12, 31))
COLUMNS = (
    Column("order", read_id),
    Column("amount", lambda cell: read_money(cell, "SGD")),
    Column("day", lambda cell: read_date(cell, "DMY")),
    Column("state", one_of("paid", "not-paid")),
)
NAMES = [c.name for c in COLUMNS]
CELLS = st.tuples(
    st.integers(1000, 9999).map(lambda n: f"A-{n}"),
    st.integers(100, 10**6).map(lambda n: f"{n // 100}.{n % 100:02}"),
    DAYS.map(lambda d: f"{d:%d %b %Y}"),
    st.sampled_from(["paid", "not-paid"]),
)
ROWS = st.lists(CELLS, min_size=2, max_size=5, unique_by=lambda row: row[0])
KINDS = ("csv", "tsv", "json", "jsonl", "xlsx", "md")


def as_file(kind: str, rows: list[tuple[Any, ...]], order: list[int], bom: bool, end: str) -> bytes:
    """Rows as a file of this kind, columns in this order."""
    head = [NAMES[n] for n in order]
    cells = [[row[n] for n in order] for row in rows]
    if kind == "xlsx":
        book, out = Workbook(), io.BytesIO()
        for line in [head, *cells]:
            book.active.append(line)
        book.save(out)
        return out.getvalue()
    objects = [dict(zip(head, line, strict=True)) for line in cells]
    if kind == "json":
        text = json.dumps(objects, ensure_ascii=False)
    elif kind == "jsonl":
        text = end.join(json.dumps(o, ensure_ascii=False) for o in objects)
    elif kind == "md":
        lines = [head, ["---"] * len(head), *cells]
        text = end.join("| " + " | ".join(map(str, line)) + " |" for line in lines)
    else:
        mark = "," if kind == "csv" else "\t"
        text = end.join(mark.join(f'"{c}"' for c in line) for line in [head, *cells]) + end
    return (b"\xef\xbb\xbf" if bom else b"") + text.encode()


def typed(rows: list[tuple[Any, ...]]) -> list[dict[str, object]]:
    return [{c.name: c.reader(cell) for c, cell in zip(COLUMNS, row, strict=True)} for row in rows]


def differing(kind: str, data: bytes, expected: list[tuple[Any, ...]]) -> set[str] | None:
    """The columns in which the file is not the expected rows; None where a row is missing or one is more."""
    table = read_table(data, f"answer.{kind}", COLUMNS)
    assert isinstance(table, Table), table
    matches = match_rows(table.rows, typed(expected), "order")
    if matches.extra or not all(r.found for r in matches.rows):
        return None
    return {name for r in matches.rows for name in r.differs}


@given(
    ROWS,
    st.sampled_from(KINDS),
    st.permutations(range(4)),
    st.booleans(),
    st.sampled_from(["\n", "\r\n"]),
    st.randoms(),
)
@settings(SEEDED, max_examples=30)
def test_a_table_is_the_same_in_every_file_and_one_character_more_is_seen(rows, kind, order, bom, end, luck):
    shuffled = luck.sample(rows, len(rows))
    assert differing(kind, as_file(kind, shuffled, order, bom, end), rows) == set()
    at, column = luck.randrange(len(rows)), luck.randrange(4)
    for extra in luck.sample(EXTRAS, 3):
        cell = shuffled[at][column]
        for longer in (cell + extra, extra + cell):
            changed = [[*row] for row in shuffled]
            changed[at][column] = longer
            found = differing(kind, as_file(kind, changed, order, bom, end), rows)
            assert found == (None if column == 0 else {NAMES[column]}), longer


@pytest.mark.parametrize("column", NAMES)
@pytest.mark.parametrize(
    "token", ["null", '""', '" "', "[]", "{}", "true", "false", '"NaN"', '"null"', "0", "-1", '"A-1 or A-2"']
)
def test_no_nothing_in_a_cell_is_a_value(column, token):
    row = ("A-1001", "12.50", "21 Oct 2026", "paid")
    good = dict(zip(NAMES, row, strict=True))
    text = json.dumps([{**good, column: "@"}]).replace('"@"', token)
    assert differing("json", json.dumps([good]).encode(), [row]) == set()
    assert differing("json", text.encode(), [row]) == (None if column == "order" else {column})


def test_numbers_of_a_spreadsheet_are_read_as_written():
    rows = [
        ("A-1001", Decimal("12.5"), datetime(2026, 10, 21), "paid"),
        ("A-1002", 7, date(2026, 10, 22), "not-paid"),
    ]
    data = as_file(
        "xlsx",
        [tuple(float(c) if isinstance(c, Decimal) else c for c in r) for r in rows],
        [0, 1, 2, 3],
        False,
        "",
    )
    assert (
        differing(
            "xlsx",
            data,
            [("A-1001", "12.50", "21 Oct 2026", "paid"), ("A-1002", "7", "22/10/2026", "not paid")],
        )
        == set()
    )
    for wrong in (True, math.inf, "=1+1"):
        bad = [("A-1001", wrong, datetime(2026, 10, 21), "paid")]
        table = read_table(as_file("xlsx", bad, [0, 1, 2, 3], False, ""), "answer.xlsx", COLUMNS)
        assert not isinstance(table, Table) or table.rows[0]["amount"] is None
