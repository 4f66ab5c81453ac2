"""Units and counters: each written form, the base unit it belongs to, and how many of that it is."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple


class Unit(NamedTuple):
    base: str
    times: Decimal


def _measure(base: str, forms: dict[str, str]) -> dict[str, Unit]:
    """`forms` is how many base units, and the spellings (an underscore is a space)."""
    return {
        word.replace("_", " "): Unit(base, Decimal(times))
        for times, words in forms.items()
        for word in words.split()
    }


def _count(**counters: str) -> dict[str, Unit]:
    one = Decimal(1)
    return {word: Unit(base, one) for base, words in counters.items() for word in words.split()}


UNITS: dict[str, Unit] = {
    **_measure("g", {
        "0.001": "mg",
        "1": "g gram grams 그램 グラム 公克 克 กรัม غرام جرام",
        "600": "catty 台斤 근",
        "1000": "kg kgs kilo kilos kilogram kilograms 킬로 킬로그램 キロ 公斤 กก. กก กิโล กิโลกรัม "
        "كغ كجم كيلو كيلوغرام",
        "1000000": "t ton tons tonne tonnes 톤 トン 公噸 ตัน طن",
    }),
    **_measure("m", {
        "0.001": "mm",
        "0.01": "cm 公分 センチ ซม. ซม سم",
        "1": "m metre metres meter meters 미터 メートル 公尺 เมตร متر",
        "1000": "km kms kilometre kilometres kilometer kilometers 킬로미터 キロメートル 公里 กม. กม "
        "กิโลเมตร كم",
    }),
    **_measure("l", {
        "0.001": "ml 毫升 มล. มล مل",
        "1": "l litre litres liter liters 리터 リットル 公升 ลิตร لتر",
    }),
    **_measure("m2", {"1": "m2 m^2 sqm sq_m 제곱미터 平方公尺 ตร.ม. ตร.ม"}),
    **_measure("sqft", {"1": "sqft sq_ft sf"}),
    **_measure("kWh", {"1": "kwh 度 หน่วย"}),
    **_measure("byte", {"1000000": "mb", "1000000000": "gb", "1000000000000": "tb"}),
    **_measure("min", {
        "1": "min mins minute minutes 분간 分 分鐘 分間 นาที دقيقة دقائق",
        "60": "h hr hrs hour hours 시간 時間 小時 ชั่วโมง ชม. ساعة ساعات",
    }),
    **_measure("day", {
        "1": "day days 일 일간 日 日間 天 วัน يوم أيام ايام",
        "7": "week weeks wk wks 주 주일 週 週間 星期 สัปดาห์ أسبوع اسبوع أسابيع",
    }),
    **_measure("month", {
        "1": "month months mth mths 개월 か月 ヶ月 カ月 個月 เดือน شهر أشهر شهور",
        "12": "year years 년 年 ปี سنة سنوات",
    }),
    **_count(
        person="pax person persons people 명 인 人 名 位 名様 คน ท่าน شخص أشخاص اشخاص",
        piece="pc pcs piece pieces nos nos. ea unit units item items 개 個 个 件 顆 ชิ้น อัน قطعة قطع حبة حبات",
        long="本 支 자루",
        sheet="sheet sheets 장 枚 張 แผ่น ورقة",
        night="night nights 박 泊 晚 คืน ليلة ليال ليالي",
        bottle="bottle bottles btl 병 瓶 ขวด زجاجة",
        box="box boxes 상자 박스 箱 盒 กล่อง علبة صندوق",
        pack="pack packs pkt pkts packet packets 팩 봉지 包 袋 แพ็ก แพ็ค ห่อ",
        book="book books 권 冊 本書 เล่ม كتاب",
        cup="cup cups 잔 杯 แก้ว كوب",
        machine="대 台 臺 เครื่อง คัน",
        room="room rooms 실 室 間 ห้อง غرفة غرف",
        portion="portion portions serving servings 인분 人前 份 ที่",
        time="time times 회 번 回 次 ครั้ง مرة مرات",
        seat="seat seats 석 席 座位 ที่นั่ง مقعد",
    ),
}  # fmt: skip
#: Written forms that belong to two things; the expected unit decides.
SHARED: dict[str, tuple[Unit, ...]] = {"분": (Unit("min", Decimal(1)), Unit("person", Decimal(1)))}


def meanings(word: str) -> tuple[Unit, ...]:
    """What a written unit may mean. Capitals do not count."""
    unit = UNITS.get(word.casefold())
    return (unit,) if unit else SHARED.get(word, ())
