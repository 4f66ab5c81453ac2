"""No sandbox: the agent's program runs on this machine, as this user, and can see whatever that user can.

It gets a clean environment, a home and a workspace of its own, and is ended together with what it started. That
cannot be promised of everything: a program that kills our keeper first, or that another service starts for it,
lives on (where the system lets no process adopt orphans, so does whatever has left the process group).
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from errands.core.errors import UsageError

from . import AtEnd, Box, Inside, Kind, Ran
from .child import MAX_OUTPUT, Child
from .program import interpreter, search_path

_SCRIPTS = Path(__file__).parent / "inside"


class UnsafeHost:
    """Runs programs directly. Only for those who asked for it; evidence and card carry its kind."""

    kind: Kind = "unsafe-host"

    def __init__(self, *, max_output: int = MAX_OUTPUT):
        self.max_output = max_output

    def check(self) -> None:
        """Nothing is needed but a system with processes and unix sockets."""
        if os.name != "posix":
            raise UsageError(
                f"command-line agents cannot be run on {sys.platform}",
                do="run errands in a Linux virtual machine or container (on Windows: WSL), "
                "or let the agent come by itself (errands serve, a webhook)",
            )

    def port(self, wanted: int) -> int:
        """A free port of this machine: attempts share its network."""
        with socket.create_server(("127.0.0.1", 0)) as s:
            return int(s.getsockname()[1])

    def inside(self, box: Box) -> Inside:
        """The box under the paths of this machine."""
        sockets = {name: str(path.absolute()) for name, path in box.sockets.items()}
        relay = str(_SCRIPTS / "relay.py")
        return Inside(str(box.workspace), str(box.home), sockets, str(interpreter().program), relay)

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
        """Run a program to its end; then what it left running is ended too, as far as that can be done."""
        scratch = box.home / ".tmp"
        scratch.mkdir(exist_ok=True)
        plain = {
            "PATH": f"{search_path(box.reads)}{os.pathsep}{os.environ.get('PATH', '')}".rstrip(os.pathsep),
            "HOME": str(box.home),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "TMPDIR": str(scratch),
            "TERM": "dumb",
        }
        process = subprocess.Popen(
            [
                str(interpreter().program),
                "-I",
                "-S",
                "-B",
                str(_SCRIPTS / "keep.py"),
                *self._words(argv, box),
            ],
            cwd=box.workspace,
            env={**plain, **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

        def kill() -> None:
            """Ask the keeper first: it ends all that it has adopted, then itself."""
            if process.poll() is None:
                process.kill() if asked.is_set() else process.terminate()
                asked.set()

        def dead() -> None:
            if sys.platform != "linux" or process.returncode == -signal.SIGKILL:
                with suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)

        asked = threading.Event()
        return Child(process, kill, dead, self.max_output).run(stdin, timeout, at_end)

    def probe(self, box: Box, env: Mapping[str, str]) -> dict[str, Any]:
        """A receipt that says that nothing was looked for: everything of this user can be seen."""
        return {"ok": False, "checks": [], "seen": {}, "sandbox": self.kind}

    def _words(self, argv: Sequence[str], box: Box) -> list[str]:
        if not box.tcp:
            return list(argv)
        view = self.inside(box)
        ports = [f"{port}={view.sockets[name]}" for port, name in box.tcp.items()]
        return [view.python, "-I", "-S", "-B", view.relay, "tcp", *ports, "--", *argv]
