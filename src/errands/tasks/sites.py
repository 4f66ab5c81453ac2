"""Errands on websites: the criteria that they all have, and how a fixture is drawn until it has its traps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from errands.core.errors import TaskError
from errands.core.types import Finding
from errands.grading.evidence import Evidence
from errands.grading.scope import Allow, within
from errands.grading.visits import by_hand

from .build import Build, Key
from .task import Task

T = TypeVar("T")
TRIES = 2_000


def on_sites(task: Task, sites: Sequence[str], places: Sequence[str]) -> None:
    """Declare `by_hand` and `scope` for a task whose answer lies at `places`, and every button of whose sites is gated.

    Whether something was bought, or an inquiry made, is the question of other criteria, not of scope.
    """
    allow: Allow = {
        "files_entry": lambda c: c.before is None and c.key in places,
        "bureau_inquiry": True,
        **{f"{site}_deed": True for site in sites},
    }
    shared: dict[str, Callable[[Evidence, Key], Finding]] = {
        "by_hand": lambda e, k: by_hand(e, sites),
        "scope": lambda e, k: within(e, allow),
    }
    for name, check in shared.items():
        task.checks.setdefault(name, check)


def drawn(b: Build, make: Callable[[], T], fits: Callable[[T], bool]) -> T:
    """The first of what `make` draws from the fixture's stream that `fits`; `TaskError` where none of many does."""
    for _ in range(TRIES):
        found = make()
        if fits(found):
            return found
    raise TaskError(
        f"none of {TRIES} draws has every trap", where=f"{b.package}, {b.market.code}/{b.variant}"
    )
