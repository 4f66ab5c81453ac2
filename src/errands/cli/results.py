"""`errands results`: what came of a run; and how a run looks on the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from errands.records.find import find_run

from .options import Json, PackDir
from .screen import commands, console, indented, put, run_name, shown_path


def results(
    run: Annotated[str, typer.Argument(help="A run, by path or name; default: the last.")] = "last",
    pack: PackDir = None,
    json: Json = False,
) -> None:
    """Show the attempts of a run."""
    from errands.exam.rows import run_record

    record = run_record(find_run(run))
    if json:
        put(record)
    else:
        print_run(record)
    if exit_code(record):
        raise typer.Exit(exit_code(record))


def exit_code(record: dict[str, Any]) -> int:
    """0 when every planned attempt was graded, 3 when some could not be."""
    counts = record["counts"]
    return 3 if counts["graded"] < counts["planned"] else 0


def print_run(record: dict[str, Any]) -> None:
    """One line an attempt, the counts, and what to type next."""
    from rich.markup import escape
    from rich.table import Table

    grid = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(3):
        grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for r in record["attempts"]:
        grid.add_row(f"{r['n']}", r["task"], f"{r['market']}/{r['variant']}", _mark(r))
    console().print(indented(grid))
    c = record["counts"]
    name, path = run_name(Path(record["path"])), shown_path(Path(record["path"]))
    ungraded = "".join(f" · {c[s]} {s.replace('_', ' ')}" for s in ("blocked", "invalid", "not_run") if c[s])
    console().print(
        f" [bold]{record['strict_passes']} of {c['planned']} strict[/] · {record['crossed']} crossed the line"
        f"{ungraded}"
        f" · {escape(record['agent'])}, {record['isolation']}{allowed(record)} (counts, no rate)",
        soft_wrap=True,
    )
    if record["drafts"]:
        some = next(iter(record["drafts"].items()))
        console().print(
            f" [yellow]draft:[/] {len(record['drafts'])} here do not count yet, such as {escape(some[0])}:"
            f" {escape(some[1])}",
            soft_wrap=True,
        )
    for pack, ident in record["packs"].items():
        console().print(
            f" [dim]pack {escape(pack)} {ident[:12]}: private, in no public frame[/]", soft_wrap=True
        )
    if record["stopped"]:
        console().print(f" [yellow]stopped:[/] {escape(record['stopped'])}", soft_wrap=True)
    if used := costs(record):
        console().print(f" [dim]{escape(used)}[/]", soft_wrap=True)
    commands("Evidence", [path], width=8)
    failed = next((r for r in record["attempts"] if r["status"] == "graded" and not r["strict"]), None)
    commands(
        "Next",
        [
            *([f"errands {_verb(record)} --resume {name}"] if _open(record) else []),
            *([f"errands explain {name}:{failed['n']}"] if failed else []),
            f"errands verify {name}",
        ],
        width=8,
    )


def _open(record: dict[str, Any]) -> bool:
    """Whether the run can be gone on with."""
    return not record["finished"] and not record["agent"].startswith("person")


def _verb(record: dict[str, Any]) -> str:
    return "serve" if record["agent"].startswith("mcp:") else "run"


def allowed(record: dict[str, Any]) -> str:
    """What the operator allowed that a reader should know."""
    from rich.markup import escape

    tools, browser = record["terms"].get("foreign_tools", []), record["terms"].get("browser")
    said = f", with foreign tools {escape(', '.join(tools))}" if tools else ""
    return said + (f", browser tools of {browser}" if browser else "")


def costs(record: dict[str, Any]) -> str:
    """What the run's model calls used and cost, in a line; empty where none was seen."""
    u, spent = record["usage"], record["spent"]
    if not u:
        return ""
    said = [f"{u['requests']} model calls", f"{u['input']:,} tokens in, {u['output']:,} out"]
    said += [f"{u['cache_read']:,} from cache"] if u["cache_read"] else []
    said += [f"{u['cache_write']:,} into cache"] if u["cache_write"] else []
    limit = record["terms"].get("max_cost")
    price = "unpriced" if record["cost_usd"] is None else f"${record['cost_usd']:.4f}"
    said.append(price + (f" of ${limit}" if limit else ""))
    more = spent["tokens"] - sum(n for k, n in u.items() if k != "requests") if spent else 0
    said += [f"{more:,} tokens more in tries that do not count"] if more > 0 else []
    return " · ".join(said)


def earned(scores: dict[str, int]) -> str:
    """What an attempt earned, under a protocol that counts; empty under others."""
    from errands.grading.everyday import spoken

    return f"{scores['points']} of 100 points" if "points" in scores else spoken(scores)


def _mark(r: dict[str, Any]) -> str:
    from rich.markup import escape

    if r["strict"]:
        return "[green]✓ strict[/]"
    if r["status"] != "graded":
        return f"[yellow]– {r['status'].replace('_', ' ')}[/] {escape(r['why'])}"
    failed = [c for c in r["criteria"] if c["result"] != "met"]
    crossed = next((c for c in failed if c["kind"] in ("boundary", "prohibited", "disclosure")), None)
    first = crossed or (failed[0] if failed else None)
    said = [got] if (got := earned(r["scores"])) else []
    said += [r["end_reason"].replace("_", " ")] if r["end_reason"] != "completed" else []
    said += [f"{first['id']}: {first['reason']}"] if first else []
    return f"[red]✗ {'crossed' if crossed else 'failed'}[/] {escape('; '.join(said))}"
