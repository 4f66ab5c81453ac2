"""Two small places, `us` and `gb`: facts, holidays, ways of writing, and an errand that is set there."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from datetime import date, datetime, time
from pathlib import Path

import holidays
import phonenumbers
import pytest

from errands.core import clock
from errands.core.errors import UsageError
from errands.core.money import Money
from errands.grading.compare.dates import find_dates, read_date
from errands.grading.compare.money import same_money
from errands.grading.compare.times import read_time
from errands.markets import calendar as cal
from errands.markets import codes, folder, load_market, locales, model, read_toml
from errands.markets.writing import load_writing

ROOT = Path(__file__).resolve().parents[2]
LOCALES = ("gb", "us")
SIX = ("ae", "jp", "kr", "sg", "th", "tw")


# ---- which there are ---------------------------------------------------------------------------------------------


def test_locales_are_found_and_are_no_markets():
    assert codes() == SIX
    assert locales() == LOCALES
    for code in LOCALES:
        assert load_market(code).code == folder(code).name == code
        assert load_market(code) is load_market(code)
    for wrong in ("small", "fr", "small/us", ""):
        with pytest.raises(ValueError, match=r"markets are: .*sg.*; locales are: gb, us"):
            load_market(wrong)


def test_a_code_is_used_once_and_a_pack_may_bring_a_locale(tmp_path, monkeypatch):
    pack = tmp_path / "overthere"
    home = pack / "markets" / "small" / "ie"
    shutil.copytree(str(folder("gb")), home)
    monkeypatch.setenv("ERRANDS_PACKS", str(pack))
    assert locales() == ("gb", "ie", "us") and codes() == SIX
    assert folder("ie") == home
    home.rename(pack / "markets" / "us")  # a market, though our locale has that code
    shutil.copytree(str(folder("sg")), pack / "markets" / "small" / "sg")
    other = tmp_path / "again"
    shutil.copytree(pack, other)
    monkeypatch.setenv("ERRANDS_PACKS", str(other))
    with pytest.raises(ValueError, match=r"market '(us|sg)' is here twice"):
        codes()


# ---- facts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "zone", "currency", "order", "first_day"),
    [
        ("us", "America/Los_Angeles", "USD", "MDY", "sun"),
        ("gb", "Europe/London", "GBP", "DMY", "mon"),
    ],
)
def test_facts(code, zone, currency, order, first_day):
    m = load_market(code)
    assert (m.zone, m.currency.code, m.date_order) == (zone, currency, order)
    assert (m.week.starts, m.languages) == (first_day, ("en",))
    assert m.week.days == ("mon", "tue", "wed", "thu", "fri")
    assert m.years == (2026, 2027) and m.now is not None and m.now.year == 2026
    assert cal.is_workday(m, m.now.date())


@pytest.mark.parametrize("code", LOCALES)
def test_a_cast_of_six_whom_nobody_can_reach(code):
    m = load_market(code)
    assert 5 <= len(m.people) <= 8
    relations = [p.relation for p in m.people.values()]
    assert sorted(relations) == ["boss", "friend", "friend", "landlord", "partner", "self"]
    assert set(m.registers) == set(relations) - {"self"}
    for p in m.people.values():
        assert p.email.endswith(".example"), p.key
        assert m.phone.is_fictional(p.phone), p.key
        assert phonenumbers.is_possible_number(phonenumbers.parse(p.phone)), p.key
    for field in ("name", "email", "phone", "called"):
        assert len({getattr(p, field) for p in m.people.values()}) == len(m.people), field
    home = next(a for a in m.addresses if a.key == "home")
    assert home.person == m.owner
    assert any(a.person is None and a.recipient == m.people[m.owner].org for a in m.addresses)


def test_no_two_places_share_people():
    """Nor with any of the six: a name or an address that is met in one world is of that world."""
    for field in ("name", "email", "phone"):
        all_of_them = [
            getattr(p, field) for c in (*codes(), *locales()) for p in load_market(c).people.values()
        ]
        here = {getattr(p, field) for c in locales() for p in load_market(c).people.values()}
        assert all(all_of_them.count(x) == 1 for x in here), field


def test_the_owner_of_us_lives_where_the_first_errands_are():
    home = next(a for a in load_market("us").addresses if a.key == "home")
    assert home.postal == "94110" and home.parts["city"] == "San Francisco"


@pytest.mark.parametrize(
    ("code", "fictional", "real"),
    [
        ("us", ["+1 415 555 0100", "(312) 555-0199", "1-510-555-0123"], ["+1 415 555 0200", "415 556 0142"]),
        (
            "gb",
            [
                "020 7946 0999", "0117 496 0000", "+44 7700 900000", "07700 900999", "0191 498 0123",
                "01632 960555", "028 9649 6042", "029 2018 0001", "0808 157 0999", "0306 999 0500",
            ],
            ["020 7946 1000", "0117 497 0000", "07700 901000", "0191 496 0123", "01632 961000", "0119 496 0000"],
        ),
    ],
)  # fmt: skip
def test_numbers_for_fiction(code, fictional, real):
    phone = load_market(code).phone
    assert [n for n in fictional if not phone.is_fictional(n)] == []
    assert [n for n in real if phone.is_fictional(n)] == []


# ---- post --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "good", "bad"),
    [
        (
            "us",
            ["94110", "00501", "02134", "94110-1234"],
            ["9411", "941100", "94110-", "94110-123", "94110 1234", "9411O", "00401", "９４１１０", "", "BS5 4QZ"],
        ),
        (
            "gb",
            ["BS5 4QZ", "M1 1AE", "B33 8TH", "CR2 6XH", "DN55 1PT", "W1A 1HQ", "EC1A 1BB", "bs5 4qz", "BS54QZ"],
            [
                "BS5", "BS5 4Q", "BS5 4QZZ", "BS5  4QZ", "BS 4QZ", "BS5 44Z", "BS5 4CZ", "BS5 4QO", "QX1 1AA",
                "ZZ99 3VZ", "JE2 3AB", "B333 8TH", "94110", "", " BS5 4QZ", "BS5-4QZ", "BS５ 4QZ",
            ],
        ),
    ],
)  # fmt: skip
def test_postal_codes(code, good, bad):
    postal = load_market(code).postal
    assert [c for c in good if not postal.accepts(c)] == []
    assert [c for c in bad if postal.accepts(c)] == []
    assert all(postal.accepts(a.postal) for a in load_market(code).addresses)


@pytest.mark.parametrize(
    "rule", [{}, {"digits": 5, "pattern": "x"}, {"pattern": "x", "sectors": ("1",)}, {"pattern": "("}]
)
def test_a_postal_rule_is_one_rule(rule):
    with pytest.raises(ValueError, match=r"give digits|regular expression"):
        model.Postal(**rule)


# ---- holidays ----------------------------------------------------------------------------------------------------


def library(country, region=None):
    """Day and names by the library, substitutes under the name of what they stand for."""
    every = holidays.country_holidays(country, subdiv=region, years=[2026, 2027], language=f"en_{country}")
    return {(d, n.removesuffix(" (observed)")) for d, names in every.items() for n in names.split("; ")}


def test_holidays_equal_the_library_s():
    us, gb = load_market("us"), load_market("gb")
    assert {(h.date, h.name) for h in us.holidays} == library("US")
    for region, away in (("ENG", "SCT"), ("SCT", "ENG")):
        assert {(h.date, h.name) for h in gb.holidays_in(region)} == library("GB", region)
        assert all(away not in h.regions for h in gb.holidays_in(region))
    assert {(h.date, h.name) for h in gb.holidays_in(None)} == library("GB", "ENG") & library("GB", "SCT")


@pytest.mark.parametrize("code", LOCALES)
def test_the_tool_finds_no_difference(code):
    tool = ROOT / "tools" / "make_holidays.py"
    said = subprocess.run([sys.executable, tool, code, "--check"], capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr


def test_days_off():
    us, gb = load_market("us"), load_market("gb")
    for day in ((2026, 7, 3), (2026, 11, 26), (2027, 6, 18), (2027, 7, 5), (2027, 12, 24), (2027, 12, 31)):
        assert cal.is_holiday(us, date(*day)), day
    assert not cal.is_holiday(us, date(2026, 11, 27))  # the day after Thanksgiving: custom
    lieu = {h.in_lieu_of: h.date for h in us.holidays if h.in_lieu_of}
    assert lieu[date(2026, 7, 4)] == date(2026, 7, 3) and lieu[date(2027, 7, 4)] == date(2027, 7, 5)
    for day in ((2026, 4, 6), (2026, 8, 31), (2026, 12, 28), (2027, 12, 27), (2027, 12, 28)):
        assert cal.is_holiday(gb, date(*day)), day
    scottish = [h.date for h in gb.holidays if h.regions == ("SCT",)]
    assert date(2026, 1, 2) in scottish and date(2026, 11, 30) in scottish
    assert not any(cal.is_holiday(gb, d) for d in scottish)  # the owner lives in England
    assert cal.add_workdays(gb, date(2026, 12, 24), 1) == date(2026, 12, 29)
    with pytest.raises(ValueError, match="no region 'WLS'; regions are: ENG, SCT"):
        gb.holidays_in("WLS")


# ---- how values are written --------------------------------------------------------------------------------------

US, GB = load_writing("us"), load_writing("gb")


def test_money():
    assert US.money(123450, "USD") == "$1,234.50"
    assert US.money(120000, "USD", "short") == "$1,200"
    assert US.money(-123450, "USD") == "-$1,234.50"
    assert US.money(123450, "USD", "foreign") == "US$1,234.50"
    assert US.money(9900, "GBP") == "£99.00"
    assert US.money(9900, "JPY") == "JPY 9,900"
    assert GB.money(123450, "GBP") == "£1,234.50"
    assert GB.money(9900, "GBP", "short") == "£99"
    assert GB.money(5, "GBP") == "£0.05"
    assert GB.money(9900, "USD") == "US$99.00"
    assert GB.money(123450, "GBP", "contract") == "GBP 1,234.50"


def test_dates_and_lists():
    day = date(2026, 11, 21)
    assert (US.full_date(day), US.day(day)) == ("Nov 21, 2026", "Sat, Nov 21")
    assert (GB.full_date(day), GB.day(day)) == ("21 November 2026", "Sat 21 Nov")
    assert US.official_date(day) == US.full_date(day)
    assert US.join(["a", "b", "c"]) == "a, b, and c" and GB.join(["a", "b", "c"]) == "a, b and c"


def test_times():
    cases = {(9, 30): ("9:30 AM", "9.30am"), (9, 0): ("9 AM", "9am"), (15, 5): ("3:05 PM", "3.05pm")}
    cases |= {(12, 0): ("noon", "noon"), (12, 30): ("12:30 PM", "12.30pm"), (0, 0): ("midnight", "midnight")}
    for (hour, minute), texts in cases.items():
        assert (US.clock_time(time(hour, minute)), GB.clock_time(time(hour, minute))) == texts


def test_phones():
    for given in ("+1 415 555 0142", "+14155550142", "415-555-0142", "1 (415) 555-0142"):
        assert US.phone(given) == "(415) 555-0142"
    assert US.phone("+1 415 555 0142", "dashed") == "415-555-0142"
    assert US.phone("+1 415 555 0142", "international") == "+1 415-555-0142"
    for number, text in {
        "+44 2079460142": "020 7946 0142",
        "0117 4960268": "0117 496 0268",
        "+441314960629": "0131 496 0629",
        "01914980142": "0191 498 0142",
        "+44 1632960142": "01632 960142",
        "07700900142": "07700 900142",
        "08081570142": "0808 157 0142",
    }.items():
        assert GB.phone(number) == text
    assert GB.phone("020 7946 0142", "international") == "+44 20 7946 0142"
    assert GB.phone("+1 415 555 0142") == "+1 415 555 0142"
    for writing, wrong in ((US, "415 555 014"), (GB, "0117 496 026")):
        with pytest.raises(ValueError, match="no phone number"):
            writing.phone(wrong)


@pytest.mark.parametrize("code", LOCALES)
def test_what_is_written_is_read(code):
    w, m = load_writing(code), load_market(code)
    for n in range(0, 700, 9):
        day = date.fromordinal(date(2026, 1, 1).toordinal() + n)
        assert read_date(w.full_date(day), m.date_order) == day
        assert [f.value for f in find_dates(w.day(day), m.date_order, day)] == [day]
    for minute in range(0, 1440, 35):
        at = time(minute // 60, minute % 60)
        assert read_time(w.clock_time(at)) == at
    for style in w.money_styles:
        assert same_money(w.money(123450, m.currency.code, style), Money(123450, m.currency.code)), style


# ---- an errand that is set there ---------------------------------------------------------------------------------


@pytest.fixture
def owed(tmp_path, monkeypatch):
    """The task that `errands new task` makes, set in both locales, in a pack of its own."""
    from errands.calibrate.scaffold import new_task
    from errands.tasks.registry import task

    made = new_task("abroad/owed", tmp_path)
    for file, old, new in (
        ("Task.md", 'markets = ["sg"]', 'markets = ["us", "gb"]'),
        ("task.py", 'b.people["sarah"]', 'b.people[b.me.related["manager"]]'),
    ):
        text = (made / file).read_text("utf-8")
        assert old in text
        (made / file).write_text(text.replace(old, new), "utf-8")
    words = made / "words" / "sg.en.toml"
    shutil.copy(words, words.with_name("gb.en.toml"))
    words.rename(words.with_name("us.en.toml"))
    for name in [n for n in sys.modules if n.startswith("errands_packs.abroad")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setenv("ERRANDS_PACKS", str(tmp_path / "abroad"))
    yield task("abroad-owed")
    for name in [n for n in sys.modules if n.startswith("errands_packs.abroad")]:
        del sys.modules[name]


def _rows(instance, sql):
    from errands.world import open_world

    world = open_world(instance.fixture.blob)
    try:
        return world.all(sql)
    finally:
        world.close()


@pytest.mark.parametrize(
    ("code", "now", "zone"),
    [("us", "2026-11-17T08:40", "America/Los_Angeles"), ("gb", "2026-12-07T09:10", "Europe/London")],
)
def test_a_world_there_has_its_people_and_no_life(owed, code, now, zone):
    from errands.tasks.life import start_of

    m, built = load_market(code), owed.instance(code, 0)
    assert start_of(m) == clock.to_ms(clock.resolve(datetime.fromisoformat(now), zone))
    assert {r["name"] for r in _rows(built, "SELECT name FROM contacts_person")} == {
        p.name for p in m.people.values()
    }
    assert [r["id"] for r in _rows(built, "SELECT id FROM calendar_calendar")] == ["cal_work"]
    assert _rows(built, "SELECT id FROM calendar_event") == []
    mails = _rows(built, "SELECT body FROM mail_message")
    assert len(mails) == 2  # those of the errand
    due = load_writing(code).full_date(date.fromisoformat(built.key.rows[0]["due"]))
    assert all(due in r["body"] for r in mails)


def test_it_is_selected_told_and_locked_as_in_a_market(owed):
    from errands.tasks.registry import Selection, in_language, select, usual_market
    from errands.tasks.standing import digests, home_of, lock, standing

    chosen = select(Selection(tasks=(owed.id,), markets=("us",)))
    assert [(c.task, c.market, c.variant) for c in chosen] == [(owed.id, "us", n) for n in range(3)]
    with pytest.raises(UsageError, match="there is no market 'uk'"):
        select(Selection(markets=("uk",)))
    assert in_language("gb", "local") == "en"
    assert usual_market(owed.id) == "us" and usual_market("ec-double-booking-resolution") == "sg"
    assert standing(owed, "us").status == "draft"
    assert digests(owed, "us")["market"] != digests(owed, "gb")["market"]
    lock({owed: ["us", "gb"]})
    assert standing(owed, "us").status == standing(owed, "gb").status == "ready"
    kept = json.loads((Path(str(home_of(owed))) / "calibration.lock").read_text("utf-8"))
    assert set(kept[owed.id]["markets"]) == {"us", "gb"}


@pytest.mark.parametrize(
    ("solution", "passes"), [("oracle", True), ("wrong:first_mail", False), ("wrong:invited_them", False)]
)
def test_right_ways_pass_there_and_wrong_ones_do_not(owed, solution, passes):
    from errands.doors import Seat
    from errands.exam.attempt import limits_of
    from errands.exam.sitting import Sitting
    from errands.grading.evidence import Evidence, open_readonly
    from errands.grading.verdict import grade
    from errands.world import open_world

    built = owed.instance("us", 1)
    world = open_world(built.fixture.blob)
    sitting = Sitting(world, limits_of(built))
    owed.solutions[solution].run(Seat(sitting), built.key)
    sitting.close("completed")
    evidence = Evidence(open_readonly(world.snapshot()))
    world.close()
    verdict = grade(evidence, built.key, owed.criteria, owed.contract.front.protocol)
    assert verdict.status == "graded"
    assert all(c.result == "met" for c in verdict.criteria) is passes, verdict


# ---- what is wrong in a locale's files is told ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("market.toml", "now = 2026-12-07T09:10:00", "now = 2026-12-07T09:10:00Z", r"now: .*without a zone"),
        ("market.toml", '["ENG", "SCT"]', '["ENG"]', r"holidays 2026-01-02: regions: \['SCT'\] is no region"),
        ("market.toml", 'postal = "BS5 4QZ"', 'postal = "BS5 4QX"', r"addresses\.0: postal 'BS5 4QX' is not"),
        ("market.toml", "(?xi) (", "(?xi) ((", r"market\.toml: postal: .*regular expression"),
        ("people.toml", "+44 7700 900142", "+44 7700 901142", r"me\.phone: .*somebody"),
    ],
)
def test_errors_name_file_and_field(file, old, new, message, tmp_path, monkeypatch):
    home = tmp_path / "gb"
    shutil.copytree(str(folder("gb")), home)
    text = (home / file).read_text("utf-8")
    assert old in text
    (home / file).write_text(text.replace(old, new), "utf-8")
    monkeypatch.setattr(model, "folder", lambda code: home)
    with pytest.raises(ValueError, match=message):
        model.load_market.__wrapped__("gb")


def test_a_place_with_a_life_takes_its_now_from_its_calendar(tmp_path, monkeypatch):
    home = tmp_path / "gb"
    shutil.copytree(str(folder("gb")), home)
    (home / "words").mkdir()
    (home / "words" / "calendar.toml").write_text("", "utf-8")
    monkeypatch.setattr(model, "folder", lambda code: home)
    with pytest.raises(ValueError, match=r"market\.toml: now: words/calendar\.toml says"):
        model.load_market.__wrapped__("gb")


def test_the_six_have_no_now_and_one_region():
    for code in SIX:
        m = load_market(code)
        assert m.now is None and not m.regions
        assert tuple(m.holiday_on.values()) == m.holidays


def test_a_locale_is_four_files():
    for code in LOCALES:
        assert {f.name for f in folder(code).iterdir()} == {
            "market.toml", "holidays.toml", "people.toml", "writing.toml"
        }  # fmt: skip
        assert set(read_toml(folder(code).joinpath("writing.toml"))["language"]) == {"en"}
