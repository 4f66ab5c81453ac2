"""Invitations of many kinds, to see how well words on pictures are read: `python -m tests.grading.drawn 240 [FONTS]`.

Typefaces, sizes, colours, grounds, leaves, grain, blur and compression are drawn from a stream. FONTS is a folder of
further typefaces (.ttf, .otf); else those that Pillow and reportlab bring.
"""

from __future__ import annotations

import io
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import cos, pi, radians, sin
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFilter, ImageFont

from errands.exam import ocr
from errands.grading.pictures import Words, lines, raster, reads
from errands.tasks.stream import Stream

WANTED = ("Garden Evening", "Friday 6 PM")
# What a picture reads, and what that is worth where WANTED was asked for.
SAYS: tuple[tuple[tuple[str, ...], int], ...] = (
    (WANTED, 2),
    (("Garden", "Evening", "Friday", "6 PM"), 2),
    (("Garden Evening", "Friday", "6 PM"), 2),
    (("Garden Evening Friday 6 PM",), 2),
    (("GARDEN EVENING", "FRIDAY 6 PM"), 1),
    (("Friday 6 PM", "Garden Evening"), 1),
    (("Garden evening", "friday 6 pm"), 1),
    (("Garden Evenings", "Friday 6 PM"), 0),
    (("Garden Evening", "Friday 7 PM"), 0),
    (("Garden Evening", "Friday 8 PM"), 0),
    (("Garden Evening", "Friday 5 PM"), 0),
    (("Garden Evening", "Friday 6 AM"), 0),
    (("Garden Evenlng", "Friday 6 PM"), 0),
    (("Gardern Evening", "Friday 6 PM"), 0),
    (("Garden Evening", "Friday, 6 PM"), 0),
    (("Garden Evening", "Friday 6:00 PM"), 0),
    (("Garden Evening", "Friday 6 PM", "You are invited"), 0),
    (("Garden Evening",), 0),
)
GROUNDS = ("#ffffff", "#fffdd0", "#faf3e0", "#f0f5ff", "#ebf5e6", "#1e3228", "#fff8e7", "#dbe9f4")
GREENS = ("#2e8b57", "#228b22", "#556b2f", "#6b8e23", "#9caf88", "#3c6e3c", "#145028", "#78a05a")
INKS = ("#1e281e", "#225533", "#503214", "#000000", "#78283c", "#5a645a")


@dataclass(frozen=True)
class Made:
    """A picture's bytes, what stands on it, and what that is worth."""

    n: int
    data: bytes
    says: tuple[str, ...]
    worth: int
    about: str


@cache
def fonts(folder: str = "") -> tuple[str, ...]:
    """Files of typefaces; "" is the one that is built into Pillow."""
    if folder:
        found = sorted(f for f in Path(folder).rglob("*") if f.suffix in (".ttf", ".otf"))
        return tuple(str(f) for f in found if _latin(f))
    import reportlab

    brought = Path(reportlab.__file__).parent / "fonts"
    return ("", *(str(brought / f"{name}.ttf") for name in ("Vera", "VeraBd", "VeraIt", "VeraBI")))


def _latin(file: Path) -> bool:
    """Whether a typeface has letters of both cases, and no pictures in their place."""
    if any(x in file.name for x in ("Symbol", "Dingbat", "D050000L", "Emoji", "Bebas", "Biolinum_K", "SC")):
        return False
    font = ImageFont.truetype(str(file), 40)
    return all(bytes(font.getmask(a)) != bytes(font.getmask(b)) for a, b in ("gG", "eE", "\U0010fffdF"))


def _type(file: str, size: int) -> Any:
    return ImageFont.truetype(file, size) if file else ImageFont.load_default(size)


def leaf(
    pen: ImageDraw.ImageDraw, x: float, y: float, length: float, wide: float, turn: int, green: str
) -> None:
    edge = [(t / 10 - 1, s * cos(pi * (t / 10 - 1) / 2)) for s in (1, -1) for t in range(21)[::s]]
    c, s = cos(radians(turn)), sin(radians(turn))
    at = [(length / 2 * a, wide / 2 * b) for a, b in edge]
    pen.polygon([(x + a * c - b * s, y + a * s + b * c) for a, b in at], fill=green)


