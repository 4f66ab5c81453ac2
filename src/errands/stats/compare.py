"""Two agents on the same tasks: the paired difference, whether it can be told from none, and what would tell it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, comb, fsum

from errands.core.errors import UsageError

from .coverage import headline
from .intervals import (
    LEVEL,
    MIN_GROUPS,
    Row,
    clustered_error,
    independent_groups,
    t_quantile,
    t_two_sided,
    upper_bound,
    weighted_mean,
    z_quantile,
)
from .rates import Cell, pooled_within, strict_cell, too_few, within
from .records import Attempt, by_task

# The published smallest gap of interest: agents that are no further apart than this are never put in order.
SMALLEST_GAP = Fraction(5, 100)
# The chance to find a gap of the size that a number of tasks is given for.
POWER = 0.8


@dataclass(frozen=True, slots=True)
class Spread:
    """Where the variance of a paired difference comes from, per task, in Miller's form (arXiv 2411.00640).

    `between` is ω², the variance of the true differences; `within_a` and `within_b` are σ², the variance of one
    attempt, None where no task has two graded attempts; `deff` is what grouping does to it, at least 1.
    """

    between: float
    within_a: float | None
    within_b: float | None
    deff: float


@dataclass(frozen=True, slots=True)
class Difference:
    """Agent `a` minus agent `b`, mean over the tasks that both have graded attempts at.

    `error` is CR1 by group, never less than what no difference at any task would leave open. `p` is two-sided, from
    t with G − 1. `dropped` tasks have graded attempts of one side only. `mcnemar` (exact, blind to groups) is a
    cross-check where every task has one attempt a side. Where `refusal` is not empty, `value` and all that follows
    from it are None.
    """

    a: str
    b: str
    tasks: int
    groups: int
    attempts_a: int
    attempts_b: int
    dropped: int
    refusal: str = ""
    value: Fraction | None = None
    error: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    mcnemar: float | None = None
    spread: Spread | None = None
    level: float = LEVEL
    method: str = "paired by task, CR1 by group, t"

    @property
    def sees(self) -> float | None:
        """The smallest gap that this sample would find four times in five."""
        return (
            None
            if self.error is None
            else (z_quantile((1 + self.level) / 2) + z_quantile(POWER)) * self.error
        )

    def tasks_for(self, gap: Fraction | float, *, alpha: float = 1 - LEVEL) -> int | None:
        """How many tasks, grouped and attempted as here, find a gap of this size with power .8 at this alpha.

        n = (z_{α/2} + z_β)² · n·SE² / gap²: formula 2.6 of the design, since n·SE² is (ω² + σ_A²/K + σ_B²/K)·deff.
        """
        if self.error is None or not gap:
            return None
        return ceil(_reach(alpha) * self.tasks * self.error**2 / float(gap) ** 2)

    def tasks_with(self, gap: Fraction | float, attempts: int, *, alpha: float = 1 - LEVEL) -> int | None:
        """The same with another number of attempts a task for both; None where attempts within a task were not
        repeated, so that their noise is unknown."""
        s = self.spread
        if s is None or s.within_a is None or s.within_b is None or not gap:
            return None
        per_task = (s.between + (s.within_a + s.within_b) / attempts) * s.deff
        return ceil(_reach(alpha) * per_task / float(gap) ** 2)


def compare(a: Iterable[Attempt], b: Iterable[Attempt]) -> Difference:
    """The paired difference of strict rates between two agents (or two runs of one), on the tasks common to both.

    Refused under ten groups, and where the headline of either side is refused for its coverage. `UsageError` where a
    task is in one group here and in another there.
    """
    return paired(Side.of(a), Side.of(b))


@dataclass(frozen=True, slots=True)
class Side:
    """One agent as a comparison takes it: its tasks with a graded attempt, and why its headline is refused, if so."""

    agent: str
    cells: Mapping[str, Cell]
    refusal: str

    @classmethod
    def of(cls, attempts: Iterable[Attempt]) -> Side:
        """From all planned attempts of one agent."""
        mine = tuple(attempts)
        cells = {t.task: strict_cell(t) for t in by_task(mine) if t.graded}
        return cls(next((a.agent for a in mine), ""), cells, headline(mine).refusal)


def paired(a: Side, b: Side) -> Difference:
    """As `compare`, of sides that are used in several comparisons."""
    common = sorted(a.cells.keys() & b.cells.keys())
    for n in common:
        if a.cells[n].group != b.cells[n].group:
            raise UsageError("the two sides have the task in different groups", where=n)
    pairs = [(a.cells[n], b.cells[n]) for n in common]
    found = Difference(
        a=a.agent,
        b=b.agent,
        tasks=len(pairs),
        groups=len({c.group for c, _ in pairs}),
        attempts_a=sum(c.attempts for c, _ in pairs),
        attempts_b=sum(c.attempts for _, c in pairs),
        dropped=len(a.cells.keys() | b.cells.keys()) - len(common),
    )
    if found.groups < MIN_GROUPS:
        return replace(found, refusal=too_few(found.groups))
    for side in (a, b):
        if side.refusal:
            return replace(found, refusal=f"{side.agent}: {side.refusal}")
    return _measured(found, pairs)


def exact_mcnemar(only_a: int, only_b: int) -> float:
    """McNemar's exact two-sided p-value for so many tasks that one agent alone passed, one attempt a side."""
    n, least = only_a + only_b, min(only_a, only_b)
    return min(1.0, float(Fraction(2 * sum(comb(n, k) for k in range(least + 1)), 2**n)))


