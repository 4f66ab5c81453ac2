"""`errands explain ATTEMPT`: why it ended as it did, and a page of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from errands.core.errors import UsageError
from errands.evidence.folder import Planned, RunFolder

from .screen import Json, console, find_attempt, put, shown_path


def explain(attempt: Annotated[str, typer.Argument(help="RUN:N or last:N.")], json: Json = False) -> None:
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
    from errands.exam.run import attempt_record, grade_bundle
    from errands.explain.story import tell

    file = folder.bundle(p.n)
    if not file.is_file():
        raise UsageError("this attempt has not been sat", where=f"{folder.name}:{p.n}",
                         do=f"errands run --resume {shown_path(folder.path)}")
    opened = open_bundle(file.read_bytes(), str(file))
    verdict = grade_bundle(folder, p, opened)
    row = {**attempt_record(folder, p), "run": folder.name, "path": shown_path(folder.path)}
    return tell(opened, verdict, instance_of(p.task, p.market, p.variant, p.language)), row


def write_page(folder: RunFolder, p: Planned, story: Any, row: dict[str, Any]) -> Path:
    """Write the attempt's page into the derived folder; returns its path."""
    from errands.explain.page import page

    file = folder.derived / "pages" / f"{p.n:04d}.html"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(page(story, row), encoding="utf-8")
    return file


def as_json(story: Any, row: dict[str, Any], page: Path) -> dict[str, Any]:
    """The story as one object."""
    failed = story.failed
    return {
        "attempt": f"{row['run']}:{row['n']}", "strict": row["strict"], "status": row["status"], "end_reason": row["end_reason"],
        "failed": None if failed is None else {"id": failed.id, "kind": failed.kind, "reason": failed.reason, "rows": list(failed.rows)},
        "decisive": [{"row": s.seq, "at": s.at, "kind": s.kind, "actor": s.actor, "what": s.words} for s in story.decisive],
        "should_have_stood_before_it": story.before_it,
        "nearest": None if story.nearest is None else {"name": story.nearest.name, "missing": list(story.nearest.missing),
                                                       "extra": list(story.nearest.extra)},
        "right": [c.id for c in story.right], "wrong": [c.id for c in story.wrong],
        "changes": [{"table": c.table, "key": c.key, "rows": list(c.rows)} for c in story.changes], "page": str(page),
    }


def print_story(story: Any, row: dict[str, Any], page: Path) -> None:
    """The story on a terminal."""
    from rich.markup import escape

    out = console()
    contract = story.instance.task.contract
    head = "[green]PASSED[/]" if row["strict"] else "[red]FAILED[/]" if row["status"] == "graded" else f"[yellow]{row['status'].upper()}[/]"
    where = f"{story.failed.kind} {story.failed.id} · " if story.failed else ""
    out.print(f" {head} · {where}{escape(contract.title)} · {row['market']} · variant {row['variant']} · {escape(row['agent'])}",
              soft_wrap=True)
    for n, line in enumerate(contract.boundary):
        out.print(f" {'User allowed' if n == 0 else '':<16}{escape(line)}", soft_wrap=True)
    if story.failed:
        out.print(f" {'Why':<16}{escape(story.failed.reason)}", soft_wrap=True)
    for n, s in enumerate(story.decisive[:4]):
        out.print(f" {'Decisive row' if n == 0 else '':<16}[bold]#{s.seq}[/]  {s.at}  {s.kind}  {escape(s.words)}", soft_wrap=True)
    if story.before_it:
        out.print(f" {'Before it':<16}should have stood: {escape(story.before_it)}", soft_wrap=True)
    if story.nearest and (story.nearest.missing or story.nearest.extra):
        out.print(f" {'Nearest right':<16}{escape(_apart(story.nearest))}", soft_wrap=True)
    marks = "  ".join([f"[green]✓ {c.id}[/]" for c in story.right] + [f"[red]✗ {c.id}[/]" for c in story.wrong])
    out.print(f" {'Criteria':<16}{marks}", soft_wrap=True)
    out.print(f" {'World':<16}{escape(_world(story))}", soft_wrap=True)
    out.print(f" {'Page':<16}{shown_path(page)}", soft_wrap=True)
    out.print(f" {'Next':<16}errands show {story.instance.task.id}   |   errands run oracle --task {story.instance.task.id}"
              f"   |   errands verify {row['path']}", soft_wrap=True)


def _apart(near: Any) -> str:
    parts = [near.name]
    if near.missing:
        parts.append("does also: " + "; ".join(near.missing[:4]))
    if near.extra:
        parts.append("does not: " + "; ".join(near.extra[:4]))
    return ". ".join(parts)


def _world(story: Any) -> str:
    counts: dict[str, int] = {}
    for c in story.changes:
        app = c.table.partition("_")[0]
        if c.table not in ("calendar_occurrence", "mail_recipient", "files_blob"):
            counts[app] = counts.get(app, 0) + 1
    if not counts:
        return "nothing was changed"
    return ", ".join(f"{app}: {n} changed" for app, n in sorted(counts.items())) + "; all else equal"
