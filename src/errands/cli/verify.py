"""`errands verify PATH…`: is the evidence what was sealed, and does it grade the same here?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from errands.records.find import find_run

from .options import Json, PackDir
from .screen import console, note, put, shown_path


def verify(
    paths: Annotated[list[str], typer.Argument(help="Run folders, by path, name or `last`.")],
    pack: PackDir = None,
    json: Json = False,
) -> None:
    """Check evidence to the byte and grade every attempt again.

    Exit 1: changed, or another verdict; 3: not gradable here.
    """
    from errands.evidence.verify import verify as check
    from errands.exam.rows import stored_verdict

    reports = []
    for name in paths:
        folder = find_run(name)
        stored = {}
        for file in sorted(folder.bundles.glob("*.zip")) if folder.bundles.is_dir() else []:
            if file.stem.isdigit():
                verdict = stored_verdict(folder, int(file.stem), file.read_bytes())
                if verdict is not None:
                    stored[int(file.stem)] = verdict
        reports.append(check(folder.path, stored))
    code = max((1 if r.exit_code == 1 else 0 for r in reports), default=0) or max(
        (r.exit_code for r in reports), default=0
    )
    if json:
        put({"exit": code, "runs": [_json(r) for r in reports]})
    else:
        for r in reports:
            _print(r)
    if code:
        raise typer.Exit(code)


def _json(r: Any) -> dict[str, Any]:
    return {
        "path": r.path,
        "bundles": r.bundles,
        "graded_equal": r.equal,
        "problems": [{"kind": k, "where": w, "why": y} for k, w, y in r.problems],
    }


_WORDS = {
    "changed": "[red]✗ evidence changed[/]",
    "differs": "[red]✗ verdict differs[/]",
    "edition": "[yellow]? not gradable here[/]",
    "unfinished": "[yellow]? unfinished[/]",
}


def _print(r: Any) -> None:
    from rich.markup import escape

    path = shown_path(Path(r.path))
    if not r.problems:
        console().print(
            f" [green]✓[/] {path}: every sealed byte as it was; {r.equal} of {r.bundles} attempts graded here"
            " again, all equal",
            soft_wrap=True,
        )
        return
    console().print(f"{path}: {r.equal} of {r.bundles} attempts intact and equal", soft_wrap=True)
    for kind, where, why in r.problems[:20]:
        console().print(f"  {_WORDS[kind]}  {escape(shown_path(Path(where)))}: {escape(why)}", soft_wrap=True)
    if len(r.problems) > 20:
        note(f"  … and {len(r.problems) - 20} more (see --json)")
