"""What the fixture comes to: the next event and what becomes of it, as the feed's own words have it."""

from __future__ import annotations

from typing import Any

from errands.core.canon import decode
from errands.core.errors import TaskError
from errands.grading.compare.texts import find_times
from errands.tasks import Build


def worked_out(b: Build, feed: str) -> dict[str, Any]:
    """The next event and what becomes of it, read from the feed's words as an agent has them."""
    there = [dict(r) for r in b.draft.all("SELECT * FROM feeds_item WHERE feed = ?", feed)]
    begins = {r["id"]: _start(b, r["body"]) for r in there}
    first = min((r for r in there if begins[r["id"]] > b.now), key=lambda r: begins[r["id"]])
    if [*begins.values()].count(begins[first["id"]]) > 1:
        raise TaskError("two events begin first", where=b.package)
    agenda = b.draft.all("SELECT * FROM exam_agenda WHERE name = 'feeds.publish' ORDER BY due")
    comes = [{**decode(r["payload"]), "due": r["due"]} for r in agenda]
    gone = [c for c in comes if c["kind"] == "event" and c["subject"].endswith("cancelled by the organizer")]
    mine = [
        c for c in gone if _start(b, c["body"]) == begins[first["id"]] and first["subject"] in c["subject"]
    ]
    notice, letter = (mine or gone)[0], next(c for c in comes if c["kind"] == "newsletter")
    return {
        "item": first["id"],
        "title": first["subject"],
        "start": begins[first["id"]],
        "when": first["body"].partition(", ")[2].partition(" to ")[0],
        "others": sorted({r["subject"] for r in there} - {first["subject"]}),
        "cancelled": bool(mine),
        "also_cancelled": len(gone) > len(mine),
        "notice": notice["id"],
        "appears": notice["due"],
        "letter": letter["id"],
        "headline": letter["subject"],
        "letter_at": letter["due"],
    }


def _start(b: Build, text: str) -> int:
    """The first time that a text of the feed gives."""
    found = find_times(text, b.market.zone, "MDY", b.today)
    if not found or found[0].value is None:
        raise TaskError(f"there is no time in {text!r}", where=b.package)
    return found[0].value.ms
