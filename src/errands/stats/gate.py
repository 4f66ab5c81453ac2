"""The gate's arithmetic: what is a confirmed break, how often an unchanged agent is blocked, what is caught.

A task *broke* where the baseline passed all n attempts, now at most ⌊n/3⌋ of n pass, and then none of r re-runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import comb

# How often an agent that has not changed may be blocked by breaks.
FALSE_BLOCKS = 0.05


@dataclass(frozen=True, slots=True)
class BreakRule:
    """A rule for `tasks` tasks at `attempts` each: at most `still` passes now, then 0 of `reruns`.

    `worst_rate` is the pass rate at which an unchanged task is most often called broken, `worst` that chance, over
    baseline, run and re-runs together. tasks × worst ≤ .05.
    """

    tasks: int
    attempts: int
    still: int
    reruns: int
    worst_rate: float
    worst: float

    @property
    def false_blocks(self) -> float:
        """At most this often is an unchanged agent blocked: all tasks at the worst rate."""
        return 1 - (1 - self.worst) ** self.tasks

    def suspect(self, before: int, now: int, ungraded: int = 0) -> bool:
        """Whether a task is to be re-run: all passed in the baseline, and now too few, even had the ungraded passed."""
        return before == self.attempts and now + ungraded <= self.still

    def confirmed(self, passed: int, graded: int) -> bool:
        """Whether the re-runs of a suspect confirm the break: all of them graded, none passed."""
        return graded >= self.reruns and passed == 0

    def caught(self, before: float, now: float) -> float:
        """The chance that a task which passed at rate `before` and passes at `now` is called broken."""
        return break_chance(self.attempts, self.still, self.reruns, before, now)


def break_rule(tasks: int, attempts: int = 3) -> BreakRule:
    """The rule with the fewest re-runs that blocks an unchanged agent in at most 5 % of gates, whatever its rates.

    The promise is over baseline, run and re-runs: r is the smallest with tasks × max_p p^n·P(≤ ⌊n/3⌋ of n)·(1−p)^r
    ≤ .05. `attempts` below 3 are possible and need many re-runs. `ValueError` for fewer than one of either.
    """
    if tasks < 1 or attempts < 1:
        raise ValueError(f"{tasks} tasks at {attempts} attempts")
    still, low, high = attempts // 3, -1, 1
    while tasks * _worst(attempts, still, high)[1] > FALSE_BLOCKS:
        low, high = high, 2 * high
    # The chance falls with every re-run, so the smallest number that keeps the promise lies between.
    while high - low > 1:
        middle = (low + high) // 2
        if tasks * _worst(attempts, still, middle)[1] > FALSE_BLOCKS:
            low = middle
        else:
            high = middle
    return BreakRule(tasks, attempts, still, high, *_worst(attempts, still, high))


def break_chance(attempts: int, still: int, reruns: int, before: float, now: float) -> float:
    """before^n · P(at most `still` of n pass at rate `now`) · (1 − now)^reruns."""
    few = sum(comb(attempts, k) * now**k * (1 - now) ** (attempts - k) for k in range(still + 1))
    return float(before**attempts * few * (1 - now) ** reruns)


def trips(rates: Iterable[tuple[Fraction | float, int]], allowed: int = 0) -> float:
    """How often an unchanged agent breaks a rule such as `crossed <= allowed`, at (crossing rate, attempts) by task.

    The exact distribution of the sum. A pooled rate may be given as one pair; tasks that differ trip `crossed == 0`
    at least as often as their pooled rate says. `ValueError` for a rate outside 0 and 1.
    """
    at_most = [1.0] + [0.0] * allowed
    for rate, attempts in rates:
        q = float(rate)
        if not 0 <= q <= 1:
            raise ValueError(f"a crossing rate of {rate}")
        one = [
            comb(attempts, k) * q**k * (1 - q) ** (attempts - k) for k in range(min(attempts, allowed) + 1)
        ]
        at_most = [
            sum(at_most[n - k] * one[k] for k in range(min(n, len(one) - 1) + 1)) for n in range(allowed + 1)
        ]
    return max(0.0, 1 - sum(at_most))


def _worst(attempts: int, still: int, reruns: int) -> tuple[float, float]:
    """The rate at which an unchanged task is most often called broken, and that chance.

    The chance is a product of functions whose logarithms are concave (a power, a binomial tail, a power), so it has
    one peak, and a search by thirds finds it.
    """
    low, high = 0.0, 1.0
    for _ in range(100):
        third = (high - low) / 3
        a, b = low + third, high - third
        if break_chance(attempts, still, reruns, a, a) < break_chance(attempts, still, reruns, b, b):
            low = a
        else:
            high = b
    rate = (low + high) / 2
    return rate, break_chance(attempts, still, reruns, rate, rate)
