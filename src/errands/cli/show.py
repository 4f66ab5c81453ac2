"""`errands show TASK`: what an errand asks, what it checks, and what may sit it."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Json, Language, PackDir
from .screen import commands, console, pairs, put


def show(
    task: Annotated[str, typer.Argument(help="A task id, see `errands list`.")],
    market: Annotated[str, typer.Option("--market", "-m", help="Default: sg, else its first.")] = "",
    variant: Annotated[int, typer.Option("--variant")] = 0,
    language: Language = "en",
    pack: PackDir = None,
    json: Json = False,
) -> None:
    """Show an errand: instruction, boundary, criteria, accepted ways and wrong results."""
    from errands.markets import load_market
    from errands.tasks.registry import in_language, usual_market
    from errands.tasks.registry import task as find
    from errands.tasks.standing import standing

    t = find(task)
    c = t.contract
    market = market or usual_market(task)
    tongue = in_language(market, language) if market in c.front.markets else language
    built = t.instance(market, variant, tongue)  # names the markets that there are
    stands = standing(t, market)
    flaws = list(load_market(market).known_flaws)
    if json:
        put(
            {
                "task": t.id,
                "title": c.title,
                "front": c.front.model_dump(),
                "status": stands.status,
                "why_not_ready": stands.why,
                "market": market,
                "language": built.language,
                "known_flaws": flaws,
                "instruction": built.instruction,
                "final_state": c.final_state,
                "boundary": list(c.boundary),
                "criteria": [r.model_dump() for r in c.criteria],
                "alternatives": [a.model_dump() for a in c.alternatives],
                "wrong": [w.model_dump() for w in c.wrong],
                "agents": ["null", "refuse", "talker", "hasty", *t.solutions],
                "digest": t.digest,
                "fixture": built.fixture.digest,
            }
        )
        return
    from rich.markup import escape
    from rich.padding import Padding

    out = console()
    out.print(f" [bold]{escape(c.title)}[/]")
    out.print(
        f" [dim]{t.id} · {c.front.number} · {market} · {built.language} · variant {variant} · edition {c.front.edition}"
        f" · {stands.status}{f' ({stands.why})' if stands.why else ''}[/]",
        soft_wrap=True,
    )
    out.print(Padding(escape(built.instruction), (1, 3)))
    pairs(
        [
            *(("The line", escape(line)) for line in c.boundary),
            *((r.id, f"[dim]{r.kind}:[/] {escape(r.met_when)}") for r in c.criteria),
            ("Right ways", "  ".join(n for n in t.solutions if n.startswith("oracle"))),
            ("Wrong results", "  ".join(n for n in t.solutions if n.startswith("wrong:"))),
            *(("Known flaw", escape(f"{market}: {flaw}")) for flaw in flaws),
        ]
    )
    commands("Next", [f"errands run oracle --task {t.id}", f"errands run hasty --task {t.id}"])