def about(n: int) -> int:
    """A number of tasks with two digits that count, rounded up: more would claim to be known."""
    unit: int = 10 ** max(0, len(str(n)) - 2)
    return -(-n // unit) * unit


def _measured(found: Difference, pairs: Sequence[tuple[Cell, Cell]]) -> Difference:
    rows = [Row(x.group, Fraction(1), x.value - y.value) for x, y in pairs]
    mean, df = weighted_mean(rows), found.groups - 1
    t = t_quantile((1 + found.level) / 2, df)
    # Agents that never differ here may differ elsewhere: as much as no event in so many groups leaves open.
    unseen = upper_bound(0, independent_groups(rows), (1 + found.level) / 2)
    error = max(clustered_error(rows, mean), unseen / t)
    single = all(x.attempts == y.attempts == 1 for x, y in pairs)
    return replace(
        found,
        value=mean,
        error=error,
        low=max(-1.0, float(mean) - t * error),
        high=min(1.0, float(mean) + t * error),
        p=t_two_sided(float(mean) / error, df),
        mcnemar=exact_mcnemar(sum(r.value > 0 for r in rows), sum(r.value < 0 for r in rows))
        if single
        else None,
        spread=_spread(pairs, rows, mean, error),
    )


def _spread(pairs: Sequence[tuple[Cell, Cell]], rows: Sequence[Row], mean: Fraction, error: float) -> Spread:
    n = len(rows)
    total = fsum(float(r.value - mean) ** 2 for r in rows) / (n - 1)
    noise_a, within_a = _noise([x for x, _ in pairs])
    noise_b, within_b = _noise([y for _, y in pairs])
    return Spread(
        between=max(0.0, total - noise_a - noise_b),
        within_a=within_a,
        within_b=within_b,
        deff=max(1.0, n * error**2 / total) if total else 1.0,
    )


def _noise(cells: Sequence[Cell]) -> tuple[float, float | None]:
    """The part of the variance of a task's mean that attempts make, and the mean variance of one attempt."""
    if all(c.attempts == 1 for c in cells):
        return 0.0, None
    pooled = pooled_within(cells)
    each = [within(c) if c.attempts > 1 else pooled for c in cells]
    noise = fsum(v / c.attempts for v, c in zip(each, cells, strict=True)) / len(cells)
    return noise, fsum(each) / len(each)


def _reach(alpha: float) -> float:
    return (z_quantile(1 - alpha / 2) + z_quantile(POWER)) ** 2
