"""A run: plan, sit, take up again, finish. Each planned attempt ends as exactly one row."""

from __future__ import annotations

import datetime
import json
import os
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from errands import __version__
from errands.core.errors import ErrandsError, EvidenceError, UsageError
from errands.core.packs import Pack
from errands.core.types import Verdict
from errands.core.usage import Usage
from errands.draw.batch import Batch
from errands.evidence.bundle import seal_of
from errands.evidence.folder import Plan, Planned, RunFolder
from errands.evidence.regrade import Opened, key_of, open_bundle, regrade
from errands.evidence.seal import write_whole
from errands.grading.endings import ENDINGS
from errands.tasks.heldout import is_held_out
from errands.tasks.registry import Choice, Selection, choice, select, spread, task
from errands.tasks.standing import pack_digest, pack_of, standing

from .agent import Agent, Resolve
from .attempt import instance_of, limits_of, rescue, verdict_json, verdict_of
from .ocr import must_read
from .pool import Pool
from .spend import Spend
from .terms import OWN, PLAIN, Kind, Terms
from .work import Done, do, purse, terms_of, tries_so_far, try_file

QUICK = 8
STREAK = 3  # so often in a row the same trouble, and the run stops


def _needs_browser(agent: Agent, terms: Terms) -> None:
    """Raise `UsageError` where errands on websites cannot be sat here as they are to be."""
    from errands.doors.browser import INSTALL, can_browse

    if not can_browse():
        raise UsageError(
            "some of these errands are on websites, and there is no browser here",
            expected="a chromium, or a selection without them such as --suite consumer",
            do=INSTALL,
        )
    if terms.browser == OWN:
        return
    from errands.doors.attached import check

    if agent.trusted:
        raise UsageError(
            f"{agent.name} knows only the exam's own browser tools",
            where="--browser",
            expected="an agent that is not ours, or a selection without websites",
        )
    check()


@dataclass(frozen=True, slots=True)
class Failure:
    """An attempt that left no evidence: not counted as a score, shown as invalid."""

    n: int
    why: str


def plan_run(
    agent: Agent,
    selection: Selection,
    repeats: int,
    out: Path,
    *,
    terms: Terms = PLAIN,
    quick: bool = False,
) -> RunFolder:
    """Write the plan of a new run: every instance that the agent has something to do in, `repeats` times.

    `quick`: only eight of them, chosen for spread (`tasks.registry.spread`).
    """
    if repeats < 1:
        raise UsageError(f"{repeats} attempts are too few", where="--attempts", expected="1 or more")
    choices: list[Choice] = [c for c in select(selection) if agent.applies(task(c.task))]
    if quick:
        choices = spread(choices, QUICK)
    if not choices:
        raise UsageError(
            f"{agent.name} has nothing to do in this selection",
            expected="a task that declares it",
            do="see `errands show TASK`",
        )
    return _planned(agent, choices, repeats, out, terms)


def plan_batch(
    agent: Agent, batch: Batch, repeats: int, out: Path, *, language: str = "en", terms: Terms = PLAIN
) -> RunFolder:
    """Write the plan of a new run over exactly what a batch lists; its digest stands in the plan.

    `UsageError` where a task has changed since it was drawn, or the agent has nothing to do in one.
    """
    if repeats < 1:
        raise UsageError(f"{repeats} attempts are too few", where="--attempts", expected="1 or more")
    for name, digest in batch.editions.items():
        if task(name).digest != digest:
            raise UsageError(
                f"{name} has changed since the draw",
                where="--batch",
                do="draw again, or run the library as it was: attempts of two editions are never mixed",
            )
        if not agent.applies(task(name)):
            raise UsageError(
                f"{agent.name} has nothing to do in {name}",
                where="--batch",
                expected="an agent that sits every task of the list",
            )
    choices = sorted(choice(p.id, language) for p in batch.listed)
    return _planned(agent, choices, repeats, out, terms, batch.digest)


def plan_listed(
    agent: Agent, choices: Sequence[Choice], repeats: int, out: Path, *, terms: Terms = PLAIN
) -> RunFolder:
    """Write the plan of a new run over exactly these instances.

    `UsageError` where the agent has nothing to do in one.
    """
    if repeats < 1:
        raise UsageError(f"{repeats} attempts are too few", where="--attempts", expected="1 or more")
    for c in choices:
        if not agent.applies(task(c.task)):
            raise UsageError(
                f"{agent.name} has nothing to do in {c.task}",
                expected="an agent that sits every task of the list",
            )
    return _planned(agent, sorted(choices), repeats, out, terms)


