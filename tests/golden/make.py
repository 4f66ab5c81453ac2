"""Make the golden runs again: `python tests/golden/make.py`, from the root of the repository.

Writes `tests/golden/<agent>/`, a whole run folder each (plan, keys, bundles, run.json, derived verdicts)
of the agents `oracle` and `hasty` over variant 0 of four errands in sg/English. They are evidence as an
earlier version of errands sealed it; `tests/evidence/test_golden.py` opens and grades them with the
version at hand. So do not make them again because a test fails: that is the news which they are for. Make
them again when a new `format` is introduced, beside the old ones, in a folder named after the format.

`edition-1/` is what was sealed before editions 2 of the first errands (whose keys name a deadline): it opens and is
intact, and is graded no more.

A task whose criteria change on purpose may grade its golden evidence differently from then on. Name it in
EDITIONS, with the reason, one line each: `<task id>: <why>`.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from errands.agents import resolve
from errands.exam.plan import plan_run
from errands.exam.run import Run
from errands.tasks.registry import Selection

HERE = Path(__file__).parent
AGENTS = ("oracle", "hasty")
CHOICE = Selection(
    tasks=("*double*", "*commitment*", "*cancellation*", "*misdirected*"), markets=("sg",), variants=(0,)
)


def make() -> None:
    """Sit, seal, grade; what was there before is replaced."""
    for name in AGENTS:
        out = HERE / name
        if out.exists():
            shutil.rmtree(out)
        for _ in Run(plan_run(resolve(name), CHOICE, 1, out), resolve).go():
            pass
        for empty in (out / "tries",):  # Git keeps no empty folder; a run needs none to be read
            if empty.is_dir() and not any(empty.iterdir()):
                empty.rmdir()


if __name__ == "__main__":
    make()
