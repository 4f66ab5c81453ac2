"""A run at work: sit, take up again, finish. Each planned attempt ends as exactly one row."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from typing import Protocol

from errands.core.errors import ErrandsError, EvidenceError, UsageError
from errands.evidence.bundle import seal_of
from errands.evidence.folder import Planned, RunFolder
from errands.evidence.regrade import open_bundle
from errands.evidence.seal import write_whole
from errands.grading.endings import ENDINGS
from errands.tasks.registry import task

from .agent import Agent, Resolve
from .attempt import instance_of, limits_of, rescue
from .pool import Pool
from .rows import Failure
from .terms import OWN, Kind
from .work import Done, do, purse, terms_of, tries_so_far, try_file

STREAK = 3  # so often in a row the same trouble, and the run stops


class Source(Protocol):
    """Where attempts are sat: in this process, in a pool of others, or by whoever calls."""

    def run(self, planned: Sequence[Planned]) -> Generator[Done]:
        """Reports in the order in which attempts end."""

    def halt(self) -> None:
        """Begin no further attempt; those at work go on to their end."""


class _Here:
    """In this process, one after the other; only for our own agents."""

    def __init__(self, folder: RunFolder, agent: Agent, browser: Kind):
        self.folder, self.agent, self.browser = folder, agent, browser

    def run(self, planned: Sequence[Planned]) -> Generator[Done]:
        """See `Source`."""
        for p in planned:
            yield do(self.folder, self.agent, p, browser=self.browser)

    def halt(self) -> None:
        """Our own agents have no trouble for which to stop."""


class Run:
    """A planned run at work. Iterate `go()` to have its attempts sat; it may be stopped and gone on at any time."""

    def __init__(self, folder: RunFolder, resolve: Resolve):
        self.folder, self.plan, self.resolve = folder, folder.plan(), resolve
        self.terms = terms_of(folder)
        self.agent: Agent = resolve(self.plan.agent, self.terms)
        self.spend = purse(folder, self.terms)
        if self.terms.browser != OWN:
            from errands.doors.attached import find_program

            find_program()
        self.stopped = ""
        self.command = "run"
        self.failures: dict[int, Failure] = {}
        for name, digest in self.plan.tasks.items():
            if task(name).digest != digest:
                raise UsageError(
                    f"{name} has changed since this run was planned",
                    where=str(folder.path),
                    do="start a new run: attempts of two editions are never mixed",
                )

    def left(self) -> list[Planned]:
        """Planned attempts without an intact bundle, and those of an unfinished run to which there was no access."""
        out, open_ = [], not (self.folder.path / "run.json").is_file()
        for p in self.plan.attempts:
            file = self.folder.bundle(p.n)
            try:
                opened = open_bundle(file.read_bytes(), str(file))
            except FileNotFoundError:
                out.append(p)
                continue
            if open_ and ENDINGS[opened.manifest["end_reason"]].by == "operator":
                out.append(p)
        return out

    def _again(self, p: Planned) -> None:
        """Put the bundle of an attempt without access among its tries: it is sat again."""
        file = self.folder.bundle(p.n)
        if file.is_file():
            file.replace(self.folder.tries / f"{p.n:04d}-{tries_so_far(self.folder, p.n) + 1}.zip")

    def go(self, jobs: int = 1) -> Iterator[int]:
        """Sit what is left; yields the number of each attempt as it ends (also one that left no evidence)."""
        return self.sit(lambda left: self._source(jobs))

    def _source(self, jobs: int) -> Source:
        if jobs == 1 and self.agent.trusted:
            return _Here(self.folder, self.agent, self.terms.browser)
        return Pool(self.folder, self.agent, self.resolve, jobs, self._timeout, self._rescue)

    def sit(self, source: Callable[[list[Planned]], Source]) -> Iterator[int]:
        """As `go`, with the place where attempts are sat; it is asked for once the folder is ours."""
        with self.folder.locked():
            left = self.left()
            if self.folder.record() is not None:
                if left:
                    raise EvidenceError(
                        f"{len(left)} bundles are gone from a run that was finished",
                        where=str(self.folder.path),
                        do="see `errands verify`",
                    )
                return
            at = source(left)
            for p in left:
                self._again(p)
            with closing(at.run(left)) as ended:
                yield from self._heed(ended, at)
            if not self.stopped:
                finished(self.folder)
            _note_stop(self.folder, self.stopped)

    def _heed(self, ended: Iterator[Done], source: Source) -> Iterator[int]:
        """Take in what ends; have the source begin no more where it is no use."""
        last: deque[str] = deque(maxlen=STREAK)
        for d in ended:
            last.append(d.trouble)
            if d.trouble and last.count(d.trouble) == STREAK:
                self.stopped = self.stopped or f"the same trouble {STREAK} times in a row: {d.trouble}"
            if d.spent_out:
                self.stopped = self.stopped or d.failed
            if self.stopped:
                source.halt()
            if d.failed and not d.spent_out:
                self.failures[d.n] = Failure(d.n, d.failed)
                if d.storage:
                    raise UsageError(
                        d.failed,
                        where=str(self.folder.path),
                        do=f"free some space, then go on with `errands {self.command} --resume {self.folder.path}`",
                    )
            yield d.n

    def _timeout(self, p: Planned) -> float:
        return limits_of(instance_of(p.task, p.market, p.variant, p.language)).timeout_s

    def _rescue(self, p: Planned, reason: str) -> Done:
        if self.folder.bundle(p.n).is_file():  # it died after its work was done
            return Done(p.n)
        if reason == "agent_died" and (self.agent.trusted or self.agent.isolation != "in-process"):
            # not its own doing; the next `--resume` tries again
            return Done(p.n, failed="its process was killed again and again")
        tries = tries_so_far(self.folder, p.n)
        instance = instance_of(p.task, p.market, p.variant, p.language)
        try:
            sealed = rescue(
                try_file(self.folder, p.n, tries),
                self.agent,
                instance,
                reason,
                n=p.n,
                tries=tries,
                repeat=p.repeat,
            )
            write_whole(self.folder.bundle(p.n), sealed.data)
        except OSError as why:
            return Done(p.n, failed=f"the evidence could not be written: {why.strerror}", storage=True)
        except ErrandsError as why:
            return Done(p.n, failed=f"{reason}: {why}")
        return Done(p.n)


def finished(folder: RunFolder) -> bool:
    """Close a run whose every attempt is sealed; whether it was so."""
    attempts = folder.plan().attempts
    if not all(folder.bundle(p.n).is_file() for p in attempts):
        return False
    sealed = []
    for p in attempts:
        data = folder.bundle(p.n).read_bytes()
        digest = open_bundle(data).manifest["world_digest"]
        sealed.append({"n": p.n, "seal": seal_of(data), "world_digest": digest})
    folder.finish(sealed)
    return True


# ---- what became of the attempts --------------------------------------------------------------------------------


def _note_stop(folder: RunFolder, why: str) -> None:
    """Keep beside the evidence why the run stopped; nothing where it did not."""
    file = folder.derived / "stopped.txt"
    with suppress(OSError):
        if why:
            folder.derived.mkdir(exist_ok=True)
            file.write_text(why, encoding="utf-8")
        else:
            file.unlink(missing_ok=True)
