"""A started program: fed, listened to within bounds, and ended in time."""

from __future__ import annotations

import os
import selectors
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import IO

from . import AtEnd, Ran, SandboxFault

MAX_OUTPUT = 8 << 20
_CHUNK = 1 << 16
_DYING_S = 20.0
_DRAIN_S = 2.0


class Child:
    """A process with pipes. `kill` must end all that it started; `dead` waits until all of that is really gone."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        kill: Callable[[], None],
        dead: Callable[[], None],
        max_output: int = MAX_OUTPUT,
    ):
        self.process, self._kill, self._dead, self._max = process, kill, dead, max_output
        self.killed = threading.Event()
        self._kept: dict[IO[bytes], bytearray] = {}
        self._dropped: dict[IO[bytes], int] = {}
        self._rest = memoryview(b"")

    def kill(self) -> None:
        """End it, from any thread."""
        self.killed.set()
        with suppress(OSError):
            self._kill()

    def run(self, stdin: bytes, timeout: float, at_end: AtEnd | None) -> Ran:
        """Feed and listen until it has ended; kill it when the time is over."""
        started = time.monotonic()
        if at_end is not None:
            at_end(self.kill)
        ended = self._ended()
        try:
            with selectors.DefaultSelector() as pipes:
                self._open(pipes, stdin)
                timed_out = self._listen(pipes, ended, started + timeout)
                self._dead()
                self._drain(pipes)
        finally:
            if self.process.poll() is None:
                self._kill()
                self.process.wait(_DYING_S)
            for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            if ended is not None:
                os.close(ended)
        out, err = self.process.stdout, self.process.stderr
        assert out is not None and err is not None
        return Ran(
            self.process.returncode,
            bytes(self._kept[out]),
            bytes(self._kept[err]),
            time.monotonic() - started,
            timed_out,
            (self._dropped[out], self._dropped[err]),
        )

    def _ended(self) -> int | None:
        """A descriptor that becomes readable when the process ends, where the system has such a thing."""
        opener = getattr(os, "pidfd_open", None)
        return None if opener is None else int(opener(self.process.pid))

    def _open(self, pipes: selectors.BaseSelector, stdin: bytes) -> None:
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
            pipes.register(pipe, selectors.EVENT_READ)
            self._kept[pipe], self._dropped[pipe] = bytearray(), 0
        to = self.process.stdin
        assert to is not None
        self._rest = memoryview(stdin)
        if stdin:
            os.set_blocking(to.fileno(), False)
            pipes.register(to, selectors.EVENT_WRITE)
        else:
            to.close()

    def _listen(self, pipes: selectors.BaseSelector, ended: int | None, until: float) -> bool:
        """Until the process has ended; returns whether its time was over first."""
        timed_out = False
        if ended is not None:
            pipes.register(ended, selectors.EVENT_READ)
        while self.process.poll() is None:
            left = until - time.monotonic()
            if left <= 0:
                if timed_out:
                    raise SandboxFault(f"the agent's program could not be ended within {_DYING_S:.0f} s")
                timed_out, until = True, time.monotonic() + _DYING_S
                self.kill()
            self._serve(pipes, max(left, 0) if ended is not None else min(left, 0.02))
        if ended is not None:
            pipes.unregister(ended)
        return timed_out

    def _drain(self, pipes: selectors.BaseSelector) -> None:
        """What stands in the pipes after the end. A process that nobody could kill may hold them open."""
        if self.process.stdin is not None and not self.process.stdin.closed:
            with suppress(KeyError):
                pipes.unregister(self.process.stdin)
        until = time.monotonic() + _DRAIN_S
        while pipes.get_map() and (left := until - time.monotonic()) > 0:
            self._serve(pipes, left)

    def _serve(self, pipes: selectors.BaseSelector, seconds: float) -> None:
        for key, _ in pipes.select(seconds):
            if isinstance(key.fileobj, int):
                continue
            done = self._write() if key.fileobj is self.process.stdin else self._read(key.fileobj)  # type: ignore[arg-type]
            if done:
                pipes.unregister(key.fileobj)
                if key.fileobj is self.process.stdin:
                    self.process.stdin.close()

    def _write(self) -> bool:
        assert self.process.stdin is not None
        try:
            self._rest = self._rest[os.write(self.process.stdin.fileno(), self._rest[:_CHUNK]) :]
        except BlockingIOError:
            return False
        except OSError:  # it does not want to hear more
            return True
        return not self._rest

    def _read(self, pipe: IO[bytes]) -> bool:
        try:
            data = os.read(pipe.fileno(), _CHUNK)
        except BlockingIOError:
            return False
        kept = self._kept[pipe]
        room = self._max - len(kept)
        kept += data[:room]
        self._dropped[pipe] += max(0, len(data) - room)
        return not data
