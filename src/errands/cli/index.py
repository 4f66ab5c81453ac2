"""`errands index`: rebuild the results database from evidence."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from errands.core.errors import UsageError
from errands.records.find import RUNS, find_run, known_runs

from .options import Json
from .screen import console, put, shown_path


def index(
    runs: Annotated[
        list[str] | None, typer.Argument(help="Runs to index; default: all under errands-runs/.")
    ] = None,
    db: Annotated[str, typer.Option("--db", help="Database URL; default: errands-runs/index.sqlite.")] = "",
    json: Json = False,
) -> None:
    """Rebuild the results index; it holds nothing that the bundles do not."""
    from errands.records.index import rebuild

    folders = list({f.path.resolve(): f.path for f in map(find_run, runs)}.values()) if runs else known_runs()
    if not folders:
        raise UsageError(
            "there is nothing to index", where=str(RUNS), do="start a run with `errands run oracle`"
        )
    target = RUNS / "index.sqlite"
    if not db:
        target.parent.mkdir(exist_ok=True)
    counts = rebuild(folders, db or f"sqlite:///{target}")
    place = db or shown_path(Path(target))
    if json:
        put({**counts, "database": place})
    else:
        console().print(
            f" {counts['runs']} runs, {counts['attempts']} attempts, {counts['criteria']} findings → {place}",
            soft_wrap=True,
        )
