"""`errands list`: which errands there are."""

from __future__ import annotations

from typing import Any

from .screen import (
    Domain,
    Json,
    Language,
    Market,
    Suite,
    Tag,
    TaskName,
    Variant,
    commands,
    console,
    indented,
    put,
    selection,
)


def list_(
    suite: Suite = None,
    domain: Domain = None,
    task: TaskName = None,
    market: Market = None,
    variant: Variant = None,
    tag: Tag = None,
    language: Language = "en",
    json: Json = False,
) -> None:
    """List the errands and how many instances of each a selection has."""
    from errands.tasks.registry import select, tasks

    chosen = select(selection(suite, domain, task, market, variant, tag, language))
    rows: list[dict[str, Any]] = []
    for t in tasks():
        mine = [c for c in chosen if c.task == t.id]
        if mine:
            f = t.contract.front
            rows.append(
                {
                    "task": t.id,
                    "number": f.number,
                    "title": t.contract.title,
                    "suite": f.suite,
                    "domain": f.domain,
                    "markets": sorted({c.market for c in mine}),
                    "variants": sorted({c.variant for c in mine}),
                    "instances": len(mine),
                    "status": f.status,
                    "difficulty": f.difficulty,
                    "tags": list(f.tags),
                }
            )
    if json:
        put({"tasks": rows, "instances": len(chosen)})
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for name in ("Errand", "Market", "Variants", "Level"):
        table.add_column(name, no_wrap=True)
    table.add_column("What")
    for r in rows:
        table.add_row(
            r["task"], " ".join(r["markets"]), _span(r["variants"]), f"{r['difficulty']}/5", r["title"]
        )
    console().print(indented(table))
    drafts = sum(r["status"] == "draft" for r in rows)
    console().print(
        f" {len(rows)} errand{'s' * (len(rows) != 1)}, {len(chosen)} instance{'s' * (len(chosen) != 1)}"
        + (f"; {drafts} still draft (not yet calibrated)" if drafts else ""),
        soft_wrap=True,
    )
    commands("Next", [f"errands show {rows[0]['task']}", "errands run oracle"], width=4)


def _span(numbers: list[int]) -> str:
    """`0–2` where they follow one another, else each."""
    if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]}–{numbers[-1]}"
    return ", ".join(map(str, numbers))
