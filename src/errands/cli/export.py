"""`errands export …`: attempts in formats that other tools read, and a fixture as files for a run by hand."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from errands.core.errors import UsageError

from .options import Json, PackDir
from .screen import commands, note, pairs, put, recorded, shown_path, write


class _Formats(TyperGroup):
    """The formats as commands; an unknown one is told apart from a wrong use of one."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and self.get_command(ctx, args[0]) is None:
            raise UsageError(f"there is no format {args[0]!r}", expected=", ".join(self.commands))
        return super().resolve_command(ctx, args)


export = typer.Typer(
    cls=_Formats,
    no_args_is_help=True,
    help="An attempt as a trajectory, runs as tables, a fixture as files for a run by hand.",
)
Runs = Annotated[list[str], typer.Argument(metavar="RUN…", help="Runs of one agent.")]
Folder = Annotated[Path | None, typer.Option("--out", help="The folder for the tables.")]
Drawn = Annotated[Path | None, typer.Option("--batch", help="The drawn list, for groups and probabilities.")]


@export.command("atif")
def atif(
    what: Annotated[list[str], typer.Argument(metavar="ATTEMPT", help="RUN:N or last:N.")],
    out: Annotated[Path | None, typer.Option("--out", help="The file, else it is printed.")] = None,
    pack: PackDir = None,
) -> None:
    """An attempt as a trajectory (Agent Trajectory Interchange Format)."""
    from errands.evidence.regrade import open_bundle
    from errands.export.atif import trajectory

    if len(what) != 1:
        raise UsageError("a trajectory is of one attempt", expected="RUN:N")
    folder, planned, data = recorded(what[0])
    told = trajectory(open_bundle(data, str(folder.bundle(planned.n))), f"{folder.name}:{planned.n}", data)
    text = jsonlib.dumps(told, ensure_ascii=False, indent=1)
    if out is None:
        print(text)
        return
    write(out, f"{text}\n".encode())


@export.command("jsonl")
def jsonl(what: Runs, out: Folder = None, batch: Drawn = None, pack: PackDir = None) -> None:
    """Runs as tables from which every figure of a card can be worked out, as JSON Lines."""
    _tables("jsonl", what, out, batch)


@export.command("parquet")
def parquet(what: Runs, out: Folder = None, batch: Drawn = None, pack: PackDir = None) -> None:
    """The same tables as Parquet files (with the extra `tables`)."""
    _tables("parquet", what, out, batch)


def _tables(form: str, runs: list[str], out: Path | None, batch: Path | None) -> None:
    from errands.draw.batch import Batch
    from errands.draw.files import read
    from errands.export.tables import write
    from errands.records.attempts import sat
    from errands.records.find import find_run
    from errands.records.tables import columns, tables

    if out is None:
        raise UsageError("tables need a folder", where="--out", expected="--out DIR")
    drawn = read(Batch, batch) if batch else None
    found = tables(sat([find_run(r) for r in runs], drawn))
    for file in write(form, out, found, columns()):
        note(f"{len(found[file.stem])} {file.stem}: {shown_path(file)}")


@export.command("hand")
def hand(
    task: Annotated[str, typer.Argument(metavar="TASK", help="A task id, see `errands list`.")] = "",
    market: Annotated[str, typer.Option("--market", "-m", help="Default: sg, else its first.")] = "",
    variant: Annotated[int, typer.Option("--variant")] = 0,
    to: Annotated[
        Path | None, typer.Option("--to", help="The folder to write, not there yet or empty.")
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option("--check", help="Look at such a folder again: what its record lacks, or its score."),
    ] = None,
    pack: PackDir = None,
    json: Json = False,
) -> None:
    """A fixture as files for a run by hand: what goes into test accounts, and a run sheet for the tester.

    With --check DIR the folder of a run that was done: exit code 0 where its record is complete, 3 where it lacks
    something, 1 where an exported file was changed.
    """
    if check is not None:
        if task or to is not None:
            raise UsageError("one thing at a time", where="--check", expected="--check DIR alone")
        _check(check, json)
    elif not task:
        raise UsageError("name an errand", expected="TASK --to DIR, or --check DIR")
    elif to is None:
        raise UsageError("it needs a folder", where="--to", expected="--to DIR")
    else:
        _export(task, market, variant, to, json)


def _export(name: str, market: str, variant: int, to: Path, json: bool) -> None:
    from errands.export.hand.build import AGENT, exported
    from errands.export.hand.folder import write
    from errands.tasks.registry import task as find
    from errands.tasks.registry import usual_market

    market = market or usual_market(name)
    files = exported(find(name), market, variant)
    write(to, files)
    manifest = jsonlib.loads(files["manifest.json"])
    if json:
        put({"folder": str(to), **{k: v for k, v in manifest.items() if k != "files"}, "files": len(files)})
        return
    own = [f for f in files if f.startswith(f"{AGENT}/")]
    later = [f for f in own if f.startswith(f"{AGENT}/later/")]
    pairs(
        [
            ("Errand", f"{name} · {market} · variant {variant}"),
            *(("Fixture", f"{sha} [dim]{language}[/]") for language, sha in manifest["fixtures"].items()),
            ("For accounts", f"{len(own) - len(later)} files, and {len(later)} that come later"),
            ("Run sheet", shown_path(to / "tester" / "sheet.html")),
            ("Keep apart", "tester/ holds the criteria and the key: never show it to the product"),
        ]
    )
    commands("Afterwards", [f"errands export hand --check {shown_path(to)}"])


def _check(folder: Path, json: bool) -> None:
    from errands.export.hand.record import check
    from errands.grading.everyday import spoken

    found = check(folder)
    code = 1 if found.changed else 3 if found.lacks else 0
    got = found.scored
    if json:
        put(
            {
                "task": found.sheet.task,
                "market": found.sheet.market,
                "variant": found.sheet.variant,
                "complete": code == 0,
                "changed": list(found.changed),
                "lacks": list(found.lacks),
                "status": got.status if got else None,
                "strict": got.strict if got else None,
                "unscored": found.unscored,
                "scores": got.scores if got else {},
            }
        )
    else:
        from rich.markup import escape

        said = spoken(got.scores) if got else ""
        said = said or ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in (got.scores if got else {}).items())
        pairs(
            [
                ("Errand", f"{found.sheet.task} · {found.sheet.market} · variant {found.sheet.variant}"),
                *(("Changed", escape(x)) for x in found.changed),
                *(("Lacks", escape(x)) for x in found.lacks),
                ("Status", f"{got.status}{': unscored' if got.status == 'blocked' else ''}" if got else ""),
                ("Unscored", found.unscored),
                ("Score", said if got and got.status == "graded" else ""),
                ("Strict", ("yes" if got.strict else "no") if got and got.status == "graded" else ""),
            ]
        )
    if code:
        raise typer.Exit(code)
