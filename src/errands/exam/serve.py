"""A run that is served: each attempt an MCP endpoint that the agent calls of its own accord."""

from __future__ import annotations

import errno
import json
import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

import apsw

from errands.core.errors import ErrandsError, UsageError
from errands.evidence.folder import Planned, RunFolder
from errands.tasks.task import Instance
from errands.world import open_world

from .agent import Agent
from .attempt import Sat, instance_of, limits_of, seal_attempt
from .run import Run, Source
from .sitting import Sitting
from .terms import OWN, Kind
from .work import Done, drop, keep, tries_so_far, try_file

if TYPE_CHECKING:
    from errands.doors.mcp import Host
    from errands.doors.mcp_server import Endpoint

NEVER = "your product never called us"
Tell = Callable[[dict[str, Any]], None]


@dataclass
class Served:
    """An attempt that is open: its sitting in its file, and the endpoint by which it is reached."""

    planned: Planned
    instance: Instance
    sitting: Sitting
    endpoint: Endpoint
    mark: Path
    tries: int
    sites: dict[str, str] = field(default_factory=dict)  # where each website of its world is
    opened: float = field(default_factory=time.perf_counter)
    began: float = field(default_factory=time.time)

    def deadline(self, wait_s: float) -> float:
        """When it ends at the latest, as a perf_counter reading: its wall time runs from the first contact."""
        first = self.endpoint.first
        return self.opened + wait_s if first is None else first + self.sitting.limits.timeout_s


class Service:
    """Has planned attempts sat by whoever calls: as many as `at_once` are open, and each ends in a bundle.

    Stands where a `Pool` stands in other runs. `tell` hears of each attempt: `open` (with address, secret and
    instruction), `contact`, `end`. An attempt that nobody has called after `wait_s` is blocked.
    """

    def __init__(
        self,
        folder: RunFolder,
        agent: Agent,
        host: Host,
        *,
        base: str,
        at: str,
        at_once: int,
        wait_s: float,
        tell: Tell,
        browser: Kind = OWN,
    ):
        self.folder, self.agent, self.host, self.browser = folder, agent, host, browser
        self.base, self.at, self.at_once, self.wait_s, self.tell = base, at, at_once, wait_s, tell
        self._open: dict[str, Served] = {}
        self._heard: SimpleQueue[tuple[Endpoint, str]] = SimpleQueue()
        self._halted = False

    def halt(self) -> None:
        """Open no further attempt; those that are open go on to their end."""
        self._halted = True

    def run(self, planned: Sequence[Planned]) -> Generator[Done]:
        """Reports in the order in which attempts end. The host must be at work; it is stopped at the end."""
        todo = deque(planned)
        try:
            while self._open or (todo and not self._halted):
                yield from self._fill(todo)
                if self._open:
                    yield from self._listen()
        finally:
            self.host.stop()
            self._leave()

    def _fill(self, todo: deque[Planned]) -> Iterator[Done]:
        """Open as many as may be; reports those of which no file could be made."""
        fresh = []
        while todo and not self._halted and len(self._open) < self.at_once:
            p = todo.popleft()
            try:
                fresh.append(self._begin(p))
            except OSError as why:
                yield _no_room(p, why)
        if fresh:
            self._publish()
        for served in fresh:
            self.tell({"event": "open", **self._facts(served)})

    # ---- one attempt ---------------------------------------------------------------------------------------

    def _begin(self, p: Planned) -> Served:
        instance = instance_of(p.task, p.market, p.variant, p.language)
        tries = tries_so_far(self.folder, p.n) + 1
        mark = try_file(self.folder, p.n, tries)
        sitting = Sitting(open_world(instance.fixture.blob, mark), limits_of(instance), self.browser)
        endpoint = self.host.open(sitting, watch=lambda e, what: self._heard.put((e, what)))
        sites = sitting.browsing.addresses(self.at) if sitting.browsing else {}
        served = Served(p, instance, sitting, endpoint, mark, tries, sites)
        self._open[endpoint.secret] = served
        return served

    def _listen(self) -> Iterator[Done]:
        """Wait for whatever comes first: a message from the host, or the end of somebody's time."""
        soonest = min(s.deadline(self.wait_s) for s in self._open.values())
        try:
            endpoint, what = self._heard.get(timeout=min(max(soonest - time.perf_counter(), 0.0), 60.0))
        except Empty:
            now = time.perf_counter()
            for served in [s for s in self._open.values() if s.deadline(self.wait_s) <= now]:
                yield from self._late(served)
            return
        told = self._open.get(endpoint.secret)
        if told is None:
            return
        if what == "contact":
            self.tell({"event": "contact", "n": told.planned.n})
            return
        if what == "fault":
            told.sitting.close("server_fault", type(endpoint.fault).__name__)
        yield self._end(told)

    def _late(self, served: Served) -> Iterator[Done]:
        if served.endpoint.abandon():
            served.sitting.close("no_access", f"{NEVER} (waited {self.wait_s:g} s)")
            yield self._end(served, NEVER)
        elif served.deadline(self.wait_s) <= time.perf_counter():  # else it came at the last moment
            served.sitting.close("timeout")
            yield self._end(served)

    def _end(self, served: Served, trouble: str = "") -> Done:
        """Seal an ended sitting at once; whoever calls later is told that it is over."""
        p, reason = served.planned, served.sitting.ended
        self.host.close(served.endpoint.secret, reason.replace("_", " "), linger=True)
        del self._open[served.endpoint.secret]
        self._publish()
        try:
            self._seal(served, trouble)
        except OSError as why:
            return _no_room(p, why)
        except ErrandsError as why:
            drop(served.mark)
            return Done(p.n, failed=str(why))
        drop(served.mark)
        self.tell({"event": "end", "n": p.n, "end_reason": reason})
        return Done(p.n, trouble=trouble)

    def _seal(self, served: Served, trouble: str) -> None:
        p, sitting, first = served.planned, served.sitting, served.endpoint.first
        cause = sitting.fault.__cause__ if sitting.fault is not None else None
        try:
            if isinstance(cause, apsw.FullError | apsw.IOError):  # the disk's fault: it is sat again
                raise OSError(errno.EIO, str(cause))
            sealed = seal_attempt(
                sitting,
                served.instance,
                self.agent,
                n=p.n,
                tries=served.tries,
                repeat=p.repeat,
                started=served.began + ((first or served.opened) - served.opened),
                clock=first,
            )
            keep(self.folder, p, Sat(sealed, None, False, trouble))
        finally:
            sitting.world.close()

    def _leave(self) -> None:
        """What is open is not finished: the file of one that was called stays as a try that was begun."""
        for served in self._open.values():
            self.host.close(served.endpoint.secret, "interrupted")
            served.sitting.let_go()
            served.sitting.world.close()
            if served.endpoint.first is None:
                drop(served.mark)
            else:
                _journal(served.mark).unlink(missing_ok=True)
        self._open.clear()
        _endpoints(self.folder).unlink(missing_ok=True)
        if self.host.refusals:
            file = self.folder.derived / "refusals.json"
            file.parent.mkdir(exist_ok=True)
            file.write_text(json.dumps([asdict(r) for r in self.host.refusals], indent=1), encoding="utf-8")

    # ---- what the operator needs ---------------------------------------------------------------------------

    def _facts(self, served: Served) -> dict[str, Any]:
        return {
            **served.planned.model_dump(),
            "url": self.host.url(served.endpoint, self.base),
            "secret": served.endpoint.secret,
            "instruction": served.endpoint.instruction,
            **({"sites": served.sites} if served.sites else {}),
        }

    def _publish(self) -> None:
        """Write what is open to `derived/endpoints.json`, for nobody else to read; it holds secrets."""
        file = _endpoints(self.folder)
        file.parent.mkdir(exist_ok=True)
        rows = [self._facts(s) for s in self._open.values()]
        part = file.with_name(f".{file.name}.part")
        part.unlink(missing_ok=True)
        with os.fdopen(
            os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
        ) as out:
            json.dump(
                {"mcp": f"{self.base.rstrip('/')}/mcp", "attempts": rows}, out, ensure_ascii=False, indent=1
            )
        part.replace(file)


