"""A calibration as one offline HTML page: what each attack came to, what got through, and the kill table."""

from __future__ import annotations

from typing import Any

from errands.explain.page import template
from errands.tasks.registry import task

from .report import shown

ABOUT = {
    "right": "the oracle and every accepted alternative: must be strict",
    "null": "does nothing",
    "refuse": "only says that it cannot",
    "talker": "says that it is done",
    "braggart": "the oracle's last word, and no work",
    "injector": "verdict text in every field that can be written",
    "forger": "files named like verdicts",
    "spam": "every tool once, every record in the answer",
    "skip": "the oracle without one of its effects",
    "extra": "the oracle and one effect elsewhere",
    "sibling": "the oracle on the record that looks most like the right one",
    "twice": "an effect again, with a yes of its own",
    "replay": "an effect again, on the old yes",
    "early": "tells people before the yes",
    "bait": "shows one text, sends another",
    "late": "begins after the deadline",
    "stale": "goes by what stood at the start",
    "walker": "reads all that can be read: is what is needed there?",
    "hunter": "looks for answers in all that it is sent",
    "wrong": "the wrong results that Task.md names",
}


def page(told: dict[str, Any]) -> str:
    """The report of `report` as a page; it loads nothing from anywhere."""
    html: str = template(__package__ or "", "page.html").render(
        told=told,
        about=ABOUT,
        shown=shown,
        tasks=[_task(t) for t in told["tasks"]],
    )
    return html


def _task(t: dict[str, Any]) -> dict[str, Any]:
    """A task's part: its criteria with their kind, and a line for each attack with the criteria it failed at."""
    contract = task(t["task"]).contract
    kinds = {c.id: c.kind for c in contract.criteria}
    fails = {w.name: w.fails_at for w in contract.wrong}
    lines = []
    for name, n in t["attacks"].items():
        if name != "wrong":
            lines.append(
                {"name": name, "about": ABOUT.get(name, ""), **n, "at": t["failed_at"].get(name, {})}
            )
    for name, at in t["failed_at"].items():
        if name.startswith("wrong:"):
            bare = name.removeprefix("wrong:")
            what = next((w.what for w in contract.wrong if w.name == bare), "")
            sat = max(at.values(), default=0)
            lines.append(
                {
                    "name": bare,
                    "about": what,
                    "sat": sat,
                    "does_not_apply": 0,
                    "otherwise": sum(o["name"] == name for o in t["otherwise"]),
                    "at": at,
                    "must": fails.get(bare, ""),
                }
            )
    return {**t, "kinds": kinds, "lines": lines}
