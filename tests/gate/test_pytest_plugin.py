"""`pytest --errands-agent`: an item an instance; and nothing of ours is loaded where it is not asked for."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
AUDIT, BOOKING = "ec-inbox-commitment-audit", "ec-double-booking-resolution"
TASKS = f"""
instances = ["{AUDIT}@sg/0", "{BOOKING}@sg/0", "ec-meeting-cancellation@sg/0"]

[[quarantine]]
id = "ec-meeting-cancellation@sg/0"
since = 2026-10-01
reason = "being reworded"
"""
LIGHT = """
import sys

def test_nothing_of_ours_is_loaded():
    ours = sorted(m for m in sys.modules if m.partition(".")[0] == "errands")
    assert ours in ([], ["errands"], ["errands", "errands.pytest_plugin"]), ours
    assert "pydantic" not in sys.modules
"""


def run(folder, *args, plugins=("errands.pytest_plugin",)):
    """pytest in a process of its own, with our plugin as its entry point has it."""
    wanted = [x for name in plugins for x in ("-p", name)]
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT / "src")}
    env.pop("PYTEST_ADDOPTS", None)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *wanted, *args],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "smoke.toml").write_text(TASKS)
    (tmp_path / "test_own.py").write_text(LIGHT)
    return tmp_path


def test_it_is_the_entry_point():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"errands": "errands.pytest_plugin"}


def test_without_the_option_nothing_is_loaded(folder):
    done = run(folder)
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout


def test_one_item_an_instance(folder):
    done = run(folder, "--errands-agent", "hasty", "--errands-tasks", "smoke.toml", "smoke.toml", "-v", "-rA")
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"smoke.toml::{AUDIT}@sg/0 PASSED" in done.stdout
    assert f"smoke.toml::{BOOKING}@sg/0 FAILED" in done.stdout
    assert "smoke.toml::ec-meeting-cancellation@sg/0 XFAIL" in done.stdout
    assert "nobody approved it" in done.stdout and "errands explain errands-runs/pytest-" in done.stdout
    assert "in quarantine since 2026-10-01: being reworded" in done.stdout
    assert "1 failed, 1 passed, 1 xfailed" in done.stdout
    assert len(list((folder / "errands-runs").glob("*/run.json"))) == 3


def test_beside_the_tests_of_a_project_and_with_an_agent_of_its_own(folder):
    """What cannot be graded is an error, not a failure."""
    (folder / "one.toml").write_text(f'instances = ["{BOOKING}@sg/0"]')
    (folder / "talks.py").write_text("def agent(message, tools):\n    return 'Done.'\n")
    (folder / "broken.py").write_text("def agent(message, tools)\n    return ''\n")
    (folder / "test_own.py").write_text("def test_own():\n    pass\n")
    done = run(
        folder, "--errands-agent", "talks.py", "--errands-tasks", "one.toml", "--errands-attempts", "2"
    )
    assert "0 of 2 attempts passed" in done.stdout and "1 failed, 1 passed" in done.stdout, done.stdout
    done = run(folder, "--errands-agent", "broken.py", "--errands-tasks", "one.toml")
    assert "SyntaxError" in done.stdout and "1 passed, 1 error" in done.stdout, done.stdout


def test_with_several_workers(folder):
    args = ("--errands-agent", "oracle", "--errands-tasks", "smoke.toml", "smoke.toml", "-n", "2")
    done = run(folder, *args, plugins=("errands.pytest_plugin", "xdist"))
    assert "2 passed, 1 xpassed" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--errands-agent", "oracle"), "belong together"),
        (("--errands-tasks", "smoke.toml"), "belong together"),
        (("--errands-agent", "oracle", "--errands-tasks", "no.toml"), "there is no file no.toml"),
        (("--errands-agent", "oracle", "--errands-tasks", "bad.toml", "bad.toml"), "this key is not known"),
    ],
)
def test_wrong_usage(folder, args, said):
    (folder / "bad.toml").write_text("instance = []")
    done = run(folder, *args)
    assert done.returncode in (2, 4) and said in done.stdout + done.stderr
