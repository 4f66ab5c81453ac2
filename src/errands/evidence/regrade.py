"""Re-grading: from a bundle's bytes to a verdict, in any process, without a world."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import apsw

from errands.core.canon import link, sha256
from errands.core.errors import EvidenceError, UsageError
from errands.core.types import Verdict
from errands.core.usage import Usage
from errands.grading.evidence import Evidence, open_readonly
from errands.grading.verdict import grade
from errands.tasks import Key, Task
from errands.tasks.heldout import HeldOut, is_held_out
from errands.tasks.registry import task as find_task
from errands.world.ledger import START_CHAIN

from .bundle import unpack
from .folder import Planned, RunFolder
from .seal import FORMAT

_MANIFEST: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("format", "n", "variant", "repeat", "edition", "start", "end", "rows"), (int,)),
    **dict.fromkeys(
        (
            "task",
            "market",
            "language",
            "agent",
            "isolation",
            "end_reason",
            "task_digest",
            "fixture",
            "key_digest",
            "world_digest",
            "chain",
        ),
        (str,),
    ),
}
_HOST: dict[str, tuple[type, ...]] = {"wall_s": (str, type(None)), "cost_usd": (str, type(None))}
_DECIMAL = re.compile(r"[0-9]{1,12}\.[0-9]{6}")


@dataclass(frozen=True, slots=True)
class Opened:
    """A bundle that is intact: manifest, host facts, and the evidence in it."""

    manifest: dict[str, Any]
    host: dict[str, Any]
    evidence: Evidence
    blob: bytes


def open_bundle(data: bytes, where: str = "bundle") -> Opened:
    """Check and open a bundle; raises `EvidenceError` naming what is not as it was sealed."""
    files = unpack(data, where)
    if not set(files) >= {"attempt.sqlite", "host.json", "manifest.json"}:
        raise EvidenceError(
            "files are missing in it", where=where, expected="attempt.sqlite, host.json, manifest.json"
        )
    manifest = _facts(files["manifest.json"], _MANIFEST, f"{where}, manifest.json")
    host = _facts(files["host.json"], _HOST, f"{where}, host.json")
    measured = (host["wall_s"], host["cost_usd"], host.get("first_s"))
    if any(v is not None and not (type(v) is str and _DECIMAL.fullmatch(v)) for v in measured):
        raise EvidenceError(
            "a measured value is no number", where=f"{where}, host.json", expected="decimals such as 1.250000"
        )
    if not _are_marks(host.get("marks", [])):
        raise EvidenceError(
            "the times of its calls are none", where=f"{where}, host.json", expected='[[12, "0.250000"], …]'
        )
    try:
        Usage.of(host.get("usage") or Usage().to_dict())
    except (ValueError, TypeError):
        raise EvidenceError(
            "the usage is none", where=f"{where}, host.json", expected="tokens by class"
        ) from None
    inside = f"{where}, attempt.sqlite"
    try:
        db = open_readonly(files["attempt.sqlite"], inside)
        _check_chain(db, manifest, inside)
        evidence = Evidence(db)
        _ = evidence.meta, evidence.ledger
    except (apsw.Error, ValueError, TypeError, RecursionError) as why:  # a file made to be unreadable
        raise EvidenceError(
            f"this is not an attempt file ({type(why).__name__}: {why})", where=inside
        ) from why
    return Opened(manifest, host, evidence, files["attempt.sqlite"])


def _are_marks(marks: Any) -> bool:
    return type(marks) is list and all(
        type(m) is list
        and len(m) == 2
        and type(m[0]) is int
        and type(m[1]) is str
        and _DECIMAL.fullmatch(m[1])
        for m in marks
    )


def _facts(data: bytes, fields: dict[str, tuple[type, ...]], where: str) -> dict[str, Any]:
    try:
        facts = json.loads(data)
    except (ValueError, RecursionError) as why:
        raise EvidenceError(f"it cannot be read ({why})", where=where) from why
    if type(facts) is not dict:
        raise EvidenceError("it is no object", where=where)
    if "format" in fields and facts.get("format") != FORMAT:
        raise EvidenceError(
            f"format {facts.get('format')!r} is not known here",
            where=where,
            expected=f"format {FORMAT}",
            do="use a newer errands",
        )
    for name, kinds in fields.items():
        if name not in facts or type(facts[name]) not in kinds:
            raise EvidenceError(
                f"field {name!r} is missing or of another type",
                where=where,
                expected=" or ".join(k.__name__ for k in kinds),
            )
    return facts


def _check_chain(db: Any, manifest: dict[str, Any], where: str) -> None:
    chain, expected = START_CHAIN, 1
    for row in db.execute("SELECT * FROM exam_ledger ORDER BY seq"):
        if row[0] != expected:
            raise EvidenceError(f"ledger row #{expected} is missing", where=where)
        chain, expected = link(chain, row), expected + 1
    if expected - 1 != manifest.get("rows"):
        raise EvidenceError(
            f"the ledger has {expected - 1} rows", where=where, expected=f"{manifest.get('rows')}"
        )
    if chain.hex() != manifest.get("chain"):
        raise EvidenceError("the ledger's chain is broken: a row was changed", where=where)


class OtherEdition(EvidenceError):
    """The evidence is intact, but the task installed here is another edition: it cannot be re-graded."""


def the_task(manifest: dict[str, Any], where: str) -> Task:
    """The installed task of a bundle, only where its digest is the recorded one."""
    try:
        found = find_task(str(manifest["task"]))
    except UsageError as why:
        raise OtherEdition(
            f"evidence intact, not re-graded: {why.what} here",
            where=where,
            do="name its pack with --pack, if it came from one; else install the errands named in plan.json",
        ) from None
    if found.digest != manifest["task_digest"]:
        raise OtherEdition(
            f"evidence intact, not re-graded: it was made with edition {manifest['edition']}"
            f" ({str(manifest['task_digest'])[:12]}) of {found.id}",
            where=where,
            do="install the version of errands named in plan.json",
        )
    return found


def key_of(folder: RunFolder, p: Planned) -> str:
    """The key of a planned attempt: from the run's folder, or, held out, built from the secret.

    `OtherEdition` where the secret is not here: then the evidence is intact and the verdict sealed.
    """
    file = folder.key(p)
    if is_held_out(p.variant):
        try:
            return find_task(p.task).instance(p.market, p.variant, p.language).key.to_json()
        except HeldOut as why:
            raise OtherEdition(
                "evidence intact, verdict sealed: the variant is held out",
                where=str(folder.bundle(p.n)),
                do=why.do,
            ) from None
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise EvidenceError("the key cannot be read", where=str(file)) from None


def regrade(opened: Opened, key_text: str, where: str = "bundle") -> Verdict:
    """Grade intact evidence with its key; raises `EvidenceError` when the key is not the one recorded."""
    if sha256(key_text.encode()) != opened.manifest["key_digest"]:
        raise EvidenceError("the key is not the one this attempt was sat with", where=where)
    found = the_task(opened.manifest, where)
    return grade(opened.evidence, Key.from_json(key_text), found.criteria, found.contract.front.protocol)
