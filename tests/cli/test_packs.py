"""Private packs: made, listed, run, calibrated, started from a failure; and what is wrong in one is told."""

from __future__ import annotations

import json

import pytest

from .shell import errands


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with a pack of one task, calibrated and locked."""
    here = tmp_path_factory.mktemp("packs")
    errands("new", "task", "acme/late-fee", cwd=here).ok()
    errands("calibrate", "--pack", "acme", "--suite", "acme", "--lock", cwd=here).ok()
    return here


def listed(here, *args):
    return {t["task"]: t for t in errands("list", *args, "--json", cwd=here).ok().json["tasks"]}


def test_a_pack_is_seen_where_it_is_named_and_nowhere_else(home):
    here = listed(home, "--pack", "acme")
    assert here["acme-late-fee"]["pack"] == "acme" and here["acme-late-fee"]["status"] == "ready"
    assert "acme-late-fee" not in listed(home)
    assert (
        errands("show", "acme-late-fee", "--pack", "acme", "--json", cwd=home).ok().json["status"] == "ready"
    )


def test_a_run_names_the_pack_by_its_digest_and_workers_have_it_too(home):
    said = (
        errands(
            "run",
            "oracle",
            "--pack",
            "acme",
            "--suite",
            "acme",
            "--jobs",
            "2",
            "--out",
            "r",
            "--json",
            cwd=home,
        )
        .ok()
        .json
    )
    assert said["strict_passes"] == 3 and said["drafts"] == {}
    assert len(said["packs"]["acme"]) == 64
    plan = json.loads((home / "r" / "plan.json").read_text())
    assert plan["packs"] == said["packs"]
    assert errands("verify", "r", "--pack", "acme", cwd=home).code == 0
    without = errands("verify", "r", cwd=home)
    assert without.code == 3 and "not re-graded" in without.out


def test_a_change_makes_it_a_draft_until_it_is_calibrated_again(home):
    file = home / "acme" / "tasks" / "late_fee" / "solutions.py"
    was = file.read_text()
    file.write_text(was + "# thought about again\n")
    try:
        found = listed(home, "--pack", "acme")["acme-late-fee"]
        assert found["status"] == "draft" and "its folder changed" in found["not_ready"]["sg"]
        ran = errands("run", "null", "--pack", "acme", "--suite", "acme", cwd=home)
        assert "draft:" in ran.out and "acme-late-fee@sg" in ran.out
    finally:
        file.write_text(was)
    assert listed(home, "--pack", "acme")["acme-late-fee"]["status"] == "ready"


def test_a_recorded_failure_becomes_a_task_in_which_it_is_a_wrong_result(home):
    errands(
        "run", "hasty", "--task", "ec-double*", "-m", "kr", "--variant", "4", "--out", "fail", cwd=home
    ).ok()
    errands("new", "task", "acme/the-hasty-one", "--from", "fail:1", cwd=home).ok()
    shown = errands("show", "acme-the-hasty-one", "-m", "kr", "--pack", "acme", "--json", cwd=home).ok().json
    assert "wrong:recorded" in shown["agents"] and shown["front"]["facts_of"].endswith("@kr/4")
    again = (
        errands(
            "run",
            "wrong:recorded",
            "--pack",
            "acme",
            "--task",
            "acme-the*",
            "--out",
            "again",
            "--json",
            cwd=home,
        )
        .ok()
        .json
    )
    failed = again["attempts"][0]["criteria"]
    assert again["crossed"] == 1 and {c["id"] for c in failed if c["result"] != "met"} == {"asked_first"}
    assert (
        errands("run", "oracle", "--pack", "acme", "--task", "acme-the*", "--json", cwd=home)
        .ok()
        .json["strict_passes"]
        == 1
    )


def test_a_passed_attempt_is_no_failure_to_start_from(home):
    errands(
        "run", "oracle", "--task", "ec-double*", "-m", "sg", "--variant", "0", "--out", "good", cwd=home
    ).ok()
    said = errands("new", "task", "acme/good", "--from", "good:1", cwd=home)
    assert said.code == 2 and "met every criterion" in said.err
    assert not (home / "acme" / "tasks" / "good").exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [("late-fee", "no name of a task"), ("acme/Late", "no name"), ("acme/late-fee", "there already")],
)
def test_names_that_do_not_do(home, name, words):
    said = errands("new", "task", name, cwd=home)
    assert said.code == 2 and words in said.err


def test_what_is_wrong_with_a_pack_is_told_with_file_and_line(home, tmp_path):
    assert "no pack" in errands("list", "--pack", str(tmp_path), cwd=home).err
    errands("new", "task", "broken/one", cwd=tmp_path).ok()
    file = tmp_path / "broken" / "tasks" / "one" / "task.py"
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines[:-1], "    return listing.nothing_such(e)", "nobody()"]))
    said = errands("list", "--pack", "broken", cwd=tmp_path)
    assert said.code == 2 and "NameError" in said.err and f"task.py, line {len(lines) + 1}" in said.err
    assert "Traceback" not in said.err


def test_an_id_that_the_library_has_is_refused(home, tmp_path):
    errands("new", "task", "ours/one", cwd=tmp_path).ok()
    file = tmp_path / "ours" / "tasks" / "one" / "Task.md"
    file.write_text(file.read_text().replace('id = "ours-one"', 'id = "ec-inbox-commitment-audit"'))
    said = errands("list", "--pack", "ours", cwd=tmp_path)
    assert said.code == 2 and "here twice" in said.err
