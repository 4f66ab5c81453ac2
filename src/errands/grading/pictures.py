"""Pictures as deliverables: whether a file is one, its shape, the words read on it, what is green, its ground.

Nothing here reads words. That is done once, when the attempt has ended (`exam.exercise`), and what was read is a row of
the ledger, `picture.read`: regrading needs no reader. Everything else is worked out from the bytes of the file.

Colours are judged in CIELAB (CIE 15, D65, from sRGB as IEC 61966-2-1 defines it), as lightness L (0 to 100), chroma C
(0 is grey) and hue h (degrees; 90 yellow, 135 green, 270 blue), for equal steps there look about equally far apart.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import permutations
from math import atan2, cos, degrees, hypot, radians
from typing import TYPE_CHECKING, Literal
from unicodedata import category, normalize

from errands.apps.files.names import MAX_FILE
from errands.apps.files.pictures import MAX_PIXELS
from errands.apps.files.reading import Unreadable, hostile
from errands.core.errors import EvidenceError

from .evidence import Entry, Evidence

if TYPE_CHECKING:
    from PIL.Image import Image

READ = "picture.read"  # the ledger's name for what was read on a picture
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
SUFFIXES = ("png", "jpg", "jpeg", "webp")
LEAST = 200  # pixels of the shorter side: below that nobody can use an invitation
SMALL = 240  # pixels of the longer side at which areas are measured
Box = tuple[int, int, int, int]  # left, top, right, bottom, in pixels of the picture
Grade = Literal[0, 1, 2]


# ---- the file ----------------------------------------------------------------------------------------------------


def raster(data: bytes, most: int = MAX_FILE) -> Image:
    """The picture in up to `most` bytes, upright, in RGB (white shows through; of several in one file, the first).

    Raises `Unreadable` for what is none, is broken, or has too many pixels. By content, whatever the file is called.
    """
    from PIL import Image, ImageOps

    if len(data) > most:
        raise Unreadable("limit", f"{len(data)} bytes are too many")
    with hostile("picture"), Image.open(io.BytesIO(data), formats=FORMATS) as source:
        if source.width * source.height > MAX_PIXELS:
            raise Unreadable("limit", f"{source.width} by {source.height} pixels are too many")
        source.load()
        upright = ImageOps.exif_transpose(source)
        if upright.has_transparency_data:
            over = upright.convert("RGBA")
            upright = Image.alpha_composite(Image.new("RGBA", over.size, "white"), over)
        return upright.convert("RGB")


@dataclass(frozen=True)
class Picture:
    """A picture that stands in the files at the end: `saved` is the row that put it there."""

    path: str
    blob: str
    image: Image
    saved: tuple[Entry, ...]
    read: Entry | None

    @property
    def rows(self) -> tuple[str, ...]:
        """What proves it, and what was read on it."""
        return tuple(str(x) for x in (*self.saved, *([self.read] if self.read else [])))

    @property
    def words(self) -> tuple[Words, ...]:
        """The regions of words. `EvidenceError` where it was never read, which is the exam's fault."""
        if self.read is None or "error" in self.read.body:
            why = self.read.body["error"] if self.read else "there is no record of it"
            raise EvidenceError(f"what stands on {self.path} was not read: {why}")
        return tuple(Words(r["text"], tuple(r["box"])) for r in self.read.body["regions"])

    @cached_property
    def small(self) -> Small:
        """Its colours at a size at which areas are measured."""
        return Small(self.image, [w.box for w in self.words if len(_bare(w.text)) > 1])

    @cached_property
    def plain(self) -> bool:
        """Whether it is one flat colour."""
        return all(high - low <= 4 for low, high in self.image.getextrema())  # type: ignore[misc]


def picture_at(e: Evidence, stem: str) -> Picture | None:
    """The picture at this path, given without its extension: `.png` first, then the others; None where there is none.

    One that is too small to be used (`LEAST`) or a flat colour is none.
    """
    entries, blobs = e.after("files_entry"), e.after("files_blob")
    for path in (f"{stem}.{suffix}" for suffix in SUFFIXES):
        if path not in entries:
            continue
        blob = entries[path]["blob"]
        try:
            image = raster(blobs[blob]["data"])
        except Unreadable:
            continue
        saved = [x for x in e.entries("effect", "files_entry") if x.ref == path and x.body["after"]]
        read = [x for x in e.entries("event", READ) if x.body["path"] == path and x.body["blob"] == blob]
        found = Picture(path, blob, image, tuple(saved[-1:]), read[-1] if read else None)
        if min(image.size) >= LEAST and not found.plain:
            return found
    return None


def alike(a: Image, b: Image) -> bool:
    """Whether two pictures show no difference (what compression leaves is none)."""
    from PIL import Image, ImageChops

    if a.size != b.size:
        return False
    small = [x.resize((64, 64), Image.Resampling.BOX) for x in (a, b)]
    return all(high <= 8 for _, high in ImageChops.difference(*small).getextrema())  # type: ignore[misc]


def square(image: Image) -> Grade:
    """2 for equal sides, 1 where they differ by up to a twentieth of the longer one, else 0."""
    low, high = sorted(image.size)
    return 2 if low == high else 1 if 20 * (high - low) <= high else 0


