"""Intervals: Wilson, Clopper–Pearson, the clustered standard error and the effective sample that joins them.

Symbols as in the field: G groups, n tasks, m attempts; 95 % unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, sqrt
from statistics import NormalDist
from typing import Any

from errands.core.errors import UsageError

LEVEL = 0.95
# Below this many groups no rate is given: counts only.
MIN_GROUPS = 10
# Below this many groups the exact form on the effective sample, which is wider than Wilson's.
EXACT_BELOW = 30


@dataclass(frozen=True, slots=True)
class Row:
    """One task in a mean: its group, its weight, and its value in [0, 1] (or [−1, 1] for a difference)."""

    group: str
    weight: Fraction
    value: Fraction


def z_quantile(q: float) -> float:
    """The q-quantile of the standard normal distribution."""
    return NormalDist().inv_cdf(q)


def t_quantile(q: float, df: int) -> float:
    """The q-quantile of Student's t."""
    return float(_special().stdtrit(df, q))


def t_two_sided(t: float, df: int) -> float:
    """The two-sided p-value of a t statistic."""
    return float(2 * _special().stdtr(df, -abs(t)))


def wilson(count: float, n: float, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's score interval; `count` and `n` may be fractional, as an effective sample is.

    Source: Wilson 1927; as `statsmodels.stats.proportion.proportion_confint(method="wilson")`.
    """
    z, p = z_quantile((1 + level) / 2), count / n
    middle, spread = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # The ends are 0 and 1 exactly where nothing or everything happened, whatever rounding does.
    low = 0.0 if count <= 0 else (middle - spread) / (1 + z * z / n)
    high = 1.0 if count >= n else (middle + spread) / (1 + z * z / n)
    return max(0.0, low), min(1.0, high)


def clopper_pearson(count: float, n: float, level: float = LEVEL) -> tuple[float, float]:
    """The exact (beta) two-sided interval, also for a fractional effective sample."""
    q = (1 - level) / 2
    low = 0.0 if count <= 0 else float(_special().betaincinv(count, n - count + 1, q))
    return low, upper_bound(count, n, 1 - q)


def upper_bound(count: float, n: float, level: float = LEVEL) -> float:
    """The exact one-sided upper bound; 1 − (1 − level)^(1/n) where `count` is 0."""
    return 1.0 if count >= n else float(_special().betaincinv(count + 1, n - count, level))


def weighted_mean(rows: Sequence[Row]) -> Fraction:
    """Σ w·y / Σ w, exactly."""
    return exact_sum(r.weight * r.value for r in rows) / exact_sum(r.weight for r in rows)


def exact_sum(terms: Iterable[Fraction]) -> Fraction:
    """The exact sum; quick where many have one denominator, as shares of a few attempts do."""
    numerators: dict[int, int] = {}
    for x in terms:
        numerators[x.denominator] = numerators.get(x.denominator, 0) + x.numerator
    return sum((Fraction(n, d) for d, n in numerators.items()), Fraction(0))


def clustered_error(rows: Sequence[Row], mean: Fraction) -> float:
    """The standard error CR1 of a (weighted) mean: √( G/(G−1) · Σ_g (Σ_{i∈g} w(y − mean))² / (Σ w)² ).

    At least two groups. Equals statsmodels' OLS on a constant with `cov_type="cluster"` where all weights are 1.
    """
    sums: dict[str, list[float]] = {}
    middle = float(mean)
    for r in rows:
        sums.setdefault(r.group, []).append(float(r.weight) * (float(r.value) - middle))
    groups = len(sums)
    total = fsum(float(r.weight) for r in rows)
    return sqrt(groups / (groups - 1) * fsum(fsum(s) ** 2 for s in sums.values())) / total


def independent_groups(rows: Sequence[Row]) -> float:
    """How many equal groups these are worth if all tasks of a group went the same way: (Σ w)² / Σ_g (Σ_{i∈g} w)².

    The sample size at worst. It is what counts where nothing varied, so that no design effect can be estimated.
    """
    weights: dict[str, list[float]] = {}
    for r in rows:
        weights.setdefault(r.group, []).append(float(r.weight))
    return fsum(float(r.weight) for r in rows) ** 2 / fsum(fsum(w) ** 2 for w in weights.values())


def effective_sample(mean: float, error: float, m: int, groups: int, level: float = LEVEL) -> float:
    """m / deff · (z/t)², deff = error² / (mean(1 − mean)/m) but at least 1; `level` is two-sided.

    (z/t)² pays for the error being estimated from so many groups. `mean` strictly between 0 and 1.
    """
    deff = max(1.0, error * error * m / (mean * (1 - mean)))
    q = (1 + level) / 2
    return m / deff * (z_quantile(q) / t_quantile(q, groups - 1)) ** 2


def no_closer(low: float, high: float, clean: float, level: float = LEVEL) -> tuple[float, float]:
    """The interval, reaching no closer to 0 and 1 than that of a clean sweep of `clean` independent groups.

    Near 0 and 1 few events tell nothing about the design effect; without this, one failure in many attempts would
    be given a narrower interval than none.
    """
    none, every = wilson(0, clean, level), wilson(clean, clean, level)
    return min(low, every[0]), max(high, none[1])


def _special() -> Any:
    try:
        from scipy import special
    except ImportError:
        raise UsageError(
            "intervals need scipy, which is not installed", do="pip install 'errands[stats]'"
        ) from None
    return special
