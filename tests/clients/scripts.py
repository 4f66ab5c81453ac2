"""Scripts made from recorded solutions: what a solution did, with every id replaced by where it can be read.

python -m tests.clients.scripts DIR      writes those of the spine, one JSON file each
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import apsw

from errands.agents.reference import Solver, reference
from errands.core import clock
from errands.core.errors import ClosedError, ToolError
from errands.core.types import Door, Seat, ToolSpec, Turn, Verdict
from errands.exam.sitting import Limits, Sitting
from errands.grading.evidence import Evidence, open_readonly
from errands.grading.verdict import grade
from errands.library.consumer.email_calendar.commitment_audit import solutions as commitments
from errands.library.consumer.email_calendar.reschedule_three_party import solutions as reschedule
from errands.tasks import Key
from errands.tasks.registry import task as find_task
from errands.tasks.task import Instance
from errands.world import open_world

from .paths import path_to
from .play import Script as Script

Solution = Callable[[Seat, Key], Any]
WIDE = Limits(turns=20, calls=5_000)
PAGE = 10  # messages
#: Prefixes of ids that the world may give out beside those that a fixture holds.
PREFIXES = {"msg", "thr", "dft", "rcl", "evt", "cn", "cal", "per"}
_SHAPE = re.compile(r"[a-z]{2,5}_[0-9a-z][0-9a-z_-]*")


class NoSource(ValueError):
    """An id that a solution uses and that no look at the world shows."""


# ---- ids -----------------------------------------------------------------------------------------------------


@cache
def ids_of(blob: bytes) -> frozenset[str]:
    """Every id in a fixture: each value that has the shape of one, of whatever column of whatever app."""
    db = apsw.Connection(":memory:")
    db.deserialize("main", blob)
    found = set()
    for (table,) in list(db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")):
        if not table.startswith("exam_"):
            for row in db.execute(f'SELECT * FROM "{table}"'):
                found |= {v for v in row if isinstance(v, str) and _SHAPE.fullmatch(v)}
    return frozenset(found)


def id_pattern(blob: bytes) -> re.Pattern[str]:
    """What looks like an id of this world."""
    known = ids_of(blob)
    prefixes = PREFIXES | {i.partition("_")[0] for i in known}
    return re.compile(rf"(?<![0-9A-Za-z_])(?:{'|'.join(sorted(prefixes))})_[0-9a-z]+(?:[_-][0-9a-z]+)*")


def texts(value: Any) -> Iterator[str]:
    """Every string in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for below in value.values():
            yield from texts(below)
    elif isinstance(value, list):
        for below in value:
            yield from texts(below)


# ---- recording -----------------------------------------------------------------------------------------------


class _Looking:
    """A door at which an id that was never shown is looked up first, as an honest agent has to."""

    def __init__(self, sitting: Sitting, ids: re.Pattern[str]):
        self.sitting, self.ids = sitting, ids
        self.shown: set[str] = set()

    @property
    def tools(self) -> list[ToolSpec]:
        return self.sitting.tools

    def next(self) -> Turn | None:
        return self.sitting.next()

    def call(self, tool: str, args: Any = None) -> Any:
        self._look(args)
        if tool == "mail_search" and args.get("limit", 0) > PAGE:
            return self._paged(tool, args)
        return self._call(tool, args)

    def _paged(self, tool: str, args: dict[str, Any]) -> Any:
        """A long page as several short ones: some clients cut long results in the middle."""
        result = self._call(tool, {**args, "limit": PAGE})
        while result["next"] and len(result["messages"]) < args["limit"]:
            more = self._call(tool, {**args, "limit": PAGE, "cursor": result["next"]})
            result = {"messages": result["messages"] + more["messages"], "next": more["next"]}
        return result

    def reply(self, text: Any) -> Turn | None:
        self._look(text)
        return self.sitting.reply(text)

    def _call(self, tool: str, args: Any) -> Any:
        result = self.sitting.call(tool, args)
        self.shown.update(texts(result))
        return result

    def _look(self, value: Any) -> None:
        for text in texts(value):
            for ident in () if text in self.shown else self.ids.findall(text):
                for tool, args in () if ident in self.shown else looks(self.sitting, ident):
                    self._call(tool, args)
                    if ident in self.shown:
                        break
                if ident not in self.shown:
                    raise NoSource(f"{ident} stands in no result of a look that is known for it")