def plan_like(agent: Agent, other: Plan, out: Path) -> RunFolder:
    """Write the plan of a new run over the instances of another plan, one attempt each; of the same list, if drawn.

    For reference agents beside an examined one. `UsageError` where a task has changed since.
    """
    for name, digest in other.tasks.items():
        if task(name).digest != digest:
            raise UsageError(
                f"{name} has changed since that run was planned",
                where=other.run,
                do="start a new run: attempts of two editions are never mixed",
            )
    named = {(f"{p.task}@{p.market}/{p.variant}", p.language) for p in other.attempts}
    return _planned(agent, sorted(choice(n, lang) for n, lang in named), 1, out, PLAIN, other.batch)


def _planned(
    agent: Agent, choices: list[Choice], repeats: int, out: Path, terms: Terms, batch: str | None = None
) -> RunFolder:
    if any(task(c.task).contract.front.on_pages for c in choices):
        _needs_browser(agent, terms)
    must_read(task(c.task).contract.front for c in choices)
    numbered = [(c, r) for c in choices for r in range(1, repeats + 1)]
    attempts = tuple(
        Planned(n=n, task=c.task, market=c.market, variant=c.variant, language=c.language, repeat=r)
        for n, (c, r) in enumerate(numbered, 1)
    )
    keys = {}
    for c in choices:
        built = instance_of(c.task, c.market, c.variant, c.language)
        if not is_held_out(c.variant):
            keys[f"{c.task}@{c.market}-{c.variant}"] = built.key.to_json()
    now = datetime.datetime.now(datetime.UTC)
    plan = Plan(
        run=out.name,
        agent=agent.name,
        isolation=agent.isolation,
        version=__version__,
        created=now.isoformat(timespec="seconds"),
        tasks={c.task: task(c.task).digest for c in choices},
        attempts=attempts,
        terms=terms.model_dump(mode="json", exclude_defaults=True) or None,
        drafts=_drafts(choices) or None,
        packs={p.name: pack_digest(p) for p in _packs(choices)} or None,
        batch=batch,
    )
    folder = RunFolder(out)
    folder.create(plan, keys)
    return folder


def _drafts(choices: list[Choice]) -> dict[str, str]:
    """Which of these do not count yet, and why."""
    stands = {f"{c.task}@{c.market}": standing(task(c.task), c.market) for c in choices}
    return {name: s.why for name, s in stands.items() if s.status != "ready"}


def _packs(choices: list[Choice]) -> list[Pack]:
    used = {c.task: pack_of(task(c.task)) for c in choices}
    return list(dict.fromkeys(p for p in used.values() if p))


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


def attempt_record(folder: RunFolder, p: Planned, *, fresh: bool = False) -> dict[str, Any]:
    """One attempt as a row for people and machines: status, scores, criteria, times. `not_run` without a bundle.

    The verdict is read from the derived folder where it stands for this very bundle, else graded from evidence;
    `fresh` always grades.
    """
    plan = folder.plan()
    row: dict[str, Any] = {
        "n": p.n,
        "task": p.task,
        "market": p.market,
        "variant": p.variant,
        "language": p.language,
        "repeat": p.repeat,
        "agent": plan.agent,
        "status": "not_run",
        "end_reason": "",
        "isolation": plan.isolation,
        "strict": False,
        "crossed": False,
        "scores": {},
        "criteria": [],
        "why": "",
        "wall_s": None,
        "virtual_s": None,
        "first_s": None,
        "cost_usd": None,
        "usage": None,
        "evidence_path": "",
    }
    file = folder.bundle(p.n)
    if not file.is_file():
        return row
    row["evidence_path"] = os.path.relpath(file)
    data = file.read_bytes()
    try:
        opened = open_bundle(data, str(file))
        verdict = None if fresh else stored_verdict(folder, p.n, data)
        if verdict is None:
            verdict = grade_bundle(folder, p, opened)
            store_verdict(folder, p.n, data, verdict)
    except EvidenceError as why:
        return {**row, "status": "invalid", "end_reason": "unreadable", "why": str(why)}
    facts = json.loads(verdict_json(verdict, {}))
    if verdict.status != "graded":
        facts["why"] = opened.evidence.ledger[-1].body.get("detail") or facts["why"]
    host, manifest = opened.host, opened.manifest
    return {
        **row,
        **facts,
        "wall_s": None if host["wall_s"] is None else float(host["wall_s"]),
        "virtual_s": (manifest["end"] - manifest["start"]) / 1000,
        "first_s": float(host["first_s"]) if "first_s" in host else None,
        "cost_usd": None if host["cost_usd"] is None else float(host["cost_usd"]),
        "usage": host.get("usage"),
    }


