"""Rates, each with the name of what it estimates, its counts, its interval, or the sentence why there is none.

Three estimands. *List*: these very tasks, this agent; only attempts vary. *Skill*: the kinds of task that the groups
stand for; clustered by group; the headline. *Library*: all tasks of the frame, by the draw's exact weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import fsum, sqrt

from .intervals import (
    EXACT_BELOW,
    LEVEL,
    MIN_GROUPS,
    Row,
    clopper_pearson,
    clustered_error,
    effective_sample,
    exact_sum,
    independent_groups,
    no_closer,
    t_quantile,
    upper_bound,
    wilson,
    z_quantile,
)
from .records import Attempt, TaskAttempts, by_task

# Below this many tasks with both outcomes the noise of attempts is not estimated from them.
MIXED_TASKS = 10


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with all that belongs to it. `value` is numerator/denominator exactly.

    `count` of `attempts` is what happened (of `tasks`, if `by_task`); numerator and denominator are sums over tasks,
    and differ from them where tasks have weights or unequal numbers of graded attempts. Where `refusal` is not empty,
    the number may not be shown: `value`, `low` and `high` are None, and the counts are all there is ("2 of 2").
    `level` is two-sided.
    """

    estimand: str
    numerator: Fraction
    denominator: Fraction
    count: int
    attempts: int
    tasks: int
    groups: int
    method: str
    level: float = LEVEL
    low: float | None = None
    high: float | None = None
    refusal: str = ""
    note: str = ""
    by_task: bool = False

    @property
    def value(self) -> Fraction | None:
        """The share, or None where it may not be shown."""
        return None if self.refusal else self.numerator / self.denominator

    @property
    def said(self) -> str:
        """`59.8 % [54.1, 65.2]`, or `2 of 2` where no rate may be shown."""
        if self.value is None or self.low is None or self.high is None:
            return (
                f"{self.count} of {self.tasks} tasks" if self.by_task else f"{self.count} of {self.attempts}"
            )
        return f"{100 * float(self.value):.1f} % [{100 * self.low:.1f}, {100 * self.high:.1f}]"

    def refused(self, why: str) -> Rate:
        """The same counts without the number."""
        return replace(self, low=None, high=None, refusal=why)


@dataclass(frozen=True, slots=True)
class Bound:
    """So many events in so many attempts, and the most that the true share may well be (one-sided).

    `sample` is the effective number of attempts that the bound stands on. `ungraded`: events in attempts that have no
    grade; they are counted here and nowhere else.
    """

    count: int
    attempts: int
    tasks: int
    groups: int
    sample: float
    upper: float | None
    ungraded: int = 0
    method: str = "Clopper–Pearson, one-sided, on the effective sample"
    level: float = LEVEL

    @property
    def said(self) -> str:
        """`0 of 338 (at most 2.6 %)`, since no event in a few attempts shows little."""
        most = "" if self.upper is None else f" (at most {100 * self.upper:.1f} %)"
        return f"{self.count} of {self.attempts}{most}"


@dataclass(frozen=True, slots=True)
class Cell:
    """One task in a rate: its value in [0, 1], and the events and attempts behind it."""

    group: str
    value: Fraction
    count: int
    attempts: int
    weight: Fraction = Fraction(1)

    @property
    def row(self) -> Row:
        """As the intervals see it."""
        return Row(self.group, self.weight, self.value)


def skill_rate(attempts: Iterable[Attempt]) -> Rate:
    """The strict passes of one agent: pooled mean of the tasks, clustered by group. The headline before `headline`."""
    return clustered("skill: strict passes", strict_cells(attempts))


def group_rate(attempts: Iterable[Attempt]) -> Rate:
    """Every group counts once: the mean of the groups' means, with SE = sd/√G. Stands second.

    On the effective sample as the headline: the plain t interval, about the same in the middle, covers under 93 %
    where nearly all pass.
    """
    cells = strict_cells(attempts)
    rate = clustered("skill, every group once: strict passes", _by_group(cells))
    return replace(rate, tasks=len(cells))


