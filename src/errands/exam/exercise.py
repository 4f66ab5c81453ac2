"""The exercise stage: what must be run to be checked is run once the agent is out, and becomes rows before the end.

Of pictures, their words are read (`picture.read`), at the paths that the fixture names. Where no reader is installed,
or it fails, the row says so, and the criterion that needs it makes the attempt invalid: that is the exam's fault.
"""

from __future__ import annotations

import json
from typing import Any

from errands.apps.files.reading import Unreadable
from errands.grading.pictures import LEAST, READ, SUFFIXES, raster
from errands.world import World


def exercise(world: World) -> None:
    """Put on record what has to be run for this attempt; nothing for most. Reads, and changes nothing in the world."""
    for stem in json.loads(world.meta.get("pictures", "[]")):
        for path in (f"{stem}.{suffix}" for suffix in SUFFIXES):
            _read(world, path)


def _read(world: World, path: str) -> None:
    row = world.one(
        "SELECT e.blob, b.data FROM files_entry e JOIN files_blob b ON b.digest = e.blob WHERE e.path = ?",
        path,
    )
    if row is None:
        return
    try:
        image = raster(row["data"])
    except Unreadable:  # no picture, which grading sees for itself
        return
    if min(image.size) < LEAST:
        return
    with world.outside("exam", READ) as body:
        body.update(path=path, blob=row["blob"], **_words(image))


def _words(image: Any) -> dict[str, Any]:
    from . import ocr

    try:
        return {"regions": ocr.read(image), "reader": ocr.identity()}
    except Exception as why:  # whatever breaks here is no fault of the agent's
        return {"error": f"{type(why).__name__}: {why}"[:500]}
