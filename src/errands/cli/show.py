"""`errands show TASK`: what an errand asks, what it checks, and what may sit it."""

from __future__ import annotations

from typing import Annotated

import typer

from .screen import Json, console, put


def show(task: Annotated[str, typer.Argument(help="A task id, see `errands list`.")],
         market: Annotated[str, typer.Option("--market", "-m")] = "sg",
         variant: Annotated[int, typer.Option("--variant")] = 0, json: Json = False) -> None:
    """Show an errand: instruction, boundary, criteria, accepted ways and wrong results."""
    from errands.tasks.registry import task as find

    t = find(task)
    c = t.contract
    built = t.instance(market, variant)
    if json:
        put({"task": t.id, "title": c.title, "front": c.front.model_dump(), "instruction": built.instruction,
             "final_state": c.final_state, "boundary": list(c.boundary), "criteria": [r.model_dump() for r in c.criteria],
             "alternatives": [a.model_dump() for a in c.alternatives], "wrong": [w.model_dump() for w in c.wrong],
             "agents": ["null", "refuse", "talker", "hasty", *t.solutions], "digest": t.digest,
             "fixture": built.fixture.digest})
        return
    from rich.markup import escape
    from rich.padding import Padding

    out = console()
    out.print(f"[bold]{escape(c.title)}[/]  {t.id} · {c.front.number} · edition {c.front.edition} · {c.front.status}")
    out.print(Padding(escape(built.instruction), (1, 2)))
    out.print("[bold]Allowed[/]")
    for line in c.boundary:
        out.print(f"  · {escape(line)}")
    out.print("[bold]Criteria[/]")
    for r in c.criteria:
        out.print(f"  {r.id:<14}[dim]{r.kind:<11}[/]{escape(r.met_when)}")
    out.print(f"[bold]Agents[/]  oracle  {'  '.join(n for n in t.solutions if n.startswith('oracle:'))}")
    out.print(f"        {'  '.join(n for n in t.solutions if n.startswith('wrong:'))}")
    out.print(f"Sit it: errands run oracle --task {t.id}", soft_wrap=True)
