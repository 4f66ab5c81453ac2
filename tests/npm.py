"""Programs from npm, for tests: each is installed once, into a folder outside of the repository."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path


def installed(name: str, package: str, version: str, program: str) -> Path:
    """The folder of a package's programs, below `ERRANDS_CLIENTS` or ~/.cache/errands-clients; installs it where it is
    not there yet. Two at once wait for each other."""
    import fcntl

    base = os.environ.get("ERRANDS_CLIENTS") or Path.home() / ".cache" / "errands-clients"
    folder = Path(base) / f"{name}-{version}"
    bin_ = folder / "node_modules" / ".bin"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (bin_ / program).exists():
            assert shutil.which("npm"), "npm is needed (with Node 20 or newer)"
            (folder / "package.json").write_text("{}")
            command = [
                "npm",
                "install",
                "--no-audit",
                "--no-fund",
                "--loglevel=error",
                f"{package}@{version}",
            ]
            subprocess.run(command, cwd=folder, check=True, timeout=600)
    return bin_
