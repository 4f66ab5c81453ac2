"""`errands explain ATTEMPT`: why it ended as it did, and a page of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from errands.core.errors import UsageError
from errands.evidence.folder import Planned, RunFolder
from errands.records.find import find_attempt

from .options import Json, PackDir
from .results import earned
from .screen import commands, pairs, put, recorded, run_name, shown_path


def explain(
    attempt: Annotated[str, typer.Argument(help="RUN:N or last:N.")],
    pack: PackDir = None,
    json: Json = False,
) -> None:
    """Explain one attempt from its ledger and the nearest accepted solution; no model is asked."""
    folder, planned = find_attempt(attempt)
    story, row = story_of(folder, planned)
    page = write_page(folder, planned, story, row)
    if json:
        put(as_json(story, row, page))
        return
    print_story(story, row, page)


def story_of(folder: RunFolder, p: Planned) -> tuple[Any, dict[str, Any]]:
    """The story of a planned attempt and its record; `UsageError` when it has no evidence."""
    from errands.evidence.regrade import open_bundle
    from errands.exam.attempt import instance_of
    from errands.exam.rows import attempt_record, grade_bundle
    from errands.explain.story import tell

    _, _, data = recorded(f"{folder.path}:{p.n}")
    opened = open_bundle(data, str(folder.bundle(p.n)))
    verdict = grade_bundle(folder, p, opened)
    row = {**attempt_record(folder, p), "run": folder.name, "path": run_name(folder.path)}
    return tell(opened, verdict, instance_of(p.task, p.market, p.variant, p.language)), row


def write_page(folder: RunFolder, p: Planned, story: Any, row: dict[str, Any]) -> Path:
    """Write the attempt's page into the derived folder; returns its path."""
    from errands.explain.page import page

    file = folder.derived / "pages" / f"{p.n:04d}.html"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page(story, row), encoding="utf-8")
    except OSError as why:
        raise UsageError(f"the page cannot be written: {why.strerror}", where=str(file)) from None
    return file


def as_json(story: Any, row: dict[str, Any], page: Path) -> dict[str, Any]:
    """The story as one object."""
    failed = story.failed
    return {
        "attempt": f"{row['run']}:{row['n']}",
        "task": row["task"],
        "market": row["market"],
        "variant": row["variant"],
        "agent": row["agent"],
        "strict": row["strict"],
        "status": row["status"],
        "end_reason": row["end_reason"],
        "ended": story.ended,
        "failed": None
        if failed is None
        else {"id": failed.id, "kind": failed.kind, "reason": failed.reason, "rows": list(failed.rows)},
        "decisive": [
            {"row": s.seq, "at": s.at, "kind": s.kind, "actor": s.actor, "what": s.words}
            for s in story.decisive
        ],
        "should_have_stood_before_it": story.before_it,
        "nearest": None
        if story.nearest is None
        else {
            "name": story.nearest.name,
            "missing": list(story.nearest.missing),
            "extra": list(story.nearest.extra),
        },
        "right": [c.id for c in story.right],
        "wrong": [c.id for c in story.wrong],
        "changes": [{"table": c.table, "key": c.key, "rows": list(c.rows)} for c in story.changes],
        "page": str(page),
    }


def print_story(story: Any, row: dict[str, Any], page: Path, *, onward: bool = True) -> None:
    """The story on a terminal; `onward` says what to type next."""
    from rich.markup import escape

    contract = story.instance.task.contract
    head = (
        "[green bold]PASSED[/]"
        if row["strict"]
        else "[red bold]FAILED[/]"
        if row["status"] == "graded"
        else f"[yellow bold]{row['status'].upper()}[/]"
    )
    if story.failed:
        head += f" at {story.failed.id} ({story.failed.kind})"
    if got := earned(row["scores"]):
        head += f" · {got}"
    marks = [f"[red]✗ {c.id}[/]" for c in story.wrong] + [f"[green]✓ {c.id}[/]" for c in story.right]
    pairs(
        [
            ("Attempt", f"{escape(row['run'])}:{row['n']} · {head}"),
            (
                "Errand",
                f"{escape(contract.title)} · {row['market']} · variant {row['variant']}"
                f" · {escape(row['agent'])}",
            ),
            *(("The line", escape(line)) for line in contract.boundary),
            ("Why", escape(story.failed.reason) if story.failed else ""),
            *(
                ("Decisive row", f"[bold]#{s.seq}[/] {s.at} · {s.actor} · {escape(s.words)}")
                for s in story.decisive[:4]
            ),
            (story.lead[0], escape(story.lead[1])),
            ("Nearest right", escape(_apart(story.nearest)) if story.nearest else ""),
            ("Criteria", "  ".join(marks)),
            ("Ended", escape(story.ended)),
            ("World", escape(_world(story))),
        ]
    )
    commands("Page", [shown_path(page)])
    name = f"{row['path']}:{row['n']}"
    if onward:
        commands(
            "Next",
            [
                f"errands diff {name} oracle",
                f"errands try --from {name}@{story.calls_before}",
                f"errands verify {row['path']}",
            ],
        )


def _apart(near: Any) -> str:
    parts = []
    if near.missing:
        parts.append("also has " + "; ".join(near.missing[:4]))
    if near.extra:
        parts.append("does without " + "; ".join(near.extra[:4]))
    return f"{near.name}, which " + " and ".join(parts) if parts else ""


def _world(story: Any) -> str:
    from errands.explain.names import shadow

    counts: dict[str, int] = {}
    for c in story.changes:
        app = c.table.partition("_")[0]
        if not shadow(c.table):
            counts[app] = counts.get(app, 0) + 1
    if not counts:
        return "nothing was changed"
    return ", ".join(f"{app}: {n} changed" for app, n in sorted(counts.items())) + "; all else equal"
