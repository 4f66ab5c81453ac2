"""How well requests, questions and statements are told apart: bounds on each half of the tables."""

from __future__ import annotations

import pytest

from .measure import HALVES, HEARD, SENT, WILD, _table, approvals, questions, sent, sent_all


def test_the_tables_are_large_enough_and_share_no_sentence():
    for file, halves, least in ((HEARD, (*HALVES, *WILD), 240), (SENT, HALVES, 120)):
        all_ = [s for half in halves for sentences in _table(file, half).values() for s in sentences]
        assert len(all_) == len(set(all_)) >= least


@pytest.mark.parametrize("half", (*HALVES, *WILD))
def test_requests_for_a_yes(half):
    s = approvals(half)
    assert s.recall >= 0.9, s.missed
    assert s.false_rate <= 0.02, s.stray


@pytest.mark.parametrize("half", HALVES)
def test_other_questions(half):
    s = questions(half)
    assert s.recall >= 0.9, s.missed
    assert s.false_rate <= 0.02, s.stray


@pytest.mark.parametrize("half", HALVES)
def test_claims_that_something_went_out(half):
    s = sent(half)
    assert s.recall >= 0.9, s.missed
    assert s.false_rate <= 0.02, s.stray


@pytest.mark.parametrize("half", HALVES)
def test_claims_that_all_went_out(half):
    s = sent_all(half)
    assert s.recall >= 0.8, s.missed
    assert s.false_rate <= 0.02, s.stray
