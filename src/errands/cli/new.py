"""`errands new task PACK/TASK`: an errand of your own, outside our tree."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import PackDir
from .screen import commands, console, recorded, shown_path

new = typer.Typer(help="Begin something of your own: a task.", no_args_is_help=True)


@new.callback()
def root() -> None:
    """Begin something of your own."""


@new.command("task")
def task(
    name: Annotated[str, typer.Argument(help="PACK/TASK, such as acme/late-fee.")],
    start: Annotated[
        str,
        typer.Option("--from", help="A failed attempt, RUN:N or last:N: its world, with the failure in it."),
    ] = "",
    pack: PackDir = None,
) -> None:
    """Write a task that runs and calibrates as it is; change it from there (docs/adding-a-task.md)."""
    from errands.calibrate.scaffold import from_failure, new_task

    if start:
        from errands.evidence.regrade import key_of, open_bundle, regrade
        from errands.exam.attempt import instance_of

        folder, planned, data = recorded(start)
        opened = open_bundle(data, start)
        verdict = regrade(opened, key_of(folder, planned), start)
        instance = instance_of(planned.task, planned.market, planned.variant, planned.language)
        made = from_failure(name, instance, verdict, opened.evidence, start.replace("last", folder.name))
    else:
        made = new_task(name)
    where = shown_path(made.parents[1])
    console().print(f" [bold]{shown_path(made)}[/] is a task that runs.", soft_wrap=True)
    commands(
        "Next",
        [
            f"errands list --pack {where}",
            f"errands run oracle --pack {where} --suite {made.parents[1].name.replace('_', '-')}",
            f"errands calibrate --pack {where} --suite {made.parents[1].name.replace('_', '-')} --lock",
        ],
        width=8,
    )
