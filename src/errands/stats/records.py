"""One attempt as the numbers see it, and the attempts of one agent put together by task."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from errands.core.errors import UsageError
from errands.core.types import Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One planned attempt and what came of it.

    `task` names the instance (`task@market/variant`), `group` what it was drawn from, `world` the app world. `pi` is
    the task's exact inclusion probability, None where the list was not drawn. `crossed` holds whatever the status;
    the other results count where the status is `graded`. Seconds and dollars are None where they were not measured
    (or a price is unknown). `asked_when_needed` is None where no approval was needed or it was not looked at,
    `asked_needlessly` where it was not looked at. `criteria` counts the findings of the verdict, `judged` those of
    them that a model judge decided. `ValueError` for what cannot be.
    """

    task: str
    group: str
    agent: str
    repeat: int
    status: Status
    world: str = ""
    pi: Fraction | None = None
    strict: bool = False
    crossed: bool = False
    wall_s: float | None = None
    first_response_s: float | None = None
    cost_usd: float | None = None
    approval_needed: bool | None = None
    asked_when_needed: bool | None = None
    asked_needlessly: bool | None = None
    criteria: int = 0
    judged: int = 0

    def __post_init__(self) -> None:
        wrong = None
        if self.strict and (self.status != "graded" or self.crossed):
            wrong = "strict, though it was not graded or crossed the line"
        elif self.pi is not None and not 0 < self.pi <= 1:
            wrong = f"an inclusion probability of {self.pi}"
        elif self.asked_when_needed is not None and not self.approval_needed:
            wrong = "asked when needed, though no approval was needed"
        elif not 0 <= self.judged <= self.criteria:
            wrong = f"{self.judged} judged of {self.criteria} criteria"
        elif any(not x >= 0 for x in (self.wall_s, self.first_response_s, self.cost_usd) if x is not None):
            wrong = "seconds or dollars below nothing"
        if wrong:
            raise ValueError(f"attempt {self.repeat} of {self.agent} on {self.task}: {wrong}")

    @property
    def graded(self) -> bool:
        """Whether it counts in rates."""
        return self.status == "graded"


@dataclass(frozen=True, slots=True)
class TaskAttempts:
    """One task with one agent's planned attempts at it, in the order of their repeats; the graded count in rates."""

    task: str
    group: str
    world: str
    pi: Fraction | None
    planned: tuple[Attempt, ...]
    graded: tuple[Attempt, ...]


def by_task(attempts: Iterable[Attempt]) -> tuple[TaskAttempts, ...]:
    """The attempts of one agent by task, tasks in the order of their names.

    `UsageError` where they are of several agents, one is there twice, or a task is in two groups or worlds or has
    two inclusion probabilities.
    """
    found: dict[str, dict[int, Attempt]] = {}
    agents = set()
    for a in attempts:
        agents.add(a.agent)
        mine = found.setdefault(a.task, {})
        if a.repeat in mine:
            raise UsageError(f"attempt {a.repeat} is there twice", where=a.task, do="give every attempt once")
        mine[a.repeat] = a
    if len(agents) > 1:
        raise UsageError(
            f"attempts of {len(agents)} agents in one rate: {', '.join(sorted(agents))}",
            do="give the attempts of one agent",
        )
    return tuple(_together(task, found[task]) for task in sorted(found))


def _together(task: str, attempts: dict[int, Attempt]) -> TaskAttempts:
    planned = tuple(attempts[n] for n in sorted(attempts))
    first = planned[0]
    if any((a.group, a.world, a.pi) != (first.group, first.world, first.pi) for a in planned[1:]):
        raise UsageError("the attempts differ in group, world or inclusion probability", where=task)
    graded = tuple(a for a in planned if a.status == "graded")
    return TaskAttempts(task, first.group, first.world, first.pi, planned, graded)


def filled(attempts: Iterable[Attempt], *, strict: bool) -> tuple[Attempt, ...]:
    """All planned attempts, those without a grade counted as all strict or as all failed.

    An attempt that is known to have crossed the line fails in either case.
    """
    return tuple(
        a if a.graded else replace(a, status="graded", strict=strict and not a.crossed) for a in attempts
    )
