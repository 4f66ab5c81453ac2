"""Entries and bytes in the world: how files are found, put, moved and taken away, and within which limits."""

from __future__ import annotations

from typing import Any

from errands.core.errors import ToolError
from errands.world import World
from errands.world.fixture import blob_name

from .names import MAX_ALL, MAX_FILE, MAX_FILES

Row = dict[str, Any]
_ROW = """SELECT e.path, length(b.data) AS size, e.media, e.modified, e.author, e.blob
  FROM files_entry e JOIN files_blob b ON b.digest = e.blob"""


def shown(w: World, row: Row) -> Row:
    """An entry as an agent reads it."""
    return {
        "path": row["path"],
        "size": row["size"],
        "media": row["media"],
        "modified": w.local(row["modified"]),
        "author": row["author"],
    }


def entries(w: World, folder: str, after: str, count: int) -> list[Row]:
    """Entries below a folder ("" is everything) that come after this path, in order of path."""
    low, high = (f"{folder}/", f"{folder}0") if folder else ("", "\U0010ffff")  # '0' follows '/'
    where = "WHERE e.path > ? AND e.path < ? ORDER BY e.path LIMIT ?"
    return w.all(f"{_ROW} {where}", max(low, after), high, count)


def is_folder(w: World, path: str) -> bool:
    """Whether files lie below this path."""
    sql = "SELECT 1 FROM files_entry WHERE path > ? AND path < ?"
    return w.value(sql, f"{path}/", f"{path}0") is not None


def entry(w: World, path: str, field: str = "path") -> Row:
    """The entry at a clean path, or the error that an agent reads."""
    row = w.one(f"{_ROW} WHERE e.path = ?", path)
    if row is None:
        what = f"{path} is a folder, not a file" if is_folder(w, path) else f"there is no file {path}"
        raise ToolError(
            "not_found", what, field=field, value=path, expected="a path such as one from files_list"
        )
    return row


def content(w: World, blob: str) -> bytes:
    """The bytes at a content address that an entry names."""
    data: bytes = w.value("SELECT data FROM files_blob WHERE digest = ?", blob)
    return data


def may_change(w: World, path: str, field: str = "path") -> None:
    """Refuse a change in the shared area unless sharing was granted and still is."""
    if path.startswith("shared/") and not w.value(
        "SELECT live FROM exam_grant WHERE app = 'files' AND scope = 'files.share'"
    ):
        raise ToolError(
            "permission",
            "changing files in shared/ was not granted",
            field=field,
            value=path,
            expected="a path under workspace/, or the scope files.share",
        )


def put(w: World, path: str, data: bytes, media: str, author: str, field: str = "path") -> bool:
    """Create or replace the file at a clean path; returns whether it is new. Raises before it writes."""
    if len(data) > MAX_FILE:
        raise ToolError(
            "limit",
            f"a file of {len(data)} bytes is too big",
            field=field,
            value=path,
            expected=f"at most {MAX_FILE} bytes",
        )
    blob = blob_name(data)
    old = w.value("SELECT blob FROM files_entry WHERE path = ?", path)
    _has_room(w, path, blob, len(data), old is None, field)
    if old is None:
        _fits_tree(w, path, field)
    w.run("INSERT INTO files_blob VALUES (?, ?) ON CONFLICT DO NOTHING", blob, data)
    if old is None:
        w.insert("files_entry", path=path, blob=blob, media=media, modified=w.now, author=author)
    else:
        w.run(
            "UPDATE files_entry SET blob = ?, media = ?, modified = ?, author = ? WHERE path = ?",
            blob,
            media,
            w.now,
            author,
            path,
        )
    return old is None


def remove(w: World, path: str) -> None:
    """Take an entry away; its bytes stay (see the schema)."""
    w.run("DELETE FROM files_entry WHERE path = ?", path)


def relocate(w: World, row: Row, to: str, field: str = "to") -> None:
    """Give an entry another path that is free."""
    remove(w, row["path"])
    must_be_free(w, to, field)
    kept = {c: row[c] for c in ("blob", "media", "modified", "author")}
    w.insert("files_entry", path=to, **kept)


def must_be_free(w: World, path: str, field: str) -> None:
    """Refuse a path at which a file is already, or that does not fit among the folders."""
    if w.value("SELECT 1 FROM files_entry WHERE path = ?", path):
        raise ToolError(
            "conflict", f"{path} exists already", field=field, value=path, expected="a path that is free"
        )
    _fits_tree(w, path, field)


def _fits_tree(w: World, path: str, field: str) -> None:
    if is_folder(w, path):
        raise ToolError(
            "conflict", f"{path} is a folder", field=field, value=path, expected="a path that is no folder"
        )
    above = path.rpartition("/")[0]
    while "/" in above:
        if w.value("SELECT 1 FROM files_entry WHERE path = ?", above):
            raise ToolError(
                "conflict",
                f"{above} is a file, so nothing can lie below it",
                field=field,
                value=path,
                expected="a path whose folders are no files",
            )
        above = above.rpartition("/")[0]


def _has_room(w: World, path: str, blob: str, size: int, new: bool, field: str) -> None:
    if new:
        count = w.value("SELECT count(*) FROM files_entry")
        if count >= MAX_FILES:
            raise ToolError(
                "limit",
                f"there are {count} files already",
                field=field,
                value=path,
                expected=f"at most {MAX_FILES} files",
            )
    # Contents cannot be more than the whole world has, which is quick to ask.
    if w.value("PRAGMA page_count") * w.value("PRAGMA page_size") + size <= MAX_ALL:
        return
    others = w.value("SELECT ifnull(sum(length(data)), 0) FROM files_blob WHERE digest <> ?", blob)
    if others + size > MAX_ALL:
        raise ToolError(
            "limit",
            "the storage is full; old contents are kept and count",
            field=field,
            value=path,
            expected=f"at most {MAX_ALL} bytes in all",
        )
