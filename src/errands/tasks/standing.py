"""Whether an errand may count: `ready` once it is calibrated as it stands now, `draft` before, `withdrawn` after.

`calibration.lock`, beside the tasks of the library or of a pack, holds what was calibrated: digests of the task's
folder, of its apps, of what grades it (the comparators that it leads to, rules of languages, persons) and of each
market. Where one differs today, the errand is a draft again until somebody calibrates it. Kernel changes are held by
the golden evidence.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from errands.core.canon import digest
from errands.core.errors import TaskError, UsageError
from errands.core.packs import Pack, packs
from errands.markets import folder
from errands.world import app

from .closure import sources
from .registry import LIBRARY
from .task import Task, folder_digest

LOCK = "calibration.lock"
WHOLE = (
    "errands.languages",
    "errands.people",
)  # what may reach any verdict, words and rules as data among it


class Locked(BaseModel):
    """What was calibrated of one task, as digests; `markets` holds one for each market."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    task: str
    apps: str
    grading: str
    markets: dict[str, str]


@dataclass(frozen=True, slots=True)
class Standing:
    """`ready`, `draft` or `withdrawn`, and why it is not ready."""

    status: str
    why: str = ""


def standing(task: Task, market: str) -> Standing:
    """How an errand stands in a market today."""
    declared = task.contract.front.status
    if declared != "ready":
        return Standing(declared, "its Task.md says so")
    locked = _lock(home_of(task)).get(task.id)
    if locked is None or market not in locked.markets:
        return Standing("draft", "it has not been calibrated")
    now = digests(task, market)
    then = {**locked.model_dump(include={"task", "apps", "grading"}), "market": locked.markets[market]}
    changed = [name for name in now if now[name] != then[name]]
    named = {"task": "its folder", "apps": "its apps", "grading": "grading", "market": f"market {market}"}
    if changed:
        return Standing("draft", f"{' and '.join(named[c] for c in changed)} changed since its calibration")
    return Standing("ready")


def digests(task: Task, market: str) -> dict[str, str]:
    """What a calibration covers, as it is now."""
    return {
        "task": task.digest,
        "apps": digest([_package(app(a).package) for a in sorted(task.contract.front.apps)]),
        "grading": digest([_grading(task), *(_package(name) for name in WHOLE)]),
        "market": _market(market, packs()),
    }


@lru_cache(maxsize=1024)
def _grading(task: Task) -> list[list[str]]:
    """Names and digests of the sources that a task's verdicts rest on, beside its folder."""
    pack = pack_of(task)
    found = sources(task.package, pack.package if pack else LIBRARY, home_of(task))
    return [[name, hashlib.sha256(file.read_bytes()).hexdigest()] for name, file in found]


@lru_cache(maxsize=64)
def _package(name: str) -> str:
    return folder_digest(resources.files(name))


@lru_cache(maxsize=32)
def _market(code: str, brought: tuple[Pack, ...]) -> str:
    return folder_digest(folder(code))


# ---- the file ----------------------------------------------------------------------------------------------------


def pack_of(task: Task) -> Pack | None:
    """The pack that a task comes from; None for our own library."""
    return next((p for p in packs() if task.package.startswith(f"{p.package}.")), None)


def home_of(task: Task) -> Traversable:
    """The folder in which the lock of a task's library or pack lies."""
    pack = pack_of(task)
    return pack.folder if pack else resources.files(LIBRARY)


def pack_digest(pack: Pack) -> str:
    """Digest of all of a pack's files but its lock."""
    return folder_digest(pack.folder, without=(LOCK,))


def _lock(home: Traversable) -> Mapping[str, Locked]:
    file = home.joinpath(LOCK)
    return _read(str(file), file.read_text(encoding="utf-8")) if file.is_file() else {}


@lru_cache(maxsize=16)
def _read(where: str, text: str) -> Mapping[str, Locked]:
    try:
        raw = json.loads(text)
        return {name: Locked.model_validate(entry) for name, entry in raw.items()}
    except (ValueError, ValidationError, AttributeError) as why:
        raise TaskError(
            f"this is no lock of a calibration ({type(why).__name__})",
            where=where,
            expected="what `errands calibrate --lock` writes",
            do="delete it and calibrate again",
        ) from None


def lock(calibrated: Mapping[Task, Collection[str]]) -> list[Path]:
    """Write down what was calibrated and green, by task its markets; returns the files written.

    Markets of a task that were calibrated before and have not changed since stay.
    """
    by_home: dict[str, dict[str, Any]] = {}
    for task, markets in calibrated.items():
        home = home_of(task)
        if not isinstance(home, Path):
            raise UsageError(f"{home} cannot be written", do="calibrate in a checkout or a folder")
        entries = by_home.setdefault(str(home), {k: v.model_dump() for k, v in _lock(home).items()})
        kept = {m: d for m, d in _still(task).items() if m not in markets}
        parts = digests(task, next(iter(markets)))
        entries[task.id] = {
            **{name: parts[name] for name in ("task", "apps", "grading")},
            "markets": dict(sorted({**kept, **{m: digests(task, m)["market"] for m in markets}}.items())),
        }
    return [_write(Path(home) / LOCK, entries) for home, entries in by_home.items()]


def _still(task: Task) -> dict[str, str]:
    locked = _lock(home_of(task)).get(task.id)
    markets = locked.markets if locked else {}
    return {m: d for m, d in markets.items() if standing(task, m).status == "ready"}


def _write(file: Path, entries: dict[str, Any]) -> Path:
    text = json.dumps(dict(sorted(entries.items())), indent=1, ensure_ascii=False) + "\n"
    part = file.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(file)
    return file
