"""Calibration of a selection: every attack on every instance, what got through, and the kill table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from errands.exam.attempt import instance_of
from errands.tasks.registry import Choice, task

from .attacks import Attacks, Trial


@dataclass(frozen=True, slots=True)
class Calibrated:
    """One instance and all trials on it."""

    choice: Choice
    trials: tuple[Trial, ...]


def calibrate(choices: list[Choice]) -> Iterator[Calibrated]:
    """Sit every attack on every instance, one after the other."""
    for c in choices:
        instance = instance_of(c.task, c.market, c.variant, c.language)
        yield Calibrated(c, tuple(Attacks(instance).trials()))


def report(done: list[Calibrated]) -> dict[str, Any]:
    """By task: attacks by what became of them, those that came out otherwise than they must, and the kill table.

    `kills`: for each criterion, an attack that fails there and nowhere else: without that criterion it would have
    been strict. `green` where nothing got through, every right way passed, and every criterion has one.
    """
    tasks = [_task(ident, [d for d in done if d.choice.task == ident]) for ident in _names(done)]
    runs = sum(not t.why_not for d in done for t in d.trials)
    return {"green": all(t["green"] for t in tasks), "runs": runs, "instances": len(done), "tasks": tasks}


def _names(done: list[Calibrated]) -> list[str]:
    return list(dict.fromkeys(d.choice.task for d in done))


def _task(ident: str, done: list[Calibrated]) -> dict[str, Any]:
    trials = [(d.choice, t) for d in done for t in d.trials]
    wrong = [_row(c, t) for c, t in trials if not t.good]
    kills: dict[str, str] = {}
    for c, t in trials:
        if len(t.unmet) == 1 and not t.right:
            kills.setdefault(next(iter(t.unmet)), f"{t.attack} ({t.name}) {c.market}/{c.variant}")
    criteria = [c.id for c in task(ident).criteria]
    missing = [c for c in criteria if c not in kills]
    return {
        "task": ident,
        "green": not wrong and not missing,
        "instances": len(done),
        "attacks": _counts(t for _, t in trials),
        "otherwise": wrong,
        "kills": {c: kills.get(c, "") for c in criteria},
        "not_killed": missing,
    }


def _counts(trials: Iterator[Trial]) -> dict[str, dict[str, int]]:
    """Of each attack: how often it was sat, does not apply, and came out otherwise than it must."""
    out: dict[str, Counter[str]] = {}
    for t in trials:
        n = out.setdefault(t.attack, Counter(sat=0, does_not_apply=0, otherwise=0))
        n["does_not_apply" if t.why_not else "sat"] += 1
        n["otherwise"] += not t.good
    return {name: dict(n) for name, n in out.items()}


def _row(c: Choice, t: Trial) -> dict[str, Any]:
    return {
        "market": c.market,
        "variant": c.variant,
        "attack": t.attack,
        "name": t.name,
        "must": "be strict" if t.right else f"fail at {', '.join(sorted(t.at))}" if t.at else "not be strict",
        "strict": t.strict,
        "failed_at": sorted(t.unmet),
    }
