"""`errands regrade RUN`: what is judged otherwise today."""

from __future__ import annotations

from typing import Annotated

import typer

from errands.records.find import find_run

from .options import Json, PackDir
from .screen import console, put


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
