"""A workspace as a real folder: laid out for a sandboxed agent, then taken back as changes."""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any
from unicodedata import normalize

import apsw

from errands.core.errors import ToolError, UsageError
from errands.world import World

from .names import MAX_ALL, MAX_FILE, clean_path, media_of
from .store import may_change, put, remove

MAX_NAMES = 5_000  # looked at; the rest of an overgrown folder is not
MAX_TAKEN = 2 * MAX_ALL
MAX_REFUSED = 100
_DIR = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # opening a pipe must not wait


def lay_out(source: World | apsw.Connection, folder: Path, area: str = "workspace") -> None:
    """Write the files of an area into `folder`, which is made, or is empty; UsageError when it is not."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise UsageError("files are laid out in an empty folder only", where=str(folder))
    db = source.db if isinstance(source, World) else source
    rows = db.execute(
        "SELECT e.path, b.data FROM files_entry e JOIN files_blob b ON b.digest = e.blob"
        " WHERE e.path > ? AND e.path < ? ORDER BY e.path",
        (f"{area}/", f"{area}0"),
    )
    for path, data in rows:
        goal = folder.joinpath(*str(path).split("/")[1:])
        goal.parent.mkdir(parents=True, exist_ok=True)
        with goal.open("xb") as f:  # fails on a file system on which two names are one
            f.write(data)


def collect(w: World, folder: Path, actor: str, area: str = "workspace") -> dict[str, list[Any]]:
    """Take what is in `folder` back as changes by `actor`, caused by one ledger event `files.collected`.

    Returns {"added", "changed", "deleted": paths, "refused": [{"name", "why"}]}. Links are never followed;
    links, devices, hidden names, too much, and names that no path may have are refused, never an exception.
    What stands at or below a refused name is left as it is in the world.
    """
    before = {
        str(p): str(b)
        for p, b in w.db.execute(
            "SELECT e.path, e.blob FROM files_entry e WHERE e.path > ? AND e.path < ?",
            (f"{area}/", f"{area}0"),
        )
    }
    found = _Taken(area, frozenset(before))
    found.take(folder)
    return _apply(w, before, found, actor)


def _apply(w: World, before: dict[str, str], found: _Taken, actor: str) -> dict[str, list[Any]]:
    from errands.world.fixture import blob_name

    done: dict[str, list[Any]] = {"added": [], "changed": [], "deleted": [], "refused": []}
    gone = [p for p in sorted(before) if p not in found.files and not found.unseen(p)]
    new = {p: d for p, d in found.files.items() if before.get(p) != blob_name(d)}
    if gone or new or found.refused:
        with w.outside(actor, "files.collected") as body:
            for path in gone:
                with found.refusing(path):
                    may_change(w, path)
                    remove(w, path)
                    done["deleted"].append(path)
            for path, data in new.items():
                with found.refusing(path):
                    may_change(w, path)
                    put(w, path, data, media_of(path), actor)
                    done["changed" if path in before else "added"].append(path)
            done["refused"] = found.told()
            body.update(done)
    return done


@dataclass
class _Taken:
    """What a look into a folder brought: files by path, what was refused, what could not be seen."""

    area: str
    known: frozenset[str]
    files: dict[str, bytes] = field(default_factory=dict)
    refused: list[dict[str, str]] = field(default_factory=list)
    blind: list[str] = field(default_factory=list)
    taken: int = 0

    def refuse(self, name: str, why: str) -> None:
        self.refused.append({"name": name.encode("utf-8", "backslashreplace").decode()[:200], "why": why})
        self.blind.append(normalize("NFC", f"{self.area}/{name}") if name else self.area)

    @contextmanager
    def refusing(self, path: str) -> Iterator[None]:
        """What the app itself refuses is a refusal too."""
        try:
            yield
        except ToolError as why:
            self.refuse(path.removeprefix(f"{self.area}/"), why.message)

    def unseen(self, path: str) -> bool:
        """Whether this path, or a folder above it, was refused: nobody can say that it is gone."""
        return any(path == b or path.startswith(f"{b}/") for b in self.blind)

    def told(self) -> list[dict[str, str]]:
        rest = len(self.refused) - MAX_REFUSED
        more = [{"name": "", "why": f"and {rest} more"}] if rest > 0 else []
        return [*self.refused[:MAX_REFUSED], *more]

    def take(self, folder: Path) -> None:
        try:
            root = os.open(folder, _DIR)
        except OSError:
            return self.refuse("", "the folder itself cannot be opened, or is a link")
        try:
            # What was there before comes first, then what lies high: a heap of new files crowds nothing out.
            names = self._names(root)
            for name in sorted(names, key=lambda n: (self._path(n) not in self.known, n.count("/"), n)):
                self._file(root, name)
        finally:
            os.close(root)

    def _path(self, name: str) -> str:
        return normalize("NFC", f"{self.area}/{name}")

    def _names(self, root: int) -> list[str]:
        """Regular files below the folder, breadth first; the rest is refused."""
        out: list[str] = []
        folders, left = deque([""]), MAX_NAMES
        while folders:
            where = folders.popleft()
            try:
                with _opened(root, where, _DIR) as fd, os.scandir(fd) as entries:
                    seen = sorted(islice(entries, left + 1), key=lambda e: os.fsencode(e.name))
                    left -= len(seen)
                    for e in seen:
                        self._sort(e, f"{where}/{e.name}" if where else e.name, out, folders)
            except OSError:
                self.refuse(where, "this folder cannot be opened, or is a link")
            if left < 0:
                self.refuse("", f"more than {MAX_NAMES} names; the rest was not looked at")
                break
        return out

    def _sort(self, e: os.DirEntry[str], name: str, out: list[str], folders: deque[str]) -> None:
        try:
            name.encode()
        except UnicodeEncodeError:
            return self.refuse(name, "the name is not UTF-8")
        path = self._path(name)
        try:
            kind = e.stat(follow_symlinks=False).st_mode
        except OSError:
            return self.refuse(name, "it cannot be looked at")
        if e.name.startswith(".") and not any(k == path or k.startswith(f"{path}/") for k in self.known):
            self.refuse(name, "hidden names are not taken")
        elif stat.S_ISDIR(kind):
            if len(path) > 200:
                self.refuse(name, "the path is too long")
            else:
                folders.append(name)
        elif stat.S_ISREG(kind):
            out.append(name)
        else:
            self.refuse(name, "it is a link" if stat.S_ISLNK(kind) else "it is a device, a pipe or a socket")
        return None

    def _file(self, root: int, name: str) -> None:
        with self.refusing(self._path(name)):
            path = clean_path(f"{self.area}/{name}")
            if path in self.files:
                raise ToolError("conflict", "two names are the same once normalized")
            try:
                with _opened(root, name, _FILE) as fd:
                    data = self._bytes(fd)
            except OSError:
                raise ToolError("invalid", "it cannot be opened, or is a link") from None
            self.files[path] = data

    def _bytes(self, fd: int) -> bytes:
        facts = os.fstat(fd)
        if not stat.S_ISREG(facts.st_mode) or facts.st_nlink > 1:
            raise ToolError("invalid", "it is no ordinary file, or has a second name elsewhere")
        data = bytearray()
        while len(data) <= MAX_FILE and (step := os.read(fd, 1 << 20)):
            data += step
        if len(data) > MAX_FILE:
            raise ToolError("limit", f"it is bigger than {MAX_FILE} bytes")
        self.taken += len(data)
        if self.taken > MAX_TAKEN:
            raise ToolError("limit", "there is too much in all")
        return bytes(data)


@contextmanager
def _opened(root: int, name: str, flags: int) -> Iterator[int]:
    """Open a name below a folder part by part: no link is followed, even one put there meanwhile."""
    parts = name.split("/") if name else ["."]
    at = root
    try:
        for n, part in enumerate(parts):
            step = os.open(part, flags if n == len(parts) - 1 else _DIR, dir_fd=at)
            if at != root:
                os.close(at)
            at = step
        yield at
    finally:
        if at != root:
            os.close(at)
