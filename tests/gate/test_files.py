"""The tasks file and the baseline: what they name, and what is refused."""

from __future__ import annotations

import json

import pytest

from errands.core.errors import UsageError
from errands.gate.baseline import read_baseline, taken
from errands.gate.listed import name_of, read_listed
from errands.tasks.registry import Selection, choice, select

from .played import attempt

AUDIT, BOOKING = "ec-inbox-commitment-audit", "ec-double-booking-resolution"
SMOKE = f"""
language = "en"
instances = ["{AUDIT}@kr/1"]

[[select]]
task = ["ec-double-*"]
market = ["sg", "th"]
variant = [0]

[[select]]
task = ["{AUDIT}"]
market = ["kr"]
variant = [1, 2]

[[quarantine]]
id = "{BOOKING}@th/0"
since = 2026-10-01
reason = "its venue moved"
"""


def listed(tmp_path, text: str, name: str = "smoke.toml"):
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return read_listed(file)


def test_the_union_each_once_and_in_order(tmp_path):
    found = listed(tmp_path, SMOKE)
    names = [name_of(c) for c in found.choices("smoke.toml")]
    assert names == [f"{AUDIT}@kr/1", f"{AUDIT}@kr/2", f"{BOOKING}@sg/0", f"{BOOKING}@th/0"]
    assert (found.quarantine[0].id, found.quarantine[0].since.isoformat()) == (
        f"{BOOKING}@th/0",
        "2026-10-01",
    )


def test_json_says_the_same(tmp_path):
    raw = {
        "instances": [f"{AUDIT}@kr/1"],
        "quarantine": [{"id": f"{AUDIT}@kr/1", "since": "2026-10-01", "reason": "x"}],
    }
    found = listed(tmp_path, json.dumps(raw), "smoke.json")
    assert [name_of(c) for c in found.choices("x")] == [f"{AUDIT}@kr/1"]
    assert found.quarantine[0].since.year == 2026


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("instance = []", "instance: this key is not known"),
        ('[[select]]\ntasks = ["x"]', "select → 0 → tasks: this key is not known"),
        ('[[quarantine]]\nid = "x"\nsince = 2026-10-01', "quarantine → 0 → reason"),
        ('[[quarantine]]\nid = "x"\nsince = "soon"\nreason = "y"', "quarantine → 0 → since"),
        ('language = "fr"', "language"),
        ("instances = [", "no TOML"),
        ("\ufeffx", "no TOML"),
    ],
)
def test_what_a_tasks_file_may_not_hold(tmp_path, text, said):
    with pytest.raises(UsageError) as why:
        listed(tmp_path, text)
    assert said in str(why.value) and "smoke.toml" in why.value.where


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "names no instance"),
        (f'instances = ["{AUDIT}@xx/0"]', "no instance"),
        ('instances = ["ec-nothing@sg/0"]', "no task"),
        ('[[select]]\nmarket = ["mars"]', "no market"),
        (
            f'instances = ["{AUDIT}@sg/0"]\n[[quarantine]]\nid = "{AUDIT}@kr/0"\nsince = 2026-10-01\nreason = "y"',
            "not among the instances",
        ),
    ],
)
def test_what_it_names_must_be_there(tmp_path, text, said):
    found = listed(tmp_path, text)
    with pytest.raises(UsageError, match=said) as why:
        found.choices("smoke.toml")
    assert why.value.where == "smoke.toml"


def test_an_empty_part_means_everything(tmp_path):
    found = listed(tmp_path, '[[select]]\nsuite = ["consumer"]\nvariant = [0]').choices("x")
    assert found == select(Selection(suites=("consumer",), variants=(0,)))


# ---- the baseline ------------------------------------------------------------------------------------------------

CHOICES = [choice(f"{AUDIT}@sg/0"), choice(f"{BOOKING}@kr/0")]


@pytest.fixture
def held(tmp_path):
    """A baseline's file."""
    sat = [attempt(name_of(c), k, k < 3) for c in CHOICES for k in (1, 2, 3)]
    file = tmp_path / "main.json"
    file.write_bytes(taken("acme", "2026-10-01", 3, sat, CHOICES).text)
    return file


def test_it_holds_counts_editions_agent_and_date(held):
    found = read_baseline(held, CHOICES, 3)
    assert (found.agent, found.date, found.attempts) == ("acme", "2026-10-01", 3)
    one = found.tasks[f"{AUDIT}@sg/0"]
    assert (one.graded, one.strict, one.crossed) == (3, 2, 0)
    assert found.editions[f"{AUDIT}@sg"].keys() == {"task", "apps", "grading", "market"}
    again = found.records({f"{AUDIT}@sg/0": "g"})
    assert [(a.strict, a.graded, a.group) for a in again] == [
        (True, True, "g"),
        (True, True, "g"),
        (False, True, "g"),
    ]
    assert held.read_bytes() == found.text


def change(held, **more):
    raw = json.loads(held.read_text())
    raw.update(more)
    held.write_text(json.dumps(raw))


@pytest.mark.parametrize(
    ("part", "words"), [("task", "its folder"), ("grading", "grading"), ("market", "its market")]
)
def test_another_edition_is_refused_by_name_and_by_what_changed(held, part, words):
    raw = json.loads(held.read_text())
    raw["editions"][f"{BOOKING}@kr"][part] = "0" * 64
    change(held, **raw)
    with pytest.raises(UsageError) as why:
        read_baseline(held, CHOICES, 3)
    assert f"{BOOKING}@kr ({words})" in why.value.what and AUDIT not in why.value.what
    assert "--write-baseline" in why.value.do
    # What this gate does not sit may have changed.
    assert read_baseline(held, CHOICES[:1], 3)


def test_other_attempts_another_language_and_other_instances_are_refused(held):
    with pytest.raises(UsageError, match="3 attempts of each instance, and this gate 2"):
        read_baseline(held, CHOICES, 2)
    with pytest.raises(UsageError, match="another language"):
        read_baseline(held, [choice(f"{BOOKING}@kr/0", "local")], 3)
    with pytest.raises(UsageError, match="none of these instances"):
        read_baseline(held, [choice(f"{AUDIT}@th/0")], 3)


@pytest.mark.parametrize(
    "more",
    [
        {"surprise": 1},
        {"format": 2},
        {"kind": "errands-batch"},
        {"tasks": {f"{AUDIT}@sg/0": {"graded": 3, "strict": 4}}},
        {"tasks": {f"{AUDIT}@sg/0": {"graded": 4, "strict": 3}}},
        {"tasks": {f"{AUDIT}@sg/0": {"graded": 3, "strict": 3, "crossed": 1}}},
        {"tasks": {f"{AUDIT}@th/0": {"graded": 3, "strict": 3}}},
        {"tasks": {}},
    ],
)
def test_what_cannot_be_a_baseline_is_refused(held, more):
    change(held, **more)
    with pytest.raises(UsageError) as why:
        read_baseline(held, CHOICES, 3)
    assert "main.json" in why.value.where
