"""Sheets and what lies on them: made, changed, looked at."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal

from errands.core.canon import canonical
from errands.core.errors import ToolError
from errands.world import World

from . import drawing
from .raster import box_of, missing

MIN_SIDE, MAX_SIDE = 64, 1_200  # pixels
MOST_SHEETS, MOST_ITEMS, MOST_POINTS = 20, 300, 200
FAR = 4 * MAX_SIDE  # how far off the sheet something may lie
Answer = dict[str, Any]
Drawing = Annotated[str, "id of a drawing"]
Colour = Annotated[str, "a colour: #rrggbb, or a CSS name such as seagreen"]
X = Annotated[int, "pixels from the left edge"]
Y = Annotated[int, "pixels from the top edge"]
Points = Annotated[list[list[int]], "the points in order, each [x, y] in pixels"]


def _colour(text: str, field: str) -> str:
    """A colour as #rrggbb."""
    from PIL import ImageColor

    name = "".join(text.split()).lower()
    if name in ImageColor.colormap or re.fullmatch(r"#[0-9a-f]{3}|#[0-9a-f]{6}", name):
        red, green, blue, *_ = ImageColor.getrgb(name)
        return f"#{red:02x}{green:02x}{blue:02x}"
    raise ToolError(
        "invalid",
        "this colour is not known",
        field=field,
        value=text,
        expected="#rrggbb such as #2e8b57, or a CSS name such as seagreen",
    )


def within(field: str, value: int, low: int, high: int) -> int:
    """A number in these bounds, or the error that an agent reads."""
    if not low <= value <= high:
        raise ToolError(
            "invalid", "this is out of bounds", field=field, value=value, expected=f"{low} to {high}"
        )
    return value


def sheet(w: World, ident: str) -> Answer:
    """The sheet of this id."""
    return w.row("drawing_sheet", ident, "drawing", "an id from drawing_new or drawing_list")


def items(w: World, ident: str) -> list[Answer]:
    """What lies on a sheet, from the bottom up: `item`, `kind`, and what that kind has."""
    rows = w.all("SELECT * FROM drawing_item WHERE sheet = ? ORDER BY place, id", ident)
    return [{"item": r["id"], "kind": r["kind"], **json.loads(r["spec"])} for r in rows]


def _add(w: World, ident: str, kind: str, **spec: Any) -> Answer:
    on = sheet(w, ident)
    there = w.value("SELECT count(*) FROM drawing_item WHERE sheet = ?", ident)
    if there >= MOST_ITEMS:
        raise ToolError("limit", f"there are {there} things on it already", expected="remove something first")
    new = w.new_id("itm")
    place = w.value("SELECT ifnull(max(place), 0) + 1 FROM drawing_item WHERE sheet = ?", ident)
    w.insert("drawing_item", id=new, sheet=ident, place=place, kind=kind, spec=canonical(spec))
    box = box_of(kind, spec)
    inside = box[0] >= 0 and box[1] >= 0 and box[2] <= on["width"] and box[3] <= on["height"]
    return {"item": new, "box": list(box), "inside": inside}


@drawing.write("drawing.use")
def new(
    w: World,
    width: Annotated[int, "pixels, 64 to 1200"],
    height: Annotated[int, "pixels, 64 to 1200"],
    background: Colour = "white",
) -> Answer:
    """Begin a drawing: an empty sheet of one colour."""
    if w.value("SELECT count(*) FROM drawing_sheet") >= MOST_SHEETS:
        raise ToolError(
            "limit", f"there are {MOST_SHEETS} drawings already", expected="go on with one of them"
        )
    ident = w.new_id("drw")
    w.insert(
        "drawing_sheet",
        id=ident,
        width=within("width", width, MIN_SIDE, MAX_SIDE),
        height=within("height", height, MIN_SIDE, MAX_SIDE),
        background=_colour(background, "background"),
        made=w.now,
    )
    return {"drawing": ident}


@drawing.write("drawing.use")
def background(w: World, drawing: Drawing, colour: Colour) -> Answer:
    """Give a drawing another background. What lies on it stays as it is."""
    sheet(w, drawing)
    w.update("drawing_sheet", drawing, background=_colour(colour, "colour"))
    return {"drawing": drawing}


