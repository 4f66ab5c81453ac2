"""What a file may be called and what a name says of its kind: fixed rules, nothing asked of the host."""

from __future__ import annotations

from unicodedata import category, normalize

from errands.core.errors import ToolError

AREAS = ("workspace", "shared")
MAX_PATH = 200
MAX_PART_BYTES = 240  # file systems stop at 255 bytes a name
MAX_FILE = 1_000_000
MAX_FILES = 200
# Contents of all files, replaced and deleted ones too: the ledger holds each twice more (call, effect), and a
# world has 8 MiB.
MAX_ALL = 2_000_000

MEDIA = {
    "txt": "text/plain",
    "log": "text/plain",
    "md": "text/markdown",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "json": "application/json",
    "ics": "text/calendar",
    "vcf": "text/vcard",
    "html": "text/html",
    "xml": "application/xml",
    "yaml": "application/yaml",
    "toml": "application/toml",
    "eml": "message/rfc822",
    "pdf": "application/pdf",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "bmp": "image/bmp",
    "zip": "application/zip",
}
PICTURES = frozenset({"png", "jpg", "jpeg", "gif", "webp", "bmp"})
BINARY = PICTURES | {"pdf", "xlsx", "docx", "zip"}
TABLES = frozenset({"csv", "tsv", "json", "xlsx"})

# Marks that turn the reading direction can make a name look like another one.
_TURNING = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_EXPECTED = "parts joined by '/', e.g. workspace/report.md"


def suffix(name: str) -> str:
    """The extension in lower case without its dot, or ""."""
    stem, dot, ext = name.rpartition("/")[2].rpartition(".")
    return ext.lower() if dot and stem else ""


def media_of(name: str, given: str = "") -> str:
    """Media type by extension; what who brings the file says counts where the extension is unknown."""
    return MEDIA.get(suffix(name)) or given or "application/octet-stream"


def clean_path(text: str, field: str = "path") -> str:
    """A file's full path, with its area; ToolError when it cannot name a file."""
    path = _clean(text, field)
    if path in AREAS:
        raise ToolError(
            "invalid", f"{path!r} is an area, not a file", field=field, value=text, expected=_EXPECTED
        )
    return path


def clean_folder(text: str, field: str = "folder") -> str:
    """A folder's full path, or "" for all areas; one '/' at the end is let pass."""
    return _clean(text.removesuffix("/"), field) if text else ""


def _clean(text: str, field: str) -> str:
    path = normalize("NFC", text)
    parts = path.split("/")
    wrong = ""
    if len(path) > MAX_PATH:
        wrong = f"a path of {len(path)} characters is too long"
    elif not all(parts):
        wrong = "a path has no empty part and does not begin or end with '/'"
    elif "." in parts or ".." in parts:
        wrong = "a path has no part '.' or '..'"
    elif "\\" in path or any(c in _TURNING or category(c) in ("Cc", "Cs", "Zl", "Zp") for c in path):
        wrong = "a path has no backslash and no control characters"
    elif any(part != part.strip() for part in parts):
        wrong = "no part of a path begins or ends with a space"
    elif any(len(part.encode()) > MAX_PART_BYTES for part in parts):
        wrong = "a part of this path is too long"
    if wrong:
        raise ToolError("invalid", wrong, field=field, value=_sayable(text), expected=_EXPECTED)
    if parts[0] in AREAS:
        return path
    if len(path) > MAX_PATH - len("workspace/"):
        raise ToolError("invalid", "this path is too long", field=field, value=text, expected=_EXPECTED)
    return f"workspace/{path}"


def _sayable(text: str) -> str:
    return text[:MAX_PATH].encode("utf-8", "backslashreplace").decode()
