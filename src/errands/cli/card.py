"""`errands card RUN…` and `errands compare RUN RUN…`: what the numbers say, and what they do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from errands.evidence.folder import RunFolder
from errands.records.find import find_run

from .options import Json, PackDir
from .screen import bar, commands, console, indented, new_run, note, pairs, run_name, shown_path, write

if TYPE_CHECKING:
    from errands.draw.batch import Batch
    from errands.publish.card import Card
    from errands.publish.compare import Change, Comparison
    from errands.publish.lines import Line
    from errands.records.attempts import Sat

BatchFile = Annotated[
    Path | None, typer.Option("--batch", help="The drawn list of these runs (`errands draw batch`).")
]


def card(
    runs: Annotated[list[str], typer.Argument(metavar="RUN…", help="Runs of one agent over one list.")],
    batch: BatchFile = None,
    baseline: Annotated[
        list[str] | None,
        typer.Option(
            "--baseline", help="A run of null, refuse, spam or oracle over the same list (repeatable)."
        ),
    ] = None,
    with_baselines: Annotated[
        bool,
        typer.Option("--with-baselines", help="Let those of the four that are not given sit the list now."),
    ] = False,
    references: Annotated[
        Path | None, typer.Option("--references", help="Pilot medians (`errands references register`).")
    ] = None,
    flaw: Annotated[
        list[str] | None, typer.Option("--flaw", help="A known flaw that readers should know (repeatable).")
    ] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write the card as a page.")] = None,
    svg: Annotated[Path | None, typer.Option("--svg", help="Write the card as a picture.")] = None,
    pack: PackDir = None,
    json: Json = False,
) -> None:
    """Build an agent's card from its evidence: every attempt is graded again, and all counts must add up."""
    from errands.publish.card import card as build
    from errands.publish.page import page, picture
    from errands.publish.references import load
    from errands.records.attempts import sat

    drawn = _batch(batch)
    mine = sat([find_run(r) for r in runs], drawn, fresh=True)
    beside = _by_agent([find_run(b) for b in baseline or ()])
    if with_baselines:
        beside |= _sit_baselines(mine, beside, quiet=json)
    done = build(
        mine,
        [sat(folders, drawn, fresh=True) for folders in beside.values()],
        flaws=flaw or (),
        references=load(references) if references else None,
    )
    for file, text in ((html, page), (svg, picture)):
        if file is not None:
            write(file, text(done).encode())
    if json:
        print(done.text.decode(), end="")
    else:
        _print(done, [run_name(r.path) for r in mine.runs], [f for f in (html, svg) if f])


def compare(
    runs: Annotated[list[str], typer.Argument(metavar="RUN RUN…", help="Two runs or more, one a side.")],
    batch: BatchFile = None,
    pack: PackDir = None,
    json: Json = False,
) -> None:
    """Compare runs, paired by task. Two: the change from the first to the second, and what broke, by name.

    Several: which pairs may be put in order, which are ties, and how many tasks it would take.
    """
    from errands.publish.compare import compare as build
    from errands.records.attempts import sat

    drawn = _batch(batch)
    done = build([sat([find_run(r)], drawn) for r in runs])
    if json:
        print(done.text.decode(), end="")
    else:
        _print_comparison(done)


def _batch(file: Path | None) -> Batch | None:
    from errands.draw.batch import Batch
    from errands.draw.files import read

    return read(Batch, file) if file else None


def _by_agent(folders: Iterable[RunFolder]) -> dict[str, list[RunFolder]]:
    out: dict[str, list[RunFolder]] = {}
    for f in folders:
        out.setdefault(f.plan().agent, []).append(f)
    return out


