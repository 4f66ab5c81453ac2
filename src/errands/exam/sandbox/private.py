"""The places that no agent may see, and the refusal of a box that would show one."""

from __future__ import annotations

import importlib.metadata
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import errands
from errands.core.errors import UsageError

from . import Box, Places
from .mounts import Shown, below

_OWN = "give the agent a folder or a virtual environment of its own, outside of it"


@dataclass(frozen=True, slots=True)
class Private:
    """One private place: what it is, and where. Inside a `loose` one (the home) single folders may be shown."""

    name: str
    path: Path
    loose: bool = False


@cache
def exam_code() -> tuple[Private, ...]:
    """Where this very exam is installed: its package, its repository, every site-packages that holds it."""
    package = Path(errands.__file__).resolve().parent
    found = {package: "the errands package"}
    for dist in importlib.metadata.distributions(name="errands"):
        found[Path(str(dist.locate_file(""))).resolve()] = "the site-packages of the exam"
    if package.parent not in found:
        above = (p for p in package.parents if (p / "pyproject.toml").is_file())
        found[next(above, package.parent)] = "the repository"
    return tuple(Private(name, path) for path, name in found.items())


def private_places(places: Places, box: Box) -> list[Private]:
    """All that the agent of this box may not see, as real paths."""
    found = list(exam_code())
    for name, paths in (
        ("a run folder", places.runs),
        ("the results database", places.databases),
        ("the fixture cache", places.caches),
        ("the box of another attempt", places.boxes),
    ):
        found += [Private(name, p.resolve()) for p in paths]
    home = Path(os.path.expanduser("~")).resolve()  # noqa: PTH111  (Path.home raises where there is none)
    if home != Path("/"):
        found.append(Private("the home of this machine's user", home, loose=True))
    return found


def refuse(box: Box, shown: Shown, private: list[Private]) -> None:
    """Raise `UsageError`, naming the path, for a box that would show a private place."""
    for folder in (box.workspace, box.home):
        real = folder.resolve()
        if folder.is_symlink() or not real.is_dir():
            raise UsageError(
                "it is not a folder", where=str(folder), expected="a folder of this attempt alone"
            )
        for p in private:
            if below(p.path, real) or (below(real, p.path) and not p.loose):
                raise UsageError(f"the box would show {p.name}: {p.path}", where=str(folder), do=_OWN)
    for name, socket in box.sockets.items():
        if not socket.exists() or not stat.S_ISSOCK(socket.stat().st_mode):
            raise UsageError("it is not a unix socket", where=str(socket), expected=f"the socket {name!r}")
    for path in box.reads:
        real = path.resolve()
        for p in private:
            if below(p.path, real) and shown.shows(p.path):
                raise UsageError(
                    f"the agent's program lies above {p.name}: {p.path}", where=str(path), do=_OWN
                )
            if below(real, p.path) and not p.loose:
                raise UsageError(f"the agent's program lies in {p.name}: {p.path}", where=str(path), do=_OWN)
        _refuse_copies(path, real, shown)


def _refuse_copies(path: Path, real: Path, shown: Shown) -> None:
    """An exam is an exam wherever it is installed: no copy of it may lie below what the agent reads."""
    now = real.stat()
    for copy in _copies(real, now.st_ino, now.st_mtime_ns, frozenset(shown.masks)):
        if shown.shows(copy):
            raise UsageError(
                f"errands is installed below the agent's program: {copy}", where=str(path), do=_OWN
            )


@lru_cache(maxsize=256)
def _copies(folder: Path, inode: int, changed: int, masks: frozenset[Path]) -> tuple[Path, ...]:
    """The copies of errands below a folder, by the marks that an installation leaves; walked once a process."""
    return tuple(_walk(folder, masks))


def _walk(folder: Path, masks: frozenset[Path]) -> Iterator[Path]:
    """What is masked is not looked into: it may hold ten thousands of folders."""
    hidden = {str(p) for p in masks}
    for at, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if os.path.join(at, name) not in hidden]  # noqa: PTH118  (fast)
        for name in folders:
            installed = name.startswith("errands-") and name.endswith((".dist-info", ".egg-info"))
            if installed or (name == "errands" and Path(at, name, "exam", "sitting.py").is_file()):
                yield Path(at, name)
        for name in files:
            if name.endswith((".pth", ".egg-link")) and "errands" in name:
                yield Path(at, name)


def through(private: Private, shown: Shown) -> list[str]:
    """The shown paths below a private place: ways through it that are no leak."""
    return sorted(str(p) for p in {*shown.binds, *shown.links} if below(p, private.path))
