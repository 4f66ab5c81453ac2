"""Verification: is a run's evidence what was sealed, and does it grade to the same verdicts here?"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import apsw

from errands.core.canon import canonical, merkle_root
from errands.core.errors import ErrandsError, EvidenceError, TaskError, UsageError
from errands.core.types import Verdict
from errands.grading.evidence import Evidence
from errands.tasks.registry import task as find_task
from errands.world.fold import undo
from errands.world.ledger import content_digest, count_rows, key_text
from errands.world.schema import Table, tables
from errands.world.world import open_world

from .bundle import seal_of
from .folder import Plan, Planned, RunFolder
from .regrade import Opened, OtherEdition, key_of, open_bundle, regrade

Problem = Literal["changed", "differs", "edition", "unfinished"]


@dataclass(slots=True)
class Report:
    """What verification found. `problems` are (what kind, where, why); `equal` counts attempts graded equal here."""

    path: str
    bundles: int = 0
    equal: int = 0
    problems: list[tuple[Problem, str, str]] = field(default_factory=list)

    def add(self, kind: Problem, where: str, why: str) -> None:
        """Note a problem."""
        self.problems.append((kind, where, why))

    @property
    def exit_code(self) -> int:
        """0 all intact and equal; 1 evidence changed or a verdict differs; 3 something could not be graded."""
        kinds = {p[0] for p in self.problems}
        if kinds & {"changed", "differs"}:
            return 1
        return 3 if kinds else 0


def verify(path: Path, stored: dict[int, Verdict] | None = None) -> Report:
    """Verify a run folder. `stored` are the verdicts kept beside it, by attempt, to be compared with.

    Checks every byte of the sealed files against run.json, every bundle against its own seal and chain, every
    attempt's ledger against the fixture built here, and grades each attempt again.
    """
    report = Report(str(path))
    folder = RunFolder(path)
    if path.is_file():
        raise UsageError("this is a file", where=str(path), expected="a run folder")
    try:
        plan = folder.plan()
        record = folder.record()
    except EvidenceError as why:
        report.add("changed", why.where or str(path), why.what)
        return report
    if record is None:
        if (path / "run.json").exists() or _all_there(folder, plan):
            report.add(
                "changed", str(path / "run.json"), "run.json is missing although every attempt is sealed"
            )
        else:
            report.add("unfinished", str(path), "the run is not finished: go on with `errands run --resume`")
    else:
        _files(folder, record, report)
    for p in plan.attempts:
        if folder.bundle(p.n).is_file():
            _attempt(folder, plan, p, (stored or {}).get(p.n), report)
        elif record is not None and f"bundles/{p.n:04d}.zip" not in record["files"]:
            report.add(
                "changed",
                str(folder.bundle(p.n)),
                "a planned attempt has no bundle although the run is finished",
            )
    if record is not None and not report.problems:
        _roots(folder, record, plan, report)
    return report


def _all_there(folder: RunFolder, plan: Plan) -> bool:
    return all(folder.bundle(p.n).is_file() for p in plan.attempts)


def _files(folder: RunFolder, record: dict[str, Any], report: Report) -> None:
    here, sealed = folder.sealed_files(), record["files"]
    for name in sorted(here.keys() | sealed.keys()):
        if name not in here:
            report.add("changed", str(folder.path / name), "a sealed file is missing")
        elif name not in sealed:
            report.add("changed", str(folder.path / name), "this file was added after the run was sealed")
        elif here[name] != sealed[name]:
            report.add("changed", str(folder.path / name), "the bytes are not those that were sealed")


def _attempt(folder: RunFolder, plan: Plan, p: Planned, stored: Verdict | None, report: Report) -> None:
    where = str(folder.bundle(p.n))
    report.bundles += 1
    try:
        data = folder.bundle(p.n).read_bytes()
        opened = open_bundle(data, where)
        _belongs(opened, plan, p, where)
        verdict = regrade(opened, key_of(folder, p), where)
        _from_fixture(opened, p, where)
    except OtherEdition as why:
        report.add("edition", where, why.what)
        return
    except (ErrandsError, OSError, UnicodeDecodeError) as why:
        report.add("changed", where, getattr(why, "what", str(why)))
        return
    if stored is not None and stored != verdict:
        report.add("differs", where, _difference(stored, verdict))
    elif verdict.status == "invalid":
        report.add("edition", where, f"it cannot be graded: {verdict.why}")
    else:
        report.equal += 1


def _belongs(opened: Opened, plan: Plan, p: Planned, where: str) -> None:
    m = opened.manifest
    said = (m["n"], m["task"], m["market"], m["variant"], m["language"], m["repeat"], m["agent"])
    if said != (p.n, p.task, p.market, p.variant, p.language, p.repeat, plan.agent):
        raise EvidenceError("this bundle is of another attempt than its name says", where=where)
    if not opened.evidence.ledger:
        raise EvidenceError("the ledger is empty", where=where)
    last = opened.evidence.ledger[-1]
    count = last.body.get("count") if type(last.body) is dict else None
    if last.kind != "end" or count != len(opened.evidence.ledger) or last.name != m["end_reason"]:
        raise EvidenceError("the final record does not fit the ledger", where=where)


def _from_fixture(opened: Opened, p: Planned, where: str) -> None:
    """The ledger undone on the final state must give the fixture, and the digests must be those recorded."""
    m = opened.manifest
    try:
        built = find_task(p.task).instance(p.market, p.variant, p.language).fixture
    except TaskError as why:
        raise EvidenceError(f"its fixture cannot be built here ({why.what})", where=where) from why
    if m["fixture"] != built.digest:
        raise OtherEdition(
            "evidence intact, not re-graded: the fixture built here is another one",
            where=where,
            do="install the version of errands named in plan.json",
        )
    try:
        world = open_world(opened.blob)
        if (
            count_rows(world.db, world.ledger.tables) != world.ledger.rows_sum
            or world.world_digest() != m["world_digest"]
        ):
            raise EvidenceError("the state is not the one that its digest names", where=where)
        if (world.ledger.chain.hex(), world.now, int(world.meta["start"])) != (
            m["chain"],
            m["end"],
            m["start"],
        ):
            raise EvidenceError("where the record stands is not what the manifest says", where=where)
        _meets(opened.evidence, world.ledger.tables, where)
        world.db.config(
            apsw.SQLITE_DBCONFIG_ENABLE_FKEY, 0
        )  # a cascade would take with it what the ledger left out
        undo(world.db, world.ledger.tables)
        start = content_digest(world.db, tables(world.db))
    except (
        apsw.Error,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
    ) as why:  # a ledger made to be unreadable
        raise EvidenceError(
            f"the ledger cannot be undone ({type(why).__name__}: {why})", where=where
        ) from why
    if start != built.digest:
        raise EvidenceError(
            "the ledger undone does not give the fixture: state and history disagree", where=where
        )


def _meets(e: Evidence, known: dict[str, Table], where: str) -> None:
    """Each change must begin where the one before it ended, and the last ones at the final state: none is left out."""
    rows: dict[tuple[str, str], Any] = {}

    def key(table: Table, row: dict[str, Any]) -> tuple[str, str]:
        return table.name, key_text(table, tuple(row[c] for c in table.columns))

    for effect in e.entries("effect"):
        table, before, after = known[effect.name], effect.body["before"], effect.body["after"]
        if before is not None and rows.get(key(table, before), before) != before:
            raise EvidenceError(
                f"the change {effect} does not begin where the one before it ended", where=where
            )
        if after is not None and before is None and rows.get(key(table, after)) is not None:
            raise EvidenceError(f"the row that {effect} makes was there already", where=where)
        if before is not None:
            rows[key(table, before)] = None
        if after is not None:
            rows[key(table, after)] = after
    for (name, ident), last in rows.items():
        now = e.after(name).get(ident)
        if (None if now is None else canonical(now)) != (None if last is None else canonical(last)):
            raise EvidenceError(f"{name} {ident} is not as the ledger left it", where=where)


def _difference(stored: Verdict, now: Verdict) -> str:
    for a, b in zip(stored.criteria, now.criteria, strict=False):
        if a != b:
            return f"criterion {a.id}: stored {a.result} ({a.reason}), graded here {b.result} ({b.reason})"
    return f"stored {stored.status}/{stored.strict}, graded here {now.status}/{now.strict}"


def _roots(folder: RunFolder, record: dict[str, Any], plan: Plan, report: Report) -> None:
    seals, worlds = [], []
    said = []
    for p in plan.attempts:
        data = folder.bundle(p.n).read_bytes()
        seals.append(seal_of(data))
        worlds.append(open_bundle(data).manifest["world_digest"])
        said.append({"n": p.n, "seal": seals[-1], "world_digest": worlds[-1]})
    if (
        said != record["attempts"]
        or merkle_root(seals) != record["evidence_root"]
        or merkle_root(worlds) != record["world_root"]
    ):
        report.add("changed", str(folder.path / "run.json"), "its attempts or roots do not fit the bundles")
