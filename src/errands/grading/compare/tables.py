"""Tables: CSV, TSV, JSON, JSON Lines, XLSX and Markdown, columns in any order and under any of their names.

A cell is read by its column's reader; what cannot be read is None in the row and equals nothing. What makes
the table as a whole unclear (a column missing or twice, a ragged row, a key twice) is `Refused` with the
reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from errands.grading.compare.folding import fold, key
from errands.grading.compare.grids import Grid, read_grids
from errands.grading.compare.refusals import Refused

__all__ = ["Column", "Refused", "Row", "Table", "blank_or", "read_table"]

Row = dict[str, object]


@dataclass(frozen=True, slots=True)
class Column:
    """A column that a table must (or may) have. Names are compared without case, spaces and punctuation."""

    name: str
    reader: Callable[[object], object | None]
    aliases: tuple[str, ...] = ()
    required: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """Typed rows by column name, and the headings that no column asked for."""

    rows: tuple[Row, ...]
    ignored: tuple[str, ...]


def read_table(
    data: bytes | str, filename: str, columns: Sequence[Column], unique: str | None = None
) -> Table | Refused:
    """The one table that a file holds. `unique` names a column in which no value may stand twice."""
    grids = read_grids(data, filename)
    if isinstance(grids, Refused):
        return grids
    read = [
        _table(grid, columns) for grid in sorted(grids, key=lambda grid: -max(map(len, grid[:1]), default=0))
    ]
    tables = [table for table in read if isinstance(table, Table)]
    if not tables:
        return read[0]
    if any(table.rows != tables[0].rows for table in tables):
        return Refused("the file holds more than one list")
    return _without_twins(tables[0], unique) if unique else tables[0]


def blank_or(reader: Callable[[object], object | None]) -> Callable[[object], object | None]:
    """A reader that reads an empty cell as ""."""
    return lambda cell: "" if cell is None or (isinstance(cell, str) and not cell.strip()) else reader(cell)


def _table(grid: Grid, columns: Sequence[Column]) -> Table | Refused:
    grid = _from_heading(grid, columns)
    if len(grid) < 2:
        return Refused("a heading and at least one row are expected")
    heading = grid[0]
    places = _places(heading, columns)
    if isinstance(places, Refused):
        return places
    rows: list[Row] = []
    for number, cells in enumerate(grid[1:], 2):
        while len(cells) > len(heading) and cells[-1] in ("", None):  # a comma too many at the end of a line
            cells = cells[:-1]
        if len(cells) != len(heading):
            return Refused(f"row {number} has {len(cells)} cells, the heading {len(heading)}")
        rows.append({column.name: column.reader(cells[at]) for column, at in places})
    used = {at for _, at in places}
    return Table(tuple(rows), tuple(str(name) for at, name in enumerate(heading) if at not in used))


def _from_heading(grid: Grid, columns: Sequence[Column]) -> Grid:
    """Without up to three lines above the heading that hold one cell: a title, a comment, `sep=;`."""
    for n, cells in enumerate(grid[:4]):
        if not isinstance(_places(cells, columns), Refused):
            return grid[n:]
        if sum(cell not in ("", None) for cell in cells) > 1:
            break
    return grid


def _places(heading: list[object], columns: Sequence[Column]) -> list[tuple[Column, int]] | Refused:
    """Where each column stands."""
    names = [key(name) if isinstance(name, str) else "" for name in heading]
    places: list[tuple[Column, int]] = []
    for column in columns:
        found = [at for at, name in enumerate(names) if name == key(column.name)]
        if not found:  # another name counts only where its own is absent: people add columns for the reader
            also = {key(name) for name in column.aliases}
            found = [at for at, name in enumerate(names) if name in also]
        if len(found) > 1:
            return Refused(f"column {column.name!r} stands {len(found)} times")
        if found:
            places.append((column, found[0]))
        elif column.required:
            shown = ", ".join(fold(str(name)) for name in heading)[:200]
            return Refused(f"no column {column.name!r} in the heading: {shown}")
    return places


def _without_twins(table: Table, unique: str) -> Table | Refused:
    seen: set[object] = set()
    for row in table.rows:
        value = row.get(unique)
        if value is not None and value in seen:
            return Refused(f"{unique} {value} stands in several rows")
        seen.add(value)
    return table