def pictures(count: int, folder: str = "", name: str = "tuned") -> Iterator[Made]:
    """So many pictures, in turn of what they say; a third or more say what is wanted."""
    known = fonts(folder)
    for n in range(count):
        r = Stream("invitations", name, n)
        says, worth = SAYS[n // 2 % len(SAYS)] if n % 2 else SAYS[n // 2 % 4]
        yield _made(r, n, says, worth, known[r.below(len(known))])


def _made(r: Stream, n: int, says: tuple[str, ...], worth: int, file: str) -> Made:
    side, ground = r.choice((480, 640, 768, 1_000)), r.choice(GROUNDS)
    image = Image.new("RGB", (side, side), ground)
    pen = ImageDraw.Draw(image)
    kind, count = r.choice(("corners", "frame", "wreath", "vine")), r.between(5, 24)
    for k in range(count):
        length = side * r.between(6, 18) / 100
        where = {
            "corners": (
                r.choice((0.1, 0.9)) + r.between(-9, 9) / 100,
                r.choice((0.1, 0.9)) + r.between(-9, 9) / 100,
            ),
            "frame": r.choice(((k / count, 0.06), (k / count, 0.94), (0.05, k / count), (0.95, k / count))),
            "wreath": (0.5 + 0.43 * cos(2 * pi * k / count), 0.5 + 0.43 * sin(2 * pi * k / count)),
            "vine": (k / count, r.choice((0.14, 0.87)) + r.between(-3, 3) / 100),
        }[kind]
        wide = length * r.between(30, 60) / 100
        leaf(pen, side * where[0], side * where[1], length, wide, r.below(360), r.choice(GREENS))
    ink = "#f5f0e1" if ground == "#1e3228" else r.choice(INKS)
    room = 0.5 / len(says)
    for k, words in enumerate(says):
        long = r.between(45, 78) if len(words) > 8 else r.between(18, 40)
        size = _type(file, 100).getlength(words)
        size = max(18, int(min(100 * side * long / 100 / size, side * room * 0.8)))
        pen.text(
            (side / 2, side * (0.25 + room * (k + 0.5))), words, font=_type(file, size), fill=ink, anchor="mm"
        )
    if r.below(4) == 0:
        image = image.filter(ImageFilter.GaussianBlur(0.8))
    if r.below(4) == 0:
        grain = Image.frombytes("L", (64, 64), bytes(r.below(28) for _ in range(4_096))).resize((side, side))
        image = Image.composite(Image.new("RGB", image.size, "#808080"), image, grain)
    out = io.BytesIO()
    how = r.choice(({"format": "PNG"}, {"format": "JPEG", "quality": 70}, {"format": "WEBP", "quality": 80}))
    image.save(out, **how)
    about = f"{Path(file).stem or 'Aileron'}, {side} px, {ground}, {kind}, {how['format']}"
    return Made(n, out.getvalue(), says, worth, about)


def judged(made: Made) -> tuple[int, list[str]]:
    """What it is worth as it is read, and the lines that were read."""
    words = [Words(x["text"], tuple(x["box"])) for x in ocr.read(raster(made.data))]
    return reads(words, WANTED), lines(words)


def main() -> None:
    """Print how many were judged as they should be, and those that were not."""
    count, folder = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    seen: Counter[tuple[int, int]] = Counter()
    for made in pictures(count, folder, sys.argv[3] if len(sys.argv) > 3 else "tuned"):
        got, read = judged(made)
        seen[made.worth, got] += 1
        if got != made.worth:
            print(f"{made.n}: {made.says} worth {made.worth}, judged {got}: {read} ({made.about})")
    for worth in (2, 1, 0):
        row = {got: seen[worth, got] for got in (2, 1, 0)}
        print(f"worth {worth}: {sum(row.values())} pictures, judged 2, 1, 0: {row[2]}, {row[1]}, {row[0]}")
    claimed = sum(n for (_, got), n in seen.items() if got == 2)
    print(
        f"precision of 2: {seen[2, 2]}/{claimed}; recall: {seen[2, 2]}/{sum(n for (w, _), n in seen.items() if w == 2)}"
    )


if __name__ == "__main__":
    main()
