"""The library's errands on one bench: each as it is set in Singapore, variant 0, and each way of sitting it once."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import errands
from errands.calibrate.seats import Effects
from errands.core.errors import ClosedError, ToolError
from errands.core.types import Verdict
from errands.exam.sitting import Limits, Sitting
from errands.markets import load_market
from errands.tasks.registry import tasks
from errands.tasks.task import Instance, Task

from ..tasks.sitting import Tried, attempt
from ..tasks.sitting import judge as _judge

SRC = Path(errands.__file__).parent
TASKS = tuple(t for t in tasks() if t.contract.front.suite == "consumer")


def place(task: Task) -> str:
    """Singapore, where the errand is set there."""
    markets = task.contract.front.markets
    return "sg" if "sg" in markets else markets[0]


def abroad(task: Task) -> Instance:
    """The errand in another of its markets (another one for each errand), asked in the language there."""
    others = [m for m in task.contract.front.markets if m != place(task)]
    market = others[TASKS.index(task) % len(others)] if others else place(task)
    return task.instance(market, 0, load_market(market).languages[0])


HERE = [t.instance(place(t), 0) for t in TASKS]
EACH = {"argvalues": HERE, "ids": [i.task.id for i in HERE]}


def judge(instance: Instance, blob: bytes, key: Any = None) -> Verdict:
    """The verdict on an attempt file."""
    return _judge(instance, blob, key)[0]


def sit(
    instance: Instance, run: Callable[[Sitting], Any], *, blob: bytes = b"", limits: Limits | None = None
) -> Tried:
    """Let `run` pump a sitting over the instance (or over other bytes), until the world or the sitting refuses."""

    def until(sitting: Sitting) -> None:
        with suppress(ToolError, ClosedError):
            run(sitting)

    return attempt(instance, until, limits, blob)


def solving(instance: Instance, seat: Callable[[Sitting], Any], name: str = "oracle") -> Tried:
    """A solution at a seat of one's own."""

    def run(sitting: Sitting) -> None:
        sitting.next()
        instance.task.solutions[name].run(seat(sitting), instance.key)

    return sit(instance, run)


@cache
def solved(instance: Instance, name: str = "oracle") -> Tried:
    """A solution as it is, sat once."""
    return solving(instance, Effects, name)


@cache
def idle(instance: Instance) -> Tried:
    """Nothing is done and nothing said."""
    return sit(instance, lambda s: s.next())


@cache
def recorded(instance: Instance) -> tuple[Effects, Tried]:
    """The oracle's seat, with every call that changed something, and what came of it."""
    seats: list[Effects] = []
    sat = solving(instance, lambda s: seats.append(Effects(s)) or seats[0])
    return seats[0], sat


def required(instance: Instance) -> set[str]:
    """The criteria that ask for an effect or a deliverable."""
    return {c.id for c in instance.task.criteria if c.kind == "required"}


def leaves(value: Any) -> Iterator[str]:
    """Every single value of a key, as text."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from leaves(part)
    elif value is not None:
        yield str(value)


def modules(*places: str) -> list[Path]:
    """The Python files of these folders of the package, tests of nothing else."""
    return sorted(p for place in places for p in (SRC / place).rglob("*.py"))


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def named(node: ast.AST) -> str:
    """`a.b.c` of a name or an attribute, else empty."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{named(node.value)}.{node.attr}".lstrip(".")
    return ""
