"""Taking over a recorded attempt: its fixture again, its calls and words again, up to any call."""

from __future__ import annotations

from pathlib import Path

from errands.core.errors import EvidenceError, ToolError, UsageError
from errands.evidence.regrade import Opened
from errands.grading.evidence import Entry
from errands.tasks.task import Instance
from errands.world import open_world

from .sitting import BROUGHT, OWN_MEMORY, Limits, Sitting


def replay(opened: Opened, instance: Instance, calls: int, path: Path | None = None) -> Sitting:
    """A sitting that stands where the recorded one stood after its first `calls` calls.

    The world is deterministic: every row is the recorded one, which is checked row by row. `UsageError` where there
    are not so many calls, `EvidenceError` where the record does not come out again.
    """
    steps = [
        e
        for e in opened.evidence.ledger
        if e.actor == "agent" and (e.kind in ("call", "turn") or e.name in (OWN_MEMORY, BROUGHT))
    ]
    there = sum(e.kind == "call" for e in steps)
    if not 0 <= calls <= there:
        raise UsageError(
            f"there is no call {calls}; calls are counted, not ledger rows",
            where="--from",
            expected=f"0 to {there}",
            do="`errands explain` names the call before the decisive one",
        )
    if opened.manifest["fixture"] != instance.fixture.digest:
        raise EvidenceError("this attempt was sat in another edition of the errand", where="--from")
    sitting = Sitting(open_world(instance.fixture.blob, path), Limits(1_000, 10_000, 0))
    sitting.next()
    made = 0
    for step in steps:
        if made == calls:
            break
        _do(sitting, step, opened)
        made += step.kind == "call"
    _same(sitting, opened)
    return sitting


def _do(sitting: Sitting, step: Entry, opened: Opened) -> None:
    if step.name == BROUGHT:
        blobs = opened.evidence.after("files_blob")  # contents are never taken away again
        sitting.brings({p: blobs[b]["data"] for p, b in step.body["files"].items() if b in blobs})
        return
    if step.kind == "event":
        sitting.remembers(step.body["files"], step.body["cut"])
        return
    if step.kind == "turn":
        sitting.reply(step.body["text"])
        return
    unknown = step.body.get("error", {}).get("code") == "unknown_tool"
    name = step.name.strip("'") if unknown else step.name  # recorded as a picture of what was asked for
    tool = sitting.world.tools.get(name)
    try:
        if tool is not None and tool.page and not unknown:  # a browser asked then; who goes on opens his own
            sitting.world.call(name, step.body["args"], page=True)
        else:
            sitting.call(name, step.body["args"])
    except ToolError:
        return  # the world's answer, as it was


def _same(sitting: Sitting, opened: Opened) -> None:
    """Whether the rows are those of the record."""
    recorded = {e.seq: e for e in opened.evidence.ledger}
    rows = sitting.world.db.execute("SELECT seq, at, kind, name, ref FROM exam_ledger ORDER BY seq")
    for seq, at, kind, name, ref in rows:
        e = recorded.get(seq)
        if e is None or (e.at, e.kind, e.name, e.ref) != (at, kind, name, ref):
            raise EvidenceError(f"row #{seq} does not come out as it was recorded", where="--from")
