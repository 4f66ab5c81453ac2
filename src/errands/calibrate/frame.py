"""The frame of a draw, measured: what the oracle of each instance changes, and what it needs.

The one place where the ledger is read for a draw. The oracle sits each instance that is ready; a change is a net change
of its own in a table of an app, as (app, table, operation, staged or committed, change of status). No change are reads,
turns, approvals, the exam's and the persons' tables, and what an app declares incidental.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

from errands import __version__
from errands.core.canon import digest
from errands.core.errors import TaskError
from errands.core.types import Verdict
from errands.draw.codes import Code
from errands.draw.frame import Change, Entry, Frame, Tag
from errands.exam.attempt import instance_of
from errands.exam.pool import warm
from errands.grading.evidence import Change as Net
from errands.grading.evidence import Evidence
from errands.tasks.registry import Choice, task
from errands.tasks.standing import digests, pack_of, standing
from errands.tasks.task import Instance, Task
from errands.world import app

from .attacks import referred, sat

# A new file is reply where it is the deliverable: below this place, and named by a required or honesty criterion.
FILES, PLACE, NAMED_BY = "files_entry", "workspace/", ("required", "honesty")
_CLOSED = re.compile(r"CHECK\s*\(\s*(\w+)\s+IN\s*\(", re.IGNORECASE)


def measure(choices: list[Choice], jobs: int = 1) -> Iterator[Entry]:
    """Every instance as the frame has it, in `jobs` processes; in the order of the choices."""
    if jobs <= 1 or len(choices) == 1:
        yield from map(entry, choices)
        return
    with ProcessPoolExecutor(min(jobs, len(choices)), mp_context=warm()) as pool:
        yield from pool.map(entry, choices, chunksize=4)


def frame(entries: list[Entry], about: str = "") -> Frame:
    """The frame of what was measured."""
    return Frame(kind="errands-frame", format=1, version=__version__, about=about, entries=tuple(entries))


def entry(c: Choice) -> Entry:
    """One instance, measured where it is ready. `TaskError` where its oracle does not pass."""
    mine, stands = task(c.task), standing(task(c.task), c.market)
    name, world = f"{c.task}@{c.market}/{c.variant}", mine.contract.front.world
    if stands.status != "ready":
        return Entry(
            id=name,
            world=world,
            status=stands.status,  # type: ignore[arg-type]  # a text of these three
            why=stands.why,
            bars=_bars(mine),
            task=mine.digest,
        )
    instance = instance_of(c.task, c.market, c.variant, c.language)
    verdict, evidence, sitting = sat(instance, referred(instance, "oracle"))
    try:
        if not verdict.strict:
            raise TaskError(
                "its oracle does not pass: nothing that it changes says what the errand is",
                where=name,
                do=f"errands run oracle --task {c.task} -m {c.market} --variant {c.variant}",
            )
        changed, faulty = changes(evidence, verdict), faults(evidence)
        return Entry(
            id=name,
            world=world,
            status="ready",
            changes=changed,
            faults=faulty,
            tags=tuple(tags(instance, evidence, changed, faulty)),
            bars=_bars(mine),
            task=mine.digest,
            calibration=digest(digests(mine, c.market)),
        )
    finally:
        sitting.world.close()


def _bars(t: Task) -> tuple[Code, ...]:
    """What Task.md and its place show why it cannot be run fairly for everybody."""
    live = any(s.mode == "live" for s in t.contract.front.services.values())
    found: list[Code] = ["needs-live-internet"] if live else []
    return (*found, "private-pack") if pack_of(t) else tuple(found)


# ---- what is changed ---------------------------------------------------------------------------------------------


def changes(e: Evidence, verdict: Verdict) -> tuple[Change, ...]:
    """The kinds of change that the agent made, sorted; what it wrote down as its answer is none."""
    apps = [app(name) for name in json.loads(e.meta["apps"])]
    owner = {table: a.name for a in apps for table in e.changed_tables() if table.startswith(f"{a.name}_")}
    incidental = {t for a in apps for t in a.incidental}
    waiting = {s.table for a in apps for s in a.staged_kinds.values()}
    committing = {c.cause for c in e.commits()}
    named = {r for c in verdict.criteria if c.result == "met" and c.kind in NAMED_BY for r in c.rows}
    closed = _closed(e)
    found: set[Change] = set()
    for table in e.changed_tables():
        if table in incidental:
            continue
        for c in e.net(table).values():
            if is_reply(c, named):
                continue
            if any(x.cause in committing for x in c.effects):
                stage = "committed"
            else:
                stage = "staged" if table in waiting and c.after is not None else "direct"
            found |= {Change(owner[table], table, _operation(c), stage, _status(c, closed.get(table, ())))}
    return tuple(sorted(found))


def is_reply(c: Net, named: set[str]) -> bool:
    """Whether this is a new file at the declared place: in the workspace, and a row by which a required or honesty
    criterion was met."""
    if c.table != FILES or c.before is not None or not c.key.startswith(PLACE):
        return False
    return c.key in named or not named.isdisjoint(c.rows)


def _operation(c: Net) -> str:
    return "insert" if c.before is None else "delete" if c.after is None else "update"


def _status(c: Net, columns: tuple[str, ...]) -> str:
    """Changes of the columns that hold one of a closed list of states; of what is gone there is none."""
    if c.after is None:
        return ""
    moves = {name: c.fields[name] for name in columns if name in c.fields}
    return " ".join(
        f"{name}:{'' if old is None else old}>{'' if new is None else new}"
        for name, (old, new) in sorted(moves.items())
    )


def _closed(e: Evidence) -> dict[str, tuple[str, ...]]:
    """Of each table the columns whose states its app's schema lists (`CHECK (status IN (…))`)."""
    tables = e.query("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL")
    return {t["name"]: tuple(_CLOSED.findall(t["sql"])) for t in tables}


