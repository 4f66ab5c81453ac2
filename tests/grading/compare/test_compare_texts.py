"""Facts in prose: what a text states, which rivals it names, and that no part of a word is the word."""

from __future__ import annotations

from datetime import date, datetime
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errands.core.clock import resolve, to_ms
from errands.core.money import Money
from errands.grading.compare.dates import Order
from errands.grading.compare.texts import (
    find_dates,
    find_money,
    find_numbers,
    find_times,
    mentions_phrase,
    rivals,
    single_choice,
    states_date,
    states_email,
    states_id,
    states_money,
    states_time,
)

ZONE, START = "Asia/Singapore", date(2026, 11, 1)


def at(day: int, hour: int, minute: int = 0) -> int:
    return to_ms(resolve(datetime(2026, 11, day, hour, minute), ZONE))


OLD, NEW, END = at(5, 10), at(5, 16, 30), at(5, 17, 30)


def instants(text: str, order: Order = "DMY", day: date | None = None) -> list[int | None]:
    return [found.value.ms if found.value else None for found in find_times(text, ZONE, order, START, day)]


@pytest.mark.parametrize(
    "text",
    [
        "moved from 10am to 4.30pm on Thu, 5 Nov", "On 5 November 2026 it moves from 10:00 to 16:30.",
        "Planning review, Thu 5 Nov: was 10am, now 4.30pm.", "Old: 5/11/2026 10:00\nNew: 5/11/2026 16:30",
        "Old: 2026-11-05T10:00:00+08:00, new: 2026-11-05T08:30:00Z",
        "11月5日(木)の午前10時から午後4時半に変更しました。",
        "11월 5일(목) 오전 10시 회의를 오후 4시 30분으로 옮겼습니다.",
        "會議由11月5日（四）上午十點改到下午四點半。",
        "เลื่อนจาก 10.00 น. เป็น 16.30 น. วันพฤหัสบดีที่ 5 พ.ย. 2569",
        "من 10:00 صباحًا إلى 4:30 مساءً يوم الخميس 5 نوفمبر 2026",
        "moved on Thu 5 Nov 2026 from 11am JST to 5.30pm JST",
    ],
)  # fmt: skip
def test_a_move_is_stated_in_any_language(text: str) -> None:
    assert instants(text) == [OLD, NEW]
    assert states_time(text, NEW, ZONE, reference=START, allowed=[OLD])
    assert not states_time(text, NEW, ZONE, reference=START)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Wed 4 Nov 10am to 4.30pm on Thu 5 Nov", [at(4, 10), NEW]),
        ("10am on Wed 4 Nov to 4.30pm on Thu 5 Nov", [at(4, 10), NEW]),
        ("Wed 4 Nov, 10am; Thu 5 Nov, 4.30pm", [at(4, 10), NEW]),
        ("10am Wed 4 Nov, 4.30pm Thu 5 Nov", [at(4, 10), NEW]),
        ("Thu 5 Nov, 4.30–5.30pm", [NEW, END]), ("4.30-5.30pm on 5 Nov", [NEW, END]),
        ("5 Nov 16:30-17:30", [NEW, END]),
        ("11월 5일 16:30~17:30", [NEW, END]), ("11月5日 下午4點半至5點半", [NEW, END]),
        ("5 Nov, 4.30pm to 5:30", [NEW, END]),
        ("5 Nov 8:00-20:30", [at(5, 8), at(5, 20, 30)]), ("5 Nov 9-11am", [at(5, 9), at(5, 11)]),
        ("5 Nov 11-1pm", [at(5, 11), at(5, 13)]),
        ("The day is Thu, 5 Nov. We start at 4.30pm.", [NEW]), ("Time: 4.30pm\nDate: Thu, 5 Nov", [NEW]),
        ("4.30pm on Thursday", [NEW]),
        ("Thursday 4.30pm (5 Nov)", [NEW]), ("4.30pm", [None]), ("4.30pm CST on 5 Nov", [None]),
        ("Wed, 5 Nov 4.30pm", [None]),
        ("next Friday 4.30pm", [None]), ("ratio 3:1, $4.30, room 16.30, 24/7, 3시간, 14時間, 以下三點", []),
    ],
)  # fmt: skip
def test_times_find_their_date(text: str, expected: list[int | None]) -> None:
    assert instants(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Wed 4 Nov from 10am to 12pm or Thu 5 Nov from 4.30pm to 5.30pm",
        "Wed 4 Nov, 10am to 12pm, or Thu 5 Nov, 4.30pm to 5.30pm",
        "Wed 4 Nov from 10am to 12pm, Thu 5 Nov from 4.30pm to 5.30pm",
        "Wed 4 Nov from 10am to 12pm and Thu 5 Nov from 4.30pm until 5.30pm are free",
        "Either 4 November between 10:00 and 12:00 or 5 November between 16:30 and 17:30",
        "either on 4 Nov from 10am to 12 noon or on the 5 Nov from 4.30 to 5.30pm",
        "4 Nov, 10:00 – 12:00 / 5 Nov, 16:30 – 17:30",
        "11月4日(水)10:00から12:00、11月5日(木)16:30から17:30",
        "11月4日10時から12時まで、または11月5日16時半から17時半まで",
        "11월 4일(수) 10:00부터 12:00 또는 11월 5일(목) 16:30부터 17:30",
        "11/4 10:00到12:00或11/5 16:30到17:30",
        "วันพุธที่ 4 พ.ย. เวลา 10.00 น. ถึง 12.00 น. หรือวันพฤหัสบดีที่ 5 พ.ย. เวลา 16.30 น. ถึง 17.30 น.",
        "4 نوفمبر من الساعة 10:00 إلى 12:00 أو 5 نوفمبر من الساعة 16:30 إلى 17:30",
        "يوم 4 نوفمبر، الساعة 10:00 إلى 12:00 أو يوم 5 نوفمبر، الساعة 16:30 إلى 17:30",
    ],
)
def test_each_offer_keeps_its_own_times(text: str) -> None:
    order: Order = "YMD" if text.startswith("11") else "DMY"
    assert instants(text, order) == [at(4, 10), at(4, 12), NEW, END]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("moved from Wed 4 Nov 10am to 4.30pm, Thu 5 Nov", [at(4, 10), NEW]),
        ("Wed 4 Nov 10am to 4.30pm on Thu 5 Nov, 5.30pm", [at(4, 10), NEW, END]),
        ("10am (Wed 4 Nov), 4.30pm (Thu 5 Nov), 5.30pm (Thu 5 Nov)", [at(4, 10), NEW, END]),
        ("10am Wed 4 Nov or 4.30pm Thu 5 Nov or 5.30pm Thu 5 Nov", [at(4, 10), NEW, END]),
        ("10am or Thu 5 Nov at 4.30pm", [at(5, 10), NEW]),
        ("9 نوفمبر، الساعة 11:00 أو 12 نوفمبر، الساعة 16:30", [at(9, 11), at(12, 16, 30)]),
        ("11/9 11:00或11/12 16:30", [at(9, 11), at(12, 16, 30)]),
    ],
)
def test_a_time_still_goes_with_the_date_that_it_touches(text: str, expected: list[int]) -> None:
    assert instants(text, "YMD" if text.startswith("11") else "DMY") == expected


