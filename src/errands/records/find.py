"""How runs and attempts are named: by path, by name under errands-runs/, `last`, `RUN:N`."""

from __future__ import annotations

import difflib
from pathlib import Path

from errands.core.errors import UsageError
from errands.evidence.folder import Planned, RunFolder

RUNS = Path("errands-runs")


def known_runs() -> list[Path]:
    """The run folders under errands-runs/, by name."""
    return sorted(p.parent for p in RUNS.glob("*/plan.json"))


def free_run(stem: str) -> Path:
    """The next free name under errands-runs/: `stem-001` and so on."""
    for n in range(1, 100_000):
        path = RUNS / f"{stem}-{n:03d}"
        if not path.exists():
            return path
    raise UsageError("errands-runs is full", do="choose --out")


def find_run(name: str | Path) -> RunFolder:
    """A run by path, by its name under errands-runs/, or `last` (planned last).

    `UsageError`, with near names, where there is none.
    """
    runs = known_runs()
    if str(name) == "last":
        if not runs:
            raise UsageError("there is no run yet", where=str(RUNS), do="start one with `errands run oracle`")
        return RunFolder(max(runs, key=lambda p: ((p / "plan.json").stat().st_mtime_ns, p.name)))
    for path in (Path(name), RUNS / name):
        if (path / "plan.json").is_file():
            return RunFolder(path)
    names = [p.name for p in runs]
    near = difflib.get_close_matches(str(name), names, 4, 0.5) or names[-8:]
    raise UsageError(
        f"there is no run {str(name)!r}",
        expected=f"a run's folder, last, or {', '.join(near) or 'a name under errands-runs/'}",
    )


def find_attempt(name: str) -> tuple[RunFolder, Planned]:
    """An attempt by `RUN:N` or `last:N`."""
    run, colon, number = name.rpartition(":")
    if not colon or not number.isascii() or not number.isdigit():
        raise UsageError(f"{name!r} names no attempt", expected="RUN:N, such as last:1")
    folder = find_run(run)
    planned = folder.plan().attempts
    for p in planned:
        if p.n == int(number):
            return folder, p
    raise UsageError(f"run {folder.name} has no attempt {number}", expected=f"1 to {len(planned)}")
