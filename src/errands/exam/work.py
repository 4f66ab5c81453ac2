"""A worker: sits the attempts it is given, one after the other, and writes each bundle itself."""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import signal
import sys
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from errands.core.errors import ErrandsError
from errands.evidence.folder import Planned, RunFolder
from errands.evidence.seal import write_whole

from .agent import Agent, Resolve
from .attempt import Sat, instance_of, sit, unpacked, verdict_json
from .spend import Spend, SpentOut
from .terms import OWN, Kind, Terms


@dataclass(frozen=True, slots=True)
class Done:
    """What a worker reports of one attempt. `failed` is a fault of ours that left no bundle, `trouble` what kept
    the agent from its work; `spent_out`: the run's purse was empty, and the attempt is not run.
    """

    n: int
    stray: bool = False
    failed: str = ""
    storage: bool = False
    trouble: str = ""
    spent_out: bool = False


def terms_of(folder: RunFolder) -> Terms:
    """What the operator allowed this run; limits that were widened later stand in a file of their own."""
    wider = json.loads(folder.limits.read_text("utf-8")) if folder.limits.is_file() else {}
    return Terms(**{**(folder.plan().terms or {}), **wider})


def purse(folder: RunFolder, terms: Terms) -> Spend:
    """The run's purse."""
    return Spend(folder.spend, terms.max_usd, terms.max_tokens)


def try_file(folder: RunFolder, n: int, tries: int) -> Path:
    """Where the file of one try stands while it is sat; it stays there only when its process was killed."""
    return folder.tries / f"{n:04d}-{tries}.sqlite"


def tries_so_far(folder: RunFolder, n: int) -> int:
    """How many tries of an attempt were begun and not finished."""
    return sum(f.suffix in (".sqlite", ".zip") for f in folder.tries.glob(f"{n:04d}-*"))


def do(
    folder: RunFolder,
    agent: Agent,
    p: Planned,
    given: tuple[Any, ...] | None = None,
    spend: Spend | None = None,
    browser: Kind = OWN,
) -> Done:
    """Sit one planned attempt; its bundle (and verdict, where ours) is on disk when this returns.

    `given`: its instance as another process built it (see `portable`), else it is built here.
    """
    tries = tries_so_far(folder, p.n) + 1
    mark = try_file(folder, p.n, tries)
    try:
        instance = unpacked(given) if given else instance_of(p.task, p.market, p.variant, p.language)
        mark.touch()
        sat = sit(
            agent,
            instance,
            n=p.n,
            tries=tries,
            repeat=p.repeat,
            path=None if agent.trusted else mark,
            spend=spend,
            browser=browser,
        )
        keep(folder, p, sat)
    except OSError as why:
        return Done(p.n, failed=f"the evidence could not be written: {why.strerror}", storage=True)
    except SpentOut as why:  # its file stays as a try that was begun: what it cost is spent
        return Done(p.n, failed=str(why), spent_out=True)
    except ErrandsError as why:
        drop(mark)
        return Done(p.n, failed=str(why))
    drop(mark)
    return Done(p.n, stray=sat.stray, trouble=sat.trouble)


def drop(mark: Path) -> None:
    """Remove a try that has become a bundle, or nothing."""
    mark.unlink(missing_ok=True)
    mark.with_name(f"{mark.name}-journal").unlink(missing_ok=True)


def keep(folder: RunFolder, p: Planned, sat: Sat) -> None:
    """Write bundle and verdict."""
    write_whole(folder.bundle(p.n), sat.sealed.data)
    if sat.verdict is not None:
        with suppress(OSError):  # derived: losing it loses nothing
            file = folder.verdict(p.n)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(verdict_json(sat.verdict, {"n": p.n, "seal": sat.sealed.seal}), encoding="utf-8")


def _end_with_parent() -> None:
    """A worker whose parent was killed ends at once: else it would go on writing into a run that is taken up again."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def serve(pipe: Connection, path: str, spec: str, resolve: Resolve, environment: dict[str, str]) -> None:
    """The worker's main loop: planned attempts come in, reports go out, until the pipe says None or closes.

    `environment` is the caller's as it is now: the server that forks workers has that of its own start.
    """
    os.environ.clear()
    os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # an agent's connections must not use up what the world needs
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 65_536)) if hard > 0 else soft, hard))
    os.dup2(2, 1)  # what an agent prints must not mix with our results
    folder = RunFolder(Path(path))
    folder.hold()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        terms = terms_of(folder)
        agent = resolve(spec, terms)
        agent.load()
        spend = purse(folder, terms)
    except ErrandsError as why:
        pipe.send({"unusable": (why.what, why.where, why.expected, why.do)})
        return
    pipe.send({"ready": True})
    with suppress(EOFError, OSError):  # the parent is gone
        while True:
            item: tuple[dict[str, Any], tuple[Any, ...]] | None = pipe.recv()
            if item is None:
                return
            done = do(folder, agent, Planned(**item[0]), item[1], spend, terms.browser)
            sys.stdout.flush()  # once the last report is sent this process may be ended at any moment
            pipe.send(asdict(done))
            if done.stray:  # a thread of the agent is still at work in here: leave it behind
                os._exit(0)
