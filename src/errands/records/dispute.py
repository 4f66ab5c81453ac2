"""A dispute: a reader holds that an attempt was judged wrongly, and hands over all that is needed to see it."""

from __future__ import annotations

import json
from pathlib import Path

from errands import __version__
from errands.core.errors import UsageError
from errands.core.types import Verdict
from errands.evidence.bundle import pack
from errands.evidence.folder import Planned, RunFolder
from errands.evidence.regrade import Opened, key_of
from errands.exam.attempt import verdict_json
from errands.tasks.registry import task as find

README = """A dispute about one attempt.

dispute.json   what the reader holds to be wrong, and which verdict it is about
attempt.zip    the sealed evidence; attempt.sqlite in it is the world with its whole history
key.json       what was expected
verdict.json   how it was graded
Task.md        the errand as it stood: instruction, boundary, criteria

To see for yourself, put attempt.zip into bundles/ and key.json into keys/ of the run (or open attempt.sqlite in any
SQLite tool). Accepted disputes are listed in docs/errata.md, with the edition that mends them.
"""


def dispute(
    folder: RunFolder,
    p: Planned,
    data: bytes,
    opened: Opened,
    verdict: Verdict,
    *,
    because: str,
    criterion: str = "",
) -> bytes:
    """The bundle of a dispute (the same bytes for the same dispute).

    `because`: the reader's reason. `criterion`: the one that is held to be wrong; `UsageError` if there is no such.
    """
    names = [c.id for c in verdict.criteria]
    if criterion and criterion not in names:
        raise UsageError(
            f"there is no criterion {criterion!r}", where="--criterion", expected=", ".join(names)
        )
    if len(because.split()) < 3:
        raise UsageError(
            "a reason is missing", where="--because", expected="what is wrong with the verdict, in a sentence"
        )
    found = find(p.task)
    about = {
        "attempt": f"{folder.name}:{p.n}",
        "task": p.task,
        "market": p.market,
        "variant": p.variant,
        "language": p.language,
        "edition": opened.manifest["edition"],
        "task_digest": opened.manifest["task_digest"],
        "fixture": opened.manifest["fixture"],
        "errands": __version__,
        "criterion": criterion,
        "because": because,
        "verdict": {c.id: c.result for c in verdict.criteria},
    }
    return pack(
        {
            "README.txt": README.encode(),
            "dispute.json": (json.dumps(about, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode(),
            "attempt.zip": data,
            "key.json": key_of(folder, p).encode(),
            "verdict.json": verdict_json(verdict, {}).encode(),
            "Task.md": _task_md(found.package),
        }
    )


def _task_md(package: str) -> bytes:
    from importlib import resources

    return resources.files(package).joinpath("Task.md").read_bytes()


def save(data: bytes, out: Path) -> Path:
    """Write it where nothing stands yet."""
    try:
        with out.open("xb") as f:
            f.write(data)
    except FileExistsError:
        raise UsageError("this file exists already", where=str(out), do="choose another with --out") from None
    return out
