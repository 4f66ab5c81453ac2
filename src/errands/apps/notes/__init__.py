"""Notes in notebooks: to be listed, read, written, changed and deleted."""

from __future__ import annotations

from typing import Annotated, Any

from errands.core.errors import ToolError
from errands.world import App, World
from errands.world.refusals import missing

notes = App("notes", __name__, scopes=("notes.read", "notes.write"))
MOST, LONGEST, LONGEST_TITLE = 500, 20_000, 200  # notes, and characters of a text and of a title
Note = Annotated[str, "a note's id, from notes_list"]


@notes.on("notes.added")
def added(w: World, e: dict[str, Any]) -> None:
    """Somebody else adds a note (an event of the fixture): `id`, `notebook`, `title`, `body`."""
    row = {c: e[c] for c in ("id", "notebook", "title", "body")}
    w.insert("notes_note", **row, created=w.now, changed=w.now)


def _note(w: World, ident: str) -> dict[str, Any]:
    return w.row("notes_note", ident, "note", "an id from notes_list")


def _notebook(w: World, ident: str) -> str:
    """The notebook of this id, or the usual one where none is named."""
    found = w.value("SELECT id FROM notes_notebook WHERE id = ? OR ? = '' ORDER BY id LIMIT 1", ident, ident)
    if found is None:
        raise missing("notebook", ident, "an id from notes_notebooks")
    return str(found)


def _text(field: str, text: str, longest: int) -> str:
    if not text.strip() or len(text) > longest:
        raise ToolError(
            "invalid",
            f"this is no {field} of a note",
            field=field,
            value=text,
            expected=f"a text of 1 to {longest} characters",
        )
    return text


def _shown(w: World, r: dict[str, Any]) -> dict[str, Any]:
    return {
        "note": r["id"],
        "notebook": r["notebook"],
        "title": r["title"],
        "created": w.local(r["created"]),
        "changed": w.local(r["changed"]),
    }


@notes.read("notes.read")
def notebooks(w: World) -> list[dict[str, Any]]:
    """The notebooks, with how many notes each has. The first is the usual one."""
    return w.all(
        "SELECT id AS notebook, name, (SELECT count(*) FROM notes_note n WHERE n.notebook = b.id) AS notes"
        " FROM notes_notebook b ORDER BY id"
    )


@notes.read("notes.read")
def list_(
    w: World, notebook: Annotated[str, "id of one notebook, from notes_notebooks; empty: all"] = ""
) -> list[dict[str, Any]]:
    """The notes by title, the last changed first. What they say: notes_read."""
    if notebook:
        _notebook(w, notebook)
    rows = w.all(
        "SELECT * FROM notes_note WHERE notebook = ? OR ? = '' ORDER BY changed DESC, id DESC",
        notebook,
        notebook,
    )
    return [_shown(w, r) for r in rows]


@notes.read("notes.read")
def read(w: World, note: Note) -> dict[str, Any]:
    """One note with its text."""
    r = _note(w, note)
    return {**_shown(w, r), "body": r["body"]}


@notes.write("notes.write")
def create(
    w: World,
    title: Annotated[str, "the title"],
    body: Annotated[str, "the text"],
    notebook: Annotated[str, "id of a notebook, from notes_notebooks; empty: the usual one"] = "",
) -> dict[str, str]:
    """Write a new note."""
    home = _notebook(w, notebook)
    if w.value("SELECT count(*) FROM notes_note") >= MOST:
        raise ToolError("limit", f"there are {MOST} notes already", expected="delete one first")
    ident = w.new_id("nte")
    w.insert(
        "notes_note",
        id=ident,
        notebook=home,
        title=_text("title", title, LONGEST_TITLE),
        body=_text("body", body, LONGEST),
        created=w.now,
        changed=w.now,
    )
    return {"note": ident, "notebook": home}


@notes.write("notes.write")
def update(
    w: World,
    note: Note,
    title: Annotated[str | None, "another title"] = None,
    body: Annotated[str | None, "another text, whole"] = None,
    notebook: Annotated[str | None, "id of a notebook to move it to"] = None,
) -> dict[str, Any]:
    """Change a note; what is not given stays."""
    _note(w, note)
    changes: dict[str, Any] = {}
    if title is not None:
        changes["title"] = _text("title", title, LONGEST_TITLE)
    if body is not None:
        changes["body"] = _text("body", body, LONGEST)
    if notebook is not None:
        changes["notebook"] = _notebook(w, notebook)
    if not changes:
        raise ToolError("invalid", "nothing to change is given", expected="a title, a text or a notebook")
    w.update("notes_note", note, **changes, changed=w.now)
    return _shown(w, _note(w, note))


@notes.write("notes.write")
def delete(w: World, note: Note) -> dict[str, str]:
    """Delete a note for good."""
    _note(w, note)
    w.run("DELETE FROM notes_note WHERE id = ?", note)
    return {"deleted": note}
