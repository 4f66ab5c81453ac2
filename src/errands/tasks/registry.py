"""Which tasks there are, and which of them a selection means."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib import import_module, resources
from importlib.resources.abc import Traversable

from errands.core.errors import TaskError, UsageError
from errands.core.packs import Pack, packs

from .heldout import FIRST
from .task import Task, raised

LIBRARY = "errands.library"


def _folders(package: str, folder: Traversable) -> list[str]:
    if folder.joinpath("Task.md").is_file():
        return [package]
    out = []
    for item in sorted(folder.iterdir(), key=lambda i: i.name):
        if item.is_dir() and item.name.isidentifier() and not item.name.startswith("_"):
            out += _folders(f"{package}.{item.name}", item)
    return out


def tasks() -> tuple[Task, ...]:
    """All tasks of the library and of the packs that are here, in order of number and id."""
    return _tasks(packs())


@lru_cache(maxsize=8)
def _tasks(brought: tuple[Pack, ...]) -> tuple[Task, ...]:
    found: dict[str, Task] = {}
    for package in _folders(LIBRARY, resources.files(LIBRARY)):
        _put(found, import_module(f"{package}.task").task)
    for pack in brought:
        home = pack.folder.joinpath("tasks")
        for package in _folders(f"{pack.package}.tasks", home) if home.is_dir() else ():
            _put(found, _outside(package))
    return tuple(sorted(found.values(), key=lambda t: (t.contract.front.number, t.id)))


def _outside(package: str) -> Task:
    """The task of a pack's folder; whatever goes wrong in its code is told with file and line."""
    try:
        found = import_module(f"{package}.task").task
    except TaskError:
        raise
    except Exception as why:
        raise TaskError(raised(why), where=package.partition(".")[2]) from why
    if not isinstance(found, Task):
        raise TaskError("`task` is no Task", where=f"{package}/task.py", expected="task = Task(__package__)")
    return found


def _put(found: dict[str, Task], task: Task) -> None:
    if found.setdefault(task.id, task) is not task:
        raise TaskError(f"{task.id} is here twice", where=task.package, expected="an id of its own")


def task(name: str) -> Task:
    """The task of this id; `UsageError` with near matches."""
    for t in tasks():
        if t.id == name:
            return t
    raise UsageError(
        f"there is no task {name!r}", expected=_near(name, [t.id for t in tasks()]), do="see `errands list`"
    )


def usual_market(name: str) -> str:
    """Where a task is shown when no market is named: sg, else the first in which it is set."""
    markets = next((t.contract.front.markets for t in tasks() if t.id == name), ())
    return "sg" if "sg" in markets or not markets else markets[0]


def _near(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, 3, 0.4)
    near += [k for k in known if name and name in k and k not in near]
    return "perhaps " + ", ".join(near[:3]) if near else "one of " + ", ".join(sorted(known)[:12])


@dataclass(frozen=True, slots=True)
class Selection:
    """Which instances are meant; an empty field means all. Task names may be globs.

    `held_out`: the held-out variants instead of the public ones, counted from 0 here too.
    """

    suites: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    markets: tuple[str, ...] = ()
    variants: tuple[int, ...] = ()
    tags: tuple[str, ...] = ()
    language: str = "en"
    held_out: bool = False


@dataclass(frozen=True, slots=True, order=True)
class Choice:
    """One instance by name."""

    number: str
    task: str
    market: str
    variant: int
    language: str


def select(s: Selection) -> list[Choice]:
    """The instances of a selection, in a fixed order; `UsageError` naming the part that matches nothing."""
    all_tasks = tasks()
    fronts = {t.id: t.contract.front for t in all_tasks}
    _known("suite", s.suites, sorted({f.suite for f in fronts.values()}))
    _known("domain", s.domains, sorted({f.domain for f in fronts.values()}))
    _known("market", s.markets, sorted({m for f in fronts.values() for m in f.markets}))
    _known("tag", s.tags, sorted({g for f in fronts.values() for g in f.tags}))
    _known(
        "variant",
        tuple(map(str, s.variants)),
        [str(n) for n in range(max(f.variants for f in fronts.values()))],
    )
    for pattern in s.tasks:
        if not any(fnmatchcase(i, pattern) for i in fronts):
            raise UsageError(
                f"no task matches {pattern!r}",
                where="--task",
                expected=_near(pattern, list(fronts)),
                do="see `errands list`",
            )
    out = []
    for ident, f in fronts.items():
        if (
            (s.suites and f.suite not in s.suites)
            or (s.domains and f.domain not in s.domains)
            or (s.tasks and not any(fnmatchcase(ident, p) for p in s.tasks))
            or not set(s.tags) <= set(f.tags)
        ):
            continue
        for market in f.markets:
            if s.markets and market not in s.markets:
                continue
            first = FIRST if s.held_out else 0
            for variant in range(first, first + f.variants):
                if not s.variants or variant - first in s.variants:
                    out.append(Choice(f.number, ident, market, variant, in_language(market, s.language)))
    if not out:
        raise UsageError(
            "the selection is empty",
            expected="parts that some task has in common"
            + (" (a market is set where the `markets` of Task.md name it)" if s.markets else ""),
            do="see `errands list`",
        )
    return sorted(out)


def choice(name: str, language: str = "en") -> Choice:
    """The instance `task@market/variant`; `UsageError` where there is none of that name."""
    ident, _, place = name.partition("@")
    market, _, number = place.partition("/")
    front = task(ident).contract.front
    variants = [*range(front.variants), *range(FIRST, FIRST + front.variants)]
    if market not in front.markets or number not in map(str, variants):
        raise UsageError(
            f"there is no instance {name!r}",
            expected=f"{ident}@{'|'.join(front.markets)}/0 to {front.variants - 1}",
        )
    return Choice(front.number, ident, market, int(number), in_language(market, language))


def spread(choices: Iterable[Choice], n: int) -> list[Choice]:
    """`n` of these, as different as can be; the same ones for everybody.

    In the order of the SHA-256 of their names, each time the first of those whose task was taken least often, then
    whose market, then whose variant.
    """
    left = sorted(
        choices, key=lambda c: hashlib.sha256(f"{c.task}@{c.market}/{c.variant}".encode()).hexdigest()
    )
    taken: list[Choice] = []
    while left and len(taken) < n:

        def seen(c: Choice) -> tuple[int, int, int]:
            return (
                sum(t.task == c.task for t in taken),
                sum(t.market == c.market for t in taken),
                sum(t.variant == c.variant for t in taken),
            )

        best = min(left, key=seen)
        left.remove(best)
        taken.append(best)
    return sorted(taken)


def in_language(market: str, language: str) -> str:
    """The language that is meant: a code as it is, `local` as that of the market's business."""
    from errands.markets import load_market

    return load_market(market).languages[0] if language == "local" else language


def _known(what: str, given: tuple[str, ...], known: list[str]) -> None:
    for name in given:
        if name not in known:
            raise UsageError(f"there is no {what} {name!r}", where=f"--{what}", expected=_near(name, known))
