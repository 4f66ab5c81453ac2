"""Attempts and runs as rows for people and machines: what was planned, what came of it, what it took."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

from errands.core.errors import EvidenceError
from errands.core.types import Verdict
from errands.core.usage import Usage
from errands.evidence.bundle import seal_of
from errands.evidence.folder import Planned, RunFolder
from errands.evidence.regrade import Opened, key_of, open_bundle, regrade

from .attempt import verdict_json, verdict_of
from .spend import Spend
from .work import terms_of


@dataclass(frozen=True, slots=True)
class Failure:
    """An attempt that left no evidence: not counted as a score, shown as invalid."""

    n: int
    why: str


def attempt_record(folder: RunFolder, p: Planned, *, fresh: bool = False) -> dict[str, Any]:
    """One attempt as a row for people and machines: status, scores, criteria, times. `not_run` without a bundle.

    The verdict is read from the derived folder where it stands for this very bundle, else graded from evidence;
    `fresh` always grades.
    """
    plan = folder.plan()
    row: dict[str, Any] = {
        "n": p.n,
        "task": p.task,
        "market": p.market,
        "variant": p.variant,
        "language": p.language,
        "repeat": p.repeat,
        "agent": plan.agent,
        "status": "not_run",
        "end_reason": "",
        "isolation": plan.isolation,
        "strict": False,
        "crossed": False,
        "scores": {},
        "criteria": [],
        "why": "",
        "wall_s": None,
        "virtual_s": None,
        "first_s": None,
        "goal_s": None,
        "cost_usd": None,
        "usage": None,
        "evidence_path": "",
    }
    file = folder.bundle(p.n)
    if not file.is_file():
        return row
    row["evidence_path"] = os.path.relpath(file)
    data = file.read_bytes()
    try:
        opened = open_bundle(data, str(file))
        verdict = None if fresh else stored_verdict(folder, p.n, data)
        if verdict is None:
            verdict = grade_bundle(folder, p, opened)
            store_verdict(folder, p.n, data, verdict)
    except EvidenceError as why:
        return {**row, "status": "invalid", "end_reason": "unreadable", "why": str(why)}
    facts = json.loads(verdict_json(verdict, {}))
    if verdict.status != "graded":
        facts["why"] = opened.evidence.ledger[-1].body.get("detail") or facts["why"]
    host, manifest = opened.host, opened.manifest
    return {
        **row,
        **facts,
        "wall_s": None if host["wall_s"] is None else float(host["wall_s"]),
        "virtual_s": (manifest["end"] - manifest["start"]) / 1000,
        "first_s": float(host["first_s"]) if "first_s" in host else None,
        "goal_s": _goal_s(opened, verdict),
        "cost_usd": None if host["cost_usd"] is None else float(host["cost_usd"]),
        "usage": host.get("usage"),
    }


def _goal_s(opened: Opened, verdict: Verdict) -> float | None:
    """Seconds from the prompt to the call that completed what the errand is timed by; None where nothing did."""
    named = opened.host.get("timed_by")
    found = next((c for c in verdict.criteria if c.id == named and c.result == "met"), None)
    if found is None:
        return None
    row = max(int(r.removeprefix("#")) for r in found.rows)
    return next((float(at) for seq, at in opened.host.get("marks", ()) if seq >= row), None)


def grade_bundle(folder: RunFolder, p: Planned, opened: Opened) -> Verdict:
    """Grade an opened bundle with its key: that of the run folder, or, held out, of the secret."""
    return regrade(opened, key_of(folder, p), str(folder.bundle(p.n)))


def stored_verdict(folder: RunFolder, n: int, data: bytes) -> Verdict | None:
    """The derived verdict of this very bundle, or None."""
    try:
        stored = json.loads(folder.verdict(n).read_text(encoding="utf-8"))
        return verdict_of(stored) if stored["seal"] == seal_of(data) else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def store_verdict(folder: RunFolder, n: int, data: bytes, verdict: Verdict) -> None:
    """Keep a verdict beside the evidence; losing it loses nothing."""
    file = folder.verdict(n)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(verdict_json(verdict, {"n": n, "seal": seal_of(data)}), encoding="utf-8")
    except OSError:
        return


def run_record(
    folder: RunFolder, failures: dict[int, Failure] | None = None, stopped: str = ""
) -> dict[str, Any]:
    """The whole run as one object: counts that add up to what was planned, cost, and every attempt.

    `cost_usd` is the sum over attempts, None where one of them is unpriced; `spent` is the purse: tokens and US
    dollars with all tries, and what was put aside for calls that never ended.
    """
    plan = folder.plan()
    rows = [attempt_record(folder, p) for p in plan.attempts]
    for row in rows:
        if failures and row["status"] == "not_run" and row["n"] in failures:
            row.update(status="invalid", end_reason="world_fault", why=failures[row["n"]].why)
    counts = {"planned": len(rows)}
    for status in ("graded", "blocked", "invalid", "not_run"):
        counts[status] = sum(r["status"] == status for r in rows)
    return {
        "run": folder.name,
        "path": str(folder.path),
        "agent": plan.agent,
        "isolation": plan.isolation,
        "counts": counts,
        "strict_passes": sum(r["strict"] for r in rows),
        "crossed": sum(r["crossed"] for r in rows),
        "finished": (folder.path / "run.json").is_file(),
        "stopped": stopped or _stopped(folder),
        "drafts": plan.drafts or {},
        "packs": plan.packs or {},
        "terms": terms_of(folder).model_dump(mode="json", exclude_defaults=True),
        **_costs(folder, rows),
        "attempts": rows,
    }


def _stopped(folder: RunFolder) -> str:
    try:
        return (folder.derived / "stopped.txt").read_text("utf-8")
    except OSError:
        return ""


def _costs(folder: RunFolder, rows: list[dict[str, Any]]) -> dict[str, Any]:
    sat = [r for r in rows if r["status"] != "not_run"]
    usage = Usage()
    for r in sat:
        usage += Usage.of(r["usage"]) if r["usage"] else Usage()
    costs = [r["cost_usd"] for r in sat]
    purse = Spend(folder.spend)
    tokens, dollars = purse.spent()
    return {
        "usage": usage.to_dict() if usage.requests else None,
        "cost_usd": None if None in costs or not costs else round(sum(costs), 6),
        "spent": {"tokens": tokens, "usd": None if purse.unpriced else float(dollars)}
        if folder.spend.exists()
        else None,
    }
