"""Looking at files: what is there, what it says, its cells, its picture, and where a word occurs."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from typing import Annotated, Generic, TypeVar
from unicodedata import normalize

from errands.core.errors import ToolError
from errands.world import World
from errands.world.refusals import bad_cursor, offset

from . import files, reading
from .names import AREAS, PICTURES, clean_folder, clean_path, suffix
from .pictures import Picture, picture_of
from .reading import Table, Unreadable
from .store import Row, content, entries, entry, is_folder, shown

PAGE = 20
ROWS = 50
PAGE_CHARS = 20_000
CELL_CHARS = 2_000
Path = Annotated[str, "a file, e.g. workspace/report.md; without an area it is in workspace/"]
Folder = Annotated[str, 'a folder, e.g. workspace/trip; "shared" is the team\'s area, "" is everything']
Cursor = Annotated[str, "the `next` of the page before"]
Offset = Annotated[int, "where to go on: the `next` of the page before"]
V = TypeVar("V")
_Book = tuple[list[str], Table]  # titles of the sheets, and the cells of one


class _Memo(Generic[V]):
    """What files said, by content address: reading is pure and may be slow. Emptied when it is full."""

    def __init__(self, room: int, weigh: Callable[[V], int]):
        self.room, self.weigh, self.used = room, weigh, 0
        self.known: dict[tuple[str, ...], tuple[V | None, tuple[str, str]]] = {}

    def get(self, key: tuple[str, ...], make: Callable[[], V]) -> V:
        found = self.known.get(key)
        if found is None:
            try:
                found = (make(), ("", ""))
            except Unreadable as why:
                found = (None, (why.code, why.message))
            self._keep(key, found)
        value, refusal = found
        if value is None:
            raise Unreadable(*refusal)
        return value

    def _keep(self, key: tuple[str, ...], found: tuple[V | None, tuple[str, str]]) -> None:
        weight = 200 + (0 if found[0] is None else self.weigh(found[0]))
        if self.used + weight > self.room:
            self.known.clear()
            self.used = 0
        self.known[key] = found
        self.used += weight


class _Text:
    """A file's text, and the same folded for finding, made when it is first looked for."""

    __slots__ = ("_folded", "plain", "wide")

    def __init__(self, plain: str):
        self.plain, self.wide, self._folded = plain, plain, ""

    @property
    def folded(self) -> str:
        if not self._folded:
            self.wide = self.plain if self.plain.isascii() else normalize("NFKC", self.plain)
            self._folded = self.wide.casefold()
        return self._folded


_texts: _Memo[_Text] = _Memo(16_000_000, lambda t: len(t.plain))
_tables: _Memo[_Book] = _Memo(4_000_000, lambda t: sum(len(c) + 50 for r in t[1][1] for c in r))
_pictures: _Memo[Picture] = _Memo(4_000_000, lambda p: len(p.png))


def _text(w: World, row: Row) -> _Text:
    name, blob = row["path"], row["blob"]
    return _texts.get((blob, suffix(name)), lambda: _Text(reading.text_of(name, content(w, blob))))


def _answer(why: Unreadable, path: str, sheet: str = "", expected: str = "") -> ToolError:
    code = {"limit": "limit", "sheet": "not_found"}.get(why.code, "invalid")
    field, value = ("sheet", sheet) if why.code == "sheet" else ("path", path)
    return ToolError(code, f"{path}: {why.message}", field=field, value=value, expected=expected)


@files.read("files.read")
def list_(w: World, folder: Folder = "workspace", cursor: Cursor = "") -> Row:
    """List the files in a folder and in all folders below it, in order of path, 20 a page."""
    path = clean_folder(folder)
    if cursor and not cursor.startswith(f"{path}/" if path else AREAS):
        raise bad_cursor(cursor)
    rows = entries(w, path, cursor, PAGE + 1)
    if not rows and path not in ("", *AREAS) and not is_folder(w, path):
        raise ToolError(
            "not_found",
            f"there is no folder {path}",
            field="folder",
            value=folder,
            expected="a folder such as workspace or shared",
        )
    more = rows[PAGE - 1]["path"] if len(rows) > PAGE else ""
    return {"folder": path, "files": [shown(w, r) for r in rows[:PAGE]], "next": more}


@files.read("files.read")
def read(w: World, path: Path, offset: Offset = 0) -> Row:
    """Read the text of a file (CSV, JSON, calendar, XLSX as cells, PDF by page), 20,000 characters a page.

    `next` is the offset of the following page, or null at the end. Pictures and other binary files have none.
    """
    row = entry(w, clean_path(path))
    out = shown(w, row)
    try:
        text = _text(w, row).plain
    except Unreadable as why:
        if why.code != "binary":
            raise _answer(why, row["path"]) from None
        also = "; see it with files_picture" if suffix(row["path"]) in PICTURES else ""
        note = f"not text: {row['media']}, {row['size']} bytes{also}"
        return {**out, "text": None, "binary": True, "note": note}
    if suffix(row["path"]) == "pdf":
        text = _by_page(text)
    if not 0 <= offset <= max(len(text) - 1, 0):
        raise ToolError(
            "invalid",
            "this offset is outside the text",
            field="offset",
            value=offset,
            expected=f"0 to {max(len(text) - 1, 0)}",
        )
    end = offset + PAGE_CHARS
    return {
        **out,
        "text": text[offset:end],
        "binary": False,
        "length": len(text),
        "next": end if end < len(text) else None,
    }


