"""Packs: folders of tasks, apps and markets from outside, found by a setting or as an installed package.

A pack is `<name>/tasks/<task>/`, `<name>/apps/<app>/`, `<name>/markets/<code>/`, each as in our own tree. It is
named in `ERRANDS_PACKS` (folders, joined as in PATH; `--pack DIR` sets it, so that worker processes have it too), or
installed as a package with an entry point in the group `errands.packs`.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module, metadata, resources
from importlib.machinery import ModuleSpec
from importlib.resources.abc import Traversable
from importlib.util import module_from_spec
from pathlib import Path

from .errors import UsageError

SETTING = "ERRANDS_PACKS"
NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack by name, and the package in which its tasks, apps and markets are imported."""

    name: str
    package: str
    path: Path | None = None

    @property
    def folder(self) -> Traversable:
        """Where it lies."""
        return self.path or resources.files(self.package)


def packs() -> tuple[Pack, ...]:
    """The packs that are here, by name; `UsageError` for a folder that is none, or two of one name."""
    return _packs(os.environ.get(SETTING, ""))


def add_pack(folder: Path) -> None:
    """Bring a folder in, for this process and those that it starts."""
    _package(folder)
    known = [p for p in os.environ.get(SETTING, "").split(os.pathsep) if p]
    here = str(folder.resolve())
    if here not in known:
        os.environ[SETTING] = os.pathsep.join([*known, here])


@lru_cache(maxsize=8)
def _packs(setting: str) -> tuple[Pack, ...]:
    found: dict[str, Pack] = {}
    for folder in filter(None, setting.split(os.pathsep)):
        _put(found, _package(Path(folder)))
    for point in metadata.entry_points(group="errands.packs"):
        import_module(point.value)
        _put(found, Pack(point.name, point.value))
    return tuple(found[name] for name in sorted(found))


def _put(found: dict[str, Pack], pack: Pack) -> None:
    if found.setdefault(pack.name, pack) != pack:
        raise UsageError(f"there are two packs {pack.name!r}", expected="packs of different names")


def _package(folder: Path) -> Pack:
    """A folder as a package of its own name below `errands_packs`; nothing is put on the search path."""
    folder = folder.resolve()
    name = folder.name.replace("-", "_")
    if not any(folder.joinpath(part).is_dir() for part in ("tasks", "apps", "markets")):
        raise UsageError(
            f"{str(folder)!r} is no pack",
            where="--pack",
            expected="a folder with tasks/, apps/ or markets/ in it",
            do="errands new task PACK/TASK makes one",
        )
    if not NAME.fullmatch(name):
        raise UsageError(
            f"a pack cannot be called {folder.name!r}",
            where="--pack",
            expected="a folder named in small letters, digits and hyphens",
        )
    package = f"errands_packs.{name}"
    mounted = sys.modules.get(package)
    if mounted is not None and list(mounted.__path__) != [str(folder)]:
        raise UsageError(
            f"there are two packs {name!r}",
            where=str(folder),
            expected=f"another name than that of {mounted.__path__[0]}",
        )
    if mounted is None:
        for module, path in (("errands_packs", []), (package, [str(folder)])):
            if module not in sys.modules:
                spec = ModuleSpec(module, None, is_package=True)
                spec.submodule_search_locations = list(path)
                sys.modules[module] = module_from_spec(spec)
    return Pack(name, package, folder)
