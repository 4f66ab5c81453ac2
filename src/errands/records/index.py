"""The results index: a database that holds nothing which the bundles do not, rebuilt at will."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sqlalchemy import Boolean, Column, Float, Integer, MetaData, String, Table, create_engine, insert

from errands.core.canon import canonical
from errands.evidence.folder import RunFolder
from errands.exam.run import run_record

from .run import flatten

META = MetaData()
ATTEMPTS = Table(
    "attempts", META,
    Column("run", String, primary_key=True), Column("n", Integer, primary_key=True), Column("task", String, index=True),
    Column("market", String), Column("variant", Integer), Column("language", String), Column("repeat", Integer),
    Column("agent", String, index=True), Column("status", String), Column("end_reason", String), Column("isolation", String),
    Column("strict", Boolean), Column("crossed", Boolean), Column("scores", String), Column("why", String),
    Column("wall_s", Float), Column("virtual_s", Float), Column("cost_usd", Float), Column("evidence_path", String),
)
CRITERIA = Table(
    "criteria", META,
    Column("run", String, primary_key=True), Column("n", Integer, primary_key=True), Column("id", String, primary_key=True),
    Column("kind", String), Column("result", String), Column("rows", String), Column("reason", String), Column("by", String),
)


def rebuild(folders: Iterable[Path], url: str) -> dict[str, int]:
    """Make the index anew from these run folders; `url` is SQLAlchemy's (SQLite, PostgreSQL). Returns counts."""
    engine = create_engine(url)
    counts = {"runs": 0, "attempts": 0, "criteria": 0}
    with engine.begin() as db:
        META.drop_all(db)
        META.create_all(db)
        for path in folders:
            record = run_record(RunFolder(path))
            rows = record["attempts"]
            attempts = [{**{k: v for k, v in r.items() if k != "criteria"}, "scores": canonical(r["scores"]),
                         "run": record["run"]} for r in rows]
            criteria = [{"run": record["run"], "n": c["n"], "id": c["id"], "kind": c["kind"], "result": c["result"],
                         "rows": " ".join(c["rows"]), "reason": c["reason"], "by": c["by"]} for c in flatten(rows)[1]]
            if attempts:
                db.execute(insert(ATTEMPTS), attempts)
            if criteria:
                db.execute(insert(CRITERIA), criteria)
            counts = {"runs": counts["runs"] + 1, "attempts": counts["attempts"] + len(attempts),
                      "criteria": counts["criteria"] + len(criteria)}
    engine.dispose()
    return counts