def _by_page(text: str) -> str:
    return "\n".join(f"[page {n}]\n{page}" for n, page in enumerate(text.split("\f"), 1))


@files.read("files.read")
def cells(
    w: World,
    path: Path,
    sheet: Annotated[str, "a sheet of a spreadsheet; empty is the first"] = "",
    cursor: Cursor = "",
) -> Row:
    """Read a CSV, TSV, JSON (list of objects) or XLSX file as columns and rows of text, up to 50 rows a page.

    The first row names the columns; empty rows are left out. Texts beyond 2,000 characters end in "…".
    """
    row = entry(w, clean_path(path))
    name, blob = row["path"], row["blob"]

    def make() -> _Book:
        data = content(w, blob)
        return reading.sheets_of(name, data), reading.cells_of(name, data, sheet)

    try:
        sheets, (columns, lines) = _tables.get((blob, suffix(name), sheet), make)
    except Unreadable as why:
        raise _answer(why, name, sheet, "a CSV, TSV, JSON or XLSX file and one of its sheets") from None
    start = offset(cursor)
    if start and start >= len(lines):
        raise bad_cursor(cursor)
    end, room = start, PAGE_CHARS
    while end < min(len(lines), start + ROWS) and (room > 0 or end == start):
        room -= sum(min(len(c), CELL_CHARS) + 4 for c in lines[end])
        end += 1
    return {
        "path": name,
        "sheet": sheet or (sheets[0] if sheets else ""),
        "sheets": sheets,
        "columns": [_cut(c) for c in columns],
        "rows": [[_cut(c) for c in r] for r in lines[start:end]],
        "total_rows": len(lines),
        "next": str(end) if end < len(lines) else "",
    }


def _cut(cell: str) -> str:
    return cell if len(cell) <= CELL_CHARS else cell[:CELL_CHARS] + "…"


@files.read("files.read")
def picture(w: World, path: Path) -> Row:
    """Look at a picture (PNG, JPEG, GIF, WebP, BMP): its measures, and a PNG of bounded size as base64."""
    row = entry(w, clean_path(path))
    if suffix(row["path"]) not in PICTURES:
        raise ToolError(
            "invalid",
            f"{row['path']} is not a picture",
            field="path",
            value=row["path"],
            expected="a PNG, JPEG, GIF, WebP or BMP file",
        )
    try:
        seen = _pictures.get((row["blob"],), lambda: picture_of(content(w, row["blob"])))
    except Unreadable as why:
        raise _answer(why, row["path"]) from None
    return {
        "path": row["path"],
        "format": seen.format,
        "width": seen.width,
        "height": seen.height,
        "shown_width": seen.shown[0],
        "shown_height": seen.shown[1],
        "png_base64": b64encode(seen.png).decode("ascii"),
    }


@files.read("files.read")
def find(
    w: World,
    query: Annotated[str, "words that must all occur, in the path or in the text"],
    cursor: Cursor = "",
) -> Row:
    """Find files in both areas by path and text, 20 a page in order of path. Pictures: by path only."""
    words = normalize("NFKC", query).casefold().split()
    if not words or len(query) > 200:
        raise ToolError(
            "invalid", "say what to look for", field="query", value=query, expected="1 to 200 characters"
        )
    if cursor and not cursor.startswith(AREAS):
        raise bad_cursor(cursor)
    hits: list[Row] = []
    # All at once: reading a text asks the file again.
    known = w.db.execute("SELECT path, blob FROM files_entry WHERE path > ? ORDER BY path", (cursor,))
    for path, blob in known.fetchall():
        hit = _hit(w, str(path), str(blob), words)
        if hit is not None:
            hits.append(hit)
            if len(hits) > PAGE:
                break
    return {"files": hits[:PAGE], "next": hits[PAGE - 1]["path"] if len(hits) > PAGE else ""}


def _hit(w: World, path: str, blob: str, words: list[str]) -> Row | None:
    name = path if path.isascii() else normalize("NFKC", path)
    name = name.casefold()
    left = [x for x in words if x not in name]
    if not left:
        return {"path": path, "found_in": "path", "excerpt": ""}
    try:
        text = _text(w, {"path": path, "blob": blob})
    except Unreadable:
        return None
    folded = text.folded
    if not all(x in folded for x in left):
        return None
    at = folded.index(left[0])
    excerpt = " ".join(text.wide[max(0, at - 60) : at + 120].split())
    return {"path": path, "found_in": "text", "excerpt": excerpt}
