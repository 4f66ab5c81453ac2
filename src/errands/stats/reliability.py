"""What several attempts at one task say: pass^k, pass@k and the share of flips, by the unbiased estimators."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import comb

from .rates import Cell, Rate, clustered
from .records import Attempt, by_task


def all_of(passed: int, n: int, k: int) -> Fraction:
    """C(c, k)/C(n, k): the chance that k of these n attempts, picked at random, all passed. Unbiased for p^k."""
    _possible(passed, n, k)
    return Fraction(comb(passed, k), comb(n, k))


def any_of(passed: int, n: int, k: int) -> Fraction:
    """1 − C(n − c, k)/C(n, k): the chance that one of k at least passed. Unbiased for 1 − (1 − p)^k."""
    _possible(passed, n, k)
    return 1 - Fraction(comb(n - passed, k), comb(n, k))


def pass_hat_k(attempts: Iterable[Attempt], k: int) -> Rate:
    """pass^k: the share of tasks, k attempts at which all pass; clustered. "Not measured" where no task has k graded.

    Source of the estimator: Yao et al., tau-bench, arXiv 2406.12045.
    """
    return _over_tasks(f"pass^{k}", attempts, k, lambda c, n: all_of(c, n, k), lambda c, n: c == n)


def pass_at_k(attempts: Iterable[Attempt], k: int) -> Rate:
    """pass@k: the share of tasks, k attempts at which pass at least once; clustered.

    Source of the estimator: Chen et al., Evaluating Large Language Models Trained on Code, arXiv 2107.03374.
    """
    return _over_tasks(f"pass@{k}", attempts, k, lambda c, n: any_of(c, n, k), lambda c, n: c > 0)


def flip_share(attempts: Iterable[Attempt]) -> Rate:
    """How often two attempts at one task differ: pass@2 − pass^2."""
    return _over_tasks(
        "flips", attempts, 2, lambda c, n: any_of(c, n, 2) - all_of(c, n, 2), lambda c, n: 0 < c < n
    )


def _possible(passed: int, n: int, k: int) -> None:
    if not 0 <= passed <= n or not 1 <= k <= n:
        raise ValueError(f"k = {k} of {passed} passes in {n} attempts")


def _over_tasks(
    name: str,
    attempts: Iterable[Attempt],
    k: int,
    value: Callable[[int, int], Fraction],
    happened: Callable[[int, int], bool],
) -> Rate:
    """The mean of a task's value over all tasks with k graded attempts; `happened` counts tasks, over all attempts."""
    if k < 1:
        raise ValueError(f"k = {k} is no number of attempts")
    tasks = by_task(attempts)
    cells = []
    for t in tasks:
        if (n := len(t.graded)) >= k:
            passed = sum(a.strict for a in t.graded)
            cells.append(Cell(t.group, value(passed, n), int(happened(passed, n)), n))
    short = len(tasks) - len(cells)
    note = f"{short} of {len(tasks)} tasks left out: fewer than {k} graded attempts" if short else ""
    rate = clustered(f"{name}, unbiased", cells, by_task=True, note=note)
    return rate if cells else rate.refused(f"not measured: no task has {k} graded attempts")