@drawing.write("drawing.use")
def shape(
    w: World,
    drawing: Drawing,
    kind: Annotated[Literal["rectangle", "ellipse", "leaf"], "which shape"],
    x: Annotated[int, "pixels from the left edge to its middle"],
    y: Annotated[int, "pixels from the top edge to its middle"],
    width: Annotated[int, "pixels; of a leaf from stem to tip"],
    height: Annotated[int, "pixels"],
    colour: Colour,
    turn: Annotated[int, "degrees clockwise"] = 0,
) -> Answer:
    """Put a filled rectangle, ellipse or leaf on a drawing, on top of what is there."""
    return _add(
        w,
        drawing,
        kind,
        x=within("x", x, -FAR, FAR),
        y=within("y", y, -FAR, FAR),
        width=within("width", width, 1, FAR),
        height=within("height", height, 1, FAR),
        turn=turn % 360,
        colour=_colour(colour, "colour"),
    )


def _points(points: list[list[int]], least: int) -> list[list[int]]:
    fit = least <= len(points) <= MOST_POINTS and all(
        len(p) == 2 and all(-FAR <= c <= FAR for c in p) for p in points
    )
    if not fit:
        raise ToolError(
            "invalid",
            "these points do not fit",
            field="points",
            value=len(points),
            expected=f"{least} to {MOST_POINTS} points, each [x, y] with numbers from {-FAR} to {FAR}",
        )
    return points


@drawing.write("drawing.use")
def polygon(w: World, drawing: Drawing, points: Points, colour: Colour) -> Answer:
    """Put a filled polygon on a drawing, on top of what is there."""
    return _add(w, drawing, "polygon", points=_points(points, 3), colour=_colour(colour, "colour"))


@drawing.write("drawing.use")
def line(
    w: World,
    drawing: Drawing,
    points: Points,
    colour: Colour,
    thickness: Annotated[int, "pixels, 1 to 200"] = 3,
) -> Answer:
    """Put a line through these points on a drawing, on top of what is there."""
    return _add(
        w,
        drawing,
        "line",
        points=_points(points, 2),
        thickness=within("thickness", thickness, 1, 200),
        colour=_colour(colour, "colour"),
    )


@drawing.write("drawing.use")
def text(
    w: World,
    drawing: Drawing,
    text: Annotated[str, "one line of words"],
    x: X,
    y: Annotated[int, "pixels from the top edge to the middle of the line"],
    size: Annotated[int, "height of the type in pixels, 8 to 400"],
    colour: Colour = "black",
    align: Annotated[Literal["left", "center", "right"], "which part of the line lies at x"] = "center",
) -> Answer:
    """Put a line of words on a drawing, on top of what is there. The answer says which room it takes."""
    if not text.strip() or len(text) > 200 or "\n" in text:
        raise ToolError(
            "invalid",
            "these are no words",
            field="text",
            value=text,
            expected="one line of 1 to 200 characters",
        )
    if odd := missing(text):
        raise ToolError(
            "invalid",
            f"the type has no {odd!r}",
            field="text",
            value=text,
            expected="Latin letters, digits and usual punctuation",
        )
    return _add(
        w,
        drawing,
        "text",
        text=text,
        x=within("x", x, -FAR, FAR),
        y=within("y", y, -FAR, FAR),
        size=within("size", size, 8, 400),
        align=align,
        colour=_colour(colour, "colour"),
    )


@drawing.write("drawing.use")
def remove(w: World, item: Annotated[str, "id of something that lies on a drawing"]) -> Answer:
    """Take one thing off its drawing."""
    if w.value("SELECT 1 FROM drawing_item WHERE id = ?", item) is None:
        raise ToolError(
            "not_found",
            f"there is no {item!r} on any drawing",
            field="item",
            value=item,
            expected="an id from drawing_look",
        )
    w.run("DELETE FROM drawing_item WHERE id = ?", item)
    return {"removed": item}


@drawing.read("drawing.use")
def look(w: World, drawing: Drawing) -> Answer:
    """A drawing as it stands: its size, its background, and what lies on it, from the bottom up."""
    row = sheet(w, drawing)
    return {
        "drawing": drawing,
        "width": row["width"],
        "height": row["height"],
        "background": row["background"],
        "items": items(w, drawing),
    }


@drawing.read("drawing.use")
def list_(w: World) -> list[Answer]:
    """All drawings, oldest first."""
    return w.all("SELECT id AS drawing, width, height, background FROM drawing_sheet ORDER BY made, id")
