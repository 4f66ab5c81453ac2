"""The desk at which solutions are tried: instances, attempts, seats that skip or add, rows of a fixture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import apsw

from errands.agents.reference import reference
from errands.core.errors import ClosedError, ToolError
from errands.core.types import Verdict
from errands.doors import Seat
from errands.exam.attempt import limits_of
from errands.exam.desk import Desk
from errands.exam.sitting import Limits, Sitting
from errands.grading.evidence import Evidence, open_readonly
from errands.grading.verdict import grade
from errands.markets import load_market
from errands.tasks.registry import tasks
from errands.tasks.task import Instance
from errands.world import open_world

TASKS = {t.id.removeprefix("ec-"): t for t in tasks()}
DOUBLE, AUDIT = TASKS["double-booking-resolution"], TASKS["inbox-commitment-audit"]
THREE = TASKS["reschedule-three-party"]
INSTANCES = [
    t.instance(m, v)
    for t in TASKS.values()
    for m in t.contract.front.markets
    for v in range(t.contract.front.variants)
]
EACH = {"argvalues": INSTANCES, "ids": [i.name.removeprefix("ec-") for i in INSTANCES]}
#: The same, asked in the language of the market.
LOCAL = [
    i.task.instance(i.market, i.variant, local)
    for i in INSTANCES
    if (local := load_market(i.market).languages[0]) != i.language
]
SINGAPORE = [i for i in INSTANCES if i.market == "sg"]
EACH_SG = {"argvalues": SINGAPORE, "ids": [i.name.removeprefix("ec-") for i in SINGAPORE]}


@dataclass(frozen=True)
class Tried:
    """What came of an attempt: its verdict, its evidence, and the digest of the world at the end."""

    verdict: Verdict
    evidence: Evidence
    world_digest: str
    blob: bytes

    @property
    def unmet(self) -> set[str]:
        return {c.id for c in self.verdict.criteria if c.result != "met"}

    def result(self, criterion: str) -> str:
        return next(c.result for c in self.verdict.criteria if c.id == criterion)


WIDE = Limits(turns=20, calls=5_000)


def attempt(instance: Instance, sit: Callable[[Sitting], Any], limits: Limits | None = None) -> Tried:
    """Let `sit` pump a sitting over the instance, and grade what it left from the file alone."""
    world = open_world(instance.fixture.blob)
    sitting = Sitting(world, limits or limits_of(instance))
    sit(sitting)
    sitting.close("completed")
    blob = world.snapshot()
    evidence = Evidence(open_readonly(blob))
    task = instance.task
    verdict = grade(evidence, instance.key, task.criteria, task.contract.front.protocol)
    assert verdict.status == "graded", (instance.name, verdict.why)
    out = Tried(verdict, evidence, world.world_digest(), blob)
    world.close()
    return out


@cache
def tried(instance: Instance, agent: str) -> Tried:
    """The attempt of a reference agent (`oracle`, `wrong:<name>`, `null` …), sat once a process."""
    return attempt(instance, lambda sitting: reference(agent).sit(sitting, instance, Desk()))


def solved(instance: Instance, seat: Callable[[Sitting], Seat], solution: str = "oracle") -> Tried:
    """The attempt of a solution at a seat of one's own; a call that fails there ends it."""

    def sit(sitting: Sitting) -> None:
        sitting.next()
        try:
            instance.task.solutions[solution].run(seat(sitting), instance.key)
        except (ToolError, ClosedError):
            sitting.close("agent_error")

    return attempt(instance, sit)


class Watching(Seat):
    """A seat that keeps what it was asked to do and what came back, reads left out."""

    __slots__ = ("done", "looks")

    def __init__(self, sitting: Sitting):
        super().__init__(sitting)
        self.done: list[tuple[str, Any]] = []
        self.looks = {t.name for t in sitting.world.tools.values() if t.effect == "read"}

    def call(self, tool: str, /, **args: Any) -> Any:
        result = super().call(tool, **args)
        if tool not in self.looks:
            self.done.append((tool, result))
        return result

    def reply(self, text: str) -> Any:
        self.done.append(("reply", None))
        return super().reply(text)


class Skipping(Watching):
    """A seat at which the k-th act is only pretended: its caller gets what the full run got."""

    __slots__ = ("full", "skip")

    def __init__(self, sitting: Sitting, full: list[tuple[str, Any]], skip: int):
        super().__init__(sitting)
        self.full, self.skip = full, skip

    def call(self, tool: str, /, **args: Any) -> Any:
        n = len(self.done)
        if n < len(self.full) and self.full[n][0] == tool:
            if n != self.skip:
                try:
                    return super().call(tool, **args)
                except ToolError:  # what it needed was skipped: go on as if nothing had happened
                    pass
            self.done.append(self.full[n])
            return self.full[n][1]
        return super().call(tool, **args)

    def reply(self, text: str) -> Any:
        return super().reply("" if len(self.done) == self.skip else text)


class Meddling(Seat):
    """A seat at which one thing more is done, just before the first words to the user."""

    __slots__ = ("extra",)

    def __init__(self, sitting: Sitting, extra: Callable[[Seat], Any]):
        super().__init__(sitting)
        self.extra: Callable[[Seat], Any] | None = extra

    def reply(self, text: str) -> Any:
        if self.extra is not None:
            extra, self.extra = self.extra, None
            extra(self)
        return super().reply(text)


def rows(blob: bytes, sql: str, *args: Any) -> list[tuple[Any, ...]]:
    """Rows of an attempt file or fixture."""
    db = apsw.Connection(":memory:")
    db.deserialize("main", blob)
    return list(db.execute(sql, args))
