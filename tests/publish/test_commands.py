"""`errands card`, `compare`, `export` and `references` as they are typed."""

from __future__ import annotations

import json
import shutil

import pytest

from errands.evidence.folder import RunFolder
from errands.publish.card import Card

from . import shop


def test_a_card_on_the_terminal_as_json_page_and_picture(here, card_args, tmp_path):
    files = ("--html", tmp_path / "c.html", "--svg", tmp_path / "c.svg")
    said = here("card", "skilled-80", *card_args, *files).ok().out
    for words in ("Strict passes", "Crossed the line", "at most", "Coverage", "By world", "a rate needs 10"):
        assert words in said
    for words in ("Beside it", "spam", "It does not show", "errands verify skilled-80", "root"):
        assert words in said
    told = here("card", "skilled-80", *card_args, "--json").ok()
    card = Card.model_validate(told.json)
    assert card.text.decode() == told.out
    assert card.digest in (tmp_path / "c.html").read_text()
    assert card.digest[:16] in (tmp_path / "c.svg").read_text()


def test_known_flaws_are_on_the_card(here, card_args):
    assert "none known to who made the card" in here("card", "null", *card_args).ok().out
    said = here("card", "null", *card_args, "--flaw", "two sites were slow that day").ok().out
    assert "two sites were slow that day" in said and "none known" not in said


def test_baselines_sit_the_same_list_when_asked(here, sold, tmp_path, monkeypatch):
    one = ("--task", "ec-double-booking-resolution", "-m", "sg", "--variant", "0")
    monkeypatch.chdir(tmp_path)
    here("run", "hasty", *one, "--attempts", "2", "--out", "h").ok()
    here("run", "null", *one, "--out", "n").ok()
    told = here("card", "h", "--baseline", "n", "--with-baselines", "--json").ok()
    assert {k: (b["passed"], b["planned"]) for k, b in told.json["baselines"].items()} == {
        "null": (0, 1),
        "refuse": (0, 1),
        "spam": (0, 1),
        "oracle": (1, 1),
    }
    assert (
        told.json["numbers"]["headline"]["said"] == "0 of 2"
        and told.json["numbers"]["crossings"]["count"] == 2
    )
    for name in ("refuse", "spam", "oracle"):
        here("verify", f"{name}-001").ok()
    plan = RunFolder(tmp_path / "errands-runs" / "spam-001").plan()
    assert [f"{a.task}@{a.market}/{a.variant}" for a in plan.attempts] == [
        "ec-double-booking-resolution@sg/0"
    ]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("card", "hasty"), "drawn list, which is not given"),
        (("card", "hasty", "null", "--batch", "batch.json"), "2 agents"),
        (("card", "nowhere"), "there is no run"),
        (("card", "hasty", "--batch", "batch.json", "--baseline", "skilled-80"), "no baseline"),
        (("card", "hasty", "--batch", "batch.json", "--html", "no/where.html"), "cannot be written"),
        (("compare", "hasty", "--batch", "batch.json"), "two runs or more"),
        (("export", "parquet", "hasty", "--batch", "batch.json"), "tables need a folder"),
        (("export", "atif", "hasty:1", "null:1"), "of one attempt"),
        (("export", "yaml", "hasty"), "atif, jsonl, parquet"),
        (("references", "register", "oracle", "--task", "x"), "no product"),
    ],
)
def test_what_cannot_be_is_refused(here, args, words):
    said = here(*args)
    assert said.code == 2 and words in said.err


def test_compare_on_the_terminal(here):
    said = here("compare", "skilled-80", "skilled-40", "--batch", "batch.json").ok().out
    for words in (
        "skilled-40 − skilled-80",
        "points",
        "It sees",
        "Broke",
        "Fixed",
        "Flaky",
        "2 of 2 → 0 of 2",
    ):
        assert words in said
    said = here("compare", "null", "refuse", "skilled-40", "--batch", "batch.json").ok().out
    assert (
        "Not ordered" in said
        and "null, refuse" in said
        and "would need about" in said
        and "Broke" not in said
    )
    told = here("compare", "null", "refuse", "--batch", "batch.json", "--json").ok().json
    assert told["order"] == ["null", "refuse"] and told["matrix"] == [["", "="], ["=", ""]]


# ---- tables ------------------------------------------------------------------------------------------------------


def test_both_forms_of_the_tables_hold_the_same(here, tmp_path):
    import pyarrow.parquet

    for form in ("jsonl", "parquet"):
        here("export", form, "hasty", "--batch", "batch.json", "--out", tmp_path / form).ok()
    for name in ("attempts", "criteria"):
        lines = [json.loads(x) for x in (tmp_path / "jsonl" / f"{name}.jsonl").read_text().splitlines()]
        table = pyarrow.parquet.read_table(tmp_path / "parquet" / f"{name}.parquet")
        assert table.to_pylist() == lines and len(lines) > 30
    again = here("export", "jsonl", "hasty", "--batch", "batch.json", "--out", tmp_path / "jsonl")
    assert again.code == 2 and "exists already" in again.err


