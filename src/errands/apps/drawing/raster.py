"""A sheet as pixels, and as a PNG: the same bytes wherever the same Pillow draws.

Shapes and words are drawn without smoothing at three times the size and then averaged. The type is the one that is
built into Pillow (Aileron Regular).
"""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, radians, sin
from typing import TYPE_CHECKING, Any

from errands.apps.files.png import png_bytes
from errands.core.canon import canonical, decode

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont

FINE = 3
_STEPS = 24  # points of a curve
_ANCHOR = {"left": "lm", "center": "mm", "right": "rm"}
Box = tuple[int, int, int, int]
Spec = dict[str, Any]


def png_of(width: int, height: int, background: str, items: list[Spec]) -> bytes:
    """A PNG of up to 256 colours."""
    return _png(width, height, background, canonical(items))


@lru_cache(maxsize=32)  # the same drawing is saved in many sittings of one solution
def _png(width: int, height: int, background: str, items: str) -> bytes:
    from PIL import Image

    fine = Image.new("RGB", (width * FINE, height * FINE), background)
    for item in decode(items):
        _draw(fine, item["kind"], item)
    image = fine.reduce(FINE)
    if image.getcolors(256) is None:
        image = image.quantize(256).convert("RGB")
    palette = b"".join(sorted(bytes(rgb) for _, rgb in image.getcolors(256) or ()))  # type: ignore[arg-type]
    # Four bytes a pixel are a number, and so the key of its colour.
    colours = _numbers(Image.frombytes("RGB", (len(palette) // 3, 1), palette))
    index = {n: i for i, n in enumerate(colours)}
    return png_bytes(width, height, bytes(map(index.__getitem__, _numbers(image))), palette)


def _numbers(image: Image) -> memoryview[int]:
    return memoryview(image.convert("RGBX").tobytes()).cast("I")


def _draw(image: Image, kind: str, spec: Spec) -> None:
    from PIL import Image as Images
    from PIL import ImageDraw

    pen = ImageDraw.Draw(image)
    if kind == "text":
        # The mask is cut at half: what smoothing differs in between versions does not show.
        font, anchor = _type(spec["size"] * FINE), _ANCHOR[spec["align"]]
        left, top, right, bottom = (int(v) for v in font.getbbox(spec["text"], anchor=anchor))
        mask = Images.new("L", (right - left + 2, bottom - top + 2))
        ImageDraw.Draw(mask).text((1 - left, 1 - top), spec["text"], fill=255, font=font, anchor=anchor)
        at = (spec["x"] * FINE + left - 1, spec["y"] * FINE + top - 1)
        image.paste(spec["colour"], at, mask.point(lambda v: 255 if v >= 128 else 0))
    elif kind == "line":
        points = [(x * FINE, y * FINE) for x, y in spec["points"]]
        pen.line(points, fill=spec["colour"], width=spec["thickness"] * FINE, joint="curve")
    else:
        pen.polygon([(x * FINE, y * FINE) for x, y in _outline(kind, spec)], fill=spec["colour"])


def _outline(kind: str, spec: Spec) -> list[tuple[float, float]]:
    """The corners of a shape, or points on its edge."""
    if kind == "polygon":
        return [(x, y) for x, y in spec["points"]]
    a, b = spec["width"] / 2, spec["height"] / 2
    edge: list[tuple[float, float]]
    if kind == "rectangle":
        edge = [(-a, -b), (a, -b), (a, b), (-a, b)]
    elif kind == "ellipse":
        edge = [(a * cos(pi * n / _STEPS), b * sin(pi * n / _STEPS)) for n in range(2 * _STEPS)]
    else:  # two arcs from stem to tip
        along = [2 * n / _STEPS - 1 for n in range(_STEPS + 1)]
        edge = [(a * t, -b * cos(pi * t / 2)) for t in along] + [
            (a * t, b * cos(pi * t / 2)) for t in along[::-1]
        ]
    c, s = cos(radians(spec["turn"])), sin(radians(spec["turn"]))
    return [(spec["x"] + x * c - y * s, spec["y"] + x * s + y * c) for x, y in edge]


def box_of(kind: str, spec: Spec) -> Box:
    """The room that something takes: left, top, right, bottom, in pixels."""
    if kind == "text":
        left, top, right, bottom = _type(spec["size"] * FINE).getbbox(
            spec["text"], anchor=_ANCHOR[spec["align"]]
        )
        x, y = spec["x"], spec["y"]
        edge = [(x + left / FINE, y + top / FINE), (x + right / FINE, y + bottom / FINE)]
        half = 0.0
    elif kind == "line":
        edge, half = [(x, y) for x, y in spec["points"]], spec["thickness"] / 2
    else:
        edge, half = _outline(kind, spec), 0.0
    xs, ys = [x for x, _ in edge], [y for _, y in edge]
    return round(min(xs) - half), round(min(ys) - half), round(max(xs) + half), round(max(ys) + half)


@lru_cache(maxsize=64)
def _type(size: int) -> FreeTypeFont:
    from PIL import ImageFont

    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)  # a Pillow without FreeType has only a bitmap
    return font


@lru_cache(maxsize=1_024)
def _glyph(character: str) -> bytes:
    return bytes(_type(40).getmask(character))


def missing(text: str) -> str:
    """The first character that the type has no sign for, or nothing."""
    return next((c for c in text if c != " " and _glyph(c) in (_glyph("\U0010fffd"), b"")), "")
