"""Names of months, weekdays and eras in the languages of the six markets, and in Malay."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from errands.grading.compare.folding import fold

_MONTH_ROWS = """
january jan januari | february feb februari | march mar mac | april apr | may mei | june jun | july jul julai
august aug ogos | september sept sep | october oct oktober | november nov | december dec disember
"""
_THAI_MONTHS = """
มกราคม ม.ค. ม.ค | กุมภาพันธ์ ก.พ. ก.พ | มีนาคม มี.ค. มี.ค | เมษายน เม.ย. เม.ย | พฤษภาคม พ.ค. พ.ค | มิถุนายน มิ.ย. มิ.ย
กรกฎาคม ก.ค. ก.ค | สิงหาคม ส.ค. ส.ค | กันยายน ก.ย. ก.ย | ตุลาคม ต.ค. ต.ค | พฤศจิกายน พ.ย. พ.ย | ธันวาคม ธ.ค. ธ.ค
"""
_ARABIC_MONTHS = """
يناير | فبراير | مارس | أبريل ابريل إبريل | مايو | يونيو يونيه | يوليو يوليه
أغسطس اغسطس | سبتمبر | أكتوبر اكتوبر | نوفمبر | ديسمبر
"""


def _rows(*blocks: str) -> dict[str, int]:
    """Every spelling of the n-th cell, folded, to n (from 1)."""
    table: dict[str, int] = {}
    for block in blocks:
        cells = block.strip().replace("\n", " | ").split("|")
        table.update({fold(word): n for n, cell in enumerate(cells, 1) for word in cell.split()})
    return table


ENGLISH_MONTHS = _rows(_MONTH_ROWS)
OTHER_MONTHS = _rows(_THAI_MONTHS, _ARABIC_MONTHS)
THAI_MONTHS = frozenset(_rows(_THAI_MONTHS))
MONTHS = ENGLISH_MONTHS | OTHER_MONTHS

#: Weekdays, Monday = 0, in forms that are clear on their own.
WEEKDAYS: dict[str, int] = {
    word: n - 1
    for word, n in _rows(
        "monday mon isnin | tuesday tues tue selasa | wednesday wed rabu | thursday thurs thur thu khamis"
        "| friday fri jumaat | saturday sat sabtu | sunday sun ahad",
        "월요일 | 화요일 | 수요일 | 목요일 | 금요일 | 토요일 | 일요일",
        "月曜日 月曜 | 火曜日 火曜 | 水曜日 水曜 | 木曜日 木曜 | 金曜日 金曜 | 土曜日 土曜 | 日曜日 日曜",
        "星期一 週一 周一 禮拜一 | 星期二 週二 周二 禮拜二 | 星期三 週三 周三 禮拜三"
        "| 星期四 週四 周四 禮拜四 | 星期五 週五 周五 禮拜五 | 星期六 週六 周六 禮拜六"
        "| 星期日 週日 周日 禮拜日 星期天 禮拜天",
        "วันจันทร์ จันทร์ | วันอังคาร อังคาร | วันพุธ พุธ | วันพฤหัสบดี วันพฤหัส พฤหัสบดี พฤหัส"
        "| วันศุกร์ ศุกร์ | วันเสาร์ เสาร์ | วันอาทิตย์ อาทิตย์",
        "الاثنين الإثنين | الثلاثاء | الأربعاء الاربعاء | الخميس | الجمعة | السبت | الأحد الاحد",
    ).items()
}
#: Forms that mean a weekday only in brackets after a date, or with a full stop before one.
SHORT_WEEKDAYS: dict[str, int] = {
    word: n - 1
    for word, n in _rows(
        "월 | 화 | 수 | 목 | 금 | 토 | 일",
        "月 | 火 | 水 | 木 | 金 | 土 | 日",
        "一 | 二 | 三 | 四 | 五 | 六 | 日",
        "จ. | อ. | พ. | พฤ. | ศ. | ส. | อา.",
    ).items()
}

#: Words for a day counted from the day of writing.
RELATIVE_DAYS: dict[str, int] = {
    fold(word): days
    for days, words in (
        (0, "today 오늘 今日 今天 本日 วันนี้ اليوم"),
        (1, "tomorrow 내일 明日 明天 พรุ่งนี้ غدا"),
        (2, "모레 明後日 後天 มะรืนนี้"),
    )
    for word in words.split()
}


class Era(NamedTuple):
    """Year n of the era is `zero + n`; dates outside `first`..`last` are not of the era."""

    zero: int
    first: date
    last: date


_REIWA = Era(2018, date(2019, 5, 1), date.max)
_HEISEI = Era(1988, date(1989, 1, 8), date(2019, 4, 30))
_SHOWA = Era(1925, date(1926, 12, 25), date(1989, 1, 7))
_TAISHO = Era(1911, date(1912, 7, 30), date(1926, 12, 24))
MINGUO = Era(1911, date(1912, 1, 1), date.max)
_COMMON = Era(0, date.min, date.max)
ERAS: dict[str, Era] = {
    "令和": _REIWA, "R": _REIWA, "平成": _HEISEI, "H": _HEISEI, "昭和": _SHOWA, "S": _SHOWA, "大正": _TAISHO,
    "民國": MINGUO, "民国": MINGUO, "中華民國": MINGUO, "西元": _COMMON, "公元": _COMMON, "西暦": _COMMON,
}  # fmt: skip
