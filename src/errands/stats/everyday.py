"""The everyday protocol's own figures: what was tested, scores of cohorts, and how fast a goal was reached.

Source: the second seed, `everyday-tasks-v1`. "Tested counts categories with at least one evaluated run; it is coverage,
not a success rate. Category scores require at least three runs of the same scenario, fixture, plan, version and
environment. Speed is median completion time for successful community-class attempts in one comparable cohort with at
least three successes. Record first-response time separately."
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from statistics import median

LEAST = 3  # evaluated runs for a category score, successes for a speed


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """One run of a scenario and what it earned; `total` None: it could not be evaluated (blocked, invalid, cut short).

    `cohort` names all that must be the same for runs to be counted together: fixture, plan, version, environment.
    Scores are those of the protocol: `raw` 0 to 10, `total` and `gated` 1 to 10. `goal_s`: seconds from the prompt to
    the goal, None where it was not reached, or its scenario is not timed.
    """

    category: str
    scenario: str
    cohort: str
    vector: str = "-----"
    raw: int | None = None
    total: int | None = None
    gated: int | None = None
    goal_s: float | None = None
    first_s: float | None = None

    def __post_init__(self) -> None:
        if (self.raw is None) != (self.total is None) or (self.gated is None) != (self.total is None):
            raise ValueError(f"a run of {self.scenario} has some of its scores, and not all")
        if self.total is not None and not 1 <= self.total <= 10:
            raise ValueError(f"a run of {self.scenario} has a total of {self.total}")

    @property
    def passed(self) -> bool:
        """Whether it is a pass of the protocol: ten of ten."""
        return self.total == 10


@dataclass(frozen=True, slots=True)
class Tested:
    """Categories with at least one evaluated run, of all there are. It is coverage, not a success rate."""

    categories: tuple[str, ...]
    of: int

    @property
    def said(self) -> str:
        """`Tested: 2 of 15 categories`."""
        return f"{len(self.categories)} of {self.of} categories have an evaluated run"


@dataclass(frozen=True, slots=True)
class Cohort:
    """The runs of one scenario that may be counted together. `score`: the mean of all evaluated totals, None with the
    reason in `refusal` before there are three."""

    category: str
    scenario: str
    cohort: str
    runs: tuple[Evaluated, ...]
    score: Fraction | None
    refusal: str

    @property
    def evaluated(self) -> tuple[Evaluated, ...]:
        """Those that have a total."""
        return tuple(r for r in self.runs if r.total is not None)


@dataclass(frozen=True, slots=True)
class Speed:
    """Median seconds from the prompt to the goal over a cohort's successes; None with the reason before there are
    three. `first_response` is the median until the first sign of life of the same successes: apart, never instead."""

    scenario: str
    cohort: str
    seconds: float | None
    first_response: float | None
    successes: int
    refusal: str


def categories_tested(runs: Iterable[Evaluated], categories: Collection[str]) -> Tested:
    """Which of these categories were tested. `ValueError` for a run of another."""
    found = {r.category for r in runs if r.total is not None}
    if strange := found - set(categories):
        raise ValueError(f"no such category: {', '.join(sorted(strange))}")
    return Tested(tuple(sorted(found)), len(categories))


def cohorts(runs: Iterable[Evaluated]) -> tuple[Cohort, ...]:
    """Runs by scenario and cohort, in the order of their names, each with its category score or why it has none."""
    by: dict[tuple[str, str, str], list[Evaluated]] = {}
    for r in runs:
        by.setdefault((r.category, r.scenario, r.cohort), []).append(r)
    return tuple(_cohort(*key, tuple(found)) for key, found in sorted(by.items()))


def _cohort(category: str, scenario: str, cohort: str, runs: tuple[Evaluated, ...]) -> Cohort:
    totals = [r.total for r in runs if r.total is not None]
    if len(totals) < LEAST:
        return Cohort(category, scenario, cohort, runs, None, f"{_runs(len(totals))}: {_NEEDS}")
    return Cohort(category, scenario, cohort, runs, Fraction(sum(totals), len(totals)), "")


_NEEDS = (
    f"a category score needs {LEAST} evaluated runs of one scenario, fixture, plan, version and environment"
)


def _runs(n: int) -> str:
    return f"{n} evaluated run{'' if n == 1 else 's'}"


def speed(cohort: Cohort) -> Speed:
    """How fast a cohort's successes reached their goal."""
    done = [r for r in cohort.runs if r.passed and r.goal_s is not None]
    if len(done) < LEAST:
        why = f"{len(done)} successes that were timed: a speed needs {LEAST} of one cohort"
        return Speed(cohort.scenario, cohort.cohort, None, None, len(done), why)
    first = [r.first_s for r in done if r.first_s is not None]
    return Speed(
        cohort.scenario,
        cohort.cohort,
        median(r.goal_s for r in done if r.goal_s is not None),
        median(first) if len(first) == len(done) else None,
        len(done),
        "",
    )


def run_of(
    category: str,
    scenario: str,
    cohort: str,
    scores: Mapping[str, int],
    *,
    goal_s: float | None = None,
    first_s: float | None = None,
) -> Evaluated:
    """A run by the scores that the protocol gave it; empty ones, or without a total, are not evaluated."""
    return Evaluated(
        category=category,
        scenario=scenario,
        cohort=cohort,
        vector="".join(str(scores.get(f"c{n}", "-")) for n in range(1, 6)),
        raw=scores.get("raw"),
        total=scores.get("total"),
        gated=scores.get("gated"),
        goal_s=goal_s,
        first_s=first_s,
    )
