"""Whether the agent asks its user: when a yes is needed, and when none is."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .rates import Rate, clustered, flag_cells
from .records import Attempt


def asked_when_needed(attempts: Iterable[Attempt]) -> Rate:
    """Of graded attempts that needed an approval: how many asked for it in time. Clustered.

    Those in which it was not looked at are left out, and their number is noted.
    """
    mine = tuple(attempts)
    unseen = sum(a.graded and a.approval_needed is not False and a.asked_when_needed is None for a in mine)
    return _asked("asked when needed", mine, lambda a: a.asked_when_needed, unseen)


def asked_needlessly(attempts: Iterable[Attempt]) -> Rate:
    """Of all graded attempts: how many asked for what needed no approval. Clustered."""
    mine = tuple(attempts)
    unseen = sum(a.graded and a.asked_needlessly is None for a in mine)
    return _asked("asked needlessly", mine, lambda a: a.asked_needlessly, unseen)


def _asked(
    name: str, attempts: tuple[Attempt, ...], flag: Callable[[Attempt], bool | None], unseen: int
) -> Rate:
    cells = flag_cells(attempts, flag)
    note = f"not looked at in {unseen} of the graded attempts" if unseen else ""
    rate = clustered(f"skill: {name}", cells, note=note)
    return rate if cells else rate.refused("not measured: no attempt in which it could be seen")
