"""The preflight: looks out of a sandbox from the inside, and says what it could see that it should not.

Reads what its parent knows as one JSON document from stdin, prints a receipt as JSON: {"ok", "checks", "seen"}.
Stands alone: Python's standard library only.
"""

from __future__ import annotations

import errno
import importlib.util
import json
import os
import re
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

SHOWN = 8  # of many findings, so many are named
MAX_ENTRIES = 400_000
SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH", re.IGNORECASE)
SECRET_VALUE = re.compile(
    r"\b(sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|xox[abprs]-[\w-]{10,}"
    r"|hf_\w{20,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*)|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
ABROAD = (("192.0.2.1", socket.AF_INET), ("2001:db8::1", socket.AF_INET6))  # documentation addresses
NO_WAY = (errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
Found = list[str]


class Probe:
    """What the parent knows, and what one walk through the visible files found."""

    def __init__(self, known: dict[str, Any]):
        self.known = known
        self.seen: dict[str, Any] = {}
        self.files: list[os.DirEntry[str]] = []
        self.partial = False

    def walk(self) -> None:
        """Every visible file except the system's own read-only folders and /proc."""
        skip = {*self.known["system"], "/proc"}
        todo = ["/"]
        while todo:
            for entry in listed(todo.pop()):
                if entry.path in skip:
                    continue
                if len(self.files) >= MAX_ENTRIES:
                    self.partial = True
                    return
                self.files.append(entry)
                if entry.is_dir(follow_symlinks=False):
                    todo.append(entry.path)
        self.seen["entries"] = len(self.files)

    # ---- files ---------------------------------------------------------------------------------------------

    def private(self) -> Found:
        """No private place: not under its own path, and under no other."""
        ids = {tuple(p["id"]): p["name"] for p in self.known["private"] if p["id"]}
        numbers = {inode for _, inode in ids}
        # What a folder lists for a mount point is the inode below it.
        near = {e.path for e in self.files if e.inode() in numbers} | set(mounted())
        found = [f"{ids[i]} is {path}" for path in sorted(near) if (i := identity(path)) in ids]
        for place in self.known["private"]:
            found += self._reached(place)
        return found + (["too many files to look at all of them"] if self.partial else [])

    def _reached(self, place: dict[str, Any]) -> Found:
        path, ways = place["path"], place["through"]
        now = identity(path)
        if now is None:
            return []
        if [*now] != place["id"] and (place["masked"] or any(inside(path, b) for b in self.known["box"])):
            return []  # an empty folder lies over it, or the box has something of that name
        if not ways:
            return [f"{place['name']} can be reached: {path}"]
        return [f"{place['name']} shows {p}" for p in self._astray(path, ways)]

    def _astray(self, folder: str, ways: list[str]) -> Iterator[str]:
        """What a folder shows beside the granted ways through it."""
        for path in (e.path for e in listed(folder)):
            if path in ways:
                continue
            if any(way.startswith(path + "/") for way in ways):
                yield from self._astray(path, ways)
            else:
                yield path

    def mounts(self) -> Found:
        """Nothing is mounted but what was meant to be; nothing is writable but the box."""
        found, points = [], mounted()
        for point, options in points.items():
            if not self._granted_mount(point):
                found.append(f"{point} is mounted and was not granted")
            if "rw" in options and not any(inside(point, p) for p in self.known["writable"]):
                found.append(f"{point} can be written")
        self.seen["mounts"] = len(points)
        return found if points else ["/proc/self/mountinfo cannot be read"]

    def _granted_mount(self, point: str) -> bool:
        return point in self.known["mounts"] or any(inside(point, p) for p in ("/proc", "/dev"))

    def sockets(self) -> Found:
        """No unix socket but the granted ones, in files or abstract."""
        granted = set(self.known["sockets"])
        there = {p for p in (*(e.path for e in self.files if odd(e)), *mounted()) if is_socket(p)}
        self.seen["sockets"] = sorted(there & granted)
        named = [line.split()[7] for line in text("/proc/net/unix").splitlines()[1:] if len(line.split()) > 7]
        found = [f"{p} is a socket that was not granted" for p in sorted(there - granted)]
        return found + [f"the unix socket {n} is open" for n in named]

    def symlinks(self) -> Found:
        """No link in the box leads out of what was granted."""
        found, points = [], mounted()
        for path in (e.path for e in self.files if e.is_symlink()):
            if not any(inside(path, own) for own in self.known["box"]):
                continue
            to = os.path.realpath(path)
            if not os.path.lexists(to):
                continue
            point = max((p for p in points if inside(to, p)), key=len, default="")
            if not self._granted_mount(point) or not any(inside(to, p) for p in self.known["granted"]):
                found.append(f"{path} leads to {to}")
        return found

    def exam(self) -> Found:
        """No exam code where Python would look, nor anywhere else."""
        name = self.known["package"]
        mark = re.compile(rf"(_+editable_+(impl_)?)?{name}\b")
        found = [f"`import {name}` works"] if importlib.util.find_spec(name) is not None else []
        places = {p for p in sys.path if p} | {e.path for e in self.files if e.name.endswith("-packages")}
        for library in ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64"):
            places.update(str(p) for p in Path(library).glob("python*/*-packages"))
        for place in places:
            found += [e.path for e in listed(place) if mark.match(e.name)]
        found += [e.path for e in self.files if e.path.endswith(f"/{name}/exam/sitting.py")]
        self.seen["python_paths"] = len(places)
        return sorted(set(found))

    # ---- processes -----------------------------------------------------------------------------------------

    def environment(self) -> Found:
        """No variable but the granted ones."""
        return [f"the variable {n} was not granted" for n in sorted(set(os.environ) - set(self.known["env"]))]

    def secrets(self) -> Found:
        """No secret's value but in the variables that were granted it."""
        granted = set(self.known["secrets"])
        values = {os.environ[n] for n in granted if SECRET_NAME.search(n) and len(os.environ.get(n, "")) >= 8}
        found = []
        for name, value in os.environ.items():
            if name not in granted and (SECRET_VALUE.search(value) or any(v in value for v in values)):
                found.append(f"the variable {name} holds what looks like a secret")
        for pid in pids():
            said = text(f"/proc/{pid}/cmdline")
            if any(v in said for v in values) or SECRET_VALUE.search(said):
                found.append(f"the command line of process {pid} holds what looks like a secret")
        self.seen["secrets"] = len(values)
        return found

    def processes(self) -> Found:
        """No process but the sandbox's own, and nothing to read in theirs that was not granted."""
        me = int(text("/proc/self/stat").partition(" ")[0])
        found = [] if me == os.getpid() else ["/proc is another's"]
        ours, pid = {me}, me
        while pid := parent(pid):
            ours.add(pid)
        self.seen["processes"] = len(ours)
        for pid in pids():
            words = text(f"/proc/{pid}/environ").split("\0")
            extra = {w.partition("=")[0] for w in words if w} - set(self.known["env"])
            if extra:
                found.insert(0, f"process {pid} shows the variables {', '.join(sorted(extra)[:SHOWN])}")
            if pid not in ours:
                found.append(
                    f"process {pid} ({text(f'/proc/{pid}/comm').strip()}) is not ours and can be seen"
                )
        return found

    def descriptors(self) -> Found:
        """No open file but stdin, stdout and stderr."""
        found = []
        for number in range(3, 4096):
            try:
                os.fstat(number)
            except OSError:
                continue
            try:
                to = str(Path(f"/proc/self/fd/{number}").readlink())
            except OSError:
                to = "something"
            found.append(f"descriptor {number} is open: {to}")
        return found

    def privileges(self) -> Found:
        """An ordinary user without capabilities, who can gain none."""
        status = dict(line.split(":", 1) for line in text("/proc/self/status").splitlines() if ":" in line)
        found = ["it runs as root"] if 0 in (os.getuid(), os.geteuid()) else []
        for name in ("CapEff", "CapPrm", "CapAmb"):
            if int(status.get(name, "1"), 16):
                found.append(f"it holds capabilities ({name} {status.get(name, 'unknown').strip()})")
        if status.get("NoNewPrivs", "").strip() != "1":
            found.append("it can gain privileges by running a setuid program")
        self.seen["uid"] = os.getuid()
        return found

    # ---- network -------------------------------------------------------------------------------------------

    def network(self) -> Found:
        """No interface but loopback, no way out, and only the relay listens."""
        links = [name for _, name in socket.if_nameindex()]
        found = [f"there is a network interface {n}" for n in links if n != "lo"]
        for address, family in ABROAD:
            try:
                with socket.socket(family, socket.SOCK_STREAM) as s:
                    s.settimeout(2)
                    s.connect((address, 9))
                found.append(f"{address} answers")
            except OSError as why:
                if why.errno not in NO_WAY:
                    found.append(f"a packet to {address} leaves: {why}")
        ports = listening()
        self.seen["ports"] = sorted(ports)
        return found + [f"{a}:{p} listens" for p, a in ports.items() if p not in self.known["ports"]]

    def host(self) -> Found:
        """Not the host's name."""
        self.seen["host"] = socket.gethostname()
        return [] if self.seen["host"] != self.known["host"] else ["the host's name can be read"]


def inside(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def listed(folder: str) -> list[os.DirEntry[str]]:
    """What is in a folder; nothing where it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return [*entries]
    except OSError:
        return []


def identity(path: str) -> tuple[int, int] | None:
    """Device and inode: the same under every name."""
    try:
        now = os.lstat(path)
    except OSError:
        return None
    return now.st_dev, now.st_ino


def odd(entry: os.DirEntry[str]) -> bool:
    """Whether its folder lists it as something else than a file, folder or link."""
    return not (
        entry.is_symlink() or entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False)
    )


def is_socket(path: str) -> bool:
    """Whether a socket lies there."""
    try:
        return stat.S_ISSOCK(os.lstat(path).st_mode)
    except OSError:
        return False


def text(path: str) -> str:
    """What stands in a file; nothing where it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def mounted() -> dict[str, list[str]]:
    """Mount points and their options; of several at one place the last, which covers the others."""
    lines = [line.split() for line in text("/proc/self/mountinfo").splitlines()]
    return {re.sub(r"\\(\d{3})", lambda m: chr(int(m[1], 8)), w[4]): w[5].split(",") for w in lines}


def pids() -> list[int]:
    """The processes that can be seen."""
    return [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit()]


def parent(pid: int) -> int:
    """The parent of a process; 0 at the top."""
    rest = text(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return int(rest[1]) if len(rest) > 1 else 0


def listening() -> dict[int, str]:
    """Ports on which something listens (TCP) or is bound (UDP), with their addresses as the kernel writes them."""
    found = {}
    for name, state in (("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")):
        for line in text(f"/proc/net/{name}").splitlines()[1:]:
            words = line.split()
            if words[3] == state:
                address, _, port = words[1].partition(":")
                found[int(port, 16)] = address
    return found


def checked(name: str, check: Callable[[], Found]) -> dict[str, Any]:
    """One check; a check that breaks has not been passed."""
    try:
        found = check()
    except Exception as why:
        found = [f"the check broke: {type(why).__name__}: {why}"]
    more = f"; and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return {"name": name, "ok": not found, "detail": "; ".join(found[:SHOWN]) + more}


def main() -> int:
    """Look at everything once."""
    probe = Probe(json.load(sys.stdin))
    probe.walk()
    checks = [
        checked(name, getattr(probe, name))
        for name in (
            "private", "mounts", "sockets", "symlinks", "exam", "environment",
            "secrets", "processes", "descriptors", "privileges", "network", "host",
        )
    ]  # fmt: skip
    ok = all(c["ok"] for c in checks)
    print(json.dumps({"ok": ok, "checks": checks, "seen": probe.seen}, ensure_ascii=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
