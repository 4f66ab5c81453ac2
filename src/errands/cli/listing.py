"""`errands list`: which errands there are."""

from __future__ import annotations

from typing import Any

from .options import Chosen, Json, PackDir, grouped
from .screen import commands, console, indented, put


@grouped
def list_(
    chosen: Chosen,
    pack: PackDir = None,
    json: Json = False,
) -> None:
    """List the errands and how many instances of each a selection has."""
    from errands.tasks.registry import select, tasks
    from errands.tasks.standing import pack_of, standing

    choices = select(chosen.selection)
    rows: list[dict[str, Any]] = []
    for t in tasks():
        mine = [c for c in choices if c.task == t.id]
        if mine:
            f, markets = t.contract.front, sorted({c.market for c in mine})
            stands = {m: standing(t, m) for m in markets}
            brought = pack_of(t)
            rows.append(
                {
                    "task": t.id,
                    "number": f.number,
                    "title": t.contract.title,
                    "suite": f.suite,
                    "domain": f.domain,
                    "pack": brought.name if brought else "",
                    "markets": markets,
                    "variants": sorted({c.variant for c in mine}),
                    "instances": len(mine),
                    "status": next((x.status for x in stands.values() if x.status != "ready"), "ready"),
                    "not_ready": {m: x.why for m, x in stands.items() if x.status != "ready"},
                    "difficulty": f.difficulty,
                    "tags": list(f.tags),
                }
            )
    if json:
        put({"tasks": rows, "instances": len(choices)})
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for name in ("Errand", "Market", "Variants", "Level"):
        table.add_column(name, no_wrap=True)
    table.add_column("What")
    for r in rows:
        mark = "" if r["status"] == "ready" else f" [yellow]{r['status']}[/]"
        table.add_row(
            r["task"], " ".join(r["markets"]), _span(r["variants"]), f"{r['difficulty']}/5", r["title"] + mark
        )
    console().print(indented(table))
    drafts = [r for r in rows if r["not_ready"]]
    console().print(
        f" {len(rows)} errand{'s' * (len(rows) != 1)}, {len(choices)} instance{'s' * (len(choices) != 1)}"
        + (f"; {len(drafts)} not ready" if drafts else ""),
        soft_wrap=True,
    )
    if drafts:
        market, why = next(iter(drafts[0]["not_ready"].items()))
        console().print(f" [dim]{drafts[0]['task']}@{market}: {why}[/]", soft_wrap=True)
    commands("Next", [f"errands show {rows[0]['task']}", "errands run oracle --quick"], width=4)


def _span(numbers: list[int]) -> str:
    """`0–2` where they follow one another, else each."""
    if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]}–{numbers[-1]}"
    return ", ".join(map(str, numbers))
