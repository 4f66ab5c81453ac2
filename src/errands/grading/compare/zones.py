"""Time zones as people name them: IANA names, SGT/JST/KST/GST, UTC+8, `Singapore time`, 日本時間."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo

from errands.core.clock import zone

_FIXED = {
    "UTC": 0, "GMT": 0, "Z": 0, "SGT": 480, "MYT": 480, "HKT": 480, "JST": 540, "KST": 540, "GST": 240,
    "ICT": 420, "WIB": 420, "EST": -300, "EDT": -240, "PST": -480, "PDT": -420, "CET": 60, "CEST": 120,
}  # fmt: skip
#: Abbreviations of several zones: a time that carries one has no single meaning.
_UNCLEAR = ("CST", "IST", "BST", "AST", "MST")
_PLACES = {
    "Asia/Singapore": "singapore,新加坡,싱가포르,シンガポール,สิงคโปร์,سنغافورة",
    "Asia/Seoul": "seoul,korea,korean,한국,서울,韓国,韓國,ソウル,首爾,เกาหลี,โซล,كوريا,سيول",
    "Asia/Tokyo": "tokyo,japan,japanese,osaka,日本,일본,東京,도쿄,大阪,오사카,ญี่ปุ่น,โตเกียว,โอซาก้า,اليابان,طوكيو",
    "Asia/Taipei": "taipei,taiwan,台灣,臺灣,台北,臺北,台湾,대만,타이베이,ไต้หวัน,ไทเป,تايوان,تايبيه",
    "Asia/Bangkok": "bangkok,thai,thailand,ไทย,กรุงเทพ,泰國,曼谷,タイ,バンコク,태국,방콕,تايلاند,بانكوك",
    "Asia/Dubai": "dubai,uae,gulf,emirates,الإمارات,الامارات,دبي,أبوظبي,두바이,ドバイ,杜拜,ดูไบ",
    "Asia/Riyadh": "riyadh,saudi,السعودية,الرياض",
    "Asia/Hong_Kong": "hong kong,홍콩,香港,ฮ่องกง,هونغ كونغ",
    "Asia/Shanghai": "beijing,shanghai,china,중국,베이징,상하이,中国,中國,北京,上海,จีน,ปักกิ่ง,الصين",
    "Asia/Ho_Chi_Minh": "vietnam,hanoi,ho chi minh,베트남,하노이,호찌민,ベトナム,ハノイ,越南,河內,เวียดนาม,ฮานอย,فيتنام",
    "Asia/Kolkata": "india,mumbai,delhi,인도,インド,印度,อินเดีย,الهند",
    "Australia/Sydney": "sydney,시드니,シドニー,雪梨,ซิดนีย์,سيدني",
    "Europe/London": "london,uk,british,런던,영국,ロンドン,英国,イギリス,倫敦,英國,ลอนดอน,อังกฤษ,لندن,بريطانيا",
    "Europe/Berlin": "berlin,germany,german,베를린,독일,ベルリン,ドイツ,柏林,德國,เบอร์ลิน,เยอรมัน,เยอรมนี,برلين,ألمانيا",
    "Europe/Paris": "paris,france,파리,프랑스,パリ,フランス,巴黎,法國,ปารีส,ฝรั่งเศส,باريس,فرنسا",
    "America/New_York": "new york,뉴욕,ニューヨーク,紐約,นิวยอร์ก,نيويورك",
    "America/Los_Angeles": "los angeles,로스앤젤레스,ロサンゼルス,洛杉磯,ลอสแอนเจลิส,لوس أنجلوس",
}
_BY_PLACE = {word: name for name, words in _PLACES.items() for word in words.split(",")}
_LATIN = "|".join(sorted((w for w in _BY_PLACE if w.isascii()), key=len, reverse=True))
_LOCAL = "|".join(sorted((w for w in _BY_PLACE if not w.isascii()), key=len, reverse=True))
_PHRASE = (
    rf"(?i:(?P<latin>{_LATIN})(?:\sstandard)?\stime)"
    rf"|(?:เวลา(?:ใน)?(?:ประเทศ)?|بتوقيت\s)(?P<said>{_LOCAL})"
    rf"|(?P<local>{_LOCAL})\s?(?:現地)?(?:夏令|サマー)?(?:時間|时间|時刻|시간|시각)"
)
_OFFSET = r"(?:UTC|GMT)\s?(?P<sign>[+-])\s?(?P<hours>\d{1,2})(?::?(?P<minutes>\d\d))?"
_NAME = r"[A-Z][A-Za-z]+/[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_]+)?"

_SHORT = "|".join([*_FIXED, *_UNCLEAR])
_FIRST = "".join(sorted({c for word in _BY_PLACE for c in (word[0], word[0].upper())} | {"เ", "ب"}))
_LAST = "".join(sorted({word[-1] for word in _BY_PLACE if not word.isascii()} | set("時間间刻간각の")))

#: An ISO offset, a zone right after a clock time (in brackets or not), and one right before it.
NUMERIC = re.compile(r"\s?([+-])(\d\d):?(\d\d)(?![\d:])")
AFTER = re.compile(
    rf"\s?(?:hrs)?\s?[(\[]?(?=[A-Z{_FIRST}])"
    rf"(?:{_OFFSET}|(?P<iana>{_NAME})(?![+-]\d)|(?P<short>{_SHORT})|{_PHRASE})[)\]]?(?![A-Za-z0-9])"
)
BEFORE = re.compile(rf"(?:{_PHRASE}|(?<![A-Za-z])(?P<short>{_SHORT}))の?\s?$")
#: What the text before a clock time ends with wherever `BEFORE` can match: a cheap look.
MAY_BE_BEFORE = re.compile(rf"[A-Ze{_LAST}]\s?$")


class UnclearZone(ValueError):
    """A zone was named, but not one zone."""


def meant(match: re.Match[str]) -> tzinfo:
    """The zone of a match of `AFTER` or `BEFORE`. Raises `UnclearZone`."""
    parts = match.groupdict()
    if parts.get("hours"):
        return offset(parts["sign"], parts["hours"], parts["minutes"])
    if parts.get("iana"):
        return named(parts["iana"])
    if parts["short"]:
        if parts["short"] in _UNCLEAR:
            raise UnclearZone(parts["short"])
        return timezone(timedelta(minutes=_FIXED[parts["short"]]))
    return zone(_BY_PLACE[(parts["latin"] or parts["said"] or parts["local"]).lower()])


def offset(sign: str, hours: str, minutes: str | None) -> tzinfo:
    """`+08:00`, from its parts."""
    total = int(hours) * 60 + int(minutes or 0)
    if total > 14 * 60 or int(minutes or 0) > 59:
        raise UnclearZone(f"{sign}{hours}:{minutes}")
    return timezone(timedelta(minutes=-total if sign == "-" else total)) if total else UTC


def named(name: str) -> tzinfo:
    """An IANA zone."""
    try:
        return zone(name)
    except ValueError as error:
        raise UnclearZone(name) from error
