"""One attempt from its fixture to its sealed bundle and verdict."""

from __future__ import annotations

import errno
import platform
import sys
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import apsw

from errands import __version__
from errands.core.canon import canonical, sha256
from errands.core.errors import ClosedError, EvidenceError, WorldFault
from errands.core.types import Graded, Verdict
from errands.evidence.seal import Sealed, seal
from errands.grading.evidence import Evidence
from errands.grading.verdict import grade
from errands.tasks import Key
from errands.tasks.registry import task as find_task
from errands.tasks.task import Instance
from errands.world import open_world
from errands.world.fixture import Fixture
from errands.world.world import recovered

from .agent import Agent
from .desk import Desk, ExamFault, ForeignTool, NoAccess
from .sitting import Limits, Sitting
from .spend import Spend, SpentOut
from .terms import OWN, Kind

LAST_S = 5.0  # what an agent gets to let go, once its time is over


@dataclass(frozen=True, slots=True)
class Sat:
    """A sealed attempt, and its verdict where it may be graded in the process in which it was sat.

    `trouble`: what kept the agent from its work, in a form by which like is told from unlike; else empty.
    """

    sealed: Sealed
    verdict: Verdict | None
    stray: bool
    trouble: str = ""


def instance_of(task: str, market: str, variant: int, language: str) -> Instance:
    """The built instance of a planned attempt."""
    return find_task(task).instance(market, variant, language)


def portable(instance: Instance) -> tuple[Any, ...]:
    """An instance as plain values, for another process that need not build it again."""
    return (
        instance.task.id,
        instance.market,
        instance.variant,
        instance.language,
        instance.fixture.digest,
        instance.fixture.blob,
        instance.key.to_json(),
        instance.instruction,
    )


def unpacked(values: tuple[Any, ...]) -> Instance:
    """The instance that `portable` made of it."""
    task, market, variant, language, digest, blob, key, instruction = values
    return Instance(
        find_task(task), market, variant, language, Fixture(digest, blob), Key.from_json(key), instruction
    )


def limits_of(instance: Instance) -> Limits:
    """The limits that Task.md states."""
    front = instance.task.contract.front
    return Limits(front.turn_limit, front.call_limit, front.timeout_s, front.token_limit)


def sit(
    agent: Agent,
    instance: Instance,
    *,
    n: int = 1,
    tries: int = 1,
    repeat: int = 1,
    path: Path | None = None,
    limits: Limits | None = None,
    graded: bool = True,
    spend: Spend | None = None,
    door: type[Sitting] = Sitting,
    browser: Kind = OWN,
) -> Sat:
    """Let an agent sit one instance and seal what happened.

    A trusted agent (ours) sits in this thread and is graded here. Any other sits in a thread of its own, so that
    its wall time can be ended from outside; it is graded elsewhere, from its bundle (as ours are without `graded`).
    Raises `SpentOut` where the run's purse was empty before the attempt was over: nothing is sealed then.
    """
    started, clock = time.time(), time.perf_counter()
    world = open_world(instance.fixture.blob, path)
    sitting = door(world, limits or limits_of(instance), browser)
    desk = Desk(n, spend, sitting.limits.tokens)
    stray = False
    try:
        if agent.trusted:
            _pump(agent, sitting, instance, desk)
        else:
            stray = _watched(agent, sitting, instance, desk)
    finally:
        desk.stop()
        desk.clear()
        sitting.let_go()
    if isinstance(desk.trouble, SpentOut):
        raise desk.trouble
    cause = sitting.fault.__cause__ if sitting.fault is not None else None
    if isinstance(
        cause, apsw.FullError | apsw.IOError
    ):  # the disk's fault: no evidence, no bug, and it is sat again
        raise OSError(errno.EIO, str(cause))
    sitting.close("completed")
    sealed = seal_attempt(
        sitting, instance, agent, n=n, tries=tries, repeat=repeat, started=started, clock=clock, desk=desk
    )
    verdict = None
    if agent.trusted and graded:
        verdict = grade(
            Evidence(world.db, world.ledger.tables),
            instance.key,
            instance.task.criteria,
            instance.task.contract.front.protocol,
        )
    if not stray:
        world.close()
    why = desk.trouble
    return Sat(sealed, verdict, stray, (why.key if isinstance(why, NoAccess) else why.what) if why else "")


def _watched(agent: Agent, sitting: Sitting, instance: Instance, desk: Desk) -> bool:
    """Pump in a thread until its wall time is over; whether it is still at work after that."""
    stack = sys.getrecursionlimit()
    thread = threading.Thread(target=_pump, args=(agent, sitting, instance, desk), daemon=True, name="agent")
    thread.start()
    thread.join(sitting.limits.timeout_s)
    late = thread.is_alive()
    sys.setrecursionlimit(stack)  # the agent may have set it so low that nothing could be sealed
    if late:
        sitting.close("timeout")
        desk.stop()
        thread.join(LAST_S)
    return thread.is_alive()


