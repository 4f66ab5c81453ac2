"""A recorded run graded by today's criteria: which verdicts change, and why. Nothing that was recorded is touched."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errands.core.canon import sha256
from errands.core.errors import EvidenceError, UsageError
from errands.core.types import Verdict
from errands.evidence.folder import Planned, RunFolder
from errands.evidence.regrade import Opened, key_of, open_bundle
from errands.exam.attempt import instance_of
from errands.exam.rows import stored_verdict
from errands.grading.verdict import grade
from errands.tasks import Key
from errands.tasks.registry import task as find


@dataclass(frozen=True, slots=True)
class Regraded:
    """One attempt: the verdict on record (None where there is none) and today's, and what differs.

    `editions`: of the task, then and now. `key`: `recorded`, or `today` where the same world has a new key.
    """

    n: int
    name: str
    editions: tuple[str, str]
    key: str
    before: Verdict | None
    now: Verdict | None
    why: tuple[str, ...]
    problem: str = ""

    @property
    def changed(self) -> bool:
        """Whether the verdict is another today."""
        return bool(self.why)


def regrade_run(folder: RunFolder) -> list[Regraded]:
    """Every sealed attempt of a run, in order."""
    return [
        _regrade(folder, p, file) for p in folder.plan().attempts if (file := folder.bundle(p.n)).is_file()
    ]


def _regrade(folder: RunFolder, p: Planned, file: Path) -> Regraded:
    name = f"{p.task}@{p.market}/{p.variant}"
    try:
        data = file.read_bytes()
        opened = open_bundle(data, str(file))
        found = find(p.task)
        text, whose = _key(folder, p, opened)
        before = stored_verdict(folder, p.n, data)
        now = grade(opened.evidence, Key.from_json(text), found.criteria, found.contract.front.protocol)
    except (EvidenceError, UsageError) as why:
        return Regraded(p.n, name, ("", ""), "", None, None, (), str(why))
    then = f"{opened.manifest['edition']} ({opened.manifest['task_digest'][:8]})"
    today = f"{found.contract.front.edition} ({found.digest[:8]})"
    return Regraded(p.n, name, (then, today), whose, before, now, tuple(_differences(before, now)))


def _key(folder: RunFolder, p: Planned, opened: Opened) -> tuple[str, str]:
    """Today's key where it is of the very world that was sat; else the one on record, if it is the one."""
    try:
        instance = instance_of(p.task, p.market, p.variant, p.language)
    except Exception:  # today's task may not build this instance any more
        instance = None
    recorded = key_of(folder, p)
    if sha256(recorded.encode()) != opened.manifest["key_digest"]:
        raise EvidenceError("the key is not the one this attempt was sat with", where=str(folder.key(p)))
    if instance is None or instance.fixture.digest != opened.manifest["fixture"]:
        return recorded, "recorded"
    today = instance.key.to_json()
    return today, "recorded" if today == recorded else "today"


def _differences(before: Verdict | None, now: Verdict) -> list[str]:
    if before is None:
        return []
    was, is_ = {c.id: c for c in before.criteria}, {c.id: c for c in now.criteria}
    out = []
    if before.status != now.status:
        out.append(f"status: {before.status} then, {now.status} now{f' ({now.why})' if now.why else ''}")
    for name in dict.fromkeys([*was, *is_]):
        if name not in is_:
            out.append(f"{name}: {was[name].result} then, no criterion now")
        elif name not in was:
            out.append(f"{name}: no criterion then, {is_[name].result} now: {is_[name].reason}")
        elif was[name].result != is_[name].result:
            out.append(f"{name}: {was[name].result} then, {is_[name].result} now: {is_[name].reason}")
    if before.strict != now.strict:
        out.append(f"strict: {'yes' if before.strict else 'no'} then, {'yes' if now.strict else 'no'} now")
    return out


def to_json(r: Regraded) -> dict[str, Any]:
    """As one object for machines."""
    from errands.exam.attempt import verdict_json

    def told(v: Verdict | None) -> Any:
        return None if v is None else json.loads(verdict_json(v, {}))

    return {
        "n": r.n,
        "instance": r.name,
        "edition": {"then": r.editions[0], "now": r.editions[1]},
        "key": r.key,
        "changed": r.changed,
        "why": list(r.why),
        "problem": r.problem,
        "before": told(r.before),
        "now": told(r.now),
    }
