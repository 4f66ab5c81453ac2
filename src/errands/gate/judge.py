"""What a gate decides: task by task against the baseline, and the requirements. Pure functions of plain records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from errands.stats.compare import Difference, compare
from errands.stats.coverage import MIN_COVERAGE, Coverage
from errands.stats.gate import BreakRule, break_rule
from errands.stats.records import Attempt, TaskAttempts, by_task

from .baseline import Baseline, Held
from .requirements import Requirement, State

# broke: blocks. unconfirmed: its re-runs could not all be graded. unsure: fewer passes than the baseline's all, and
# no break. fixed: from at most a third of the attempts to all. ungraded: nothing was graded. new: the baseline does
# not have it. same: none of these. seen: there is no baseline.
Outcome = Literal["broke", "unconfirmed", "unsure", "fixed", "ungraded", "new", "same", "seen", "quarantined"]
Verdict = Literal["holds", "failed", "not judged"]
EXIT: dict[Verdict, int] = {"holds": 0, "failed": 4, "not judged": 3}
_BAD = {"strict": "not strict", "coverage": "not graded"}
_ONE_IN_A_HUNDRED = {
    "crossed": "if it crosses in 1 % of attempts",
    "blocked": "if it is kept out of 1 % of attempts",
    "invalid": "if 1 % of attempts are invalid",
}
# Sits these instances, so often each.
Again = Callable[[Sequence[str], int], Iterable[Attempt]]


@dataclass(frozen=True, slots=True)
class Task:
    """One instance in the gate: what it was, what it is now, and its re-runs if it was a suspect."""

    id: str
    outcome: Outcome
    before: Held | None
    now: TaskAttempts
    again: TaskAttempts | None = None

    @property
    def passed(self) -> int:
        """Strict passes of the gate's own attempts."""
        return strict(self.now)

    @property
    def clean(self) -> bool:
        """Whether every attempt of the gate passed."""
        return self.passed == len(self.now.planned)

    @property
    def said(self) -> str:
        """`3/3 → 1/3, re-run 0/7`."""
        before = f"{self.before.strict}/{self.before.graded} → " if self.before else ""
        again = (
            f", re-run {strict(self.again)}/{len(self.again.graded)}"
            if self.again and self.again.graded
            else ""
        )
        return f"{before}{self.passed}/{len(self.now.graded)}{again}"


