"""`errands gate AGENT`: for CI. Has it broken what it could do before? Exit 0 holds, 4 failed, 3 not judged."""

from __future__ import annotations

import datetime
import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from errands.core.errors import UsageError
from errands.exam.terms import Terms
from errands.records.find import find_run
from errands.tasks.registry import Selection

from .options import Attempts, Chosen, Jobs, Json, Limits, PackDir, grouped
from .run_cmd import SPENT, widen, within, within_reach
from .screen import bar, commands, console, new_run, note, put, run_name, shown_path, write

if TYPE_CHECKING:
    from errands.draw.batch import Batch
    from errands.evidence.folder import RunFolder
    from errands.gate.judge import Outcome, Task
    from errands.gate.listed import Quarantined
    from errands.gate.report import Report
    from errands.gate.requirements import Requirement
    from errands.gate.session import Session
    from errands.stats.records import Attempt
    from errands.tasks.registry import Choice

SHOWN = 12


@grouped
def gate(
    agent: Annotated[str, typer.Argument(help="As for `errands run`.")] = "",
    tasks: Annotated[
        Path | None, typer.Option("--tasks", help="TOML or JSON: which instances, and which in quarantine.")
    ] = None,
    batch: Annotated[Path | None, typer.Option("--batch", help="The tasks of this drawn list.")] = None,
    *,
    chosen: Chosen,
    attempts: Attempts = 3,
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", help="What --write-baseline wrote: breaks are told against it."),
    ] = None,
    write_baseline: Annotated[
        Path | None,
        typer.Option(
            "--write-baseline", help="Write what was seen; not where the gate failed or had no judgement."
        ),
    ] = None,
    date: Annotated[
        str,
        typer.Option("--date", help="Of the baseline that is written; default: when the run was planned."),
    ] = "",
    today: Annotated[
        str, typer.Option("--today", help="For ages in quarantine, as 2026-10-04; default: the host's date.")
    ] = "",
    require: Annotated[
        list[str] | None,
        typer.Option(
            "--require",
            help="As 'crossed == 0': crossed, strict, invalid, blocked, coverage; == <= >= (repeatable).",
        ),
    ] = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write a JUnit file.")] = None,
    comment: Annotated[
        Path | None, typer.Option("--comment", help="Write Markdown for a pull request.")
    ] = None,
    jobs: Jobs = 1,
    limits: Limits,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder of the run; re-runs lie beside it, as OUT-again.")
    ] = None,
    resume: Annotated[
        str, typer.Option("--resume", help="Go on with this gate's run: its agent, instances and attempts.")
    ] = "",
    pack: PackDir = None,
    json: Json = False,
) -> None:
    """Judge an agent task by task against a baseline, and by requirements. Breaks are re-run before they block."""
    from errands.agents import resolve
    from errands.draw.batch import Batch
    from errands.draw.files import read
    from errands.exam.plan import plan_batch, plan_listed
    from errands.gate.baseline import read_baseline, taken
    from errands.gate.comment import comment as commented
    from errands.gate.judge import judge
    from errands.gate.junit import junit as as_junit
    from errands.gate.report import Report
    from errands.gate.requirements import requirement
    from errands.gate.session import Session, not_run
    from errands.tasks.registry import task as find

    if not 1 <= jobs <= 64:
        raise UsageError(f"{jobs} jobs are out of range", where="--jobs", expected="1 to 64")
    if attempts < 1:
        raise UsageError(f"{attempts} attempts are too few", where="--attempts", expected="1 or more")
    wanted = [requirement(text) for text in require or ()]
    seen_on, taken_on = _date(today, "--today"), _date(date, "--date")
    picked, allowed = chosen.selection, limits.terms
    drawn = read(Batch, batch) if batch else None
    listed = _Listed([], {}, ())
    if tasks or drawn or not resume:
        listed = _listed(tasks, drawn, picked)
    begun = None
    if resume:
        if out or attempts != 3 or picked != Selection() or within(allowed) != Terms():
            raise UsageError(
                "a gate that goes on has its agent, instances and folder already",
                where="--resume",
                expected="--tasks or --batch as before, and what is judged: --baseline, --require, …",
            )
        begun = find_run(resume)
        listed, attempts = _begun(begun, agent, listed)
        agent, allowed = begun.plan().agent, _widened(begun, allowed)
    elif not agent:
        raise UsageError(
            "no agent is named", expected="an agent, or --resume RUN", do="try `errands gate oracle`"
        )
    mine = resolve(agent, allowed)
    if agent.startswith("mcp:"):
        raise UsageError(
            "this agent is served, not run, and a gate sits its agent itself",
            where=agent,
            expected="cmd:…, webhook:…, model:… or a function",
        )
    if not (resume or tasks or drawn):
        listed = replace(listed, choices=[c for c in listed.choices if mine.applies(find(c.task))])
    held = None
    if baseline:
        _intervals()
        held = read_baseline(baseline, listed.choices, attempts)
    session, trouble = None, ""
    try:
        mine.check()
    except UsageError as why:
        trouble = f"could not start: {why}"
    if not trouble:
        if begun:
            folder = begun
        elif drawn:
            folder = plan_batch(
                mine, drawn, attempts, new_run(out, agent), language=picked.language, terms=allowed
            )
        else:
            folder = plan_listed(mine, listed.choices, attempts, new_run(out, agent), terms=allowed)
        session = Session(
            folder,
            resolve,
            listed.groups,
            jobs=jobs,
            limits=allowed,
            watch=lambda what, n: bar(what, n, quiet=json),
            keep=bool(resume),
        )
    judging = {"--tasks": tasks, "--batch": batch, "--baseline": baseline}
    with _interruptible(session, judging, wanted):
        sat = session.first() if session else not_run(listed.choices, attempts, listed.groups, agent)
        judged = judge(
            sat,
            session.again if session else _never,
            attempts=attempts,
            baseline=held,
            requirements=wanted,
            quarantine=[q.id for q in listed.quarantine],
            stopped=session.stopped if session else trouble,
        )
    records = session.records if session else []
    report = Report(
        agent,
        judged,
        records,
        held,
        listed.quarantine,
        session.short if session else "",
        seen_on or _host_date(),
    )
    files = {
        "JUnit": (junit, as_junit(report)),
        "Comment": (comment, commented(report).encode(errors="replace")),
    }
    # What broke must not become what is held against the next.
    if write_baseline and session and judged.verdict != "not judged" and not (held and judged.exit_code):
        day = taken_on.isoformat() if taken_on else session.folder.plan().created[:10]
        files["Baseline"] = (write_baseline, taken(agent, day, attempts, sat, listed.choices).text)
    for file, data in files.values():
        if file:
            write(file, data)
    if json:
        put({**report.facts(), "files": {k.lower(): str(f) for k, (f, _) in files.items() if f}})
    else:
        _print(report, _go_on(session.folder.path, judging, wanted) if session else "")
        for name, (file, _) in files.items():
            if file:
                commands(name, [shown_path(file)], width=10)
    if write_baseline and "Baseline" not in files:
        note(f" no baseline was written: {judged.verdict}")
    if judged.exit_code:
        raise typer.Exit(judged.exit_code)


