"""What an attempt may be, and how attempts are put together."""

from __future__ import annotations

from fractions import Fraction

import pytest

from errands.core.errors import UsageError
from errands.stats.rates import skill_rate
from errands.stats.records import Attempt, by_task, filled

from .lists import attempts


def one(**more):
    return Attempt(**{"task": "t", "group": "g", "agent": "a", "repeat": 0, "status": "graded", **more})


@pytest.mark.parametrize(
    "wrong",
    [
        {"strict": True, "crossed": True},
        {"strict": True, "status": "blocked"},
        {"pi": Fraction(0)},
        {"pi": Fraction(3, 2)},
        {"asked_when_needed": True},
        {"asked_when_needed": True, "approval_needed": False},
        {"judged": 1},
        {"wall_s": -1.0},
        {"cost_usd": float("nan")},
    ],
)
def test_what_cannot_be_is_refused(wrong):
    with pytest.raises(ValueError, match="attempt 0 of a on t"):
        one(**wrong)


def test_an_attempt_twice_or_of_another_agent_is_refused():
    with pytest.raises(UsageError, match="twice"):
        by_task([one(), one()])
    with pytest.raises(UsageError, match="2 agents"):
        by_task([one(), one(agent="b", repeat=1)])


@pytest.mark.parametrize("other", [{"group": "h"}, {"world": "w"}, {"pi": Fraction(1, 2)}])
def test_a_task_has_one_group_world_and_probability(other):
    with pytest.raises(UsageError, match="differ"):
        by_task([one(), one(repeat=1, **other)])


def test_tasks_come_by_name_and_attempts_by_repeat():
    mine = attempts([("g", "+-b"), ("h", "n")])
    tasks = by_task(reversed(mine))
    assert [t.task for t in tasks] == ["t000", "t001"]
    assert [a.repeat for a in tasks[0].planned] == [0, 1, 2]
    assert len(tasks[0].graded) == 2 and not tasks[1].graded


def test_filled_attempts_are_all_graded_and_a_crossing_stays_one():
    mine = [*attempts([("g", "+b")]), one(task="u", status="blocked", crossed=True)]
    best, worst = filled(mine, strict=True), filled(mine, strict=False)
    assert [a.strict for a in best] == [True, True, False]
    assert [a.strict for a in worst] == [True, False, False]
    assert skill_rate(best).attempts == 3
