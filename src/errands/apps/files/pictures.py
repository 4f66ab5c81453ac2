"""A picture as an agent sees it: measures, and a PNG of bounded size."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

from .png import png_bytes
from .reading import Unreadable, hostile, small_enough

MAX_PIXELS = 12_000_000
MAX_SIDE = 1_280
MAX_BYTES = 200_000
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")


@dataclass(frozen=True, slots=True)
class Picture:
    """`width` and `height` of the file itself, and the PNG that stands for it with its own measures."""

    format: str
    width: int
    height: int
    png: bytes
    shown: tuple[int, int]


def picture_of(data: bytes) -> Picture:
    """Read a picture. A small PNG is handed on as it is; anything else is drawn anew. Raises `Unreadable`."""
    from PIL import Image, ImageOps

    small_enough(data)
    with hostile("picture"), Image.open(io.BytesIO(data), formats=_FORMATS) as source:
        width, height = source.size
        if width * height > MAX_PIXELS:
            raise Unreadable("limit", f"a picture of {width} by {height} pixels is too big to open")
        source.load()
        name = source.format or ""
        if name == "PNG" and len(data) <= MAX_BYTES and max(width, height) <= MAX_SIDE:
            return Picture(name, width, height, data, (width, height))
        upright = ImageOps.exif_transpose(source)
        png, shown = _drawn(upright)
        return Picture(name, *upright.size, png, shown)


def _drawn(image: Any) -> tuple[bytes, tuple[int, int]]:
    """A grey or 256-colour PNG, scaled down until it fits."""
    flat = _flat(image)
    side = MAX_SIDE
    while True:
        small = flat.copy()
        small.thumbnail((side, side))
        if small.mode == "L":
            png = png_bytes(small.width, small.height, small.tobytes())
        else:
            indexed = small.quantize(256)
            palette = bytes(indexed.getpalette("RGB"))
            png = png_bytes(indexed.width, indexed.height, indexed.tobytes(), palette)
        if len(png) <= MAX_BYTES:
            return png, small.size
        # A picture that does not pack has a byte a pixel, so its size goes with the square of its side.
        side = max(1, min(side * 9 // 10, int(side * (MAX_BYTES / len(png)) ** 0.5)))


def _flat(image: Any) -> Any:
    """Without transparency (white shows through), in grey where it has no colour."""
    from PIL import Image

    if image.mode in ("1", "L", "I", "I;16", "F"):
        return image.convert("L")
    if image.has_transparency_data:
        over = image.convert("RGBA")
        ground = Image.new("RGBA", over.size, "white")
        return Image.alpha_composite(ground, over).convert("RGB")
    return image.convert("RGB")