def grade_bundle(folder: RunFolder, p: Planned, opened: Opened) -> Verdict:
    """Grade an opened bundle with its key: that of the run folder, or, held out, of the secret."""
    return regrade(opened, key_of(folder, p), str(folder.bundle(p.n)))


def stored_verdict(folder: RunFolder, n: int, data: bytes) -> Verdict | None:
    """The derived verdict of this very bundle, or None."""
    try:
        stored = json.loads(folder.verdict(n).read_text(encoding="utf-8"))
        return verdict_of(stored) if stored["seal"] == seal_of(data) else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def store_verdict(folder: RunFolder, n: int, data: bytes, verdict: Verdict) -> None:
    """Keep a verdict beside the evidence; losing it loses nothing."""
    file = folder.verdict(n)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(verdict_json(verdict, {"n": n, "seal": seal_of(data)}), encoding="utf-8")
    except OSError:
        return


def run_record(
    folder: RunFolder, failures: dict[int, Failure] | None = None, stopped: str = ""
) -> dict[str, Any]:
    """The whole run as one object: counts that add up to what was planned, cost, and every attempt.

    `cost_usd` is the sum over attempts, None where one of them is unpriced; `spent` is the purse: tokens and US
    dollars with all tries, and what was put aside for calls that never ended.
    """
    plan = folder.plan()
    rows = [attempt_record(folder, p) for p in plan.attempts]
    for row in rows:
        if failures and row["status"] == "not_run" and row["n"] in failures:
            row.update(status="invalid", end_reason="world_fault", why=failures[row["n"]].why)
    counts = {"planned": len(rows)}
    for status in ("graded", "blocked", "invalid", "not_run"):
        counts[status] = sum(r["status"] == status for r in rows)
    return {
        "run": folder.name,
        "path": str(folder.path),
        "agent": plan.agent,
        "isolation": plan.isolation,
        "counts": counts,
        "strict_passes": sum(r["strict"] for r in rows),
        "crossed": sum(r["crossed"] for r in rows),
        "finished": (folder.path / "run.json").is_file(),
        "stopped": stopped or _stopped(folder),
        "drafts": plan.drafts or {},
        "packs": plan.packs or {},
        "terms": terms_of(folder).model_dump(mode="json", exclude_defaults=True),
        **_costs(folder, rows),
        "attempts": rows,
    }


def _note_stop(folder: RunFolder, why: str) -> None:
    """Keep beside the evidence why the run stopped; nothing where it did not."""
    file = folder.derived / "stopped.txt"
    with suppress(OSError):
        if why:
            folder.derived.mkdir(exist_ok=True)
            file.write_text(why, encoding="utf-8")
        else:
            file.unlink(missing_ok=True)


def _stopped(folder: RunFolder) -> str:
    try:
        return (folder.derived / "stopped.txt").read_text("utf-8")
    except OSError:
        return ""


def _costs(folder: RunFolder, rows: list[dict[str, Any]]) -> dict[str, Any]:
    sat = [r for r in rows if r["status"] != "not_run"]
    usage = Usage()
    for r in sat:
        usage += Usage.of(r["usage"]) if r["usage"] else Usage()
    costs = [r["cost_usd"] for r in sat]
    purse = Spend(folder.spend)
    tokens, dollars = purse.spent()
    return {
        "usage": usage.to_dict() if usage.requests else None,
        "cost_usd": None if None in costs or not costs else round(sum(costs), 6),
        "spent": {"tokens": tokens, "usd": None if purse.unpriced else float(dollars)}
        if folder.spend.exists()
        else None,
    }
