"""More properties of the comparators: codes, facts in prose, the other five markets.

What `test_compare_properties.py` asks of fields in Singapore's forms is asked here of the rest.
"""

from __future__ import annotations

import math
import string
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import settings

from errands.core.money import Money
from errands.grading.compare.addresses import same_address
from errands.grading.compare.codes import one_of, one_of_words
from errands.grading.compare.dates import read_date, same_date
from errands.grading.compare.emails import read_email
from errands.grading.compare.lists import same_list
from errands.grading.compare.money import same_money
from errands.grading.compare.numbers import same_number
from errands.grading.compare.percents import same_percent
from errands.grading.compare.phones import same_phone
from errands.grading.compare.quantities import quantity, same_quantity
from errands.grading.compare.sets import same_set
from errands.grading.compare.texts import (
    find_money,
    mentions_phrase,
    single_choice,
    states_date,
    states_email,
    states_id,
    states_money,
    states_time,
)
from errands.grading.compare.times import same_datetime, same_time

SEEDED = settings(derandomize=True, deadline=None)
LETTERS = string.ascii_letters + "éßЖ가漢กب"
DIGITS = string.digits + "０５٠٥۵๕"
EXTRAS = LETTERS + DIGITS
PLACE = one_of_words(
    {
        "not evidenced": "not-evidenced",
        "근거 없음": "not-evidenced",
        "証拠なし": "not-evidenced",
        "blank": "blank",
    }
)
OCT_21 = int(datetime(2026, 10, 21, 6, 30, tzinfo=UTC).timestamp() * 1000)


# ---- fields: the other markets, codes ----------------------------------------------------------------------

Same = Callable[[Any], bool]
FIELDS: dict[str, tuple[Same, list[str]]] = {
    "code": (
        lambda v: one_of("accept", "no-show", "needs-action")(v) == "no-show",
        ["no-show", "No Show", "NO_SHOW", " no - show ", "ｎｏ－ｓｈｏｗ"],
    ),
    "code in words": (
        lambda v: PLACE(v) == "not-evidenced",
        ["not evidenced", "Not-Evidenced", "근거 없음", "証拠なし", "not_evidenced"],
    ),
    "dirham": (
        lambda v: same_money(v, Money(125050, "AED")),
        ["AED 1,250.50", "1,250.50 درهم", "١٬٢٥٠٫٥٠ درهم", "Dhs 1,250.50", "1,250.50"],
    ),
    "baht": (
        lambda v: same_money(v, Money(12900, "THB")),
        ["฿129.00", "129.00 บาท", "๑๒๙.๐๐ บาท", "THB 129.00"],
    ),
    "new dollar": (
        lambda v: same_money(v, Money(128000, "TWD")),
        ["NT$1,280.00", "NT$1,280元", "新臺幣1,280元", "新臺幣壹仟貳佰捌拾元整"],
    ),
    "dinar": (lambda v: same_money(v, Money(1250, "KWD")), ["1.250 KD", "KWD 1.250", "1.250"]),
    "share": (lambda v: same_percent(v, Decimal(30)), ["30%", "3割", "三成", "ร้อยละ 30", "٣٠٪", "30퍼센트"]),
    "people": (
        lambda v: same_quantity(v, quantity(3, "pax")),
        ["3 pax", "3명", "세 명", "三名", "3人", "สามคน", "٣ أشخاص"],
    ),
    "weight": (
        lambda v: same_quantity(v, quantity("2.5", "kg")),
        ["2.5 kgs", "2.5公斤", "2.5 กก.", "2,500 g", "٢٫٥ كغ"],
    ),
    "era": (
        lambda v: same_date(v, date(2026, 10, 21)),
        [
            "令和8年10月21日", "R8.10.21", "民國115年10月21日", "21 ตุลาคม พ.ศ. 2569", "٢١ أكتوبر ٢٠٢٦",
            "2026년 10월 21일",
        ],
    ),
    "evening": (
        lambda v: same_time(v, time(18, 30)),
        ["18:30", "06.30pm", "오후 6시 30분", "午後6時30分", "晚上六點半", "18.30 น.", "٠٦:٣٠ مساءً"],
    ),
    "instant": (
        lambda v: same_datetime(v, OCT_21, "Asia/Tokyo"),
        [
            "2026-10-21T15:30", "2026-10-21T06:30Z", "2026年10月21日(水)15:30", "21 Oct 2026 10:30 GST",
            "21/10/2026 15:30",
        ],
    ),
    "phone kr": (lambda v: same_phone(v, "010-1234-5678", "kr"), ["010-1234-5678", "+82 10-1234-5678"]),
    "phone jp": (lambda v: same_phone(v, "03-1234-5678", "jp"), ["03-1234-5678", "（03）1234-5678", "+81 3 1234 5678"]),
    "phone tw": (lambda v: same_phone(v, "0912-345-678", "tw"), ["0912-345-678", "+886 912 345 678"]),
    "phone th": (lambda v: same_phone(v, "081 234 5678", "th"), ["081-234-5678", "๐๘๑ ๒๓๔ ๕๖๗๘", "+66 81 234 5678"]),
    "phone ae": (lambda v: same_phone(v, "050 123 4567", "ae"), ["050 123 4567", "٠٥٠١٢٣٤٥٦٧", "+971 50 123 4567"]),
    "address tw": (
        lambda v: same_address(v, "106 臺北市大安區青禾街37巷12弄5號4樓之2", "tw"),
        ["106 臺北市大安區青禾街37巷12弄5號4樓之2", "106台北市大安區青禾街37巷12弄5號4樓-2"],
    ),
    "address jp": (
        lambda v: same_address(v, "〒150-0001 東京都渋谷区青葉台1丁目2番3号 コーポ青葉201号室", "jp"),
        [
            "〒150-0001 東京都渋谷区青葉台1丁目2番3号 コーポ青葉201号室",
            "150-0001 東京都渋谷区青葉台1-2-3 コーポ青葉201号室",
        ],
    ),
    "list of days": (
        lambda v: same_list(v, [date(2026, 10, 21), date(2026, 10, 23)], lambda x: read_date(x)),
        ["2026-10-21, 2026-10-23", "- 21 Oct 2026\n- 23 Oct 2026", '["2026-10-21", "2026-10-23"]'],
    ),
    "set of people": (
        lambda v: same_set(v, {"a.tan@kenari.example", "mori@tide.example"}, read_email),
        ["a.tan@kenari.example, mori@tide.example", "- mori@tide.example\n- A.Tan@kenari.example"],
    ),
}  # fmt: skip
WRITTEN = [(name, text) for name, (_, texts) in FIELDS.items() for text in texts]


