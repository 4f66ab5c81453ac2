"""`errands calibrate [selection]`: attack every task; what gets through, and what each criterion is there for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from errands.core.errors import UsageError

from .options import Chosen, Cores, Json, PackDir, grouped
from .screen import bar, console, note, put, shown_path, write

WEIGHED = (0, 1, 2)  # variants that a calibration goes through unless told otherwise


@grouped
def calibrate(
    chosen: Chosen,
    lock: Annotated[
        bool,
        typer.Option("--lock", help="If all is green, write it down: these errands are ready from then on."),
    ] = False,
    page: Annotated[Path | None, typer.Option("--page", help="Write the report as an HTML page.")] = None,
    steady: Annotated[
        bool,
        typer.Option("--steady", help="Instead of attacks: the same verdicts everywhere and every time?"),
    ] = False,
    jobs: Cores = 0,
    pack: PackDir = None,
    json: Json = False,
) -> None:
    """Sit every attack on every instance. Green (exit 0) where right ways pass, no attack does, and each criterion has
    an attack that fails there alone; else exit 1. Variants 0 to 2, unless you name others."""
    from errands.calibrate.report import calibrate as run
    from errands.calibrate.report import cores, report
    from errands.tasks.registry import select

    picked = chosen.selection
    if lock and (picked.variants or picked.language != "en" or steady or picked.held_out):
        raise UsageError(
            "a lock stands for variants 0 to 2 as they are asked in English",
            where="--lock",
            expected="no --variant, --language, --held-out or --steady beside it",
        )
    choices = select(picked if picked.variants else replace(picked, variants=WEIGHED))
    if steady:
        _steady(choices, jobs, json)
        return
    done = []
    with bar("instances attacked", len(choices), quiet=json) as advance:
        for one in run(choices, jobs or cores(), thorough=True):
            done.append(one)
            advance()
    told = report(done)
    if page is not None:
        from errands.calibrate.page import page as written

        write(page, written(told).encode())
        note(f"page: {shown_path(page)}")
    if json:
        put(told)
    else:
        _print(told)
    if not told["green"]:
        raise typer.Exit(1)
    if lock:
        _lock(told)


def _lock(told: dict[str, Any]) -> None:
    from errands.tasks.registry import task as find
    from errands.tasks.standing import lock

    for file in lock({find(t["task"]): t["markets"] for t in told["tasks"]}):
        note(f"locked: {shown_path(file)}")


def _steady(choices: list[Any], jobs: int, json: bool) -> None:
    from errands.calibrate.report import cores
    from errands.calibrate.steady import PLACES, steady

    with bar("places", len(PLACES), quiet=json) as advance:
        told = steady(choices, jobs or cores(), advance)
    if json:
        put(told)
    else:
        for p in told["places"]:
            mark = "[green]✓[/]" if not p["differ"] else "[red]✗[/]"
            console().print(f" {mark} {p['place']}: {p['attempts']} attempts in {p['seconds']:.0f} s")
            for name in p["differ"][:12]:
                console().print(f"     [red]{name} came out otherwise[/]")
        word = "[green]steady[/]" if told["steady"] else "[red]not steady[/]"
        console().print(f" {word}: {told['attempts']} attempts at {_instances(told['instances'])}")
    if not told["steady"]:
        raise typer.Exit(1)


def _instances(n: int) -> str:
    return f"{n} instance{'s' * (n != 1)}"


def _got(scores: dict[str, int]) -> str:
    """What an attack earned, under a protocol that counts."""
    from errands.grading.everyday import spoken, vector

    return f"{scores['points']} points" if "points" in scores else vector(scores) if spoken(scores) else ""


def _print(told: dict[str, Any]) -> None:
    from rich.markup import escape

    from errands.calibrate.report import shown

    out = console()
    for t in told["tasks"]:
        mark = "[green]✓[/]" if t["green"] else "[red]✗[/]"
        sat = sum(a["sat"] for a in t["attacks"].values())
        apart = sum(a["does_not_apply"] for a in t["attacks"].values())
        out.print(
            f" {mark} [bold]{t['task']}[/]  {_instances(t['instances'])}, {sat} trials, {apart} do not apply"
            f" ({100 * apart // max(1, sat + apart)} %)",
            soft_wrap=True,
        )
        for o in t["otherwise"][:12]:
            seen = "strict" if o["strict"] else f"failed at {', '.join(o['failed_at'])}"
            seen += f" with {got}" if (got := _got(o["scores"])) else ""
            out.print(
                f"     [red]{o['attack']}[/] {escape(o['name'])} {o['market']}/{o['variant']}:"
                f" must {o['must']}{'' if o['found'] else f', {seen}'}",
                soft_wrap=True,
            )
            for line in (*o["found"][:6], *o["missing"][:6]):
                out.print(f"         [dim]{escape(line)}[/]", soft_wrap=True)
        for name in t["not_crossed"]:
            out.print(f"     [red]no wrong result crosses the gate {name}[/]", soft_wrap=True)
        for name, by in t["kills"].items():
            out.print(
                f"     [dim]{name:<16} {escape(by) if by else '[red]no attack fails here alone[/]'}[/]",
                soft_wrap=True,
            )
    for name, got in told["idle"].items():
        means = ", ".join(f"{s.replace('_', ' ')} {shown(s, m)}" for s, m in got["mean"].items())
        out.print(f" [dim]{name:<9} {got['strict']}/{got['attempts']} strict; {means}[/]", soft_wrap=True)
    word = "[green]green[/]" if told["green"] else "[red]red[/]"
    out.print(f" {word}: {told['runs']} attempts at {_instances(told['instances'])}", soft_wrap=True)
