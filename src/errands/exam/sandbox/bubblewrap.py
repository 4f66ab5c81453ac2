"""The sandbox on Linux: bubblewrap with namespaces of its own, an empty root, and only the box in it.

An ordinary user gets a user namespace. Where the exam runs as root, each box has an ordinary user id of its own
instead, so that limits on processes hold and nothing of root's can be read.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import select
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from errands.core.errors import UsageError

from . import AtEnd, Box, Inside, Kind, Places, Ran, SandboxFault
from .child import MAX_OUTPUT, Child
from .program import interpreter
from .trouble import explain, found
from .view import HOME, PROBE, RELAY, RUN, WORKSPACE, View, floor, namespaces

_PROBE_S = 60.0
_DYING_S = 20.0


@dataclass(frozen=True, slots=True)
class Bounds:
    """What the processes of one box may use: memory is of each process, the rest of all together or of each."""

    memory: int = 4 << 30
    processes: int = 1024
    open_files: int = 4096
    file: int = 1 << 30
    scratch: int = 1 << 30


@dataclass(frozen=True, slots=True)
class _Hole:
    """Leaks for tests to drill: arguments after ours, descriptors that stay open, variables nobody granted."""

    args: tuple[str, ...] = ()
    fds: tuple[int, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


class Bubblewrap:
    """Runs programs in bubblewrap; `bwrap` is the program's name or path."""

    kind: Kind = "bubblewrap"

    def __init__(
        self,
        places: Places | None = None,
        *,
        bwrap: str = "bwrap",
        bounds: Bounds | None = None,
        max_output: int = MAX_OUTPUT,
    ):
        self.places, self.bwrap, self.bounds = places or Places(), bwrap, bounds or Bounds()
        self.max_output = max_output
        self._hole = _Hole()

    # ---- the interface -------------------------------------------------------------------------------------

    def check(self) -> None:
        """Raise `UsageError` that says what this machine lacks; starts an empty sandbox to know."""
        bwrap = found(self.bwrap)
        flat = [a for op in (*namespaces(), *floor()) for a in op]
        try:
            done = subprocess.run(
                [bwrap, *flat, "--", *self._limited(1000), "true"],
                env={}, stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as why:
            raise explain(str(why)) from why
        if done.returncode:
            raise explain(done.stderr.decode(errors="replace"))

    def port(self, wanted: int) -> int:
        """Any port: the network inside is the box's own."""
        return wanted

    def inside(self, box: Box) -> Inside:
        """The box as its agent will see it."""
        sockets = {name: f"{RUN}/{name}" for name in box.sockets}
        return Inside(WORKSPACE, HOME, sockets, str(interpreter().program), RELAY)

    def start(
        self,
        argv: Sequence[str],
        *,
        box: Box,
        env: Mapping[str, str],
        timeout: float,
        stdin: bytes = b"",
        at_end: AtEnd | None = None,
    ) -> Ran:
        """Run a program in the sandbox to its end; all that it started is dead then."""
        view = View.of(box, self.places)
        return self._run(argv, view, env, timeout, stdin, at_end)

    def probe(self, box: Box, env: Mapping[str, str]) -> dict[str, Any]:
        """Look out of the very same sandbox: the receipt, or `SandboxFault` that says what could be seen."""
        view = View.of(box, self.places)
        known = json.dumps(view.known(env)).encode()
        ran = self._run([str(interpreter().program), "-B", PROBE], view, env, _PROBE_S, known, None)
        try:
            receipt: dict[str, Any] = json.loads(ran.stdout)
        except ValueError as why:
            said = ran.stderr.decode(errors="replace").strip()[-500:]
            raise SandboxFault(
                f"the preflight ended without a receipt (exit code {ran.code}): {said}"
            ) from why
        receipt["sandbox"] = self.kind
        if not receipt["ok"]:
            failed = [f"{c['name']}: {c['detail']}" for c in receipt["checks"] if not c["ok"]]
            fault = SandboxFault("the agent could see what it must not: " + "; ".join(failed))
            fault.receipt = receipt
            raise fault
        return receipt

    # ---- how it is done ------------------------------------------------------------------------------------

    def _run(
        self,
        argv: Sequence[str],
        view: View,
        env: Mapping[str, str],
        timeout: float,
        stdin: bytes,
        at_end: AtEnd | None,
    ) -> Ran:
        bwrap, uid = found(self.bwrap), view.hand_over()
        told, tell = os.pipe()
        held, hold = os.pipe()
        fds = [tell, held]
        try:
            args = self._args(view, {**view.env(env), **self._hole.env}, uid, fds)
            if any("\0" in a for a in args):
                raise UsageError("a path or variable holds a zero byte", expected="text")
            fds.append(_data("\0".join(args).encode() + b"\0"))
            process = subprocess.Popen(
                [bwrap, "--args", str(fds[-1]), "--", *self._limited(uid), *view.relayed(argv)],
                env={}, cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                pass_fds=(*fds, *self._hole.fds),
            )  # fmt: skip
        except BaseException:
            os.close(told)
            os.close(hold)
            raise
        finally:
            for fd in fds:
                os.close(fd)
        tree = _Tree(process, told, hold)
        try:
            ran = Child(process, tree.kill, tree.dead, self.max_output).run(stdin, timeout, at_end)
        finally:
            tree.close()
        if not tree.ran and b"bwrap: " in ran.stderr:
            raise SandboxFault(
                f"the sandbox could not be built: {ran.stderr.decode(errors='replace').strip()}"
            )
        return ran

    def _args(self, view: View, env: Mapping[str, str], uid: int, fds: list[int]) -> list[str]:
        """The arguments of bubblewrap; what they need open is added to `fds`."""
        args = [a for op in namespaces() for a in op]
        args += ["--json-status-fd", str(fds[0]), "--block-fd", str(fds[1]), "--clearenv"]
        for name, value in env.items():
            args += ["--setenv", name, value]
        scratch = ("--size", str(self.bounds.scratch)) if _version(found(self.bwrap)) >= (0, 7) else ()
        args += [a for op in view.mounts(scratch) for a in op]
        for dest, content in view.files(uid).items():
            fds.append(_data(content))
            args += ["--perms", "0444", "--file", str(fds[-1]), dest]
        return [*args, *self._hole.args, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", WORKSPACE]

    def _limited(self, uid: int) -> list[str]:
        """The words before the program that lower its limits and, under root, its user."""
        b = self.bounds
        words = [
            "/usr/bin/prlimit", f"--data={b.memory}", f"--nofile={_at_most(b.open_files)}",
            f"--fsize={b.file}", "--core=0",
        ]  # fmt: skip
        if os.geteuid() == 0 or _counts_by_namespace():
            words.append(f"--nproc={b.processes}")
        words.append("--")
        if os.geteuid() == 0:
            words += [
                "/usr/bin/setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups",
                "--inh-caps=-all", "--bounding-set=-all", "--",
            ]  # fmt: skip
        return words


class _Tree:
    """The processes of one sandbox. Its first process dies last: the kernel ends all others before it.

    The sandbox waits at `hold` until we watch that first process, so that no other can be mistaken for it.
    """

    def __init__(self, process: subprocess.Popen[bytes], told: int, hold: int):
        self.process, self._told, self._said = process, told, b""
        self._first: int | None = None
        self._lock = threading.Lock()
        try:
            while b"\n" not in self._said and (data := os.read(told, 4096)):
                self._said += data
            if b"\n" in self._said:
                with suppress(ProcessLookupError):
                    self._first = os.pidfd_open(json.loads(self._said.splitlines()[0])["child-pid"])
        finally:
            os.close(hold)

    @property
    def ran(self) -> bool:
        """Whether the program was started at all."""
        return b'"exit-code"' in self._said

    def kill(self) -> None:
        """End them all; nothing once they are gone."""
        with self._lock:
            if self._first is not None:
                with suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._first, signal.SIGKILL)
            self.process.kill()

    def dead(self) -> None:
        """Wait until the last of them is gone."""
        if self._first is None:
            return
        self.kill()
        waiting = select.poll()
        waiting.register(self._first, select.POLLIN)
        if not waiting.poll(_DYING_S * 1000):
            raise SandboxFault(f"the processes of the sandbox did not end within {_DYING_S:.0f} s")
        while data := os.read(self._told, 4096):
            self._said += data

    def close(self) -> None:
        """Let go of what we watched them by."""
        with self._lock:
            os.close(self._told)
            if self._first is not None:
                os.close(self._first)
                self._first = None


def _at_most(files: int) -> int:
    """So many open files, or as many as this process may allow."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return files if hard == resource.RLIM_INFINITY else min(files, hard)


def _data(content: bytes) -> int:
    """A descriptor from which a program can read this."""
    fd = os.memfd_create("errands")
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


@cache
def _version(bwrap: str) -> tuple[int, ...]:
    """The version of bubblewrap; (0,) where it does not say."""
    try:
        done = subprocess.run([bwrap, "--version"], capture_output=True, text=True, timeout=10, check=False)
        return tuple(int(n) for n in done.stdout.split()[-1].split("."))
    except (OSError, ValueError, IndexError, subprocess.TimeoutExpired):
        return (0,)


@cache
def _counts_by_namespace() -> bool:
    """Since Linux 5.14 a limit on processes counts those of the sandbox alone, not all of the user."""
    words = platform.release().split(".")
    return len(words) > 1 and words[0].isdigit() and (int(words[0]), int(words[1].split("-")[0])) >= (5, 14)
