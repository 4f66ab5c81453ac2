"""`errands export FORMAT …`: an attempt in a format that other harnesses read, or whole runs as tables."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import Annotated

import typer

from errands.core.errors import UsageError

from .screen import PackDir, note, recorded, shown_path

FORMATS = ("atif", "jsonl", "parquet")


def export(
    form: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="atif: Agent Trajectory Interchange Format, an attempt; jsonl, parquet: attempts and criteria.",
        ),
    ],
    what: Annotated[
        list[str], typer.Argument(metavar="WHAT…", help="atif: RUN:N or last:N; tables: runs of one agent.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", help="atif: the file, else it is printed; tables: the folder.")
    ] = None,
    batch: Annotated[
        Path | None, typer.Option("--batch", help="Tables: the drawn list, for groups and probabilities.")
    ] = None,
    pack: PackDir = None,
) -> None:
    """Write an attempt as a trajectory, or runs as tables from which every figure of a card can be worked out."""
    if form not in FORMATS:
        raise UsageError(f"there is no format {form!r}", expected=", ".join(FORMATS))
    if form == "atif":
        if len(what) != 1 or batch is not None:
            raise UsageError("a trajectory is of one attempt", expected="RUN:N, and no --batch")
        _trajectory(what[0], out)
    elif out is None:
        raise UsageError("tables need a folder", where="--out", expected="--out DIR")
    else:
        _tables(form, what, out, batch)


def _trajectory(attempt: str, out: Path | None) -> None:
    from errands.evidence.regrade import open_bundle
    from errands.export.atif import trajectory

    folder, planned, data = recorded(attempt)
    told = trajectory(open_bundle(data, str(folder.bundle(planned.n))), f"{folder.name}:{planned.n}", data)
    text = jsonlib.dumps(told, ensure_ascii=False, indent=1)
    if out is None:
        print(text)
        return
    try:
        out.write_text(text + "\n", encoding="utf-8")
    except OSError as why:
        raise UsageError(f"it cannot be written: {why.strerror}", where=str(out)) from None


def _tables(form: str, runs: list[str], out: Path, batch: Path | None) -> None:
    from errands.draw.batch import Batch
    from errands.draw.files import read
    from errands.export.tables import write
    from errands.records.attempts import sat
    from errands.records.find import find_run
    from errands.records.tables import columns, tables

    drawn = read(Batch, batch) if batch else None
    found = tables(sat([find_run(r) for r in runs], drawn))
    for file in write(form, out, found, columns()):
        note(f"{len(found[file.stem])} {file.stem}: {shown_path(file)}")
