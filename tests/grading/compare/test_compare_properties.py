"""Properties over all comparators: one character more flips the verdict, odd JSON never passes, spelling
never counts."""

from __future__ import annotations

import math
import string
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errands.core.money import MINOR, Money
from errands.grading.compare.addresses import same_address
from errands.grading.compare.dates import same_date
from errands.grading.compare.emails import same_email
from errands.grading.compare.ids import same_id
from errands.grading.compare.lists import same_list
from errands.grading.compare.money import same_money
from errands.grading.compare.numbers import read_number, same_number
from errands.grading.compare.percents import same_percent
from errands.grading.compare.phones import same_phone
from errands.grading.compare.quantities import quantity, same_quantity
from errands.grading.compare.sets import same_set
from errands.grading.compare.times import same_datetime, same_time

LETTERS = string.ascii_letters + "éßЖ가あ漢กب"
DIGITS = string.digits + "０５٠٥۵๕"
NOON = int(datetime(2026, 11, 12, 4, tzinfo=UTC).timestamp() * 1000)

#: A comparator with its expected value, and the usual ways of writing that.
Case = tuple[Callable[[object], bool], list[str]]
CASES: dict[str, Case] = {
    "id": (lambda v: same_id(v, "INV-12345"), ["INV-12345", "ＩＮＶ-12345"]),
    "email": (
        lambda v: same_email(v, "a.tan@kenari.example"),
        ["a.tan@kenari.example", "A.Tan@Kenari.example"],
    ),
    "money": (
        lambda v: same_money(v, Money(125000, "SGD")),
        ["S$1,250.00", "SGD 1,250.00", "1,250.00", "1250", "１，２５０．００", "١٬٢٥٠٫٠٠"],
    ),
    "yen": (
        lambda v: same_money(v, Money(12000, "JPY")),
        ["12,000円", "¥12,000", "1.2万円", "1万2,000円", "12000"],
    ),
    "won": (lambda v: same_money(v, Money(35000, "KRW")), ["35,000원", "3만 5천원", "₩35,000", "KRW 35,000"]),
    "number": (lambda v: same_number(v, 1250), ["1,250", "1250", "١٬٢٥٠"]),
    "percent": (lambda v: same_percent(v, Decimal(9)), ["9%", "9 percent", "٩٪"]),
    "quantity": (lambda v: same_quantity(v, quantity(25, "pax")), ["25 pax", "25명", "25人", "25"]),
    "date": (
        lambda v: same_date(v, date(2026, 11, 12)),
        [
            "2026-11-12",
            "12 Nov 2026",
            "12/11/2026",
            "2026年11月12日",
            "12 พ.ย. 2569",
            "١٢ نوفمبر ٢٠٢٦",
            "20261112",
            "Thu, 12 Nov",
        ],
    ),
    "time": (
        lambda v: same_time(v, time(15, 30)),
        ["15:30", "03.30pm", "오후 3시 30분", "下午三點半", "15.30 น.", "1530hrs", "٠٣:٣٠ م"],
    ),
    "instant": (
        lambda v: same_datetime(v, NOON, "Asia/Singapore"),
        [
            "2026-11-12T12:00",
            "2026-11-12T04:00Z",
            "12 Nov 2026, 12:00",
            "2026年11月12日 13:00 JST",
            "noon on Thu, 12 Nov",
        ],
    ),
    "phone": (lambda v: same_phone(v, "+6591234567", "sg"), ["9123 4567", "+65 9123 4567", "٩١٢٣٤٥٦٧"]),
    "address": (
        lambda v: same_address(v, "Blk 978 Tampines Street 98 #11-207, Singapore 520978", "sg"),
        ["Blk 978 Tampines Street 98 #11-207, Singapore 520978", "978 Tampines St 98 #11-207 S520978"],
    ),
    "list": (lambda v: same_list(v, [3, 12], read_int), ["3, 12", "3\n12", "[3, 12]"]),
    "set": (lambda v: same_set(v, {3, 12}, read_int), ["3, 12", "12; 3"]),
}


def read_int(value: object) -> int | None:
    number = read_number(value)
    return int(number) if number is not None and number == int(number) else None


WRITTEN = [(name, text) for name, (_, texts) in CASES.items() for text in texts]


@pytest.mark.parametrize(("name", "text"), WRITTEN)
def test_usual_ways_pass(name: str, text: str) -> None:
    assert CASES[name][0](text)
    assert CASES[name][0](f" {text}\n")


