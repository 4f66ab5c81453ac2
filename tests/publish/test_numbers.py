"""How money, times and coverage are said: what is not known is never nothing."""

from __future__ import annotations

from fractions import Fraction

import pytest

from errands.publish.numbers import Covered, Money, Seconds
from errands.stats.coverage import Coverage
from errands.stats.effort import Cost, Duration
from errands.stats.rates import skill_rate


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        (Cost(None, None, 0, 0, 32, 21), "32 attempts unpriced"),
        (
            Cost(0.11, 0.18, 3.5, 32, 2, 21),
            "$0.11 an attempt, $0.18 a success, $3.50 over 32 attempts; 2 attempts unpriced",
        ),
        (Cost(0.0011, None, 0.035, 32, 0, 0), "$0.0011 an attempt, no success, $0.0350 over 32 attempts"),
        (Cost(0, 0, 0, 2, 0, 2), "$0.00 an attempt, $0.00 a success, $0.00 over 2 attempts"),
    ],
)
def test_money(cost, said):
    assert Money.of(cost).said == said


def test_half_that_never_got_there_is_not_reached():
    none = Duration("wall time", None, 0, None, 4, 0, skill_rate([]))
    told = Seconds.of(none)
    assert told.censored is None and "not reached" in told.said and "no success" in told.said
    some = Seconds.of(Duration("wall time", 42.4, 3, 50.0, 4, 1, skill_rate([])))
    assert "42 s over 3 successes" in some.said and "within: 50 s; 1 successes without a time" in some.said


def test_what_was_not_graded_is_named_with_both_bounds():
    c = Coverage(10, 8, 1, 0, 1, Fraction(6, 10), Fraction(8, 10))
    assert (
        Covered.of(c).said
        == "8 of 10 attempts graded, 1 blocked, 1 not run; all of those failed 60.0 %, all passed 80.0 %"
    )
