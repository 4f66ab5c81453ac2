"""What all commands share: consoles, options, selections, names of attempts."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import typer

from errands.core.errors import UsageError
from errands.evidence.folder import Planned, RunFolder
from errands.tasks.registry import Selection

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object for machines.")]
Suite = Annotated[list[str] | None, typer.Option("--suite", help="Only this suite (repeatable).")]
Domain = Annotated[list[str] | None, typer.Option("--domain", help="Only this domain (repeatable).")]
TaskName = Annotated[list[str] | None, typer.Option("--task", help="Only this task; globs are fine (repeatable).")]
Market = Annotated[list[str] | None, typer.Option("--market", "-m", help="Only this market (repeatable).")]
Variant = Annotated[list[int] | None, typer.Option("--variant", help="Only this variant (repeatable).")]
Tag = Annotated[list[str] | None, typer.Option("--tag", help="Only tasks with this tag (repeatable).")]
Language = Annotated[str, typer.Option("--language", help="en, or local for the market's own language.")]

RUNS = Path("errands-runs")


@lru_cache(maxsize=2)
def console(stderr: bool = False) -> Any:
    """The terminal (results) or the error stream (progress and notes)."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=False)


def note(text: str) -> None:
    """A line for the person, on the error stream."""
    console(True).print(text, soft_wrap=True)


def put(data: Any) -> None:
    """One JSON object on standard output."""
    print(json.dumps(data, ensure_ascii=False, allow_nan=False))


def selection(suite: list[str] | None, domain: list[str] | None, task: list[str] | None, market: list[str] | None,
              variant: list[int] | None, tag: list[str] | None, language: str = "en") -> Selection:
    """The options of a selection as one value."""
    if language not in ("en", "local"):
        raise UsageError(f"there is no language {language!r}", where="--language", expected="en or local")
    return Selection(tuple(suite or ()), tuple(domain or ()), tuple(task or ()), tuple(market or ()), tuple(variant or ()),
                     tuple(tag or ()), language)


def new_run(out: Path | None, agent: str) -> Path:
    """Where a new run goes: `--out`, or the next free name under errands-runs/."""
    if out is not None:
        return out
    stem = "".join(c if c.isalnum() else "-" for c in Path(agent.partition(":")[0]).stem + agent.partition(":")[1] + agent.partition(":")[2])
    for n in range(1, 100_000):
        path = RUNS / f"{stem.strip('-')}-{n:03d}"
        if not path.exists():
            return path
    raise UsageError("errands-runs is full", do="choose --out")


def find_run(name: str) -> RunFolder:
    """A run by path, by its name under errands-runs/, or `last`."""
    if name == "last":
        runs = [p for p in RUNS.glob("*") if (p / "plan.json").is_file()] if RUNS.is_dir() else []
        if not runs:
            raise UsageError("there is no run yet", where=str(RUNS), do="start one with `errands run oracle`")
        return RunFolder(max(runs, key=lambda p: ((p / "plan.json").stat().st_mtime_ns, p.name)))
    for path in (Path(name), RUNS / name):
        if (path / "plan.json").is_file():
            return RunFolder(path)
    known = sorted(p.name for p in RUNS.glob("*") if (p / "plan.json").is_file()) if RUNS.is_dir() else []
    raise UsageError(f"there is no run {name!r}", expected=f"a folder, last, or one of {', '.join(known[-8:]) or '(none yet)'}")


def find_attempt(name: str) -> tuple[RunFolder, Planned]:
    """An attempt by `RUN:N` or `last:N`."""
    run, colon, number = name.rpartition(":")
    if not colon or not number.isdigit():
        raise UsageError(f"{name!r} names no attempt", expected="RUN:N, such as last:1")
    folder = find_run(run)
    for p in folder.plan().attempts:
        if p.n == int(number):
            return folder, p
    raise UsageError(f"run {folder.name} has no attempt {number}", expected=f"1 to {len(folder.plan().attempts)}")


def shown_path(path: Path) -> str:
    """A path as a person would type it from here."""
    relative = os.path.relpath(path)
    return relative if not relative.startswith("..") else str(path)
