"""How builders fill notebooks. What is added later by somebody else is an event, `notes.added`."""

from __future__ import annotations

from errands.world.fixture import Draft


def notebook(d: Draft, *, id: str, name: str) -> str:
    """A notebook; the first by id is the usual one. Returns its id."""
    d.insert("notes_notebook", id=id, name=name)
    return id


def note(d: Draft, *, id: str, notebook: str, title: str, body: str, at: int) -> str:
    """A note that was written at `at` (UTC ms) and not changed since; returns its id."""
    d.insert("notes_note", id=id, notebook=notebook, title=title, body=body, created=at, changed=at)
    return id