def looks(sitting: Sitting, ident: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The looks at which somebody without the id would find it: by the title, subject or name that he knows."""
    world, prefix = sitting.world, ident.partition("_")[0]
    if prefix == "cal":
        yield "calendar_calendars", {}
    elif prefix == "evt":
        row = world.one("SELECT title, starts FROM calendar_event WHERE id = ?", ident)
        if row is not None:
            day = clock.from_ms(row["starts"], world.zone).date()
            window = {"start": day.isoformat(), "end": day.fromordinal(day.toordinal() + 1).isoformat()}
            yield "calendar_events", {"query": row["title"], **window}
            yield "calendar_events", window
    elif prefix in ("msg", "thr"):
        column = "id" if prefix == "msg" else "thread"
        row = world.one(f"SELECT subject, sender FROM mail_message WHERE {column} = ? ORDER BY at", ident)
        if row is not None:
            yield "mail_search", {"query": row["subject"], "limit": PAGE}
            yield "mail_search", {"query": row["subject"], "sender": row["sender"], "limit": PAGE}
    elif prefix == "per":
        row = world.one("SELECT name FROM contacts_person WHERE id = ?", ident)
        if row is not None:
            yield "contacts_search", {"query": row["name"]}
    elif prefix == "dft":
        yield "mail_drafts", {}
    elif prefix == "cn":
        yield "calendar_notices", {}


def script_of(
    instance: Instance, solution: str | Solution, name: str = "", *, parallel: bool = False
) -> Script:
    """What a solution does in an instance, as a script; `solution` is one of the task's, `hasty`, or a function.

    `NoSource` where it uses an id that no look shows. `expects` of the script is its verdict when it was recorded.
    """
    world = open_world(instance.fixture.blob)
    ids = id_pattern(instance.fixture.blob)
    sitting = Sitting(world, WIDE)
    seat, run = _seated(_Looking(sitting, ids), instance, solution)
    sitting.next()
    try:
        run(seat, instance.key)
    except ToolError as why:
        sitting.close("agent_error", str(why))
    except ClosedError:
        pass
    sitting.close("completed")
    evidence = Evidence(open_readonly(world.snapshot()))
    world.close()
    kind = solution if isinstance(solution, str) else solution.__name__
    short = instance.task.id.removeprefix("ec-")
    return Script(
        name=name or f"{short}-{instance.market}-{instance.variant}-{kind.rpartition(':')[2]}",
        task=instance.task.id,
        market=instance.market,
        variant=instance.variant,
        language=instance.language,
        instruction=instance.instruction,
        steps=tuple(_steps(evidence, ids)),
        parallel=parallel,
        expects=summary(graded(evidence, instance), evidence),
    )


def _seated(door: Door, instance: Instance, solution: str | Solution) -> tuple[Seat, Solution]:
    """The seat for a solution, and the function that works at it."""
    if not isinstance(solution, str):
        from errands.doors import Seat as InProcess

        return InProcess(door), solution
    agent = reference(solution)
    assert isinstance(agent, Solver), f"{solution} is no solution"
    found = instance.task.solutions["oracle" if solution == "hasty" else solution]
    return agent.seat(door), found.run  # type: ignore[arg-type]


def graded(evidence: Evidence, instance: Instance) -> Verdict:
    """The verdict from the evidence alone."""
    return grade(evidence, instance.key, instance.task.criteria, instance.task.contract.front.protocol)


def summary(verdict: Verdict, evidence: Evidence) -> dict[str, Any]:
    """What a run is recognised by: whether it passed or crossed, where it failed, what was refused and committed."""
    return {
        "strict": verdict.strict,
        "crossed": verdict.crossed,
        "unmet": sorted(c.id for c in verdict.criteria if c.result != "met"),
        "refusals": len(evidence.entries("approval", "no")),
        "commits": len(evidence.commits()),
    }


# ---- from the ledger to steps --------------------------------------------------------------------------------


def _steps(evidence: Evidence, ids: re.Pattern[str]) -> Iterator[dict[str, Any]]:
    """The agent's calls and replies in order, without an id."""
    results: list[Any] = []
    for entry in evidence.ledger:
        if entry.actor != "agent":
            continue
        if entry.kind == "call":
            yield {"call": entry.name, "args": _blind(entry.body["args"], results, ids)}
            results.append(entry.body.get("result"))
        elif entry.kind == "turn":
            yield {"say": _blind(entry.body["text"], results, ids)}
            results.append(None)


def _blind(value: Any, results: list[Any], ids: re.Pattern[str]) -> Any:
    """The value with references in place of ids."""
    if isinstance(value, dict):
        return {k: _blind(v, results, ids) for k, v in value.items()}
    if isinstance(value, list):
        return [_blind(v, results, ids) for v in value]
    if not isinstance(value, str) or not ids.search(value):
        return value
    whole = _reference(value, results, ids)  # a cursor holds an id and is given whole
    return whole or ids.sub(lambda m: _reference(m[0], results, ids) or _lost(m[0]), value)


def _reference(text: str, results: list[Any], ids: re.Pattern[str]) -> str:
    for n, result in enumerate(results, 1):
        path = path_to(result, text, lambda t: not ids.search(t))
        if path is not None:
            return f"{{{{step {n}: {path}}}}}"
    return ""


def _lost(ident: str) -> str:
    raise NoSource(f"{ident} was never shown")


# ---- the spine -----------------------------------------------------------------------------------------------

SPINE = {
    "reschedule": "ec-reschedule-three-party",
    "commitments": "ec-inbox-commitment-audit",
    "double-booking": "ec-double-booking-resolution",
}
MARKETS = ("kr", "ae")


def _asks_to_mail(s: Seat, k: Key, ids: list[str]) -> None:
    """Wants to mail the finished list, asks first, is refused, and throws the draft away."""
    words = commitments.words(k, k.local, "sent_on")
    path = "workspace/commitments.csv"
    draft = s.call("mail_draft", to=[k.chief], subject=words.subject, body=words.text, attach=[path])["draft"]
    s.call("user_request_approval", items=[draft])
    s.call("mail_discard_draft", draft=draft)


def _asks_to_recall(s: Seat, k: Key, ids: list[str], start: int) -> None:
    """Has sent a copy of its work to its user, asks to call that back, is refused, and leaves it at that.

    This user refuses no mail and no notice: a recall is all that is left to refuse, and only one of a message to the
    own organisation can be prepared.
    """
    me = s.call("calendar_events", query=k.title, start=k.first, end=k.until)["events"][0]["organizer"]
    copy = s.call("mail_draft", to=[me], **reschedule.letter(k, 0, start))["draft"]
    for ident in reschedule.by_tool(s, k, [copy]):
        sent = s.call("mail_send", draft=ident)["sent"]
        wanted = s.call("mail_prepare_recall", message=sent)["recall"]
        s.call("user_request_approval", items=[wanted])


def _refused_list(s: Seat, k: Key) -> None:
    commitments.work(s, k, after=_asks_to_mail)


def _refused_recall(s: Seat, k: Key) -> None:
    reschedule.work(s, k, after=_asks_to_recall)


#: Kind of script → how and in which variant, by errand. In the third variant of the double booking one note is refused.
HOW: dict[str, dict[str, tuple[str | Solution, int]]] = {
    "reschedule": {"strict": ("oracle", 0), "refused": (_refused_recall, 0), "crosses": ("hasty", 0)},
    "commitments": {
        "strict": ("oracle", 0),
        "refused": (_refused_list, 0),
        "crosses": ("wrong:mailed_list", 0),
    },
    "double-booking": {"strict": ("oracle", 0), "refused": ("oracle", 2), "crosses": ("hasty", 0)},
}


@cache
def scripts_for(task: str, market: str) -> dict[str, Script]:
    """The three scripts of an errand of the spine in a market.

    `strict`: passes. `refused`: asks for a yes, gets a no, and keeps to it. `crosses`: commits without a yes.
    """
    short = next(s for s, t in SPINE.items() if task in (s, t))
    out = {}
    for kind, (solution, variant) in HOW[short].items():
        instance = find_task(SPINE[short]).instance(market, variant)
        out[kind] = script_of(instance, solution, f"{short}-{market}-{kind}")
    return out


def spine() -> list[Script]:
    """All scripts of the spine."""
    return [s for short in SPINE for market in MARKETS for s in scripts_for(short, market).values()]


def main() -> None:
    """Write the scripts of the spine into a folder."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for script in spine():
        (folder / f"{script.name}.json").write_text(script.to_json(), encoding="utf-8")
        print(folder / f"{script.name}.json", json.dumps(script.expects))


if __name__ == "__main__":
    main()
