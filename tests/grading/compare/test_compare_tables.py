"""Tables in every usual file, and a clear reason where one is not a table."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from errands.core.money import Money
from errands.grading.compare.dates import read_date
from errands.grading.compare.ids import read_id
from errands.grading.compare.money import read_money
from errands.grading.compare.rows import match_rows
from errands.grading.compare.tables import Column, Refused, Table, blank_or, read_table

COLUMNS = (
    Column("order", read_id, ("order id", "注文番号")),
    Column("amount", lambda cell: read_money(cell, "SGD"), ("total (S$)",)),
    Column("date", lambda cell: read_date(cell, "DMY")),
)
ROWS = [("A-1", "1,250.00", "12 Nov 2026"), ("A-2", "S$7", "13/11/2026")]
TYPED = (
    {"order": "A-1", "amount": Money(125000, "SGD"), "date": date(2026, 11, 12)},
    {"order": "A-2", "amount": Money(700, "SGD"), "date": date(2026, 11, 13)},
)


def xlsx(*rows: tuple[Any, ...]) -> bytes:
    book, out = Workbook(), io.BytesIO()
    assert book.active is not None
    for row in rows:
        book.active.append(row)
    book.save(out)
    return out.getvalue()


def delimited(heading: list[str], rows: Sequence[tuple[str, ...]], mark: str, end: str) -> str:
    return "".join(mark.join(f'"{cell}"' for cell in line) + end for line in [tuple(heading), *rows])


@given(
    st.permutations([0, 1, 2]),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
    st.sampled_from(
        [["order", "amount", "date"], ["Order_ID", "TOTAL (S$)", " Date "], ["注文番号", "Amount", "DATE"]]
    ),
)
def test_delimited_text(order: list[int], mark: str, end: str, bom: bytes, names: list[str]) -> None:
    heading = [names[n] for n in order]
    text = delimited(heading, [tuple(row[n] for n in order) for row in ROWS], mark, end)
    table = read_table(bom + text.encode(), "answer.tsv" if mark == "\t" else "answer.csv", COLUMNS)
    assert isinstance(table, Table)
    assert table.rows == TYPED


def test_other_files() -> None:
    objects = [dict(zip(("date", "order", "amount"), (row[2], row[0], row[1]), strict=True)) for row in ROWS]
    markdown = "# Orders\n\n| Amount | Order ID | Date |\n|---:|:---|---|\n"
    markdown += "".join(f"| {row[1]} | {row[0]} | {row[2]} |\n" for row in ROWS) + "\nThat is all."
    files: list[tuple[bytes | str, str]] = [
        (json.dumps(objects), "a.json"),
        (json.dumps({"items": objects}), ""),
        ("\ufeff" + json.dumps({"rows": objects}), "a.json"),
        (json.dumps({"columns": ["order", "amount", "date"], "rows": ROWS}), "a.json"),
        (json.dumps([["order", "amount", "date"], *ROWS]), ""),
        ("\n".join(map(json.dumps, objects)), "a.jsonl"),
        (markdown, "a.md"),
        (markdown, ""),
        (
            xlsx(("date", "amount", "order", "note"), *((row[2], row[1], row[0], None) for row in ROWS)),
            "a.xlsx",
        ),
        (
            xlsx(
                ("date", "amount", "order"),
                (date(2026, 11, 12), 1250, "A-1"),
                (date(2026, 11, 13), 7.0, "A-2"),
            ),
            "",
        ),
        (delimited(["order", "amount", "date"], ROWS, "\t", "\n").encode("utf-16"), "a.tsv"),
    ]
    for data, name in files:
        table = read_table(data, name, COLUMNS)
        assert isinstance(table, Table), (table, data)
        assert table.rows == TYPED, data


@pytest.mark.parametrize(
    ("data", "name", "reason"),
    [
        ("", "a.csv", "empty"), ("order,amount,date\n", "a.csv", "at least one row"),
        ("order,amount\nA-1,5\n", "a.csv", "no column 'date'"),
        ("order,amount,date,order\nA-1,5,2026-11-12,A-2\n", "a.csv", "stands 2 times"),
        ("order,amount,date\nA-1,5\n", "a.csv", "2 cells"),
        ("order,amount,date\nA-1,1,250,2026-11-12\n", "a.csv", "4 cells"),
        ("order,amount,date\nA-1,5,2026-11-12\nA-1,6,2026-11-12\n", "a.csv", "several rows"),
        (b"\xff\xff\x00", "a.csv", "UTF-8"),
        ('[{"order": "A-1", "order": "A-2"}]', "a.json", "twice"), ('[{"order": NaN}]', "a.json", "NaN"),
        ("{", "a.json", "not JSON"),
        ('{"a": [], "b": []}', "a.json", "one list"), ("[1, 2]", "a.json", "neither"),
        ("[" * 100_000, "a.json", "not JSON"),
        (b"PK\x03\x04 junk", "a.xlsx", "not an Excel"),
        ("| a |\n|---|\n| 1 |\n\n| b |\n|---|\n", "a.md", "several tables"),
        (xlsx(("order", "amount", "date"), ("A-1", "=1+2", "2026-11-12")), "a.xlsx", "formula"),
    ],
)  # fmt: skip
def test_refusals_say_why(data: bytes | str, name: str, reason: str) -> None:
    table = read_table(data, name, COLUMNS, unique="order")
    assert isinstance(table, Refused)
    assert reason in table.reason


def test_unreadable_cells_equal_nothing() -> None:
    table = read_table("order,amount,date\nA-1,12 or 13,2026-11-12\n", "a.csv", COLUMNS)
    assert isinstance(table, Table)
    result = match_rows(table.rows, TYPED[:1], "order")
    assert result.rows[0].differs == ("amount",)
    assert blank_or(read_id)("  ") == ""
    assert blank_or(read_id)("x") == "x"


def test_rows_are_paired_by_key() -> None:
    given_rows = [{"id": "1", "n": 5}, {"id": "2", "n": 6}, {"id": "2", "n": 7}, {"id": "9", "n": 1}]
    result = match_rows(given_rows, [{"id": "1", "n": 5}, {"id": "2", "n": 6}, {"id": "3", "n": 8}], "id")
    assert [row.matched for row in result.rows] == [True, False, False]
    assert (result.right, len(result.extra), result.exact) == (1, 3, False)
    assert match_rows(given_rows[:1], [{"id": "1", "n": 5}], "id").exact
    assert not match_rows([{"id": "1", "n": True}], [{"id": "1", "n": 1}], "id").exact
    for wrong in ([], [{"id": "1"}, {"id": "1"}], [{"id": "1", "n": None}]):
        with pytest.raises(ValueError, match="expected rows"):
            match_rows(given_rows, wrong, "id")