@pytest.mark.parametrize(("name", "text"), WRITTEN)
def test_one_character_more_fails(name: str, text: str) -> None:
    """Exhaustive. The cases leave out texts of which a longer one says the same: $5 and S$5, 3pm and 03pm."""
    same = CASES[name][0]
    for extra in LETTERS + DIGITS:
        assert not same(text + extra), text + extra
        assert not same(extra + text), extra + text


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(
    "junk",
    [
        None, math.nan, math.inf, -math.inf, "", " ", "\u200b", [], {}, (), True, False, b"", [None], [[]],
        {"": None}, "null",
        "NaN", "Infinity", "-", ".", ",", "[]", "{}", object(), 0, -1, 10**30, 1e300, "0", "\ud800", "\x00",
        Decimal("NaN"),
    ],
)  # fmt: skip
def test_junk_never_passes(name: str, junk: object) -> None:
    assert not CASES[name][0](junk)


@pytest.mark.parametrize(("name", "text"), WRITTEN)
@pytest.mark.parametrize("joint", [", ", " or ", " / ", "\n", " and ", "; "])
def test_listing_candidates_fails(name: str, text: str, joint: str) -> None:
    other = (
        text.replace("2", "7").replace("３", "7") if "2" in text else text.replace("3", "4").replace("9", "4")
    )
    if other == text:
        other = "7"
    assert not CASES[name][0](f"{text}{joint}{other}")
    assert not CASES[name][0](f"{other}{joint}{text}")


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=40),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=6,
    )
)
def test_nothing_raises(value: object) -> None:
    for same, _ in CASES.values():
        assert same(value) in (True, False)


NON_ASCII = {
    "western": "0123456789",
    "wide": "０１２３４５６７８９",
    "arabic": "٠١٢٣٤٥٦٧٨٩",
    "thai": "๐๑๒๓๔๕๖๗๘๙",
}


@given(
    st.integers(-(10**12), 10**12),
    st.sampled_from(sorted(MINOR)),
    st.sampled_from(sorted(NON_ASCII)),
    st.booleans(),
)
def test_money_round_trips(minor: int, code: str, script: str, grouped: bool) -> None:
    amount = Money(minor, code)
    text = f"{amount.major:{',' if grouped else ''}.{MINOR[code]}f}".translate(
        str.maketrans("0123456789", NON_ASCII[script])
    )
    assert same_money(text, amount)
    assert same_money(f"{code} {text}", amount)
    assert same_money(f"{text} {code}", amount)
    assert not same_money(text, Money(minor + 1, code))
    assert not same_money(text + "0", amount) or MINOR[code] == 0 == minor


@given(st.dates(date(2001, 1, 1), date(2150, 12, 31)))
def test_dates_round_trip(day: date) -> None:
    for pattern in (
        "%Y-%m-%d",
        "%d %b %Y",
        "%d/%m/%Y",
        "%A, %d %B %Y",
        "%B %d, %Y",
        "%d.%m.%Y",
        "%Y%m%d",
        "%a %d %b %Y",
    ):
        assert same_date(day.strftime(pattern), day), pattern
    era = f"{day.year - 1911}年{day.month}月{day.day}日"
    assert same_date(f"民國{era}", day)
    assert same_date(f"{day.day}/{day.month}/{day.year + 543}", day)
    assert same_date(f"{day.month}/{day.day}/{day.year}", day, "MDY")
    wrong = (day.weekday() + 1) % 7
    names = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    assert not same_date(f"{names[wrong]}, {day:%d %b %Y}", day)


@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1)),
    st.sampled_from(["Asia/Singapore", "Asia/Tokyo", "Asia/Dubai"]),
)
def test_instants_round_trip(moment: datetime, zone_name: str) -> None:
    at = moment.replace(second=0, microsecond=0, tzinfo=UTC)
    ms = int(at.timestamp()) * 1000
    assert same_datetime(at.isoformat(), ms, zone_name)
    assert same_datetime(f"{at:%d %b %Y, %I.%M%p} UTC", ms, zone_name)
    assert same_datetime(f"{at:%Y年%m月%d日 %H:%M} (GMT)", ms, zone_name)
    assert not same_datetime(at.isoformat(), ms + 60_000, zone_name)


@given(st.times())
def test_times_round_trip(at: time) -> None:
    at = at.replace(second=0, microsecond=0)
    for pattern in ("%H:%M", "%I:%M %p", "%I.%M%p", "%H%Mhrs", "%H:%M:%S"):
        assert same_time(at.strftime(pattern), at), pattern
