"""`errands check AGENT`: one probing attempt before any money is spent."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from errands.core.errors import UsageError

from .options import Chosen, Json, Limits, PackDir, grouped
from .screen import console, put


@grouped
def check(
    agent: Annotated[str, typer.Argument(help="As for `errands run`.")],
    *,
    chosen: Chosen,
    quick: Annotated[
        bool, typer.Option("--quick", help="Estimate for eight errands, chosen for spread.")
    ] = False,
    attempts: Annotated[int, typer.Option("--attempts", help="Estimate for so many of each.")] = 1,
    jobs: Annotated[int, typer.Option("--jobs", help="Estimate for so many at once.")] = 1,
    limits: Limits,
    pack: PackDir = None,
    json: Json = False,
) -> None:
    """Tell plumbing from skill with one attempt of two turns, and estimate time and cost of a selection."""
    from errands.agents import resolve
    from errands.exam.attempt import instance_of
    from errands.exam.plan import QUICK
    from errands.exam.probe import estimate, probe
    from errands.exam.spend import Spend
    from errands.tasks.registry import select, spread
    from errands.tasks.registry import task as find

    allowed = limits.terms
    mine = resolve(agent, allowed)
    choices = [c for c in select(chosen.selection) if mine.applies(find(c.task))]
    if not choices:
        raise UsageError(f"{agent} has nothing to do in this selection")
    planned = spread(choices, QUICK) if quick else choices
    first = spread(choices, 1)[0]
    with tempfile.TemporaryDirectory() as room, contextlib.redirect_stdout(sys.stderr):
        mine.load()
        seen = probe(
            mine,
            instance_of(first.task, first.market, first.variant, first.language),
            Spend(Path(room) / "spend.jsonl", allowed.max_usd, allowed.max_tokens),
            allowed.browser,
        )
    guess = estimate(seen, len(planned) * attempts, jobs)
    report = {
        "agent": agent,
        "ok": seen.ok,
        "isolation": mine.isolation,
        "probe": f"{first.task} {first.market} variant {first.variant}",
        **asdict(seen),
        "checks": [{"name": n, "ok": good, "seen": what} for n, good, what in seen.checks],
        "estimate": guess,
    }
    if json:
        put(report)
    else:
        _print(report)
    if not seen.ok:
        raise typer.Exit(3)


def _print(r: dict[str, Any]) -> None:
    from rich.markup import escape

    out = console()
    for c in r["checks"]:
        mark = "[green]✓[/]" if c["ok"] else "[red]✗[/]"
        out.print(f" {mark} {c['name']:<13} [dim]{escape(c['seen'])}[/]", soft_wrap=True)
    if r["trouble"]:
        out.print(f" [red]✗[/] {escape(r['trouble'])}", soft_wrap=True)
    if r["isolation"] in ("in-process", "unsafe-host"):
        where = "inside our process" if r["isolation"] == "in-process" else "without a sandbox"
        out.print(f" [yellow]![/] it runs {where}: evidence and card say “{r['isolation']}”", soft_wrap=True)
    e = r["estimate"]
    low, high = e["seconds"]
    first = "" if r["first_s"] is None else f"first sign after {r['first_s']:.1f} s, "
    out.print(f" [dim]probe: {r['probe']}, {first}{r['wall_s']:.1f} s in all; not graded[/]", soft_wrap=True)
    cost = f"${e['cost_usd'][0]:.2f}–{e['cost_usd'][1]:.2f}" if e["cost_usd"] else "unpriced"
    tokens = f", about {e['tokens']:,} tokens" if e["tokens"] else ""
    out.print(
        f" {e['attempts']} attempts with {e['jobs']} at once: {_time(low)}–{_time(high)}, {cost}{tokens}"
        " (half to twice of this one probe)",
        soft_wrap=True,
    )


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
