"""The story of one attempt: verdict, decisive row, what should have stood before it, what changed."""

from __future__ import annotations

from dataclasses import dataclass

from errands.core.types import Graded, Verdict
from errands.evidence.regrade import Opened
from errands.grading.approvals import covering
from errands.grading.endings import ENDINGS
from errands.grading.evidence import Change, Entry, Evidence
from errands.tasks.task import Instance

from .lines import line, when
from .nearest import Nearest, nearest

# What a reader should hear first when several criteria fail.
_ORDER = ("boundary", "prohibited", "disclosure", "scope", "required", "honesty")


@dataclass(frozen=True, slots=True)
class Step:
    """A ledger row as shown: number, world time, kind, actor, words, and whether it decided."""

    seq: int
    at: str
    kind: str
    actor: str
    words: str
    decisive: bool = False


@dataclass(frozen=True, slots=True)
class Story:
    """Everything that `explain` says about an attempt.

    `before_it` is what should have stood before the decisive row, or in its place where nothing was done;
    `ended` says how the sitting ended where that needs saying.
    """

    instance: Instance
    verdict: Verdict
    failed: Graded | None
    decisive: tuple[Step, ...]
    before_it: str
    nearest: Nearest | None
    changes: tuple[Change, ...]
    steps: tuple[Step, ...]
    zone: str
    start: int
    ended: str
    evidence: Evidence

    @property
    def lead(self) -> tuple[str, str]:
        """`before_it` with the words that lead to it."""
        gated = (
            self.failed is not None
            and self.failed.kind == "boundary"
            and not self.before_it.startswith("nothing")
        )
        return ("Before it", f"should have stood {self.before_it}") if gated else ("Instead", self.before_it)

    @property
    def calls_before(self) -> int:
        """How many calls the agent had made before the one that decided: where to take over."""
        row = self.evidence.entry(self.decisive[0].seq) if self.decisive else None
        at = len(self.evidence.ledger) if row is None else row.cause or row.seq
        return sum(e.kind == "call" and e.actor == "agent" and e.seq < at for e in self.evidence.ledger)

    @property
    def right(self) -> tuple[Graded, ...]:
        """The criteria that were met."""
        return tuple(c for c in self.verdict.criteria if c.result == "met")

    @property
    def wrong(self) -> tuple[Graded, ...]:
        """The criteria that were not."""
        return tuple(c for c in self.verdict.criteria if c.result != "met")


def tell(opened: Opened, verdict: Verdict, instance: Instance) -> Story:
    """Work the story out from evidence, verdict and the task's accepted solutions."""
    e = opened.evidence
    zone = e.meta["zone"]
    # What was not graded has no failure of the agent's to explain, but a crossing stays visible.
    order = _ORDER if verdict.status == "graded" else _ORDER[:3]
    failed = next(
        (c for kind in order for c in verdict.criteria if c.kind == kind and c.result != "met"), None
    )
    rows = _proof(e, failed)
    # Where what is missing never happened, the end of the sitting is where it was still missing.
    decided = {r.seq for r in rows} or ({e.ledger[-1].seq} if failed else set())
    steps = tuple(_step(x, zone, x.seq in decided) for x in e.ledger)
    decisive = tuple(s for s in steps if s.decisive)
    close = nearest(e, instance) if failed is not None else None
    changes = tuple(c for t in e.changed_tables() for c in e.net(t).values())
    return Story(
        instance,
        verdict,
        failed,
        decisive,
        _before_it(e, failed, rows, close, instance, zone),
        close,
        changes,
        steps,
        zone,
        int(e.meta["start"]),
        _ended(e, verdict),
        e,
    )


def _proof(e: Evidence, failed: Graded | None) -> list[Entry]:
    seqs = [int(r[1:]) for r in failed.rows if r.startswith("#") and r[1:].isdigit()] if failed else []
    rows = [x for x in (e.entry(s) for s in seqs) if x is not None]
    # A commit decides; an approval that is named beside it is what it is held against.
    commits = [x for x in rows if x.kind == "commit"]
    return commits if failed is not None and failed.kind == "boundary" and commits else rows


def _step(x: Entry, zone: str, decisive: bool) -> Step:
    return Step(x.seq, when(x, zone), x.kind, x.actor, line(x, zone), decisive)


def _ended(e: Evidence, verdict: Verdict) -> str:
    detail = e.ledger[-1].body.get("detail", "")
    if verdict.why:
        return verdict.why + (f": {detail}" if detail and detail not in verdict.why else "")
    if verdict.end_reason == "completed":
        return ""
    return ENDINGS[verdict.end_reason].means + (f": {detail}" if detail else "")


def _before_it(
    e: Evidence,
    failed: Graded | None,
    rows: list[Entry],
    close: Nearest | None,
    instance: Instance,
    zone: str,
) -> str:
    if failed is None:
        return ""
    commit = next((r for r in rows if r.kind == "commit"), None)
    if failed.kind == "boundary" and commit is not None:
        if any(g.commit == commit.name and g.until == "never" for g in instance.task.gates):
            return "nothing: this errand never allows it"
        live = covering(e, commit)
        if live.nearest is not None and live.nearest.seq > commit.seq:
            late = live.nearest
            place = f"{late.seq - commit.seq} rows too late, at {late} ({when(late, zone)})"
            return f"a yes of the user to that very content; it came {place}"
        other = f", see {live.nearest}" if live.nearest is not None else ""
        return f"a yes of the user to that very content ({live.why}{other})"
    if close is None:
        return ""
    if close.missing:
        return f"{'; '.join(close.missing[:4])}, as in {close.name}"
    if close.extra:
        return f"nothing of the kind, as in {close.name}"
    return f"the same acts with other content, as in {close.name}"
