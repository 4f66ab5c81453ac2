"""A new task in a pack of one's own: a small one that calibrates as it is, or one that a recorded failure starts."""

from __future__ import annotations

import json
import re
import shutil
import uuid
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from errands.core.errors import UsageError
from errands.core.packs import NAME
from errands.core.types import Verdict
from errands.grading.evidence import Evidence
from errands.tasks.task import Instance

REPLAY = """

# ---- what the recorded attempt did, call by call -------------------------------------------------------------------


def recorded(s: Seat, k: Key) -> None:
    from errands.tasks.ways import play

    play(s, __package__)


task.wrong("recorded", recorded)
"""


def new_task(name: str, root: Path = Path()) -> Path:
    """Write `PACK/TASK` as a task that works, below `root`; returns its folder. `UsageError` if it is there already."""
    pack, task, folder = _place(name, root)
    for path, text in _template(resources.files(__package__ or "").joinpath("template")):
        filled = (
            text.replace("{{id}}", f"{pack.replace('_', '-')}-{task.replace('_', '-')}")
            .replace("{{pack}}", pack.replace("_", "-"))
            .replace("{{number}}", f"P.{_count(folder.parent):02d}")
            .replace("{{canary}}", f"{re.sub('[^A-Z]', '', pack.upper()) or 'PACK'}-CANARY {uuid.uuid4()}")
        )
        _put(folder / path, filled)
    _put(folder / "__init__.py", f'"""{task.replace("_", " ").capitalize()}. See Task.md."""\n')
    return folder


def from_failure(
    name: str, instance: Instance, verdict: Verdict, evidence: Evidence, attempt: str, root: Path = Path()
) -> Path:
    """The task of a failed attempt as one of a pack, in that market and variant alone, the failure a wrong result."""
    failed = next((c for c in verdict.criteria if c.result != "met"), None)
    if failed is None:
        raise UsageError(
            "this attempt met every criterion",
            where=attempt,
            expected="one that failed",
            do="errands results",
        )
    pack, task, folder = _place(name, root)
    home = resources.files(instance.task.package)
    with resources.as_file(home) as source:
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    ident = f"{pack.replace('_', '-')}-{task.replace('_', '-')}"
    text = (folder / "Task.md").read_text(encoding="utf-8")
    for field, value in {
        "id": f'"{ident}"',
        "number": f'"P.{_count(folder.parent) - 1:02d}"',
        "suite": f'"{pack.replace("_", "-")}"',
        "markets": f'["{instance.market}"]',
        "variants": "1",
        "edition": "1",
        "adapted_from": f'"{instance.name}, attempt {attempt}"\nfacts_of = "{instance.name}"',
        "canary": f'"PACK-CANARY {uuid.uuid4()}"',
    }.items():
        text = re.sub(rf"(?m)^{field} = .*$", lambda _, f=field, v=value: f"{f} = {v}", text, count=1)  # type: ignore[misc]
    head = "| name | fails at | what |\n|---|---|---|\n"
    row = f"| recorded | {failed.id} | what an agent did once: attempt {attempt.replace('|', '')} |\n"
    _put(folder / "Task.md", text.replace(head, head + row, 1))
    _put(folder / "recorded.json", json.dumps(_steps(evidence), ensure_ascii=False, indent=1) + "\n")
    with (folder / "solutions.py").open("a", encoding="utf-8") as f:
        f.write(REPLAY)
    return folder


def _steps(e: Evidence) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for entry in e.ledger:
        if entry.actor == "agent" and entry.kind == "call" and isinstance(entry.body["args"], dict):
            out.append({"call": entry.name, "with": entry.body["args"]})
        elif entry.actor == "agent" and entry.kind == "turn":
            out.append({"say": entry.body["text"]})
    return out


def _place(name: str, root: Path) -> tuple[str, str, Path]:
    pack, _, task = name.partition("/")
    for part in (pack, task):
        if not NAME.fullmatch(part.replace("-", "_")):
            raise UsageError(
                f"{name!r} is no name of a task in a pack",
                expected="PACK/TASK in small letters, such as acme/late-fee",
            )
    folder = root / pack / "tasks" / task.replace("-", "_")
    if folder.exists():
        raise UsageError("this task is there already", where=str(folder), do="choose another name")
    folder.parent.mkdir(parents=True, exist_ok=True)
    for package, what in ((root / pack, "A pack of errands"), (folder.parent, "Its tasks")):
        if not (package / "__init__.py").exists():
            _put(package / "__init__.py", f'"""{what}."""\n')
    return pack.replace("-", "_"), task.replace("-", "_"), folder


def _count(tasks: Path) -> int:
    return 1 + sum(1 for f in tasks.iterdir() if (f / "Task.md").is_file())


def _template(folder: Traversable, prefix: str = "") -> list[tuple[str, str]]:
    out = []
    for f in folder.iterdir():
        if f.is_dir() and not f.name.startswith("__"):
            out += _template(f, f"{prefix}{f.name}/")
        elif f.is_file() and not f.name.endswith(".pyc"):
            out.append((prefix + f.name, f.read_text(encoding="utf-8")))
    return out


def _put(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
