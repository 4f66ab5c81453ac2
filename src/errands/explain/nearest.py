"""The accepted solution that an attempt comes closest to, and what the attempt lacks or has too much."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from errands.agents.reference import Solver
from errands.exam.attempt import limits_of
from errands.exam.desk import Desk
from errands.exam.sitting import Sitting
from errands.grading.evidence import Change, Evidence
from errands.tasks.task import Instance
from errands.world import open_world

from .names import label, noun, shadow

Act = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Nearest:
    """Name of the solution, its acts that the attempt lacks, and acts of the attempt that it lacks."""

    name: str
    missing: tuple[str, ...]
    extra: tuple[str, ...]


def acts(e: Evidence) -> Counter[Act]:
    """What was done, without ids or wording: net changes by table, commits by kind and recipient."""
    found: Counter[Act] = Counter()
    for table in e.changed_tables():
        if not shadow(table):
            for c in e.net(table).values():
                found[("change", table, _how(c))] += 1
    for commit in e.commits():
        content = commit.body["content"]
        to = content.get("recipient") or ", ".join(content.get("to", []))
        found[("commit", commit.name, str(to))] += 1
    for a in e.entries("approval"):
        found[("approval", a.name, "")] += 1
    return found


def _how(c: Change) -> str:
    if c.before is None:
        return "new"
    return "removed" if c.after is None else ", ".join(sorted(label(f) for f in set(c.fields) - {"version"}))


@lru_cache(maxsize=64)
def accepted(instance: Instance) -> tuple[tuple[str, Counter[Act]], ...]:
    """The acts of every accepted solution, by sitting each one now."""
    out = []
    for name, solution in instance.task.solutions.items():
        if solution.role == "wrong":
            continue
        world = open_world(instance.fixture.blob)
        sitting = Sitting(world, limits_of(instance))
        try:
            Solver(name).sit(sitting, instance, Desk())
            sitting.close("completed")
        finally:
            sitting.let_go()
        out.append((name, acts(Evidence(world.db, world.ledger.tables))))
        world.close()
    return tuple(out)


def nearest(e: Evidence, instance: Instance) -> Nearest:
    """The solution with the fewest acts that differ."""
    mine = acts(e)
    best: tuple[int, str, Counter[Act]] | None = None
    for name, theirs in accepted(instance):
        distance = sum(((theirs - mine) + (mine - theirs)).values())
        if best is None or distance < best[0]:
            best = distance, name, theirs
    assert best is not None  # every task has an oracle
    _, name, theirs = best
    return Nearest(name, _said(theirs - mine), _said(mine - theirs))


def _said(found: Counter[Act]) -> tuple[str, ...]:
    return tuple(_words(*act) + (f" ×{n}" if n > 1 else "") for act, n in sorted(found.items()))


def _words(kind: str, what: str, how: str) -> str:
    if kind == "approval":
        return f"a {what} of the user"
    if kind == "commit":
        return f"{what} to {how}" if how else what
    if how == "new":
        return f"a new {noun(what)}"
    return f"a {noun(what)} removed" if how == "removed" else f"a {noun(what)} changed ({how})"