# ---- words -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Words:
    """A region of words as it was read."""

    text: str
    box: Box


# What a reader of many scripts takes for a Latin letter's double, and marks that one may write in several ways.
_SAME = str.maketrans(
    "ρоеасрхΑΒΕΗΙΚΜΝΟΡΤΧАВЕКМНОРСТХ‘’ʼ“”–—‒‐‑", "poeacpxABEHIKMNOPTXABEKMHOPCTX'''\"\"-----"
)
_TEXT = re.compile(r"[^\W_]|[.,:;!?'\"&@#%()/+$€£]")


def _bare(text: str) -> str:
    """A text without what cannot matter: spaces, which curly or straight quote or dash, and ornaments.

    An ornament is a sign with which no words are written (●, ~, •), and a dash at either end of a region.
    """
    signs = normalize("NFKC", text).translate(_SAME)
    kept = "".join(c for c in signs if _TEXT.fullmatch(c) or c == "-" or category(c)[0] == "M")
    return kept.strip("-")


def lines(words: Iterable[Words]) -> list[str]:
    """The words line by line, from top to bottom and left to right, each without what cannot matter.

    Regions whose heights overlap by half are one line. Two that overlap each other and share characters there (a reader
    cuts a line in two and reads what lies on the cut twice) are joined once.
    """
    rows: list[list[Words]] = []
    for w in sorted(words, key=lambda w: (w.box[1] + w.box[3], w.box[0])):
        if not _bare(w.text):
            continue
        row = next((r for r in rows if any(_level(w.box, o.box) for o in r)), None)
        if row is None:
            rows.append([w])
        else:
            row.append(w)
    return [_joined(sorted(row, key=lambda w: w.box[0])) for row in rows]


def _level(a: Box, b: Box) -> bool:
    shared = min(a[3], b[3]) - max(a[1], b[1])
    return 2 * shared > min(a[3] - a[1], b[3] - b[1])


def _joined(row: Sequence[Words]) -> str:
    out, right = "", 0
    for w in row:
        text = _bare(w.text)
        if out and w.box[0] < right:
            both = (n for n in range(min(len(out), len(text)), 0, -1) if out.endswith(text[:n]))
            text = text[next(both, 0) :]
        out, right = out + text, max(right, w.box[2])
    return out


def reads(words: Sequence[Words], wanted: Sequence[str]) -> Grade:
    """Whether a picture reads exactly these lines: 2 so, 1 in other case or another order of lines, else 0.

    How words are broken into lines does not matter. A single character that stands alone may be a leaf that was taken
    for one (0, O, 1): with it or without it, the words must be these.
    """
    target = [_bare(line) for line in wanted]
    best: Grade = 0
    for found in (list(words), [w for w in words if len(_bare(w.text)) > 1]):
        got = lines(found)
        whole = "".join(got)
        if whole == "".join(target):
            return 2
        if whole.casefold() == "".join(target).casefold() or _reordered(got, target):
            best = 1
    return best


def _reordered(got: list[str], target: list[str]) -> bool:
    """Whether these are the wanted lines in another order, in any case of letters."""
    folded = "".join(got).casefold()
    return any("".join(p).casefold() == folded for p in permutations(target))


def same_words(a: Sequence[Words], b: Sequence[Words]) -> bool:
    """Whether two pictures read the same, line breaks and single characters that stand alone left out of account."""
    left, right = ("".join(lines(w for w in x if len(_bare(w.text)) > 1)) for x in (a, b))
    return left == right != ""


# ---- colours -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tone:
    """A range of colours: lightness, chroma and hue, each from and to; hue goes upwards, past 360 to 0 if need be."""

    light: tuple[float, float]
    chroma: tuple[float, float]
    hue: tuple[float, float]

    def holds(self, colour: Colour) -> bool:
        """Whether a colour lies in it, ends included."""
        light, chroma, hue = colour
        low, high = self.hue
        turned = low <= hue <= high if low <= high else hue >= low or hue <= high
        return (
            turned and self.light[0] <= light <= self.light[1] and self.chroma[0] <= chroma <= self.chroma[1]
        )


Colour = tuple[float, float, float]  # L, C, h

# From the colours that go by these names in paints, CSS and colour lists (creams from #FFFDD0 and #FFF8E7 to #F5E6C8),
# widened by about what two people who say the same word differ by (5 in L, 5 in C, 10 degrees), and held apart from
# white (C below 4), beige and tan (L below 86), yellow (C above 34) and pale green (h above 115).
TONES = {
    "cream": Tone((86, 100), (4.5, 34), (72, 113)),
    "pale blue": Tone((75, 98), (5, 36), (195, 285)),
    "lavender": Tone((68, 97), (6, 42), (285, 330)),
    "pale pink": Tone((74, 98), (6, 36), (335, 45)),
}
# Leaves: from olive (h 103) and sage (C 12) to spruce (h 175), neither as dark as black nor as pale as a tinted ground.
GREEN = Tone((10, 88), (10, 200), (102, 178))
ENOUGH, SOME = 0.015, 0.002  # of the picture: five leaves a tenth of its side long; less than one such leaf
GROUND = 0.6  # of what is neither leaf nor words


