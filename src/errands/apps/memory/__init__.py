"""A memory for agents that have none of their own: short texts that outlive a session."""

from __future__ import annotations

from typing import Annotated, Any

from errands.core.errors import ToolError
from errands.world import App, World

memory = App("memory", __name__, scopes=("memory.use",))
MOST, LONGEST = 200, 4_000  # entries, and characters of one
Text = Annotated[str, "what to remember, as a text"]
Entry = Annotated[str, "an entry's id, from memory_list"]


def _text(text: str) -> str:
    if not text.strip() or len(text) > LONGEST:
        raise ToolError(
            "invalid",
            "this cannot be remembered",
            field="text",
            value=text,
            expected=f"a text of 1 to {LONGEST} characters",
        )
    return text


def _entry(w: World, ident: str) -> dict[str, Any]:
    return w.row("memory_entry", ident, "entry", "an id from memory_list")


@memory.write("memory.use")
def save(w: World, text: Text) -> dict[str, str]:
    """Remember something beyond this conversation."""
    if w.value("SELECT count(*) FROM memory_entry") >= MOST:
        raise ToolError("limit", "the memory is full", expected="delete something first")
    ident = w.new_id("mem")
    w.insert("memory_entry", id=ident, text=_text(text), saved=w.now, changed=w.now)
    return {"entry": ident}


@memory.read("memory.use")
def list_(w: World) -> list[dict[str, str]]:
    """All that is remembered, oldest first."""
    return w.all("SELECT id AS entry, text FROM memory_entry ORDER BY saved, id")


@memory.write("memory.use")
def update(w: World, entry: Entry, text: Text) -> dict[str, str]:
    """Put another text in the place of what an entry holds."""
    _entry(w, entry)
    w.update("memory_entry", entry, text=_text(text), changed=w.now)
    return {"entry": entry}


@memory.write("memory.use")
def delete(w: World, entry: Entry) -> dict[str, str]:
    """Forget an entry for good."""
    _entry(w, entry)
    w.run("DELETE FROM memory_entry WHERE id = ?", entry)
    return {"deleted": entry}


@memory.read("memory.use")
def inspect(w: World, entry: Entry) -> dict[str, Any]:
    """One entry with the times at which it was saved and last changed."""
    row = _entry(w, entry)
    return {
        "entry": row["id"],
        "text": row["text"],
        "saved": w.local(row["saved"]),
        "changed": w.local(row["changed"]),
    }