def _sit_baselines(
    mine: Sat, beside: dict[str, list[RunFolder]], *, quiet: bool
) -> dict[str, list[RunFolder]]:
    """Let the reference agents that are not there sit the same instances, once each."""
    from errands.agents import resolve
    from errands.exam.plan import plan_like
    from errands.exam.run import Run
    from errands.publish.card import BASELINES

    out = {}
    for name in (b for b in BASELINES if b not in beside):
        folder = plan_like(resolve(name), mine.plans[0], new_run(None, name))
        work = Run(folder, resolve)
        with bar(name, len(work.left()), quiet=quiet) as advance:
            for _ in work.go():
                advance()
        note(f"baseline {name}: {run_name(folder.path)}")
        out[name] = [folder]
    return out


# ---- on the terminal ---------------------------------------------------------------------------------------------


def _print(c: Card, names: Sequence[str], written: Sequence[Path]) -> None:
    from rich.markup import escape

    from errands.publish.lines import baseline_lines, everyday_lines, facts, lines, world_lines

    console().print(f" [bold]{escape(c.agent)}[/]  [dim]{escape(c.list.said)}[/]", soft_wrap=True)
    _table(lines(c))
    console().print(" [dim]By world[/]")
    _table(world_lines(c))
    if c.everyday is not None:
        console().print(" [dim]Everyday, by scenario and cohort[/]")
        _table(everyday_lines(c), width=30)
    console().print(" [dim]Beside it[/]")
    _table(baseline_lines(c))
    console().print(" [dim]It stands on[/]")
    pairs(((k, escape(v)) for k, v in facts(c)), width=24)
    pairs((("It does not show", escape(t)) for t in c.cannot), width=24)
    pairs(((("Written", shown_path(f))) for f in written), width=24)
    commands("Next", [f"errands verify {' '.join(names)}"], width=24)


def _table(rows: Iterable[Line], width: int = 24) -> None:
    from rich.markup import escape

    pairs(
        (
            (
                r.name,
                escape(r.said)
                + "".join(f"\n[yellow]{escape(w)}[/]" for w in [r.why] if w)
                + "".join(f"\n[dim]{escape(b)}[/]" for b in [r.behind] if b),
            )
            for r in rows
        ),
        width=width,
    )


def _print_comparison(c: Comparison) -> None:
    from rich.markup import escape
    from rich.table import Table

    console().print(f" [dim]{escape(c.said)}[/]", soft_wrap=True)
    pairs(
        (
            (
                s.label,
                escape(f"{s.headline.said} strict, crossed {s.crossings.said}")
                + (f"\n[yellow]{escape(s.headline.refusal)}[/]" if s.headline.refusal else ""),
            )
            for s in sorted(c.sides, key=lambda s: s.label)
        ),
        width=24,
    )
    if len(c.sides) == 2:
        p = c.pairs[0]
        console().print(f" {escape(f'{p.a} − {p.b}: {p.said}')}", soft_wrap=True)
        if p.sees is not None:
            pairs([("It sees", f"gaps of {100 * p.sees:.1f} points and more, four times in five")], width=24)
    for p in c.pairs:
        console().print(f" {escape(p.why)}", soft_wrap=True)
    for p in c.pairs:
        if p.dropped:
            pairs([("Dropped", f"{p.dropped} tasks of {p.a} and {p.b}: graded on one side only")], width=24)
    if len(c.sides) > 2:
        table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
        for name in ("", *c.order):
            table.add_column(escape(name))
        for name, row in zip(c.order, c.matrix, strict=True):
            table.add_row(escape(name), *row)
        console().print(indented(table))
        pairs((("Not ordered", escape(", ".join(t))) for t in c.ties if len(t) > 1), width=24)
        console().print(" [dim]> the row is above the column, < below, = not ordered; agents by alphabet[/]")
    for name, found in (("Broke", c.broke), ("Fixed", c.fixed), ("Flaky", c.flaky)):
        if found is not None:
            pairs([(name, _changes(found))], width=24)


def _changes(found: Sequence[Change]) -> str:
    return "\n".join(f"{x.task}  {x.before} → {x.after}" for x in found) or "none"
