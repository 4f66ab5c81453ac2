"""From run folders to the attempts that the numbers count: one agent, one list, each planned attempt once.

Group, world and inclusion probability are the drawn list's. A list that was not drawn has none: there each errand is
its own group (its markets and variants belong together), and no task has a probability.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from errands.core.errors import EvidenceError, UsageError
from errands.draw.batch import Batch, Picked, editions
from errands.evidence.folder import Plan, Planned, RunFolder
from errands.evidence.regrade import Opened, open_bundle
from errands.exam.rows import attempt_record
from errands.stats.records import Attempt
from errands.tasks.registry import tasks
from errands.tasks.task import Task

from .asked import Asked, asked

_MOST = 5


class Edition(NamedTuple):
    """What an instance was when it was sat: digests of its task's folder and of its world, and the language spoken.

    `world` is empty where no attempt at it left evidence.
    """

    task: str
    world: str
    language: str

    def same(self, other: Edition) -> bool:
        """Whether attempts at both may be counted together."""
        worlds = {self.world, other.world} - {""}
        return (self.task, self.language) == (other.task, other.language) and len(worlds) < 2


@dataclass(frozen=True, slots=True)
class Sat:
    """What one agent sat: its runs, and its attempts by task and repeat, counted on over all runs.

    `rows` are the attempts' records, in the same order: those of `exam.rows.attempt_record` with `run`, `instance`,
    `edition` (digest of the task's folder), `fixture` (digest of the world, empty without evidence), `group`, `world`,
    `pi` (a fraction as text, or None), `attempt` (the repeat over all runs), `agent_version`, `environment` (where it
    ran and on what terms, in words) and the flags of `records.asked`. Where tasks were withdrawn from the list,
    attempts at them are here too, and `left_out` has their groups.
    """

    agent: str
    runs: tuple[RunFolder, ...]
    plans: tuple[Plan, ...]
    attempts: tuple[Attempt, ...]
    rows: tuple[dict[str, Any], ...]
    editions: dict[str, Edition]
    batch: Batch | None

    @property
    def instances(self) -> tuple[str, ...]:
        """What was to be sat, by name."""
        return tuple(sorted({a.task for a in self.attempts}))

    @property
    def left_out(self) -> frozenset[str]:
        """The groups in which a task was withdrawn after the draw: the headline leaves them out."""
        if self.batch is None:
            return frozenset()
        gone = {w.id for w in self.batch.withdrawals}
        return frozenset(p.group for p in self.batch.picks if p.id in gone)

    @property
    def counted(self) -> tuple[Attempt, ...]:
        """The attempts that count, without the groups that are left out."""
        return tuple(a for a in self.attempts if a.group not in self.left_out)


def sat(runs: Sequence[RunFolder], batch: Batch | None = None, *, fresh: bool = False) -> Sat:
    """The attempts of one agent's runs over one list; `fresh` grades each again from its evidence.

    `UsageError` where the runs are of several agents, lists or editions, a run is there twice, or a plan is not the
    whole list with each task equally often; `EvidenceError` where a bundle is not of the attempt it stands for, and
    with `fresh` where a finished run is not as it was sealed, or intact evidence cannot be graded here.
    """
    plans = [r.plan() for r in runs]
    if fresh:
        for r in runs:
            _as_sealed(r)
    agent = _one_agent(runs, plans)
    listed = [_listed(r, p, batch) for r, p in zip(runs, plans, strict=True)]
    picks = {p.id: p for p in batch.picks} if batch else {}
    known = {t.id: t for t in tasks()}
    found: list[tuple[Attempt, dict[str, Any]]] = []
    seen: dict[str, Edition] = {}
    count: Counter[str] = Counter()
    for folder, plan, whole in zip(runs, plans, listed, strict=True):
        _whole(folder, plan, whole)
        for p in sorted(plan.attempts, key=lambda p: p.repeat):
            task = _installed(known, plan, p.task, fresh)
            row, opened = _row(folder, plan, p, task, fresh)
            name = row["instance"]
            _same_edition(seen, name, _edition(plan, p, opened), folder)
            count[name] += 1
            pick = picks.get(name)
            row |= {
                "group": pick.group if pick else p.task,
                "world": pick.world if pick else (known[p.task].contract.front.world if task else ""),
                "pi": pick.chance if pick else None,
                "attempt": count[name],
            }
            found.append((_attempt(row), row))
    found.sort(key=lambda x: (x[0].task, x[0].repeat))
    return Sat(
        agent,
        tuple(runs),
        tuple(plans),
        tuple(a for a, _ in found),
        tuple(r for _, r in found),
        seen,
        batch,
    )


def _as_sealed(folder: RunFolder) -> None:
    """A damaged bundle would be an attempt that does not count: no card is made of a run that was changed."""
    record = folder.record()
    if record is None:
        return
    here, sealed = folder.sealed_files(), record["files"]
    odd = sorted(n for n in here.keys() | sealed.keys() if here.get(n) != sealed.get(n))
    if odd:
        raise EvidenceError(
            "it is not as it was sealed", where=str(folder.path / odd[0]), do=f"errands verify {folder.path}"
        )


def instance_name(p: Planned) -> str:
    """`task@market/variant`."""
    return f"{p.task}@{p.market}/{p.variant}"


# ---- one list, each task equally often -------------------------------------------------------------------------


def _one_agent(runs: Sequence[RunFolder], plans: Sequence[Plan]) -> str:
    if not runs:
        raise UsageError("no run is named", expected="a run, by path or name")
    if twice := [str(p) for p, n in Counter(r.path.resolve() for r in runs).items() if n > 1]:
        raise UsageError("this run is named twice", where=twice[0], do="name every run once")
    agents = sorted({p.agent for p in plans})
    if len(agents) > 1:
        raise UsageError(
            f"these runs are of {len(agents)} agents: {', '.join(agents)}",
            expected="runs of one agent",
            do="compare agents with `errands compare`",
        )
    return agents[0]


def _listed(folder: RunFolder, plan: Plan, batch: Batch | None) -> tuple[Picked, ...] | None:
    """What the run was to sit, where it is of a drawn list."""
    if batch is None:
        if plan.batch is not None:
            raise UsageError(
                "this run is of a drawn list, which is not given",
                where=folder.name,
                expected=f"the batch whose SHA-256 is {plan.batch}",
                do="name it with --batch FILE",
            )
        return None
    known = editions(batch)
    if plan.batch is None or plan.batch not in known:
        raise UsageError(
            "this run is of another list" if plan.batch else "this run was not made over a drawn list",
            where=folder.name,
            expected=f"a run over batch {batch.digest[:16]}…",
            do=f"errands run {plan.agent} --batch FILE --attempts 2",
        )
    return known[plan.batch]


def _whole(folder: RunFolder, plan: Plan, listed: tuple[Picked, ...] | None) -> None:
    """Refuse a plan that is not the whole list, each task equally often."""
    planned = Counter((instance_name(p), p.repeat) for p in plan.attempts)
    names = {p.id for p in listed} if listed is not None else {name for name, _ in planned}
    repeats = max((r for _, r in planned), default=0)
    wanted = {(name, r) for name in names for r in range(1, repeats + 1)}
    missing, extra = sorted(wanted - planned.keys()), sorted(planned.keys() - wanted)
    twice = sorted(k for k, n in planned.items() if n > 1)
    for what, which in (("are missing", missing), ("are not of the list", extra), ("are there twice", twice)):
        if which:
            some = ", ".join(f"{name} attempt {r}" for name, r in which[:_MOST])
            more = f" and {len(which) - _MOST} more" if len(which) > _MOST else ""
            raise UsageError(
                f"its plan does not add up to the list: {len(which)} attempts {what}: {some}{more}",
                where=folder.name,
                expected=f"{len(names)} tasks, each {repeats} times",
            )


def _installed(known: dict[str, Task], plan: Plan, name: str, fresh: bool) -> Task | None:
    """The task as it was planned; None where another edition (or none) is here, `UsageError` if it must be graded."""
    found = known.get(name)
    if found is not None and found.digest == plan.tasks[name]:
        return found
    if fresh:
        raise UsageError(
            f"{name} was sat in another edition than the one installed here",
            where=plan.run,
            do=f"use the errands that sat it (version {plan.version}, and its packs), or run it again",
        )
    return None


def _edition(plan: Plan, p: Planned, opened: Opened | None) -> Edition:
    return Edition(plan.tasks[p.task], opened.manifest["fixture"] if opened else "", p.language)


def _same_edition(seen: dict[str, Edition], name: str, now: Edition, folder: RunFolder) -> None:
    before = seen.get(name, now)
    if not before.same(now):
        raise UsageError(
            "it was sat in two editions, which are never counted together",
            where=f"{folder.name}, {name}",
            do="run it again with one errands and one language",
        )
    seen[name] = before if before.world else now


# ---- one attempt -------------------------------------------------------------------------------------------------


def _row(
    folder: RunFolder, plan: Plan, p: Planned, task: Task | None, fresh: bool
) -> tuple[dict[str, Any], Opened | None]:
    opened = _opened(folder, plan, p)
    row = attempt_record(folder, p, fresh=fresh)
    if fresh and opened is not None and row["end_reason"] == "unreadable":
        raise EvidenceError(f"intact, and not gradable here: {row['why']}", where=str(folder.bundle(p.n)))
    row |= {
        "run": folder.name,
        "instance": instance_name(p),
        "edition": plan.tasks[p.task],
        "fixture": "",
        "agent_version": "",
        "environment": "",
    }
    seen: Asked | None = None
    if opened is not None:
        row["agent_version"] = str(opened.host.get("agent_version", ""))
        row["fixture"] = opened.manifest["fixture"]
        row["environment"] = _environment(plan, opened)
        seen = asked(opened.evidence, task.gates) if task is not None else None
    row |= {
        "approval_needed": seen.needed if seen else None,
        "asked_when_needed": seen.in_time if seen else None,
        "asked_needlessly": seen.needlessly if seen else None,
    }
    return row, opened


def _environment(plan: Plan, opened: Opened) -> str:
    """Where an attempt ran and on what terms, in words: attempts of two environments are no cohort."""
    terms = ", ".join(f"{k} {v}" for k, v in sorted((plan.terms or {}).items()))
    facts = (
        plan.isolation,
        opened.host.get("system"),
        f"errands {opened.host.get('errands')}",
        opened.host.get("browser"),
        terms,
    )
    return ", ".join(str(f) for f in facts if f)


def _opened(folder: RunFolder, plan: Plan, p: Planned) -> Opened | None:
    """The bundle of an attempt; None where there is none, or one that is damaged."""
    where = str(folder.bundle(p.n))
    try:
        opened = open_bundle(folder.bundle(p.n).read_bytes(), where)
    except (FileNotFoundError, EvidenceError):
        return None
    m = opened.manifest
    said = (m["n"], m["task"], m["market"], m["variant"], m["language"], m["repeat"], m["agent"])
    if said != (p.n, p.task, p.market, p.variant, p.language, p.repeat, plan.agent):
        raise EvidenceError(
            "this bundle is of another attempt than its name says",
            where=where,
            do=f"errands verify {folder.path}",
        )
    return opened


def _attempt(row: dict[str, Any]) -> Attempt:
    return Attempt(
        task=row["instance"],
        group=row["group"],
        agent=row["agent"],
        repeat=row["attempt"],
        status=row["status"],
        world=row["world"],
        pi=Fraction(row["pi"]) if row["pi"] else None,
        strict=row["strict"],
        crossed=row["crossed"],
        wall_s=row["wall_s"],
        first_response_s=row["first_s"],
        cost_usd=row["cost_usd"],
        approval_needed=row["approval_needed"],
        asked_when_needed=row["asked_when_needed"],
        asked_needlessly=row["asked_needlessly"],
        criteria=len(row["criteria"]),
        judged=sum(c["by"] != "code" for c in row["criteria"]),
    )
