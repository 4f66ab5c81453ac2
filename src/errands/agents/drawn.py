"""Pictures that a command-line program has made in its own working folder, where the errand is about pictures."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path

from errands.apps.files.reading import Unreadable
from errands.grading.pictures import SUFFIXES, raster

from .memory import MAX_BYTES, remembered

# An attempt's record holds each picture as text, and is full at three million bytes.
MOST = 500_000


def drawn(folder: Path, stems: Iterable[str]) -> dict[str, bytes]:
    """The pictures that lie there at these paths of the user's workspace (without their extension), by path.

    The program made them, so no link is followed. One that is too big for the record is made smaller in bytes, and
    in pixels if need be; what is no picture is left out.
    """
    paths = [f"{stem}.{suffix}" for stem in stems for suffix in SUFFIXES]
    found = dict(remembered(folder, [p.removeprefix("workspace/") for p in paths]))
    return {p: d for p in paths if (d := _fitted(found.get(p.removeprefix("workspace/"), b"")))}


def _fitted(data: bytes) -> bytes:
    try:
        image = raster(data, most=MAX_BYTES)
    except Unreadable:
        return b""
    while len(data) > MOST:
        out = io.BytesIO()
        image.save(out, "JPEG", quality=90)
        data = out.getvalue()
        image.thumbnail((image.width * 3 // 4, image.height * 3 // 4))
    return data
