"""Helpers: commands as a person runs them, in a process of their own or (where many) in this one."""

import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from errands.tasks.registry import tasks

BIN = Path(sys.executable).parent
AUDIT, BOOKING = "ec-inbox-commitment-audit", "ec-double-booking-resolution"
# The demo sits each errand in each market in which it is set once, in order of number and market.
CONSUMER = [t for t in tasks() if t.contract.front.suite == "consumer"]
PLANNED = [(t.id, m) for t in CONSUMER for m in sorted(t.contract.front.markets)]
ASKING = {t.id for t in CONSUMER if any(g.until == "approved" for g in t.gates)}
MARKETS = sorted({m for _, m in PLANNED})
DEMO = len(PLANNED)
AUDITS = sum(task not in ASKING for task, _ in PLANNED)  # nothing in these needs a yes: hasty passes them
SG_AUDIT, SG_BOOKING = (PLANNED.index((task, "sg")) + 1 for task in (AUDIT, BOOKING))


@dataclass(frozen=True)
class Said:
    """What a command left: exit code, standard output, error stream."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        """Standard output as the one JSON object that it must be."""
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value

    def ok(self):
        """The same, once it is sure that the command worked."""
        assert self.code == 0, self.err or self.out
        return self


def errands(*args, cwd, stdin="", **env):
    """`errands …` in a process of its own, with this on its standard input."""
    full = {
        **os.environ,
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        **{k: str(v) for k, v in env.items()},
    }
    full.pop("COLUMNS", None)
    done = subprocess.run(
        [BIN / "errands", *map(str, args)],
        cwd=cwd,
        env=full,
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    return Said(done.returncode, done.stdout, done.stderr)


class Here:
    """`errands …` in this process and folder: the same code with the same exit, without the start-up."""

    def __init__(self, capfd):
        self._capfd = capfd

    def __call__(self, *args):
        from errands.cli.app import run

        self._capfd.readouterr()
        sys.stdin = io.StringIO("say I leave it.\nsay Bye.\n" * 3)  # whoever sits by hand
        code = 0
        try:
            run([str(a) for a in args])
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        return Said(code, *self._capfd.readouterr())
