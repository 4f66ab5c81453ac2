"""The example of docs/card.md, command by command, on a smaller list; its figures worked out again from raw rows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from errands.tasks.standing import Standing
from tests.cli.shell import Here

from . import recompute
from .test_recomputed import BASELINES, agree

PAGE = Path(__file__).parents[2] / "docs" / "card.md"
SOURCE = "drand quicknet, first round after 2026-10-04 12:00 UTC"
TASKS = (
    "--task",
    "*commitment-audit",
    "--task",
    "*double-booking*",
    "--task",
    "*three-party",
    "--task",
    "*cancel*",
)
AGENTS = {a: a for a in ("oracle", "hasty", "null", "refuse", "spam")}
AGENTS |= {"steady": "scripted.py:steady", "shaky": "scripted.py:shaky"}


@pytest.fixture
def here(capfd, tmp_path, monkeypatch):
    """An empty folder with the two files of the page, and a library that counts as calibrated."""
    monkeypatch.setattr("errands.calibrate.frame.standing", lambda t, m: Standing("ready"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "118")
    code = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    (tmp_path / "answers.py").write_text(code[0])
    (tmp_path / "scripted.py").write_text(code[1])
    return Here(capfd)


def test_from_the_draw_to_figures_that_were_worked_out_again(here, tmp_path):
    for line in (
        ("frame", "frame.json", *TASKS, "-m", "sg", "-m", "kr", "--variant", "0", "--jobs", "1"),
        ("rules", "rules.json"),
        ("commit", "c.json", "--frame", "frame.json", "--salt", "salt.txt", "--date", "2026-10-01"),
        ("commit", "c.json", "--rules", "rules.json", "--source", SOURCE, "--date", "2026-10-02"),
        (
            "batch",
            "batch.json",
            "--frame",
            "frame.json",
            "--rules",
            "rules.json",
            "--seed",
            "6ff1c2d07a",
            "--source",
            SOURCE,
        ),
        ("commit", "c.json", "--batch", "batch.json", "--salt", "salt.txt", "--date", "2026-10-04"),
    ):
        here("draw", *line).ok()
    picks = len(json.loads((tmp_path / "batch.json").read_text())["picks"])
    assert picks >= 6
    for name, agent in AGENTS.items():
        here("run", agent, "--batch", "batch.json", "--attempts", "2", "--out", name).ok()
        here("export", "jsonl", name, "--batch", "batch.json", "--out", f"tables/{name}").ok()
    beside = [x for b in BASELINES for x in ("--baseline", b)]
    passed = {}
    for name in ("steady", "shaky", "hasty"):
        told = here("card", name, "--batch", "batch.json", *beside, "--json").ok().json
        again = recompute.card(
            recompute.rows(tmp_path / "tables" / name),
            {b: recompute.rows(tmp_path / "tables" / b) for b in BASELINES},
            tmp_path / "batch.json",
        )
        agree(told, again, 200)
        head = told["numbers"]["headline"]
        passed[name] = head["count"]
        assert head["value"] is None and head["said"] == f"{head['count']} of {2 * picks}"
    assert passed["shaky"] <= passed["steady"] <= 2 * picks and passed["steady"] > 0
    runs = [x for name in AGENTS for x in ("--run", name)]
    verify = (
        "draw",
        "verify",
        "batch.json",
        "--frame",
        "frame.json",
        "--commitment",
        "c.json",
        "--salt",
        "salt.txt",
    )
    said = here(*verify, *runs).ok().out
    assert said.count("the whole list, 2 times") == len(AGENTS) and "the same" in said
    said = here("compare", "steady", "shaky", "--batch", "batch.json").ok().out
    assert "not compared" in said and "a rate needs 10" in said and "Flaky" in said
    here("verify", "steady", "shaky").ok()


def test_the_page_names_commands_that_there_are():
    from errands.cli.app import app

    names = {c.name for c in app.registered_commands} | {g.name for g in app.registered_groups}
    used = set(re.findall(r"\$ errands (\w+)", PAGE.read_text()))
    assert used <= names and {"draw", "run", "card", "compare", "export", "verify", "references"} <= used
