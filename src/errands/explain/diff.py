"""Two attempts at the same errand side by side: what each did that the other did not, and what each was found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from errands.core.types import Verdict
from errands.grading.evidence import Evidence

from .lines import change, line
from .names import shadow


@dataclass(frozen=True, slots=True)
class Difference:
    """Acts in words, each with how often: in both, only in the first, only in the second; and the criteria that
    were found otherwise, as (id, first result, second result)."""

    both: tuple[str, ...]
    first: tuple[str, ...]
    second: tuple[str, ...]
    criteria: tuple[tuple[str, str, str], ...]


def differ(a: Evidence, b: Evidence, found_a: Verdict, found_b: Verdict) -> Difference:
    """Compare net changes, commits and approvals of two attempts; ids are not compared."""
    one, two = _acts(a), _acts(b)
    results = [{c.id: c.result for c in v.criteria} for v in (found_a, found_b)]
    return Difference(
        _said(one & two),
        _said(one - two),
        _said(two - one),
        tuple(
            (name, results[0].get(name, ""), results[1].get(name, ""))
            for name in dict.fromkeys([*results[0], *results[1]])
            if results[0].get(name) != results[1].get(name)
        ),
    )


def _acts(e: Evidence) -> Counter[str]:
    zone = e.meta["zone"]
    found: Counter[str] = Counter()
    for table in e.changed_tables():
        if not shadow(table):
            found.update(change(c, zone) for c in e.net(table).values())
    for kind in ("commit", "approval"):
        found.update(f"{entry.actor} {line(entry, zone)}" for entry in e.entries(kind))
    found.update(f"says to the user {line(t, zone)}" for t in e.entries("turn") if t.actor == "agent")
    return found


def _said(acts: Counter[str]) -> tuple[str, ...]:
    return tuple(what + (f" ×{n}" if n > 1 else "") for what, n in sorted(acts.items()))
