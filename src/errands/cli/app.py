"""The application: commands, and what errors become on the way out."""

from __future__ import annotations

import sys
from typing import Any

import typer

from errands import __version__
from errands.core.errors import ErrandsError, EvidenceError, TaskError, UsageError

from . import (
    calibrate,
    card,
    check,
    demo,
    diff,
    dispute,
    doctor,
    draw,
    explain,
    export,
    gate,
    index,
    init,
    listing,
    new,
    profiles,
    references,
    regrade,
    results,
    run_cmd,
    serve,
    show,
    try_,
    verify,
)
from .screen import note

app = typer.Typer(
    name="errands",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="An open exam for personal agents: everyday errands in simulated worlds, graded from the world's own"
    " records.",
    epilog="Exit codes: 0 done; 1 verify found changed evidence or another verdict, calibrate is red, regrade found"
    " other verdicts, draw verify found another list; 2 wrong usage or"
    " unreadable input; 3 some attempt could not be graded, or the"
    " gate could not be judged; 4 the gate failed; 130 interrupted.",
)
app.command("demo")(demo.demo)
app.command("init")(init.init)
app.add_typer(new.new, name="new")
app.command("check")(check.check)
app.command("list")(listing.list_)
app.command("profiles")(profiles.profiles)
app.command("show")(show.show)
app.command("run")(run_cmd.run)
app.command("gate")(gate.gate)
app.command("serve")(serve.serve)
app.command("try")(try_.try_)
app.command("results")(results.results)
app.command("explain")(explain.explain)
app.command("diff")(diff.diff)
app.command("verify")(verify.verify)
app.command("regrade")(regrade.regrade)
app.command("dispute")(dispute.dispute)
app.add_typer(export.export, name="export")
app.command("card")(card.card)
app.command("compare")(card.compare)
app.add_typer(references.references, name="references")
app.command("calibrate")(calibrate.calibrate)
app.add_typer(draw.draw, name="draw")
app.command("index")(index.index)
app.command("doctor")(doctor.doctor)


@app.callback(invoke_without_command=True)
def root(version: bool = typer.Option(False, "--version", help="Print the version and stop.")) -> None:
    """An open exam for personal agents."""
    if version:
        print(__version__)
        raise typer.Exit


def run(args: list[str] | None = None) -> Any:
    """Run the command line; exits with the documented codes."""
    try:
        app(args=args)
    except UsageError as why:
        _fail(why, 2)
    except (TaskError, EvidenceError) as why:
        _fail(why, 2)
    except ErrandsError as why:
        _fail(why, 3)
    except BrokenPipeError:
        sys.exit(0)


def _fail(why: ErrandsError, code: int) -> None:
    """What was wrong and where; below it what was expected and what to do."""
    note(f"[red]error:[/] {_escape(f'{why.where}: {why.what}' if why.where else why.what)}")
    if why.expected:
        note(f"  expected {_escape(why.expected)}")
    if why.do:
        note(f"  {_escape(why.do)}")
    sys.exit(code)


def _escape(text: str) -> str:
    from rich.markup import escape

    return escape(text)