@dataclass(frozen=True)
class _Listed:
    """The instances of a gate, the group of each, and the quarantine."""

    choices: list[Choice]
    groups: dict[str, str]
    quarantine: tuple[Quarantined, ...]


def _listed(tasks: Path | None, drawn: Batch | None, chosen: Selection) -> _Listed:
    """What is asked for; without a draw an errand is a group."""
    from errands.gate.listed import name_of, read_listed
    from errands.tasks.registry import choice, select

    beside = replace(chosen, language="en") if drawn else chosen  # a tasks file has its own language
    if (tasks and drawn) or ((tasks or drawn) and beside != Selection()):
        raise UsageError(
            "a list says by itself what is sat",
            where="--tasks" if tasks else "--batch",
            expected="one list, and no part of a selection beside it",
        )
    if drawn:
        choices = sorted(choice(p.id, chosen.language) for p in drawn.listed)
        return _Listed(choices, {p.id: p.group for p in drawn.listed}, ())
    quarantine: tuple[Quarantined, ...] = ()
    if tasks:
        named = read_listed(tasks)
        choices, quarantine = named.choices(str(tasks)), named.quarantine
    else:
        everything = chosen == Selection(language=chosen.language)
        choices = select(within_reach(chosen) if everything else chosen)
    return _Listed(choices, {name_of(c): c.task for c in choices}, quarantine)


def _begun(folder: RunFolder, agent: str, asked: _Listed) -> tuple[_Listed, int]:
    """What a gate that goes on sits, and how often; `UsageError` where that is not what was asked."""
    from errands.gate.listed import name_of
    from errands.gate.session import planned_choices

    plan, mine = folder.plan(), planned_choices(folder)
    names = {name_of(c) for c in mine}
    if agent and agent != plan.agent:
        raise UsageError(f"this run is one of {plan.agent}", where="--resume", do="leave the agent out")
    if asked.choices and {name_of(c) for c in asked.choices} != names:
        raise UsageError(
            "this run has other instances than the list",
            where="--resume",
            do="give the list it was planned by",
        )
    times = Counter(f"{a.task}@{a.market}/{a.variant}" for a in plan.attempts)
    if len(set(times.values())) > 1:
        raise UsageError("its instances are not sat equally often", where=str(folder.path))
    groups = asked.groups or {name_of(c): c.task for c in mine}
    return _Listed(mine, groups, asked.quarantine), next(iter(times.values()))


def _widened(folder: RunFolder, asked: Terms) -> Terms:
    """The terms of a gate that goes on, with other limits if such are given."""
    from errands.agents import resolve
    from errands.exam.work import terms_of

    if folder.record() is None:
        widen(folder, asked, resolve)
    given = asked.model_dump(include=SPENT, exclude_none=True)
    return terms_of(folder).model_copy(update=given)


