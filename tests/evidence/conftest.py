"""One small sealed run (hasty, both errands, variant 0), made once; each test gets a copy that it may
damage.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from errands.agents import resolve
from errands.evidence.folder import RunFolder
from errands.exam.plan import plan_run
from errands.exam.run import Run
from errands.tasks.registry import Selection


@pytest.fixture(scope="session")
def sealed(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("sealed") / "hasty"
    for _ in Run(
        plan_run(
            resolve("hasty"),
            Selection(tasks=("*double*", "*commitment*"), markets=("sg",), variants=(0,)),
            1,
            out,
        ),
        resolve,
    ).go():
        pass
    return out


@pytest.fixture
def run(sealed, tmp_path) -> RunFolder:
    return RunFolder(Path(shutil.copytree(sealed, tmp_path / "run")))


@pytest.fixture
def bundle(run) -> bytes:
    """The bundle of the attempt that crossed the line (double booking), as bytes."""
    return run.bundle(2).read_bytes()
