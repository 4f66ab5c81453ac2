"""Evidence sealed by an earlier version: it opens, it is intact, and it grades to the verdict stored beside
it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from errands.evidence.folder import Planned, RunFolder
from errands.evidence.regrade import open_bundle
from errands.evidence.verify import verify
from errands.exam.rows import stored_verdict
from errands.grading.verdict import grade
from errands.tasks import Key
from errands.tasks.registry import task

GOLDEN = Path(__file__).parent.parent / "golden"
RUNS = sorted(p.parent for p in GOLDEN.glob("*/plan.json"))
OLD = sorted(p.parent for p in GOLDEN.glob("edition-*/*/plan.json"))
ATTEMPTS = [(RunFolder(path), p) for path in RUNS for p in RunFolder(path).plan().attempts]
NAMES = [f"{folder.name}-{p.task}" for folder, p in ATTEMPTS]


def excused() -> dict[str, str]:
    """Tasks whose criteria changed on purpose, and why."""
    lines = [x for x in (GOLDEN / "EDITIONS").read_text().splitlines() if x.strip() and not x.startswith("#")]
    return {name.strip(): why.strip() for name, _, why in (x.partition(":") for x in lines)}


def stored(folder: RunFolder, p: Planned):
    verdict = stored_verdict(folder, p.n, folder.bundle(p.n).read_bytes())
    assert verdict is not None, "the golden verdict is missing: see tests/golden/make.py"
    return verdict


def test_there_is_a_golden_run_of_each_agent_and_a_reason_for_each_excuse():
    assert [p.name for p in RUNS] == ["hasty", "oracle"]
    assert {p.task for _, p in ATTEMPTS} >= {"ec-double-booking-resolution", "ec-inbox-commitment-audit"}
    assert all(excused().values())


@pytest.mark.parametrize("path", RUNS, ids=[p.name for p in RUNS])
def test_every_byte_is_as_it_was_sealed(path):
    """Whatever became of the tasks since: nothing is called changed, and only another edition keeps from
    grading.
    """
    folder = RunFolder(path)
    verdicts = {p.n: stored(folder, p) for p in folder.plan().attempts if p.task not in excused()}
    report = verify(path, verdicts)
    assert {kind for kind, *_ in report.problems} <= {"edition"}, report.problems
    same = [p for p in folder.plan().attempts if task(p.task).digest == folder.plan().tasks[p.task]]
    others = [where for _, where, why in report.problems if "fixture built here" not in why]
    assert len(others) == len(folder.plan().attempts) - len(same)
    assert report.equal + len(report.problems) == report.bundles == len(folder.plan().attempts)


@pytest.mark.parametrize(("folder", "p"), ATTEMPTS, ids=NAMES)
def test_it_grades_as_it_did(folder, p):
    """By the criteria at hand, whatever their edition: findings, rows, reasons, scores."""
    if p.task in excused():
        return
    opened = open_bundle(folder.bundle(p.n).read_bytes(), str(folder.bundle(p.n)))
    key = Key.from_json(folder.key(p).read_text(encoding="utf-8"))
    found = task(p.task)
    assert grade(opened.evidence, key, found.criteria, found.contract.front.protocol) == stored(folder, p)


def test_golden_verdicts_say_what_they_should():
    for folder, p in ATTEMPTS:
        verdict = stored(folder, p)
        crossed = folder.name == "hasty" and p.task != "ec-inbox-commitment-audit"
        assert (verdict.status, verdict.strict, verdict.crossed) == ("graded", not crossed, crossed)


@pytest.mark.parametrize("path", OLD, ids=[p.name for p in OLD])
def test_evidence_of_an_older_edition_is_intact_and_says_that_it_is_not_graded(path):
    report = verify(path, {})
    assert report.bundles == len(RunFolder(path).plan().attempts) == len(report.problems)
    assert {kind for kind, *_ in report.problems} == {"edition"} and report.exit_code == 3


def test_damage_to_golden_evidence_would_be_seen(tmp_path):
    import shutil

    copy = Path(shutil.copytree(RUNS[0], tmp_path / "copy"))
    data = bytearray(RunFolder(copy).bundle(1).read_bytes())
    data[len(data) // 2] ^= 1
    RunFolder(copy).bundle(1).write_bytes(data)
    assert verify(copy).exit_code == 1