def test_context_day_and_rivals() -> None:
    assert instants("See you at 4.30pm.", day=date(2026, 11, 5)) == [NEW]
    assert states_time("See you at 4.30pm.", NEW, ZONE, day=date(2026, 11, 5))
    assert not states_time("See you at 4.30pm.", NEW, ZONE)
    found = find_dates("12 Nov, 13 Nov or next Friday", "DMY", START)
    assert [one.words for one in rivals(found, [date(2026, 11, 12)])] == ["13 Nov", "Friday"]


def test_listing_candidates_states_nothing() -> None:
    every = "; ".join(f"{hour}pm" for hour in range(1, 12))
    assert not states_time(f"On 5 Nov: {every}", at(5, 4 + 12), ZONE, reference=START)
    assert not states_id("INV-10001 INV-10002", "INV-10001", r"INV-\d{5}")
    assert not states_money("S$10 or S$100", Money(1000, "SGD"))
    assert not states_date("12 Nov or 13 Nov 2026", date(2026, 11, 12))
    assert not states_email("a@b.example, c@b.example", "a@b.example")
    assert single_choice("Kapok Inn, or else Hotel Lumière", ["Kapok Inn", "Hotel Lumière"]) is None


def test_ids_money_numbers() -> None:
    assert states_id("Please see INV-10001.", "INV-10001", r"INV-\d{5}")
    assert states_id("請查收INV-10001的發票", "INV-10001", r"INV-\d{5}")
    for text in ("XINV-10001", "INV-100012", "INV-10001-A", "A-INV-10001", "inv-10001", "éINV-10001"):
        assert not states_id(text, "INV-10001", r"INV-\d{5}"), text
    found = find_money(
        "S$1,250.00 (US$900), 50 bucks, 35,000원, 3만 5천원, ¥1,980, AED -5, 12%, Rm 402, 사원 3명, 2026 kg",
        "SGD",
    )
    assert [str(one.value) for one in found] == [
        "SGD 1,250.00", "USD 900.00", "SGD 50.00", "KRW 35,000", "KRW 35,000", "None", "AED -5.00",
    ]  # fmt: skip
    assert [int(one.value or 0) for one in find_numbers("3 of 12 items, A12, v1.2.3, 1,250 total.")] == [
        3,
        12,
        1250,
    ]


