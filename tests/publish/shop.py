"""A small drawn list over real errands, and agents that sit it: what cards are built from in these tests.

Groups, worlds and tags are invented (the frame is made here, not measured), so that eighteen instances have enough
groups for a rate, one world has too few, and some tasks are drawn with a chance under one.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from errands.agents.reference import Solver
from errands.agents.resolve import resolve as usual
from errands.draw.batch import Batch, draw
from errands.draw.frame import Change, Entry, Frame
from errands.draw.rules import Seed, rules
from errands.evidence.folder import RunFolder
from errands.exam.agent import Agent
from errands.exam.plan import plan_batch, plan_run
from errands.exam.run import Run
from errands.exam.terms import PLAIN, Terms
from errands.tasks.registry import Selection, select, task

CONSUMER = Selection(suites=("consumer",), markets=("kr", "sg", "tw"), variants=(0,))
SEED = Seed(value="9f3c", source="the beacon of 4 October 2026, first round after noon UTC")
SKILLS = {"skilled-80": 80, "skilled-40": 40}


class Skilled(Solver):
    """Does the errand as its author would in about so many of a hundred attempts; else says nothing."""

    cost_usd = 0.01

    def sit(self, sitting, instance, desk):
        luck = sha256(f"{self.name} {desk.n}".encode()).digest()[0] * 100 // 256
        sitting.next()
        if luck < SKILLS[self.name]:
            instance.task.solutions["oracle"].run(self.seat(sitting), instance.key)

    def applies(self, task):
        return True


def resolve(spec: str, terms: Terms = PLAIN) -> Agent:
    """As the command line does, and the skilled ones."""
    return Skilled(spec) if spec in SKILLS else usual(spec, terms)


def frame() -> Frame:
    """Thirty instances: an errand is a group, but two of them are one a market, and one is set at home."""
    entries = []
    for n, c in enumerate(select(CONSUMER)):
        own = c.task in ("ec-inbox-commitment-audit", "ec-double-booking-resolution")
        world = "home" if c.task == "ec-daily-agenda-brief" else "office"
        kind = f"{c.task}-{c.market}" if own else c.task
        entries.append(
            Entry(
                id=f"{c.task}@{c.market}/{c.variant}",
                world=world,
                status="ready",
                changes=(Change("mail", kind.replace("-", "_"), "insert", "direct"),),
                tags=("approval",) if n % 3 == 0 else (),
                task=task(c.task).digest,
            )
        )
    return Frame(kind="errands-frame", format=1, version="test", entries=tuple(entries))


def batch() -> Batch:
    """The drawn list."""
    return draw(frame(), rules(), SEED)


def sit(agent: str, out: Path, drawn: Batch | None = None, attempts: int = 2, selection=None) -> RunFolder:
    """A run of this agent over the list (or a selection), to its end."""
    if drawn is not None:
        folder = plan_batch(resolve(agent), drawn, attempts, out)
    else:
        folder = plan_run(resolve(agent), selection, attempts, out)
    for _ in Run(folder, resolve).go():
        pass
    return folder