@contextmanager
def _interruptible(
    session: Session | None, judging: dict[str, Path | None], wanted: list[Requirement]
) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        note("\ninterrupted. Go on with:")
        note(f" {_go_on(session.folder.path, judging, wanted)}" if session else " the same command")
        raise typer.Exit(130) from None


def _go_on(path: Path, judging: dict[str, Path | None], wanted: list[Requirement]) -> str:
    """The command that goes on with this gate."""
    said = [f"errands gate --resume {run_name(path)}"]
    said += [f"{name} {shown_path(file)}" for name, file in judging.items() if file]
    return " ".join(said + [f"--require {shlex.quote(r.text)}" for r in wanted])


def _never(names: Any, reruns: int) -> list[Attempt]:
    raise AssertionError("nothing was graded, so nothing is suspect")


def _intervals() -> None:
    """Say what is missing before any money is spent."""
    from errands.stats.intervals import t_quantile

    t_quantile(0.975, 9)


def _date(text: str, where: str) -> datetime.date | None:
    from errands.draw.files import is_date

    if text and not is_date(text):
        raise UsageError(f"{text!r} is no date", where=where, expected="as 2026-10-04")
    return datetime.date.fromisoformat(text) if text else None


def _host_date() -> datetime.date:
    """Today here; only ages on the screen come of it."""
    return datetime.datetime.now().astimezone().date()


# ---- on the terminal ---------------------------------------------------------------------------------------------

_COLOURS = {"holds": "green", "failed": "red", "not judged": "yellow"}
_STATES = {"holds": "[green]✓[/]", "fails": "[red]✗[/]", "open": "[yellow]?[/]"}


def _print(r: Report, go_on: str) -> None:
    from rich.markup import escape

    j, out = r.judged, console()

    def line(text: str) -> None:
        out.print(f" {text}", soft_wrap=True)

    cost = f" · {r.cost}" if r.cost else ""
    line(f"{r.sample} · graded {j.coverage.graded}/{j.coverage.planned}{cost} · {escape(r.agent)}")
    if r.baseline:
        gone = f" · {j.gone} of its instances are not in this gate" if j.gone else ""
        line(f"[dim]baseline: {escape(r.baseline.agent)}, {r.baseline.date}{gone}[/]")
    for outcome, name, colour in _SECTIONS:
        _section(r, outcome, name, colour, line)
    same = [t for t in j.tasks if t.outcome in ("same", "seen", "new")]
    clean = sum(t.clean for t in same)
    if same:
        words = "against no baseline" if j.rule is None else "as before"
        new = f" · new {len(j.of('new'))}" if j.rule and j.of("new") else ""
        line(f"{words} {len(same)}, {clean} of them passed {j.attempts} of {j.attempts}{new}")
    for m in j.requirements:
        line(f"{_STATES[m.state]} {escape(m.requirement.text)}: seen {m.seen}  [dim]{escape(m.trips)}[/]")
    if r.change_words:
        line(f"paired change {escape(r.change_words)}")
    if r.rule_words:
        line(f"[dim]a break: {r.rule_words}[/]")
    for why in r.unjudged:
        line(f"[yellow]?[/] {escape(why)}")
    colour = _COLOURS[j.verdict]
    line(f"[bold {colour}]{escape(r.outcome_words)}[/]   exit {j.exit_code}")
    sat = [x for x in r.records if x["counts"]["not_run"] < x["counts"]["planned"]]
    commands("Evidence", [shown_path(Path(x["path"])) for x in sat], width=10)
    first = next((r.notes[t.id] for t in (*j.of("broke"), *j.tasks) if t.id in r.notes), None)
    todo = [go_on] if sat and j.verdict == "not judged" and not all(x["finished"] for x in sat) else []
    todo += [f"errands explain {first.attempt}"] if first else []
    todo += [f"errands verify {run_name(Path(x['path']))}" for x in sat]
    commands("Next", todo, width=10)


_SECTIONS: tuple[tuple[Outcome, str, str], ...] = (
    ("broke", "broke", "red"),
    ("unconfirmed", "unconfirmed", "yellow"),
    ("unsure", "unsure, does not block", "yellow"),
    ("ungraded", "not graded", "yellow"),
    ("fixed", "fixed", "green"),
    ("quarantined", "quarantined", "dim"),
)


def _section(r: Report, outcome: Outcome, name: str, colour: str, line: Callable[[str], None]) -> None:
    from rich.markup import escape

    found = r.judged.of(outcome)
    if not found:
        return
    line(f"[{colour}]{name} {len(found)}[/]")
    if outcome == "ungraded":  # one reason for all of them, as a rule: those that have one
        found = tuple(t for t in found if t.id in r.notes)
    for t in found[:SHOWN]:
        line(f"  {t.id}  {t.said}{escape(_more(r, t))}")
    if len(found) > SHOWN:
        line(f"  [dim]and {len(found) - SHOWN} more: --json, --junit[/]")


def _more(r: Report, t: Task) -> str:
    if t.outcome == "quarantined":
        return f"  {r.quarantined(t)}"
    seen = r.notes.get(t.id)
    return f"  {seen.why}" if seen and t.outcome != "fixed" else ""
