"""How Singapore writes values, and that another language needs only a file."""

from __future__ import annotations

from datetime import date, datetime, time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errands.markets import folder
from errands.markets.writing import load_writing, read_writing

EN = load_writing("sg")


@pytest.mark.parametrize(
    ("minor", "currency", "style", "text"),
    [
        (125000, "SGD", None, "$1,250.00"),
        (125000, "SGD", "short", "$1,250"),
        (1290, "SGD", "short", "$12.90"),
        (125000, "SGD", "foreign", "S$1,250.00"),
        (125000, "SGD", "contract", "SGD 1,250.00"),
        (123456789, "SGD", "column", "1,234,567.89"),
        (-5, "SGD", None, "-$0.05"),
        (0, "SGD", None, "$0.00"),
        (9900, "USD", None, "US$99.00"),
        (9900, "MYR", "short", "RM99"),
        (9900, "JPY", None, "JPY 9,900"),
        (9900, "GBP", None, "GBP 99.00"),
    ],
)
def test_money(minor: int, currency: str, style: str | None, text: str) -> None:
    assert EN.money(minor, currency, style) == text


@given(st.integers(-(10**12), 10**12))
def test_money_can_be_read_back(minor: int) -> None:
    text = EN.money(minor, "SGD", "column")
    assert int(text.replace(",", "").replace(".", "")) == minor


def test_dates_and_times() -> None:
    assert EN.day(date(2026, 11, 12)) == "Thu, 12 Nov"
    assert EN.full_date(date(2026, 11, 2)) == "2 Nov 2026"
    times = {(15, 30): "3.30pm", (9, 0): "9am", (9, 5): "9.05am", (12, 30): "12.30pm", (0, 5): "12.05am"}
    times |= {(12, 0): "12nn", (0, 0): "12 midnight", (23, 59): "11.59pm"}
    for (hour, minute), text in times.items():
        assert EN.clock_time(time(hour, minute)) == text
    assert EN.clock_time(datetime(2026, 11, 12, 15, 30, 20)) == "3.30pm"


def test_phones() -> None:
    assert EN.phone("+65 8001 4127") == EN.phone("80014127") == EN.phone("+6580014127") == "8001 4127"
    assert EN.phone("+65 80014127", "international") == "+65 8001 4127"
    assert EN.phone("80014127", "letterhead") == "(65) 8001 4127"
    assert EN.phone("18006940000") == "1800 694 0000"
    assert EN.phone("+44  20 7946 0182") == "+44 20 7946 0182"
    for wrong in ("", "+65", "8001 412", "+65 8001 41277"):
        with pytest.raises(ValueError, match="no phone number"):
            EN.phone(wrong)


def test_lists() -> None:
    assert [EN.join(["a", "b", "c", "d"][:n]) for n in (1, 2, 3, 4)] == [
        "a",
        "a and b",
        "a, b and c",
        "a, b, c and d",
    ]
    with pytest.raises(ValueError, match="empty list"):
        EN.join([])


def test_unknown_names_are_errors() -> None:
    for call in (
        lambda: EN.money(1, "XXX"),
        lambda: EN.money(1, "SGD", "mial"),
        lambda: EN.phone("80014127", "loud"),
        lambda: load_writing("sg", "fr"),
    ):
        with pytest.raises(ValueError, match=r"known are|missing"):
            call()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('day = "{weekday}, {d} {month}"', 'day = "{wekday}"', r"language\.en\.day: \{wekday\} is unknown"),
        ('noon = "12nn"', 'non = "12nn"', r"language\.en\.time\.non: no such field"),
        ('"Sat", "Sun"]', '"Sat"]', r"language\.en\.weekdays: 7 texts"),
        ('default = "mail"', 'default = "male"', r"money\.default: no style 'male'"),
        ('whole = "{h}{half}"', "", r"language\.en\.time\.whole: missing"),
        ('negative = "-{text}"', 'negative = "-{text"', r"language\.en\.money\.negative: "),
    ],
)
def test_errors_name_file_and_field(old: str, new: str, message: str, tmp_path: Path) -> None:
    text = folder("sg").joinpath("writing.toml").read_text("utf-8")
    assert old in text
    file = tmp_path / "writing.toml"
    file.write_text(text.replace(old, new), "utf-8")
    with pytest.raises(ValueError, match=r"writing\.toml: " + message):
        read_writing(file)


KOREAN = """
default = "ko"
[phone]
country_code = "82"
default = "local"
groups = [{ prefix = "10", sizes = [2, 4, 4] }]
styles = { local = "0{number}" }
[language.ko]
months = ["1월", "2월", "3월", "4월", "5월", "6월", "7월", "8월", "9월", "10월", "11월", "12월"]
months_full = ["1월", "2월", "3월", "4월", "5월", "6월", "7월", "8월", "9월", "10월", "11월", "12월"]
weekdays = ["월", "화", "수", "목", "금", "토", "일"]
weekdays_full = ["월요일", "화요일", "수요일", "목요일", "금요일", "토요일", "일요일"]
day = "{month} {d}일({weekday})"
full_date = "{y}년 {m}월 {d}일"
year_offset = 0
time = { whole = "{half} {h}시", minutes = "{half} {h}시 {m}분", halves = ["오전", "오후"] }
list = { pair = "{a}, {b}", middle = "{a}, {b}", last = "{a}, {b}" }
[language.ko.money]
group = ","
point = "."
negative = "-{text}"
default = "mail"
styles = { mail = { KRW = "{amount}원", other = "{code} {amount}" } }
"""


def test_another_language_is_a_file(tmp_path: Path) -> None:
    file = tmp_path / "writing.toml"
    file.write_text(KOREAN, "utf-8")
    ko = read_writing(file)
    assert ko.day(date(2026, 11, 12)) == "11월 12일(목)"
    assert ko.clock_time(time(15, 30)) == "오후 3시 30분"
    assert ko.clock_time(time(0, 0)) == "오전 12시"
    assert ko.money(12000, "KRW") == "12,000원"
    assert ko.phone("+82 10 0000 1427") == "010 0000 1427"
    file.write_text(KOREAN.replace("year_offset = 0", "year_offset = 543"), "utf-8")
    assert read_writing(file).full_date(date(2026, 11, 12)) == "2569년 11월 12일"
