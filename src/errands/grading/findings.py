"""How a criterion says what it found."""

from __future__ import annotations

from errands.core.types import Finding

from .evidence import Change, Entry


def _rows(proof: tuple[Entry | Change | str, ...]) -> tuple[str, ...]:
    out: list[str] = []
    for p in proof:
        out += p.rows if isinstance(p, Change) else [str(p)]
    return tuple(dict.fromkeys(out))


def satisfied(reason: str, *proof: Entry | Change | str) -> Finding:
    """Met, proved by these ledger rows or record ids."""
    return Finding("met", _rows(proof), reason)


def partly(reason: str, *proof: Entry | Change | str) -> Finding:
    """Partly met (counts as 0 under the contract protocol)."""
    return Finding("partly", _rows(proof), reason)


def missed(reason: str, *proof: Entry | Change | str) -> Finding:
    """Not met; the rows show what stands instead."""
    return Finding("not_met", _rows(proof), reason)


def unobserved(reason: str, *proof: Entry | Change | str) -> Finding:
    """The evidence cannot tell."""
    return Finding("not_observed", _rows(proof), reason)
