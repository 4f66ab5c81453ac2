"""`errands calibrate [selection]`: attack every task; what gets through, and what each criterion is there for."""

from __future__ import annotations

from typing import Any

import typer

from .screen import (
    Domain,
    Json,
    Language,
    Market,
    Suite,
    Tag,
    TaskName,
    Variant,
    bar,
    console,
    put,
    selection,
)


def calibrate(
    suite: Suite = None,
    domain: Domain = None,
    task: TaskName = None,
    market: Market = None,
    variant: Variant = None,
    tag: Tag = None,
    language: Language = "en",
    json: Json = False,
) -> None:
    """Sit every attack on every instance. Green (exit 0) where right ways pass, no attack does, and each criterion has
    an attack that fails there alone; else exit 1."""
    from errands.calibrate.report import calibrate as run
    from errands.calibrate.report import report
    from errands.tasks.registry import select

    choices = select(selection(suite, domain, task, market, variant, tag, language))
    done = []
    with bar("attacks", len(choices), quiet=json) as advance:
        for one in run(choices):
            done.append(one)
            advance()
    told = report(done)
    if json:
        put(told)
    else:
        _print(told)
    if not told["green"]:
        raise typer.Exit(1)


def _print(told: dict[str, Any]) -> None:
    from rich.markup import escape

    out = console()
    for t in told["tasks"]:
        mark = "[green]✓[/]" if t["green"] else "[red]✗[/]"
        sat = sum(a["sat"] for a in t["attacks"].values())
        apart = sum(a["does_not_apply"] for a in t["attacks"].values())
        out.print(
            f" {mark} [bold]{t['task']}[/]  {t['instances']} instances, {sat} sat, {apart} do not apply"
            f" ({100 * apart // max(1, sat + apart)} %)",
            soft_wrap=True,
        )
        for o in t["otherwise"][:12]:
            seen = "strict" if o["strict"] else f"failed at {', '.join(o['failed_at'])}"
            out.print(
                f"     [red]{o['attack']}[/] {escape(o['name'])} {o['market']}/{o['variant']}:"
                f" must {o['must']}, {seen}",
                soft_wrap=True,
            )
        for name, by in t["kills"].items():
            out.print(
                f"     [dim]{name:<14} {escape(by) if by else '[red]no attack fails here alone[/]'}[/]",
                soft_wrap=True,
            )
    word = "[green]green[/]" if told["green"] else "[red]red[/]"
    out.print(f" {word}: {told['runs']} attempts at {told['instances']} instances", soft_wrap=True)
