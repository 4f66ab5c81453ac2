"""Every normal way of writing a value is read; what is not one value of the type is refused."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal

import pytest

from errands.core.money import MixedCurrencies, Money, total
from errands.grading.compare.addresses import same_address
from errands.grading.compare.dates import Order, read_date
from errands.grading.compare.emails import read_email
from errands.grading.compare.ids import same_id
from errands.grading.compare.lists import items, same_list
from errands.grading.compare.money import read_money, same_money
from errands.grading.compare.numbers import read_number
from errands.grading.compare.numerals import han
from errands.grading.compare.percents import read_percent
from errands.grading.compare.phones import same_phone
from errands.grading.compare.quantities import quantity, read_quantity, same_quantity
from errands.grading.compare.sets import same_set
from errands.grading.compare.times import read_datetime, read_time, same_datetime

START = date(2026, 11, 1)


def read_int(value: object) -> int | None:
    number = read_number(value)
    return int(number) if number is not None and number == int(number) else None


@pytest.mark.parametrize(
    ("text", "code", "minor"),
    [
        ("S$1,250.00", "SGD", 125000), ("SGD 1250", "SGD", 125000), ("1,250", "SGD", 125000),
        ("$1,250", "SGD", 125000),
        ("1.2k", "SGD", 120000), ("$1.2k", "SGD", 120000), ("１，２５０円", "JPY", 1250),
        ("￥1,980", "JPY", 1980),
        ("١٬٢٥٠٫٥٠ درهم", "AED", 125050), ("45 د.إ", "AED", 4500), ("45 درهمًا", "AED", 4500),
        ("Dhs 45", "AED", 4500),
        ("3만 5천원", "KRW", 35000), ("3만5천 원", "KRW", 35000), ("₩35,000", "KRW", 35000),
        ("1억 2,000만원", "KRW", 120000000),
        ("금 일백이십삼만사천오백육십원정", "KRW", 1234560), ("1.2万円", "JPY", 12000),
        ("1万2,000円", "JPY", 12000),
        ("金120,000円也", "JPY", 120000), ("壱拾弐万円", "JPY", 120000), ("▲120,000", "JPY", -120000),
        ("新臺幣壹仟貳佰捌拾元整", "TWD", 128000), ("NT$1,280元", "TWD", 128000), ("3.5萬", "TWD", 3500000),
        ("129.-", "THB", 12900), ("฿129", "THB", 12900), ("๑๒๙ บาท", "THB", 12900),
        ("1.5 หมื่น", "THB", 1500000),
        ("1.250,00", "EUR", 125000), ("1 250.00", "EUR", 125000), ("(5.00)", "SGD", -500),
        ("-S$5", "SGD", -500),
        ("1.250 KD", "KWD", 1250), ("  'S$5' ", "SGD", 500), ("\u2067٤٥ درهم\u2069", "AED", 4500),
        ("1,980.00", "JPY", 1980),
    ],
)  # fmt: skip
def test_money_is_read(text: str, code: str, minor: int) -> None:
    assert read_money(text, code) == Money(minor, code)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("1.250", "SGD"), ("1,25", "SGD"), ("1,0", "SGD"), ("1,25,000", "SGD"), ("S$1,250.000", "SGD"),
        ("01,250", "SGD"),
        ("10²", "SGD"), ("$10", "JPY"), ("S$1,250 or S$1,300", "SGD"), ("S$10, S$20", "SGD"),
        ("about S$10", "SGD"),
        ("一千二", "TWD"), ("三百五", "TWD"), ("1e5", "JPY"), ("0x10", "JPY"), ("nan", "JPY"),
        ("Infinity", "JPY"),
        ("", "SGD"), ("-", "SGD"), ("S$", "SGD"), ("(5", "SGD"), ("-(5)", "SGD"), ("5 apples", "SGD"),
        ("1.2m", "SGD"),
        ("0.5", "JPY"), ("½", "SGD"), ("1_000", "SGD"),
    ],
)  # fmt: skip
def test_money_is_refused(text: str, code: str) -> None:
    assert read_money(text, code) is None


def test_money_from_json() -> None:
    assert read_money(12.5, "SGD") == read_money(Decimal("12.50"), "SGD") == Money(1250, "SGD")
    assert read_money(12, "SGD") == Money(1200, "SGD")
    assert read_money({"amount": "1,250", "currency": "SGD"}) == Money(125000, "SGD")
    assert read_money({"minor": 125000, "currency": "SGD"}) == Money(125000, "SGD")
    assert read_money(0.1 + 0.2, "SGD") is None
    assert read_money(True, "SGD") is None
    assert read_money(5) is None
    assert not same_money("USD 10", Money(1000, "SGD"))


def test_money_arithmetic() -> None:
    bill = [Money(1835, "SGD"), Money(1185, "SGD")]
    assert total(bill, "SGD") == Money(3020, "SGD") == Money.of(Decimal("30.20"), "SGD")
    assert Money(5, "JPY") * 3 - Money(1, "JPY") == -Money(-14, "JPY")
    assert str(Money(125000, "SGD")) == "SGD 1,250.00"
    assert str(Money(1250, "KWD")) == "KWD 1.250"
    assert str(Money(1980, "JPY")) == "JPY 1,980"
    with pytest.raises(MixedCurrencies):
        Money(1, "SGD") + Money(1, "USD")
    for wrong in (1.0, True, "1"):
        with pytest.raises(TypeError):
            Money(wrong, "SGD")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="decimals"):
        Money.of(Decimal("1.005"), "SGD")
    with pytest.raises(TypeError):
        Money(1, "SGD") * 1.5  # type: ignore[operator]


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("2026-11-12", "DMY"), ("12 Nov 2026", "DMY"), ("Nov 12, 2026", "DMY"), ("Thu, 12 Nov", "DMY"),
        ("12/11/2026", "DMY"),
        ("12/11/26", "DMY"), ("11/12/2026", "MDY"), ("12-Nov-2026", "DMY"),
        ("12th of November 2026", "DMY"),
        ("Thursday, November 12, 2026", "MDY"), ("12 Nov 2026 (Thu)", "DMY"), ("20261112", "DMY"),
        ("12.11.2026", "DMY"),
        ("2026年11月12日", "YMD"), ("2026年11月12日(木)", "YMD"), ("令和8年11月12日", "YMD"),
        ("R8.11.12", "YMD"),
        ("二〇二六年十一月十二日", "YMD"), ("民國115年11月12日", "YMD"), ("115年11月12日", "YMD"),
        ("115.11.12", "YMD"),
        ("115/11/12", "YMD"), ("11月12日（四）", "YMD"), ("11/12(목)", "YMD"), ("2026/11/12（木）", "YMD"),
        ("26.11.12", "YMD"),
        ("2026년 11월 12일", "YMD"), ("2026. 11. 12.", "YMD"), ("11월 12일 목요일", "YMD"),
        ("12 พฤศจิกายน 2569", "DMY"), ("12 พ.ย. 69", "DMY"), ("วันพฤหัสบดีที่ 12 พฤศจิกายน พ.ศ. 2569", "DMY"),
        ("๑๒ พฤศจิกายน ๒๕๖๙", "DMY"), ("12/11/2569", "DMY"), ("พฤ. 12 พ.ย. 69", "DMY"),
        ("الخميس 12 نوفمبر 2026", "DMY"), ("١٢ نوفمبر ٢٠٢٦", "DMY"), ("١٢/١١/٢٠٢٦", "DMY"),
        ("２０２６－１１－１２", "DMY"),
    ],
)  # fmt: skip
def test_dates_are_read(text: str, order: Order) -> None:
    assert read_date(text, order, START) == date(2026, 11, 12)


@pytest.mark.parametrize(
    "text",
    [
        "Wed, 12 Nov 2026", "12 Nov 2026 Fri", "12 Nov 2026, 13 Nov 2026", "12-13 Nov 2026", "31/11/2026",
        "29 Feb 2026",
        "12 Nov 20261", "112 Nov 2026", "x12 Nov 2026", "12 Nov 2026x", "next Friday", "soon", "", "2026",
        "平成40年1月1日",
        "12/11/2026 or later", "INV-2026-11-12",
    ],
)  # fmt: skip
def test_dates_are_refused(text: str) -> None:
    assert read_date(text, "DMY", START) is None


def test_date_corners() -> None:
    assert read_date("03/09/2026", "YMD") is None  # day first or month first: two meanings
    assert read_date("25/09/2026", "YMD") == date(2026, 9, 25)
    assert read_date("12 Nov") is None  # no year, nothing to take it from
    assert read_date("5 Jan", "DMY", date(2026, 12, 20)) == date(2027, 1, 5)
    assert read_date("令和元年5月1日") == date(2019, 5, 1)
    assert read_date(datetime(2026, 11, 12)) == date(2026, 11, 12)
    assert read_date(datetime(2026, 11, 12, 9)) is None


@pytest.mark.parametrize(
    "text",
    [
        "3.30pm", "3:30pm", "3:30 PM", "3:30 p.m.", "15:30", "15.30", "1530", "1530hrs", "15:30:00",
        "오후 3시 30분",
        "오후 3:30", "오후 세 시 반", "午後3時半", "午後3時30分", "15時30分", "下午3點半", "下午三點半",
        "下午3:30", "下午三點三十分",
        "บ่าย 3 โมงครึ่ง", "บ่ายสามโมงครึ่ง", "15.30 น.", "๑๕.๓๐ น.", "เวลา 15.30 น.", "٣:٣٠ م", "3:30 مساءً",
        "１５：３０",
    ],
)  # fmt: skip
def test_times_are_read(text: str) -> None:
    assert read_time(text) == time(15, 30)


@pytest.mark.parametrize(
    ("text", "hour", "minute"),
    [
        ("noon", 12, 0), ("12nn", 12, 0), ("12 noon", 12, 0), ("正午", 12, 0), ("정오", 12, 0),
        ("เที่ยงครึ่ง", 12, 30),
        ("12am", 0, 0), ("12.15pm", 12, 15), ("午後0時30分", 12, 30), ("หนึ่งทุ่ม", 19, 0), ("สี่โมงเย็น", 16, 0),
        ("ตีสอง", 2, 0),
        ("8 โมงเช้า", 8, 0), ("晚上六點半", 18, 30), ("中午十二點半", 12, 30), ("새벽 1시", 1, 0),
        ("下午三點一刻", 15, 15),
    ],
)  # fmt: skip
def test_spoken_hours(text: str, hour: int, minute: int) -> None:
    assert read_time(text) == time(hour, minute)


@pytest.mark.parametrize(
    "text",
    [
        "午後12時",
        "밤 12시",
        "24:00",
        "25:00",
        "3:60",
        "13:30pm",
        "3.30pm and 4pm",
        "3-4pm",
        "x3:30pm",
        "3:30pmx",
        "3",
        "",
        "now",
    ],
)
def test_times_are_refused(text: str) -> None:
    assert read_time(text) is None


HALF_PAST_FOUR = int(datetime(2026, 11, 5, 8, 30, tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-05T16:30", "2026-11-05T16:30:00+08:00", "2026-11-05T08:30Z", "2026-11-05T03:30-05:00",
        "20261105T083000Z",
        "2026-11-05 16:30", "Thu, 5 Nov 4.30pm", "4.30pm on Thu, 5 Nov", "5 Nov 2026, 1630hrs",
        "5/11/2026 16:30",
        "5 Nov 2026 4.30pm SGT", "5 Nov 2026 5.30pm JST", "5 Nov 2026 5:30 pm (GMT+9)",
        "5 Nov 2026 12:30 GST",
        "5 Nov 2026 16:30 Asia/Singapore", "4.30pm Singapore time, 5 Nov 2026", "2026年11月5日 午後4時30分",
        "2026年11月5日(木)16:30", "11月5日（四）下午四點半", "2026년 11월 5일(목) 오후 4시 30분",
        "5 พ.ย. 2569 เวลา 16.30 น.",
        "الخميس 5 نوفمبر 2026 الساعة 4:30 م", "2026年11月5日 日本時間17:30",
    ],
)  # fmt: skip
def test_instants_are_read(text: str) -> None:
    assert same_datetime(text, HALF_PAST_FOUR, "Asia/Singapore", "DMY")


@pytest.mark.parametrize(
    "text",
    [
        "5 Nov 2026 5:30 pm CST", "5 Nov 2026 16:30-17:30", "2026-11-05 09:00-10:00",
        "Wed, 5 Nov 2026 4.30pm", "5 Nov 2026",
        "16:30", "5 Nov 2026 at 4.30pm and 5pm", "2026-11-05T16:301", "2026-11-05T16:30+8",
        "2026-13-05T16:30",
    ],
)  # fmt: skip
def test_instants_are_refused(text: str) -> None:
    assert read_datetime(text, "Asia/Singapore", "DMY", START) is None


def test_ends_of_the_calendar() -> None:
    for text in ("9999-12-31T24:00", "0001-01-01T00:00", "9999-12-31T23:59-12:00", "99991231T250000"):
        assert read_datetime(text, "Asia/Singapore") is None, text


def test_clock_changes() -> None:
    assert read_datetime("2026-03-08 02:30", "America/New_York") is None  # skipped
    fold = read_datetime("2026-11-01 01:30", "America/New_York")  # shown twice: the first
    assert fold is not None
    assert datetime.fromtimestamp(fold.ms / 1000, UTC).hour == 5
    end = read_datetime("5 Nov 2026 24:00", "Asia/Singapore")
    assert end == read_datetime("6 Nov 2026 00:00", "Asia/Singapore")


def test_phones() -> None:
    for text in (
        "9123 4567",
        "+65 9123 4567",
        "6591234567",
        "0065-9123-4567",
        "tel:+6591234567",
        "９１２３４５６７",
        91234567,
    ):
        assert same_phone(text, "+65 9123 4567", "sg"), text
    for text in ("٠٥٠١٢٣٤٥٦٧", "00971501234567", "050-1234567"):
        assert same_phone(text, "+971501234567", "ae"), text
    for text in ("010-0123-4567", "+82-10-0123-4567", "+82 (0)10 0123 4567", "01001234567", 1001234567):
        assert same_phone(text, "010-0123-4567", "kr"), text
    assert same_phone("０３－１２３４－５６７８", "(03)1234-5678", "jp")
    for text in (
        "+971 050 1234567",
        "501234567",
        "050 123 4567 ext 2",
        "0501234567/0507654321",
        "+971 50 123 456",
    ):
        assert not same_phone(text, "+971501234567", "ae"), text
    with pytest.raises(ValueError, match="cannot be read"):
        same_phone("1", "1", "sg")


@pytest.mark.parametrize(
    ("country", "expected", "given"),
    [
        (
            "sg",
            "Blk 978 Tampines Street 98 #11-207, Singapore 520978",
            "978 Tampines St 98\n#11-207\nS(520978)",
        ),
        (
            "sg",
            "18 Jalan Kembang Raya, The Saffron Verge Tower 2 #23-05, Singapore 437218",
            "The Saffron Verge Tower 2, 18 Jln Kembang Raya, #23-05, S437218",
        ),
        ("tw", "106 臺北市大安區青禾街37巷12弄5號4樓之2", "台北市大安區青禾街37巷12弄5號4樓-2"),
        ("tw", "505 彰化縣鹿港鎮海耕路67號之3", "505彰化縣鹿港鎮海耕路67-3號"),
        ("tw", "220 新北市板橋區望溪路二段188號15樓", "新北市板橋區望溪路2段188號15樓"),
        (
            "jp",
            "〒150-0001 東京都渋谷区青葉台1丁目2番3号 コーポ青葉201号室",
            "１５０－０００１ 東京都渋谷区青葉台１－２－３ コーポ青葉 201号室",
        ),
        (
            "kr",
            "03900 서울특별시 마포구 월드컵로 123, 101동 1203호",
            "서울 마포구 월드컵로123 101동 1203호 (상암동)",
        ),
        (
            "th",
            "99/12 หมู่ 8 หมู่บ้านลำพูทอง ตำบลบางแก้ว อำเภอบางพลี จังหวัดสมุทรปราการ 10540",
            "99/12 ม.8 หมู่บ้านลำพูทอง ต.บางแก้ว อ.บางพลี จ.สมุทรปราการ 10540",
        ),
        (
            "ae",
            "Flat 1203, Al Noor Tower, Al Wasl Rd, Dubai",
            "Al Noor Tower, Apartment 1203, Al Wasl Road, Dubai, UAE",
        ),
    ],
)
def test_addresses_agree(country: str, expected: str, given: str) -> None:
    assert same_address(given, expected, country)


@pytest.mark.parametrize(
    "given",
    [
        "978 Tampines St 98 #11-208 S520978", "978 Tampines St 98 #11-207 S520979",
        "978 Tampines Ave 98 #11-207 S520978",
        "98 Tampines St 978 #11-207 S520978", "978 Tampines St 98 #11-207", "978 Tampines St 98 S520978",
        "978 Tampines St 98 #11-207 #12-207 S520978", "978 Tampines St 98 #11-207 S520978 S520979",
        "#11-207 S520978",
    ],
)  # fmt: skip
def test_addresses_differ(given: str) -> None:
    assert not same_address(given, "Blk 978 Tampines Street 98 #11-207, Singapore 520978", "sg")


def test_quantities() -> None:
    for text in ("2.5 kg", "2.5kg", "2500g", "2,500 g", "2.5公斤", "２．５ｋｇ", "2.5 กก."):
        assert same_quantity(text, quantity("2.5", "kg")), text
    for value in ("3명", "3 pax", "세 명", "三名", "3人", "3 คน", "สามคน", "٣ أشخاص", 3, 3.0):
        assert same_quantity(value, quantity(3, "pax")), value
    assert same_quantity("2.5", quantity("2.5", "kg"), unit="kg")
    assert same_quantity("5kWh", quantity(5, "kWh"))
    assert read_quantity("30분", "min") == quantity(30, "min")
    assert read_quantity("3분", "pax") == quantity(3, "pax")
    for text in ("2.5 kgx", "x2.5 kg", "2.5 kg 3 kg", "2-3 kg", "kg", "02.5 kg", "3분"):
        assert read_quantity(text) is None, text


def test_percents_and_numbers() -> None:
    for text in ("9%", "9 %", "9 percent", "９％", "٩٪", "ร้อยละ 9", "9퍼센트", "9パーセント", "9", 9, 9.0):
        assert read_percent(text) == 9, text
    assert read_percent("3割") == read_percent("三成") == 30
    assert read_percent("0.09") != 9
    for text in ("9%%", "%9", "9x", "9% or 10%"):
        assert read_percent(text) is None, text
    assert read_number("1,234.5") == Decimal("1234.5")
    assert read_number("-٣") == -3
    assert [han(text) for text in ("一百零五", "十", "二十三", "一万二千", "천", "二〇二六")] == [
        105,
        10,
        23,
        12000,
        1000,
        2026,
    ]


def test_ids_and_emails() -> None:
    assert same_id(' "<INV-12345>" ', "INV-12345")
    assert same_id("ＩＮＶ-12345", "INV-12345")
    assert same_id(12345, "12345")
    for other in (
        "inv-12345",
        "INV-123456",
        "INV-12345 INV-12346",
        "INV-12345,INV-12346",
        "INV-12345.",
        "",
        None,
        12345.0,
    ):
        assert not same_id(other, "INV-12345"), other
    assert read_email("Tan Wei Ling <Wei.Ling@Larkspur.example>") == "wei.ling@larkspur.example"
    for wrong in ("a@b.co, c@d.co", "a@b", "a b@c.co", "a@b.co.", "@b.co"):
        assert read_email(wrong) is None, wrong


def test_lists_and_sets() -> None:
    for text in (
        "1. 3\n2. 1\n3. 2",
        "3, 1, 2",
        "3;1;2",
        "3、1、2",
        "٣، ١، ٢",
        "[3, 1, 2]",
        "- 3\n- 1\n- 2",
        [3, 1, 2],
        ["3", "1", 2],
    ):
        assert same_list(text, [3, 1, 2], read_int), text
        assert not same_list(text, [1, 2, 3], read_int)
        assert same_set(text, {1, 2, 3}, read_int)
        assert not same_set(text, {1, 2}, read_int)
        assert not same_set(text, {1, 2, 3, 4}, read_int)
    assert items("S$1,250, S$1,300") == ["S$1,250", "S$1,300"]
    assert not same_set("1, 2, 2", {1, 2}, read_int)
    assert not same_set("1, 2, x", {1, 2}, read_int)
    with pytest.raises(ValueError, match="code of its own"):
        same_set("", set(), read_int)
