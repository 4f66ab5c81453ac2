"""The desk at which solutions are tried: instances, attempts, seats that skip or add, rows of a fixture."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import apsw

from errands.agents.reference import reference
from errands.core.errors import ClosedError, ToolError
from errands.doors import Seat
from errands.exam.desk import Desk
from errands.exam.sitting import Limits, Sitting
from errands.markets import load_market
from errands.tasks.registry import tasks
from errands.tasks.task import Instance, Task

from .sitting import Tried, attempt

TASKS = {t.id.removeprefix("ec-"): t for t in tasks() if t.contract.front.suite == "consumer"}
DOUBLE, AUDIT = TASKS["double-booking-resolution"], TASKS["inbox-commitment-audit"]
THREE = TASKS["reschedule-three-party"]
WEIGHED = 3  # variants that are tried; the builder tests and `make sweep` go through all of them


def _variants(number: int, place: int, market: str) -> list[int]:
    """In Singapore each, elsewhere one in turn: between them the markets go through all."""
    return list(range(WEIGHED)) if market == "sg" else [(number + place) % WEIGHED]


INSTANCES = [
    t.instance(m, v)
    for number, t in enumerate(TASKS.values())
    for place, m in enumerate(t.contract.front.markets)
    for v in _variants(number, place, m)
]
EACH = {"argvalues": INSTANCES, "ids": [i.name.removeprefix("ec-") for i in INSTANCES]}
#: Every task in every market and in as many variants as it has, for sweeps.
CHOICES = [
    (t, m, v)
    for t in TASKS.values()
    for m in t.contract.front.markets
    for v in range(t.contract.front.variants)
]
#: The same, asked in the language of the market.
LOCAL = [
    i.task.instance(i.market, i.variant, local)
    for i in INSTANCES
    if (local := load_market(i.market).languages[0]) != i.language
]


def asks(task: Task) -> bool:
    """Whether something of this errand may be done once the user has said yes."""
    return any(g.until == "approved" for g in task.gates)


SINGAPORE = [i for i in INSTANCES if i.market == "sg"]
EACH_SG = {"argvalues": SINGAPORE, "ids": [i.name.removeprefix("ec-") for i in SINGAPORE]}


WIDE = Limits(turns=20, calls=5_000)


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
