"""`errands list`: which errands there are."""

from __future__ import annotations

from .screen import Domain, Json, Language, Market, Suite, Tag, TaskName, Variant, console, put, selection


def list_(suite: Suite = None, domain: Domain = None, task: TaskName = None, market: Market = None, variant: Variant = None,
          tag: Tag = None, language: Language = "en", json: Json = False) -> None:
    """List the errands and how many instances of each a selection has."""
    from errands.tasks.registry import select, tasks

    chosen = select(selection(suite, domain, task, market, variant, tag, language))
    rows = []
    for t in tasks():
        mine = [c for c in chosen if c.task == t.id]
        if mine:
            f = t.contract.front
            rows.append({"task": t.id, "number": f.number, "title": t.contract.title, "suite": f.suite, "domain": f.domain,
                         "markets": sorted({c.market for c in mine}), "variants": sorted({c.variant for c in mine}),
                         "instances": len(mine), "status": f.status, "difficulty": f.difficulty, "tags": list(f.tags)})
    if json:
        put({"tasks": rows, "instances": len(chosen)})
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("task", "what", "markets", "variants", "level", "status"):
        table.add_column(name, overflow="fold")
    for r in rows:
        table.add_row(r["task"], r["title"], " ".join(r["markets"]), ", ".join(map(str, r["variants"])),
                      "●" * r["difficulty"] + "○" * (5 - r["difficulty"]), r["status"])
    console().print(table)
    console().print(f"{len(rows)} errands, {len(chosen)} instances. Look at one: errands show {rows[0]['task']}")
