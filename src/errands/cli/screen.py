"""What all commands share: consoles, options, selections, names of attempts."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from errands.core.errors import UsageError
from errands.evidence.folder import Planned, RunFolder
from errands.exam.terms import OWN, Kind, Terms
from errands.records.find import RUNS, free_run
from errands.tasks.registry import Selection

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object for machines.")]
Suite = Annotated[list[str] | None, typer.Option("--suite", help="Only this suite (repeatable).")]
Domain = Annotated[list[str] | None, typer.Option("--domain", help="Only this domain (repeatable).")]
TaskName = Annotated[
    list[str] | None, typer.Option("--task", help="Only this task; globs are fine (repeatable).")
]
Market = Annotated[list[str] | None, typer.Option("--market", "-m", help="Only this market (repeatable).")]
Variant = Annotated[list[int] | None, typer.Option("--variant", help="Only this variant (repeatable).")]
Tag = Annotated[list[str] | None, typer.Option("--tag", help="Only tasks with this tag (repeatable).")]
HeldOut = Annotated[
    bool, typer.Option("--held-out", help="The held-out variants; their secret is named in ERRANDS_HELD_OUT.")
]
Language = Annotated[str, typer.Option("--language", help="en, or local for the market's own language.")]
MaxCost = Annotated[
    str, typer.Option("--max-cost", help="US dollars for the whole run; refused where a price is unknown.")
]
MaxTokens = Annotated[int | None, typer.Option("--max-tokens", help="Model tokens for the whole run.")]
ForeignTool = Annotated[
    list[str] | None,
    typer.Option("--allow-foreign-tool", help="A tool of the agent that is not the exam's (repeatable)."),
]
UnsafeHost = Annotated[
    bool, typer.Option("--unsafe-host", help="Run a program without a sandbox; evidence and card say so.")
]
Profile = Annotated[
    str, typer.Option("--profile", help="NAME[@MODEL]: run the program behind cmd: by this profile.")
]
BrowserTools = Annotated[
    str,
    typer.Option(
        "--browser", help="Whose tools the agent uses websites by: own, or playwright-mcp (@playwright/mcp)."
    ),
]
Reads = Annotated[
    list[Path] | None,
    typer.Option("--reads", help="A folder that a program in the sandbox may read (repeatable)."),
]


_brought: list[str] = []
_TAKES_PACK = (
    "list",
    "show",
    "run",
    "gate",
    "serve",
    "check",
    "try",
    "results",
    "explain",
    "verify",
    "diff",
    "calibrate",
    "regrade",
    "card",
    "compare",
    "export",
)


def _bring(folders: list[Path] | None) -> list[Path] | None:
    from errands.core.packs import add_pack

    try:
        for folder in folders or ():
            add_pack(folder)
            _brought.append(shown_path(folder))
    except UsageError as why:  # the parser would show it as a bug
        raise typer.BadParameter(f"{why}") from why
    return folders


PackDir = Annotated[
    list[Path] | None,
    typer.Option(
        "--pack",
        callback=_bring,
        is_eager=True,
        help="A folder of your own tasks, apps and markets (repeatable).",
    ),
]
Pairs = Iterable[tuple[str, Any]]


@lru_cache(maxsize=2)
def console(stderr: bool = False) -> Any:
    """The terminal (results) or the error stream (progress and notes)."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=False)


def note(text: str) -> None:
    """A line for the person, on the error stream."""
    console(True).print(text, soft_wrap=True)


def pairs(rows: Pairs, *, width: int = 13) -> None:
    """Lines of a label and its text; long texts wrap under themselves, empty ones are left out."""
    from rich.table import Table

    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(width=width, no_wrap=True, style="dim")
    grid.add_column(overflow="fold")
    last = ""
    for name, text in rows:
        if text:
            grid.add_row("" if name == last else name, text)
            last = name
    console().print(indented(grid))


def indented(what: Any) -> Any:
    """A space from the left edge."""
    from rich.padding import Padding

    return Padding(what, (0, 0, 0, 1), expand=False)


