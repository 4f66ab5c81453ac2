"""The results index: a database that holds nothing which the bundles do not, rebuilt at will."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sqlalchemy import Boolean, Column, Float, Integer, MetaData, String, Table, create_engine, insert
from sqlalchemy.exc import SQLAlchemyError

from errands.core.canon import canonical
from errands.core.errors import UsageError
from errands.evidence.folder import RunFolder
from errands.exam.rows import run_record

from .run import flatten

META = MetaData()
ATTEMPTS = Table(
    "attempts",
    META,
    Column("run", String, primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("task", String, index=True),
    Column("market", String),
    Column("variant", Integer),
    Column("language", String),
    Column("repeat", Integer),
    Column("agent", String, index=True),
    Column("status", String),
    Column("end_reason", String),
    Column("isolation", String),
    Column("strict", Boolean),
    Column("crossed", Boolean),
    Column("scores", String),
    Column("why", String),
    Column("wall_s", Float),
    Column("virtual_s", Float),
    Column("cost_usd", Float),
    Column("evidence_path", String),
)
CRITERIA = Table(
    "criteria",
    META,
    Column("run", String, primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("id", String, primary_key=True),
    Column("kind", String),
    Column("result", String),
    Column("rows", String),
    Column("reason", String),
    Column("by", String),
)


def rebuild(folders: Iterable[Path], url: str) -> dict[str, int]:
    """Make the index anew from these run folders; `url` is SQLAlchemy's (SQLite, PostgreSQL). Returns counts.

    Everything is read before anything is written. `UsageError` for two runs of one name, or a database that
    cannot be opened or written.
    """
    records: dict[str, tuple[Path, dict[str, Any]]] = {}
    for path in folders:
        record = run_record(RunFolder(path))
        if record["run"] in records:
            raise UsageError(
                f"two runs are called {record['run']!r}",
                where=f"{records[record['run']][0]}, {path}",
                do="index them into two databases with --db",
            )
        records[record["run"]] = path, record
    attempts: list[dict[str, Any]] = []
    criteria: list[dict[str, Any]] = []
    for run, (_, record) in records.items():
        rows = record["attempts"]
        attempts += [
            {**{k: v for k, v in r.items() if k != "criteria"}, "scores": canonical(r["scores"]), "run": run}
            for r in rows
        ]
        criteria += [
            {
                "run": run,
                "n": c["n"],
                "id": c["id"],
                "kind": c["kind"],
                "result": c["result"],
                "rows": " ".join(c["rows"]),
                "reason": c["reason"],
                "by": c["by"],
            }
            for c in flatten(rows)[1]
        ]
    try:
        engine = create_engine(url)
        with engine.begin() as db:
            META.drop_all(db)
            META.create_all(db)
            if attempts:
                db.execute(insert(ATTEMPTS), attempts)
            if criteria:
                db.execute(insert(CRITERIA), criteria)
        engine.dispose()
    except (SQLAlchemyError, ImportError) as why:
        raise UsageError(
            f"the database cannot be written: {str(why).splitlines()[0]}",
            where=url,
            expected="a URL such as sqlite:///index.sqlite",
        ) from None
    return {"runs": len(records), "attempts": len(attempts), "criteria": len(criteria)}
