"""Runs a program and ends all that it started, orphans included, as far as the system lets it.

    keep.py PROGRAM ARGUMENT...

Adopts orphaned descendants (Linux), and on the program's end, or when it is told to end itself, kills until none is
left. Exits with the program's code. Stands alone: Python's standard library only.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def adopt() -> None:
    """Become the parent of orphans below, and be told when our own parent dies."""
    import ctypes

    with suppress(AttributeError, OSError):
        prctl = ctypes.CDLL(None).prctl
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def children() -> list[int]:
    """The processes whose parent we are."""
    try:
        return [int(n) for n in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
    except OSError:
        return []


def end() -> None:
    """Kill until there is no child, nor a grandchild that it leaves us."""
    with suppress(ChildProcessError):
        while True:
            for pid in children():
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            os.waitpid(-1, 0)


def main(argv: list[str]) -> int:
    """Run it, and return its exit code."""
    adopt()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        ours = (signal.SIGPIPE, signal.SIGXFSZ)  # ignored by Python; the program shall not inherit that
        child = os.posix_spawnp(argv[0], argv, os.environ, setsigmask=(), setsigdef=ours)
    except OSError as why:
        print(f"{argv[0]}: {why.strerror}", file=sys.stderr)
        return 127

    def stop(*_: object) -> None:
        end()
        os._exit(128 + signal.SIGTERM)

    signal.signal(signal.SIGTERM, stop)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    pid, status = os.waitpid(-1, 0)
    while pid != child:
        pid, status = os.waitpid(-1, 0)
    end()
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