def test_choices() -> None:
    hotels = ["Hotel Lumière", "Hotel Lumière Kallang", "Kapok Inn"]
    assert single_choice("I recommend hotel lumière kallang.", hotels) == "Hotel Lumière Kallang"
    assert single_choice("could not deterMIne", ["MI"]) is None
    assert single_choice("ไปเชียงใหม่", ["ใหม่", "เชียงใหม่"]) == "เชียงใหม่"
    assert single_choice("김민수는 갑니다", ["민수", "김민수"]) == "김민수"
    assert single_choice("選大安店。", ["大安店", "信義店"]) == "大安店"
    assert mentions_phrase("See the house rule, v2", "House Rule")
    assert mentions_phrase("민수님께서 오십니다", "민수")
    for text, phrase in (
        ("100", "10"),
        ("김민수는", "민수"),
        ("house. Rule", "house rule"),
        ("rules", "rule"),
        ("", "x"),
        ("a", ""),
    ):
        assert not mentions_phrase(text, phrase), text


@given(st.text(alphabet="abcdefgh ABCDE.,!", max_size=60), st.sampled_from("abcXYZ019é"), st.booleans())
def test_no_part_of_an_id(noise: str, extra: str, before: bool) -> None:
    whole = "INV-10001"
    longer = extra + whole if before else whole + extra
    assert not states_id(f"{noise} {longer} {noise}", whole, r"INV-\d{5}")
    assert states_id(f"{noise} {whole} {noise}", whole, r"INV-\d{5}")


@given(st.text(max_size=200))
def test_scanners_never_raise_and_spans_hold(text: str) -> None:
    for found in (
        find_times(text, ZONE, "DMY", START),
        find_dates(text, "DMY", START),
        find_money(text, "SGD"),
        find_numbers(text),
    ):
        for one in found:
            assert 0 <= one.start < one.end


@pytest.mark.parametrize(
    "text", ["同一時段另有行程", "第一時段與第二時段", "一時之間", "同一時刻", "一時的な措置"]
)
def test_hours_are_not_read_out_of_other_words(text: str) -> None:
    assert not find_times(text, "Asia/Taipei", "YMD", date(2026, 10, 20), date(2026, 10, 28))


REFUSALS = [
    "I could not determine the answer.", "ขออภัย ไม่สามารถดำเนินการได้", "申し訳ありませんが、対応できません。",
    "죄송하지만 처리할 수 없습니다.",
    "很抱歉，我無法完成這項工作。", "عذرًا، لا أستطيع القيام بذلك.",
    "As of 2020 I am unable to help with that, sorry.",
]  # fmt: skip


@pytest.mark.parametrize("text", REFUSALS)
def test_refusals_state_nothing(text: str) -> None:
    assert not states_time(text, NEW, ZONE, reference=START)
    assert not states_date(text, date(2026, 11, 5))
    assert not states_money(text, Money(2020, "SGD"))
    assert not states_id(text, "INV-10001", r"INV-\d{5}")
    assert single_choice(text, ["MI", "CA", "no"]) is None


@pytest.mark.parametrize(
    "piece",
    [
        "1",
        "1,",
        "111,",
        " ",
        "12 ",
        "一",
        "일",
        "1만",
        "1:",
        "4.30-",
        "12 Nov ",
        "a.a",
        "a@",
        "S$",
        "1 만 ",
        "오후 ",
        "1/",
        "((",
    ],
)
def test_hostile_lengths_take_linear_time(piece: str) -> None:
    text = piece * (20_000 // len(piece))
    start = perf_counter()
    find_times(text, ZONE, "DMY", START)
    find_money(text, "SGD")
    find_numbers(text)
    single_choice(text, ["大安店", "Kapok Inn"])
    assert not states_email(text, "a@b.example")
    assert not states_id(text, "INV-10001", r"INV-\d{5}")
    assert perf_counter() - start < 5
