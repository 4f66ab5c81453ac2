"""Changing files: write, delete, move, copy; in the shared area only where sharing was granted."""

from __future__ import annotations

from typing import Annotated, Any

from errands.core.errors import ToolError
from errands.world import World

from . import files
from .names import BINARY, MEDIA, TABLES, clean_path, media_of, suffix
from .reading import MAX_CELLS, MAX_COLUMNS
from .store import content, entry, may_change, must_be_free, put, relocate, remove
from .writing import table_bytes

Target = Annotated[str, "where, e.g. workspace/report.md; without an area it is in workspace/"]
To = Annotated[str, "the new path, with the file's name; it must be free"]
Answer = dict[str, Any]


def _target(w: World, path: str, field: str = "path") -> str:
    clean = clean_path(path, field)
    may_change(w, clean, field)
    return clean


def _saved(w: World, path: str, data: bytes, media: str) -> Answer:
    new = put(w, path, data, media, w.actor)
    return {"path": path, "size": len(data), "media": media, "created": new}


@files.write("files.write")
def write(w: World, path: Target, text: Annotated[str, "the whole text of the file"]) -> Answer:
    """Create a text file or replace its whole text.

    Deliverables go to workspace/. The whole team sees shared/: change it only when the user asked for that.
    """
    clean = _target(w, path)
    if suffix(clean) in BINARY:
        raise ToolError(
            "invalid",
            f"text is no .{suffix(clean)} file",
            field="path",
            value=clean,
            expected="a text format such as .md or .csv; files_write_table writes .xlsx",
        )
    return _saved(w, clean, text.encode(), MEDIA.get(suffix(clean), "text/plain"))


@files.write("files.write")
def write_table(
    w: World,
    path: Annotated[str, "where, e.g. workspace/costs.xlsx; ends in .csv, .tsv, .json or .xlsx"],
    columns: Annotated[list[str], "the names of the columns"],
    rows: Annotated[list[list[str]], "the rows: a text for each column, numbers as text too"],
) -> Answer:
    """Create or replace a table file; the format follows from the extension. Cells stay the texts given.

    Deliverables go to workspace/. The whole team sees shared/: change it only when the user asked for that.
    """
    clean = _target(w, path)
    ext = suffix(clean)
    if ext not in TABLES:
        raise ToolError(
            "invalid",
            "this extension is no table format",
            field="path",
            value=clean,
            expected="a path that ends in .csv, .tsv, .json or .xlsx",
        )
    _check_table(columns, rows)
    try:
        data = table_bytes(ext, columns, rows)
    except ValueError as why:
        raise ToolError("invalid", str(why), field="rows", expected="cells that fit the format") from None
    return _saved(w, clean, data, media_of(clean))


def _check_table(columns: list[str], rows: list[list[str]]) -> None:
    if not columns or not all(c.strip() for c in columns) or len(set(columns)) < len(columns):
        raise ToolError(
            "invalid",
            "columns need names, each its own",
            field="columns",
            value=", ".join(columns),
            expected="distinct names that are not empty",
        )
    if len(columns) > MAX_COLUMNS or len(columns) * (len(rows) + 1) > MAX_CELLS:
        raise ToolError(
            "limit",
            "this table is too big",
            field="rows",
            expected=f"at most {MAX_COLUMNS} columns and {MAX_CELLS} cells",
        )
    for n, row in enumerate(rows):
        if len(row) != len(columns):
            raise ToolError(
                "invalid",
                f"row {n + 1} has {len(row)} cells",
                field=f"rows[{n}]",
                value=", ".join(row),
                expected=f"{len(columns)} cells, one for each column",
            )


@files.write("files.write")
def delete(w: World, path: Annotated[str, "a file, e.g. workspace/old.md"]) -> Answer:
    """Delete one file. The whole team sees shared/: change it only when the user asked for that."""
    clean = _target(w, path)
    entry(w, clean)
    remove(w, clean)
    return {"path": clean, "deleted": True}


@files.write("files.write")
def move(w: World, path: Annotated[str, "a file, e.g. workspace/draft.md"], to: To) -> Answer:
    """Move or rename one file.

    The whole team sees shared/: move into or out of it only when the user asked for that.
    """
    source, goal = _target(w, path), _target(w, to, "to")
    row = entry(w, source)
    _same_kind(source, goal)
    relocate(w, row, goal)
    return {"path": goal, "moved_from": source}


@files.write("files.write")
def copy(w: World, path: Annotated[str, "a file, e.g. shared/rates.csv"], to: To) -> Answer:
    """Copy one file. The whole team sees shared/: copy into it only when the user asked for that."""
    source, goal = clean_path(path), _target(w, to, "to")
    row = entry(w, source)
    _same_kind(source, goal)
    must_be_free(w, goal, "to")
    put(w, goal, content(w, row["blob"]), row["media"], w.actor, "to")
    return {"path": goal, "copied_from": source}


def _same_kind(source: str, goal: str) -> None:
    """A name must go on saying what is inside: a rename converts nothing."""
    if media_of(source) != media_of(goal) and {suffix(source), suffix(goal)} & BINARY:
        raise ToolError(
            "invalid",
            "moving and copying convert nothing",
            field="to",
            value=goal,
            expected=f"the same extension as {source}",
        )
