"""What a market writes, its comparators read: every style of every language in every market's writing.toml."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errands.core.clock import from_ms, resolve, to_ms
from errands.core.money import MINOR, Money
from errands.grading.compare.addresses import same_address
from errands.grading.compare.dates import find_dates, read_date
from errands.grading.compare.money import same_money
from errands.grading.compare.phones import same_phone
from errands.grading.compare.texts import find_times
from errands.grading.compare.times import read_time
from errands.markets import codes, folder, load_market, read_toml
from errands.markets.writing import Writing, load_writing

MARKETS = codes()
TONGUES = [
    pytest.param(code, language, id=f"{code}-{language}")
    for code in MARKETS
    for language in read_toml(folder(code).joinpath("writing.toml"))["language"]
]
DAYS = st.dates(date(2026, 1, 1), date(2027, 12, 31))


def of(code: str, language: str) -> tuple[Writing, str]:
    return load_writing(code, language), load_market(code).date_order


@pytest.mark.parametrize(("code", "language"), TONGUES)
@given(day=DAYS)
def test_dates(code: str, language: str, day: date) -> None:
    w, order = of(code, language)
    assert read_date(w.full_date(day), order) == day, w.full_date(day)
    assert read_date(w.official_date(day), order) == day, w.official_date(day)
    near = day - timedelta(days=9)
    assert [f.value for f in find_dates(w.day(day), order, near)] == [day], w.day(day)


@pytest.mark.parametrize(("code", "language"), TONGUES)
@given(at=st.times().map(lambda t: t.replace(second=0, microsecond=0)))
def test_times_of_day(code: str, language: str, at: time) -> None:
    w, _ = of(code, language)
    assert read_time(w.clock_time(at)) == at, w.clock_time(at)


@pytest.mark.parametrize(("code", "language"), TONGUES)
@given(day=DAYS, minutes=st.integers(8 * 12, 20 * 12))
def test_a_day_and_a_time_in_a_sentence_are_one_instant(
    code: str, language: str, day: date, minutes: int
) -> None:
    w, order = of(code, language)
    zone = load_market(code).zone
    at = datetime.combine(day, time()) + timedelta(minutes=5 * minutes)
    ms = to_ms(resolve(at, zone))
    for text in (
        f"{w.day(day)} {w.clock_time(at)}",
        f"{w.day(day)}, {w.clock_time(at)} ({zone})",
        f"{w.full_date(day)} {w.clock_time(at)}",
    ):
        found = find_times(text, zone, order, day - timedelta(days=5))
        assert [f.value.ms if f.value else None for f in found] == [ms], (text, [f.words for f in found])
    assert from_ms(ms, zone).replace(tzinfo=None) == at


@pytest.mark.parametrize(("code", "language"), TONGUES)
@given(minor=st.integers(1, 10**9))
def test_money(code: str, language: str, minor: int) -> None:
    w, _ = of(code, language)
    currency = load_market(code).currency.code
    for style, patterns in w.money_styles.items():
        if "{myriad}" in (patterns.get(currency) or patterns["other"]):
            minor -= minor % 10 ** MINOR[currency]  # nobody writes cents behind a 萬
            if not minor:
                continue
        text = w.money(minor, currency, style)
        assert same_money(text, Money(minor, currency)), (style, text)
        assert not same_money(text, Money(minor + 1, currency)), (style, text)


@pytest.mark.parametrize("code", MARKETS)
def test_phones(code: str) -> None:
    w, market = load_writing(code), load_market(code)
    here = [p for p in market.people.values() if p.phone.startswith(f"+{market.phone.country_code} ")]
    assert here
    for p in here:
        for style in w.phone_styles:
            text = w.phone(p.phone, style)
            assert same_phone(text, p.phone, code), (p.key, style, text)
            assert not same_phone(text, p.phone[:-1] + str((int(p.phone[-1]) + 1) % 10), code), (p.key, style)


@pytest.mark.parametrize("code", MARKETS)
def test_addresses(code: str) -> None:
    for a in load_market(code).addresses:
        written = "\n".join(a.lines)
        for text in ("\n".join(a.lines), ", ".join(a.lines), " ".join(a.lines)):
            assert same_address(text, written, code), (a.key, text)
        for other in load_market(code).addresses:
            if other.key != a.key:
                assert not same_address("\n".join(other.lines), written, code), (a.key, other.key)
