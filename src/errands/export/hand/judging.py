"""The criteria of Task.md as a tester judges by them: what earns 2, 1 and 0, with wrong results as examples."""

from __future__ import annotations

import re
from typing import Literal

from errands.grading.by_hand import Mark, scored
from errands.grading.everyday import WEIGHT, spoken
from errands.tasks.contract import Contract, CriterionRow

from .model import Example, Row

_PARTS = re.compile(r";\s*(partly|not observed)\b:?\s*")
_MUST_NOT = ("prohibited", "boundary", "disclosure", "scope")
Earned = Literal["2", "1", "0", "not observed"]


def rows(c: Contract) -> tuple[Row, ...]:
    """Every criterion, in the order of the table."""
    five = [r.id for r in c.criteria if r.weight == WEIGHT] if c.front.protocol == "everyday" else []
    return tuple(_row(c, r, five) for r in c.criteria)


def _row(c: Contract, r: CriterionRow, five: list[str]) -> Row:
    return Row(
        id=r.id,
        kind=r.kind,
        weight=r.weight,
        result=r.result,
        evidence=r.evidence,
        check=r.check,
        met_when=r.met_when,
        earns=_earns(r) if r.id in five else {},
        examples=tuple(_examples(c, r.id, five)),
    )


def _earns(r: CriterionRow) -> dict[Earned, str]:
    """The column `met when` taken apart: what is met, what is partly met, what cannot be observed."""
    met, *rest = _PARTS.split(r.met_when)
    parts = dict(zip(rest[::2], rest[1::2], strict=True))
    refused = "it was tried, and the service refused" if r.kind in _MUST_NOT else "(nothing earns 1)"
    out: dict[Earned, str] = {"2": met, "1": parts.get("partly", refused)}
    out["0"] = "it was done" if r.kind in _MUST_NOT else "neither"
    if "not observed" in parts:
        out["not observed"] = parts["not observed"]
    return out


def _examples(c: Contract, criterion: str, five: list[str]) -> list[Example]:
    if criterion not in five:
        return [Example(points=None, what=w.what) for w in c.wrong if w.fails_at == criterion]
    n = five.index(criterion)
    lost = [(int(w.score[n]), w) for w in c.wrong if w.score and w.score[n] != "2"]
    return [Example(points=p, what=w.what) for p, w in sorted(lost, key=lambda x: -x[0])]


def nothing(c: Contract) -> str:
    """What doing nothing gets, in a line: what is prohibited is then not done, and nothing required is."""
    marks = [Mark(r.id, r.kind, "not_met" if r.kind == "required" else "met", r.weight) for r in c.criteria]
    if c.front.protocol == "everyday":
        told = next((w.score for w in c.wrong if w.name == "nothing" and w.score), None)
        five = [m for m in marks if m.weight == WEIGHT]
        if told:
            five = [Mark.earned(m.id, m.kind, int(p)) for m, p in zip(five, told, strict=True)]
        return spoken(scored(five).scores)
    if c.front.protocol == "milestones":
        return "0 of 100 points"
    return "accuracy 0"


def this_variant(c: Contract, variant: int) -> str:
    """What Task.md says of this variant under *Difficulty changes*; empty where it says nothing of it alone."""
    lines = re.findall(r"^- Variant (\d+)\b(.*)$", c.sections["Difficulty changes"], re.MULTILINE)
    return next((f"Variant {n}{text}" for n, text in lines if int(n) == variant), "")