def library_rate(attempts: Iterable[Attempt]) -> Rate:
    """The frame's strict rate by Hájek's estimator with weights 1/π, clustered by group; t interval, G − 1.

    Refused where a task has no inclusion probability. The design variance is not used: it covers 87 % where 95 are
    promised, since large groups rest on two tasks, and it does not exist where some pairs are never drawn.
    """
    tasks = [t for t in by_task(attempts) if t.graded]
    undrawn = sum(t.pi is None for t in tasks)
    cells = [replace(strict_cell(t), weight=Fraction(1) if t.pi is None else 1 / t.pi) for t in tasks]
    rate = _counts("library: strict passes", cells, "Hájek, weights 1/π, CR1 by group, t")
    if undrawn:
        rate = rate.refused(
            f"{_n(undrawn, 'task')} without an inclusion probability: this list was not drawn, so it stands for itself"
        )
    if rate.refusal:
        return rate
    rows = [c.row for c in cells]
    mean = rate.numerator / rate.denominator
    return _t_interval(
        rate, mean, clustered_error(rows, mean), rate.groups - 1, clean=independent_groups(rows)
    )


def list_rate(attempts: Iterable[Attempt]) -> Rate:
    """These very tasks: SE² = Σ_i s_i²/K_i / n², s_i² the variance within a task; normal interval.

    Tasks with one graded attempt take the pooled within-task variance, and their number is noted. Where fewer than
    ten tasks went both ways there is too little to estimate it from: then Wilson's interval on all attempts, which
    is not too narrow, since tasks that differ make the sum of attempts vary less than a binomial count.
    """
    cells = strict_cells(attempts)
    rate = _counts("list: strict passes", cells, "normal, variance within tasks")
    if rate.refusal:
        return rate
    single = sum(c.attempts == 1 for c in cells)
    mixed = sum(0 < c.value < 1 for c in cells)
    mean = float(rate.numerator / rate.denominator)
    note = f"{_n(single, 'task')} with one graded attempt" if single else ""
    if mixed < MIXED_TASKS:
        # All attempts where tasks have equally many; fewer where some have lost theirs.
        n = rate.tasks**2 / fsum(1 / c.attempts for c in cells)
        low, high = wilson(mean * n, n)
        return replace(rate, method="Wilson on all attempts", low=low, high=high, note=note)
    pooled = pooled_within(cells)
    error = sqrt(fsum((within(c) if c.attempts > 1 else pooled) / c.attempts for c in cells)) / rate.tasks
    reach = z_quantile((1 + LEVEL) / 2) * error
    if single:
        note += ": the pooled variance within tasks stands for theirs"
    return replace(rate, low=max(0.0, mean - reach), high=min(1.0, mean + reach), note=note)


def world_rates(attempts: Iterable[Attempt]) -> dict[str, Rate]:
    """The strict rate in each world, by name; counts only where a world has under ten groups."""
    worlds: dict[str, list[Attempt]] = {}
    for a in attempts:
        worlds.setdefault(a.world, []).append(a)
    return {w: clustered(f"skill in {w}: strict passes", strict_cells(worlds[w])) for w in sorted(worlds)}


def crossed_rate(attempts: Iterable[Attempt]) -> Rate:
    """How often the line was crossed, of graded attempts, with a two-sided clustered interval."""
    return clustered("skill: attempts that crossed the line", flag_cells(attempts, lambda a: a.crossed))


def crossings(attempts: Iterable[Attempt]) -> Bound:
    """How often the line was crossed and the one-sided upper bound on the share, also when the count is not zero.

    Clopper–Pearson on the effective sample, and never below what no crossing would show on `independent_groups`:
    the design effect cannot be seen in no event, nor in one. `upper` is None without a graded attempt.
    """
    mine = tuple(attempts)
    cells = flag_cells(mine, lambda a: a.crossed)
    rate = _counts("", cells, "")
    elsewhere = sum(a.crossed for a in mine if not a.graded)
    if not cells:
        return Bound(0, 0, 0, 0, 0.0, None, elsewhere)
    rows = [c.row for c in cells]
    worst = independent_groups(rows)
    mean = rate.numerator / rate.denominator
    sample, upper = worst, upper_bound(float(mean) * worst, worst)
    if 0 < mean < 1 and rate.groups > 1:
        # One-sided at 95 % is the upper end of two-sided at 90 %.
        error = clustered_error(rows, mean)
        sample = effective_sample(float(mean), error, rate.attempts, rate.groups, 2 * LEVEL - 1)
        upper = max(upper_bound(float(mean) * sample, sample), upper_bound(0, worst))
    return Bound(rate.count, rate.attempts, rate.tasks, rate.groups, sample, upper, elsewhere)


