"""What all commands share: consoles, what they print, names of attempts and runs."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import typer

from errands.core.errors import UsageError
from errands.evidence.folder import Planned, RunFolder
from errands.evidence.seal import write_whole
from errands.records.find import RUNS, free_run

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


def bring(folders: list[Path] | None) -> list[Path] | None:
    """Take in packs (the option `--pack`), and print them with the commands that need them too."""
    from errands.core.packs import add_pack

    try:
        for folder in folders or ():
            add_pack(folder)
            _brought.append(shown_path(folder))
    except UsageError as why:  # the parser would show it as a bug
        raise typer.BadParameter(f"{why}") from why
    return folders


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


def write(file: Path, data: bytes) -> None:
    """Write a file whole or not at all; `UsageError` where it cannot be."""
    try:
        write_whole(file, data)
    except OSError as why:
        raise UsageError(f"it cannot be written: {why.strerror}", where=str(file)) from None


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
