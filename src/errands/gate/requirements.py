"""Requirements such as `crossed == 0`: a closed little language, and how often an unchanged agent trips each.

`NAME OP NUMBER`: crossed, strict, invalid and blocked count attempts, coverage is the share of them that was graded
(`0.95` or `95 %`); == <= >=. Those of invalid, blocked and coverage are about the harness, not the agent: where
they do not hold, the gate could not be judged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor
from typing import Literal

from errands.core.errors import UsageError
from errands.stats.gate import trips
from errands.stats.rates import crossings
from errands.stats.records import Attempt

State = Literal["holds", "fails", "open"]
OPS = ("==", "<=", ">=")
# What an attempt must be to be counted.
_COUNTS: dict[str, Callable[[Attempt], bool]] = {
    "crossed": lambda a: a.crossed,
    "strict": lambda a: a.strict,
    "invalid": lambda a: a.status == "invalid",
    "blocked": lambda a: a.status == "blocked",
    "coverage": lambda a: a.graded,
}
_AGENTS = ("crossed", "strict")  # what a missing attempt might still have been
_WANTED = ("strict", "coverage")
_FORM = re.compile(r"\s*([a-z_]+)\s*(==|<=|>=)\s*([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(%?)\s*", re.ASCII)
_KNOWN = f"NAME OP NUMBER with {', '.join(_COUNTS)}; {' '.join(OPS)}; as 'crossed == 0' or 'coverage >= 95 %'"


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement; `value` is a number of attempts, for coverage a share."""

    name: str
    op: str
    value: Fraction

    @property
    def text(self) -> str:
        """As it is written."""
        number = f"{float(100 * self.value):g} %" if self.name == "coverage" else str(self.value)
        return f"{self.name} {self.op} {number}"

    @property
    def of_harness(self) -> bool:
        """Whether it is about the harness: where it does not hold, the gate could not be judged."""
        return self.name not in _AGENTS

    def seen(self, attempts: Sequence[Attempt]) -> int:
        """How many of these attempts it counts (for coverage: how many were graded)."""
        return sum(map(_COUNTS[self.name], attempts))

    def state(self, attempts: Sequence[Attempt]) -> State:
        """Whether it holds of what was seen.

        `open` where it does not but attempts without a grade could mend that, and where nothing was graded.
        """
        seen, missing = self.seen(attempts), 0
        if not self.of_harness:
            missing = sum(not a.graded and not a.crossed for a in attempts)
        limit = self._limit(len(attempts))
        if _holds(self.op, seen, seen, limit):
            return "holds" if self.of_harness or any(a.graded for a in attempts) else "open"
        return "open" if _holds(self.op, seen, seen + missing, limit) else "fails"

    def tripped(self, rate: float, tasks: int, attempts: int) -> float:
        """How often an agent trips it in `tasks` × `attempts`, all graded, of which each is bad with this chance.

        Bad is crossed, invalid, blocked, not strict or not graded, by the requirement's name.
        """
        of = [(1 - rate if self.name in _WANTED else rate, attempts)] * tasks
        limit = self._limit(tasks * attempts)
        above = trips(of, floor(limit))
        below = 1 - _more(of, ceil(limit) - 1)
        if self.op == "<=":
            return above
        if self.op == ">=":
            return below
        return min(1.0, above + below) if limit.denominator == 1 else 1.0

    def baseline(self, attempts: Sequence[Attempt]) -> tuple[int, int, float, float]:
        """Of a baseline: bad attempts, all, their share, and the most that the share may well be (one-sided 95 %)."""
        # Each attempt as one that "crossed" where it is bad: the bound is that of crossings.
        mine = [
            replace(
                a,
                status="graded",
                strict=False,
                crossed=_COUNTS[self.name](a) != (self.name in _WANTED),
                pi=None,
            )
            for a in attempts
            if a.graded or self.of_harness
        ]
        bound = crossings(mine)
        share = bound.count / bound.attempts if bound.attempts else 0.0
        return bound.count, bound.attempts, share, 1.0 if bound.upper is None else bound.upper

    def _limit(self, planned: int) -> Fraction:
        return self.value * planned if self.name == "coverage" else self.value


def requirement(text: str) -> Requirement:
    """A requirement from its text; `UsageError` that says what is known."""
    found = _FORM.fullmatch(text)
    if found is None or found[1] not in _COUNTS:
        raise UsageError(f"{text!r} is no requirement", where="--require", expected=_KNOWN)
    name, op, digits, percent = found.groups()
    value = Fraction(digits) / (100 if percent else 1)
    if name == "coverage" and value > 1:
        raise UsageError(f"{text!r}: coverage is a share", where="--require", expected="0.95 or 95 %")
    if name != "coverage" and (percent or value.denominator != 1):
        raise UsageError(
            f"{text!r}: {name} counts attempts",
            where="--require",
            expected="a whole number: a share is nothing that a sample of this size can hold to",
        )
    return Requirement(name, op, value)


def _holds(op: str, low: int, high: int, limit: Fraction) -> bool:
    """Whether a count somewhere between these is as it should be."""
    if op == "<=":
        return low <= limit
    if op == ">=":
        return high >= limit
    return low <= limit <= high and limit.denominator == 1


def _more(of: list[tuple[float, int]], than: int) -> float:
    """P(more than so many), also for −1."""
    return 1.0 if than < 0 else trips(of, than)
