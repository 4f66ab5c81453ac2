"""From a drawing to a file, and pictures that were made elsewhere."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error
from typing import Annotated

from errands.core.errors import ToolError
from errands.world import World

from . import drawing as app
from .raster import png_of
from .sheets import Answer, Drawing, items, sheet

MOST_BYTES = 280_000  # of a picture from elsewhere: what one call may hold, and its record three times
_KINDS = {  # by how they begin
    "png": (b"\x89PNG\r\n\x1a\n",),
    "jpg": (b"\xff\xd8\xff",),
    "jpeg": (b"\xff\xd8\xff",),
    "gif": (b"GIF87a", b"GIF89a"),
    "webp": (b"RIFF",),
}


def _put(w: World, path: str, data: bytes) -> Answer:
    saved = w.signal("files.save", path=path, data_b64=b64encode(data).decode())
    if not saved:
        raise ToolError("unavailable", "there is no place for files here")
    return {**saved[0], "size": len(data)}


def _suffix(path: str, known: tuple[str, ...]) -> str:
    suffix = path.rpartition(".")[2].lower()
    if suffix not in known:
        raise ToolError(
            "invalid",
            "this name fits no such picture",
            field="path",
            value=path,
            expected=f"a path that ends in {' or '.join(f'.{k}' for k in known)}",
        )
    return suffix


@app.write("drawing.use")
def save(
    w: World,
    drawing: Drawing,
    path: Annotated[str, "where, e.g. workspace/pictures/card.png; ends in .png; replaces what is there"],
) -> Answer:
    """Save a drawing as it stands among the files, as a PNG picture. It can be changed and saved again."""
    row = sheet(w, drawing)
    _suffix(path, ("png",))
    data = png_of(row["width"], row["height"], row["background"], items(w, drawing))
    return {**_put(w, path, data), "width": row["width"], "height": row["height"]}


@app.write("drawing.use")
def save_own(
    w: World,
    path: Annotated[str, "where, e.g. workspace/pictures/card.jpg; replaces what is there"],
    base64: Annotated[list[str], "the file's bytes as base64, in pieces of up to 200,000 characters"],
) -> Answer:
    """Save a picture that you have made by other means (PNG, JPEG, WebP, GIF), of up to 280,000 bytes."""
    suffix = _suffix(path, tuple(_KINDS))
    try:
        data = b64decode("".join("".join(base64).split()), validate=True)
    except (Error, ValueError):
        raise ToolError("invalid", "this is not base64", field="base64", expected="base64") from None
    if len(data) > MOST_BYTES:
        raise ToolError(
            "limit",
            f"a picture of {len(data)} bytes is too big",
            field="base64",
            expected=f"at most {MOST_BYTES} bytes: save it as JPEG or WebP, or smaller",
        )
    if not data.startswith(_KINDS[suffix]) or (suffix == "webp" and data[8:12] != b"WEBP"):
        raise ToolError(
            "invalid",
            f"these bytes are no .{suffix} picture",
            field="base64",
            expected="a PNG, JPEG, WebP or GIF file, under a name that says which",
        )
    return _put(w, path, data)
