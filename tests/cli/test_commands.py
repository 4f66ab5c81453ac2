"""Every command: its exit codes, its one JSON object, and the commands that it prints."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .shell import AUDIT, BIN, BOOKING, DEMO, MARKETS, SG_BOOKING, errands

COMMANDS = {
    "list": ["list"],
    "show": ["show", BOOKING],
    "results": ["results", "demo-hasty"],
    "explain": ["explain", f"demo-hasty:{SG_BOOKING}"],
    "verify": ["verify", "demo-null", "demo-hasty"],
    "index": ["index"],
    "doctor": ["doctor"],
    "demo": ["demo", "--out", "again"],
    "run": ["run", "null", "--task", BOOKING, "--market", "sg", "--out", "null-run"],
}
ATTEMPT = {
    "task",
    "market",
    "variant",
    "agent",
    "status",
    "end_reason",
    "isolation",
    "strict",
    "scores",
    "criteria",
    "wall_s",
    "virtual_s",
    "cost_usd",
    "evidence_path",
}
COUNTS = ["planned", "graded", "blocked", "invalid", "not_run"]


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_in_its_own_process_prints_one_json_object(name, mine):
    said = errands(*COMMANDS[name], "--json", cwd=mine.parent)
    assert said.code == 0, said.err
    assert isinstance(said.json, dict)
    assert said.err == ""


@pytest.mark.parametrize("name", [n for n in COMMANDS if n != "demo"])
def test_each_command_prints_a_screen_that_ends_without_markup(name, mine, here):
    said = here(*COMMANDS[name]).ok()
    assert said.out.strip() and not re.search(r"\[/?(bold|red|green|dim|yellow)\]|\x1b", said.out)


# ---- commands that screens print ----


def printed(*screens):
    """The `errands …` lines of screens, as they would be pasted."""
    lines = [line for text in screens for line in text.splitlines()]
    found = [re.search(r"\berrands (?=[a-z]).*$", line) for line in lines]
    return list(dict.fromkeys(f.group(0).strip() for f in found if f))


def test_every_printed_command_works_when_pasted(desk, mine, here):
    (mine.parent / "my_agent.py").write_text("def agent(message, tools):\n    return 'I would rather not.'\n")
    screens = [
        desk.said.out,
        *(here(*COMMANDS[n]).ok().out for n in ("list", "show", "results", "explain", "doctor", "run")),
    ]
    pasted = printed(*screens)
    assert len(pasted) >= 10
    for line in pasted:
        said = here(*shlex.split(line)[1:])
        assert said.code == 0, (line, said.err)


def test_a_printed_command_works_in_a_shell(desk):
    line = next(x for x in printed(desk.said.out) if x.startswith("errands explain"))
    env = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-c", line], cwd=desk.path, env=env, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0 and "asked_first" in done.stdout


def test_commands_stay_on_one_line_and_are_quoted_where_needed(mine, here, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    name = "a run with a rather long name and spaces"
    (mine / "demo-hasty").rename(mine / name)
    screens = here("results", name).out + here("explain", f"{name}:{SG_BOOKING}").ok().out
    pasted = [x for x in printed(screens) if name in x]
    assert pasted
    for line in pasted:
        assert here(*shlex.split(line)[1:]).code == 0, line


def test_module_and_script_are_the_same():
    by_module = subprocess.run(
        [sys.executable, "-m", "errands", "--version"], capture_output=True, text=True, timeout=60
    )
    assert by_module.stdout == errands("--version", cwd=".").ok().out != ""


def test_help_names_every_command_and_the_exit_codes(here):
    said = here("--help").ok().out
    assert all(name in said for name in COMMANDS) and "Exit codes" in said
    for name in COMMANDS:
        assert "--json" in here(name, "--help").ok().out


# ---- exit 2: wrong usage, unreadable input ----

WRONG = [
    (["lst"], "list"),
    (["run", "oracle", "--bogus"], "--bogus"),
    (["run"], "no agent is named"),
    (["run", "oracel"], "oracle"),
    (["run", "oracle", "--task", "ec-doubel-booking"], BOOKING),
    (["run", "oracle", "--task", "*nothing*"], AUDIT),
    (["run", "oracle", "--suite", "consumers"], "consumer"),
    (["run", "oracle", "--domain", "email"], "email-calendar"),
    (["run", "oracle", "--market", "sq"], "sg"),
    (["run", "oracle", "--tag", "calender"], "calendar"),
    (["run", "oracle", "--variant", "17"], "perhaps 7, 1"),
    (["run", "oracle", "--variant", "seven"], "integer"),
    (["run", "oracle", "--language", "xx"], "en or local"),
    (["run", "oracle", "--attempts", "0"], "--attempts"),
    (["run", "oracle", "--jobs", "0"], "--jobs"),
    (["run", "oracle", "--jobs", "65"], "1 to 64"),
    (["run", "oracle", "--out", "errands-runs/demo-null"], "exists"),
    (["run", "--resume", "nothing-here"], "nothing-here"),
    (["run", "oracle", "--resume", "demo-null"], "--resume"),
    (["run", "--resume", "demo-null", "--task", BOOKING], "--resume"),
    (["run", "oracle:no_such_way"], "nothing to do"),
    (["run", "wrong:tidied_up", "--task", AUDIT], "nothing to do"),
    (["list", "--task", BOOKING, "--tag", "tracing"], "empty"),
    (["show", "ec-double"], BOOKING),
    (["show", BOOKING, "--market", "xx"], "sg"),
    (["show", BOOKING, "--variant", "10"], "0 to 9"),
    (["results", "demo-hastly"], "demo-hasty"),
    (["explain", "demo-hasty"], "RUN:N"),
    (["explain", "demo-hasty:99"], f"1 to {DEMO}"),
    (["explain", "demo-hasty:0"], f"1 to {DEMO}"),
    (["explain", "demo-hasty:-1"], "RUN:N"),
    (["explain", "demo-hasty:¹"], "RUN:N"),
    (["explain", "last:x"], "RUN:N"),
    (["verify"], "PATHS"),
    (["verify", "errands-runs"], "errands-runs"),
    (["index", "--db", "no-such-dialect://x"], "sqlite:///"),
    (["index", "--db", "sqlite:////no/such/folder/i.sqlite"], "cannot be written"),
]


@pytest.mark.parametrize(("args", "names"), WRONG, ids=lambda a: " ".join(a) if isinstance(a, list) else "")
def test_wrong_usage_exits_2_and_names_what_would_be_right(args, names, at_desk, here):
    before = sorted(p.name for p in at_desk.runs.iterdir())
    said = here(*args, *([] if args in (["lst"], ["verify"]) else ["--json"]))
    assert said.code == 2 and said.out == ""
    assert names.casefold() in " ".join(said.err.split()).casefold()
    assert "Traceback" not in said.err
    assert sorted(p.name for p in at_desk.runs.iterdir()) == before, "nothing is left behind"


def test_no_run_yet(tmp_path, here, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for args in (["results"], ["explain", "last:1"], ["verify", "last"], ["index"]):
        said = here(*args)
        assert said.code == 2 and "errands run oracle" in said.err
    assert list(tmp_path.iterdir()) == [], "asking makes no folder"


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff\xfe", b"[]", b'{"format":1}'])
def test_a_corrupt_plan_is_unreadable_input(damage, mine, here):
    (mine / "demo-null" / "plan.json").write_bytes(damage)
    for args in (
        ["results", "demo-null"],
        ["explain", "demo-null:1"],
        ["run", "--resume", "demo-null"],
        ["index"],
    ):
        said = here(*args)
        assert said.code == 2 and "plan.json" in said.err and "Traceback" not in said.err
    said = here("verify", "demo-null")
    assert said.code == 1 and "plan.json" in said.out


def test_a_corrupt_bundle_cannot_be_explained(mine, here):
    (mine / "demo-hasty" / "bundles" / f"{SG_BOOKING:04}.zip").write_bytes(b"PK\x03\x04 no more")
    said = here("explain", f"demo-hasty:{SG_BOOKING}")
    assert said.code == 2 and f"{SG_BOOKING:04}.zip" in said.err


# ---- exit 1 and 3 ----


def test_changed_evidence_and_another_verdict_are_told_apart(mine, here):
    bundle = mine / "demo-hasty" / "bundles" / "0002.zip"
    data = bytearray(bundle.read_bytes())
    data[len(data) // 2] ^= 1
    bundle.write_bytes(data)
    verdict = mine / "demo-null" / "derived" / "verdicts" / "0003.json"
    verdict.write_text(verdict.read_text().replace('"strict":false', '"strict":true'))
    assert verdict.read_text().count('"strict":true') == 1
    said = here("verify", "demo-hasty", "demo-null", "demo-oracle", "--json")
    assert said.code == 1 and said.json["exit"] == 1
    kinds = [{p["kind"] for p in run["problems"]} for run in said.json["runs"]]
    assert kinds == [{"changed"}, {"differs"}, set()]
    assert all("0002.zip" in p["where"] for p in said.json["runs"][0]["problems"])
    assert said.json["runs"][2]["graded_equal"] == DEMO
    screen = here("verify", "demo-hasty", "demo-null")
    assert screen.code == 1 and "evidence changed" in screen.out and "verdict differs" in screen.out


def test_a_damaged_attempt_is_invalid_and_counted(mine, here):
    (mine / "demo-oracle" / "bundles" / "0001.zip").write_bytes(b"")
    said = here("results", "demo-oracle", "--json")
    assert said.code == 3
    assert said.json["counts"] == {
        "planned": DEMO,
        "graded": DEMO - 1,
        "blocked": 0,
        "invalid": 1,
        "not_run": 0,
    }
    assert said.json["strict_passes"] == DEMO - 1
    first = said.json["attempts"][0]
    assert (first["status"], first["strict"], first["scores"], first["criteria"]) == (
        "invalid",
        False,
        {},
        [],
    )
    screen = here("results", "demo-oracle")
    assert screen.code == 3 and "1 invalid" in screen.out


def test_deleted_verdicts_are_graded_again(mine, here):
    stored = here("results", "demo-hasty", "--json").ok().json
    shutil.rmtree(mine / "demo-hasty" / "derived")
    assert here("results", "demo-hasty", "--json").ok().json == stored


# ---- run ----


def test_run_ends_with_the_object_that_was_promised(mine, here):
    for agent in ("oracle", "hasty"):
        run = here("results", f"demo-{agent}", "--json").ok().json
        assert run["run"] == f"demo-{agent}"
        assert list(run["counts"]) == COUNTS
        assert (
            run["counts"]["planned"]
            == sum(run["counts"][c] for c in COUNTS[1:])
            == len(run["attempts"])
            == DEMO
        )
        assert run["strict_passes"] == sum(a["strict"] for a in run["attempts"])
        assert run["crossed"] == sum(a["crossed"] for a in run["attempts"])
        for a in run["attempts"]:
            assert a.keys() >= ATTEMPT
            assert (
                a["agent"] == agent
                and a["market"] in MARKETS
                and a["status"] == "graded"
                and a["end_reason"] == "completed"
            )
            assert a["isolation"] == "in-process" and set(a["scores"]) == {
                "final_state",
                "boundary",
                "accuracy",
            }
            assert a["wall_s"] > 0 and a["virtual_s"] > 0 and a["cost_usd"] == 0
            assert Path(a["evidence_path"]).is_file()
            assert a["criteria"]
            for c in a["criteria"]:
                assert c.keys() >= {"id", "kind", "result", "rows", "reason"}
                assert isinstance(c["rows"], list) and c["reason"]


def test_run_and_results_say_the_same(tmp_path, here, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = here("run", "hasty", "--market", "sg", "--variant", 1, "--json").ok().json
    assert run["run"] == "hasty-001"
    assert here("results", "--json").ok().json == run
    assert here("results", "hasty-001", "--json").ok().json == run
    assert (
        here("results", tmp_path / "errands-runs" / "hasty-001", "--json").ok().json["attempts"]
        == run["attempts"]
    )


def test_selections_combine(here):
    everything = here("list", "--suite", "consumer", "--json").ok().json
    assert everything["instances"] == 10 * DEMO
    picked = (
        here(
            "list",
            "--suite",
            "consumer",
            "--domain",
            "email-calendar",
            "--task",
            "*booking*",
            "--task",
            "ec-inbox-*",
            "--market",
            "sg",
            "--variant",
            0,
            "--variant",
            2,
            "--tag",
            "holiday",
            "--language",
            "en",
            "--json",
        )
        .ok()
        .json
    )
    assert picked["instances"] == 2 * len(picked["tasks"]) >= 4 and {
        tuple(t["variants"]) for t in picked["tasks"]
    } == {(0, 2)}
    tagged = here("list", "--tag", "holiday", "--tag", "tracing", "--json").ok().json
    assert AUDIT in [t["task"] for t in tagged["tasks"]]
    assert all({"holiday", "tracing"} <= set(t["tags"]) for t in tagged["tasks"]), (
        "all tags are wanted, not any"
    )
    local = here("list", "--suite", "consumer", "--language", "local", "--json").ok().json
    assert local["instances"] == 10 * DEMO


def test_attempts_jobs_and_out(tmp_path, here, monkeypatch):
    monkeypatch.chdir(tmp_path)
    some = [x for v in (0, 1, 2) for x in ("--variant", v)]
    args = ["run", "oracle", "--task", BOOKING, "--market", "sg", *some, "--attempts", 2, "--json"]
    alone = here(*args, "--out", "deep/er/alone").ok().json
    assert alone["counts"]["planned"] == 6 and alone["path"] == "deep/er/alone"
    assert [(a["variant"], a["repeat"]) for a in alone["attempts"]] == [
        (v, r) for v in (0, 1, 2) for r in (1, 2)
    ]
    assert not (tmp_path / "errands-runs").exists()
    both = here(*args, "--out", "both", "--jobs", 2).ok().json
    roots = [
        json.loads((tmp_path / r / "run.json").read_text())["world_root"] for r in ("deep/er/alone", "both")
    ]
    assert roots[0] == roots[1], "the same worlds, whatever the number of jobs"
    assert [a["strict"] for a in both["attempts"]] == [True] * 6
    held = sorted(p.name for p in (tmp_path / "both" / "bundles").iterdir())
    again = here(*args, "--out", "both")
    assert again.code == 2 and "exists" in again.err
    assert sorted(p.name for p in (tmp_path / "both" / "bundles").iterdir()) == held


def test_a_run_is_gone_on_with_and_each_attempt_counts_once(mine, here):
    run = mine / "demo-oracle"
    for n in (2, 5):
        (run / "bundles" / f"{n:04d}.zip").unlink()
        (run / "derived" / "verdicts" / f"{n:04d}.json").unlink()
    (run / "run.json").unlink()
    kept = {p.name: p.read_bytes() for p in (run / "bundles").iterdir()}
    half = here("results", "demo-oracle", "--json")
    assert half.code == 3 and half.json["counts"] == {
        "planned": DEMO,
        "graded": DEMO - 2,
        "blocked": 0,
        "invalid": 0,
        "not_run": 2,
    }
    assert "errands run --resume demo-oracle" in here("results", "demo-oracle").out
    missing = here("explain", "demo-oracle:2")
    assert (
        missing.code == 2
        and "has not been sat" in missing.err
        and "errands run --resume demo-oracle" in missing.err
    )
    assert here("verify", "demo-oracle").code == 3
    whole = here("run", "--resume", "demo-oracle", "--json").ok().json
    assert whole["counts"]["graded"] == DEMO
    assert [a["n"] for a in whole["attempts"]] == list(range(1, DEMO + 1))
    assert kept.items() <= {p.name: p.read_bytes() for p in (run / "bundles").iterdir()}.items(), (
        "sealed ones stay"
    )
    here("verify", "demo-oracle").ok()


def test_names_of_attempts(mine, here):
    assert (
        here("explain", f"last:{SG_BOOKING}", "--json").ok().json["attempt"] == f"demo-null:{SG_BOOKING}"
    ), "the demo's last run"
    by_name = here("explain", f"demo-hasty:{SG_BOOKING}", "--json").ok().json
    by_path = here("explain", f"{mine}/demo-hasty:{SG_BOOKING}", "--json").ok().json
    assert {k: v for k, v in by_name.items() if k != "page"} == {
        k: v for k, v in by_path.items() if k != "page"
    }
    os.utime(mine / "demo-talker" / "plan.json", (4e9, 4e9))
    assert here("explain", "last:1", "--json").ok().json["agent"] == "talker"


def test_doctor_says_what_it_checked(at_desk, here):
    said = here("doctor", "--json").ok().json
    assert said["ok"] and [c["name"] for c in said["checks"]] == [
        "python",
        "sqlite",
        "zones",
        "library",
        "folder",
        "mcp",
        "models",
        "browser",
        "pictures",
        "sandbox",
    ]
