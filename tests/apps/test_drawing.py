"""Drawing: sheets, what lies on them, pictures saved among the user's files, and pictures made elsewhere."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
from base64 import b64encode
from typing import Any

import pytest
from PIL import Image

from errands.apps.drawing.raster import box_of, missing, png_of
from errands.world import World, open_world
from errands.world.fixture import Draft
from tests.world.guard import guard
from tests.world.looks import refused, sound

APPS = ("drawing", "files", "clock", "people")
SHEET = ("drawing_new", {"width": 300, "height": 200})


def world() -> World:
    d = Draft(APPS)
    for app, scope in (("drawing", "use"), ("files", "read"), ("files", "write")):
        d.insert("exam_grant", app=app, scope=f"{app}.{scope}", live=1)
    return open_world(d.finish(now=1_793_000_000_000, zone="UTC", instruction="Draw.").blob)


def saved(w: World, path: str) -> Image.Image:
    blob = w.value("SELECT blob FROM files_entry WHERE path = ?", path)
    data = w.value("SELECT data FROM files_blob WHERE digest = ?", blob)
    return Image.open(io.BytesIO(data)).convert("RGB")


def picture(how: str = "JPEG") -> bytes:
    out = io.BytesIO()
    Image.radial_gradient("L").convert("RGB").save(out, how)
    return out.getvalue()


def pieces(data: bytes, size: int = 4_000) -> list[str]:
    text = b64encode(data).decode()
    return [text[at : at + size] for at in range(0, len(text), size)]


def test_a_drawing_is_saved_as_a_picture_that_shows_what_lies_on_it():
    w = world()
    sheet = w.call(*SHEET)["drawing"]
    shape = {"drawing": sheet, "x": 60, "y": 60, "width": 80, "height": 40, "colour": "seagreen"}
    for n, kind in enumerate(("rectangle", "ellipse", "leaf")):
        w.call("drawing_shape", {**shape, "kind": kind, "x": 50 + 100 * n})
    w.call(
        "drawing_polygon", {"drawing": sheet, "points": [[20, 120], [80, 120], [50, 180]], "colour": "#f00"}
    )
    w.call(
        "drawing_line",
        {"drawing": sheet, "points": [[120, 150], [280, 150]], "colour": "navy", "thickness": 6},
    )
    answer = w.call("drawing_save", {"drawing": sheet, "path": "pictures/one.png"})
    assert answer["path"] == "workspace/pictures/one.png" and (answer["width"], answer["height"]) == (
        300,
        200,
    )
    image = saved(w, "workspace/pictures/one.png")
    seagreen = (46, 139, 87)
    assert image.size == (300, 200) and image.getpixel((5, 5)) == (255, 255, 255)
    assert [image.getpixel((50 + 100 * n, 60)) for n in range(3)] == [seagreen] * 3
    # A rectangle has corners, an ellipse and a leaf have none.
    assert [image.getpixel((13 + 100 * n, 43)) == seagreen for n in range(3)] == [True, False, False]
    assert image.getpixel((50, 140)) == (255, 0, 0) and image.getpixel((200, 150)) == (0, 0, 128)
    assert w.value("SELECT author FROM files_entry") == "agent"
    sound(w)


def test_another_background_leaves_the_rest_as_it_is_and_both_pictures_stand():
    w = world()
    sheet = w.call(*SHEET)["drawing"]
    words = {"drawing": sheet, "text": "Garden Evening", "x": 150, "y": 100, "size": 30, "colour": "black"}
    w.call("drawing_text", words)
    before = w.call("drawing_look", {"drawing": sheet})
    w.call("drawing_save", {"drawing": sheet, "path": "a.png"})
    w.call("drawing_background", {"drawing": sheet, "colour": "#fffdd0"})
    w.call("drawing_save", {"drawing": sheet, "path": "b.png"})
    after = w.call("drawing_look", {"drawing": sheet})
    assert {**before, "background": "#fffdd0"} == after
    first, second = saved(w, "workspace/a.png"), saved(w, "workspace/b.png")
    assert (first.getpixel((3, 3)), second.getpixel((3, 3))) == ((255, 255, 255), (255, 253, 208))
    dark = [[n for n, p in enumerate(i.convert("L").tobytes()) if p < 60] for i in (first, second)]
    assert dark[0] == dark[1] != []


def test_words_take_the_room_that_is_said_and_what_does_not_fit_is_said_too():
    w = world()
    sheet = w.call(*SHEET)["drawing"]
    words = {"drawing": sheet, "text": "Friday 6 PM", "y": 100, "size": 40}
    for align, x in (("left", 20), ("center", 150), ("right", 280)):
        answer = w.call("drawing_text", {**words, "x": x, "align": align})
        assert answer["inside"]
        w.call("drawing_save", {"drawing": sheet, "path": f"{align}.png"})
        ink = saved(w, f"workspace/{align}.png").convert("L").point(lambda v: 255 * (v < 200)).getbbox()
        assert ink is not None and all(abs(a - b) <= 4 for a, b in zip(ink, answer["box"], strict=True))
        w.call("drawing_remove", {"item": answer["item"]})
    assert not w.call("drawing_text", {**words, "x": 150, "size": 90})["inside"]


def test_things_lie_in_order_and_can_be_taken_away():
    w = world()
    caught = guard(w)
    sheet = w.call(*SHEET)["drawing"]
    shape = {"drawing": sheet, "kind": "rectangle", "x": 100, "y": 100, "width": 50, "height": 50}
    under = w.call("drawing_shape", {**shape, "colour": "red"})["item"]
    over = w.call("drawing_shape", {**shape, "colour": "blue", "turn": 405})["item"]
    look = w.call("drawing_look", {"drawing": sheet})["items"]
    assert [i["item"] for i in look] == [under, over] and look[1]["turn"] == 45
    w.call("drawing_remove", {"item": over})
    assert caught == []
    w.db.authorizer = None  # the files app asks how big the world is
    w.watch(lambda name: None)
    w.call("drawing_save", {"drawing": sheet, "path": "a.png"})
    assert saved(w, "workspace/a.png").getpixel((100, 100)) == (255, 0, 0)
    assert [d["drawing"] for d in w.call("drawing_list")] == [sheet]
    sound(w)


@pytest.mark.parametrize(
    ("tool", "args", "field"),
    [
        ("drawing_new", {"width": 20, "height": 200}, "width"),
        ("drawing_new", {"width": 200, "height": 5_000}, "height"),
        ("drawing_new", {"width": 200, "height": 200, "background": "cream"}, "background"),
        ("drawing_background", {"drawing": "drw_none", "colour": "white"}, "drawing"),
        ("drawing_text", {"text": "Café", "x": 1, "y": 1, "size": 20}, "text"),
        ("drawing_text", {"text": " ", "x": 1, "y": 1, "size": 20}, "text"),
        ("drawing_text", {"text": "a", "x": 1, "y": 1, "size": 2_000}, "size"),
        ("drawing_polygon", {"points": [[1, 1], [2, 2]], "colour": "red"}, "points"),
        ("drawing_polygon", {"points": [[1, 1], [2, 2], [3]], "colour": "red"}, "points"),
        ("drawing_line", {"points": [[1, 1], [2, 2]], "colour": "red", "thickness": 0}, "thickness"),
        ("drawing_remove", {"item": "itm_none"}, "item"),
        ("drawing_save", {"path": "a.jpg"}, "path"),
        ("drawing_save", {"path": "../a.png"}, "path"),
        ("drawing_save", {"path": "shared/a.png"}, "path"),
        ("drawing_save_own", {"path": "a.svg", "base64": pieces(picture())}, "path"),
        ("drawing_save_own", {"path": "a.png", "base64": pieces(picture())}, "base64"),
        ("drawing_save_own", {"path": "a.png", "base64": pieces(b"<svg/>")}, "base64"),
        ("drawing_save_own", {"path": "a.jpg", "base64": ["not base64"]}, "base64"),
        ("drawing_save_own", {"path": "a.jpg", "base64": []}, "base64"),
        (
            "drawing_save_own",
            {"path": "a.jpg", "base64": pieces(b"\xff\xd8\xff" + bytes(285_000), 190_000)},
            "base64",
        ),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_argument_named(tool, args, field):
    w = world()
    sheet = w.call(*SHEET)["drawing"]
    known = w.tools[tool].spec.parameters["properties"]
    args = {**({"drawing": sheet} if "drawing" in known and "drawing" not in args else {}), **args}
    assert refused(w, tool, args).field == field


@pytest.mark.parametrize(
    ("how", "suffix"), [("JPEG", "jpg"), ("PNG", "png"), ("WEBP", "webp"), ("GIF", "gif")]
)
def test_a_picture_that_was_made_elsewhere_stands_as_it_was_made(how, suffix):
    w = world()
    data = picture(how)
    w.call("drawing_save_own", {"path": f"in/a.{suffix}", "base64": pieces(data)})
    blob = w.value("SELECT blob FROM files_entry WHERE path = ?", f"workspace/in/a.{suffix}")
    assert blob == "sha256:" + hashlib.sha256(data).hexdigest()
    sound(w)


def test_there_is_an_end_to_drawings_and_to_what_lies_on_one(monkeypatch):
    from errands.apps.drawing import sheets

    monkeypatch.setattr(sheets, "MOST_SHEETS", 1)
    monkeypatch.setattr(sheets, "MOST_ITEMS", 1)
    w = world()
    sheet = w.call(*SHEET)["drawing"]
    line = {"drawing": sheet, "points": [[1, 1], [9, 9]], "colour": "red"}
    w.call("drawing_line", line)
    assert refused(w, *SHEET).code == refused(w, "drawing_line", line).code == "limit"


def items() -> list[dict[str, Any]]:
    leaf = {"kind": "leaf", "width": 90, "height": 30, "y": 60}
    out: list[dict[str, Any]] = [
        {**leaf, "x": 40 + 30 * n, "turn": 25 * n, "colour": f"#{40 + 9 * n:02x}8b57"} for n in range(8)
    ]
    words = {"kind": "text", "text": "Garden Evening", "x": 160, "y": 150, "size": 40}
    return [*out, {**words, "align": "center", "colour": "#204020"}]


def test_the_same_drawing_is_the_same_bytes_in_another_process():
    code = (
        "import hashlib, tests.apps.test_drawing as t\n"
        "print(hashlib.sha256(t.png_of(320, 240, '#fffdd0', t.items())).hexdigest())"
    )
    here = hashlib.sha256(png_of(320, 240, "#fffdd0", items())).hexdigest()
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True
        )
        assert done.stdout.strip() == here


def test_more_colours_than_a_palette_holds_are_drawn_all_the_same():
    many = [
        {"kind": "rectangle", "x": 5 + 10 * (n % 30), "y": 5 + 10 * (n // 30), "width": 10, "height": 10}
        | {"turn": 0, "colour": f"#{n % 256:02x}{255 - n % 256:02x}{n // 2:02x}"}
        for n in range(290)
    ]
    image = Image.open(io.BytesIO(png_of(300, 100, "white", many))).convert("RGB")
    assert image.size == (300, 100)
    assert all(abs(a - b) < 24 for a, b in zip(image.getpixel((105, 5)), (10, 245, 5), strict=True))


def test_the_type_has_what_english_words_need():
    assert not missing("ABCXYZ abcxyz 0123456789 .,:;!?'\"&@#%()/+-“”‘’")
    assert missing("naïve") == "ï" and missing("庭") == "庭"
    assert box_of("line", {"points": [[10, 10], [20, 30]], "thickness": 4}) == (8, 8, 22, 32)
