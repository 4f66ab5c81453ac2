"""Reports D, 33 and 34: money and scores that are floats somewhere."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errands.core.canon import decode
from errands.core.money import MINOR, MixedCurrencies, Money, total
from errands.exam.attempt import verdict_json
from errands.grading.compare.money import read_money, same_money
from errands.grading.contract import against, audit_figure
from errands.world.schema import tables as layout_of

from .bench import EACH, idle, solved

SEEDED = settings(derandomize=True, deadline=None, max_examples=60)
CODES = sorted(MINOR)


# ---- 33 -------------------------------------------------------------------------------------------------------


def test_33_a_full_refund_is_as_much_as_was_paid():
    """18.35 and 11.85 were more than 30.20 in floats, so a full refund was refused. Money is whole minor units."""
    assert 18.35 + 11.85 > 30.20  # what floats say
    paid = [Money.of(Decimal("18.35"), "SGD"), Money.of(Decimal("11.85"), "SGD")]
    refund = total(paid, "SGD")
    assert refund == Money.of(Decimal("30.20"), "SGD") and not refund > Money(3020, "SGD")
    assert same_money("30.20", refund) and not same_money("30.200000000000003", refund)
    assert read_money(18.35 + 11.85, "SGD") is None and same_money(30.2, refund)


@SEEDED
@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=30), st.sampled_from(CODES))
def test_33_sums_are_exact_in_any_currency_and_order(minors, code):
    parts = [Money(n, code) for n in minors]
    assert total(parts, code) == total(reversed(parts), code) == Money(sum(minors), code)
    assert total(parts, code) - total(parts[1:], code) == parts[0]
    assert sum((p.major for p in parts), Decimal(0)) == total(parts, code).major
    written = f"{total(parts, code).major:,.{MINOR[code]}f}"
    assert same_money(f"{code} {written}", total(parts, code))
    assert not same_money(f"{code} {written}", total([*parts, Money(1, code)], code))


@pytest.mark.parametrize(
    ("text", "code", "minor"),
    [
        ("1,250", "JPY", 1250), ("1,250.00", "JPY", 1250), ("1250.5", "JPY", None), ("35000", "KRW", 35000),
        ("1.250", "KWD", 1250), ("1.2505", "KWD", None), ("1.250", "SGD", None), ("1.250,00", "EUR", 125000),
        ("1,25", "EUR", None), ("12,50", "EUR", None), ("1.250.000,50", "EUR", 125000050),
        ("0.1", "AED", 10), ("0.001", "AED", None), ("0.001", "OMR", 1),
    ],
)  # fmt: skip
def test_33_decimals_are_those_of_the_currency(text, code, minor):
    """No decimals in Tokyo and Seoul, three in Kuwait; a comma that could be either is refused and never guessed."""
    assert read_money(text, code) == (None if minor is None else Money(minor, code))


def test_33_no_amount_is_made_of_a_float_and_no_sum_of_two_currencies():
    for wrong in (lambda: Money(1.0, "SGD"), lambda: Money.of(1.5, "SGD"), lambda: Money(1, "SGD") * 0.5):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(MixedCurrencies):
        total([Money(1, "SGD"), Money(1, "USD")], "SGD")


@pytest.mark.parametrize("instance", **EACH)
def test_33_no_column_of_a_world_is_a_float(instance):
    """Nothing that an errand keeps can be one: tables have no REAL, and no row has a float in it."""
    evidence = solved(instance).evidence
    for table in layout_of(evidence._db):
        kinds = {c["type"] for c in evidence.query(f'SELECT type FROM pragma_table_info("{table}")')}
        assert kinds <= {"TEXT", "INTEGER", "BLOB"}, (table, kinds)
    for entry in evidence.entries("effect"):
        for row in (entry.body["before"], entry.body["after"]):
            assert not any(isinstance(v, float) for v in (row or {}).values()), entry


# ---- 34 -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("instance", **EACH)
def test_34_scores_are_whole_numbers(instance):
    """Equal totals were 0.2 and 0.19999999999999998. Here a score is 0 or 1, in the verdict and as it is kept."""
    for verdict in (solved(instance).verdict, idle(instance).verdict):
        kept = decode(verdict_json(verdict, {}))["scores"]
        assert kept == verdict.scores and all(type(v) is int and v in (0, 1) for v in kept.values())


FIGURES = st.fractions(min_value=Fraction(1, 1000), max_value=1000)


@SEEDED
@given(FIGURES, FIGURES)
def test_34_figures_are_exact_fractions(seconds, cost):
    once = audit_figure(1, against(seconds, seconds * 3), against(cost, cost * 3))
    assert once == Fraction(100, 9) and type(once) is Fraction
    assert against(Fraction(1, 10) + Fraction(2, 10), Fraction(3, 10)) == 1
    assert against(seconds, Fraction(0)) == 1 and against(None, cost) is None
