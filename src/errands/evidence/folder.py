"""A run's folder: what is sealed (plan, keys, bundles, tries, run.json) and what is derived and may be deleted."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from errands.core.canon import canonical, merkle_root, sha256
from errands.core.errors import EvidenceError, UsageError

from .seal import write_whole


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Planned(_Strict):
    """One declared attempt: it ends as exactly one row, however often it had to be tried."""

    n: int = Field(ge=1)
    task: str
    market: str
    variant: int
    language: str
    repeat: int = Field(ge=1)


class Plan(_Strict):
    """What a run was going to do, written before its first attempt."""

    format: int = 1
    run: str
    agent: str
    isolation: str
    version: str
    created: str
    tasks: dict[str, str]
    attempts: tuple[Planned, ...]
    terms: dict[str, Any] | None = None
    drafts: dict[str, str] | None = None  # task@market that was not calibrated, and why
    packs: dict[str, str] | None = None  # private packs by name, with their digest
    batch: str | None = None  # digest of the drawn list of which this run sits every task

    @property
    def text(self) -> bytes:
        """As it is written: canonical JSON, without what was not said."""
        return canonical(self.model_dump(exclude_none=True)).encode()


class RunFolder:
    """Paths of a run, and what may be asked of them."""

    def __init__(self, path: Path):
        self.path = path
        self.bundles, self.keys, self.tries = path / "bundles", path / "keys", path / "tries"
        self.derived = path / "derived"

    @property
    def name(self) -> str:
        """The run's name: its folder's."""
        return self.path.name

    def bundle(self, n: int) -> Path:
        """Where attempt `n` is sealed."""
        return self.bundles / f"{n:04d}.zip"

    def key(self, p: Planned) -> Path:
        """Where the key of an attempt's instance stands."""
        return self.keys / f"{p.task}@{p.market}-{p.variant}.json"

    @property
    def spend(self) -> Path:
        """Where the run's purse stands, if it has one."""
        return self.path / "spend.jsonl"

    @property
    def limits(self) -> Path:
        """Where limits stand that were set when the run was taken up again."""
        return self.path / "limits.json"

    def verdict(self, n: int) -> Path:
        """Where the verdict of attempt `n` may be found (derived)."""
        return self.derived / "verdicts" / f"{n:04d}.json"

    def must_be_new(self) -> None:
        """`UsageError` when it exists: better said before an hour of work than after it."""
        if os.path.lexists(self.path):
            raise self._taken()

    def _taken(self) -> UsageError:
        return UsageError("this run folder exists already", where=str(self.path), do="choose another --out")

    def create(self, plan: Plan, keys: dict[str, str]) -> None:
        """Make the folder with plan and public keys; `UsageError` when it exists or cannot be written."""
        try:
            self.path.mkdir(parents=True)
            for folder in (self.bundles, self.keys, self.tries):
                folder.mkdir()
            for name, text in keys.items():
                write_whole(self.keys / f"{name}.json", text.encode())
            write_whole(self.path / "plan.json", plan.text)
        except FileExistsError:  # made meanwhile
            raise self._taken() from None
        except OSError as why:
            raise UsageError(
                f"the run folder cannot be written: {why.strerror}",
                where=str(self.path),
                do="choose another --out, or free some space",
            ) from why

    def plan(self) -> Plan:
        """The plan; `UsageError` when there is none, `EvidenceError` when it is not as it was written."""
        file = self.path / "plan.json"
        try:
            data = file.read_bytes()
        except OSError:
            raise UsageError(
                "this is no run folder", where=str(self.path), expected="a folder with a plan.json"
            ) from None
        try:
            plan = Plan.model_validate_json(data)
        except ValidationError as why:
            raise EvidenceError(
                f"plan.json is damaged ({why.error_count()} faults)", where=str(file)
            ) from None
        if plan.format != 1:
            raise EvidenceError(
                f"format {plan.format} is not known here",
                where=str(file),
                expected="format 1",
                do="use a newer errands",
            )
        if plan.text != data:
            raise EvidenceError("plan.json is not as it was written", where=str(file))
        return plan

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Only one process works on a run at a time, and none of its workers outlives it unseen.

        Workers hold `bundles/` shared: those of a process that was killed are waited for, they end at once.
        """
        handle, workers = os.open(self.path, os.O_RDONLY), os.open(self.bundles, os.O_RDONLY)
        try:
            self._lock(handle)
            self._lock(workers, patience_s=10)
            fcntl.flock(workers, fcntl.LOCK_UN)
            yield
        finally:
            os.close(handle)
            os.close(workers)

    def hold(self) -> int:
        """A worker's share of the run, kept until its process ends."""
        handle = os.open(self.bundles, os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_SH)
        return handle

    def _lock(self, handle: int, patience_s: float = 0) -> None:
        until = time.monotonic() + patience_s
        while True:
            try:
                return fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise UsageError(
                        "another process is working on this run", where=str(self.path), do="wait for it"
                    ) from None
                time.sleep(0.02)

    def sealed_files(self) -> dict[str, str]:
        """SHA-256 of every sealed file by relative path, run.json itself left out. What is no file is named, too."""
        out = {}
        for file in sorted(self.path.rglob("*")):
            name = file.relative_to(self.path).as_posix()
            if name == "run.json" or name == "derived" or name.startswith("derived/"):
                continue
            if file.is_file():
                out[name] = sha256(file.read_bytes())
            elif file.is_symlink() or not file.is_dir():
                out[name] = "not a file"
        return out

    def finish(self, attempts: list[dict[str, Any]]) -> dict[str, Any]:
        """Write run.json: every sealed file with its digest, the attempts, and the two roots."""
        for left in self.path.rglob(".*.part"):  # of a process that was killed while it wrote
            left.unlink()
        files = self.sealed_files()
        seals = [a["seal"] for a in attempts]
        record = {
            "format": 1,
            "run": self.name,
            "files": files,
            "attempts": attempts,
            "evidence_root": merkle_root(seals),
            "world_root": merkle_root([a["world_digest"] for a in attempts]),
        }
        record["sha256"] = sha256(canonical(record).encode())
        write_whole(self.path / "run.json", canonical(record).encode())
        return record

    def record(self) -> dict[str, Any] | None:
        """run.json, checked to the byte; None while the run is not finished; `EvidenceError` when damaged."""
        file = self.path / "run.json"
        if not file.is_file():
            return None
        data = file.read_bytes()
        try:
            record = json.loads(data)
            seal = record.pop("sha256")
            whole = (
                sha256(canonical(record).encode()) == seal
                and canonical({**record, "sha256": seal}).encode() == data
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise EvidenceError("run.json is damaged", where=str(file)) from None
        if not whole:
            raise EvidenceError("run.json is not as it was written", where=str(file))
        if record.get("format") != 1:
            raise EvidenceError(
                f"format {record.get('format')!r} is not known here",
                where=str(file),
                expected="format 1",
                do="use a newer errands",
            )
        if (
            record.keys() != {"format", "run", "files", "attempts", "evidence_root", "world_root"}
            or type(record["files"]) is not dict
        ):
            raise EvidenceError("run.json has other fields than it should", where=str(file))
        return dict(record)
