"""A run as tables: attempts and criteria, as lists of rows, Arrow or pandas."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errands.evidence.folder import RunFolder
from errands.exam.run import run_record


@dataclass(frozen=True, slots=True)
class LoadedRun:
    """The rows of a run. `attempts` has one row an attempt, `criteria` one row a criterion of an attempt."""

    name: str
    counts: dict[str, int]
    attempts: list[dict[str, Any]]
    criteria: list[dict[str, Any]]

    def to_arrow(self, table: str = "attempts") -> Any:
        """`attempts` or `criteria` as a pyarrow Table (needs `pip install errands[tables]`)."""
        import pyarrow

        return pyarrow.Table.from_pylist(getattr(self, table))

    def to_pandas(self, table: str = "attempts") -> Any:
        """`attempts` or `criteria` as a pandas DataFrame (needs `pip install errands[tables]`)."""
        import pandas

        return pandas.DataFrame(getattr(self, table))


def load_run(path: str | Path) -> LoadedRun:
    """Load a run folder; verdicts are read or, where missing, graded again from evidence.

    Raises `UsageError` when the path is no run folder and `EvidenceError` when its plan is damaged.
    """
    record = run_record(RunFolder(Path(path)))
    attempts, criteria = flatten(record["attempts"])
    return LoadedRun(record["run"], record["counts"], attempts, criteria)


def flatten(rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Attempt records as flat rows, and their criteria as rows of their own."""
    attempts, criteria = [], []
    for row in rows:
        flat = {k: v for k, v in row.items() if k not in ("criteria", "scores")}
        attempts.append({**flat, **{f"score_{k}": v for k, v in row["scores"].items()}})
        criteria += [{"n": row["n"], "task": row["task"], "market": row["market"], "variant": row["variant"],
                      "agent": row["agent"], **c, "rows": list(c["rows"])} for c in row["criteria"]]
    return attempts, criteria
