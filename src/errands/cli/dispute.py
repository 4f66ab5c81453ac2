"""`errands dispute ATTEMPT`: a verdict that somebody holds to be wrong, with all that one needs to look into it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Json, PackDir
from .screen import commands, console, put, recorded, shown_path


def dispute(
    attempt: Annotated[str, typer.Argument(help="RUN:N or last:N.")],
    because: Annotated[str, typer.Option("--because", help="What is wrong with the verdict, in a sentence.")],
    criterion: Annotated[str, typer.Option("--criterion", help="The criterion that is judged wrongly.")] = "",
    out: Annotated[Path | None, typer.Option("--out", help="The file to write.")] = None,
    pack: PackDir = None,
    json: Json = False,
) -> None:
    """Write all that is needed to look into one verdict into a file, with your reason."""
    from errands.evidence.regrade import open_bundle
    from errands.exam.rows import grade_bundle
    from errands.records.dispute import dispute as bundle
    from errands.records.dispute import save

    folder, planned, data = recorded(attempt)
    opened = open_bundle(data, str(folder.bundle(planned.n)))
    verdict = grade_bundle(folder, planned, opened)
    made = bundle(folder, planned, data, opened, verdict, because=because, criterion=criterion)
    file = save(made, out or Path(f"dispute-{folder.name}-{planned.n}.zip"))
    if json:
        put({"file": str(file), "attempt": f"{folder.name}:{planned.n}", "criterion": criterion})
        return
    console().print(
        f" [bold]{shown_path(file)}[/] holds evidence, key, verdict and your reason.", soft_wrap=True
    )
    commands("Next", ["open an issue and attach it; accepted ones stand in docs/errata.md"], width=4)
