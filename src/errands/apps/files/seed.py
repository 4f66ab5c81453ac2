"""How builders fill the workspace and the shared area."""

from __future__ import annotations

from errands.core.errors import TaskError, ToolError
from errands.world.fixture import Draft, blob_name

from .names import MAX_FILE, clean_path, media_of


def file(d: Draft, *, path: str, data: bytes, modified: int, author: str, media: str | None = None) -> str:
    """One file: `modified` UTC ms, media type by extension unless given. Returns its path.

    Raises `TaskError` for a path or a size that the app would refuse.
    """
    where = f"fixture, file {path!r}"
    try:
        path = clean_path(path)
    except ToolError as why:
        raise TaskError(str(why), where=where) from None
    if len(data) > MAX_FILE:
        raise TaskError(f"{len(data)} bytes are too many", where=where, expected=f"at most {MAX_FILE}")
    parts = path.split("/")
    above = ["/".join(parts[:n]) for n in range(2, len(parts))]
    for other in (str(r[0]) for r in d.db.execute("SELECT path FROM files_entry")):
        if other in above or other.startswith(f"{path}/"):
            raise TaskError(f"it clashes with {other!r}: a file cannot be a folder", where=where)
    blob = blob_name(data)
    if not d.db.execute("SELECT 1 FROM files_blob WHERE digest = ?", (blob,)).get:
        d.insert("files_blob", digest=blob, data=data)
    media = media or media_of(path)
    d.insert("files_entry", path=path, blob=blob, media=media, modified=modified, author=author)
    return path
