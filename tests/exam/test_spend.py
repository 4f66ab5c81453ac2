"""The purse: one limit for all processes of a run, whatever dies in the middle."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errands.core.usage import Usage, usd
from errands.exam.spend import Spend, SpentOut


def used(tokens: int) -> Usage:
    return Usage(input=tokens, requests=1)


def buy(file: Path, limit: int, each: int, times: int) -> int:
    """So many calls, one after the other; how many were let through."""
    purse, through = Spend(file, max_tokens=limit), 0
    for _ in range(times):
        try:
            ticket = purse.hold(1, each, None)
        except SpentOut:
            continue
        purse.settle(ticket, used(each), None)
        through += 1
    return through


def test_a_call_that_may_not_fit_is_refused_and_one_that_fits_is_not(tmp_path):
    purse = Spend(tmp_path / "s", max_usd=Decimal("0.01"))
    first = purse.hold(1, 100, Decimal("0.008"))
    with pytest.raises(SpentOut, match=r"\$0.0080 put aside"):
        purse.hold(2, 100, Decimal("0.003"))
    purse.settle(first, used(90), Decimal("0.002"))
    purse.hold(2, 100, Decimal("0.008"))
    assert purse.spent() == (190, Decimal("0.010"))


def test_what_was_put_aside_by_a_process_that_died_counts_as_spent(tmp_path):
    Spend(tmp_path / "s", max_tokens=100).hold(1, 60, None)
    again = Spend(tmp_path / "s", max_tokens=100)
    assert again.spent() == (60, Decimal(0))
    with pytest.raises(SpentOut):
        again.hold(1, 41, None)
    again.hold(1, 40, None)


def test_half_a_line_of_a_process_that_was_killed_is_cut_off(tmp_path):
    file = tmp_path / "s"
    purse = Spend(file, max_tokens=100)
    purse.settle(purse.hold(1, 60, None), used(50), None)
    with file.open("ab") as f:
        f.write(b'{"kind": "hold", "tick')
    other = Spend(file, max_tokens=100)
    other.settle(other.hold(1, 50, None), used(50), None)
    assert purse.spent() == other.spent() == (100, Decimal(0))
    assert file.read_bytes().endswith(b"}\n") and b'"tick{' not in file.read_bytes()


def test_eight_processes_hold_one_limit_together(tmp_path):
    context = multiprocessing.get_context("spawn")
    with context.Pool(8) as pool:
        got = pool.starmap(buy, [(tmp_path / "s", 1000, 7, 40)] * 8)
    assert sum(got) == 1000 // 7, "each token once, and no room left unused"
    assert Spend(tmp_path / "s").spent()[0] == 7 * (1000 // 7)


def test_threads_too(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(lambda _: buy(tmp_path / "s", 500, 9, 20), range(8)))
    assert sum(got) == 500 // 9


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 60), st.booleans()), max_size=30))
def test_it_never_goes_beyond_what_may_happen(tmp_path_factory, calls):
    """Whatever is held, settled or left: held plus spent stays within the limit, if no call uses more than it held."""
    purse, limit = Spend(tmp_path_factory.mktemp("s") / "s", max_tokens=200), 200
    for worst, real, ends in calls:
        try:
            ticket = purse.hold(1, worst, None)
        except SpentOut:
            assert purse.spent()[0] + worst > limit
            continue
        if ends:
            purse.settle(ticket, used(min(real, worst)), None)
        assert purse.spent()[0] <= limit


def test_usage_adds_up_and_is_read_back():
    a, b = Usage(1, 2, 3, 4, 1), Usage(10, 20, 30, 40, 1)
    assert (a + b).tokens == 110 and (a + b).requests == 2
    assert Usage.of((a + b).to_dict()) == a + b
    for bad in ({}, {**a.to_dict(), "more": 1}, {**a.to_dict(), "input": -1}, {**a.to_dict(), "input": True}):
        with pytest.raises(ValueError, match="no usage"):
            Usage.of(bad)
    assert usd(None) is None and usd(Decimal("0.0000004")) == "0.000000"


def test_a_call_waits_only_for_what_others_have_put_aside(tmp_path):
    purse = Spend(tmp_path / "s", max_tokens=100)
    ticket = purse.hold(1, 60, None)
    with pytest.raises(SpentOut) as refused:
        purse.hold(2, 50, None)
    assert refused.value.waits, "there is room once the other is done"
    purse.settle(ticket, used(60), None)
    with pytest.raises(SpentOut) as refused:
        purse.hold(2, 50, None)
    assert not refused.value.waits


def test_what_has_no_price_makes_the_sum_unknown_and_what_was_not_served_does_not(tmp_path):
    purse = Spend(tmp_path / "s")
    assert not purse.unpriced
    ticket = purse.hold(1, 60, None)
    assert purse.unpriced
    purse.settle(ticket, Usage(), Decimal(0))
    assert not purse.unpriced
    purse.settle(purse.hold(1, 60, None), used(5), None)
    assert Spend(tmp_path / "s").spent()[0] == 5 and purse.unpriced
