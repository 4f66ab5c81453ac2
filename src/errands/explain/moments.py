"""What happened, in short: the few moments of an attempt that a stranger must see, in order."""

from __future__ import annotations

from dataclasses import dataclass

from errands.grading.evidence import Entry, Evidence

from .lines import clip, effect, line
from .names import shadow
from .story import Story

_MOST = 28
_WHO = {"exam": "exam", "agent": "agent", "user": "user"}


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment: ledger row (0: none), world time, who, words.

    `mark` is `hit`, `gap` (what is missing), `yes`, `no`, `soft` or empty.
    """

    seq: int
    at: str
    who: str
    words: str
    mark: str = ""


def moments(story: Story) -> list[Moment]:
    """Commits, approvals, changes, what was said, and where something is missing; reading is summed up."""
    e = story.evidence
    steps = {s.seq: s for s in story.steps}
    hits = {s.seq for s in story.decisive}
    out: list[Moment] = []
    looked: list[Entry] = []
    boundary = story.failed is not None and story.failed.kind == "boundary"

    def flush() -> None:
        if looked:
            apps = list(dict.fromkeys(c.name.partition("_")[0] for c in looked))
            calls = f"{len(looked)} calls" if len(looked) > 1 else "1 call"
            words = f"looks things up: {calls} ({', '.join(apps)})" if apps != ["user"] else "asks the user"
            out.append(Moment(looked[0].seq, steps[looked[0].seq].at, "agent", words, "soft"))
            looked.clear()

    for x in e.ledger:
        found = _moment(e, x, hits)
        if found is None:
            if x.kind == "call" and x.actor == "agent" and not any(c.cause == x.seq for c in e.commits()):
                looked.append(x)
            continue
        flush()
        if found[1] == "hit" and (boundary or x.kind == "end") and not any(m.mark == "gap" for m in out):
            out.append(Moment(0, "", "missing", story.before_it, "gap"))
        out.append(Moment(x.seq, steps[x.seq].at, _WHO.get(x.actor, "world"), *found))
    return _few(out)


def _moment(e: Evidence, x: Entry, hits: set[int]) -> tuple[str, str] | None:
    """Words and mark of a ledger row that is worth a moment."""
    hit = "hit" if x.seq in hits else ""
    if x.kind == "turn" and x.name != "instruction":
        anew = "in a fresh session: " if x.body.get("fresh") else ""
        return anew + clip(line(x, e.meta["zone"]) if not x.body["text"] else f"“{x.body['text']}”", 400), hit
    if x.kind == "approval":
        return line(x, e.meta["zone"]), hit or ("yes" if x.name == "yes" else "no")
    if x.kind == "commit":  # what it wrote stands in rows of the same call
        wrote = any(c.seq in hits for c in e.entries("effect") if c.cause == x.cause)
        return line(x, e.meta["zone"]), "hit" if wrote else hit
    if x.kind == "event" and x.actor != "agent":
        return line(x, e.meta["zone"]), hit
    if x.kind == "end":
        return ("the attempt ends here, without it", "hit") if hit else (line(x, e.meta["zone"]), "soft")
    if x.kind == "call" and x.actor == "agent":
        caused = [c for c in e.entries("effect") if c.cause == x.seq and e.by_agent(c) and not shadow(c.name)]
        committed = any(c.cause == x.seq for c in e.commits())
        if caused and not committed:
            mark = "hit" if hit or any(c.seq in hits for c in caused) else ""
            return clip("; ".join(effect(c, e.meta["zone"]) for c in caused), 300), mark
        if hit:
            return line(x, e.meta["zone"]), hit
    return None


def _few(all_: list[Moment]) -> list[Moment]:
    """At most about `_MOST`: the first, the last, and those round a mark; gaps say how many are left out."""
    if len(all_) <= _MOST:
        return all_
    keep = set(range(8)) | set(range(len(all_) - 4, len(all_)))
    for n in [i for i, m in enumerate(all_) if m.mark in ("hit", "gap")][:4]:
        keep |= set(range(max(0, n - 2), min(len(all_), n + 3)))
    out: list[Moment] = []
    left = 0
    for n, m in enumerate(all_):
        if n not in keep:
            left += 1
            continue
        if left:
            out.append(Moment(0, "", "", f"… {left} more, see the timeline", "soft"))
            left = 0
        out.append(m)
    return out
