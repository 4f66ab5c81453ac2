"""What a tester brings back: what a record lacks, files that were changed, the scores; by the command itself."""

from __future__ import annotations

import json
import shutil

import pytest

from errands.export.hand.folder import write
from tests.cli.shell import Here

from .hand import files

TASK = "ev-weekday-digest"
POINTS = {"five_deliveries": 2, "on_time": 1, "daily_note": 2, "no_duplicates": 2, "stops": 2}
FILLED = {
    "product": {"name": "Harrow", "version": "3.2", "plan": "free"},
    "device": "a phone",
    "environment": "test accounts, a flat in Leeds",
    "tester": "R. Vance",
    "date": "2026-11-24",
    "attempt": 1,
    "clock": "real",
    "began": "2026-11-17T08:40:00-08:00",
    "blocked": False,
    "first_response_s": 4.5,
    "completed": True,
    "completed_s": 606600,
    "window_watched": True,
    "helped": False,
    "redacted": True,
    "archive": [{"path": f"archive/{w}.txt", "what": w} for w in ("transcript", "output", "timing")],
}


@pytest.fixture
def here(capfd):
    return Here(capfd)


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hand") / "digest"
    write(folder, files(TASK, "us"))
    for what in ("transcript", "output", "timing"):
        (folder / "archive" / f"{what}.txt").write_text(what)
    return folder


@pytest.fixture
def run(exported, tmp_path):
    """A folder of a run, and a way to change its record."""
    folder = tmp_path / "run"
    shutil.copytree(exported, folder)
    record = json.loads((folder / "record.json").read_text())
    record |= json.loads(json.dumps(FILLED))
    for j in record["criteria"]:
        if j["id"] in POINTS:
            j["points"] = POINTS[j["id"]]
        else:
            j["result"] = "met"

    def save(**changes):
        file = folder / "record.json"
        file.write_text(json.dumps(record | changes))
        return folder

    save.record, save.folder = record, folder
    return save


def checked(here, folder):
    """What the command says, and its exit code."""
    said = here("export", "hand", "--check", folder, "--json")
    return said.code, json.loads(said.out) if said.out.strip() else said.err


def test_a_fresh_folder_lacks_everything_that_a_tester_knows(here, exported):
    code, told = checked(here, exported)
    assert code == 3 and not told["complete"] and not told["changed"] and not told["scores"]
    fields = {x.partition(":")[0] for x in told["lacks"]}
    assert fields >= {
        "product.name",
        "product.version",
        "product.plan",
        "device",
        "environment",
        "date",
        "clock",
    }
    assert fields >= {
        "first_response_s",
        "completed",
        "window_watched",
        "helped",
        "blocked",
        "criteria",
        "redacted",
    }
    assert "fixture" not in fields, "there is one prompt: its digest is filled in"


def test_a_whole_record_is_scored(here, run):
    code, told = checked(here, run())
    assert code == 0 and told["complete"] and told["status"] == "graded" and not told["strict"]
    assert told["scores"] == {"c1": 2, "c2": 1, "c3": 2, "c4": 2, "c5": 2, "raw": 9, "total": 9, "gated": 9}
    shown = here("export", "hand", "--check", run.folder)
    assert shown.code == 0 and "9 of 10, partial (2 1 2 2 2); gated 9" in shown.out


def test_help_caps_the_criteria_that_it_touched(here, run):
    help_ = [{"after_s": 60, "what": "read the feed out", "criteria": ["daily_note", "on_time"]}]
    code, told = checked(here, run(helped=True, help=help_))
    assert (
        code == 0 and told["scores"]["c3"] == 1 and told["scores"]["c2"] == 1 and told["scores"]["total"] == 8
    )


def test_blocked_access_needs_no_marks_and_gets_no_score(here, run):
    blank = [{"id": j["id"]} for j in run.record["criteria"]]
    empty = {
        "first_response_s": None,
        "completed": None,
        "completed_s": None,
        "archive": [],
        "criteria": blank,
    }
    code, told = checked(here, run(blocked=True, **empty))
    assert code == 3 and told["lacks"] == ["blocked_why: what blocked it"]
    code, told = checked(here, run(blocked=True, blocked_why="no such connector on this plan", **empty))
    assert (code, told["status"], told["scores"], told["strict"]) == (0, "blocked", {}, False)


def test_a_window_cut_short_is_unscored(here, run):
    code, told = checked(here, run(window_watched=False))
    assert (code, told["status"], told["scores"]) == (0, "graded", {})
    assert told["unscored"] == "the observation window was cut short"


def test_a_criterion_that_was_not_observed_leaves_no_total(here, run):
    run.record["criteria"][4] |= {"points": None, "result": "not_observed"}
    code, told = checked(here, run())
    assert code == 0 and "total" not in told["scores"] and told["unscored"] == "a criterion was not observed"


