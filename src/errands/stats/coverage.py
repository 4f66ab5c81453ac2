"""What was planned, what could be graded, and how far the rest could move the headline."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from errands.core.types import Status

from .rates import Rate, skill_rate
from .records import Attempt, filled

# The headline is refused below this share of planned attempts graded.
MIN_COVERAGE = Fraction(9, 10)
# The headline is refused where best and worst case are further apart than this many widths of its interval.
MAX_WIDTHS = 2


@dataclass(frozen=True, slots=True)
class Coverage:
    """Planned = graded + blocked + invalid + not run; `worst` and `best` are the rate with all ungraded attempts failed
    or passed, None without a planned attempt. They may be printed where the headline is refused."""

    planned: int
    graded: int
    blocked: int
    invalid: int
    not_run: int
    worst: Fraction | None
    best: Fraction | None

    @property
    def share(self) -> Fraction | None:
        """Graded of planned."""
        return Fraction(self.graded, self.planned) if self.planned else None

    def refusal(self, rate: Rate) -> str:
        """Why the rate that stands on this coverage may not be shown; empty where it may."""
        if self.share is None or self.worst is None or self.best is None:
            return "no attempt was planned"
        if self.share < MIN_COVERAGE:
            return f"{self.graded} of {self.planned} attempts could be graded, under {100 * float(MIN_COVERAGE):.0f} %"
        if rate.low is None or rate.high is None:
            return rate.refusal
        apart = float(self.best - self.worst)
        if apart > MAX_WIDTHS * (rate.high - rate.low):
            return (
                f"the {self.planned - self.graded} attempts without a grade could move it by {100 * apart:.1f} points,"
                f" more than {MAX_WIDTHS} widths of its interval"
            )
        return ""


def coverage(attempts: Iterable[Attempt], rate: Callable[[Iterable[Attempt]], Rate] = skill_rate) -> Coverage:
    """The counts of one agent's planned attempts, and the best and worst case of a rate.

    A task withdrawn after the draw is given as attempts that were not run: its bounds are then "with it"; without
    its attempts the same call says "without it".
    """
    mine = tuple(attempts)
    n: dict[Status, int] = {s: sum(a.status == s for a in mine) for s in _STATUSES}
    worst = _share(rate(filled(mine, strict=False)))
    best = worst if n["graded"] == len(mine) else _share(rate(filled(mine, strict=True)))
    return Coverage(
        len(mine),
        graded=n["graded"],
        blocked=n["blocked"],
        invalid=n["invalid"],
        not_run=n["not_run"],
        worst=worst,
        best=best,
    )


def headline(attempts: Iterable[Attempt], rate: Callable[[Iterable[Attempt]], Rate] = skill_rate) -> Rate:
    """The skill rate (or another), refused where too few attempts were graded or the rest could move it too far."""
    mine = tuple(attempts)
    found = rate(mine)
    if found.refusal or all(a.graded for a in mine):
        return found
    why = coverage(mine, rate).refusal(found)
    return found.refused(why) if why else found


def _share(r: Rate) -> Fraction | None:
    return r.numerator / r.denominator if r.denominator else None


_STATUSES: tuple[Status, ...] = ("graded", "blocked", "invalid", "not_run")
