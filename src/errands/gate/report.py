"""What a gate says, in parts that terminal, JSON, JUnit and pull request share."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from errands import __version__
from errands.records.find import RUNS
from errands.stats.compare import Difference

from .baseline import Baseline
from .judge import Judgement, Task
from .listed import Quarantined
from .session import row_name

_CROSSES = ("boundary", "prohibited", "disclosure")


@dataclass(frozen=True, slots=True)
class Note:
    """Why an instance did not pass, by its most telling attempt, and how to look at that."""

    why: str
    attempt: str
    path: str


@dataclass(frozen=True)
class Report:
    """A judgement with what belongs to it. `records` are the runs, the re-runs last; `short` says why these were
    cut short; `today` gives ages only."""

    agent: str
    judged: Judgement
    records: Sequence[dict[str, Any]]
    baseline: Baseline | None = None
    quarantine: Sequence[Quarantined] = ()
    short: str = ""
    today: datetime.date | None = None

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Why it could not be judged, all reasons."""
        more = (f"re-runs: {self.short}",) if self.short and self.judged.of("unconfirmed") else ()
        return (*self.judged.unjudged, *more)

    @cached_property
    def change(self) -> Difference | None:
        """The paired change."""
        return self.judged.change()

    @cached_property
    def notes(self) -> Mapping[str, Note]:
        """By instance why it did not pass: a crossing before any other failure, a graded one before what was not."""
        found: dict[str, tuple[int, Note]] = {}
        for record in self.records:
            for row in record["attempts"]:
                if row["strict"] or not row["evidence_path"]:
                    continue
                rank = 0 if row["crossed"] else 1 if row["status"] == "graded" else 2
                name = row_name(row)
                if name not in found or rank < found[name][0]:
                    note = Note(why_not(row), f"{_named(record)}:{row['n']}", row["evidence_path"])
                    found[name] = (rank, note)
        return {name: note for name, (_, note) in found.items()}

    @cached_property
    def kept_out(self) -> Mapping[str, Quarantined]:
        """The quarantine by instance."""
        return {q.id: q for q in self.quarantine}

    @property
    def sample(self) -> str:
        """`24 × 3`: what was counted."""
        return f"{len({a.task for a in self.judged.counted})} × {self.judged.attempts}"

    def quarantined(self, t: Task) -> str:
        """`since 2026-10-01, 60 days: reason`."""
        q = self.kept_out[t.id]
        days = q.age(self.today) if self.today else None
        age = "" if days is None else f", {days} day{'' if days == 1 else 's'}"
        return f"since {q.since.isoformat()}{age}: {q.reason}"

    @property
    def change_words(self) -> str:
        """The paired change with its interval and what the sample can see, or why there is none."""
        d = self.change
        if d is None:
            return "" if self.baseline is None else "none: nothing is counted on both sides"
        if d.value is None or d.low is None or d.high is None or d.sees is None:
            return f"not given: {d.refusal}"
        return (
            f"{_points(float(d.value))} points [{_points(d.low)}, {_points(d.high)}]:"
            f" {self.sample} sees only gaps of {100 * d.sees:.0f} points and more"
        )

    @property
    def rule_words(self) -> str:
        """What a break is here, and how often an unchanged agent is blocked by one."""
        r = self.judged.rule
        if r is None:
            return ""
        return (
            f"{r.attempts} of {r.attempts} before, at most {r.still} of {r.attempts} now, 0 of {r.reruns} re-runs;"
            f" an unchanged agent is blocked by breaks in at most {100 * r.false_blocks:.1f} % of gates"
        )

    @property
    def outcome_words(self) -> str:
        """The verdict in a line."""
        j = self.judged
        if j.verdict == "holds":
            return "GATE HOLDS"
        if j.verdict == "not judged":
            more = len(self.unjudged) - 1
            return f"GATE NOT JUDGED: {self.unjudged[0]}" + (f" (and {more} more)" if more else "")
        broke = len(j.of("broke"))
        said = [f"{broke} confirmed break{'' if broke == 1 else 's'}"] if broke else []
        said += [
            f"{m.requirement.text} (seen: {m.seen})"
            for m in j.requirements
            if m.state == "fails" and not m.requirement.of_harness
        ]
        return f"GATE FAILED: {', '.join(said)}"

    @property
    def cost(self) -> str:
        """What both runs cost together, with the limit; empty where no model call was seen."""
        if not any(r["usage"] for r in self.records):
            return ""
        costs = [r["cost_usd"] for r in self.records]
        limit = self.records[0]["terms"].get("max_cost")
        said = "unpriced" if None in costs else f"${sum(costs):.2f}"
        return said + (f" of ${limit}" if limit else "")

    def facts(self) -> dict[str, Any]:
        """Everything, for machines."""
        j, d = self.judged, self.change
        return {
            "verdict": j.verdict,
            "exit_code": j.exit_code,
            "agent": self.agent,
            "version": __version__,
            "attempts": j.attempts,
            "coverage": {
                "planned": j.coverage.planned,
                "graded": j.coverage.graded,
                "blocked": j.coverage.blocked,
                "invalid": j.coverage.invalid,
                "not_run": j.coverage.not_run,
            },
            "unjudged": list(self.unjudged),
            "counts": {o: len(j.of(o)) for o in dict.fromkeys(t.outcome for t in j.tasks)},
            "tasks": [self._task(t) for t in j.tasks],
            "requirements": [
                {
                    "requirement": m.requirement.text,
                    "seen": m.seen,
                    "state": m.state,
                    "of": "harness" if m.requirement.of_harness else "agent",
                    "trips": m.trips,
                }
                for m in j.requirements
            ],
            "rule": None
            if j.rule is None
            else {
                "tasks": j.rule.tasks,
                "attempts": j.rule.attempts,
                "still": j.rule.still,
                "reruns": j.rule.reruns,
                "false_blocks": j.rule.false_blocks,
            },
            "baseline": None
            if self.baseline is None
            else {"agent": self.baseline.agent, "date": self.baseline.date, "not_here": j.gone},
            "change": None
            if d is None
            else {
                "value": None if d.value is None else float(d.value),
                "low": d.low,
                "high": d.high,
                "sees": d.sees,
                "tasks": d.tasks,
                "groups": d.groups,
                "method": d.method,
                "refusal": d.refusal,
            },
            "cost_usd": None
            if not self.records or None in (costs := [r["cost_usd"] for r in self.records])
            else sum(costs),
            "evidence": [r["path"] for r in self.records if r["counts"]["not_run"] < r["counts"]["planned"]],
        }

    def _task(self, t: Task) -> dict[str, Any]:
        note, q = self.notes.get(t.id), self.kept_out.get(t.id)
        return {
            "id": t.id,
            "outcome": t.outcome,
            "before": None
            if t.before is None
            else {"graded": t.before.graded, "strict": t.before.strict, "crossed": t.before.crossed},
            "now": _counts(t.now.planned),
            "again": None if t.again is None else _counts(t.again.planned),
            "why": note.why if note else "",
            "attempt": note.attempt if note else "",
            "quarantine": None
            if q is None
            else {
                "since": q.since.isoformat(),
                "days": q.age(self.today) if self.today else None,
                "reason": q.reason,
            },
        }


def _named(record: dict[str, Any]) -> str:
    """A run as it is named in a command: without the folder in which runs usually lie."""
    path = Path(record["path"])
    return path.name if path.parent == RUNS else str(path)


def _counts(planned: Sequence[Any]) -> dict[str, int]:
    return {
        "planned": len(planned),
        "graded": sum(a.graded for a in planned),
        "strict": sum(a.strict for a in planned),
        "crossed": sum(a.crossed for a in planned),
    }


def why_not(row: dict[str, Any]) -> str:
    """Why an attempt did not pass, in a line."""
    if row["status"] != "graded":
        return f"{row['status'].replace('_', ' ')}: {row['why']}"
    failed = [c for c in row["criteria"] if c["result"] != "met"]
    first = next((c for c in failed if c["kind"] in _CROSSES), failed[0] if failed else None)
    said = [row["end_reason"].replace("_", " ")] if row["end_reason"] != "completed" else []
    said += [f"{first['id']}: {first['reason']}"] if first else []
    return "; ".join(said)


def _points(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", "−")
