"""`errands draw …`: frame, rules, batch, commitment, and what a stranger needs to check them."""

from __future__ import annotations

import typer

from . import commitment, lists

draw = typer.Typer(
    help="Draw a list of tasks by a published rule: frame, rules, batch; commit, reveal, verify.",
    no_args_is_help=True,
)
for command in (
    lists.frame,
    lists.rules,
    lists.batch,
    lists.show,
    lists.withdraw,
    commitment.commit,
    commitment.prove,
    commitment.reveal,
    commitment.verify,
):
    draw.command()(command)


@draw.callback()
def root() -> None:
    """Draw a list of tasks."""
