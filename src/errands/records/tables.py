"""Attempts and criteria as flat rows for other tools: all that a card's figures are made of, and where it came from."""

from __future__ import annotations

from typing import Any

from .attempts import Sat

# Of an attempt's record, in this order; scores and tokens follow, one column each.
ATTEMPT: dict[str, type] = {
    "run": str,
    "n": int,
    "instance": str,
    "attempt": int,
    "task": str,
    "market": str,
    "variant": int,
    "language": str,
    "edition": str,
    "group": str,
    "world": str,
    "pi": str,
    "agent": str,
    "agent_version": str,
    "isolation": str,
    "status": str,
    "end_reason": str,
    "strict": bool,
    "crossed": bool,
    "why": str,
    "wall_s": float,
    "virtual_s": float,
    "first_s": float,
    "goal_s": float,
    "cost_usd": float,
    "approval_needed": bool,
    "asked_when_needed": bool,
    "asked_needlessly": bool,
    "findings": int,
    "judged": int,
}
EVERYDAY = ("c1", "c2", "c3", "c4", "c5", "raw", "total", "gated")
SCORES = ("accuracy", "final_state", "boundary", "points", "earned", *EVERYDAY)
TOKENS = ("requests", "input", "cache_read", "cache_write", "output")
CRITERION: dict[str, type] = {
    "run": str,
    "n": int,
    "instance": str,
    "attempt": int,
    "agent": str,
    "id": str,
    "kind": str,
    "result": str,
    "rows": str,
    "reason": str,
    "by": str,
}


def columns() -> dict[str, dict[str, type]]:
    """The tables and their columns with their types; every value may be missing."""
    more: dict[str, type] = {f"score_{s}": int for s in SCORES}
    more |= {f"tokens_{t}": int for t in TOKENS}
    return {"attempts": {**ATTEMPT, **more}, "criteria": CRITERION}


def tables(sat: Sat) -> dict[str, list[dict[str, Any]]]:
    """`attempts`, a row each, and `criteria`, a row for each finding; `pi` is an exact fraction as text.

    The rows of evidence that prove a finding are one text, parted by spaces.
    """
    attempts, criteria = [], []
    for r in sat.rows:
        usage, found = r["usage"] or {}, r["criteria"]
        flat = {k: r[k] for k in ATTEMPT if k in r}
        flat |= {"findings": len(found), "judged": sum(c["by"] != "code" for c in found)}
        flat |= {f"score_{s}": r["scores"].get(s) for s in SCORES}
        attempts.append(flat | {f"tokens_{t}": usage.get(t) for t in TOKENS})
        own = {k: r[k] for k in ("run", "n", "instance", "attempt", "agent")}
        criteria += [
            {**own, **{k: c[k] for k in ("id", "kind", "result")}, "rows": " ".join(c["rows"])}
            | {"reason": c["reason"], "by": c["by"]}
            for c in found
        ]
    return {"attempts": attempts, "criteria": criteria}
