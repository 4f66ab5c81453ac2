"""The record that a tester brings back: what it lacks, whether the files are as exported, and its scores."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from errands.core.canon import digest, sha256
from errands.core.errors import UsageError
from errands.grading.by_hand import Mark, Scored, scored

from .build import AGENT, ARCHIVE, MANIFEST, RECORD, SHEET, TESTER
from .model import Judged, Manifest, Part, Record, Row, Sheet

P = TypeVar("P", bound=Part)
KEPT = ("transcript", "output", "timing")  # what the seed wants archived before anything is published


@dataclass(frozen=True, slots=True)
class Checked:
    """A folder of a run by hand: files that are not as they were exported, what the record lacks, and the scores.

    `scored` is None as long as either of the first two holds anything. `unscored` says why a complete record of a run
    that was not blocked has no scores.
    """

    sheet: Sheet
    record: Record
    changed: tuple[str, ...]
    lacks: tuple[str, ...]
    scored: Scored | None
    unscored: str = ""


def check(folder: Path) -> Checked:
    """Look at an exported folder and its record; `UsageError` where one of its files cannot be read."""
    manifest = _read(Manifest, folder / MANIFEST)
    changed = tuple(_changed(folder, manifest))
    sheet, record = _read(Sheet, folder / SHEET), _read(Record, folder / RECORD)
    lacks = tuple(_lacks(folder, sheet, record))
    if changed or lacks:
        return Checked(sheet, record, changed, lacks, None)
    cut_short = sheet.until is not None and not record.blocked and not record.window_watched
    if cut_short:
        return Checked(sheet, record, (), (), Scored("graded"), "the observation window was cut short")
    got = _score(sheet, record)
    unseen = any(m.result == "not_observed" for m in got.criteria)
    return Checked(sheet, record, (), (), got, "a criterion was not observed" if unseen else "")


def _score(sheet: Sheet, record: Record) -> Scored:
    said = {j.id: j for j in record.criteria}
    touched = {c for h in record.help for c in h.criteria}
    timely = sheet.until is not None or (
        record.completed_s is not None and record.completed_s <= sheet.timeout_s
    )
    marks = [_mark(r, said.get(r.id, Judged(id=r.id)), r.id in touched) for r in sheet.criteria]
    return scored(marks, sheet.protocol, timely=timely, blocked=bool(record.blocked))


def _mark(r: Row, j: Judged, helped: bool) -> Mark:
    if r.earns:
        return Mark.earned(r.id, r.kind, j.points, helped=helped, note=j.note)
    return Mark(r.id, r.kind, j.result or "not_observed", r.weight, helped, j.note)


# ---- what is there -----------------------------------------------------------------------------------------------


def _read(model: type[P], path: Path) -> P:
    try:
        return model.model_validate_json(path.read_bytes())
    except OSError as why:
        raise UsageError(
            f"it cannot be read: {why.strerror}", where=str(path), do="give a folder of `errands export hand`"
        ) from None
    except ValidationError as why:
        first = why.errors()[0]
        place = " → ".join(str(x) for x in first["loc"])
        raise UsageError(
            first["msg"], where=f"{path}, {place}" if place else str(path), do="see docs/by-hand.md"
        ) from None


def _changed(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Files that differ from the manifest, are missing, or were put among them."""
    if digest(manifest.files) != manifest.digest:
        yield f"{MANIFEST}: its list of files does not have its digest"
    for path, expected in manifest.files.items():
        try:
            data = (folder / path).read_bytes()
        except OSError:
            yield f"{path}: it is missing"
            continue
        if sha256(data) != expected:
            yield f"{path}: it is not as it was exported"
    for part in (AGENT, TESTER):
        for file in sorted((folder / part).rglob("*")):
            path = file.relative_to(folder).as_posix()
            if file.is_file() and path not in manifest.files:
                yield f"{path}: it was not exported"


# ---- what is lacking ---------------------------------------------------------------------------------------------


