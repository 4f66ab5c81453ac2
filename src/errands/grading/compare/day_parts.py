"""Parts of the day (오후, 下午, บ่าย, مساء …): which written hours each allows, and what they are on a
24-hour clock.

An hour that a word does not allow (밤 12시, 午後12時: noon or midnight?) has no single meaning.
"""

from __future__ import annotations

from errands.grading.compare.folding import fold

_Span = tuple[int, int, int]  # first written hour, last, hours to add


def _table(rows: dict[str, tuple[_Span, ...]]) -> dict[str, dict[int, int]]:
    return {
        fold(word).replace("_", " "): {
            hour: hour + add for first, last, add in spans for hour in range(first, last + 1)
        }
        for words, spans in rows.items()
        for word in words.split()
    }


_MORNING: tuple[_Span, ...] = ((0, 11, 0),)
_AFTERNOON: tuple[_Span, ...] = ((1, 11, 12), (13, 23, 0))
_NOON: _Span = (12, 12, 0)

#: Word to (written hour to hour of the day).
BEFORE = _table({
    "오전": (*_MORNING, (12, 12, -12)),
    "午前": _MORNING,
    "午後": ((0, 11, 12), (13, 23, 0)),
    "오후 下午": (*_AFTERNOON, _NOON),
    "上午 早上 早晨 아침 朝": ((1, 11, 0),),
    "새벽 凌晨": ((0, 6, 0), (12, 12, -12)),
    "中午 낮 昼": ((11, 11, 0), _NOON, (1, 4, 12)),
    "傍晚 夕方": ((4, 7, 12), (16, 19, 0)),
    "晚上 저녁 夜": ((5, 11, 12), (17, 23, 0)),
    "밤": ((7, 11, 12), (19, 23, 0)),
    "半夜 深夜": ((1, 4, 0),),
})  # fmt: skip
AFTER = _table({
    "ص": (*_MORNING, (12, 12, -12)),
    "صباحا فجرا": (*_MORNING,),
    "م": (*_AFTERNOON, _NOON),
    "مساء": _AFTERNOON,
    "ظهرا": (_NOON, (1, 3, 12), (11, 11, 0)),
    "عصرا": ((2, 6, 12),),
    "منتصف_الليل": ((12, 12, -12),),
    "ليلا": ((7, 11, 12), (19, 23, 0)),
})  # fmt: skip
AM = {**{hour: hour for hour in range(1, 12)}, 12: 0}
PM = {**{hour: hour + 12 for hour in range(1, 12)}, 12: 12}

#: Native number words before an hour.
HOURS: dict[str, int] = {
    word: hour
    for words in (
        "한 두 세 네 다섯 여섯 일곱 여덟 아홉 열 열한 열두",
        "หนึ่ง สอง สาม สี่ ห้า หก เจ็ด แปด เก้า สิบ สิบเอ็ด สิบสอง",
    )
    for hour, word in enumerate(words.split(), 1)
}
#: The Thai spoken clock: pattern of words round the hour, and the hours it allows.
THAI_MORNING = {hour: hour for hour in range(6, 12)}
THAI_BARE = {hour: hour for hour in range(7, 12)}
THAI_AFTERNOON = {hour: hour + 12 for hour in range(1, 6)}
THAI_EVENING = {hour: hour + 12 for hour in range(4, 7)}
THAI_NIGHT = {hour: hour + 18 for hour in range(1, 6)}
THAI_SMALL = {hour: hour for hour in range(1, 6)}