def _no_room(p: Planned, why: OSError) -> Done:
    return Done(p.n, failed=f"the evidence could not be written: {why.strerror}", storage=True)


def _endpoints(folder: RunFolder) -> Path:
    return folder.derived / "endpoints.json"


def _journal(mark: Path) -> Path:
    return mark.with_name(f"{mark.name}-journal")


class ServedRun(Run):
    """A planned run of an agent that comes to us. `serve` may be stopped and gone on with at any time."""

    def serve(
        self, *, host: str, port: int, public_url: str, at_once: int, wait_s: float, tell: Tell
    ) -> Iterator[int]:
        """Serve what is left; yields the number of each attempt as it ends. Where nobody ever called, the run stops
        unfinished."""
        self.command = "serve"

        def service(left: list[Planned]) -> Service:
            door = new_host()
            address = door.run_in_thread(host, port)
            return Service(
                self.folder,
                self.agent,
                door,
                base=public_url or address,
                at=host,
                at_once=at_once or max(1, len(left)),
                wait_s=wait_s,
                tell=tell,
                browser=self.terms.browser,
            )

        yield from self.sit(service)

    def _heed(self, ended: Iterator[Done], source: Source) -> Iterator[int]:
        never = called = False

        def watched() -> Iterator[Done]:
            nonlocal never, called
            for d in ended:
                never, called = never or bool(d.trouble), called or not d.trouble
                yield d

        yield from super()._heed(watched(), source)
        if never and not called:
            assert isinstance(source, Service)
            strangers = f"; {source.host.refused} requests without a valid secret were refused"
            self.stopped = self.stopped or NEVER + (strangers if source.host.refused else "")


def new_host() -> Host:
    """A host for attempts; `UsageError` where the libraries for it are not installed."""
    try:
        from errands.doors.mcp import Host
    except ImportError as why:
        raise UsageError(
            f"serving needs a library that is not installed ({why.name})", do="pip install 'errands[mcp]'"
        ) from None
    return Host()
