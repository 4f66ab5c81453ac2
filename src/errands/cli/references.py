"""`errands references register RUN…`: pilot medians of real products, without which no normalised figure exists."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from errands.records.find import find_run

from .options import Json, PackDir
from .screen import pairs, put, shown_path, write

references = typer.Typer(
    help="References for time and cost: medians of pilot runs of real products.", no_args_is_help=True
)


@references.callback()
def root() -> None:
    """References for time and cost."""


@references.command("register")
def register(
    runs: Annotated[list[str], typer.Argument(metavar="RUN…", help="Pilot runs of real products, finished.")],
    task: Annotated[list[str], typer.Option("--task", help="A task to register (repeatable).")],
    file: Annotated[
        Path, typer.Option("--file", help="The file of references; made where there is none.")
    ] = Path("references.json"),
    pack: PackDir = None,
    json: Json = False,
) -> None:
    """Register the medians of time and cost over the attempts that passed. Refused for reference and attack agents."""
    from errands.publish.references import empty, load
    from errands.publish.references import register as made

    known = load(file) if file.exists() else empty()
    done = made(known, [find_run(r) for r in runs], task)
    write(file, done.text)
    new = [r for r in done.tasks if r not in known.tasks]
    if json:
        put({"path": str(file), "registered": [r.model_dump(mode="json") for r in new]})
        return
    pairs([("References", shown_path(file))])
    for r in new:
        price = "unpriced" if r.usd is None else f"${r.usd}"
        pairs(
            [(r.task, f"{r.wall_s} s, {price}: {r.successes} successes of {', '.join(r.products)}")], width=32
        )
