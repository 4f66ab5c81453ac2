"""A run as tables: attempts and criteria, as lists of rows, Arrow or pandas."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errands.core.errors import UsageError
from errands.exam.rows import run_record

from .find import find_run


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

        return pyarrow.Table.from_pylist(self._rows(table))

    def to_pandas(self, table: str = "attempts") -> Any:
        """`attempts` or `criteria` as a pandas DataFrame (needs `pip install errands[tables]`)."""
        import pandas

        return pandas.DataFrame(self._rows(table))

    def _rows(self, table: str) -> list[dict[str, Any]]:
        if table not in ("attempts", "criteria"):
            raise UsageError(f"there is no table {table!r}", expected="attempts or criteria")
        rows: list[dict[str, Any]] = getattr(self, table)
        return rows


def load_run(run: str | Path = "last") -> LoadedRun:
    """Load a run, named as on the command line; verdicts that are missing are graded again from evidence.

    Raises `UsageError` when there is no such run and `EvidenceError` when its plan is damaged.
    """
    record = run_record(find_run(run))
    attempts, criteria = flatten(record["attempts"])
    return LoadedRun(record["run"], record["counts"], attempts, criteria)


def flatten(rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Attempt records as flat rows (a missing score is None), and their criteria as rows of their own."""
    attempts, criteria = [], []
    scores = sorted({k for row in rows for k in row["scores"]})
    for row in rows:
        flat = {k: v for k, v in row.items() if k not in ("criteria", "scores")}
        attempts.append({**flat, **{f"score_{k}": row["scores"].get(k) for k in scores}})
        criteria += [
            {
                "n": row["n"],
                "task": row["task"],
                "market": row["market"],
                "variant": row["variant"],
                "agent": row["agent"],
                **c,
                "rows": list(c["rows"]),
            }
            for c in row["criteria"]
        ]
    return attempts, criteria
