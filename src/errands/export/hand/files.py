"""Files as they are, at their own paths."""

from __future__ import annotations

from errands.world import App

from .scene import Put, Scene, many


def write(app: App, scene: Scene, since: Scene | None) -> Put:
    """The workspace and the shared area, as folders."""
    data = {b["digest"]: b["data"] for b in scene.rows("files_blob")}
    entries = scene.fresh("files_entry", since)
    how = [f"Delete the file {e['path']}." for e in scene.gone("files_entry", since)]
    if entries:
        tops = ", ".join(sorted({e["path"].partition("/")[0] for e in entries}))
        how.insert(
            0,
            f"Put {many(len(entries), 'file')} where the product reads files (a drive, or attached to the first"
            f" message): {tops}.",
        )
    elif since is None:
        how.append(
            "No file is there at the start. Give the product a folder in which it can leave some, if it can."
        )
    return Put({f"files/{e['path']}": data[e["blob"]] for e in entries}, tuple(how))
