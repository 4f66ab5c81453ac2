"""Editions: what today's criteria say of recorded evidence, disputes, and variants that are held out."""

from __future__ import annotations

import hashlib
import json

import pytest

from errands.evidence.bundle import unpack

from .shell import errands

TASK = "ec-inbox-commitment-audit"
PLANTED = """
import sys
from errands.core.types import Finding
from errands.cli.app import run
from errands.grading.verdict import Criterion
from errands.tasks.task import Task

real = Task.criteria.func
never = lambda e, k: Finding("not_met", ("#1",), "no longer allowed")
other = lambda c: Criterion(c.id, c.kind, never if c.id == "scope" else c.check)
Task.criteria = property(lambda t: tuple(map(other, real(t))))
run(sys.argv[1:])
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    here = tmp_path_factory.mktemp("editions")
    errands(
        "run", "oracle", "--task", TASK, "-m", "sg", "-m", "kr", "--variant", "0", "--out", "r", cwd=here
    ).ok()
    return here


def test_by_the_same_criteria_nothing_changes(home):
    said = errands("regrade", "r", "--json", cwd=home).ok().json
    assert (said["attempts"], said["changed"], said["not_graded"]) == (2, 0, 0)
    assert all(r["before"] == r["now"] for r in said["rows"])


def test_by_other_criteria_each_change_is_named_with_its_reason(home):
    import subprocess
    import sys

    before = (home / "r" / "derived" / "verdicts" / "0001.json").read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", PLANTED, "regrade", "r", "--json"], cwd=home, capture_output=True, text=True
    )
    said = json.loads(done.stdout)
    assert done.returncode == 1 and said["changed"] == 2
    assert said["rows"][0]["why"] == [
        "scope: met then, not_met now: no longer allowed",
        "strict: yes then, no now",
    ]
    assert (home / "r" / "derived" / "verdicts" / "0001.json").read_bytes() == before, "the record stays"


def test_a_dispute_holds_all_that_one_needs_to_judge_it(home):
    errands(
        "dispute",
        "r:1",
        "--because",
        "The list was right before.",
        "--criterion",
        "scope",
        "--out",
        "d.zip",
        cwd=home,
    ).ok()
    files = unpack((home / "d.zip").read_bytes())
    about = json.loads(files["dispute.json"])
    assert (
        about["attempt"] == "r:1"
        and about["criterion"] == "scope"
        and about["because"].startswith("The list")
    )
    assert files["attempt.zip"] == (home / "r" / "bundles" / "0001.zip").read_bytes()
    assert (
        hashlib.sha256(files["key.json"]).hexdigest()
        == json.loads(unpack(files["attempt.zip"])["manifest.json"])["key_digest"]
    )
    assert b"## Criteria" in files["Task.md"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("r:1", "--because", "The list was right.", "--criterion", "scoop"), "no criterion 'scoop'"),
        (("r:1", "--because", "wrong"), "a reason is missing"),
        (("r:9", "--because", "The list was right."), "no attempt 9"),
    ],
)
def test_a_dispute_about_nothing_is_refused(home, args, words):
    said = errands("dispute", *args, cwd=home)
    assert said.code == 2 and words in said.err


# ---- held out -----------------------------------------------------------------------------------------------------


@pytest.fixture
def series(tmp_path, monkeypatch):
    """A secret, and a hash of it in the place of the committed one."""
    from errands.tasks import heldout
    from errands.tasks import task as module

    file = tmp_path / "secret"
    file.write_text("a secret of at least thirty-two bytes, for a test\n")
    known = hashlib.sha256(file.read_bytes().strip()).hexdigest()
    monkeypatch.setattr(heldout, "committed", lambda: known)
    monkeypatch.setenv(heldout.SETTING, str(file))
    heldout._read.cache_clear()
    module._instance.cache_clear()
    yield file
    heldout._read.cache_clear()
    module._instance.cache_clear()


def test_held_out_variants_are_others_and_no_key_of_theirs_is_written(series, tmp_path, capsys, monkeypatch):
    from errands.cli.app import run
    from errands.tasks.registry import task

    audit = task(TASK)
    a, b = audit.instance("sg", 100), audit.instance("sg", 0)
    assert a.fixture.digest != b.fixture.digest and a.key.to_json() != b.key.to_json()
    out = tmp_path / "held"
    with pytest.raises(SystemExit) as end:
        run(
            [
                "run",
                "oracle",
                "--held-out",
                "--task",
                TASK,
                "-m",
                "sg",
                "--variant",
                "0",
                "--out",
                str(out),
                "--json",
            ]
        )
    said = json.loads(capsys.readouterr().out)
    assert end.value.code == 0 and said["strict_passes"] == 1 and said["attempts"][0]["variant"] == 100
    assert not list((out / "keys").iterdir())
    assert a.key.to_json() not in (out / "plan.json").read_text()
    for words, code in (("all equal", 0), ("verdict sealed", 3)):
        with pytest.raises(SystemExit) as end:
            run(["verify", str(out)])
        assert end.value.code == code and words in capsys.readouterr().out
        monkeypatch.delenv("ERRANDS_HELD_OUT", raising=False)
        from errands.tasks import task as module

        module._instance.cache_clear()


def test_without_the_secret_or_with_another_it_says_so(series, monkeypatch):
    from errands.core.errors import UsageError
    from errands.tasks.heldout import HeldOut
    from errands.tasks.registry import task

    series.write_text("another secret, which is long enough as well\n")
    with pytest.raises(UsageError, match="not the secret whose hash is committed"):
        task(TASK).instance("sg", 101)
    monkeypatch.delenv("ERRANDS_HELD_OUT")
    with pytest.raises(HeldOut, match="its secret is not here"):
        task(TASK).instance("sg", 101)


def test_the_committed_hash_is_one():
    from errands.tasks.heldout import committed

    assert len(committed()) == 64 and int(committed(), 16)
