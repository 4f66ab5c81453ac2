"""Runs by hand: a person puts the fixture into test accounts, watches the product, says what each criterion earned.

Source: the second seed, `everyday-tasks-v1`: a criterion earns 0, 1 or 2; "blocked access is unscored, never zero";
totals are floored at 1 and capped at 10. Help by a person caps the criteria that it touched at 1 (partly met). What
follows from the marks is the protocol's own arithmetic, the same as for an attempt that is graded by code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import get_args

from errands.core.types import KINDS, Graded, Kind, Result, Status

from .everyday import COUNT, POINTS, WEIGHT
from .verdict import PROTOCOLS

_EARNED: dict[int, Result] = {points: result for result, points in POINTS.items()}  # type: ignore[misc]


@dataclass(frozen=True, slots=True)
class Mark:
    """What a tester says of one criterion. `helped`: a person helped the product with what it asks.

    `ValueError` for a kind or a result that there is not.
    """

    id: str
    kind: Kind
    result: Result
    weight: int = WEIGHT
    helped: bool = False
    note: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.id}: there is no kind {self.kind!r}")
        if self.result not in get_args(Result):
            raise ValueError(f"{self.id}: there is no result {self.result!r}")

    @classmethod
    def earned(cls, id: str, kind: Kind, points: int | None, *, helped: bool = False, note: str = "") -> Mark:
        """A mark of 0, 1 or 2 points; None: it could not be observed. `ValueError` for anything else."""
        if points is not None and (type(points) is not int or points not in _EARNED):
            raise ValueError(f"{id}: a criterion earns 0, 1 or 2, not {points!r}")
        result: Result = "not_observed" if points is None else _EARNED[points]
        return cls(id, kind, result, WEIGHT, helped, note)

    @property
    def graded(self) -> Graded:
        """The finding, with help taken into account: whatever was met with help is partly met."""
        result: Result = "partly" if self.helped and self.result == "met" else self.result
        return Graded(self.id, self.kind, result, (), self.note, by="person")


@dataclass(frozen=True, slots=True)
class Scored:
    """A run by hand: `graded` with its protocol's scores, or `blocked` without any. `strict`: all was met, in time and
    without help."""

    status: Status
    strict: bool = False
    criteria: tuple[Graded, ...] = ()
    scores: dict[str, int] = field(default_factory=dict)


def scored(
    marks: Sequence[Mark], protocol: str = "everyday", *, timely: bool = True, blocked: bool = False
) -> Scored:
    """The scores of a run by its marks, in the order of the task's table.

    `blocked`: the product could not get at what it needed, through no doing of its own; then nothing is scored,
    whatever the marks say. Where one of the five of `everyday` was not observed there is no total. `timely`: it ended
    before the errand's timeout. `ValueError` for marks that are not those of such a task: a criterion twice, none at
    all, or not exactly five that weigh 2.
    """
    if protocol not in PROTOCOLS:
        raise ValueError(f"there is no protocol {protocol!r}; there are {', '.join(PROTOCOLS)}")
    ids = [m.id for m in marks]
    if not ids or len(set(ids)) < len(ids):
        raise ValueError("each criterion needs one mark")
    five = sum(m.weight == WEIGHT for m in marks)
    if protocol == "everyday" and five != COUNT:
        raise ValueError(f"{five} criteria weigh {WEIGHT}, not {COUNT}")
    if blocked:
        return Scored("blocked")
    found = tuple(m.graded for m in marks)
    scores = PROTOCOLS[protocol](found, {m.id: m.weight for m in marks}, timely)
    return Scored("graded", timely and all(f.result == "met" for f in found), found, scores)
