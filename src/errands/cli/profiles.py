"""`errands profiles`: the command-line agents that we know how to run, and how surely."""

from __future__ import annotations

from importlib.resources import files
from typing import Annotated

import typer

from .options import Json
from .screen import commands, console, put


def profiles(
    name: Annotated[str, typer.Argument(help="Print this one's file, to copy and change.")] = "",
    json: Json = False,
) -> None:
    """List the profiles of command-line agents, or print one: `errands profiles codex > mine.toml`."""
    from errands.agents.profiles import load_profile, names

    if name:
        load_profile(name)
        print(files("errands.agents").joinpath("profiles", f"{name}.toml").read_text("utf-8"), end="")
        return
    found = [(n, load_profile(n).profile) for n in names()]
    if json:
        put(
            {
                "profiles": [
                    {
                        "name": n,
                        "about": p.about,
                        "status": p.status,
                        "install": p.install,
                        "own_tools": p.own_tools,
                    }
                    for n, p in found
                ]
            }
        )
        return
    from rich.markup import escape
    from rich.table import Table

    grid = Table.grid(padding=(0, 2, 0, 1))
    for n, p in found:
        colour = "green" if p.proven else "yellow"
        grid.add_row(n, escape(p.about), f"[{colour}]{escape(p.status)}[/]")
    console().print(grid)
    commands("Next", ["errands profiles plain"], width=8)
