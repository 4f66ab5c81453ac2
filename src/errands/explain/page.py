"""One offline HTML page of an attempt: verdict, decisive moment, criteria, the world before and after, timeline."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from typing import Any

from errands.grading.evidence import Change
from errands.tasks.task import local_time

from .lines import value
from .story import Story

_TITLES = {
    "calendar_event": "Calendar", "calendar_notice": "Calendar notices", "calendar_attendee": "Attendees",
    "mail_message": "Mail", "mail_draft": "Drafts", "files_entry": "Files", "contacts_person": "Contacts",
    "mail_auto_reply": "Automatic reply",
}
_QUIET = frozenset({"calendar_occurrence", "mail_recipient", "files_blob", "mail_file"})


@lru_cache(maxsize=1)
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    text = resources.files("errands.explain").joinpath("page.html").read_text(encoding="utf-8")
    return Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True).from_string(text)


def page(story: Story, attempt: dict[str, Any]) -> str:
    """The page as text; it loads nothing from anywhere."""
    front = story.instance.task.contract.front
    html: str = _template().render(
        story=story, attempt=attempt, task=story.instance.task.contract, front=front,
        changes=[_shown(c, story.zone) for c in story.changes if c.table not in _QUIET],
        started=local_time(story.start, story.zone), zone=story.zone, instruction=story.instance.instruction)
    return html


def _shown(c: Change, zone: str) -> dict[str, Any]:
    """A net change as before and after, column by column."""
    rows = [(k, _cell(k, a, zone), _cell(k, b, zone)) for k, (a, b) in c.fields.items() if (a, b) != (None, "") and k != "id"]
    what = "new" if c.before is None else "removed" if c.after is None else "changed"
    row = c.after or c.before or {}
    name = row.get("title") or row.get("subject") or row.get("path") or row.get("recipient") or c.key
    return {"place": _TITLES.get(c.table, c.table), "what": what, "name": str(name), "key": c.key, "rows": rows,
            "proof": ", ".join(c.rows)}


def _cell(name: str, raw: Any, zone: str) -> str:
    if raw is None:
        return "—"
    return str(raw) if name == "body" else value(name, raw, zone)
