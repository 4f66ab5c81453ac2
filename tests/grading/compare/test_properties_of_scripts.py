"""The same day, instant and amount in every era, script, zone and with every mark."""

from __future__ import annotations

from datetime import UTC, date, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from errands.core.clock import from_ms, to_ms
from errands.core.money import MINOR, Money
from errands.grading.compare.dates import same_date
from errands.grading.compare.money import same_money
from errands.grading.compare.times import same_datetime

SEEDED = settings(derandomize=True, deadline=None)
SCRIPTS = {
    "ascii": "0123456789",
    "wide": "０１２３４５６７８９",
    "arabic": "٠١٢٣٤٥٦٧٨٩",
    "thai": "๐๑๒๓๔๕๖๗๘๙",
}


def in_script(text: str, script: str) -> str:
    return text.translate(str.maketrans(SCRIPTS["ascii"], SCRIPTS[script]))


DAYS = st.dates(date(2019, 5, 1), date(2060, 12, 31))


@given(DAYS, st.sampled_from(sorted(SCRIPTS)))
@settings(SEEDED, max_examples=60)
def test_a_day_is_the_same_in_every_era_and_script(day, script):
    y, m, d = day.year, day.month, day.day
    for text in (
        f"令和{y - 2018}年{m}月{d}日", f"R{y - 2018}.{m}.{d}", f"民國{y - 1911}年{m}月{d}日", f"{y}年{m}月{d}日",
        f"{y}년 {m}월 {d}일", f"{y}. {m}. {d}.", f"{d}/{m}/{y + 543}", f"{d}/{m}/{y}", f"{y}-{m:02}-{d:02}",
    ):  # fmt: skip
        written = in_script(text, script)
        assert same_date(written, day), written
        assert not same_date(written, date.fromordinal(day.toordinal() + 1)), written


@given(DAYS)
@settings(SEEDED, max_examples=60)
def test_the_order_of_a_date_is_that_of_its_place(day):
    y, m, d = day.year, day.month, day.day
    assert same_date(f"{d}/{m}/{y}", day, "DMY") and same_date(f"{m}/{d}/{y}", day, "MDY")
    assert same_date(f"{y}/{m}/{d}", day, "YMD")
    if d <= 12 and d != m:
        assert not same_date(f"{m}/{d}/{y}", day, "DMY") and not same_date(f"{d}/{m}/{y}", day, "MDY")


ZONED = [
    ("Asia/Tokyo", ("JST", "(JST)", "UTC+9", "GMT+09:00", "Asia/Tokyo", "Japan time")),
    ("Asia/Singapore", ("SGT", "UTC+8", "(GMT+8)", "Asia/Singapore", "Singapore time")),
    ("Asia/Dubai", ("GST", "UTC+4", "Asia/Dubai", "Dubai time")),
    ("UTC", ("UTC", "GMT", "Z")),
]


@given(st.integers(0, 400_000), st.sampled_from(ZONED), st.data())
@settings(SEEDED, max_examples=80)
def test_an_instant_is_the_same_in_every_zone(minute, where, data):
    ms = to_ms(datetime(2026, 1, 1, tzinfo=UTC)) + minute * 60_000
    there = from_ms(ms, where[0])
    name = data.draw(st.sampled_from(where[1]))
    hour = f"{there:%I:%M %p}" if data.draw(st.booleans()) else f"{there:%H:%M}"
    texts = [f"{there:%d %b %Y} {hour} {name}", there.isoformat(timespec="minutes")]
    for text in texts if name != "Z" else texts[1:]:
        for home in ("Asia/Seoul", "America/New_York"):
            assert same_datetime(text, ms, home), text
            assert not same_datetime(text, ms + 3_600_000, home) and not same_datetime(
                text, ms - 60_000, home
            )


@given(
    st.integers(0, 10**9),
    st.sampled_from(["JPY", "KRW", "SGD", "AED", "THB", "TWD", "KWD"]),
    st.sampled_from(sorted(SCRIPTS)),
)
@settings(SEEDED, max_examples=80)
def test_an_amount_is_the_same_with_any_mark_and_script(minor, code, script):
    marks = {"JPY": ("¥", "円"), "KRW": ("₩", "원"), "SGD": ("S$", ""), "AED": ("Dhs ", " درهم"),
             "THB": ("฿", " บาท"), "TWD": ("NT$", "元"), "KWD": ("KWD ", " KD")}[code]  # fmt: skip
    amount = Money(minor, code)
    plain = in_script(f"{amount.major:,.{MINOR[code]}f}", script)
    for text in (marks[0] + plain, plain + marks[1], f"{code} {plain}"):
        assert same_money(text, amount), text
        assert not same_money(text, Money(minor + 1, code)) and not same_money(
            text, -amount if minor else Money(1, code)
        )
    other = "USD" if code != "USD" else "SGD"
    assert not same_money(f"{other} {plain}", amount)