def _lacks(folder: Path, sheet: Sheet, record: Record) -> Iterator[str]:
    """What a record does not say yet, or says wrongly, by its fields."""
    for field in ("task", "edition", "market", "variant", "protocol"):
        if getattr(record, field) != getattr(sheet, field):
            yield f"{field}: this is the record of another errand"
    yield from _who(sheet, record)
    if record.blocked is None:
        yield "blocked: whether access was blocked"
    if record.blocked:
        if not record.blocked_why:
            yield "blocked_why: what blocked it"
        return
    yield from _times(sheet, record)
    yield from _help(sheet, record)
    yield from _judged(sheet, record)
    yield from _archive(folder, record)


def _who(sheet: Sheet, record: Record) -> Iterator[str]:
    for name in ("name", "version", "plan"):
        if not getattr(record.product, name):
            yield f"product.{name}"
    for name in ("device", "environment", "tester", "attempt", "clock"):
        if not getattr(record, name):
            yield name
    if not _is_date(record.date):
        yield "date: a day such as 2026-11-17"
    if not _is_moment(record.began):
        yield "began: when the prompt was said, with its offset, such as 2026-11-17T08:40:00-08:00"
    fixtures = {p.language: p.fixture for p in sheet.prompts}
    if record.language not in fixtures:
        yield f"language: one of {', '.join(fixtures)}"
    elif record.fixture != fixtures[record.language]:
        yield f"fixture: the SHA-256 of the prompt in {record.language}"


def _times(sheet: Sheet, record: Record) -> Iterator[str]:
    if record.first_response_s is None:
        yield "first_response_s: seconds from the prompt to the first answer"
    if record.completed is None:
        yield "completed: whether the product came to an end of its own"
    if record.completed and record.completed_s is None:
        yield "completed_s: seconds from the prompt to the last word"
    if record.completed is False and record.completed_s is not None:
        yield "completed_s: there is none where it never completed"
    first, last = record.first_response_s, record.completed_s
    if first is not None and last is not None and last < first:
        yield "completed_s: it is before the first answer"
    if sheet.until is not None and record.window_watched is None:
        yield "window_watched: whether it was watched to the end of the window"


def _help(sheet: Sheet, record: Record) -> Iterator[str]:
    if record.helped is None:
        yield "helped: whether a person helped"
    elif record.helped and not record.help:
        yield "help: what the help was, and which criteria it touched"
    elif record.help and not record.helped:
        yield "helped: help is listed, and it says that there was none"
    known = {r.id for r in sheet.criteria}
    for h in record.help:
        for name in h.criteria:
            if name not in known:
                yield f"help: there is no criterion {name!r}"


def _judged(sheet: Sheet, record: Record) -> Iterator[str]:
    said = [j.id for j in record.criteria]
    rows = {r.id: r for r in sheet.criteria}
    for name in dict.fromkeys(said):
        if name not in rows:
            yield f"criteria: there is no criterion {name!r}"
        elif said.count(name) > 1:
            yield f"criteria: {name} stands twice"
    found = {j.id: j for j in record.criteria}
    for name, row in rows.items():
        j = found.get(name)
        if j is None:
            yield f"criteria: {name} is missing"
        elif row.earns and not _either(j):
            yield f"criteria: {name} needs points of 0, 1 or 2, or the result not_observed"
        elif not row.earns and (j.result is None or j.points is not None):
            yield f"criteria: {name} needs a result (met, not_met, partly, not_observed), and no points"


def _either(j: Judged) -> bool:
    return (j.points is None) == (j.result == "not_observed") and j.result in (None, "not_observed")


def _archive(folder: Path, record: Record) -> Iterator[str]:
    for what in KEPT:
        if not any(k.what == what for k in record.archive):
            yield f"archive: a file that is the {what}"
    root = (folder / ARCHIVE).resolve()
    for k in record.archive:
        file = (folder / k.path).resolve()
        if not file.is_relative_to(root) or not file.is_file():
            yield f"archive: {k.path} is not there"
    if not record.redacted:
        yield "redacted: that nothing private is left in the archive"


def _is_date(text: str | None) -> bool:
    try:
        return text is not None and datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _is_moment(text: str | None) -> bool:
    try:
        return text is not None and datetime.datetime.fromisoformat(text).utcoffset() is not None
    except ValueError:
        return False