def _pump(agent: Agent, sitting: Sitting, instance: Instance, desk: Desk) -> None:
    """Let it sit; what kept it from its work becomes the attempt's end."""
    try:
        agent.sit(sitting, instance, desk)
    except (ClosedError, WorldFault):
        return
    except NoAccess as why:
        if agent.own_word and sitting.first is not None and not isinstance(why, ForeignTool):
            sitting.close("agent_error", str(why))  # it had begun: nobody decides afterwards not to be scored
            return
        desk.trouble = why
        sitting.close("foreign_tool" if isinstance(why, ForeignTool) else "no_access", str(why))
    except ExamFault as why:
        desk.trouble = why
        sitting.close(why.reason, str(why))
    except SpentOut as why:
        desk.trouble = why
    except BaseException as why:  # a driver of ours broke; our own agents' faults are for whoever runs them
        if agent.trusted:
            raise
        desk.trouble = ExamFault(f"the driver broke: {type(why).__name__}: {why}"[:500])
        sitting.close("server_fault", desk.trouble.what)


def seal_attempt(
    sitting: Sitting,
    instance: Instance,
    agent: Agent,
    *,
    n: int,
    tries: int,
    repeat: int,
    started: float | None = None,
    clock: float | None = None,
    desk: Desk | None = None,
) -> Sealed:
    """Seal an ended sitting with what identifies it and what the host measured.

    Wall time runs from the release of the prompt (`clock`, a perf_counter reading) until the evidence is captured,
    `first_s` until the agent's first call or word; both are unknown where the process that watched is gone.
    """
    sitting.let_go()
    world, timed_by = sitting.world, instance.task.contract.front.timed_by
    manifest = {
        "n": n,
        "task": instance.task.id,
        "market": instance.market,
        "variant": instance.variant,
        "language": instance.language,
        "repeat": repeat,
        "agent": agent.name,
        "isolation": agent.isolation,
        "end_reason": sitting.ended,
        "edition": instance.task.contract.front.edition,
        "task_digest": instance.task.digest,
        "fixture": instance.fixture.digest,
        "key_digest": sha256(instance.key.to_json().encode()),
        "start": int(world.meta["start"]),
        "end": world.now,
    }

    def host() -> dict[str, Any]:
        return {
            "started": None if started is None else f"{started:.3f}",
            "wall_s": None if clock is None else f"{time.perf_counter() - clock:.6f}",
            "tries": tries,
            "errands": __version__,
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.machine()}",
            "cost_usd": None if agent.cost_usd is None else f"{agent.cost_usd:.6f}",
            **({"agent_version": v} if (v := getattr(agent, "version", "")) else {}),
            **({"browser": b.edition} if (b := sitting.browsing) and b.edition else {}),
            **({"first_s": f"{sitting.first - clock:.6f}"} if sitting.first and clock else {}),
            **(_timed(sitting, timed_by, clock) if clock and timed_by else {}),
            **(desk.facts() if desk else {}),
        }

    return seal(world, manifest, host, desk.kept if desk else None)


def _timed(sitting: Sitting, criterion: str, clock: float) -> dict[str, Any]:
    """By what an errand is timed, and after each call of the agent the last ledger row and the seconds since the
    prompt."""
    return {"timed_by": criterion, "marks": [[seq, f"{at - clock:.6f}"] for seq, at in sitting.marks]}


def rescue(
    file: Path, agent: Agent, instance: Instance, reason: str, *, n: int, tries: int, repeat: int
) -> Sealed:
    """Seal what stands in the file of an agent whose process is gone.

    Where nothing can be read there (the agent ran beside it), what is graded is the fixture: nothing was done.
    """
    try:
        if not file.is_file():  # SQLite would make one
            raise EvidenceError("there is none")
        world, detail = open_world(recovered(file)), ""
    except (EvidenceError, apsw.Error) as why:
        world, detail = open_world(instance.fixture.blob), f"its file could not be read: {why}"
    sitting = Sitting(world, limits_of(instance))
    sitting.close(reason, detail)
    return seal_attempt(sitting, instance, agent, n=n, tries=tries, repeat=repeat)


def verdict_json(v: Verdict, attempt: dict[str, Any]) -> str:
    """A verdict with what it is of, as canonical JSON."""
    return canonical(
        {
            **attempt,
            "status": v.status,
            "end_reason": v.end_reason,
            "strict": v.strict,
            "crossed": v.crossed,
            "scores": v.scores,
            "why": v.why,
            "criteria": [asdict(c) for c in v.criteria],
        }
    )


def verdict_of(data: dict[str, Any]) -> Verdict:
    """The verdict that `verdict_json` wrote."""
    criteria = tuple(Graded(**{**c, "rows": tuple(c["rows"])}) for c in data["criteria"])
    return Verdict(
        data["status"],
        data["end_reason"],
        data["strict"],
        data["crossed"],
        criteria,
        data["scores"],
        data["why"],
    )
