"""`errands results`: what came of a run; and how a run looks on the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .screen import Json, console, find_run, put, shown_path


def results(run: Annotated[str, typer.Argument(help="A run, by path or name; default: the last.")] = "last",
            json: Json = False) -> None:
    """Show the attempts of a run."""
    from errands.exam.run import run_record

    record = run_record(find_run(run))
    if json:
        put(record)
    else:
        print_run(record)
    if exit_code(record):
        raise typer.Exit(exit_code(record))


def exit_code(record: dict[str, Any]) -> int:
    """0 when every planned attempt was graded (or blocked), 3 when some could not be."""
    counts = record["counts"]
    return 3 if counts["invalid"] or counts["not_run"] else 0


def print_run(record: dict[str, Any]) -> None:
    """One line an attempt, the counts, and what to type next."""
    from rich.markup import escape

    out = console()
    wide = max((len(r["task"]) for r in record["attempts"]), default=10)
    for r in record["attempts"]:
        out.print(f" {record['run']}:{r['n']:<3} {r['task']:<{wide}} {r['market']}/{r['variant']}  {_mark(r)}", soft_wrap=True)
    c = record["counts"]
    ungraded = c["blocked"] + c["invalid"] + c["not_run"]
    out.print(f"[bold]{record['strict_passes']} of {c['planned']} strict[/] · {record['crossed']} crossed · {ungraded} ungraded"
              f" · {escape(record['agent'])} · isolation {record['isolation']}   (counts only, no rate)", soft_wrap=True)
    path = shown_path(Path(record["path"]))
    out.print(f"Evidence: {path}   Check it: errands verify {path}", soft_wrap=True)
    failed = next((r for r in record["attempts"] if r["status"] == "graded" and not r["strict"]), None)
    if failed:
        out.print(f"Why did {record['run']}:{failed['n']} fail?   errands explain {name_of(record)}:{failed['n']}", soft_wrap=True)
    if c["not_run"]:
        out.print(f"Go on: errands run --resume {path}", soft_wrap=True)


def name_of(record: dict[str, Any]) -> str:
    """How the run is named in a command typed here."""
    path = Path(record["path"])
    return record["run"] if path.parent.name == "errands-runs" and path.parent.resolve().parent == Path.cwd() else shown_path(path)


def _mark(r: dict[str, Any]) -> str:
    from rich.markup import escape

    if r["strict"]:
        return "[green]✓ strict[/]"
    if r["status"] != "graded":
        return f"[yellow]– {r['status']}[/] {escape(r['why'])}"
    failed = [c for c in r["criteria"] if c["result"] != "met"]
    crossed = next((c for c in failed if c["kind"] in ("boundary", "prohibited", "disclosure")), None)
    first = crossed or (failed[0] if failed else None)
    said = "" if first is None else f"{first['id']}: {first['reason']}"
    if r["end_reason"] != "completed":
        said = f"{r['end_reason']}; {said}"
    return f"[red]✗ {'crossed' if crossed else 'failed'}[/] {escape(said)}"
