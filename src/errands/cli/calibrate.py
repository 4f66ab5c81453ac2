"""`errands calibrate [selection]`: attack every task; what gets through, and what each criterion is there for."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .screen import Domain, Json, Language, Market, Suite, Tag, TaskName, Variant, console, put, selection


def calibrate(
    suite: Suite = None,
    domain: Domain = None,
    task: TaskName = None,
    market: Market = None,
    variant: Variant = None,
    tag: Tag = None,
    language: Language = "en",
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
    json: Json = False,
) -> None:
    """Sit every attack on every instance. Green (exit 0) where right ways pass, no attack does, and each criterion has
    an attack that fails there alone; else exit 1."""
    from errands.calibrate.report import calibrate as run
    from errands.calibrate.report import report
    from errands.tasks.registry import select

    choices = select(selection(suite, domain, task, market, variant, tag, language))
    done = []
    with _bar(len(choices), quiet or json) as advance:
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


def _bar(total: int, quiet: bool) -> Any:
    from contextlib import contextmanager

    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    @contextmanager
    def bar() -> Any:
        if quiet or not console(True).is_terminal:
            yield lambda: None
            return
        columns = (TextColumn("attacks"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=console(True), transient=True) as shown:
            row = shown.add_task("", total=total)
            yield lambda: shown.advance(row)

    return bar()


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
