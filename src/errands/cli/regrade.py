"""`errands regrade RUN` and `errands dispute ATTEMPT`: what is judged otherwise today, and what should be."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from errands.records.find import find_run

from .screen import Json, PackDir, commands, console, put, recorded, shown_path


def regrade(
    run: Annotated[str, typer.Argument(help="A run, by path, name or `last`.")],
    pack: PackDir = None,
    json: Json = False,
) -> None:
    """Grade recorded evidence by today's criteria and say which verdicts change, and why (exit 1 if any does).

    What is on record stays as it is. Verdicts of two editions are never put into one rate.
    """
    from errands.records.regrade import regrade_run, to_json

    done = regrade_run(find_run(run))
    changed, broken = [r for r in done if r.changed], [r for r in done if r.problem]
    if json:
        put(
            {
                "run": run,
                "attempts": len(done),
                "changed": len(changed),
                "not_graded": len(broken),
                "rows": [to_json(r) for r in done],
            }
        )
    else:
        from rich.markup import escape

        for r in [*changed, *broken]:
            console().print(
                f" [yellow]{r.n}[/]  {r.name}  [dim]edition {' → '.join(dict.fromkeys(r.editions))}[/]",
                soft_wrap=True,
            )
            for line in r.why or (r.problem,):
                console().print(f"      {escape(line)}", soft_wrap=True)
        unknown = sum(r.before is None and not r.problem for r in done)
        console().print(
            f" {len(changed)} of {len(done)} verdicts are others by today's criteria"
            + (f"; {unknown} had none on record" if unknown else "")
            + (f"; {len(broken)} cannot be graded here" if broken else ""),
            soft_wrap=True,
        )
    if changed:
        raise typer.Exit(1)
    if broken:
        raise typer.Exit(3)


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
    from errands.exam.run import grade_bundle
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
