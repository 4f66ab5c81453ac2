"""The Singapore folder as read: holidays against the dossier's table, people, addresses, and clear errors."""

from __future__ import annotations

import shutil
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import phonenumbers
import pytest

from errands.markets import codes, folder, load_market, model

ROOT = Path(__file__).resolve().parents[2]
SG = load_market("sg")

# Section 1 of the dossier, typed from its table a second time and not from the frozen file. "*" = in lieu.
DOSSIER = """
New Year's Day   | Thu 1 Jan                | Fri 1 Jan
Chinese New Year | Tue 17 Feb, Wed 18 Feb   | Sat 6 Feb, Sun 7 Feb, *Mon 8 Feb
Hari Raya Puasa  | Sat 21 Mar               | Wed 10 Mar
Good Friday      | Fri 3 Apr                | Fri 26 Mar
Labour Day       | Fri 1 May                | Sat 1 May
Hari Raya Haji   | Wed 27 May               | Mon 17 May
Vesak Day        | Sun 31 May, *Mon 1 Jun   | Thu 20 May
National Day     | Sun 9 Aug, *Mon 10 Aug   | Mon 9 Aug
Deepavali        | Sun 8 Nov, *Mon 9 Nov    | Thu 28 Oct
Christmas Day    | Fri 25 Dec               | Sat 25 Dec
"""
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def dossier() -> set[tuple[date, str, bool]]:
    rows = set()
    for line in DOSSIER.strip().splitlines():
        name, *years = (cell.strip() for cell in line.split("|"))
        for year, cell in zip((2026, 2027), years, strict=True):
            for text in cell.split(", "):
                weekday, day, month = text.lstrip("*").split()
                on = date(year, MONTHS.index(month) + 1, int(day))
                assert f"{on:%a}" == weekday
                rows.add((on, name, text.startswith("*")))
    return rows


def test_holidays_equal_the_dossier() -> None:
    assert {(h.date, h.name, h.in_lieu_of is not None) for h in SG.holidays} == dossier()
    assert len(SG.holidays) == 26
    assert all(set(h.names) == {"zh", "ms", "ta"} for h in SG.holidays)


def test_sunday_rule_and_no_saturday_rule() -> None:
    lieu = {h.in_lieu_of: h for h in SG.holidays if h.in_lieu_of is not None}
    for h in SG.holidays:
        if h.in_lieu_of is None and h.date.weekday() == 6:
            substitute = lieu.pop(h.date)
            assert (substitute.name, substitute.date) == (h.name, h.date + timedelta(days=1))
    assert not lieu  # nothing else is in lieu of anything, Saturdays least of all


def test_tool_finds_the_frozen_table_and_a_difference(tmp_path: Path) -> None:
    tool = ROOT / "tools" / "make_holidays.py"
    same = subprocess.run([sys.executable, tool, "sg", "--check"], capture_output=True, text=True)
    assert same.returncode == 0, same.stdout + same.stderr
    market = tmp_path / "src" / "errands" / "markets" / "sg"
    shutil.copytree(ROOT / "src" / "errands" / "markets" / "sg", market)
    file = market / "holidays.toml"
    file.write_text(file.read_text("utf-8").replace("2026-12-25", "2026-12-26"), "utf-8")
    (tmp_path / "tools").mkdir()
    copy = shutil.copy(tool, tmp_path / "tools")
    other = subprocess.run([sys.executable, copy, "sg", "--check"], capture_output=True, text=True)
    assert other.returncode == 1
    assert "-2026-12-26 Sat Christmas Day" in other.stdout
    assert "+2026-12-25 Fri Christmas Day" in other.stdout


def test_numbers_belong_to_nobody() -> None:
    for p in SG.people.values():
        number = phonenumbers.parse(p.phone)
        assert phonenumbers.is_possible_number(number), p.key
        # 020 7946 0xxx is set aside for drama in Britain, though the library calls it valid.
        drama = p.phone.startswith("+44 20 7946 0")
        assert drama or not phonenumbers.is_valid_number(number), p.key
        assert p.phone.startswith("+65 ") == SG.phone.is_fictional(p.phone), p.key


