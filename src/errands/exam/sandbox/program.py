"""What a program needs to run: itself, its runtime and its libraries, as paths of the host."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from errands.core.errors import UsageError

from .mounts import SYSTEM, below, trace

BASE_PATH = ("/usr/local/bin", "/usr/bin", "/bin")
# Asked of a Python itself, without its user's own folder: where it lies, and where it looks for modules.
_ASK = """
import json, sys, sysconfig
print(json.dumps([sys.prefix, sys.base_prefix, sysconfig.get_path("stdlib"), [p for p in sys.path if p]]))
"""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """The Python that runs our scripts inside: its program, and what must be shown of it."""

    program: Path
    reads: tuple[Path, ...]


@cache
def interpreter() -> Interpreter:
    """The base interpreter below whatever environment the exam runs in: it knows none of its packages."""
    base = Path(sys.base_prefix)
    named = base / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    program = named if named.is_file() else Path(getattr(sys, "_base_executable", sys.executable))
    return Interpreter(program, tuple(_outside([program, *_library(base)])))


def find_program(name: str) -> Path:
    """The program of this name or path; raises `UsageError` where there is none."""
    found = shutil.which(name)
    if found is None:
        raise UsageError(f"there is no program {name!r}", expected="a program on the PATH, or its path")
    path = Path(found).absolute()
    _, real = trace(path)
    if path.parent.name == "shims" or real.name in ("volta-shim", "mise"):
        raise UsageError(
            "it only looks for the real program, which the sandbox cannot do",
            where=str(path),
            do=f"name the real one (pyenv which {path.name}, asdf which {path.name}, volta which {path.name}, …)",
        )
    return path


def reads_of(argv0: str) -> list[Path]:
    """The smallest set of read-only binds that let a program run; what every sandbox shows is left out."""
    found: list[Path] = []
    _gather(find_program(argv0), found)
    return _outside(dict.fromkeys(found))


def search_path(reads: Iterable[Path]) -> str:
    """A PATH on which the programs among these are found first."""
    folders = []
    for path in reads:
        if (path / "pyvenv.cfg").is_file():
            folders.append(path / "bin")
        elif path.is_file() and os.access(path, os.X_OK):
            folders.append(path.parent)
    return os.pathsep.join(dict.fromkeys([*map(str, folders), *BASE_PATH]))


def _gather(path: Path, found: list[Path]) -> None:
    _, real = trace(path)
    found.append(path)
    words = _shebang(real)
    if words is None:
        if re.fullmatch(r"python[\d.]*", path.name):
            found += _python(path)
        found += _linked(real)
        return
    runtime = _runtime(words)
    if runtime is not None and runtime not in found:
        _gather(runtime, found)
    if runtime is not None and runtime.name in ("node", "nodejs", "bun", "deno"):
        found.append(_package(real))


def _shebang(path: Path) -> list[str] | None:
    """The words after #!, or None for a program that is no script."""
    with path.open("rb") as f:
        lines = f.read(4096).splitlines()[:2]
    if not lines or not lines[0].startswith(b"#!"):
        return None
    words = os.fsdecode(lines[0][2:]).split()
    # A Python's path that is too long or has a space is started by a second line.
    long = re.match(rb"'''exec' \"?([^\"]+?)\"? \"\$0\"", lines[1]) if len(lines) > 1 else None
    return [os.fsdecode(long[1])] if long else words


def _runtime(words: list[str]) -> Path | None:
    """The interpreter that a script names."""
    if words and Path(words[0]).name == "env":
        words = [w for w in words[1:] if not w.startswith("-") and "=" not in w]
    return find_program(words[0]) if words else None


def _python(program: Path) -> list[Path]:
    """A Python's environment, its base, and the folders elsewhere that it looks into (packages being developed)."""
    prefix, base, stdlib, path = _asked(str(program), program.stat().st_mtime_ns)
    found = [Path(prefix)] if prefix != base else []
    found += [*_library(Path(base)), Path(stdlib)]
    if prefix != base:
        _, real = trace(Path(prefix) / "bin" / program.name)
        found.append(real)
    return found + [p for p in map(Path, path) if p.exists() and not _standard(p, Path(stdlib))]


def _standard(path: Path, stdlib: Path) -> bool:
    """Whether it comes with the standard library; a site-packages inside does not."""
    return below(path, stdlib) and path.name not in ("site-packages", "dist-packages")


@lru_cache(maxsize=64)
def _asked(program: str, changed: int) -> tuple[str, str, str, tuple[str, ...]]:
    try:
        done = subprocess.run(
            [program, "-I", "-c", _ASK], capture_output=True, text=True, timeout=30, check=True, cwd="/"
        )
        prefix, base, stdlib, path = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as why:
        raise UsageError(f"this Python does not start: {why}", where=program) from why
    return prefix, base, stdlib, tuple(path)


def _library(base: Path) -> list[Path]:
    """The folders of libraries of a base Python."""
    return [p for p in (base / "lib", base / "lib64") if p.is_dir() and not p.is_symlink()]


def _package(script: Path) -> Path:
    """What a script of Node needs beside it.

    A package installed globally brings its dependencies inside; elsewhere they lie in the outermost node_modules;
    a script of a project needs its project.
    """
    above = [p for p in script.parents if p.name == "node_modules"]
    if above:
        top = above[-1]
        if top.parent.name != "lib":
            return top
        parts = script.relative_to(top).parts
        return top.joinpath(*parts[: 2 if parts[0].startswith("@") else 1])
    return next((p for p in script.parents if (p / "package.json").is_file()), script)


def _linked(program: Path) -> list[Path]:
    """Shared libraries that do not come with the system."""
    if _system(program):
        return []
    try:
        done = subprocess.run(["ldd", str(program)], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [Path(p) for p in re.findall(r"=> (/\S+) \(", done.stdout)]


def _system(path: Path) -> bool:
    return any(below(path, Path(s)) for s in SYSTEM)


def _outside(paths: Iterable[Path]) -> list[Path]:
    """Those that a sandbox does not show anyway. The system's Python packages are hidden unless named."""
    return [p for p in paths if not _system(p) or any(part.endswith("-packages") for part in p.parts)]
