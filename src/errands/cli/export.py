"""`errands export FORMAT ATTEMPT`: an attempt in a format that other harnesses read."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import Annotated

import typer

from errands.core.errors import UsageError

from .screen import recorded

FORMATS = ("atif",)


def export(
    form: Annotated[str, typer.Argument(metavar="FORMAT", help="atif: Agent Trajectory Interchange Format.")],
    attempt: Annotated[str, typer.Argument(help="RUN:N or last:N.")],
    out: Annotated[Path | None, typer.Option("--out", help="File to write; else it is printed.")] = None,
) -> None:
    """Write an attempt as a trajectory."""
    from errands.evidence.regrade import open_bundle
    from errands.export.atif import trajectory

    if form not in FORMATS:
        raise UsageError(f"there is no format {form!r}", expected=", ".join(FORMATS))
    folder, planned, data = recorded(attempt)
    told = trajectory(open_bundle(data, str(folder.bundle(planned.n))), f"{folder.name}:{planned.n}", data)
    text = jsonlib.dumps(told, ensure_ascii=False, indent=1)
    if out is None:
        print(text)
        return
    try:
        out.write_text(text + "\n", encoding="utf-8")
    except OSError as why:
        raise UsageError(f"it cannot be written: {why.strerror}", where=str(out)) from None
