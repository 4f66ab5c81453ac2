"""One attempt, sat and graded from its file alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from errands.core.types import Verdict
from errands.exam.attempt import limits_of
from errands.exam.sitting import Limits, Sitting
from errands.grading.evidence import Evidence, open_readonly
from errands.grading.verdict import grade
from errands.tasks.task import Instance
from errands.world import open_world


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


def judge(instance: Instance, blob: bytes, key: Any = None) -> tuple[Verdict, Evidence]:
    """The verdict on an attempt file, and what was seen of it."""
    task, evidence = instance.task, Evidence(open_readonly(blob))
    return grade(evidence, key or instance.key, task.criteria, task.contract.front.protocol), evidence


def attempt(
    instance: Instance, sit: Callable[[Sitting], Any], limits: Limits | None = None, blob: bytes = b""
) -> Tried:
    """Let `sit` pump a sitting over the instance (or over other bytes), and grade what it left."""
    world = open_world(blob or instance.fixture.blob)
    sitting = Sitting(world, limits or limits_of(instance))
    sit(sitting)
    sitting.close("completed")
    left, digest = world.snapshot(), world.world_digest()
    world.close()
    verdict, evidence = judge(instance, left)
    assert verdict.status == "graded", (instance.name, verdict.why)
    return Tried(verdict, evidence, digest, left)
