"""Intervals against the libraries that are made for them, and against figures worked out by hand."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.proportion import proportion_confint

from errands.stats.intervals import (
    Row,
    clopper_pearson,
    clustered_error,
    effective_sample,
    exact_sum,
    independent_groups,
    no_closer,
    t_quantile,
    t_two_sided,
    upper_bound,
    weighted_mean,
    wilson,
    z_quantile,
)

SAMPLES = st.tuples(st.integers(0, 200).map(lambda n: n / 200), st.floats(0.5, 2000))


def row(group: str, value: Fraction | int, weight: Fraction | int = 1) -> Row:
    return Row(group, Fraction(weight), Fraction(value))


@settings(max_examples=60, deadline=None)
@given(SAMPLES, st.sampled_from([0.9, 0.95, 0.99]))
def test_wilson_and_beta_are_statsmodels_also_on_fractional_samples(sample, level):
    share, n = sample
    for ours, method in ((wilson, "wilson"), (clopper_pearson, "beta")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = proportion_confint(share * n, n, alpha=1 - level, method=method)
        theirs = (0.0 if np.isnan(theirs[0]) else theirs[0], 1.0 if np.isnan(theirs[1]) else theirs[1])
        assert ours(share * n, n, level) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize(
    ("n", "exact", "score"),
    [(2, 0.16, 0.34), (3, 0.29, 0.44), (5, 0.48, 0.57), (10, 0.69, 0.72), (20, 0.83, 0.84)],
)
def test_all_of_a_few_show_little(n, exact, score):
    """The table of the design: lower limits where k of k passed."""
    assert round(clopper_pearson(n, n)[0], 2) == exact
    assert round(wilson(n, n)[0], 2) == score


def test_no_event_in_twenty_leaves_fourteen_percent_open():
    assert upper_bound(0, 20) == pytest.approx(1 - 0.05 ** (1 / 20), abs=1e-12)
    assert round(upper_bound(0, 20), 3) == 0.139
    assert upper_bound(20, 20) == 1.0
    assert upper_bound(3, 40) == pytest.approx(scipy_stats.binomtest(3, 40).proportion_ci(0.9, "exact").high)


def test_quantiles_are_scipys():
    assert z_quantile(0.975) == pytest.approx(scipy_stats.norm.ppf(0.975))
    assert t_quantile(0.975, 9) == pytest.approx(scipy_stats.t.ppf(0.975, 9))
    assert t_two_sided(-2.5, 12) == pytest.approx(2 * scipy_stats.t.sf(2.5, 12))


def test_clustered_error_by_hand():
    """Mean 1/2; the groups' sums of residuals are 1/2 + 1/2, −1/2 and −1/2: 3/2 · (1 + 1/4 + 1/4) / 16."""
    rows = [row("a", 1), row("a", 1), row("b", 0), row("c", 0)]
    assert weighted_mean(rows) == Fraction(1, 2)
    assert clustered_error(rows, Fraction(1, 2)) == pytest.approx((3 / 2 * 1.5 / 16) ** 0.5)


def test_weighted_error_by_hand():
    """Weights 3 and 1: mean 3/4; sums 3·1/4 and 1·(−3/4); 2 · (9/16 + 9/16) / 16."""
    rows = [row("a", 1, 3), row("b", 0, 1)]
    assert weighted_mean(rows) == Fraction(3, 4)
    assert clustered_error(rows, Fraction(3, 4)) == pytest.approx((2 * 18 / 16 / 16) ** 0.5)


def test_independent_groups_by_hand():
    """Groups of 2, 1 and 1: 16 / (4 + 1 + 1). By weights 3 and 1: 16 / 10."""
    assert independent_groups([row("a", 1), row("a", 1), row("b", 0), row("c", 0)]) == pytest.approx(16 / 6)
    assert independent_groups([row("a", 1, 3), row("b", 0)]) == pytest.approx(1.6)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1)])), min_size=6
    )
)
def test_clustered_error_is_statsmodels(pairs):
    pairs = [*pairs, (6, Fraction(0)), (7, Fraction(1))]
    rows = [row(f"g{g}", v) for g, v in pairs]
    y, groups = np.array([float(v) for _, v in pairs]), np.array([g for g, _ in pairs])
    fit = OLS(y, np.ones(len(y))).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": True}, use_t=True
    )
    mean = weighted_mean(rows)
    assert float(mean) == pytest.approx(fit.params[0])
    assert clustered_error(rows, mean) == pytest.approx(fit.bse[0], abs=1e-12)
    t = t_quantile(0.975, len(set(groups)) - 1)
    low, high = fit.conf_int()[0]
    assert (float(mean) - t * fit.bse[0], float(mean) + t * fit.bse[0]) == pytest.approx((low, high))


def test_effective_sample_by_hand():
    """Ten groups of one task at two attempts, all or nothing: SE 1/6, deff (1/36)/(.25/20) = 20/9, so 9 · (z/t)²."""
    rows = [row(f"g{i}", i % 2) for i in range(10)]
    error = clustered_error(rows, Fraction(1, 2))
    assert error == pytest.approx(1 / 6)
    assert effective_sample(0.5, error, 20, 10) == pytest.approx(9 * (1.959964 / 2.262157) ** 2, rel=1e-6)


def test_the_design_effect_is_at_least_one():
    assert effective_sample(0.5, 1e-6, 100, 1000) < 100


def test_one_failure_is_not_surer_than_none():
    """Wilson on 300 attempts with one failure would end at .98; a clean sweep of 100 groups shows .963."""
    clean = wilson(100, 100)
    assert no_closer(*wilson(299, 300), 100)[0] == clean[0] < wilson(299, 300)[0]
    assert no_closer(0.4, 0.6, 100) == (0.4, 0.6)


@settings(max_examples=50)
@given(st.lists(st.fractions(min_value=-5, max_value=5, max_denominator=60), max_size=20))
def test_exact_sum_is_exact(terms):
    assert exact_sum(terms) == sum(terms, Fraction(0))
