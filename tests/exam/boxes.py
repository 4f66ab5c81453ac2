"""Boxes for sandboxed programs, as tests fill them."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from errands.exam.sandbox import Box


def new_box(folder: Path, **more) -> Box:
    """A box with an empty workspace and home in this folder."""
    for name in ("work", "home"):
        (folder / name).mkdir(parents=True)
    return Box(folder / "work", folder / "home", **more)


def base_packages() -> Path:
    """Where the interpreter behind this environment has its packages; Debian's own keeps them elsewhere."""
    own = (
        Path(sys.base_prefix)
        / "lib"
        / f"python{sys.version_info.major}.{sys.version_info.minor}"
        / "site-packages"
    )
    return next(p for p in (own, Path("/usr/lib/python3/dist-packages")) if p.is_dir())


def alive(mark: str) -> list[str]:
    """The command lines of this machine's processes that hold these words."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if mark in words:
                found.append(words)
    return found


@contextmanager
def server(path: Path, talk: Callable[[socket.socket], None]) -> Iterator[Path]:
    """A unix socket at which every connection is talked to in a thread."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(path))
        listening.listen(64)

        def accept() -> None:
            while True:
                try:
                    near, _ = listening.accept()
                except OSError:
                    return
                threading.Thread(target=serve, args=(near,), daemon=True).start()

        def serve(near: socket.socket) -> None:
            with near, suppress(OSError):
                talk(near)

        threading.Thread(target=accept, daemon=True).start()
        yield path
        listening.shutdown(socket.SHUT_RDWR)


def echo(near: socket.socket) -> None:
    """Say back what was said, and at its end say so."""
    while data := near.recv(65536):
        near.sendall(data)
    near.sendall(b"<end>")
