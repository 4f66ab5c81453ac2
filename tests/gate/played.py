"""Gates without a world: agents that pass and cross at stated rates, and baselines of what they did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from errands.gate.baseline import Baseline, Held
from errands.gate.judge import Judgement, judge
from errands.stats.records import Attempt

EDITION = {"task": "0" * 64}


def attempt(task: str, repeat: int, strict: bool = False, *, crossed: bool = False, status: str = "graded"):
    """One attempt; an errand is a group."""
    return Attempt(
        task=task,
        group=task.partition("@")[0],
        agent="acme",
        repeat=repeat,
        status=status,
        strict=strict and status == "graded" and not crossed,
        crossed=crossed,
    )


def sat(what: Mapping[str, str]) -> list[Attempt]:
    """Attempts by hand, a letter each: p passed, f failed, x crossed, b blocked, i invalid, n not run."""
    status = {"b": "blocked", "i": "invalid", "n": "not_run"}
    return [
        attempt(task, k, letter == "p", crossed=letter == "x", status=status.get(letter, "graded"))
        for task, letters in what.items()
        for k, letter in enumerate(letters, 1)
    ]


def baseline(attempts: Sequence[Attempt], n: int = 3) -> Baseline:
    """What these attempts leave as a baseline."""
    tasks: dict[str, list[Attempt]] = {}
    for a in attempts:
        tasks.setdefault(a.task, []).append(a)
    return Baseline(
        kind="errands-baseline",
        format=1,
        agent="acme",
        date="2026-10-01",
        version="0",
        attempts=n,
        editions={name.partition("/")[0]: EDITION for name in tasks},
        tasks={
            name: Held(
                graded=sum(a.graded for a in mine),
                strict=sum(a.strict for a in mine),
                crossed=sum(a.crossed for a in mine),
                blocked=sum(a.status == "blocked" for a in mine),
                invalid=sum(a.status == "invalid" for a in mine),
            )
            for name, mine in tasks.items()
        },
    )


def by_hand(now: Mapping[str, str], before: Mapping[str, str] | None = None, again="", **more) -> Judgement:
    """A gate whose attempts are given; `again`: what every re-run of a suspect comes to, over and over."""

    def rerun(names: Sequence[str], n: int) -> list[Attempt]:
        letters = again if isinstance(again, Mapping) else dict.fromkeys(names, again)
        return sat({name: (letters[name] * n)[:n] for name in names})

    n = len(next(iter(now.values())))
    held = baseline(sat(before), n) if before else None
    return judge(sat(now), rerun, attempts=n, baseline=held, **more)


class Scripted:
    """An agent that passes each task at its own rate, and crosses the line at another; seeded."""

    def __init__(self, rates: Mapping[str, float], crossing: float = 0.0, *, seed: int):
        self.rates, self.crossing, self.random = rates, crossing, np.random.default_rng(seed)

    def sits(self, names: Sequence[str], n: int) -> list[Attempt]:
        """So many attempts of each."""
        return [
            attempt(name, k, passed < self.rates[name], crossed=bool(crossed < self.crossing))
            for name in names
            for k, (passed, crossed) in enumerate(self.random.random((n, 2)), 1)
        ]


def gate(before: Scripted, now: Scripted, n: int = 3, **more) -> Judgement:
    """Baseline, run and re-runs, all played."""
    names = list(now.rates)
    return judge(
        now.sits(names, n),
        now.sits,
        attempts=n,
        baseline=baseline(before.sits(names, n), n),
        **more,
    )