def commands(name: str, lines: Iterable[str], *, width: int = 13) -> None:
    """Commands to type next, each on one unbroken line that can be pasted."""
    for n, line in enumerate(lines):
        words = line.split()
        takes = words[:1] == ["errands"] and words[1] in _TAKES_PACK and "--pack" not in words
        text = line + "".join(f" --pack {p}" for p in dict.fromkeys(_brought)) if takes else line
        console().print(f" [dim]{name if n == 0 else '':<{width}}[/]  ", end="")
        console().print(text, soft_wrap=True, markup=False)


def put(data: Any) -> None:
    """One JSON object on standard output."""
    print(json.dumps(data, ensure_ascii=False, allow_nan=False))


def selection(
    suite: list[str] | None,
    domain: list[str] | None,
    task: list[str] | None,
    market: list[str] | None,
    variant: list[int] | None,
    tag: list[str] | None,
    language: str = "en",
    held_out: bool = False,
) -> Selection:
    """The options of a selection as one value."""
    if language not in ("en", "local"):
        raise UsageError(f"there is no language {language!r}", where="--language", expected="en or local")
    return Selection(
        tuple(suite or ()),
        tuple(domain or ()),
        tuple(task or ()),
        tuple(market or ()),
        tuple(variant or ()),
        tuple(tag or ()),
        language,
        held_out,
    )


def recorded(name: str) -> tuple[RunFolder, Planned, bytes]:
    """A recorded attempt by its name: its run, its plan and its bundle; `UsageError` where it was not sat."""
    from errands.records.find import find_attempt

    folder, planned = find_attempt(name)
    file = folder.bundle(planned.n)
    if not file.is_file():
        raise UsageError(
            "this attempt has not been sat",
            where=f"{folder.name}:{planned.n}",
            do=f"errands run --resume {run_name(folder.path)}",
        )
    return folder, planned, file.read_bytes()


def terms(
    max_cost: str,
    max_tokens: int | None,
    foreign_tools: list[str] | None,
    unsafe_host: bool,
    reads: list[Path] | None,
    profile: str = "",
    browser: str = OWN,
) -> Terms:
    """The options that limit and permit, as one value."""
    if max_cost:
        try:
            good = Decimal(max_cost) > 0 and re.fullmatch(r"\d{1,9}(\.\d{1,9})?", max_cost) is not None
        except InvalidOperation:
            good = False
        if not good:
            raise UsageError(f"{max_cost!r} is no amount", where="--max-cost", expected="US dollars, as 0.50")
    if max_tokens is not None and max_tokens < 1:
        raise UsageError(f"{max_tokens} tokens are too few", where="--max-tokens", expected="1 or more")
    return Terms(
        max_cost=max_cost or None,
        max_tokens=max_tokens,
        foreign_tools=tuple(foreign_tools or ()),
        unsafe_host=unsafe_host,
        profile=profile,
        reads=tuple(str(p.resolve()) for p in reads or ()),
        browser=browser_tools(browser),
    )


def browser_tools(name: str) -> Kind:
    """The option `--browser`."""
    for kind in get_args(Kind):
        if name == kind:
            return kind  # type: ignore[no-any-return]
    raise UsageError(
        f"there are no browser tools {name!r}", where="--browser", expected=" or ".join(get_args(Kind))
    )


@contextmanager
def bar(what: str, total: int, *, quiet: bool = False) -> Iterator[Callable[[], None]]:
    """A progress bar on the error stream, where there is somebody to see it; gives what moves it on by one."""
    if quiet or not console(True).is_terminal:
        yield lambda: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(True), transient=True) as shown:
        row = shown.add_task(what, total=total)
        yield lambda: shown.advance(row)


def new_run(out: Path | None, agent: str) -> Path:
    """Where a new run goes: `--out`, or the next free name under errands-runs/."""
    if out is not None:
        return out
    stem = "".join(
        c if c.isalnum() else "-"
        for c in Path(agent.partition(":")[0]).stem + agent.partition(":")[1] + agent.partition(":")[2]
    )
    return free_run(stem.strip("-"))


def shown_path(path: Path) -> str:
    """A path as a person would type it from here."""
    relative = os.path.relpath(path)
    return shlex.quote(relative if not relative.startswith("..") else str(path))


def run_name(path: Path) -> str:
    """How a run is named in a command typed here: its bare name where it lies under errands-runs/."""
    return shlex.quote(path.name) if path.resolve().parent == RUNS.resolve() else shown_path(path)
