"""A draw from frame to run, by the command line; and what a stranger finds when somebody changed it."""

from __future__ import annotations

import json
import shutil

import pytest

from errands.cli.app import run as command
from errands.draw.batch import Batch
from errands.draw.files import read
from errands.evidence.folder import RunFolder

from .shell import Here

SOURCE = "the beacon of 4 October 2026, first round after noon UTC"
SEED = ("--seed", "9f3c", "--source", SOURCE)
STRAY = ("draw", "withdraw", "batch.json", "x@sg/0", "--out", "b", "--code", "broken", "--date", "2026-10-05")
TASKS = (
    "--task",
    "ec-inbox-commitment-audit",
    "--task",
    "ec-double-booking-resolution",
    "--task",
    "*three-party",
)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with a frame of three errands in two markets, its rules, batch and commitment."""
    here = tmp_path_factory.mktemp("draw")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        for line in (
            ["frame", "frame.json", *TASKS, "-m", "sg", "-m", "kr", "--variant", "0", "--jobs", "1"],
            ["rules", "rules.json", "--exclude", "broken=ec-reschedule-three-party@kr/*"],
            ["commit", "c.json", "--frame", "frame.json", "--salt", "salt", "--date", "2026-10-01"],
            ["commit", "c.json", "--rules", "rules.json", "--source", SOURCE, "--date", "2026-10-02"],
            ["batch", "batch.json", "--frame", "frame.json", "--rules", "rules.json", *SEED],
            ["commit", "c.json", "--batch", "batch.json", "--salt", "salt", "--date", "2026-10-04"],
        ):
            with pytest.raises(SystemExit) as end:
                command(["draw", *line])
            assert end.value.code in (0, None)
    return here


@pytest.fixture
def mine(home, tmp_path, monkeypatch):
    """A private copy, as the working folder."""
    shutil.copytree(home, tmp_path / "d")
    monkeypatch.chdir(tmp_path / "d")
    return tmp_path / "d"


@pytest.fixture
def here(capfd):
    return Here(capfd)


VERIFY = ("draw", "verify", "batch.json", "--frame", "frame.json", "--commitment", "c.json", "--salt", "salt")


def test_the_batch_is_told_with_its_warning_and_what_it_cannot(mine, here):
    said = here("draw", "show", "batch.json").ok().out
    for words in (
        "6 instances, 1 excluded, 5 in 2 groups",
        "broken: 1",
        "100.0 %",
        "Warning",
        "Cannot",
        "chance",
    ):
        assert words in said
    told = here("draw", "show", "batch.json", "--json").ok().json
    assert told["totals"]["drawn"] == 4 == len(told["picks"])


def test_the_same_input_draws_the_same_bytes(mine, here):
    here("draw", "batch", "again.json", "--frame", "frame.json", "--rules", "rules.json", *SEED).ok()
    assert (mine / "again.json").read_bytes() == (mine / "batch.json").read_bytes()


def test_it_verifies_with_the_commitment_in_its_order(mine, here):
    said = here(*VERIFY).ok().out
    assert "drawn again from frame, rules and seed: the same" in said
    places = [
        said.index(w) for w in ("library 2026-10-01", "rules 2026-10-02", "seed-source", "list 2026-10-04")
    ]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("file", "old", "new", "where"),
    [
        ("batch.json", '"reason": "next"', '"reason": "first"', "picks["),
        ("batch.json", '"9f3c"', '"9f3d"', "groups["),
        ("batch.json", '"drawn": 4', '"drawn": 5', "totals.drawn: 5 in the file, 4 by"),
        ("batch.json", SOURCE, "my own", "seed-source: 'my own'"),
        ("frame.json", '"world": "office"', '"world": "home"', "frame_digest"),
        ("c.json", "2026-10-02", "2026-10-03", "steps, "),
    ],
)
def test_what_was_tampered_with_is_refused_with_what_and_where(mine, here, file, old, new, where):
    text = (mine / file).read_text()
    assert old in text
    (mine / file).write_text(text.replace(old, new, 1))
    said = here(*VERIFY)
    assert said.code == 1 and where in said.out and "✓" not in said.out
    told = here(*VERIFY, "--json")
    assert told.code == 1 and told.json["holds"] is False and told.json["problems"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("draw", "verify", "frame.json", "--frame", "frame.json"), "a file of kind errands-batch"),
        (("draw", "verify", "batch.json"), "the frame is missing"),
        (("draw", "verify", "nowhere.json", "--frame", "frame.json"), "cannot be read"),
        (("draw", "rules", "r.json", "--cap", "4"), "not offered"),
        (("draw", "rules", "r.json", "--exclude", "hard=x"), "no code 'hard'"),
        (("draw", "batch", "b", "--frame", "frame.json", "--seed", "a b", "--source", "s"), "is no seed"),
        (("draw", "commit", "c.json", "--date", "2026-10-05"), "nothing to commit"),
        (
            ("draw", "commit", "c.json", "--rules", "rules.json", "--date", "2026-10-05"),
            "cannot be committed",
        ),
        (("draw", "commit", "n.json", "--frame", "frame.json", "--date", "2026-10-05"), "salt is missing"),
        (STRAY, "was not drawn"),
        (("run", "oracle", "--batch", "batch.json", "--quick"), "run whole"),
        (("run", "oracle", "--batch", "batch.json", "-m", "sg"), "run whole"),
        (("run", "oracle:later_slot", "--batch", "batch.json"), "nothing to do"),
    ],
)
def test_what_cannot_be_is_refused(mine, here, args, words):
    said = here(*args)
    assert said.code == 2 and words in said.err


def test_revealed_it_verifies_alone_and_else_it_is_not_written(mine, here):
    line = ("draw", "reveal", "all.json", "--commitment", "c.json", "--frame", "frame.json")
    line += ("--batch", "batch.json", "--salt", "salt")
    here(*line).ok()
    (mine / "alone").mkdir()
    shutil.move(mine / "all.json", mine / "alone" / "all.json")
    assert "the same" in here("draw", "verify", "alone/all.json").ok().out
    (mine / "salt").write_text("ab" * 32)
    assert here(*line).code == 1 and not (mine / "all.json").exists()


def test_one_task_is_proven_without_the_others(mine, here):
    drawn = read(Batch, mine / "batch.json")
    ident = drawn.picks[0].id
    here("draw", "prove", ident, "--batch", "batch.json", "--salt", "salt", "--out", "p.json").ok()
    assert f"{ident} is in" in here("draw", "verify", "p.json", "--commitment", "c.json").ok().out
    other = (mine / "p.json").read_text().replace(ident, drawn.picks[1].id)
    (mine / "p.json").write_text(other)
    assert here("draw", "verify", "p.json", "--commitment", "c.json").code == 1


# ---- runs over the list ------------------------------------------------------------------------------------------


def test_a_run_sits_exactly_the_list_as_often_as_asked(mine, here):
    drawn = read(Batch, mine / "batch.json")
    for agent in ("oracle", "hasty"):
        here("run", agent, "--batch", "batch.json", "--attempts", "2", "--out", agent).ok()
        plan = RunFolder(mine / agent).plan()
        assert plan.batch == drawn.digest
        sat = sorted((f"{a.task}@{a.market}/{a.variant}", a.repeat) for a in plan.attempts)
        assert sat == sorted((p.id, r) for p in drawn.picks for r in (1, 2))
    said = here(*VERIFY, "--run", "oracle", "--run", "hasty").ok().out
    assert said.count("the whole list, 2 times") == 2
    here("verify", "oracle").ok()


def test_it_goes_on_where_it_was_stopped(mine, here):
    here("run", "null", "--batch", "batch.json", "--out", "r").ok()
    before = RunFolder(mine / "r").plan().text
    gone = mine / "r" / "bundles" / "0002.zip"
    kept = (mine / "r" / "bundles" / "0001.zip").read_bytes()
    gone.unlink()
    (mine / "r" / "run.json").unlink()
    said = here("run", "--resume", "r", "--json").ok().json
    assert said["counts"] == {"planned": 4, "graded": 4, "blocked": 0, "invalid": 0, "not_run": 0}
    assert RunFolder(mine / "r").plan().text == before
    assert (mine / "r" / "bundles" / "0001.zip").read_bytes() == kept
    refused = here("run", "--resume", "r", "--batch", "batch.json")
    assert refused.code == 2 and "has its agent, selection" in refused.err


def test_after_a_withdrawal_the_list_is_shorter_and_older_runs_stay_known(mine, here):
    here("run", "null", "--batch", "batch.json", "--out", "before").ok()
    drawn = read(Batch, mine / "batch.json")
    ident = drawn.picks[-1].id
    line = ("draw", "withdraw", "batch.json", ident, "--out", "less.json", "--code", "robot-check")
    said = here(*line, "--date", "2026-10-06", "--json").ok().json
    assert said["listed"] == {"tasks": 3, "groups": 2} and said["without"] == {"tasks": 2, "groups": 1}
    assert "withdrawn" in here("draw", "show", "less.json").ok().out
    assert here(*line, "--date", "6 October").code == 2
    here("run", "null", "--batch", "less.json", "--out", "after").ok()
    plan = RunFolder(mine / "after").plan()
    assert len(plan.attempts) == 3 and ident not in {
        f"{a.task}@{a.market}/{a.variant}" for a in plan.attempts
    }
    here("draw", "verify", "less.json", *VERIFY[3:], "--run", "before", "--run", "after").ok()


def test_a_run_of_something_else_is_not_one_of_the_list(mine, here):
    here("run", "null", "--task", "*double*", "-m", "sg", "--variant", "0", "--out", "other").ok()
    said = here(*VERIFY, "--run", "other")
    assert said.code == 1 and "it is not one of this list" in said.out


def test_a_plan_that_names_the_list_and_leaves_one_out_is_found(mine, here):
    here("run", "null", "--batch", "batch.json", "--out", "r").ok()
    file = mine / "r" / "plan.json"
    plan = RunFolder(mine / "r").plan()
    file.write_bytes(plan.model_copy(update={"attempts": plan.attempts[1:]}).text)
    said = here(*VERIFY, "--run", "r")
    assert said.code == 1 and "not the whole list" in said.out


def test_a_run_before_the_commitment_is_found(mine, here):
    here("run", "null", "--batch", "batch.json", "--out", "r").ok()
    (mine / "r" / "plan.json").write_bytes(
        RunFolder(mine / "r").plan().model_copy(update={"created": "2026-10-03T10:00:00+00:00"}).text
    )
    said = here(*VERIFY, "--run", "r")
    assert said.code == 1 and "before the list was committed" in said.out


def test_a_task_that_changed_since_the_draw_is_not_run(mine, here):
    data = json.loads((mine / "batch.json").read_text())
    name, digest = next(iter(data["editions"].items()))
    text = (mine / "batch.json").read_text().replace(f'"{name}": "{digest}"', f'"{name}": "{"0" * 64}"')
    (mine / "batch.json").write_text(text)
    said = here("run", "null", "--batch", "batch.json", "--out", "r")
    assert said.code == 2 and "has changed since the draw" in said.err and not (mine / "r").exists()


def test_plans_of_before_stay_readable(mine, here):
    here("run", "null", "--task", "*double*", "-m", "sg", "--variant", "0", "--out", "old").ok()
    assert b"batch" not in (mine / "old" / "plan.json").read_bytes()
