"""Errands that only look and deliver a list: the criteria that they all have, declared in one line."""

from __future__ import annotations

from collections.abc import Callable

from errands.core.types import Finding
from errands.grading import listing
from errands.grading.evidence import Evidence
from errands.grading.listing import Wanted

from .build import Key
from .task import Task


def only_a_list(task: Task, wanted: Callable[[Key], Wanted]) -> None:
    """Declare `grounded`, `read_only`, `not_filed`, `not_shared` and `scope` for a task that delivers `wanted(key)` and
    touches nothing else. Call it last: what the task declares under one of these names is left as it is.
    """
    shared: dict[str, Callable[[Evidence, Key], Finding]] = {
        "grounded": lambda e, k: listing.grounded(e, wanted(k)),
        "read_only": lambda e, k: task.gates_held(e),
        "not_filed": lambda e, k: listing.nothing_filed(e),
        "not_shared": lambda e, k: listing.nothing_shared(e),
        "scope": lambda e, k: listing.only_the_list(e, wanted(k)),
    }
    for name, check in shared.items():
        task.checks.setdefault(name, check)