# ---- what is needed ----------------------------------------------------------------------------------------------


def faults(e: Evidence) -> tuple[str, ...]:
    """The kinds of fault that the fixture declares, and `revoked` where a grant is withdrawn on the way."""
    found = {_fault(row) for row in e.before("exam_fault").values()}
    if any(row["name"] == "connector.revoked" for row in e.before("exam_agenda").values()):
        found.add("revoked")
    return tuple(sorted(found))


def _fault(row: dict[str, object]) -> str:
    if not row["applied"]:
        return f"refused-{row['code']}"
    if not row["answered"]:
        return f"unanswered-{row['code']}"
    return "stale" if row["lag_ms"] else "slow"


def tags(
    instance: Instance, e: Evidence, changed: tuple[Change, ...], faulty: tuple[str, ...]
) -> Iterator[Tag]:
    """The tags of an instance by the closed rule of `draw.frame.TAGS`."""
    front, gates = instance.task.contract.front, instance.task.gates
    if not changed:
        yield "reply-only"
    if faulty:
        yield "injected-fault"
    keyed = {name for name, s in front.services.items() if s.credential}
    called = {c.name for c in e.entries("call") if c.actor == "agent"}
    if any(t in called for name in keyed for t in app(name).tools):
        yield "connector"
    if _unasked(e):
        yield "proactive"
    if front.complexity == "cross-session":
        yield "several-sessions"
    if e.entries("effect", "people_told"):
        yield "user-answers"
    if e.entries("approval"):
        yield "approval"
    if any(g.until == "never" for g in gates) or any(c.kind == "disclosure" for c in instance.task.criteria):
        yield "safety-boundary"


def _unasked(e: Evidence) -> bool:
    """Whether the agent called or spoke in a turn that a notice of the world began."""
    began = ""
    for row in e.ledger:
        if row.kind == "turn" and row.actor != "agent":
            began = row.name
        elif began == "notice" and row.kind in ("turn", "call") and row.actor == "agent":
            return True
    return False
