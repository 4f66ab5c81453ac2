"""`init`, `check`, `try`, `diff`, `export`: a builder's first minutes, and a person at the tools."""

from __future__ import annotations

import json

import pytest

from .shell import BOOKING, errands

ONE = ("--task", BOOKING, "--market", "sg", "--variant", "0")


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """A folder with an agent that `init` wrote and a run of `hasty`."""
    folder = tmp_path_factory.mktemp("bench")
    errands("init", "my_agent.py", cwd=folder).ok()
    errands("run", "hasty", *ONE, "--out", "errands-runs/h", cwd=folder).ok()
    return folder


def test_init_writes_about_twelve_lines_that_run_and_keeps_what_is_there(bench):
    text = (bench / "my_agent.py").read_text()
    assert len([x for x in text.splitlines() if x.strip()]) <= 14
    again = errands("init", "my_agent.py", cwd=bench)
    assert again.code == 2 and "exists already" in again.err and (bench / "my_agent.py").read_text() == text
    assert errands("init", "my_agent.txt", cwd=bench).code == 2


def test_check_says_what_works_and_what_it_will_take(bench):
    told = errands("check", "my_agent.py", "--quick", "--json", cwd=bench).ok().json
    assert told["ok"] and [c["name"] for c in told["checks"]] == [
        "replies",
        "calls a tool",
        "second turn",
        "stops",
    ]
    assert told["estimate"]["attempts"] == 8 and told["isolation"] == "in-process"
    shown = errands("check", "my_agent.py", "--quick", cwd=bench).ok().out
    assert shown.count("✓") == 4 and "in-process" in shown and "8 attempts" in shown


def test_check_names_the_broken_pipe_with_code_3(bench):
    (bench / "mute.py").write_text("def agent(message, tools):\n    print('to the screen')\n    return ''\n")
    said = errands("check", "mute.py", *ONE, "--json", cwd=bench)
    told = json.loads(said.out)
    assert said.code == 3 and not told["ok"] and not told["checks"][0]["ok"]


def test_a_tool_that_is_not_from_the_exam_is_refused_unless_allowed_and_then_on_the_record(bench):
    (bench / "wide.py").write_text(
        "def agent(message, tools):\n    return 'nothing done'\n\nagent.tools = ['gmail_send']\n"
    )
    for command in ("run", "check"):
        said = errands(command, "wide.py", *ONE, cwd=bench)
        assert said.code == 2 and "gmail_send" in said.err and "--allow-foreign-tool" in said.err
    told = (
        errands("run", "wide.py", *ONE, "--allow-foreign-tool", "gmail_send", "--json", cwd=bench).ok().json
    )
    assert told["terms"] == {"foreign_tools": ["gmail_send"]}


@pytest.mark.parametrize("amount", ["0", "-1", "much", "1e3", "NaN", "0.5.5"])
def test_an_amount_that_is_none_is_refused(bench, amount):
    said = errands("run", "oracle", *ONE, "--max-cost", amount, cwd=bench)
    assert said.code == 2 and "--max-cost" in said.err and "US dollars" in said.err


# ---- a person ------------------------------------------------------------------------------------


def test_a_person_sits_with_the_same_tools_and_is_graded(bench):
    lines = "tools\nhelp mail_search\nmail_search query=CG- limit=1\nnonsense\nsay I leave it.\nsay Thanks.\n"
    said = errands("try", BOOKING, "-m", "sg", "--json", cwd=bench, stdin=lines)
    record = json.loads(said.out)
    assert (
        record["agent"] == "person"
        and record["counts"]["graded"] == 1
        and not record["attempts"][0]["strict"]
    )
    for words in ("double-booked", "mail_search", "words that must all occur", "CG-", "neither a tool nor"):
        assert words in said.err
    assert errands("verify", record["path"], cwd=bench).code == 0


def test_whoever_leaves_leaves_nothing(bench):
    said = errands("try", BOOKING, "--out", "errands-runs/left", cwd=bench, stdin="clock_now\nquit\n")
    assert said.code == 130 and not (bench / "errands-runs" / "left").exists()


def test_taking_over_before_the_line_was_crossed(bench):
    explained = errands("explain", "h:1", cwd=bench).ok().out
    name = explained.partition("--from ")[2].split()[0]
    assert name.startswith("h:1@") and name != "h:1@0"
    said = errands(
        "try", "--from", name, "--json", cwd=bench, stdin="say I prepared the notes only.\nsay Bye.\n"
    )
    record = json.loads(said.out)
    row = record["attempts"][0]
    assert record["agent"] == f"person:{name}" and not row["crossed"], "taken over before anything was sent"
    assert next(c for c in row["criteria"] if c["id"] == "moved")["result"] == "met", (
        "what it had done stands"
    )
    assert errands("verify", record["path"], cwd=bench).code == 0


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "name an errand"),
        ((BOOKING, "--from", "h:1@1"), "name an errand"),
        (("--from", "h:1"), "RUN:N@CALLS"),
        (("--from", "h:1@999"), "0 to"),
        (("--from", "h:9@1"), "1 to 1"),
    ],
)
def test_what_cannot_be_tried_is_said(bench, args, words):
    said = errands("try", *args, cwd=bench, stdin="")
    assert said.code == 2 and words in said.err and "Traceback" not in said.err


# ---- side by side, and elsewhere -----------------------------------------------------------------


def test_diff_shows_what_only_one_of_them_did(bench):
    told = errands("diff", "h:1", "oracle", "--json", cwd=bench).ok().json
    assert told["first"] == [] and all("yes to" in s for s in told["second"]) and told["second"]
    assert told["criteria"] == [["asked_first", "not_met", "met"]]
    assert any("calendar event" in s for s in told["both"])
    same = errands("diff", "h:1", "h:1", "--json", cwd=bench).ok().json
    assert same["first"] == same["second"] == same["criteria"] == []
    assert errands("diff", "h:1", "wrong:no_such", cwd=bench).code == 2


def test_attempts_at_different_errands_are_not_compared(bench):
    errands(
        "run", "null", "--task", BOOKING, "-m", "kr", "--variant", "1", "--out", "errands-runs/k", cwd=bench
    ).ok()
    said = errands("diff", "h:1", "k:1", cwd=bench)
    assert said.code == 2 and "not at the same errand" in said.err


def test_a_trajectory_holds_every_call_with_its_answer(bench):
    told = errands("export", "atif", "h:1", cwd=bench).ok().json
    assert told["schema_version"].startswith("ATIF-v1.") and told["agent"]["name"] == "hasty"
    assert [s["step_id"] for s in told["steps"]] == list(range(1, len(told["steps"]) + 1))
    assert told["steps"][0]["source"] == "user" and "double-booked" in told["steps"][0]["message"]
    calls = [c for s in told["steps"] for c in s.get("tool_calls", [])]
    answers = [r for s in told["steps"] for r in s.get("observation", {}).get("results", [])]
    assert [c["tool_call_id"] for c in calls] == [r["source_call_id"] for r in answers] and len(calls) > 5
    assert all(json.loads(r["content"]) is not None for r in answers)
    assert told["final_metrics"]["total_steps"] == len(told["steps"])
    errands("export", "atif", "h:1", "--out", "t.json", cwd=bench).ok()
    assert json.loads((bench / "t.json").read_text()) == told
    assert errands("export", "yaml", "h:1", cwd=bench).code == 2
