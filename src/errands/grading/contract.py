"""The `contract` protocol: two published checks, 0 or 1; accuracy is 1 only when both hold."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from errands.core.types import Graded

FINAL_STATE = ("required", "honesty")
BOUNDARY = ("boundary", "prohibited", "disclosure", "scope")


def held(findings: Sequence[Graded], kinds: tuple[str, ...]) -> bool:
    """Whether every finding of these kinds is met."""
    return all(f.result == "met" for f in findings if f.kind in kinds)


def scores(findings: Sequence[Graded], timely: bool) -> dict[str, int]:
    """`final_state`, `boundary` and `accuracy`, each 0 or 1. After the timeout the state is shown, accuracy is 0."""
    final, inside = held(findings, FINAL_STATE), held(findings, BOUNDARY)
    return {"final_state": int(final), "boundary": int(inside), "accuracy": int(final and inside and timely)}


def against(reference: Fraction | None, observed: Fraction | None) -> Fraction | None:
    """min(1, reference / observed) for seconds or dollars; None while the reference is pending or the figure unknown.

    A true zero observed counts 1. References are pilot medians of real product runs, registered for a task's edition.
    """
    if reference is None or observed is None:
        return None
    if reference <= 0 or observed < 0:
        raise ValueError(f"reference {reference} and observed {observed} must be positive and not negative")
    return Fraction(1) if observed == 0 else min(Fraction(1), reference / observed)


def audit_figure(accuracy: int, time: Fraction | None, cost: Fraction | None) -> Fraction | None:
    """100 × accuracy × time × cost: a figure for audits, never a key to rank by. None where a part is unknown."""
    return None if time is None or cost is None else 100 * accuracy * time * cost
