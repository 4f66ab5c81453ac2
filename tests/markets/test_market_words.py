"""Word banks: filters, Korean particles, Arabic plurals, Thai counters, and errors that name the place."""

from __future__ import annotations

import subprocess
import sys
from datetime import date, datetime
from pathlib import Path

import pytest
from babel import Locale
from hypothesis import given
from hypothesis import strategies as st

from errands.core.money import Money
from errands.markets import load_market
from errands.markets.josa import josa
from errands.markets.plurals import plural_categories, plural_category
from errands.markets.words import (
    Said,
    Words,
    WordsError,
    load_words,
)

PEOPLE = load_market("sg").people

ENGLISH = """
language = "en"
market = "sg"
[say.moved]
slots = ["to", "at", "others"]
subject = "{at|day}: new time"
text = [
  "Hi {to|called}, can we do {at|day}, {at|time}? {others|called|join} can.",
  '''
Dear {to|formal},
{others|called|join} are free on {at|date} at {at|time}.
''',
]
[say.bill]
text = "{n|plural:box} for {n|counter:person}, {sum|money} ({sum|money:contract}) {{sic}} {to.title}"
[plural.box]
one = "{n} box"
other = "{n} boxes"
[counter.person]
pattern = "{n} pax"
"""


def bank(tmp_path: Path, text: str) -> Words:
    file = tmp_path / "bank.toml"
    file.write_text(text, "utf-8")
    return load_words(file)


def test_english(tmp_path: Path) -> None:
    words = bank(tmp_path, ENGLISH)
    at = datetime(2026, 11, 12, 15, 30)
    slots = {"to": PEOPLE["wei_ling"], "at": at, "others": [PEOPLE["zul"], PEOPLE["sarah"], PEOPLE["jj"]]}
    said = words.say("moved", 0, **slots)
    text = "Hi Wei Ling, can we do Thu, 12 Nov, 3.30pm? Zul, Sarah and JJ can."
    assert said == Said("Thu, 12 Nov: new time", text)
    assert words.say("moved", 2, **slots) == said  # the choice wraps round
    assert (
        words.say("moved", 1, **slots).text
        == "Dear Ms Tan,\nZul, Sarah and JJ are free on 12 Nov 2026 at 3.30pm."
    )
    assert words.slots("moved") == {"to", "at", "others"}
    assert words.alternatives("moved") == 2
    assert words.keys == ("moved", "bill")
    bill = words.say("bill", 0, n=1, sum=125000, to=PEOPLE["sarah"])
    assert bill.text == "1 box for 1 pax, $1,250.00 (SGD 1,250.00) {sic} Managing Director"
    assert bill.subject is None
    assert (
        "3 boxes for 3 pax, US$5.00"
        in words.say("bill", 0, n=3, sum=Money(500, "USD"), to={"title": "x"}).text
    )


def test_english_needs_no_babel(tmp_path: Path) -> None:
    file = tmp_path / "bank.toml"
    file.write_text(ENGLISH, "utf-8")
    script = (
        "import sys, pathlib; from errands.markets.words import load_words;"
        "load_words(pathlib.Path(sys.argv[1])).say('bill', 0, n=2, sum=1, to={'title': 'x'});"
        "assert not {'babel', 'pydantic'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script, str(file)], check=True)


@pytest.mark.parametrize(
    ("value", "pair", "expected"),
    [
        ("민수", "이/가", "민수가"), ("지은", "이/가", "지은이"), ("서울", "으로/로", "서울로"),
        ("부산", "으로/로", "부산으로"), ("제주", "으로/로", "제주로"), ("서울", "은/는", "서울은"),
        ("회의", "을/를", "회의를"), ("김 부장님", "과/와", "김 부장님과"),
        ("지은", "이에요/예요", "지은이에요"),
        ("민수(Minsu Kim)", "이/가", "민수(Minsu Kim)가"), ("'내일'", "은/는", "'내일'은"),
        # digits by their Korean reading: 영 일 이 삼 사 오 육 칠 팔 구, 십 백 천 만 억 조
        ("10", "이/가", "10이"), ("2", "이/가", "2가"), ("3", "을/를", "3을"), ("7", "으로/로", "7로"),
        ("6", "으로/로", "6으로"), ("1,000", "으로/로", "1,000으로"), ("12,000", "이/가", "12,000이"),
        ("1000000000000", "이/가", "1000000000000가"), ("3.5", "이/가", "3.5가"), ("1.0", "은/는", "1.0은"),
        ("15%", "이/가", "15%가"), ("010-0000-1427", "으로/로", "010-0000-1427로"),
        # capitals as letters: 엘 엠 엔 알 close, the others do not
        ("SQL", "으로/로", "SQL로"), ("FM", "으로/로", "FM으로"), ("KTX", "이/가", "KTX가"),
        ("AR", "은/는", "AR은"),
        ("CEO", "을/를", "CEO를"), ("A", "이/가", "A가"), ("PDF", "을/를", "PDF를"),
        # words by their usual Korean spelling
        ("Rachel", "이/가", "Rachel이"), ("Rachel", "으로/로", "Rachel로"), ("Jane", "이/가", "Jane이"),
        ("Linda", "은/는", "Linda는"), ("Kim", "과/와", "Kim과"), ("Mark", "이/가", "Mark가"),
        ("Jack", "이/가", "Jack이"), ("Kate", "은/는", "Kate는"), ("Google", "으로/로", "Google로"),
        ("Peter", "을/를", "Peter를"), ("Young", "이/가", "Young이"), ("José", "이/가", "José가"),
        # no reading known: both
        ("林", "이/가", "林이(가)"), ("林", "으로/로", "林(으)로"), ("林", "이에요/예요", "林이에요(예요)"),
    ],
)  # fmt: skip
def test_korean_particles(value: str, pair: str, expected: str) -> None:
    assert josa(value, pair) == expected


@given(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3))
def test_particles_follow_the_decomposed_final(syllable: str) -> None:
    import unicodedata

    parts = unicodedata.normalize("NFD", syllable)
    assert josa(syllable, "이/가")[-1] == ("이" if len(parts) == 3 else "가")
    closed = len(parts) == 3 and parts[2] != "\u11af"
    assert josa(syllable, "으로/로") == syllable + ("으로" if closed else "로")
    assert josa(parts, "이/가")[-1] == josa(syllable, "이/가")[-1]  # NFD in, the same particle


