"""Time, money, asking and judges."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from errands.stats.asking import asked_needlessly, asked_when_needed
from errands.stats.effort import cost, first_response, judge_share, wall_time

from .lists import attempts


def timed(marks: str, seconds: list[float | None], **more):
    return [
        replace(a, wall_s=s, first_response_s=s, **more)
        for a, s in zip(attempts([("g", marks)]), seconds, strict=True)
    ]


def test_fast_failures_do_not_make_an_agent_fast():
    """Passes at 10, 20, 30; failures at 1: the successes' median is 20, and half of all six had passed by … never."""
    d = wall_time(timed("+++---", [10, 20, 30, 1, 1, 1]))
    assert (d.of_successes, d.successes, d.attempts) == (20, 3, 6)
    assert d.censored is None
    assert d.success.said == "3 of 6"


def test_the_censored_median_by_hand():
    """10, 20, 30, 40 and one that never: the third of five."""
    assert wall_time(timed("++++-", [40, 10, 30, 20, 5])).censored == 30
    assert wall_time(timed("++++-", [40, 10, 30, 20, 5])).of_successes == 25
    # All pass: both are the plain median.
    d = first_response(timed("++++", [1, 2, 3, 4]))
    assert d.censored == d.of_successes == 2.5
    # Half pass: the middle lies between a pass and never.
    assert wall_time(timed("++--", [1, 2, 3, 4])).censored is None


def test_what_was_not_measured_or_graded():
    d = wall_time(timed("++-b", [7, None, None, 1]))
    assert (d.of_successes, d.successes, d.unmeasured, d.attempts) == (7, 1, 1, 3)
    d = wall_time([])
    assert d.of_successes is None and d.censored is None and d.attempts == 0


def test_cost_by_hand():
    """Dollars of failures are paid for by the successes; unpriced attempts are counted, and blocked ones are not."""
    mine = [
        replace(a, cost_usd=c)
        for a, c in zip(attempts([("g", "+-+-b")]), [0.10, 0.20, 0.30, None, 9.0], strict=True)
    ]
    c = cost(mine)
    assert c.total == pytest.approx(0.6) and c.per_attempt == pytest.approx(0.2)
    assert c.per_success == pytest.approx(0.3)
    assert (c.priced, c.unpriced, c.successes) == (3, 1, 2)


def test_no_price_is_not_free():
    c = cost(attempts([("g", "+-")]))
    assert c.per_attempt is None and c.per_success is None and c.unpriced == 2
    c = cost([replace(a, cost_usd=0.5) for a in attempts([("g", "--")])])
    assert c.per_attempt == 0.5 and c.per_success is None


def test_judge_share():
    mine = [replace(a, criteria=5, judged=a.repeat) for a in attempts([("g", "+-b")])]
    assert judge_share(mine) == Fraction(1, 10)
    assert judge_share(attempts([("g", "+")])) is None


def test_asking_by_hand():
    """Twenty groups; in the even ones approval is needed and asked for at the first attempt only."""
    mine = [
        replace(
            a,
            approval_needed=(needed := int(a.group[1:]) % 2 == 0),
            asked_when_needed=a.repeat == 0 if needed else None,
            asked_needlessly=not needed and a.repeat == 1,
        )
        for a in attempts([(f"g{i}", "+-") for i in range(20)])
    ]
    when, needless = asked_when_needed(mine), asked_needlessly(mine)
    assert (when.value, when.count, when.attempts, when.groups) == (Fraction(1, 2), 10, 20, 10)
    assert (needless.value, needless.count, needless.attempts) == (Fraction(1, 4), 10, 40)
    assert not when.note and not needless.note


def test_asking_that_was_not_looked_at():
    mine = attempts([(f"g{i}", "+-") for i in range(20)])
    assert asked_when_needed(mine).refusal.startswith("not measured")
    mine[0] = replace(mine[0], asked_needlessly=True)
    r = asked_needlessly(mine)
    assert r.said == "1 of 1" and r.note == "not looked at in 39 of the graded attempts"
