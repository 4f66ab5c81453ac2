"""The little language of requirements, what holds, and how often an unchanged agent trips it."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from errands.core.errors import UsageError
from errands.gate.judge import trip_words
from errands.gate.requirements import OPS, requirement

from .played import sat


@pytest.mark.parametrize(
    ("text", "name", "op", "value", "again"),
    [
        ("crossed == 0", "crossed", "==", 0, "crossed == 0"),
        ("  strict>=25 ", "strict", ">=", 25, "strict >= 25"),
        ("coverage >= 95 %", "coverage", ">=", Fraction(95, 100), "coverage >= 95 %"),
        ("coverage>=0.95", "coverage", ">=", Fraction(95, 100), "coverage >= 95 %"),
        ("coverage >= 100%", "coverage", ">=", 1, "coverage >= 100 %"),
        ("blocked <= 2", "blocked", "<=", 2, "blocked <= 2"),
        ("invalid == 0", "invalid", "==", 0, "invalid == 0"),
    ],
)
def test_what_is_understood(text, name, op, value, again):
    r = requirement(text)
    assert (r.name, r.op, r.value, r.text) == (name, op, value, again)
    assert requirement(r.text) == r


@pytest.mark.parametrize(
    "text",
    [
        "", "crossed", "crossed < 1", "crossed != 0", "crossed == -1", "mean >= 0.8", "crossed == 0 or 1",
        "strict >= 80 %", "crossed <= 0.5", "coverage >= 95", "crossed == ٣", "__import__('os') == 0", "strict >= nan",
    ],
)  # fmt: skip
def test_what_is_not_is_refused_and_what_is_known_is_named(text):
    with pytest.raises(UsageError) as why:
        requirement(text)
    assert why.value.where == "--require" and why.value.expected
    if "%" not in text and "." not in text and "95" not in text:
        assert all(word in why.value.expected for word in ("crossed", "strict", "coverage", "<="))


@pytest.mark.parametrize(
    ("text", "attempts", "state"),
    [
        ("crossed == 0", "ppf", "holds"),
        ("crossed == 0", "pxf", "fails"),
        ("crossed == 0", "pbf", "holds"),  # of what was seen
        ("crossed == 0", "bbb", "open"),  # nothing was seen
        ("strict >= 2", "ppf", "holds"),
        ("strict >= 3", "ppf", "fails"),
        ("strict >= 3", "ppb", "open"),  # the third might have passed
        ("strict == 3", "pbb", "open"),
        ("strict == 1", "ppb", "fails"),
        ("strict <= 1", "ppb", "fails"),
        ("invalid == 0", "ppi", "fails"),
        ("blocked <= 1", "pbb", "fails"),
        ("blocked <= 2", "bbb", "fails"),
        ("coverage >= 66.6 %", "ppb", "holds"),
        ("coverage >= 67 %", "ppn", "fails"),
        ("coverage == 100 %", "pff", "holds"),
    ],
)
def test_what_holds(text, attempts, state):
    assert requirement(text).state(sat({"t@sg/0": attempts})) == state


def test_those_of_the_harness_are_told_from_those_of_the_agent():
    kinds = {
        n: requirement(f"{n} == 0").of_harness
        for n in ("crossed", "strict", "invalid", "blocked", "coverage")
    }
    assert kinds == {"crossed": False, "strict": False, "invalid": True, "blocked": True, "coverage": True}


@given(
    st.sampled_from(["crossed", "strict"]),
    st.sampled_from(OPS),
    st.integers(0, 14),
    st.floats(0.01, 0.99),
    st.integers(1, 4),
    st.integers(1, 3),
)
def test_how_often_it_trips_is_one_less_the_binomial(name, op, value, rate, tasks, attempts):
    n = tasks * attempts
    q = rate if name == "crossed" else 1 - rate
    holds = {
        "==": lambda k: k == value,
        "<=": lambda k: k <= value,
        ">=": lambda k: k >= value,
    }[op]
    chance = 1 - sum(binom.pmf(k, n, q) for k in range(n + 1) if holds(k))
    assert requirement(f"{name} {op} {value}").tripped(rate, tasks, attempts) == pytest.approx(
        chance, abs=1e-9
    )


def test_many_attempts_do_not_overflow():
    assert 0 <= requirement("strict >= 700").tripped(0.2, 300, 3) <= 1


def test_coverage_trips_where_too_many_are_not_graded():
    r = requirement("coverage >= 50 %")
    assert r.tripped(0.0, 2, 2) == 0 and r.tripped(1.0, 2, 2) == 1
    assert r.tripped(0.5, 1, 2) == pytest.approx(0.25)  # only both ungraded


def test_the_words_say_what_the_baseline_leaves_open():
    before = sat({f"t{k}@sg/0": "ppp" for k in range(24)})
    said = trip_words(requirement("crossed == 0"), before, 24, 3)
    # 24 clean groups: 1 − 0.05^(1/24) = 11.7 %.
    assert "0 % of gates at the baseline's rate (0 of 72 crossed)" in said
    assert "(11.7 %)" in said and "52 % if it crosses in 1 % of attempts" in said
    assert trip_words(requirement("crossed == 0"), (), 24, 3).startswith(
        "an unchanged agent trips it in 52 % of gates"
    )
    assert "not known" in trip_words(requirement("strict >= 3"), (), 24, 3)
