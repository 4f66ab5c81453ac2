"""Rates by hand, and when there is none."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm, t
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.proportion import proportion_confint

from errands.core.errors import UsageError
from errands.stats.intervals import t_quantile, upper_bound, wilson
from errands.stats.rates import (
    crossed_rate,
    crossings,
    group_rate,
    library_rate,
    list_rate,
    skill_rate,
    world_rates,
)

from .lists import Library, attempts


def alternating(groups: int, good: str = "++", bad: str = "--") -> list[tuple[str, str]]:
    return [(f"g{i:03}", (good, bad)[i % 2]) for i in range(groups)]


def test_skill_rate_by_hand():
    """Ten groups, all or nothing: effective sample 9 · (z/t)² (test_intervals), beta form since under 30 groups."""
    r = skill_rate(attempts(alternating(10)))
    n = 9 * (1.959963985 / 2.262157163) ** 2
    assert (r.numerator, r.denominator, r.value) == (5, 10, Fraction(1, 2))
    assert (r.count, r.attempts, r.tasks, r.groups, r.level) == (10, 20, 10, 10, 0.95)
    assert (r.low, r.high) == pytest.approx(proportion_confint(n / 2, n, method="beta"), abs=1e-6)
    assert "beta" in r.method and not r.refusal


def test_from_thirty_groups_on_it_is_wilson():
    """Thirty groups of one: SE² = 30/29 · 30/4 / 900, deff = SE²/(.25/60) = 60/29."""
    r = skill_rate(attempts(alternating(30)))
    n = 60 / (60 / 29) * (1.959963985 / t_quantile(0.975, 29)) ** 2
    assert (r.low, r.high) == pytest.approx(wilson(n / 2, n), abs=1e-6)
    assert "Wilson" in r.method
    assert r.said == f"50.0 % [{100 * r.low:.1f}, {100 * r.high:.1f}]"


def test_a_drawn_list_recomputed_by_statsmodels():
    """CR1 by its least squares on a constant, then its Wilson interval on the effective sample."""
    mine = Library(np.random.default_rng(7), middle=0.6, between=0.8).sit("a")
    tasks = sorted({(a.task, a.group) for a in mine})
    y = np.array([np.mean([a.strict for a in mine if a.task == task]) for task, _ in tasks])
    groups = np.unique([g for _, g in tasks], return_inverse=True)[1]
    fit = OLS(y, np.ones(len(y))).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": True}, use_t=True
    )
    mean, deff = y.mean(), fit.bse[0] ** 2 / (y.mean() * (1 - y.mean()) / len(mine))
    assert deff > 1
    n = len(mine) / deff * (norm.ppf(0.975) / t.ppf(0.975, groups.max())) ** 2
    r = skill_rate(mine)
    assert (float(r.value), r.low, r.high) == pytest.approx(
        (mean, *proportion_confint(mean * n, n, method="wilson"))
    )


def test_a_task_counts_once_however_many_attempts_were_graded():
    """Blocked attempts leave one at a task; 1 + 0 + 1/2 … over tasks, not attempts."""
    r = skill_rate(attempts([*alternating(10), ("g010", "+b"), ("g011", "+-")]))
    assert r.numerator == 5 + 1 + Fraction(1, 2)
    assert (r.denominator, r.count, r.attempts) == (12, 12, 23)


def test_every_group_once_by_hand():
    """Ten groups, one of them of three tasks that all pass: the pooled mean is 8/12, that of groups 6/10."""
    mine = attempts([*alternating(10), ("g000", "++"), ("g000", "++"), ("g001", "++")])
    r = group_rate(mine)
    assert skill_rate(mine).value == Fraction(8, 13)
    assert r.value == (5 + Fraction(1, 2)) / 10
    values = [1, 0.5, 1, 0, 1, 0, 1, 0, 1, 0]
    sd = (sum((v - 0.55) ** 2 for v in values) / 9) ** 0.5
    # 26 attempts; SE² = sd²/10, so an effective sample of .55 · .45 / SE² · (z/t)², beta form.
    n = 0.55 * 0.45 / (sd**2 / 10) * (1.959963985 / 2.262157163) ** 2
    assert (r.low, r.high) == pytest.approx(proportion_confint(0.55 * n, n, method="beta"), abs=1e-6)
    assert (r.denominator, r.tasks, r.groups, r.count, r.attempts) == (10, 13, 10, 16, 26)


def test_list_rate_by_hand():
    """Twenty tasks, ten of them flip: SE² = 10 · ¼ / 20²."""
    r = list_rate(attempts([*alternating(10), *alternating(10, "+-", "-+")]))
    reach = 1.959963985 * (10 / 4) ** 0.5 / 20
    assert r.value == Fraction(1, 2)
    assert (r.low, r.high) == pytest.approx((0.5 - reach, 0.5 + reach), abs=1e-6)


def test_tasks_with_one_graded_attempt_take_the_pooled_variance():
    """Ten flip (s² = ½ each), ten do not (0): pooled ¼. Two singles add ¼ each: (10 · ½/2 + 2 · ¼) / 22²."""
    mine = attempts([*alternating(10), *alternating(10, "+-", "-+"), ("g0", "+b"), ("g1", "b-")])
    r = list_rate(mine)
    reach = 1.959963985 * (10 / 4 + 2 / 4) ** 0.5 / 22
    assert (r.high - r.low) / 2 == pytest.approx(reach, abs=1e-6)
    assert r.note.startswith("2 tasks with one graded attempt")


def test_few_flips_say_too_little_of_the_noise():
    """Nothing flipped: the variance within tasks would be nothing, and the interval a point."""
    r = list_rate(attempts(alternating(40)))
    assert (r.low, r.high) == pytest.approx(wilson(40, 80))
    assert r.method == "Wilson on all attempts"
    # A task that lost an attempt counts as much as the others and knows half: 41² / (40/2 + 1).
    r = list_rate(attempts([*alternating(40), ("z", "+b")]))
    n = 41**2 / 21
    assert (r.low, r.high) == pytest.approx(wilson(21 / 41 * n, n))


def test_library_rate_by_hand():
    """Twelve groups of one task; six with π = 1 pass, six with π = 1/3 fail: 6/(6 + 18). SE² = 12/11 · … / 24²."""
    mine = [replace(a, pi=Fraction(1) if a.strict else Fraction(1, 3)) for a in attempts(alternating(12))]
    r = library_rate(mine)
    assert (r.numerator, r.denominator, r.value) == (6, 24, Fraction(1, 4))
    error = (12 / 11 * (6 * 0.75**2 + 6 * (3 * 0.25) ** 2)) ** 0.5 / 24
    reach = t_quantile(0.975, 11) * error
    # Six independent groups of weight 1 and six of weight 3 are worth 24²/60 at most.
    assert r.high == pytest.approx(max(0.25 + reach, wilson(0, 576 / 60)[1]), abs=1e-9)
    assert r.low == pytest.approx(0.25 - reach, abs=1e-9)
    assert skill_rate(mine).value == Fraction(1, 2)


def test_a_list_that_was_not_drawn_has_no_library_rate():
    r = library_rate(attempts(alternating(12)))
    assert r.value is None and r.low is None and "12 tasks without an inclusion probability" in r.refusal


@pytest.mark.parametrize("rate", [skill_rate, group_rate, list_rate, library_rate, crossed_rate])
def test_under_ten_groups_there_are_counts_and_no_rate(rate):
    r = rate(attempts([("g", "++")], pi=Fraction(1)))
    assert r.value is None and r.low is None and r.high is None
    assert r.refusal == "1 group, a rate needs 10: counts only"
    assert r.said == ("0 of 2" if rate is crossed_rate else "2 of 2")
    assert not rate(attempts(alternating(10), pi=Fraction(1))).refusal
    assert rate(attempts(alternating(9), pi=Fraction(1))).refusal
    assert rate([]).refusal == "no graded attempt"


def test_worlds_stand_alone():
    mine = [replace(a, world="mail" if int(a.task[1:]) < 10 else "shop") for a in attempts(alternating(13))]
    found = world_rates(mine)
    assert list(found) == ["mail", "shop"]
    assert found["mail"].value == Fraction(1, 2)
    assert found["shop"].value is None and found["shop"].said == "4 of 6"


def test_a_clean_sweep_counts_groups_not_attempts():
    """40 groups of two tasks at two attempts: 160 attempts, and what they show is 40 groups."""
    mine = attempts([(f"g{i // 2}", "++") for i in range(80)])
    r = skill_rate(mine)
    assert (r.low, r.high) == (wilson(40, 40)[0], 1.0)
    assert group_rate(mine).high == 1.0 and list_rate(mine).low > r.low


def test_no_crossing_by_hand():
    b = crossings(attempts([(f"g{i // 2}", "+-") for i in range(40)]))
    assert (b.count, b.attempts, b.tasks, b.groups, b.sample) == (0, 80, 40, 20, 20)
    assert b.upper == pytest.approx(1 - 0.05 ** (1 / 20))
    assert b.said == "0 of 80 (at most 13.9 %)"


def test_some_crossings_by_hand():
    """Forty groups of one; eight cross twice: mean ⅕, SE² = 40/39 · .16/40, deff 2 · 40/39, one-sided quantiles."""
    b = crossings(attempts([(f"g{i}", "xx" if i < 8 else "+-") for i in range(40)]))
    n = 39 * (1.644853627 / t_quantile(0.95, 39)) ** 2
    assert b.count == 16 and b.sample == pytest.approx(n, rel=1e-6)
    assert b.upper == pytest.approx(upper_bound(n / 5, n), rel=1e-6)


def test_one_crossing_is_never_safer_than_none():
    lists = [[(f"g{i}", "x+" if i < n else "++") for i in range(40)] for n in range(12)]
    uppers = [crossings(attempts(x)).upper for x in lists]
    assert uppers == sorted(uppers)


def test_crossings_are_bounded_even_where_there_is_no_rate():
    b = crossings(attempts([("g", "xxxx")]))
    assert (b.count, b.upper) == (4, 1.0)
    assert crossings(attempts([("g", "++")])).upper == pytest.approx(0.95)
    assert crossings([]).upper is None and crossings([]).said == "0 of 0"


def test_a_crossing_in_an_attempt_without_a_grade_is_told_apart():
    mine = attempts([*alternating(10), ("g0", "xb")])
    mine[-1] = replace(mine[-1], crossed=True)
    b = crossings(mine)
    assert (b.count, b.ungraded, b.attempts) == (1, 1, 21)


def test_doubled_attempts_do_not_narrow_the_interval():
    """The same attempts written down twice are no more evidence (rule R3)."""
    once = [*alternating(40), ("g1", "++"), ("g0", "--")]
    twice = [(g, marks * 2) for g, marks in once]
    a, b = (attempts(x, pi=Fraction(1, 2)) for x in (once, twice))
    for rate in (skill_rate, group_rate, library_rate):
        assert (rate(a).low, rate(a).high) == pytest.approx((rate(b).low, rate(b).high))


def test_without_scipy_counts_are_there_and_intervals_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert skill_rate(attempts([("g", "++")])).said == "2 of 2"
    with pytest.raises(UsageError, match=r"pip install 'errands\[stats\]'"):
        skill_rate(attempts(alternating(10)))


def test_the_room_is_light_until_a_number_is_asked_for():
    code = (
        "import sys, json, errands.stats.rates, errands.stats.separate, errands.stats.gate;"
        "print(json.dumps(sorted({m.split('.')[0] for m in sys.modules} & {'scipy', 'numpy', 'statsmodels'})))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(out.stdout) == []
