"""The figures of a card as they are written: each with its counts, its method and its level, or why there is none."""

from __future__ import annotations

from fractions import Fraction
from typing import Self

from errands.draw.files import Part
from errands.stats.coverage import Coverage
from errands.stats.effort import Cost, Duration
from errands.stats.rates import Bound, Rate

PLACES = 10  # decimals of a float: enough for anybody, and the same on every machine


class Number(Part):
    """A rate. `numerator` and `denominator` are exact, as fractions; `count` of `attempts` is what happened, or
    `count` of `tasks` where it is `by_task`.

    Where `refusal` is not empty the number may not be shown: `value`, `low` and `high` are None.
    """

    estimand: str
    said: str
    value: float | None
    low: float | None
    high: float | None
    numerator: str
    denominator: str
    count: int
    attempts: int
    tasks: int
    groups: int
    method: str
    level: float
    refusal: str
    note: str
    by_task: bool

    @classmethod
    def of(cls, r: Rate) -> Self:
        """As a rate of `stats` has it."""
        return cls(
            estimand=r.estimand,
            said=r.said,
            value=_float(r.value),
            low=_float(r.low),
            high=_float(r.high),
            numerator=str(r.numerator),
            denominator=str(r.denominator),
            count=r.count,
            attempts=r.attempts,
            tasks=r.tasks,
            groups=r.groups,
            method=r.method,
            level=r.level,
            refusal=r.refusal,
            note=r.note,
            by_task=r.by_task,
        )


class Crossings(Part):
    """Crossings of the line and the most that their share may well be; `ungraded`: in attempts without a grade."""

    said: str
    count: int
    attempts: int
    tasks: int
    groups: int
    sample: float
    upper: float | None
    ungraded: int
    method: str
    level: float

    @classmethod
    def of(cls, b: Bound) -> Self:
        """As a bound of `stats` has it."""
        return cls(
            said=b.said,
            count=b.count,
            attempts=b.attempts,
            tasks=b.tasks,
            groups=b.groups,
            sample=round(b.sample, PLACES),
            upper=_float(b.upper),
            ungraded=b.ungraded,
            method=b.method,
            level=b.level,
        )


class Covered(Part):
    """Planned = graded + blocked + invalid + not run; the rate with all ungraded attempts failed, and all passed."""

    said: str
    planned: int
    graded: int
    blocked: int
    invalid: int
    not_run: int
    worst: float | None
    best: float | None

    @classmethod
    def of(cls, c: Coverage) -> Self:
        """As `stats` counts it."""
        named = (("blocked", c.blocked), ("invalid", c.invalid), ("not run", c.not_run))
        more = "".join(f", {n} {name}" for name, n in named if n)
        bounds = ""
        if c.graded < c.planned and c.worst is not None and c.best is not None:
            bounds = f"; all of those failed {percent(c.worst)}, all passed {percent(c.best)}"
        return cls(
            said=f"{c.graded} of {c.planned} attempts graded{more}{bounds}",
            planned=c.planned,
            graded=c.graded,
            blocked=c.blocked,
            invalid=c.invalid,
            not_run=c.not_run,
            worst=_float(c.worst),
            best=_float(c.best),
        )


class Seconds(Part):
    """A time: the median over successes, beside it the censored median over all graded attempts.

    `censored` None with attempts: "not reached", half of them never succeeded. `unmeasured`: successes without a time.
    """

    what: str
    said: str
    of_successes: float | None
    successes: int
    censored: float | None
    attempts: int
    unmeasured: int
    success: Number

    @classmethod
    def of(cls, d: Duration) -> Self:
        """As `stats` has it."""
        among = f"{d.success.count} of {d.success.attempts} succeeded"
        if d.of_successes is None:
            told = "no success that was measured"
        else:
            told = f"{_seconds(d.of_successes)} over {d.successes} successes"
        within = "not reached" if d.censored is None else _seconds(d.censored)
        missing = f"; {d.unmeasured} successes without a time" if d.unmeasured else ""
        return cls(
            what=d.what,
            said=f"{told}; {among}; half of all had succeeded within: {within}{missing}",
            of_successes=_float(d.of_successes),
            successes=d.successes,
            censored=_float(d.censored),
            attempts=d.attempts,
            unmeasured=d.unmeasured,
            success=Number.of(d.success),
        )


class Money(Part):
    """Dollars of the graded attempts whose price is known; `per_success` is all of them, failures' too."""

    said: str
    per_attempt: float | None
    per_success: float | None
    total: float
    priced: int
    unpriced: int
    successes: int

    @classmethod
    def of(cls, c: Cost) -> Self:
        """As `stats` has it."""
        told = []
        if c.per_attempt is not None:
            each = "no success" if c.per_success is None else f"{_dollars(c.per_success)} a success"
            total = f"{_dollars(c.total)} over {c.priced} attempts"
            told.append(f"{_dollars(c.per_attempt)} an attempt, {each}, {total}")
        if c.unpriced or not told:
            told.append(f"{c.unpriced} attempts unpriced")
        return cls(
            said="; ".join(told),
            per_attempt=_float(c.per_attempt),
            per_success=_float(c.per_success),
            total=round(c.total, PLACES),
            priced=c.priced,
            unpriced=c.unpriced,
            successes=c.successes,
        )


def percent(x: Fraction | float) -> str:
    """`59.8 %`."""
    return f"{100 * float(x):.1f} %"


def _float(x: Fraction | float | None) -> float | None:
    return None if x is None else round(float(x), PLACES)


def _seconds(s: float) -> str:
    return f"{s:.0f} s" if s >= 10 else f"{s:.2f} s" if s >= 0.1 else f"{1000 * s:.0f} ms"


def _dollars(d: float) -> str:
    return f"${d:.2f}" if d >= 0.1 or not d else f"${d:.4f}"
