"""pass^k, pass@k and flips: unbiased, and nothing where there are too few attempts."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errands.stats.reliability import all_of, any_of, flip_share, pass_at_k, pass_hat_k

from .lists import attempts


@settings(max_examples=60)
@given(st.fractions(min_value=0, max_value=1, max_denominator=12), st.integers(1, 6), st.data())
def test_the_estimators_are_unbiased_exactly(p, n, data):
    """Over all outcomes of n attempts at rate p the mean is p^k, and 1 − (1 − p)^k."""
    k = data.draw(st.integers(1, n))
    chance = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    assert sum(w * all_of(c, n, k) for c, w in enumerate(chance)) == p**k
    assert sum(w * any_of(c, n, k) for c, w in enumerate(chance)) == 1 - (1 - p) ** k


def test_by_hand():
    assert all_of(3, 4, 2) == Fraction(1, 2) and any_of(1, 4, 2) == Fraction(1, 2)
    assert all_of(1, 2, 2) == 0 and any_of(1, 2, 2) == 1
    mine = attempts([(f"g{i}", ("++", "+-", "--", "+-")[i % 4]) for i in range(40)])
    assert pass_hat_k(mine, 2).value == Fraction(1, 4)
    assert pass_at_k(mine, 2).value == Fraction(3, 4)
    assert flip_share(mine).value == Fraction(1, 2)
    assert pass_hat_k(mine, 1).value == pass_at_k(mine, 1).value == Fraction(1, 2)


def test_with_two_attempts_it_is_the_share_of_tasks_passed_twice_with_the_interval_of_a_share():
    """Forty groups of one task: a plain binomial share of tasks, so its interval is Wilson's on about 40."""
    mine = attempts([(f"g{i}", "++" if i < 10 else "+-") for i in range(40)])
    r = pass_hat_k(mine, 2)
    assert (r.numerator, r.denominator) == (10, 40)
    assert 0.13 < r.low < 0.16 and 0.39 < r.high < 0.43


def test_a_few_tasks_are_counted_as_tasks():
    mine = attempts([("g", "++"), ("g", "+-"), ("h", "--")])
    assert [r(mine, 2).said for r in (pass_hat_k, pass_at_k)] == ["1 of 3 tasks", "2 of 3 tasks"]
    assert flip_share(mine).said == "1 of 3 tasks" and flip_share(mine).attempts == 6


def test_not_measured_where_no_task_has_k():
    mine = attempts([(f"g{i}", "++") for i in range(40)])
    for rate in (pass_hat_k, pass_at_k):
        r = rate(mine, 3)
        assert r.value is None and r.refusal == "not measured: no task has 3 graded attempts"
    assert flip_share(attempts([(f"g{i}", "+") for i in range(40)])).refusal.startswith("not measured")


def test_tasks_with_fewer_attempts_are_left_out_and_counted():
    mine = attempts([*[(f"g{i}", "++") for i in range(40)], ("z", "-b"), ("y", "bb")])
    r = pass_hat_k(mine, 2)
    assert (r.value, r.tasks) == (1, 40)
    assert r.note == "2 of 42 tasks left out: fewer than 2 graded attempts"


@pytest.mark.parametrize("k", [0, 3])
def test_a_k_that_cannot_be(k):
    with pytest.raises(ValueError, match="k ="):
        all_of(1, 2, k)
    with pytest.raises(ValueError, match="k ="):
        pass_hat_k([], 0)