def test_a_headline_comes_from_the_parquet_file_in_few_lines(here, card_args, tmp_path):
    import pyarrow.parquet

    here("export", "parquet", "skilled-40", "--batch", "batch.json", "--out", tmp_path / "x").ok()
    rows = pyarrow.parquet.read_table(tmp_path / "x" / "attempts.parquet").to_pylist()
    by = {}
    for r in rows:
        by.setdefault(r["instance"], []).append(r["strict"])
    rate = sum(sum(x) / len(x) for x in by.values()) / len(by)
    told = here("card", "skilled-40", *card_args, "--json").ok().json["numbers"]["headline"]
    assert told["value"] == pytest.approx(rate)


# ---- references --------------------------------------------------------------------------------------------------

TASK = "ec-double-booking-resolution"


@pytest.fixture
def pilot(tmp_path, monkeypatch):
    """A folder with a pilot run of a product: two passes of three at one errand, each of known price."""
    from errands.tasks.registry import Selection

    one = Selection(tasks=(TASK,), markets=("kr", "sg", "tw"), variants=(0,))
    monkeypatch.setitem(shop.SKILLS, "product", 101)
    shop.sit("product", tmp_path / "pilot", None, 1, one)
    shop.sit("null", tmp_path / "null", None, 1, one)
    return tmp_path


def test_medians_of_real_products_are_registered_and_only_then_used(here, pilot, monkeypatch):
    monkeypatch.chdir(pilot)
    bare = here("card", "pilot", "--json").ok().json
    assert bare["normalised"] is None and "no pilot medians" in here("card", "pilot").ok().out
    said = here("references", "register", "pilot", "--task", TASK).ok().out
    assert "3 successes of product" in said
    (ref,) = json.loads((pilot / "references.json").read_text())["tasks"]
    walls = sorted(r["wall_s"] for r in here("results", "pilot", "--json").ok().json["attempts"])
    assert float(ref["wall_s"]) == pytest.approx(walls[1]) and ref["usd"] == "0.010000"
    told = here("card", "pilot", "--references", "references.json", "--json").ok().json["normalised"]
    expected = sum(min(1, walls[1] / w) for w in walls) / 3
    assert told["time"] == pytest.approx(expected) and told["cost"] == 1 and told["timed"] == 3
    assert told["audit"] == pytest.approx(100 * expected)
    again = here("references", "register", "pilot", "--task", TASK)
    assert again.code == 2 and "has a reference already" in again.err


def test_reference_agents_and_tasks_without_a_pass_are_refused(here, pilot, monkeypatch):
    monkeypatch.chdir(pilot)
    said = here("references", "register", "null", "--task", TASK)
    assert said.code == 2 and "no product" in said.err and not (pilot / "references.json").exists()
    said = here("references", "register", "pilot", "--task", "ec-inbox-commitment-audit")
    assert said.code == 2 and "no run given here has sat it" in said.err


def test_a_pilot_that_passed_nothing_or_is_not_finished_gives_no_reference(here, pilot, monkeypatch):
    from errands.tasks.registry import Selection

    monkeypatch.chdir(pilot)
    monkeypatch.setitem(shop.SKILLS, "weak", 0)
    one = Selection(tasks=(TASK,), markets=("sg",), variants=(0,))
    shop.sit("weak", pilot / "weak", None, 1, one)
    said = here("references", "register", "weak", "--task", TASK)
    assert said.code == 2 and "no attempt at it passed" in said.err
    shutil.copytree("pilot", "open")
    (pilot / "open" / "run.json").unlink()
    said = here("references", "register", "open", "--task", TASK)
    assert said.code == 2 and "not finished" in said.err


def test_a_reference_of_another_edition_is_not_used(here, pilot, monkeypatch):
    monkeypatch.chdir(pilot)
    here("references", "register", "pilot", "--task", TASK).ok()
    data = json.loads((pilot / "references.json").read_text())
    data["tasks"][0]["edition"] = "0" * 64
    (pilot / "references.json").write_text(json.dumps(data))
    told = here("card", "pilot", "--references", "references.json", "--json").ok().json
    assert told["normalised"] is None
    data["tasks"][0]["rank"] = 1
    (pilot / "references.json").write_text(json.dumps(data))
    said = here("card", "pilot", "--references", "references.json")
    assert said.code == 2 and "references.json" in said.err and "rank" in said.err