@pytest.mark.parametrize(("name", "text"), WRITTEN)
def test_usual_ways_pass(name, text):
    assert FIELDS[name][0](text) and FIELDS[name][0](
        f"\ufeff {text}\u200b\r\n" if text[0] != "[" else f" {text}\r\n"
    )


@pytest.mark.parametrize(("name", "text"), WRITTEN)
def test_one_character_more_is_another_value(name, text):
    same = FIELDS[name][0]
    for extra in EXTRAS:
        assert not same(text + extra), text + extra
        assert not same(extra + text), extra + text


JUNK = [None, math.nan, math.inf, -math.inf, "", " ", "\u200b", [], {}, (), True, False, b"", [None], {"": None},
        "null", "NaN", "None", "Infinity", "true", "-", "[]", "{}", object(), -1, 10**30, "\x00"]  # fmt: skip


@pytest.mark.parametrize("name", FIELDS)
def test_what_is_nothing_is_no_value(name):
    for junk in JUNK:
        assert not FIELDS[name][0](junk), junk


@pytest.mark.parametrize(("name", "text"), WRITTEN)
def test_two_candidates_are_none(name, text):
    other = FIELDS[name][1][0]
    for joint in (", ", " or ", " / ", "\n", "; ", " and "):
        for second in (other.translate(str.maketrans("123", "787")), "blank", "accept"):
            if second != text:
                assert not FIELDS[name][0](f"{text}{joint}{second}"), (text, joint, second)
                assert not FIELDS[name][0](f"{second}{joint}{text}"), (second, joint, text)


def test_codes_that_are_read_alike_are_refused():
    with pytest.raises(ValueError, match="means"):
        one_of_words({"no-show": "absent", "No Show": "excused"})


# ---- facts in prose ------------------------------------------------------------------------------------------