def test_korean_bank(tmp_path: Path) -> None:
    words = bank(
        tmp_path,
        """
language = "ko"
[say.go]
text = "{who|called|josa:이/가} {n|counter:person|josa:과/와} {place|josa:으로/로} 갑니다"
[counter.person]
pattern = "{n}명"
""",
    )
    assert words.say("go", 0, who={"called": "지은"}, n=3, place="서울").text == "지은이 3명과 서울로 갑니다"


def test_arabic_plurals(tmp_path: Path) -> None:
    words = bank(
        tmp_path,
        """
language = "ar"
[say.count]
text = "لديك {n|plural:meeting}."
[plural.meeting]
zero = "لا اجتماعات"
one = "اجتماع واحد"
two = "اجتماعان"
few = "{n} اجتماعات"
many = "{n} اجتماعا"
other = "{n} اجتماع"
""",
    )
    expected = {0: "zero", 1: "one", 2: "two", 3: "few", 10: "few", 11: "many", 99: "many"}
    expected |= {100: "other", 102: "other", 103: "few", 111: "many", 200: "other"}
    assert {n: plural_category("ar", n) for n in expected} == expected
    assert words.say("count", 0, n=2).text == "لديك اجتماعان."
    assert words.say("count", 0, n=5).text == "لديك 5 اجتماعات."
    assert words.say("count", 0, n=11).text == "لديك 11 اجتماعا."


@pytest.mark.parametrize("language", ["ar", "ja", "ko", "th", "zh-Hant", "ms", "en"])
def test_plurals_without_a_library_are_those_of_one(language: str) -> None:
    rules = Locale.parse(language, sep="-").plural_form
    assert all(plural_category(language, n) == rules(n) for n in range(1_300))
    assert set(plural_categories(language)) == {*rules.tags, "other"}


def test_plural_categories() -> None:
    assert plural_categories("en-SG") == ("one", "other")
    assert plural_categories("ko") == plural_categories("th") == plural_categories("ms") == ("other",)
    assert plural_categories("ta") == ("one", "other")
    assert plural_categories("ar-AE") == ("zero", "one", "two", "few", "many", "other")
    assert [plural_category("en", n) for n in (0, 1, 2, -1)] == ["other", "one", "other", "one"]
    with pytest.raises(ValueError, match="no plural rules for language 'qq'"):
        plural_category("qq", 1)


def test_thai_counters(tmp_path: Path) -> None:
    words = bank(
        tmp_path,
        """
language = "th"
[say.table]
text = "จองโต๊ะ {n|counter:person} {m|counter:dish}"
[counter.person]
pattern = "{n} คน"
[counter.dish]
pattern = "{n} จาน"
""",
    )
    assert words.say("table", 0, n=4, m=6).text == "จองโต๊ะ 4 คน 6 จาน"


