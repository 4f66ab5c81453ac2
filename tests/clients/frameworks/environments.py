"""An environment for each program here, with what its own header asks for (PEP 723), made once and kept."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
PROGRAMS = sorted(HERE.glob("agent_*.py"))
_HEADER = re.compile(r"^# /// script\n((?:#.*\n)+?)# ///$", re.MULTILINE)


def needs(program: Path) -> list[str]:
    """The packages of a program's header."""
    found = _HEADER.search(program.read_text(encoding="utf-8"))
    assert found is not None, f"{program.name} has no header"
    text = "\n".join(line.removeprefix("#").strip() for line in found[1].splitlines())
    return list(tomllib.loads(text)["dependencies"])


def python_for(program: Path) -> Path:
    """The interpreter of its environment, in a folder that is kept; pip makes it if need be."""
    packages = needs(program)
    key = hashlib.sha256("\n".join([sys.version, *packages]).encode()).hexdigest()[:12]
    kept = Path(os.environ.get("ERRANDS_CLIENTS") or Path.home() / ".cache" / "errands-clients")
    place = kept / f"{program.stem}-{key}"
    if not place.exists():
        kept.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=kept))
        python = fresh / "bin" / "python"
        subprocess.run([sys.executable, "-m", "venv", fresh], check=True)
        subprocess.run(
            [python, "-m", "pip", "install", "-q", *packages], check=True, stdout=subprocess.DEVNULL
        )
        fresh.rename(place)
    return place / "bin" / "python"