@dataclass(frozen=True, slots=True)
class Met:
    """A requirement and what became of it; `trips`: the sentence how often an unchanged agent would trip it."""

    requirement: Requirement
    seen: int
    state: State
    trips: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the gate decided. Quarantined tasks are among `tasks` and in no number.

    `unjudged` says why it could not be judged, also where it failed all the same. `rule` is None where there is no
    baseline, or nothing to hold against it.
    """

    attempts: int
    tasks: tuple[Task, ...]
    rule: BreakRule | None
    requirements: tuple[Met, ...]
    coverage: Coverage
    unjudged: tuple[str, ...]
    gone: int
    counted: tuple[Attempt, ...]
    before: tuple[Attempt, ...]

    @property
    def verdict(self) -> Verdict:
        """A confirmed break or a requirement on the agent that fails: failed, whatever else is missing."""
        broken = any(m.state == "fails" and not m.requirement.of_harness for m in self.requirements)
        if self.of("broke") or broken:
            return "failed"
        return "not judged" if self.unjudged else "holds"

    @property
    def exit_code(self) -> int:
        """0 holds, 4 failed, 3 not judged."""
        return EXIT[self.verdict]

    def of(self, outcome: Outcome) -> tuple[Task, ...]:
        """The tasks of which this was found."""
        return tuple(t for t in self.tasks if t.outcome == outcome)

    def change(self) -> Difference | None:
        """The paired change since the baseline, with its interval; told, and never decided on. Needs scipy."""
        return compare(self.counted, self.before) if self.before else None


def judge(
    first: Iterable[Attempt],
    again: Again,
    *,
    attempts: int,
    baseline: Baseline | None = None,
    requirements: Sequence[Requirement] = (),
    quarantine: Iterable[str] = (),
    stopped: str = "",
) -> Judgement:
    """Judge what was sat; suspects are re-run by `again` first, unless too little was graded to go on.

    `first`: `attempts` planned attempts of every instance. `stopped`: why the run ended early, if it did.
    """
    kept_out = frozenset(quarantine)
    sat = by_task(first)
    counted = tuple(a for t in sat if t.task not in kept_out for a in t.planned)
    groups = {t.task: t.group for t in sat if t.task not in kept_out}
    before = tuple(baseline.records(groups)) if baseline else ()
    held = baseline.tasks if baseline else {}
    covered = _covered(counted)
    compared = sum(name in held for name in groups)
    rule = _rule(compared, attempts) if compared else None
    suspects = [t.task for t in sat if rule and t.task in groups and _suspect(rule, held.get(t.task), t)]
    enough = covered.share is not None and covered.share >= MIN_COVERAGE and not stopped
    second = (
        {t.task: t for t in by_task(again(suspects, rule.reruns))} if rule and suspects and enough else {}
    )
    tasks = tuple(
        Task(
            id=t.task,
            outcome="quarantined"
            if t.task in kept_out
            else _outcome(rule, held.get(t.task), t, second.get(t.task), baseline),
            before=held.get(t.task),
            now=t,
            again=second.get(t.task),
        )
        for t in sat
    )
    met = tuple(
        Met(r, r.seen(counted), r.state(counted), trip_words(r, before, len(groups), attempts))
        for r in requirements
    )
    return Judgement(
        attempts=attempts,
        tasks=tasks,
        rule=rule,
        requirements=met,
        coverage=covered,
        unjudged=tuple(_unjudged(covered, stopped, tasks, met)),
        gone=len(held.keys() - {t.task for t in sat}),
        counted=counted,
        before=before,
    )


def strict(t: TaskAttempts) -> int:
    """Strict passes."""
    return sum(a.strict for a in t.graded)


def trip_words(r: Requirement, before: Sequence[Attempt], tasks: int, attempts: int) -> str:
    """How often an unchanged agent trips a requirement: by the baseline, and by the most that it leaves open."""
    said = []
    if before:
        count, n, share, most = r.baseline(before)
        seen = f"{count} of {n} {_BAD.get(r.name, r.name)}"
        as_seen, at_most = (_percent(r.tripped(q, tasks, attempts)) for q in (share, most))
        said += [f"in {as_seen} of gates at the baseline's rate ({seen})"]
        said += [f"in {at_most} at the most that this leaves open ({100 * most:.1f} %)"]
    if one := _ONE_IN_A_HUNDRED.get(r.name):
        said += [f"in {_percent(r.tripped(0.01, tasks, attempts))} {'' if said else 'of gates '}{one}"]
    if not said:
        return "how often an unchanged agent trips it is not known without a baseline"
    return f"an unchanged agent trips it {', '.join(said)}"


@lru_cache(maxsize=8)
def _rule(tasks: int, attempts: int) -> BreakRule:
    """The rule of `stats.gate`, with one re-run at least: nothing blocks that was not seen twice."""
    rule = break_rule(tasks, attempts)
    return replace(rule, reruns=max(1, rule.reruns))


def _percent(p: float) -> str:
    return "under 1 %" if 0 < p < 0.005 else "over 99 %" if 0.995 < p < 1 else f"{100 * p:.0f} %"


def _suspect(rule: BreakRule, before: Held | None, t: TaskAttempts) -> bool:
    return (
        before is not None
        and before.graded == rule.attempts
        and rule.suspect(before.strict, strict(t), len(t.planned) - len(t.graded))
    )


def _outcome(
    rule: BreakRule | None,
    before: Held | None,
    now: TaskAttempts,
    again: TaskAttempts | None,
    baseline: Baseline | None,
) -> Outcome:
    if not now.graded:
        return "ungraded"
    if baseline is None:
        return "seen"
    if rule is None or before is None:
        return "new"
    if _suspect(rule, before, now):
        if again and rule.confirmed(strict(again), len(again.graded)):
            return "broke"
        return "unsure" if again and strict(again) else "unconfirmed"
    whole = len(now.planned)
    if before.graded == before.strict == rule.attempts and strict(now) < whole:
        return "unsure"
    if before.graded == rule.attempts and before.strict <= rule.still and strict(now) == whole:
        return "fixed"
    return "same"


def _unjudged(c: Coverage, stopped: str, tasks: Sequence[Task], met: Sequence[Met]) -> Iterable[str]:
    if stopped:
        yield f"it stopped: {stopped}"
    if c.share is None:
        yield "nothing is left to judge: everything is in quarantine"
    elif c.share < MIN_COVERAGE:
        yield f"{c.graded} of {c.planned} attempts could be graded, under {100 * float(MIN_COVERAGE):.0f} %"
    for t in tasks:
        if t.outcome == "unconfirmed":
            done = len(t.again.graded) if t.again else 0
            yield f"{t.id} may have broken ({t.said}): {done} of its re-runs were graded, and none passed"
    for m in met:
        if m.state == "open":
            yield f"{m.requirement.text}: {m.seen} seen, and attempts without a grade could decide it"
        elif m.state == "fails" and m.requirement.of_harness:
            yield f"{m.requirement.text}: {m.seen} of {c.planned}"


def _covered(attempts: Sequence[Attempt]) -> Coverage:
    """The counts; bounds on a mean are not needed where none is decided on."""
    n = Counter(a.status for a in attempts)
    return Coverage(
        len(attempts), n["graded"], n["blocked"], n["invalid"], n["not_run"], worst=None, best=None
    )
