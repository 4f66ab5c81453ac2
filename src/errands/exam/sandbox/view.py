"""A box as bubblewrap arguments, and as what the preflight must know of it."""

from __future__ import annotations

import os
import re
import socket
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from errands.core.errors import UsageError

from . import Box, Places
from .mounts import ETC, SYSTEM, Shown, below
from .private import Private, private_places, refuse, through
from .program import interpreter, search_path

WORKSPACE, HOME, RUN, HOSTNAME = "/work", "/home/agent", "/run/errands", "sandbox"
RELAY, PROBE = f"{RUN}/relay.py", f"{RUN}/probe.py"
SCRIPTS = Path(__file__).parent / "inside"
_WRITABLE = (WORKSPACE, HOME, "/tmp", "/proc", "/dev")  # noqa: S108
Op = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class View:
    """What one box shows, after the check that it shows nothing private."""

    box: Box
    shown: Shown
    private: list[Private]

    @classmethod
    def of(cls, box: Box, places: Places) -> View:
        """Raises `UsageError` for a box that names what is not there, or would show a private place."""
        unknown = sorted(set(box.tcp.values()) - set(box.sockets))
        if unknown:
            raise UsageError(f"a port leads to sockets that the box does not have: {', '.join(unknown)}")
        for name in box.sockets:
            if not re.fullmatch(r"[\w-][\w.-]*", name) or f"{RUN}/{name}" in (RELAY, PROBE):
                raise UsageError(f"{name!r} cannot be the name of a socket", expected="a plain file name")
        shown = _system().reading(box.reads)
        private = private_places(places, box)
        refuse(box, shown, private)
        for place in sorted((p.path for p in private if not p.loose), key=lambda p: len(p.parts)):
            if shown.shows(place):  # it lies below the system's own folders
                shown.masks.add(place)
        return cls(box, shown, private)

    def mounts(self, scratch: Op) -> Iterator[Op]:
        """The operations that build what the agent sees, parents first; `scratch` bounds what lies in memory."""
        ops: dict[Path, Op] = {p: ("--ro-bind", str(p), str(p)) for p in self.shown.binds}
        ops |= {p: ("--symlink", to, str(p)) for p, to in self.shown.links.items()}
        for p in self.shown.masks:
            empty = ("--perms", "0555", "--tmpfs", str(p))
            ops[p] = empty if p.is_dir() else ("--ro-bind", "/dev/null", str(p))
        ops[Path("/proc")] = ("--proc", "/proc")
        ops[Path("/dev")] = ("--dev", "/dev")
        for memory in ("/dev/shm", "/tmp"):  # noqa: S108
            ops[Path(memory)] = ("--perms", "1777", *scratch, "--tmpfs", memory)
        ops[Path(WORKSPACE)] = ("--bind", str(self.box.workspace.resolve()), WORKSPACE)
        ops[Path(HOME)] = ("--bind", str(self.box.home.resolve()), HOME)
        for name, path in self.box.sockets.items():
            ops[Path(RUN, name)] = ("--ro-bind", str(path.resolve()), f"{RUN}/{name}")
        yield from _with_parents(ops, Path(RUN))
        yield from (("--remount-ro", str(p)) for p in self.shown.masks if p.is_dir())

    def files(self, uid: int) -> dict[str, bytes]:
        """Files that are made up, and the scripts of ours that run inside."""
        etc = {
            "passwd": f"root:x:0:0:root:/root:/usr/sbin/nologin\nagent:x:{uid}:{uid}:agent:{HOME}:/bin/sh\n",
            "group": f"root:x:0:\nagent:x:{uid}:\n",
            "hosts": f"127.0.0.1 localhost {HOSTNAME}\n::1 localhost\n",
            "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
            "hostname": f"{HOSTNAME}\n",
            "timezone": "Etc/UTC\n",
        }
        made = {f"/etc/{name}": text.encode() for name, text in etc.items()}
        zone = Path("/usr/share/zoneinfo/Etc/UTC")
        if zone.is_file():
            made["/etc/localtime"] = zone.read_bytes()
        return made | {
            f"{RUN}/{p.name}": p.read_bytes() for p in (SCRIPTS / "relay.py", SCRIPTS / "probe.py")
        }

    def env(self, granted: Mapping[str, str]) -> dict[str, str]:
        """The plain variables that every program has, and those granted."""
        return {
            "PATH": search_path(self.box.reads),
            "HOME": HOME,
            "USER": "agent",
            "LOGNAME": "agent",
            "SHELL": "/bin/sh",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "TMPDIR": "/tmp",  # noqa: S108
            "TERM": "dumb",
            **granted,
        }

    def relayed(self, argv: Sequence[str]) -> list[str]:
        """The program's words, behind the relay where ports lead to sockets."""
        if not self.box.tcp:
            return list(argv)
        ports = [f"{port}={RUN}/{name}" for port, name in self.box.tcp.items()]
        return [str(interpreter().program), "-I", "-S", "-B", RELAY, "tcp", *ports, "--", *argv]

    def hand_over(self) -> int:
        """Give workspace, home and sockets to the user that the agent will be; returns its id inside.

        As root it is an id that no other box has (limits count by it), taken from the workspace's inode.
        """
        if os.geteuid() != 0:
            return 1000
        self._readable()
        uid = _free_uid(self.box.workspace.stat().st_ino)
        for folder in (self.box.workspace, self.box.home):
            for at, folders, files in os.walk(folder):
                for path in (Path(at), *(Path(at, n) for n in (*folders, *files))):
                    if path.lstat().st_uid != uid:
                        os.chown(path, uid, uid, follow_symlinks=False)
        for socket_ in self.box.sockets.values():
            socket_.chmod(socket_.stat().st_mode | 0o006)
        return uid

    def _readable(self) -> None:
        """Under root the agent is somebody else: what it reads must be open to others."""
        for path in self.shown.binds:
            mode = path.stat().st_mode
            need = 0o005 if stat.S_ISDIR(mode) else 0o004
            if mode & need != need:
                raise UsageError(
                    "the agent's program is not readable by others, and under root the agent is an ordinary user",
                    where=str(path),
                    do=f"chmod -R o+rX {path}, or run errands as an ordinary user",
                )

    def known(self, granted: Mapping[str, str]) -> dict[str, Any]:
        """What the preflight must know to tell what was granted from what was not."""
        targets = {op[-1] for op in self.mounts(()) if not {"--symlink", "--dir"} & set(op)} | {"/"}
        return {
            "private": [
                {
                    "name": p.name,
                    "path": str(p.path),
                    "id": _identity(p.path),
                    "through": through(p, self.shown),
                    "masked": p.path in self.shown.masks,
                }
                for p in self.private
            ],
            "system": [*SYSTEM],
            "box": [WORKSPACE, HOME],
            "writable": [*_WRITABLE],
            "granted": [*SYSTEM, *map(str, self.shown.binds), *_WRITABLE, "/etc", RUN],
            "mounts": sorted({*targets, *_mounted_below(self.shown)}),
            "sockets": [f"{RUN}/{name}" for name in self.box.sockets],
            "ports": [*self.box.tcp],
            "env": [*self.env(granted), "PWD"],
            "secrets": [*granted],
            "package": "errands",
            "host": socket.gethostname(),
        }