SAY = 'language = "en"\nmarket = "sg"\n[say.a]\n'
PLURAL = "\n[plural.box]\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SAY + 'text = ""', r"say\.a\.text: empty text"),
        (SAY + 'text = ["x", "  "]', r"say\.a\.text: empty text"),
        (SAY + "text = []", r"say\.a\.text: empty text"),
        (SAY + 'subject = ""\ntext = "x"', r"say\.a\.subject: empty text"),
        (SAY + 'subject = "x"', r"say\.a\.text: a text is expected"),
        (SAY + 'txt = "x"', r"say\.a: unknown field 'txt'; did you mean 'text'"),
        (SAY + 'slots = ["to"]\ntext = "{too}"', r"say\.a: slot 'too' is not declared; did you mean 'to'"),
        (
            SAY + 'slots = ["to", "at"]\ntext = ["{to} {at}", "{to}"]',
            r"slot 'at' is declared but unused in .* 1",
        ),
        (
            SAY + 'text = "{to|caled}"',
            r"say\.a\.text: slot \{to\|caled\}: unknown filter 'caled'; .*'called'",
        ),
        (SAY + 'text = "{to|called:x}"', r"filter 'called' takes no argument"),
        (SAY + 'text = "{n|plural}"', r"filter 'plural' needs an argument"),
        (SAY + 'text = "{n|plural:}"', r"filter 'plural' needs an argument"),
        (
            SAY + 'text = "{n|plural:bax}"' + PLURAL + 'one="x"\nother="x"',
            r"no \[plural\.bax\]; did you mean 'box'",
        ),
        (SAY + 'text = "{n|counter:pax}"', r"no \[counter\.pax\]"),
        (SAY + 'text = "{n|money:loud}"', r"no money style 'loud'"),
        (SAY + 'text = "{n|josa:이/가}"', r"particles are Korean, the bank is 'en'"),
        (SAY + 'text = "{To}"', r"slot \{To\}: "),
        (SAY + 'text = "{to._secret}"', r"slot \{to\._secret\}: "),
        (SAY + 'text = "a } b"', r"a single '\}'"),
        (SAY + 'text = "x"' + PLURAL + 'other = "x"', r"plural\.box: 'one' is missing: en has one, other"),
        (SAY + 'text = "x"' + PLURAL + 'one="x"\nother="x"\nfew="x"', r"plural\.box: 'few' is never used"),
        (SAY + 'text = "x"' + PLURAL + 'one="x"\nother="{m}"', r"plural\.box\.other: .*only \{n\}"),
        (SAY + 'text = "x"\n[counter.p]\npattern = "pax"', r"counter\.p\.pattern: .*\{n\} is missing"),
        ('language = "en"\n[say.a]\ntext = "{d|date}"', r"slot \{d\|date\}: .*name the bank's market"),
        ('language = "en"\nmarket = "zz"', r"market: unknown market 'zz'"),
        ('language = "qq"\n[plural.x]\nother = "x"', r"language: no plural rules for language 'qq'"),
        ('language = "ko"\n[say.a]\ntext = "{n|josa:가/이}"', r"wrong way round"),
        ('language = "ko"\n[say.a]\ntext = "{n|josa:이}"', r"no pair of particles"),
        ("say = 1", r"language: a text is expected"),
        ("language = ", r"not a TOML file"),
    ],
)
def test_errors_in_a_bank(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(WordsError, match=r"bank\.toml: .*" + message):
        bank(tmp_path, text)


@pytest.mark.parametrize(
    ("key", "slots", "message"),
    [
        ("b", {}, r"no say\.b"),
        ("a", {}, r"say\.a: slot 'v' stands in the text and is not given"),
        ("a", {"v": "x", "w": 1}, r"say\.a: slot 'w' is given, and no \{w\} stands"),
        ("a", {"v": date(2026, 11, 3)}, r"say\.a: slot \{v\}: the value is date, which needs a filter"),
        ("a", {"v": True}, r"slot \{v\}: the value is bool"),
        ("a", {"v": ""}, r"slot \{v\}: the value is str \(an empty text\)"),
        ("attr", {"v": PEOPLE["mum"]}, r"slot \{v\.org\}: Person has no 'org'"),
        ("day", {"v": "2026-11-03"}, r"slot \{v\|day\}: a date is expected, not '2026-11-03'"),
        ("time", {"v": date(2026, 11, 3)}, r"slot \{v\|time\}: a time or a local datetime"),
        ("money", {"v": 12.5}, r"slot \{v\|money\}: a whole number is expected"),
        ("join", {"v": []}, r"slot \{v\|join\}: an empty list"),
    ],
)
def test_errors_in_use(key: str, slots: dict[str, object], message: str, tmp_path: Path) -> None:
    filters = ["attr", "day", "time", "money", "join"]
    holes = {"a": "{v}", "attr": "{v.org}"} | {f: f"{{v|{f}}}" for f in filters[1:]}
    body = "".join(f'[say.{k}]\ntext = "{hole}"\n' for k, hole in holes.items())
    words = bank(tmp_path, 'language = "en"\nmarket = "sg"\n' + body)
    with pytest.raises(WordsError, match=r"bank\.toml: .*" + message):
        words.say(key, 0, **slots)


def test_text_is_nfc(tmp_path: Path) -> None:
    words = bank(tmp_path, 'language = "en"\n[say.a]\ntext = "{v}"')
    assert words.say("a", 0, v="Lumie\u0300re").text == "Lumi\u00e8re"
