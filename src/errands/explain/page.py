"""One offline HTML page of an attempt: verdict, what happened, criteria, the world, timeline."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from typing import Any

from errands.core.types import Kind
from errands.grading.everyday import spoken
from errands.grading.evidence import Change, Entry

from .lines import moment, value
from .moments import moments
from .names import INNER, label, noun, place, shadow
from .story import Story

_LETTERS = frozenset({"body", "message", "notes"})
# In Task.md the `result` of these kinds says what must not be; that of the others says what must.
_MUST_NOT: tuple[Kind, ...] = ("boundary", "prohibited", "disclosure", "scope")
_MOST_RECORDS = 24
_MOST_TEXT = 6_000


@lru_cache(maxsize=4)
def template(package: str, name: str) -> Any:
    """A page's template from a package; `base` in it is the style that all our pages share."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    text = resources.files(package).joinpath(name).read_text(encoding="utf-8")
    env = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    env.globals["base"] = Markup(
        resources.files(__package__).joinpath("base.css").read_text(encoding="utf-8")
    )
    return env.from_string(text)


def page(story: Story, attempt: dict[str, Any]) -> str:
    """The page as text; it loads nothing from anywhere."""
    contract = story.instance.task.contract
    records = [_record(story, c) for c in story.changes if not shadow(c.table)]
    html: str = template(__package__, "page.html").render(
        story=story,
        attempt=attempt,
        task=contract,
        front=contract.front,
        headline=headline(story, attempt),
        everyday=spoken,
        must_not=_MUST_NOT,
        moments=moments(story),
        records=records[:_MOST_RECORDS],
        more=len(records[_MOST_RECORDS:]),
        stated={r.id: r for r in contract.criteria},
        details={e.seq: d for e in story.evidence.ledger if (d := _detail(e))},
        started=moment(story.start, story.zone),
        zone=story.zone,
        instruction=story.instance.instruction,
    )
    return html


def headline(story: Story, attempt: dict[str, Any]) -> str:
    """The verdict in a sentence."""
    if attempt["strict"]:
        return f"All {len(story.verdict.criteria)} criteria are met."
    if story.failed is None:
        return f"{story.ended[:1].upper()}{story.ended[1:]}."
    stated = next(r for r in story.instance.task.contract.criteria if r.id == story.failed.id).result.rstrip(
        "."
    )
    return f"{stated}." if story.failed.kind in _MUST_NOT else f"Not met: {stated[:1].lower()}{stated[1:]}."


def _record(story: Story, c: Change) -> dict[str, Any]:
    """A net change as a card: what it is, its fields before and after, its letter or content, small print."""
    row = c.record
    fields, letters, inner = [], [], []
    for name, (a, b) in c.fields.items():
        old, new = value(name, a, story.zone, 400), value(name, b, story.zone, 400)
        if name in _LETTERS:
            if a or b:
                letters.append((label(name), _text(a), _text(b)))
        elif name in INNER:
            if c.before is not None and c.after is not None and name != "blob":
                inner.append(f"{label(name)} {old} → {new}")
        elif (old, new) != ("nothing", "nothing") and not (c.before is None and b in (0, "[]")):
            fields.append((label(name), "" if a is None else old, "" if b is None else new))
    if c.table == "mail_message":
        to = [r for r in story.evidence.after("mail_recipient").values() if r["message"] == c.key]
        whom = [
            (role, ", ".join(r["email"] for r in to if r["role"] == role)) for role in ("to", "cc", "bcc")
        ]
        fields = [(role, "" if c.before is None else who, who) for role, who in whom if who] + fields
    if c.table == "files_entry":
        letters.append(("content", _content(story, c.before), _content(story, c.after)))
        fields = [f for f in fields if f[0] != "place"]  # it stands in the card's head
    fields.sort(key=lambda f: place(f[0]))
    what = "new" if c.before is None else "removed" if c.after is None else "changed"
    name = row.get("title") or row.get("subject") or row.get("path") or row.get("recipient") or ""
    return {
        "noun": noun(c.table),
        "what": what,
        "name": str(name),
        "key": c.key,
        "fields": fields,
        "letters": letters,
        "inner": "; ".join(inner),
        "proof": ", ".join(c.rows),
    }


def _text(raw: Any) -> str:
    text = "" if raw is None else str(raw)
    return (
        text
        if len(text) <= _MOST_TEXT
        else f"{text[:_MOST_TEXT]}\n… {len(text) - _MOST_TEXT} more characters"
    )


def _content(story: Story, entry: dict[str, Any] | None) -> str:
    """What a file holds, where it is text."""
    if entry is None:
        return ""
    blob = story.evidence.after("files_blob").get(entry["blob"])
    data = blob["data"] if blob else b""
    try:
        return _text(data.decode("utf-8"))
    except UnicodeDecodeError:
        return f"({entry['media']}, {len(data):,} bytes)"


def _detail(e: Entry) -> str:
    """The long form of a clipped row: what was said in full, or arguments and answer of a call."""
    if e.kind == "turn":
        return _text(e.body["text"]) if len(e.body["text"]) > 140 else ""
    if e.kind == "call":
        answer = e.body.get("error", e.body.get("result"))
        said = [_short(e.body.get("args"), 1_500), "→", _short(answer, 600)]
        return "\n".join(said)
    return ""


def _short(raw: Any, width: int) -> str:
    text = json.dumps(raw, ensure_ascii=False, indent=1)
    return text if len(text) <= width else f"{text[:width]} …"