@cache
def _system() -> Shown:
    """What every box shows."""
    return Shown.of([Path(p) for p in (*SYSTEM, *ETC)]).reading(interpreter().reads)


def _with_parents(ops: Mapping[Path, Op], *more: Path) -> Iterator[Op]:
    """Operations in order, with the folders above them: bubblewrap itself would make those for root alone."""
    folders: dict[Path, Op] = {}
    for place in (*ops, *more):
        for p in (place, *place.parents)[0 if place in more else 1 : -1]:
            if p in ops or p in folders:
                break
            folders[p] = ("--perms", "0755", "--dir", str(p))
    for _, op in sorted({**folders, **ops}.items(), key=lambda at: at[0].parts):
        yield op


def floor() -> Iterator[Op]:
    """The system alone: what the check of this machine starts."""
    shown = Shown.of([Path(p) for p in SYSTEM])
    yield from ((("--ro-bind", str(p), str(p))) for p in sorted(shown.binds))
    yield from (("--symlink", to, str(p)) for p, to in shown.links.items())
    yield from (("--proc", "/proc"), ("--dev", "/dev"))


def namespaces() -> Iterator[Op]:
    """Everything unshared. As root without a user namespace: it would leave the agent root's files."""
    if os.geteuid() == 0:
        parts: Iterable[str] = ("ipc", "pid", "net", "uts", "cgroup-try")
        yield from ((f"--unshare-{part}",) for part in parts)
        yield ("--cap-drop", "ALL")
        yield from (("--cap-add", cap) for cap in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"))
    else:
        yield ("--unshare-user", "--unshare-all", "--uid", "1000", "--gid", "1000", "--cap-drop", "ALL")
    yield ("--die-with-parent", "--new-session", "--hostname", HOSTNAME)


def _free_uid(number: int) -> int:
    """An id of the users that this system can have, well above those it has; the same number gives the same."""
    try:
        words = Path("/proc/self/uid_map").read_text(encoding="ascii").split()
        top = min(int(words[0]) + int(words[2]), 1 << 31)
    except (OSError, ValueError, IndexError):
        top = 60_000
    low = min(200_000, top // 2)
    return low + number % (top - low - 1)


def _identity(path: Path) -> list[int] | None:
    try:
        now = path.stat()
    except OSError:
        return None
    return [now.st_dev, now.st_ino]


def _mounted_below(shown: Shown) -> list[str]:
    """What this machine has mounted below a shown path comes along with it."""
    lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    points = (Path(re.sub(r"\\(\d{3})", lambda m: chr(int(m[1], 8)), line.split()[4])) for line in lines)
    return [str(p) for p in points if any(below(p, bind) for bind in shown.binds)]
