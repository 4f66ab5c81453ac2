"""Calibration of a selection: every attack on every instance, what got through, and the kill table."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

from errands.exam.attempt import instance_of
from errands.exam.ocr import must_read
from errands.exam.pool import warm
from errands.tasks.registry import Choice, task

from .attacks import SEARCHES, Attacks, Trial

IDLE = ("null", "refuse", "talker", "spam", "braggart")
Trials = Iterable[tuple[Choice, Trial]]


@dataclass(frozen=True, slots=True)
class Calibrated:
    """One instance and all trials on it."""

    choice: Choice
    trials: tuple[Trial, ...]


def calibrate(choices: list[Choice], jobs: int = 1, *, thorough: bool = False) -> Iterator[Calibrated]:
    """Sit every attack on every instance, in `jobs` processes; in the order of the choices.

    `thorough`: in first variants the walker also sees whether what is needed is missed where it is taken away.
    """
    must_read(task(c.task).contract.front for c in choices)
    work = partial(one, thorough=thorough)
    if jobs <= 1 or len(choices) == 1:
        yield from map(work, choices)
        return
    with ProcessPoolExecutor(min(jobs, len(choices)), mp_context=warm()) as pool:
        yield from pool.map(work, choices)


def one(c: Choice, thorough: bool = False) -> Calibrated:
    """Every attack on one instance."""
    instance = instance_of(c.task, c.market, c.variant, c.language)
    return Calibrated(c, tuple(Attacks(instance, thorough=thorough and c.variant == 0).trials()))


def cores() -> int:
    """How many processes this machine can well run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def report(done: list[Calibrated]) -> dict[str, Any]:
    """By task: attacks by what became of them, those that came out otherwise than they must, and the kill table.

    `kills`: for each criterion, an attack that fails there and nowhere else: without that criterion it would have
    been strict. `not_crossed`: gates that no wrong result of Task.md crosses. `green` where nothing got through,
    every right way passed, every criterion has its attack and every gate is crossed. `idle`: what agents that do
    no work get under the protocol.
    """
    tasks = [_task(ident, [d for d in done if d.choice.task == ident]) for ident in _names(done)]
    trials = [t for d in done for t in d.trials]
    return {
        "green": all(t["green"] for t in tasks),
        "runs": sum(not t.why_not and t.attack not in SEARCHES for t in trials),
        "instances": len(done),
        "tasks": tasks,
        "idle": _idle(trials),
    }


def _names(done: list[Calibrated]) -> list[str]:
    return list(dict.fromkeys(d.choice.task for d in done))


def _task(ident: str, done: list[Calibrated]) -> dict[str, Any]:
    trials = [(d.choice, t) for d in done for t in d.trials]
    wrong = [_row(c, t) for c, t in trials if not t.good]
    criteria = [c.id for c in task(ident).criteria]
    moving = ("required", "prohibited")  # kinds that move points
    kills = _kills(trials, {c.id for c in task(ident).contract.criteria if c.kind in moving})
    missing = [c for c in criteria if c not in kills]
    crossed = {name for _, t in trials if t.attack == "wrong" for name in t.crosses}
    gates = [g.commit for g in task(ident).gates if g.commit not in crossed]
    return {
        "task": ident,
        "title": task(ident).contract.title,
        "green": not wrong and not missing and not gates,
        "instances": len(done),
        "markets": sorted({d.choice.market for d in done}),
        "attacks": _counts(t for _, t in trials),
        "failed_at": _failed_at(trials),
        "why_not": _why_not(t for _, t in trials),
        "otherwise": wrong,
        "kills": {c: kills.get(c, "") for c in criteria},
        "not_killed": missing,
        "not_crossed": gates,
    }