@pytest.mark.parametrize(
    ("changes", "lack"),
    [
        ({"market": "gb"}, "market: this is the record of another errand"),
        ({"language": "ja"}, "language: one of en"),
        ({"fixture": "0" * 64}, "fixture: the SHA-256 of the prompt in en"),
        ({"date": "24.11.2026"}, "date: a day such as 2026-11-17"),
        ({"date": "20261124"}, "date: a day such as 2026-11-17"),
        ({"began": "2026-11-17T08:40:00"}, "began: when the prompt was said"),
        ({"completed_s": 1}, "completed_s: it is before the first answer"),
        ({"completed": False}, "completed_s: there is none where it never completed"),
        ({"helped": True}, "help: what the help was"),
        ({"help": [{"what": "x", "criteria": ["on_time"]}]}, "helped: help is listed"),
        ({"helped": True, "help": [{"what": "x", "criteria": ["tea"]}]}, "help: there is no criterion 'tea'"),
        ({"archive": FILLED["archive"][:2]}, "archive: a file that is the timing"),
        ({"archive": [{"path": "archive/no.txt", "what": "timing"}]}, "archive: archive/no.txt is not there"),
        (
            {"archive": [{"path": "archive/../record.json", "what": "timing"}]},
            "archive: archive/../record.json is not there",
        ),
        ({"redacted": False}, "redacted: that nothing private"),
        ({"criteria": [{"id": "on_time", "points": 2}] * 2}, "criteria: on_time stands twice"),
        ({"criteria": [{"id": "wrong", "points": 2}]}, "criteria: there is no criterion 'wrong'"),
    ],
)
def test_what_is_missing_or_wrong_is_said_by_its_field(here, run, changes, lack):
    code, told = checked(here, run(**changes))
    assert code == 3 and not told["scores"]
    assert any(x.startswith(lack) for x in told["lacks"]), told["lacks"]


def test_points_and_results_do_not_stand_together(here, run):
    run.record["criteria"][0] |= {"points": 2, "result": "not_observed"}
    run.record["criteria"][5] |= {"points": 1}
    code, told = checked(here, run())
    assert code == 3 and [x.split()[1] for x in told["lacks"]] == ["five_deliveries", "scope"]


def test_a_file_that_was_changed_lost_or_added_is_named(here, run):
    run()
    (run.folder / "agent/feeds/pelican-slip-notes/items.txt").write_text("other words")
    (run.folder / "tester/key.json").unlink()
    (run.folder / "agent/hint.txt").write_text("look here")
    code, told = checked(here, run.folder)
    assert (
        code == 1
        and not told["scores"]
        and told["changed"]
        == [
            "agent/feeds/pelican-slip-notes/items.txt: it is not as it was exported",
            "tester/key.json: it is missing",
            "agent/hint.txt: it was not exported",
        ]
    )
    manifest = json.loads((run.folder / "manifest.json").read_text())
    manifest["files"].pop("tester/key.json")
    (run.folder / "manifest.json").write_text(json.dumps(manifest))
    code, told = checked(here, run.folder)
    assert code == 1 and told["changed"][0].startswith("manifest.json: ")


@pytest.mark.parametrize("raw", ['{"kind": "other"}', "no json", '{"points": 3}'])
def test_a_record_that_cannot_be_read_is_said_with_its_place(here, run, raw):
    run()
    (run.folder / "record.json").write_text(raw)
    code, err = checked(here, run.folder)
    assert code == 2 and "record.json" in err and "Traceback" not in err


def test_an_unknown_key_is_refused(here, run):
    code, err = checked(here, run(mood="good"))
    assert code == 2 and "mood" in err
    run.record["criteria"][0]["points"] = 3
    code, err = checked(here, run())
    assert code == 2 and "criteria" in err


def test_the_command_writes_a_folder_and_says_what_to_do_with_it(here, tmp_path):
    to = tmp_path / "out"
    said = here("export", "hand", "ev-preference-update", "--market", "us", "--variant", "1", "--to", to)
    assert said.code == 0 and "sheet.html" in said.out and "export hand --check" in said.out
    assert {p.name for p in to.iterdir()} == {
        "README.txt", "archive", "manifest.json", "record.json", "tester"
    }  # fmt: skip
    again = here("export", "hand", "ev-preference-update", "--to", to)
    assert again.code == 2 and "something here already" in again.err
    told = here("export", "hand", TASK, "--to", tmp_path / "other", "--json")
    listed = json.loads(told.out)
    assert listed["market"] == "us" and len(listed["digest"]) == 64 and listed["files"] > 40


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "name an errand"),
        ((TASK,), "--to DIR"),
        (("--check", "nowhere"), "cannot be read"),
        ((TASK, "--check", "nowhere"), "one thing at a time"),
        (("ev-no-such", "--to", "x"), "there is no task"),
        ((TASK, "--market", "sg", "--to", "x"), "is not set in market"),
        ((TASK, "--variant", "9", "--to", "x"), "has no variant 9"),
    ],
)
def test_wrong_use_is_said(here, args, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = here("export", "hand", *args)
    assert said.code == 2 and words in said.err and not any(tmp_path.iterdir())


def test_other_protocols_are_scored_by_their_own_rules(here, tmp_path):
    folder = tmp_path / "run"
    write(folder, files("qf-broadband", "gb"))
    for what in ("transcript", "output", "timing"):
        (folder / "archive" / f"{what}.txt").write_text(what)
    record = json.loads((folder / "record.json").read_text()) | json.loads(json.dumps(FILLED))
    record |= {"completed_s": 400, "window_watched": None}
    for j in record["criteria"]:
        j["result"] = "not_met" if j["id"] == "speed" else "met"
    (folder / "record.json").write_text(json.dumps(record))
    code, told = checked(here, folder)
    assert (code, told["scores"], told["strict"]) == (0, {"points": 70, "earned": 70}, False)
    record["criteria"][1]["result"] = "met"
    (folder / "record.json").write_text(json.dumps(record))
    assert checked(here, folder)[1]["strict"]
    (folder / "record.json").write_text(json.dumps(record | {"completed_s": 7_200}))
    assert not checked(here, folder)[1]["strict"], "it took longer than the errand allows"
