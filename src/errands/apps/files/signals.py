"""How other apps and persons reach files: saving one, fetching one."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error
from typing import Any

from errands.core.errors import ToolError
from errands.world import World

from . import files
from .names import clean_path, media_of
from .store import content, entry, may_change, put


@files.on("files.save")
def save(w: World, e: dict[str, Any]) -> dict[str, Any]:
    """Write {path, data_b64, media}, by `author` if another than the agent saves; returns {"path"}."""
    path = clean_path(e["path"])
    author = e.get("author", "agent")
    if author == "agent":  # what the agent has another app do for it needs the same grant
        may_change(w, path)
    try:
        data = b64decode(e["data_b64"], validate=True)
    except (Error, ValueError):
        raise ToolError("invalid", "data_b64 is not base64", field="data_b64", expected="base64") from None
    put(w, path, data, media_of(path, e.get("media", "")), author)
    return {"path": path}


@files.on("files.fetch")
def fetch(w: World, e: dict[str, Any]) -> dict[str, Any]:
    """The file at {path} as {"name", "media", "data_b64"}; ToolError `not_found` when there is none."""
    row = entry(w, clean_path(e["path"]))
    return {
        "name": row["path"].rpartition("/")[2],
        "media": row["media"],
        "data_b64": b64encode(content(w, row["blob"])).decode("ascii"),
    }