def test_people_are_confusable_both_ways_and_unreachable() -> None:
    for p in SG.people.values():
        assert p.email.endswith(".example"), p.key
        assert all(p.key in SG.people[other].alike for other in p.alike), p.key
    for field in ("name", "email", "phone"):
        assert len({getattr(p, field) for p in SG.people.values()}) == len(SG.people), field


def test_every_relation_has_a_register_and_every_register_a_relation() -> None:
    relations = {p.relation for p in SG.people.values()} - {"self"}
    assert relations == set(SG.registers)


def test_addresses() -> None:
    assert len(SG.addresses) == 12
    assert {a.postal for a in SG.addresses} >= {"520978", "049128", "508946", "627931"}
    assert all(SG.postal.accepts(a.postal) for a in SG.addresses)


@pytest.mark.parametrize("code", ["740001", "830001", "000001", "52097", "5209788", "52097x", "５２０９７８"])
def test_postal_codes_that_no_address_has(code: str) -> None:
    assert not SG.postal.accepts(code)


def test_load_is_cached_and_unknown_markets_are_named() -> None:
    assert load_market("sg") is load_market("sg")
    assert "sg" in codes()
    for wrong in ("xx", "../sg", ""):
        with pytest.raises(ValueError, match=r"markets are: .*sg"):
            load_market(wrong)


def test_import_of_the_package_is_light() -> None:
    script = "import sys, errands.markets, errands.markets.words; assert 'pydantic' not in sys.modules"
    subprocess.run([sys.executable, "-c", script + " and 'babel' not in sys.modules"], check=True)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (
            "market.toml",
            'zone = "Asia/Singapore"',
            'zone = "Asia/Singapor"',
            r"market\.toml: zone: .*Asia/Singapore",
        ),
        ("market.toml", "minor_units = 2", "minor_units = 0", r"market\.toml: currency: 'SGD' with 0"),
        (
            "market.toml",
            'starts = "mon"',
            'starts = "mon"\nshape = "round"',
            r"market\.toml: week\.shape: Extra",
        ),
        (
            "market.toml",
            'postal = "520978"',
            'postal = "520979"',
            r"addresses\.0: postal '520979' is not in lines",
        ),
        ("market.toml", "Singapore 520978", "Singapore 740978", r"addresses\.0: postal '520978'"),
        ("market.toml", 'person = "gerard"', 'person = "gerald"', r"serangoon: person: 'gerald' is nobody"),
        ("market.toml", "Dear {formal},", "Dear {frmal},", r"registers\..*first_greeting: .*only \{called\}"),
        (
            "market.toml",
            "start = 12:00:00, end = 13",
            "start = 12:00:00, end = 11",
            r"week\.lunch: start 12:00",
        ),
        (
            "holidays.toml",
            "in_lieu_of = 2026-05-31",
            "in_lieu_of = 2026-05-30",
            r"holidays\.toml: holidays 2026-06-01",
        ),
        ("holidays.toml", "date = 2026-01-01", "date = 2025-01-01", r"2025-01-01: outside years"),
        ("people.toml", 'relation = "boss"', 'relation = "bos"', r"people\.toml: sarah\.relation: 'bos'"),
        ("people.toml", "+65 8001 4101", "+65 9123 4567", r"people\.toml: sarah\.phone: .*somebody"),
        ("people.toml", 'owner = "me"', 'owner = "you"', r"people\.toml: owner: 'you'"),
        (
            "people.toml",
            'alike = ["hafeez"]',
            'alike = ["hafez"]',
            r"people\.toml: hafiz\.alike: \['hafez'\]",
        ),
        ("people.toml", 'called = "Zul"', 'called = ""', r"people\.toml: people\.zul\.called: "),
        ("people.toml", 'owner = "me"', "owner = ", r"people\.toml: not a TOML file"),
    ],
)
def test_errors_name_file_and_field(
    file: str, old: str, new: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "sg"
    home.mkdir()
    for name in ("market.toml", "holidays.toml", "people.toml"):
        text = folder("sg").joinpath(name).read_text("utf-8")
        assert name != file or old in text
        home.joinpath(name).write_text(text.replace(old, new) if name == file else text, "utf-8")
    monkeypatch.setattr(model, "folder", lambda code: home)
    with pytest.raises(ValueError, match=message):
        model.load_market.__wrapped__("sg")
