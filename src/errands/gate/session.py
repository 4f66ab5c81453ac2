"""The runs behind a gate: its own, and one of only the suspects; both ordinary run folders."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from decimal import Decimal
from pathlib import Path
from typing import Any

from errands.core.canon import canonical
from errands.core.errors import UsageError
from errands.evidence.folder import RunFolder
from errands.evidence.seal import write_whole
from errands.exam.agent import Agent, Resolve
from errands.exam.plan import plan_listed
from errands.exam.rows import run_record
from errands.exam.run import Run
from errands.exam.spend import Spend
from errands.exam.terms import Terms
from errands.exam.work import terms_of
from errands.stats.records import Attempt
from errands.tasks.registry import Choice

from .listed import name_of

# A progress bar: what is sat, and how many attempts; gives what moves it on by one.
Watch = Callable[[str, int], AbstractContextManager[Callable[[], None]]]


class Session:
    """Sits the run in `folder`, and re-runs of suspects in a folder beside it.

    `groups` names the group of each instance. `limits` hold for both runs together. `records` are the runs as
    `run_record` gives them; `stopped` is why the first ended early, `short` why the re-runs did.
    """

    def __init__(
        self,
        folder: RunFolder,
        resolve: Resolve,
        groups: dict[str, str],
        *,
        jobs: int,
        limits: Terms,
        watch: Watch,
        keep: bool,
    ):
        self.folder, self.resolve, self.groups, self.limits = folder, resolve, groups, limits
        self.jobs, self.watch, self.keep = jobs, watch, keep
        self.records: list[dict[str, Any]] = []
        self.stopped = self.short = ""

    def first(self) -> list[Attempt]:
        """Sit what is left of the run itself. Never raises for an agent that cannot start: then nothing was run."""
        record = self._sit(self.folder, self.keep)
        self.stopped = record["stopped"]
        return attempts_of(record, self.groups)

    def again(self, names: Sequence[str], reruns: int) -> Iterable[Attempt]:
        """Sit these instances `reruns` times each, with what is left of the limits."""
        by_name = {name_of(c): c for c in planned_choices(self.folder)}
        choices = [by_name[n] for n in names]
        left = self._left()
        if left is None:
            self.short = "the limit on cost or tokens leaves nothing for the re-runs"
            return not_run(choices, reruns, self.groups, "the re-runs")
        folder = self._beside(choices, reruns, left)
        record = self._sit(folder, True)
        self.short = record["stopped"]
        return attempts_of(record, self.groups)

    def _sit(self, folder: RunFolder, keep: bool) -> dict[str, Any]:
        work, why = Run(folder, self.resolve), ""
        work.command = "gate"
        try:
            with self.watch(work.plan.agent, len(work.left())) as advance:
                for _ in work.go(self.jobs):
                    advance()
        except UsageError as error:
            why = str(error)
        record = run_record(folder, work.failures, work.stopped or why)
        self.records.append(record)
        if why and not keep and not any(folder.bundles.iterdir()):
            shutil.rmtree(folder.path)  # nothing was sat, and the name is free again
        return record

    def _left(self) -> Terms | None:
        """The limits less what the first run used; None where nothing is left."""
        tokens, usd = Spend(self.folder.spend).spent()
        more: dict[str, Any] = {}
        if self.limits.max_usd is not None:
            rest = self.limits.max_usd - usd
            if rest <= 0:
                return None
            more["max_cost"] = f"{rest.quantize(Decimal('0.000000001')):f}"
        if self.limits.max_tokens is not None:
            if tokens >= self.limits.max_tokens:
                return None
            more["max_tokens"] = self.limits.max_tokens - tokens
        return self.limits.model_copy(update=more)

    def _beside(self, choices: Sequence[Choice], reruns: int, limits: Terms) -> RunFolder:
        """The folder of the re-runs: the one that was begun for these very suspects, else a new one."""
        plan = self.folder.plan()
        wanted = sorted((c.task, c.market, c.variant, r) for c in choices for r in range(1, reruns + 1))
        for path in again_paths(self.folder.path):
            folder = RunFolder(path)
            if not (path / "plan.json").is_file():
                agent: Agent = self.resolve(plan.agent, limits)
                return plan_listed(agent, list(choices), reruns, path, terms=limits)
            begun = folder.plan()
            sat = sorted((a.task, a.market, a.variant, a.repeat) for a in begun.attempts)
            if sat == wanted and begun.agent == plan.agent and begun.tasks.items() <= plan.tasks.items():
                if not (path / "run.json").is_file():
                    _limit(folder, limits)
                return folder
        raise AssertionError("there is always another name")


def _limit(folder: RunFolder, limits: Terms) -> None:
    now = terms_of(folder)
    kept = limits.model_dump(include={"max_cost", "max_tokens"}, exclude_none=True)
    if kept and (now.max_cost, now.max_tokens) != (limits.max_cost, limits.max_tokens):
        write_whole(folder.limits, canonical(kept).encode())


def again_paths(first: Path) -> Iterable[Path]:
    """Where re-runs may lie, without end: `NAME-again`, `NAME-again-2`, …"""
    n = 1
    while True:
        yield first.with_name(f"{first.name}-again{'' if n == 1 else f'-{n}'}")
        n += 1


def planned_choices(folder: RunFolder) -> list[Choice]:
    """The instances of a run's plan."""
    return sorted({Choice("", a.task, a.market, a.variant, a.language) for a in folder.plan().attempts})


def attempts_of(record: dict[str, Any], groups: dict[str, str]) -> list[Attempt]:
    """The rows of a run's record as the numbers see them."""
    return [
        Attempt(
            task=row_name(r),
            group=groups[row_name(r)],
            agent=r["agent"],
            repeat=r["repeat"],
            status=r["status"],
            strict=r["strict"],
            crossed=r["crossed"],
        )
        for r in record["attempts"]
    ]


def not_run(choices: Iterable[Choice], repeats: int, groups: dict[str, str], agent: str) -> list[Attempt]:
    """Attempts that were wanted and not begun."""
    return [
        Attempt(task=name_of(c), group=groups[name_of(c)], agent=agent, repeat=r, status="not_run")
        for c in choices
        for r in range(1, repeats + 1)
    ]


def row_name(row: dict[str, Any]) -> str:
    """The instance of a row of a run's record."""
    return f"{row['task']}@{row['market']}/{row['variant']}"