@lru_cache(maxsize=1)
def _linear() -> tuple[float, ...]:
    return tuple(v / 255 / 12.92 if v <= 10 else ((v / 255 + 0.055) / 1.055) ** 2.4 for v in range(256))


def colour_of(red: int, green: int, blue: int) -> Colour:
    """Lightness, chroma and hue of an sRGB colour."""
    linear = _linear()
    r, g, b = linear[red], linear[green], linear[blue]
    x = _root((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047)
    y = _root(0.2126729 * r + 0.7151522 * g + 0.0721750 * b)
    z = _root((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883)
    a, b_ = 500 * (x - y), 200 * (y - z)
    return 116 * y - 16, hypot(a, b_), degrees(atan2(b_, a)) % 360


def _root(t: float) -> float:
    return float(t ** (1 / 3)) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116


class Small:
    """A picture made small, with where its words stand: what of it is leaves, and what its ground is like.

    Shapes are known only so far: a region of one colour that fills the box around it (a bar, a panel) is no leaf, and
    no more is a line, or the green ground of a picture.
    """

    def __init__(self, image: Image, words: Sequence[Box]):
        from PIL import Image as Images

        scale = max(image.size) / SMALL
        self.width, self.height = (max(1, round(side / scale)) for side in image.size)
        self.pixels = image.resize((self.width, self.height), Images.Resampling.BOX).tobytes()
        known: dict[bytes, Colour] = {}
        self.colours: list[Colour] = []
        for at in range(0, len(self.pixels), 3):
            rgb = self.pixels[at : at + 3]
            if rgb not in known:
                known[rgb] = colour_of(*rgb)
            self.colours.append(known[rgb])
        self.worded = bytearray(self.width * self.height)
        for left, top, right, bottom in words:
            for y in range(max(0, int(top / scale)), min(self.height, int(bottom / scale) + 1)):
                for x in range(max(0, int(left / scale)), min(self.width, int(right / scale) + 1)):
                    self.worded[y * self.width + x] = 1

    @cached_property
    def _green(self) -> bytearray:
        """Where it is green, words and a green ground left out."""
        green = bytearray(GREEN.holds(c) for c in self.colours)
        w, h = self.width, self.height
        corners = [self.colours[n] for n in (w + 1, 2 * w - 2, (h - 2) * w + 1, (h - 1) * w - 2)]
        for corner in corners:
            if GREEN.holds(corner) and sum(_near(corner, other) for other in corners) >= 3:
                ground = [_near(corner, c) for c in self.colours]
                if sum(ground) > 0.35 * w * h:  # else leaves lie in the corners
                    green = bytearray(g and not there for g, there in zip(green, ground, strict=True))
        for n, there in enumerate(self.worded):
            if there:
                green[n] = 0
        return green

    @cached_property
    def leaves(self) -> float:
        """The share of the picture that is leaves: connected green regions that are big enough and shaped like none
        of the others."""
        w, h = self.width, self.height
        left, found = bytearray(self._green), 0
        for start in range(w * h):
            if left[start]:
                region = self._region(start, left)
                xs, ys = [n % w for n in region], [n // w for n in region]
                box = (max(xs) - min(xs) + 1) * (max(ys) - min(ys) + 1)
                inside = sum(len(self._beside(n)) == 4 for n in region)
                panel = len(region) >= 0.93 * box and self._flat(region)
                if len(region) * 2_000 >= w * h and inside * 4 >= len(region) and not panel:
                    found += len(region)
        return found / (w * h)

    def _flat(self, region: list[int]) -> bool:
        """Whether it has one colour, but for its edge: foliage from edge to edge has many."""
        middle = self.colours[sorted(region, key=lambda n: self.colours[n])[len(region) // 2]]
        return sum(_near(middle, self.colours[n]) for n in region) >= 0.7 * len(region)

    def _region(self, start: int, left: bytearray) -> list[int]:
        """All that is green and connected with a place; taken out of `left`."""
        left[start] = 0
        region = [start]
        for at in region:
            for near in self._beside(at):
                if left[near]:
                    left[near] = 0
                    region.append(near)
        return region

    def _beside(self, at: int) -> list[int]:
        """The green places right beside one."""
        w, h = self.width, self.height
        y, x = divmod(at, w)
        around = ((at - 1, x > 0), (at + 1, x < w - 1), (at - w, y > 0), (at + w, y < h - 1))
        return [near for near, there in around if there and self._green[near]]

    def ground(self, tone: Tone) -> float:
        """How much of what is neither green nor words has this tone, as a share of it."""
        rest = [c for c, g, t in zip(self.colours, self._green, self.worded, strict=True) if not g and not t]
        return sum(map(tone.holds, rest)) / len(rest) if rest else 0.0


def _near(a: Colour, b: Colour) -> bool:
    """Whether two colours look about the same: at most 6 apart in CIELAB."""
    turn = 2 * a[1] * b[1] * (1 - cos(radians(a[2] - b[2])))
    return bool((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + turn <= 36)
