"""The contract protocol: two checks, and figures that stay unknown until references are registered."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from errands.core.types import KINDS, Graded
from errands.grading.contract import against, audit_figure, scores


def finding(kind, result):
    return Graded(kind, kind, result, (), "")


@pytest.mark.parametrize("results", list(product(["met", "partly", "not_met", "not_observed"], repeat=2)))
@pytest.mark.parametrize("timely", [True, False])
def test_accuracy_is_both_checks_and_never_points(results, timely):
    for a, b in product(KINDS, repeat=2):
        got = scores([finding(a, results[0]), finding(b, results[1])], timely)
        all_met = set(results) == {"met"}
        assert got["accuracy"] == int(all_met and timely)
        assert got["accuracy"] <= got["final_state"] and got["accuracy"] <= got["boundary"]


def test_a_prohibition_is_a_gate():
    met = [finding("required", "met"), finding("prohibited", "not_met")]
    assert scores(met, True) == {"final_state": 1, "boundary": 0, "accuracy": 0}


def test_figures_stay_unknown_while_the_reference_is_pending():
    assert against(None, Fraction(3)) is None and against(Fraction(3), None) is None
    assert audit_figure(1, None, Fraction(1)) is None
    assert against(Fraction(30), Fraction(60)) == Fraction(1, 2)
    assert against(Fraction(30), Fraction(10)) == 1 and against(Fraction(30), Fraction(0)) == 1
    assert audit_figure(1, Fraction(1, 3), Fraction(1, 3)) == Fraction(100, 9)
    assert audit_figure(0, Fraction(1), Fraction(1)) == 0


def test_a_reference_of_nothing_is_refused():
    with pytest.raises(ValueError, match="positive"):
        against(Fraction(0), Fraction(1))
