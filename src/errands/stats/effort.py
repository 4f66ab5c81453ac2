"""Time and money: what an attempt takes, shown so that fast failures and unknown prices flatter nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, inf
from statistics import median

from .rates import Rate, skill_rate
from .records import Attempt


@dataclass(frozen=True, slots=True)
class Duration:
    """Seconds of graded attempts. `of_successes` is the plain median of the strict ones; it says nothing of failures,
    so `success` stands beside it.

    `censored` is the median over all graded attempts, a failure counting as one that never gets there: the time
    within which half of all attempts had succeeded. None where half of them never did ("not reached"). `unmeasured`:
    strict attempts without the time; they are in neither median.
    """

    what: str
    of_successes: float | None
    successes: int
    censored: float | None
    attempts: int
    unmeasured: int
    success: Rate


@dataclass(frozen=True, slots=True)
class Cost:
    """Dollars of the graded attempts whose price is known; `unpriced` counts the others.

    `per_success` is all their dollars, failures' included, for each strict pass among them. None where none is priced,
    or none of the priced passed.
    """

    per_attempt: float | None
    per_success: float | None
    total: float
    priced: int
    unpriced: int
    successes: int


def wall_time(attempts: Iterable[Attempt]) -> Duration:
    """How long until the attempt was over."""
    return _duration("wall time", attempts, lambda a: a.wall_s)


def first_response(attempts: Iterable[Attempt]) -> Duration:
    """How long until the agent first said or did something."""
    return _duration("first response", attempts, lambda a: a.first_response_s)


def cost(attempts: Iterable[Attempt]) -> Cost:
    """What an attempt and a success cost."""
    graded = [a for a in attempts if a.graded]
    priced = [(a, a.cost_usd) for a in graded if a.cost_usd is not None]
    total, passed = fsum(c for _, c in priced), sum(a.strict for a, _ in priced)
    return Cost(
        per_attempt=total / len(priced) if priced else None,
        per_success=total / passed if passed else None,
        total=total,
        priced=len(priced),
        unpriced=len(graded) - len(priced),
        successes=passed,
    )


def judge_share(attempts: Iterable[Attempt]) -> Fraction | None:
    """The share of findings that a model judge decided; None where there is no finding."""
    graded = [a for a in attempts if a.graded]
    criteria = sum(a.criteria for a in graded)
    return Fraction(sum(a.judged for a in graded), criteria) if criteria else None


def _duration(what: str, attempts: Iterable[Attempt], seconds: Callable[[Attempt], float | None]) -> Duration:
    graded = [a for a in attempts if a.graded]
    passed = [s for a in graded if a.strict and (s := seconds(a)) is not None]
    failed = sum(not a.strict for a in graded)
    everyone = [*passed, *[inf] * failed]
    middle = median(everyone) if everyone else inf
    return Duration(
        what=what,
        of_successes=median(passed) if passed else None,
        successes=len(passed),
        censored=None if middle == inf else middle,
        attempts=len(graded),
        unmeasured=len(graded) - len(everyone),
        success=skill_rate(graded),
    )
