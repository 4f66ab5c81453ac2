"""The files that go round in this errand: small tables under a title and an issue line, as csv, txt, xlsx or pdf."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from errands.apps.files.writing import table_bytes, xlsx_bytes
from errands.tasks.papers import media, pdf


@dataclass(frozen=True)
class Sheet:
    """A title and rows of (item, unit, figure)."""

    title: str
    columns: tuple[str, str, str]
    rows: list[list[str | int]]

    def moved(self, moves: Iterable[tuple[int, int]]) -> Sheet:
        """The same with the figures of some rows changed by a step."""
        rows = [list(r) for r in self.rows]
        for at, step in moves:
            rows[at][2] = max(1, int(rows[at][2]) + step)
        return Sheet(self.title, self.columns, rows)

    @property
    def lines(self) -> list[list[str]]:
        """Heading and rows as text."""
        return [list(self.columns), *([str(c) for c in r] for r in self.rows)]


@dataclass(frozen=True)
class Paper:
    """One issue of a document: what stands in it, its number and its own date."""

    sheet: Sheet
    issue: str
    number: int
    on: date

    def file(self, name: str) -> tuple[str, str, bytes]:
        """Its bytes under a name, whose ending decides the format: (name, media type, bytes)."""
        kind, head = name.rpartition(".")[2], [self.sheet.title, self.issue]
        if kind == "xlsx":
            data = xlsx_bytes([("Sheet1", [[h] for h in head] + self.sheet.lines)])
        elif kind == "pdf":
            data = pdf([*head, *("  ".join(row) for row in self.sheet.lines)])
        elif kind == "csv":
            data = table_bytes("csv", [self.sheet.title], [[self.issue], *self.sheet.lines])
        else:
            data = "\n".join([*head, "", *("\t".join(row) for row in self.sheet.lines), ""]).encode()
        return name, media(name), data


def paper_of(sheet: Sheet, issue: str, number: int, on: date) -> Paper:
    """A paper, with no line break in its issue line."""
    return Paper(sheet, " ".join(issue.split()), number, on)


def notes_of(rows: Sequence[Sequence[str]], name: str) -> tuple[str, str, bytes]:
    """A file of a title and rows that is no issue of anything."""
    cell = ",".join if name.endswith(".csv") else "\t".join
    quoted = [[f'"{c}"' if "," in c and name.endswith(".csv") else c for c in row] for row in rows]
    return name, media(name), "".join(f"{cell(row)}\n" for row in quoted).encode()
