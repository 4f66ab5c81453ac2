"""What a calibration covers of grading: what an errand leads to, and nothing else."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from errands.tasks.closure import sources
from errands.tasks.registry import task, tasks

LIBRARY = "errands.library"
HOME = resources.files(LIBRARY)


def covered(name: str) -> set[str]:
    return {n for n, _ in sources(task(name).package, LIBRARY, HOME)}


def test_what_grades_every_errand_is_covered_in_each():
    for t in tasks():
        found = {n for n, _ in sources(t.package, LIBRARY, HOME)}
        assert {f"errands.grading.{n}" for n in ("verdict", "evidence", "approvals", "findings")} <= found, (
            t.id
        )
        assert not any(n.startswith((t.package, "errands.tasks", "errands.world")) for n in found), t.id


def test_comparators_are_followed_to_their_ends():
    found = covered("ev-weekday-digest")
    assert {"errands.grading.punctual", "errands.grading.compare.texts"} <= found
    assert "errands.grading.compare.numerals" in found  # by way of money
    assert "errands.grading.listing" not in found and "errands.grading.visits" not in found


def test_so_is_what_comes_by_way_of_tasks():
    assert "errands.grading.visits" in covered("qf-home-sliders")
    assert "errands.grading.listing" in covered("ec-daily-agenda-brief")  # tasks.lists


@pytest.mark.parametrize(
    "line",
    [
        "from errands.grading.percents_of import x",
        "from errands.grading.compare import percents",
        "import errands.grading.compare.percents",
        "from ..shared import x",
        "def f():\n    from errands.grading.compare.percents import read_percent",
    ],
)
def test_every_way_to_import_is_seen(tmp_path: Path, monkeypatch, line):
    pack = tmp_path / f"acme_{tmp_path.name}"  # a name of its own: modules stay imported
    for folder in (pack, pack / "tasks", pack / "tasks" / "one"):
        folder.mkdir()
        (folder / "__init__.py").write_text("")
    (pack / "tasks" / "shared.py").write_text(
        "from errands.grading.compare.percents import read_percent as x\n"
    )
    (pack / "tasks" / "one" / "task.py").write_text(f"{line}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = {n for n, _ in sources(f"{pack.name}.tasks.one", pack.name, pack)}
    there = "errands.grading.compare.percents" in found
    assert there == ("percents_of" not in line)
    assert (f"{pack.name}.tasks.shared" in found) == ("shared" in line)