def _kills(trials: Trials, moving: set[str]) -> dict[str, str]:
    """For each criterion an attack that fails there alone; a wrong result that Task.md names, if there is one.

    Where points are stated, whoever fails at a criterion that moves them gets others without it: that will do too.
    """
    found: dict[str, tuple[int, str]] = {}
    for c, t in trials:
        named, alone = t.attack == "wrong", len(t.unmet) == 1
        for criterion in t.unmet:
            stated = t.points is not None or t.vector is not None
            counted = stated and t.good and criterion in moving
            rank = 2 * alone + named
            if (alone or counted) and not t.right and rank > found.get(criterion, (-1, ""))[0]:
                found[criterion] = rank, f"{_spoken(t)} {c.market}/{c.variant}"
    return {criterion: by for criterion, (_, by) in found.items()}


def _spoken(t: Trial) -> str:
    return t.name if t.name == t.attack or t.attack == "wrong" else f"{t.attack} ({t.name})"


def _counts(trials: Iterable[Trial]) -> dict[str, dict[str, int]]:
    """Of each attack: how often it was sat, does not apply, and came out otherwise than it must."""
    out: dict[str, Counter[str]] = {}
    for t in trials:
        n = out.setdefault(t.attack, Counter(sat=0, does_not_apply=0, otherwise=0))
        n["does_not_apply" if t.why_not else "sat"] += 1
        n["otherwise"] += not t.good
    return {name: dict(n) for name, n in out.items()}


def _failed_at(trials: Trials) -> dict[str, dict[str, int]]:
    """Of each attack, and each wrong result by its name: how often it failed at each criterion."""
    out: dict[str, Counter[str]] = {}
    for _, t in trials:
        if not t.right and not t.why_not and t.attack not in SEARCHES:
            out.setdefault(t.name if t.attack == "wrong" else t.attack, Counter()).update(t.unmet)
    return {name: dict(sorted(n.items())) for name, n in out.items()}


def _why_not(trials: Iterable[Trial]) -> dict[str, dict[str, int]]:
    """Of each attack: the reasons why it did not apply, and how often."""
    out: dict[str, Counter[str]] = {}
    for t in trials:
        if t.why_not:
            out.setdefault(t.attack, Counter())[t.why_not] += 1
    return {name: dict(n) for name, n in out.items()}


def _idle(trials: Iterable[Trial]) -> dict[str, dict[str, Any]]:
    """Of each agent that does no work: attempts, strict passes, and the mean of each score of the protocol."""
    out: dict[str, dict[str, Any]] = {}
    for name in IDLE:
        mine = [t for t in trials if t.attack == name]
        if mine:
            scores = sorted({s for t in mine for s in t.scores})
            means = {s: _mean([t.scores[s] for t in mine if s in t.scores]) for s in scores}
            out[name] = {"attempts": len(mine), "strict": sum(t.strict for t in mine), "mean": means}
    return out


def _mean(values: list[int]) -> float:
    return round(sum(values) / len(values), 4)


def shown(score: str, mean: float) -> str:
    """A mean score as people read it: points of a hundred or of ten (of two for one criterion), else a percentage."""
    if score in ("points", "earned"):
        return f"{mean:.0f} of 100"
    if score in ("raw", "total", "gated"):
        return f"{mean:.1f} of 10"
    return f"{mean:.1f} of 2" if score in ("c1", "c2", "c3", "c4", "c5") else f"{100 * mean:.0f} %"


def must(t: Trial) -> str:
    """What has to become of an attack, in words."""
    if t.attack in SEARCHES:
        return "find nothing amiss"
    if t.right:
        return "be strict"
    gets = f" with {t.points} points" if t.points is not None else f" with {t.vector}" if t.vector else ""
    return f"fail at {' or '.join(sorted(t.at))}{gets}" if t.at else "not be strict"


def _row(c: Choice, t: Trial) -> dict[str, Any]:
    return {
        "market": c.market,
        "variant": c.variant,
        "attack": t.attack,
        "name": t.name,
        "must": must(t),
        "strict": t.strict,
        "failed_at": sorted(t.unmet),
        "scores": t.scores,
        "found": list(t.found),
        "missing": list(t.missing),
    }