PROSE: dict[str, tuple[Callable[[str], bool], list[str]]] = {
    "id": (lambda t: states_id(t, "INV-10001", r"INV-\d{5}"), ["INV-10001"]),
    "email": (lambda t: states_email(t, "a.tan@kenari.example"), ["a.tan@kenari.example", "A.Tan@Kenari.example"]),
    "money": (
        lambda t: states_money(t, Money(125000, "SGD")),
        ["S$1,250.00", "SGD 1,250.00", "1,250.00 SGD", "S$ 1,250"],
    ),
    "date": (
        lambda t: states_date(t, date(2026, 10, 21), "DMY"),
        ["2026-10-21", "21 October 2026", "October 21, 2026", "21/10/2026", "2026年10月21日", "21 ตุลาคม 2569"],
    ),
    "time": (
        lambda t: states_time(t, OCT_21, "Asia/Tokyo", reference=date(2026, 10, 1)),
        ["2026-10-21 15:30", "21 Oct 2026, 15:30", "2026年10月21日 15:30"],
    ),
    "choice": (
        lambda t: single_choice(t, ["Kapok Inn", "Hotel Lumière"]) == "Kapok Inn",
        ["Kapok Inn", "KAPOK INN"],
    ),
    "phrase": (lambda t: mentions_phrase(t, "CG-14"), ["CG-14"]),
}  # fmt: skip
FACTS = [(name, text) for name, (_, texts) in PROSE.items() for text in texts]
#: Scripts that are written without spaces, and letters that no date or time has beside it.
BESIDE = "가漢กب"
FOREIGN = "éßЖ"


def beside(name: str, text: str) -> tuple[str, str]:
    """The characters that make another value of a fact, before it and behind it."""
    plain = "".join(
        c for c in EXTRAS if c not in BESIDE and (name not in ("date", "time") or c not in FOREIGN)
    )
    if "日" not in text:
        return plain, plain
    # Between 日 and what follows, and before a year of four digits, no space is needed: `21日15時`, `A社2026年`.
    return DIGITS, "" if text.endswith("日") else plain


@pytest.mark.parametrize(("name", "text"), FACTS)
def test_a_fact_is_stated_among_other_words(name, text):
    states = PROSE[name][0]
    for sentence in ("{}", "It is {}.", "({})", "→ {}", "結果：{}。", "**{}**"):
        assert states(sentence.format(text)), sentence


@pytest.mark.parametrize(("name", "text"), FACTS)
def test_a_fact_is_not_stated_inside_a_longer_one(name, text):
    states = PROSE[name][0]
    before, behind = beside(name, text)
    for longer in [*(c + text for c in before), *(text + c for c in behind)]:
        assert not states(f"It is {longer}.") and not states(longer), longer


EVERY = [
    ("INV-10001", "INV-10002"), ("a.tan@kenari.example", "b.tan@kenari.example"), ("S$1,250.00", "S$1,300.00"),
    ("1,250.00 SGD", "1,300.00 SGD"), ("21 October 2026", "22 October 2026"),
    ("21 Oct 2026 15:30", "22 Oct 2026 15:30"), ("Kapok Inn", "Hotel Lumière"),
]  # fmt: skip


@pytest.mark.parametrize("joint", [" ", ", ", " or ", "\n", " / ", "; "])
@pytest.mark.parametrize("pair", EVERY, ids=lambda p: p[0])
def test_a_list_of_candidates_states_nothing(pair, joint):
    for one, two in (pair, pair[::-1]):
        said = f"It is {one}{joint}{two}."
        assert not any(states(said) for name, (states, _) in PROSE.items() if name != "phrase"), said


def test_amounts_side_by_side_keep_their_own_marks():
    """One mark was taken for two amounts, and the second amount was not seen."""
    for text, values in (
        ("S$10 S$100", ["SGD 10.00", "SGD 100.00"]), ("10 SGD 100 SGD", ["SGD 10.00", "SGD 100.00"]),
        ("SGD 5 USD 6", ["SGD 5.00", "USD 6.00"]), ("5 USD 6 SGD", ["USD 5.00", "SGD 6.00"]),
        ("S$5m or S$6", ["None", "SGD 6.00"]), ("每人1,250元2人同行", ["SGD 1,250.00"]), ("S$5 SGD", ["SGD 5.00"]),
        ("1,000円2枚", ["JPY 1,000"]), ("S$1,250입니다", ["SGD 1,250.00"]),
    ):  # fmt: skip
        assert [str(one.value) for one in find_money(text, "SGD")] == values, text


def test_bare_numbers_with_a_digit_more():
    for n in (0, 7, 10, 1250):
        for d in range(10):
            assert not same_number(f"{n}{d}", n) or (n == 0 == d)
            assert not same_number(f"{d or 1}{n}", n)
