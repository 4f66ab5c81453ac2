"""What a sandbox shows: from paths of the host to read-only binds, links and masks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from errands.core.errors import UsageError

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
# Of /etc what programs need to start and to check certificates; users, hosts and name services are made up.
ETC = (
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/crypto-policies",
    "/etc/pki/ca-trust/extracted",
    "/etc/pki/tls/certs",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/tls/openssl.cnf",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
)
_PACKAGES = ("site-packages", "dist-packages")
_MAX_LINKS = 40


def trace(path: Path) -> tuple[dict[Path, str], Path]:
    """The symbolic links on the way along a path (place to target), and the real path at its end."""
    links: dict[Path, str] = {}
    at, todo = Path("/"), list(path.absolute().parts[1:])
    while todo:
        part = todo.pop(0)
        if part == "..":
            at = at.parent
            continue
        here = at / part
        if not here.is_symlink():
            at = here
            continue
        if len(links) >= _MAX_LINKS:
            raise UsageError("it leads through too many symbolic links", where=str(path))
        links[here] = str(here.readlink())
        to = Path(links[here])
        at, parts = (Path("/"), to.parts[1:]) if to.is_absolute() else (at, to.parts)
        todo = [*parts, *todo]
    return links, at


def below(path: Path, folder: Path) -> bool:
    """Whether a path is a folder or lies in it."""
    return path == folder or folder in path.parents


def packages_in(library: Path) -> Iterator[Path]:
    """The site-packages of a Python library folder (`lib` or `lib/python3.x`)."""
    try:
        names = os.listdir(library)  # noqa: PTH208  (many names, few of them wanted)
    except OSError:
        return
    for folder in (library, *(library / n for n in names if n.startswith(("python", "pypy")))):
        yield from (p.resolve() for p in (folder / name for name in _PACKAGES) if p.is_dir())


@dataclass
class Shown:
    """Read-only binds (paths are the same inside and outside), links, and folders that stay empty.

    `system` paths come first; a `reads` path that is one of them, or lies in one, needs no bind of its own.
    """

    binds: set[Path] = field(default_factory=set)
    links: dict[Path, str] = field(default_factory=dict)
    masks: set[Path] = field(default_factory=set)

    @classmethod
    def of(cls, paths: Iterable[Path]) -> Shown:
        """What these paths of the system show."""
        shown = cls()
        for p in paths:
            if os.path.lexists(p):
                shown._add(p)
        for library in ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64"):
            shown.masks.update(packages_in(Path(library)))
        shown._tidy()
        return shown

    def reading(self, paths: Iterable[Path]) -> Shown:
        """What is shown with these paths of programs too.

        Other people's Python packages stay hidden: a site-packages is empty where it lies right in a Python library
        folder (of the system, or a base interpreter's), unless it is named itself.
        """
        shown = Shown({*self.binds}, {**self.links}, {*self.masks})
        named = [shown._add(p) for p in paths]
        for folder in named:
            shown.masks.update(packages_in(folder))
        shown.masks.difference_update(named)
        shown._tidy()
        return shown

    def _add(self, path: Path) -> Path:
        links, real = trace(path)
        if not real.exists():
            raise UsageError(
                "there is nothing there", where=str(path), expected="a file or folder that the agent needs"
            )
        self.links.update(links)
        self.binds.add(real)
        return real

    def _tidy(self) -> None:
        """Leave out what another bind shows already."""
        self.binds = {p for p in self.binds if p == p.parent or not self.shows(p.parent)}
        self.links = {p: to for p, to in self.links.items() if not self.shows(p.parent)}
        self.masks = {p for p in self.masks if self.shows(p.parent)}

    def shows(self, path: Path) -> bool:
        """Whether a real path of the host can be seen: the nearest bind or mask above it decides."""
        for folder in (path, *path.parents):
            if folder in self.binds:
                return True
            if folder in self.masks:
                return False
        return False
