"""What a command-line agent remembers: the paths of its home that its profile names, and nothing else."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

MAX_FILES, MAX_BYTES = 400, 8 << 20  # of one session; what goes beyond is not remembered


def remembered(home: Path, patterns: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """The files below these paths (`*` is any name): path below the home, and content.

    The agent made them, so no link is followed: it could lead to what it was never shown.
    """
    left, seen = MAX_BYTES, set[Path]()
    root = home.resolve()
    for pattern in patterns:
        for top in sorted(home.glob(pattern)):
            if top.parent.resolve() != root.joinpath(*top.parent.relative_to(home).parts):
                continue
            for path in _files(top):
                if path in seen:
                    continue
                data = _content(path, left)
                if data is None or len(seen) >= MAX_FILES:
                    continue
                seen.add(path)
                left -= len(data)
                yield os.fspath(path.relative_to(home)), data


def lay_out(home: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write them into a new home."""
    for name, data in files:
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _files(top: Path) -> Iterator[Path]:
    if top.is_symlink():
        return
    if not top.is_dir():
        yield top
        return
    for at, folders, files in os.walk(top):
        folders.sort()
        yield from (Path(at, name) for name in sorted(files))


def _content(path: Path, most: int) -> bytes | None:
    """The bytes of a plain file that is not larger; None for anything else."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(fd, "rb") as f:
        now = os.fstat(fd)
        return f.read() if stat.S_ISREG(now.st_mode) and now.st_size <= most else None
