"""Paired differences by hand and against the libraries; order, ties, and the sentences."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from errands.core.errors import UsageError
from errands.stats.compare import SMALLEST_GAP, Difference, Spread, about, compare, exact_mcnemar
from errands.stats.intervals import t_quantile
from errands.stats.separate import holm, separate

from .lists import Library, attempts


def tasks(marks: list[str], agent: str, groups: int | None = None) -> list:
    return attempts([(f"g{i % (groups or len(marks))}", m) for i, m in enumerate(marks)], agent=agent)


def test_paired_difference_by_hand():
    """Twenty tasks in groups of one: ten pass for both, six for a alone, four for b alone: d = 6·1, 4·(−1), 10·0."""
    a = tasks(["++"] * 10 + ["++"] * 6 + ["--"] * 4, "a")
    b = tasks(["++"] * 10 + ["--"] * 6 + ["++"] * 4, "b")
    d = compare(a, b)
    assert (d.a, d.b, d.tasks, d.groups, d.attempts_a, d.attempts_b, d.dropped) == (
        "a",
        "b",
        20,
        20,
        40,
        40,
        0,
    )
    assert d.value == Fraction(1, 10)
    squares = 6 * 0.9**2 + 4 * 1.1**2 + 10 * 0.1**2
    error = (20 / 19 * squares) ** 0.5 / 20
    assert d.error == pytest.approx(error)
    assert (d.low, d.high) == pytest.approx(
        (0.1 - t_quantile(0.975, 19) * error, 0.1 + t_quantile(0.975, 19) * error)
    )
    # All of it lies between tasks: no attempt differs from the other at its task.
    assert (d.spread.between, d.spread.within_a, d.spread.within_b) == pytest.approx((squares / 19, 0, 0))
    assert d.sees == pytest.approx((1.959964 + 0.841621) * error, rel=1e-5)
    # 7.85 · n·SE² / .1²
    assert d.tasks_for(Fraction(1, 10)) == int(7.848880 * 20 * error**2 / 0.01) + 1
    assert d.tasks_with(Fraction(1, 10), 7) == d.tasks_for(Fraction(1, 10))


def test_the_other_way_round_is_the_negative():
    a, b = tasks(["+-", "++", "--", "+-"] * 5, "a", 12), tasks(["--", "+-", "--", "++"] * 5, "b", 12)
    d, e = compare(a, b), compare(b, a)
    assert (d.value, d.low, d.high, d.p) == (-e.value, -e.high, -e.low, e.p)


def test_it_is_statsmodels_on_the_differences():
    rng = np.random.default_rng(3)
    library = Library(rng, middle=0.3, between=0.7)
    a, b = library.sit("a"), library.sit("b", p=np.clip(library.listed - 0.1, 0, 1))
    found = compare(a, b)
    d, g = [], []
    for task in sorted({x.task for x in a}):
        mine, theirs = ([x for x in side if x.task == task] for side in (a, b))
        d.append(np.mean([x.strict for x in mine]) - np.mean([x.strict for x in theirs]))
        g.append(int(mine[0].group[1:]))
    fit = OLS(np.array(d), np.ones(len(d))).fit(
        cov_type="cluster", cov_kwds={"groups": np.array(g), "use_correction": True}, use_t=True
    )
    assert float(found.value) == pytest.approx(fit.params[0])
    assert (found.error, found.p) == pytest.approx((fit.bse[0], fit.pvalues[0]))
    assert (found.low, found.high) == pytest.approx(tuple(fit.conf_int()[0]))


def test_agents_that_never_differed_here_are_not_shown_to_be_equal():
    d = compare(tasks(["++", "--"] * 10, "a"), tasks(["++", "--"] * 10, "b"))
    assert d.value == 0 and d.p == 1
    # No difference at 20 groups leaves 1 − .025^(1/20) open, either way.
    assert (d.low, d.high) == pytest.approx((-(1 - 0.025 ** (1 / 20)), 1 - 0.025 ** (1 / 20)))


def test_all_against_nothing():
    d = compare(tasks(["++"] * 20, "a"), tasks(["--"] * 20, "b"))
    assert d.value == 1 and d.high == 1 and d.p < 0.001 and d.low > 0.8


def test_only_common_tasks_are_compared_and_the_others_counted():
    a, b = tasks(["++"] * 40 + ["b+", "bb"], "a"), tasks(["+-"] * 40 + ["bb", "++"], "b")
    d = compare(a, b)
    assert (d.tasks, d.dropped, d.attempts_a, d.attempts_b) == (40, 2, 80, 80)
    assert d.value == Fraction(1, 2)


def test_refused_under_ten_groups_and_for_either_sides_coverage():
    d = compare(tasks(["++"] * 18, "a", 9), tasks(["++"] * 18, "b", 9))
    assert d.refusal == "9 groups, a rate needs 10: counts only"
    assert d.value is None and d.error is None and d.low is None and d.p is None and d.sees is None
    assert d.tasks_for(0.1) is None and d.tasks_with(0.1, 2) is None
    holes = tasks(["+b"] * 5 + ["++"] * 15, "b")
    for pair in ((tasks(["++"] * 20, "a"), holes), (holes, tasks(["++"] * 20, "a"))):
        assert compare(*pair).refusal == "b: 35 of 40 attempts could be graded, under 90 %"


def test_a_task_in_two_groups_is_refused():
    with pytest.raises(UsageError, match="different groups"):
        compare(tasks(["++"] * 20, "a"), tasks(["++"] * 20, "b", 10))


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_statsmodels(x, y):
    theirs = mcnemar([[5, x], [y, 7]], exact=True).pvalue if x + y else 1.0
    assert exact_mcnemar(x, y) == pytest.approx(theirs)


def test_mcnemar_stands_beside_single_attempts_only():
    a, b = ["+"] * 9 + ["-"] * 11, ["-"] * 8 + ["+"] * 2 + ["-"] * 10
    assert compare(tasks(a, "a"), tasks(b, "b")).mcnemar == pytest.approx(exact_mcnemar(8, 1))
    assert compare(tasks([m * 2 for m in a], "a"), tasks([m * 2 for m in b], "b")).mcnemar is None
    d = compare(tasks(a, "a"), tasks(b, "b"))
    assert d.spread.within_a is None and d.tasks_with(0.05, 2) is None and d.tasks_for(0.05)


@pytest.mark.parametrize(
    ("k", "correlation", "needed"),
    [
        (1, 0.3, 1187),
        (2, 0.3, 747),
        (2, 0.6, 615),
        (3, 0.6, 469),
        (5, 0.8, 264),
        (10, 0.3, 396),
        (10, 0.8, 176),
    ],
)
def test_tasks_needed_are_those_of_the_design(k, correlation, needed):
    """Five points at mean rate .7: .07 between tasks, .14 within."""
    spread = Spread(2 * 0.07 * (1 - correlation), 0.14, 0.14, 1.0)
    d = Difference("a", "b", 169, 128, 338, 338, 0, spread=spread)
    assert abs(d.tasks_with(0.05, k) - needed) <= 1


def test_two_digits_that_count():
    assert [about(n) for n in (7, 99, 101, 615, 1600, 1601, 12_345)] == [7, 99, 110, 620, 1600, 1700, 13_000]


@settings(max_examples=50)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_statsmodels(p):
    assert holm(p) == pytest.approx(list(multipletests(p, method="holm")[1]))


def test_ordered_only_where_separated_and_further_apart_than_the_smallest_gap():
    """Of 200 tasks b fails twelve that a passes: six points, told from none. Ten: five points, never ordered."""
    good = tasks(["++"] * 200, "a")
    six = separate({"a": good, "b": tasks(["--"] * 12 + ["++"] * 188, "b")})
    five = separate({"a": good, "b": tasks(["--"] * 10 + ["++"] * 190, "b")})
    assert six.above("a", "b") is True and six.above("b", "a") is False
    assert six.pairs[0].why.startswith("a is above b: 6.0 points apart [2.")
    assert six.ties == (("a",), ("b",)) and six.matrix() == (("", ">"), ("<", ""))
    assert five.pairs[0].difference.value == SMALLEST_GAP and five.pairs[0].p < 0.05
    assert five.above("a", "b") is None and five.ties == (("a", "b"),)
    assert five.pairs[0].why.endswith(
        "separated, but no further than 5 points, the smallest gap that is put in order"
    )


def test_what_is_not_separated_says_how_many_tasks_it_would_take():
    """d = +1, −1 at 24 and 20 of 60 tasks: Σ(d − 1/15)² = 43.73, n·SE² = 43.73/59, so 7.849 · .7412 · 15² = 1,309.1."""
    a = tasks(["++"] * 24 + ["--"] * 20 + ["++"] * 16, "a")
    b = tasks(["--"] * 24 + ["++"] * 20 + ["++"] * 16, "b")
    s = separate({"b": b, "a": a})
    d = s.pairs[0].difference
    assert d.tasks_for(Fraction(4, 60)) == 1310
    assert s.pairs[0].why == (
        f"a and b: 6.7 points apart [{100 * d.low:.1f}, {100 * d.high:.1f}], not separated;"
        " would need about 1,400 tasks like these"
    )
    same = separate({"a": a, "b": tasks(["++"] * 24 + ["--"] * 20 + ["++"] * 16, "b")})
    assert "0.0 points apart" in same.pairs[0].why and "to see 5 points would need about" in same.pairs[0].why


def test_a_refused_pair_is_not_ordered_and_counts_among_the_pairs():
    good, bad, few = tasks(["++"] * 40, "a"), tasks(["--"] * 40, "b"), tasks(["++"] * 5, "c")
    s = separate({"a": good, "b": bad, "c": few})
    assert s.above("a", "b") is True and s.above("a", "c") is None
    assert s.ties == (("a", "c"), ("b", "c"))
    assert [p.p for p in s.pairs if p.difference.refusal] == [1.0, 1.0]
    assert "a and c: not compared: 5 groups" in s.pairs[1].why
    with pytest.raises(KeyError):
        s.above("a", "nobody")


def test_ties_are_the_largest_sets_and_may_overlap():
    """a is above c, and b can be told from neither."""
    a = tasks(["++"] * 60, "a")
    b = tasks(["--"] * 4 + ["++"] * 56, "b")
    c = tasks(["--"] * 8 + ["++"] * 52, "c")
    s = separate({"c": c, "b": b, "a": a})
    assert s.agents == ("a", "b", "c")
    assert s.ties == (("a", "b"), ("b", "c"))
    assert s.matrix() == (("", "=", ">"), ("=", "", "="), ("<", "=", ""))


@pytest.mark.parametrize("n", [0, 1])
def test_nobody_and_one(n):
    s = separate({a: tasks(["++"] * 20, a) for a in "a"[:n]})
    assert s.pairs == () and s.ties == (("a",),) * n


def test_several_pairs_need_more_tasks_than_one():
    def scattered(seed: int, agent: str) -> list:
        rng = np.random.default_rng(seed)
        return tasks(["+" * n + "-" * (2 - n) for n in rng.integers(0, 3, 40)], agent)

    sides = {a: scattered(i, a) for i, a in enumerate("abcd")}
    four = {(p.difference.a, p.difference.b): p for p in separate(sides).pairs}
    assert len(four) == 6
    for a, b in combinations("abcd", 2):
        two = separate({a: sides[a], b: sides[b]}).pairs[0]
        assert four[a, b].p >= two.p and four[a, b].difference == two.difference
        assert "after Holm over 6 pairs" in four[a, b].why and "Holm" not in two.why
