"""Working days, working hours, zones: round trips and the published rule for gaps and folds."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errands.core import clock
from errands.markets import calendar as cal
from errands.markets import load_market

SG = load_market("sg")
DAYS = st.dates(date(2026, 2, 1), date(2027, 11, 30))
COUNTS = st.integers(1, 15)


@given(DAYS, COUNTS)
def test_workdays_there_and_back(day: date, n: int) -> None:
    there = cal.workday(SG, day, n)
    assert cal.is_workday(SG, there)
    assert there == cal.add_workdays(SG, day, n)
    between = [day + timedelta(days=i) for i in range(1, (there - day).days + 1)]
    assert sum(cal.is_workday(SG, d) for d in between) == n
    if cal.is_workday(SG, day):
        assert cal.add_workdays(SG, there, -n) == day
        assert cal.add_workdays(SG, day, 0) == day
    else:
        assert cal.add_workdays(SG, day, 0) == cal.workday(SG, day)
    assert cal.previous_workday(SG, cal.workday(SG, day)) <= day


def test_workdays_over_the_deepavali_weekend() -> None:
    assert cal.is_holiday(SG, date(2026, 11, 8))
    assert cal.is_holiday(SG, date(2026, 11, 9))
    assert cal.workday(SG, date(2026, 11, 6)) == date(2026, 11, 10)
    assert cal.previous_workday(SG, date(2026, 11, 10)) == date(2026, 11, 6)
    for no_holiday in (date(2026, 12, 26), date(2026, 9, 25), date(2027, 5, 3)):  # Boxing Day and others
        assert not cal.is_holiday(SG, no_holiday)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="no holiday table for 2028"):
        cal.is_workday(SG, date(2028, 1, 3))
    with pytest.raises(ValueError, match="datetime"):
        cal.is_holiday(SG, datetime(2026, 12, 25))
    with pytest.raises(ValueError, match="counted from 1"):
        cal.workday(SG, date(2026, 11, 3), 0)


def test_windows() -> None:
    friday, thursday = date(2026, 11, 6), date(2026, 11, 5)
    assert cal.windows(SG, thursday) == ((540, 720), (780, 1080))
    assert cal.windows(SG, friday) == ((540, 720), (780, 1080))
    assert cal.windows(SG, friday, traits=SG.people["zul"].traits) == ((540, 720), (855, 1080))
    assert cal.windows(SG, thursday, traits=SG.people["zul"].traits) == ((540, 720), (780, 1080))
    assert cal.windows(SG, date(2026, 11, 9)) == cal.windows(SG, date(2026, 11, 7)) == ()
    assert cal.windows(SG, date(2026, 12, 24), half_day=True) == ((540, 720), (780, 900))
    assert cal.windows(SG, date(2027, 2, 5), half_day=True) == ((540, 720),)
    assert cal.windows(SG, date(2026, 12, 24)) == ((540, 720), (780, 1080))


@given(
    st.tuples(st.integers(0, 50), st.integers(51, 100)),
    st.lists(st.tuples(st.integers(-10, 110), st.integers(0, 30)).map(lambda p: (p[0], p[0] + p[1]))),
)
def test_without_leaves_exactly_the_rest(whole: cal.Window, taken: list[cal.Window]) -> None:
    left = cal.without(whole, taken)
    minutes = {m for a, b in left for m in range(a, b)}
    assert minutes == set(range(*whole)) - {m for a, b in taken for m in range(a, b)}
    assert all(a < b for a, b in left)
    assert list(left) == sorted(left)


GAPS = [
    ("Europe/London", datetime(2026, 3, 29, 1, 30), "2026-03-29T02:30+01:00"),
    ("America/New_York", datetime(2026, 3, 8, 2, 15), "2026-03-08T03:15-04:00"),
    ("Australia/Adelaide", datetime(2026, 10, 4, 2, 45), "2026-10-04T03:45+10:30"),
    ("Australia/Lord_Howe", datetime(2026, 10, 4, 2, 10), "2026-10-04T02:40+11:00"),  # a gap of 30 minutes
]
FOLDS = [
    ("Europe/London", datetime(2026, 10, 25, 1, 30), "2026-10-25T01:30+01:00"),
    ("America/New_York", datetime(2026, 11, 1, 1, 15), "2026-11-01T01:15-04:00"),
    ("Australia/Adelaide", datetime(2027, 4, 4, 2, 45), "2027-04-04T02:45+10:30"),
]


@pytest.mark.parametrize(("name", "local", "expected"), GAPS + FOLDS)
def test_gap_moves_forward_and_fold_takes_the_first(name: str, local: datetime, expected: str) -> None:
    for fold in (0, 1):
        resolved = clock.resolve(local.replace(fold=fold), name)
        assert clock.iso(clock.to_ms(resolved), name) == expected


@pytest.mark.parametrize(("name", "local", "expected"), FOLDS)
def test_both_sides_of_a_fold_are_told_apart(name: str, local: datetime, expected: str) -> None:
    first = clock.to_ms(clock.resolve(local, name))
    second = first + 3_600_000
    assert clock.from_ms(second, name).replace(tzinfo=None, fold=0) == local
    assert clock.iso(second, name) != expected
    assert clock.to_ms(clock.from_ms(second, name)) == second


ZONES = st.sampled_from(["Asia/Singapore", *dict.fromkeys(z for z, _, _ in GAPS)])


@given(st.integers(-2_000_000_000_000, 4_000_000_000_000), ZONES)
def test_instants_round_trip(ms: int, name: str) -> None:
    assert clock.to_ms(clock.from_ms(ms, name)) == ms
    assert clock.to_ms(datetime.fromisoformat(clock.iso(ms, name))) == ms
    assert cal.local(ms, name) == datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=ms)


@given(st.datetimes(datetime(1980, 1, 1), datetime(2036, 1, 1)), ZONES)
def test_resolve_agrees_with_the_wall_clock_outside_gaps(local: datetime, name: str) -> None:
    resolved = clock.resolve(local, name)
    shown = resolved.replace(tzinfo=None, fold=0)
    assert shown >= local
    if shown != local:  # only in a gap: no instant shows the asked time
        assert {local.replace(tzinfo=ZoneInfo(name), fold=f).utcoffset() for f in (0, 1)} != {
            resolved.utcoffset()
        }


def test_iso_loses_nothing() -> None:
    ms = clock.to_ms(datetime(2026, 11, 3, 0, 50, tzinfo=UTC))
    assert clock.iso(ms, "Asia/Singapore") == "2026-11-03T08:50+08:00"
    assert clock.iso(ms + 12_000, "Asia/Singapore") == "2026-11-03T08:50:12+08:00"
    assert clock.iso(ms + 12_005, "Asia/Singapore") == "2026-11-03T08:50:12.005+08:00"


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Asia/Singapor", "Asia/Singapore"),
        ("asia/singapore", "Asia/Singapore"),
        ("London", "Europe/London"),
        ("New York", "America/New_York"),
    ],
)
def test_unknown_zones_have_near_matches(name: str, near: str) -> None:
    with pytest.raises(ValueError, match="unknown time zone") as error:
        clock.zone(name)
    assert near in str(error.value)


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../zones",
        "/etc/localtime",
        "Asia/../Asia/Singapore",
        "Asia",
        "tzdata.zi",
        "Asia\\Tokyo",
    ],
)
def test_paths_are_no_zones(name: str) -> None:
    with pytest.raises(ValueError, match="unknown time zone"):
        clock.zone(name)


def test_naive_and_aware_are_not_confused() -> None:
    with pytest.raises(ValueError, match="no zone"):
        clock.to_ms(datetime(2026, 11, 3))
    with pytest.raises(ValueError, match="already has a zone"):
        clock.resolve(datetime(2026, 11, 3, tzinfo=UTC), "Asia/Singapore")
    with pytest.raises(ValueError, match="outside the years"):
        clock.from_ms(10**18, "Asia/Singapore")
    with pytest.raises(ValueError, match="outside the years"):
        clock.resolve(datetime(1, 1, 1), "Asia/Singapore")


def test_every_packaged_zone_loads() -> None:
    names = clock._names()
    assert len(names) > 400
    assert all(clock.zone(name).key == name for name in names)
