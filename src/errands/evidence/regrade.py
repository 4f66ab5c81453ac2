"""Re-grading: from a bundle's bytes to a verdict, in any process, without a world."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from errands.core.canon import link, sha256
from errands.core.errors import EvidenceError
from errands.core.types import Verdict
from errands.grading.evidence import Evidence, open_readonly
from errands.grading.verdict import grade
from errands.tasks import Key, Task
from errands.tasks.registry import task as find_task
from errands.world.ledger import START_CHAIN, record_text

from .bundle import unpack


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
    if set(files) < {"attempt.sqlite", "host.json", "manifest.json"}:
        raise EvidenceError("files are missing in it", where=where, expected="attempt.sqlite, host.json, manifest.json")
    try:
        manifest, host = json.loads(files["manifest.json"]), json.loads(files["host.json"])
    except ValueError as why:
        raise EvidenceError(f"manifest or host facts cannot be read ({why})", where=where) from why
    if manifest.get("format") != 1:
        raise EvidenceError(f"format {manifest.get('format')!r} is not known here", where=where, expected="format 1",
                            do="use a newer errands")
    db = open_readonly(files["attempt.sqlite"])
    _check_chain(db, manifest, where)
    return Opened(manifest, host, Evidence(db), files["attempt.sqlite"])


def _check_chain(db: Any, manifest: dict[str, Any], where: str) -> None:
    chain, expected = START_CHAIN, 1
    for row in db.execute("SELECT * FROM exam_ledger ORDER BY seq"):
        if row[0] != expected:
            raise EvidenceError(f"ledger row #{expected} is missing", where=where)
        chain, expected = link(chain, record_text(row)), expected + 1
    if expected - 1 != manifest.get("rows"):
        raise EvidenceError(f"the ledger has {expected - 1} rows", where=where, expected=f"{manifest.get('rows')}")
    if chain.hex() != manifest.get("chain"):
        raise EvidenceError("the ledger's chain is broken: a row was changed", where=where)


class OtherEdition(EvidenceError):
    """The evidence is intact, but the task installed here is another edition: it cannot be re-graded."""


def the_task(manifest: dict[str, Any], where: str) -> Task:
    """The installed task of a bundle, only where its digest is the recorded one."""
    found = find_task(str(manifest["task"]))
    if found.digest != manifest["task_digest"]:
        raise OtherEdition(f"evidence intact, not re-graded: it was made with edition {manifest['edition']}"
                           f" ({str(manifest['task_digest'])[:12]}) of {found.id}", where=where,
                           do="install the version of errands named in run.json")
    return found


def regrade(opened: Opened, key_text: str, where: str = "bundle") -> Verdict:
    """Grade intact evidence with its key; raises `EvidenceError` when the key is not the one recorded."""
    if sha256(key_text.encode()) != opened.manifest["key_digest"]:
        raise EvidenceError("the key is not the one this attempt was sat with", where=where)
    found = the_task(opened.manifest, where)
    return grade(opened.evidence, Key.from_json(key_text), found.criteria, found.contract.front.protocol)
