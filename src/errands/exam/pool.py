"""Many attempts at once: a few local processes, each with one attempt at a time, so that we know who died of what."""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import forkserver
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from time import monotonic

from errands.core.errors import UsageError
from errands.evidence.folder import Planned, RunFolder

from .agent import Agent, Resolve
from .attempt import instance_of, portable
from .work import Done, serve

MAX_TRIES = 3
GRACE_S = 20.0
Rescue = Callable[[Planned, str], Done]


def warm(more: Sequence[str] = ()) -> SpawnContext | ForkServerContext:
    """Begin to load what workers need, beside whatever is done meanwhile; returns how they are started.

    Workers share no lock, thread or random state with us: each is forked from a server that has only imported the
    library and `more`, or is a fresh interpreter where there is no such server.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["errands.exam.work", "errands.exam.warm", *more])
    forkserver.ensure_running()
    return context


@dataclass
class _Worker:
    process: BaseProcess
    pipe: Connection
    busy: Planned | None = None
    since: float = 0.0
    ready: bool = False
    limit_s: float = field(default=0.0)


class Pool:
    """Runs planned attempts in `jobs` processes. A worker that dies is replaced; its attempt is tried again, and
    after three deaths (or one that the agent's own exit caused) `rescue` seals what its file holds."""

    def __init__(
        self,
        folder: RunFolder,
        agent: Agent,
        resolve: Resolve,
        jobs: int,
        timeout: Callable[[Planned], float],
        rescue: Rescue,
    ):
        self.folder, self.agent, self.resolve, self.jobs = folder, agent, resolve, jobs
        self.timeout, self.rescue = timeout, rescue
        self._context = warm(agent.preload)
        self._workers: list[_Worker] = []
        self._deaths: dict[int, int] = {}
        self._stillborn = 0
        self._halted = False

    def halt(self) -> None:
        """Begin no further attempt; those at work go on to their end."""
        self._halted = True

    def run(self, planned: Sequence[Planned]) -> Generator[Done]:
        """Reports in the order in which attempts end."""
        todo = deque(planned)
        try:
            while todo or any(w.busy for w in self._workers):
                if self._halted:
                    todo.clear()
                while len(self._workers) < min(
                    self.jobs, len(todo) + sum(w.busy is not None for w in self._workers)
                ):
                    self._hire()
                for w in self._workers:
                    if w.ready and w.busy is None and todo:
                        self._give(w, todo.popleft())
                yield from self._listen(todo)
        finally:
            self.stop()

    def stop(self) -> None:
        """End all workers now; what they were at is not finished and will be tried again."""
        for w in self._workers:
            w.process.kill()
        for w in self._workers:
            w.process.join()
            w.pipe.close()
        self._workers.clear()

    def _hire(self) -> None:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(
            target=serve,
            args=(theirs, str(self.folder.path), self.agent.name, self.resolve, dict(os.environ)),
            daemon=True,
        )
        process.start()
        theirs.close()
        self._workers.append(_Worker(process, ours))

    def _give(self, w: _Worker, p: Planned) -> None:
        w.busy, w.since, w.limit_s = p, monotonic(), self.timeout(p) + GRACE_S
        with suppress(OSError):  # it has died meanwhile: `_listen` will hear so
            w.pipe.send((p.model_dump(), portable(instance_of(p.task, p.market, p.variant, p.language))))

    def _listen(self, todo: deque[Planned]) -> Iterator[Done]:
        heard = wait([w.pipe for w in self._workers], timeout=1.0)
        for w in list(self._workers):
            if w.pipe in heard:
                yield from self._hear(w, todo)
            elif w.busy is not None and monotonic() - w.since > w.limit_s:
                w.process.kill()  # its thread never let go: the time is over, what stands in its file is graded
                w.process.join()
                yield from self._bury(w, todo, "timeout")

    def _hear(self, w: _Worker, todo: deque[Planned]) -> Iterator[Done]:
        try:
            message = w.pipe.recv()
        except (EOFError, OSError):
            w.process.join()
            yield from self._bury(w, todo, "")
            return
        if "unusable" in message:
            what, where, expected, do = message["unusable"]
            raise UsageError(what, where=where, expected=expected, do=do)
        if "ready" in message:
            w.ready, self._stillborn = True, 0
            return
        w.busy = None
        if message["stray"]:  # its process ends now, and must not take another attempt with it
            self._workers.remove(w)
            w.process.join(GRACE_S)
            w.process.kill()
            w.pipe.close()
        yield Done(**message)

    def _bury(self, w: _Worker, todo: deque[Planned], reason: str) -> Iterator[Done]:
        self._workers.remove(w)
        w.pipe.close()
        p, code = w.busy, w.process.exitcode
        if not w.ready:
            self._stillborn += 1
            if self._stillborn >= MAX_TRIES:
                raise UsageError(
                    f"its process ended while the agent was loaded, {MAX_TRIES} times (exit code {code})",
                    where=self.agent.name,
                    expected="a module that can be imported",
                )
        if p is None:
            return
        if reason:
            yield self.rescue(p, reason)
            return
        self._deaths[p.n] = self._deaths.get(p.n, 0) + 1
        own_exit = code is not None and code >= 0 and _shares(self.agent)
        if own_exit or self._deaths[p.n] >= MAX_TRIES:
            yield self.rescue(p, "agent_died")
        else:
            todo.appendleft(p)


def _shares(agent: Agent) -> bool:
    """Whether the agent shares the worker's process, and so can end it."""
    return agent.isolation == "in-process" and not agent.trusted