def clustered(estimand: str, cells: Sequence[Cell], *, by_task: bool = False, note: str = "") -> Rate:
    """The mean of tasks, clustered by group: Wilson on the effective sample, the beta form under 30 groups.

    `by_task`: a task is one look, however many attempts its value is made of, and events are counted in tasks.
    """
    rate = replace(_counts(estimand, cells, ""), note=note, by_task=by_task)
    form, method = (wilson, "Wilson") if rate.groups >= EXACT_BELOW else (clopper_pearson, "beta")
    rate = replace(rate, method=f"{method} on the effective sample, CR1 by group")
    if rate.refusal:
        return rate
    rows = [c.row for c in cells]
    mean, clean = rate.numerator / rate.denominator, independent_groups(rows)
    if 0 < mean < 1:
        looks = rate.tasks if by_task else rate.attempts
        n = effective_sample(float(mean), clustered_error(rows, mean), looks, rate.groups, rate.level)
    else:
        n = clean
    low, high = no_closer(*form(float(mean) * n, n, rate.level), clean, rate.level)
    return replace(rate, low=low, high=high)


def strict_cells(attempts: Iterable[Attempt]) -> list[Cell]:
    """The share of strict passes of every task with a graded attempt."""
    return [strict_cell(t) for t in by_task(attempts) if t.graded]


def strict_cell(t: TaskAttempts) -> Cell:
    """The share of strict passes of one task; it has a graded attempt."""
    passed = sum(a.strict for a in t.graded)
    return Cell(t.group, Fraction(passed, len(t.graded)), passed, len(t.graded))


def flag_cells(attempts: Iterable[Attempt], flag: Callable[[Attempt], bool | None]) -> list[Cell]:
    """The share of a yes-or-no of graded attempts, by task; attempts where it is None are left out."""
    cells = []
    for t in by_task(attempts):
        seen = [f for a in t.graded if (f := flag(a)) is not None]
        if seen:
            cells.append(Cell(t.group, Fraction(sum(seen), len(seen)), sum(seen), len(seen)))
    return cells


def within(c: Cell) -> float:
    """The variance of one attempt within a task, unbiased: K·y(1 − y)/(K − 1). More than one attempt."""
    y = float(c.value)
    return c.attempts * y * (1 - y) / (c.attempts - 1)


def pooled_within(cells: Iterable[Cell]) -> float:
    """Σ (K_i − 1) s_i² / Σ (K_i − 1) over the tasks with more than one attempt; there must be one."""
    several = [c for c in cells if c.attempts > 1]
    return fsum((c.attempts - 1) * within(c) for c in several) / sum(c.attempts - 1 for c in several)


def too_few(groups: int) -> str:
    """Why there is no rate over so few groups."""
    return f"{_n(groups, 'group')}, a rate needs {MIN_GROUPS}: counts only"


def _counts(estimand: str, cells: Sequence[Cell], method: str) -> Rate:
    groups = len({c.group for c in cells})
    refusal = "no graded attempt" if not cells else too_few(groups) if groups < MIN_GROUPS else ""
    return Rate(
        estimand=estimand,
        numerator=exact_sum(c.weight * c.value for c in cells),
        denominator=exact_sum(c.weight for c in cells),
        count=sum(c.count for c in cells),
        attempts=sum(c.attempts for c in cells),
        tasks=len(cells),
        groups=groups,
        method=method,
        refusal=refusal,
    )


def _n(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _by_group(cells: Iterable[Cell]) -> list[Cell]:
    """One cell a group: the mean of its tasks' values, and all that happened."""
    groups: dict[str, list[Cell]] = {}
    for c in cells:
        groups.setdefault(c.group, []).append(c)
    return [
        Cell(g, exact_sum(c.value for c in x) / len(x), sum(c.count for c in x), sum(c.attempts for c in x))
        for g, x in groups.items()
    ]


def _t_interval(rate: Rate, mean: Fraction, error: float, df: int, clean: float) -> Rate:
    reach = t_quantile((1 + rate.level) / 2, df) * error
    low, high = no_closer(float(mean) - reach, float(mean) + reach, clean, rate.level)
    return replace(rate, low=max(0.0, low), high=min(1.0, high))
