"""Records: a run as tables in five lines, a light `import errands`, and an index that a command rebuilds."""

import ast
import json
import sqlite3
import subprocess
import sys

import pyarrow
import pytest

import errands
from errands.core.errors import EvidenceError, UsageError

from .shell import AUDITS, DEMO

FIVE = """
import errands
run = errands.load_run("demo-hasty")
attempts, criteria = run.to_arrow(), run.to_arrow("criteria")
frame = run.to_pandas("criteria")
print(attempts.num_rows, frame[frame.result != "met"].groupby("kind").size().to_dict())
"""


def test_five_lines(desk):
    assert len(FIVE.strip().splitlines()) == 5
    done = subprocess.run(
        [sys.executable, "-c", FIVE], cwd=desk.path, capture_output=True, text=True, timeout=120
    )
    rows, _, kinds = done.stdout.strip().partition(" ")
    assert int(rows) == DEMO, done.stderr
    assert ast.literal_eval(kinds)["boundary"] >= DEMO - AUDITS


def test_tables_equal_what_run_prints(at_desk, here):
    for name in ("demo-hasty", "demo-null"):
        run, loaded = here("results", name, "--json").ok().json, errands.load_run(at_desk.runs / name)
        assert loaded.counts == run["counts"] and loaded.name == name
        for table in (loaded.to_arrow().to_pylist(), loaded.to_pandas().to_dict("records"), loaded.attempts):
            assert len(table) == len(run["attempts"])
            for row, said in zip(table, run["attempts"], strict=True):
                scores = {k: row.pop(f"score_{k}") for k in said["scores"]}
                assert (
                    row == {k: v for k, v in said.items() if k not in ("scores", "criteria")}
                    and scores == said["scores"]
                )
            loaded = errands.load_run(at_desk.runs / name)
        wanted = [{"n": a["n"], **c} for a in run["attempts"] for c in a["criteria"]]
        for table in (
            loaded.to_arrow("criteria").to_pylist(),
            loaded.to_pandas("criteria").to_dict("records"),
        ):
            assert [{k: row[k] for k in ("n", *wanted[0].keys() - {"n"})} for row in table] == wanted


def test_scores_survive_an_ungraded_first_attempt(mine):
    (mine / "demo-oracle" / "bundles" / "0001.zip").unlink()
    table = errands.load_run("demo-oracle").to_arrow()
    assert isinstance(table, pyarrow.Table)
    assert table["score_final_state"].to_pylist() == [None, *[1] * (DEMO - 1)]
    assert table["status"].to_pylist() == ["not_run", *["graded"] * (DEMO - 1)]


def test_what_cannot_be_loaded_says_so(mine):
    with pytest.raises(UsageError, match="demo-hasty"):
        errands.load_run("demo-hasti")
    with pytest.raises(UsageError, match="criteria"):
        errands.load_run("last").to_arrow("findings")
    (mine / "demo-null" / "plan.json").write_text("{}")
    with pytest.raises(EvidenceError, match=r"plan\.json"):
        errands.load_run(mine / "demo-null")


def test_import_is_light():
    code = "import sys, errands; print(*sorted({m.partition('.')[0] for m in sys.modules}), sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    heavy = {
        "pydantic",
        "apsw",
        "rich",
        "sqlalchemy",
        "typer",
        "jinja2",
        "PIL",
        "openpyxl",
        "pyarrow",
        "pandas",
        "asyncio",
    }
    assert not heavy & set(done.stdout.split())


def test_what_errands_exposes():
    from errands.core.errors import ToolError
    from errands.records import load_run

    assert errands.ToolError is ToolError and errands.load_run is load_run
    assert {"ToolError", "load_run", "__version__"} <= set(errands.__all__)
    with pytest.raises(AttributeError, match="no_such_thing"):
        _ = errands.no_such_thing


def rows(file, query):
    db = sqlite3.connect(file)
    try:
        return db.execute(query).fetchall()
    finally:
        db.close()


def test_the_index_holds_what_the_runs_hold_and_is_rebuilt(mine, here):
    said = here("index", "--json").ok().json
    assert (said["runs"], said["attempts"]) == (4, 4 * DEMO)
    file = mine / "index.sqlite"
    runs = {
        n: here("results", n, "--json").ok().json
        for n in ("demo-oracle", "demo-hasty", "demo-talker", "demo-null")
    }
    wanted = sorted(
        (n, a["n"], a["task"], int(a["strict"]), int(a["crossed"]))
        for n, r in runs.items()
        for a in r["attempts"]
    )
    assert rows(file, "SELECT run, n, task, strict, crossed FROM attempts ORDER BY run, n") == wanted
    found = rows(file, "SELECT run, n, id, kind, result, rows, reason FROM criteria ORDER BY run, n, id")
    assert found == sorted(
        (n, a["n"], c["id"], c["kind"], c["result"], " ".join(c["rows"]), c["reason"])
        for n, r in runs.items()
        for a in r["attempts"]
        for c in a["criteria"]
    )
    assert {json.loads(s)["accuracy"] for (s,) in rows(file, "SELECT scores FROM attempts WHERE strict")} == {
        1
    }
    db = sqlite3.connect(file)
    with db:
        db.execute("UPDATE attempts SET strict = 1")
        db.execute("DELETE FROM criteria")
    db.close()
    here("index").ok()
    assert rows(file, "SELECT run, n, task, strict, crossed FROM attempts ORDER BY run, n") == wanted
    file.unlink()
    assert here("index", "demo-hasty", "demo-hasty", "--json").ok().json["attempts"] == DEMO, (
        "named twice, indexed once"
    )


def test_two_runs_of_one_name_are_not_mixed_up(mine, here):
    (mine / "index.sqlite").write_bytes(b"")
    (mine / "other").mkdir()
    (mine / "demo-hasty").rename(mine / "other" / "demo-null")
    said = here("index", "demo-null", mine / "other" / "demo-null")
    assert said.code == 2 and "two runs are called 'demo-null'" in said.err
    assert (mine / "index.sqlite").read_bytes() == b"", "nothing was written"
