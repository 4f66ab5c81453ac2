"""Pictures as they are judged: what is one, its shape, the words read on it, leaves, ground."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest
from PIL import Image, ImageDraw

from errands.apps.files.reading import Unreadable
from errands.exam import ocr
from errands.grading.pictures import (
    ENOUGH,
    GREEN,
    GROUND,
    SOME,
    TONES,
    Small,
    Words,
    alike,
    colour_of,
    lines,
    raster,
    reads,
    same_words,
    square,
)

from .drawn import judged, leaf, pictures

WANTED = ["Garden Evening", "Friday 6 PM"]


def encoded(image: Image.Image, how: str = "PNG", **more: object) -> bytes:
    out = io.BytesIO()
    image.save(out, how, **more)
    return out.getvalue()


def blank(colour: str = "white", size: tuple[int, int] = (480, 480)) -> Image.Image:
    return Image.new("RGB", size, colour)


def hexed(colour: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(colour.lstrip("#"))
    return red, green, blue


# ---- what is a picture -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["PNG", "JPEG", "WEBP", "GIF", "BMP"])
def test_rasters_of_each_usual_kind_are_opened(how):
    assert raster(encoded(blank("#f0f0f0", (300, 200)), how)).size == (300, 200)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100'/>",
        b"<!doctype html><h1>Garden Evening</h1>",
        b"Garden Evening, Friday 6 PM",
        b"%PDF-1.7",
        encoded(blank())[:100],
    ],
    ids=["nothing", "svg", "html", "words", "pdf", "cut"],
)
def test_code_words_and_broken_files_are_no_pictures(data):
    with pytest.raises(Unreadable):
        raster(data)


def test_a_picture_of_too_many_pixels_is_not_opened():
    with pytest.raises(Unreadable) as why:
        raster(encoded(Image.new("1", (9_000, 9_000))))
    assert why.value.code == "limit"


def test_it_is_seen_upright_and_on_white():
    turned = Image.Exif()
    turned[0x0112] = 6  # to be turned by a quarter
    assert raster(encoded(blank(size=(300, 200)), "JPEG", exif=turned)).size == (200, 300)
    assert raster(encoded(Image.new("RGBA", (200, 200), (0, 0, 0, 0)))).getpixel((5, 5)) == (255, 255, 255)


@pytest.mark.parametrize(
    ("size", "grade"),
    [((800, 800), 2), ((800, 799), 1), ((800, 760), 1), ((760, 800), 1), ((800, 759), 0), ((1_200, 800), 0)],
)
def test_square_exactly_or_nearly(size, grade):
    assert square(blank(size=size)) == grade


def test_pictures_are_alike_where_only_compression_differs():
    one = blank("#dbe9f4")
    leaf(ImageDraw.Draw(one), 200, 200, 150, 60, 30, "#2e8b57")
    assert alike(one, raster(encoded(one, "JPEG", quality=90)))
    assert not alike(one, raster(encoded(one.resize((479, 480)))))
    other = one.copy()
    ImageDraw.Draw(other).rectangle((0, 0, 479, 40), fill="#fffdd0")
    assert not alike(one, other)


# ---- words -------------------------------------------------------------------------------------------------------


def column(*texts: str) -> list[Words]:
    """Regions one below the other."""
    return [Words(t, (100, 100 + 80 * n, 100 + 20 * len(t), 150 + 80 * n)) for n, t in enumerate(texts)]


@pytest.mark.parametrize(
    ("texts", "grade"),
    [
        (WANTED, 2),
        (["Garden", "Evening", "Friday", "6 PM"], 2),
        (["Garden Evening Friday 6 PM"], 2),
        (["GardenEvening", "Friday 6PM"], 2),
        (["~ Garden Evening ~", "●", "– Friday 6 PM –"], 2),
        (["0", *WANTED, "一"], 2),  # leaves that were taken for characters
        (["Garden Evening", "Friday 6 ΡΜ"], 2),  # Greek capitals that look the same
        (["GARDEN EVENING", "FRIDAY 6 PM"], 1),
        (["garden evening", "Friday 6 pm"], 1),
        (["Friday 6 PM", "Garden Evening"], 1),
        (["FRIDAY 6 PM", "GARDEN EVENING"], 1),
        (["Garden Evenings", "Friday 6 PM"], 0),
        (["Garden Evening", "Friday 7 PM"], 0),
        (["Garden Evening", "Friday, 6 PM"], 0),
        (["Garden Evening!", "Friday 6 PM"], 0),
        (["Garden Evening", "Friday 6-PM"], 0),
        (["Evening Garden", "Friday 6 PM"], 0),
        ([*WANTED, "RSVP"], 0),
        ([*WANTED, *WANTED], 0),
        (["Garden Evening"], 0),
        ([], 0),
    ],
)
def test_exact_words(texts, grade):
    assert reads(column(*texts), WANTED) == grade


def test_what_stands_side_by_side_is_one_line_read_from_the_left():
    row = [Words("6 PM", (400, 102, 500, 150)), Words("Friday", (100, 100, 390, 152))]
    assert lines(row) == ["Friday6PM"]
    assert reads([Words("Garden Evening", (90, 10, 500, 60)), *row], WANTED) == 2


def test_what_a_reader_cut_in_two_and_read_twice_on_the_cut_is_read_once():
    cut = [Words("Friday, 6", (100, 100, 420, 150)), Words("6 PM", (380, 101, 520, 150))]
    assert lines(cut) == ["Friday,6PM"]
    apart = [Words("Friday 6", (100, 100, 370, 150)), Words("6 PM", (380, 101, 520, 150))]
    assert lines(apart) == ["Friday66PM"]


def test_two_pictures_read_the_same():
    assert same_words(column("GARDEN", "EVENING"), column("0", "GARDEN EVENING"))
    assert not same_words(column("Garden Evening"), column("GARDEN EVENING"))
    assert not same_words([], [])


@pytest.mark.parametrize("made", list(pictures(16)), ids=lambda m: f"{m.n}-{m.worth}")
def test_words_on_drawn_invitations_are_judged_as_they_are(made):
    got, read = judged(made)
    assert got == made.worth, (made.says, read, made.about)


@pytest.mark.slow
def test_words_on_many_drawn_invitations_are_judged_as_they_are():
    """Figures: `python -m tests.grading.drawn`."""
    wrong = [(m.n, m.says, judged(m)) for m in pictures(240, name="unseen") if judged(m)[0] != m.worth]
    assert len(wrong) <= 2 and not [w for w in wrong if w[2][0] == 2], wrong


def test_a_model_that_is_not_the_one_that_was_measured_is_not_used(monkeypatch):
    name, _ = ocr.MODELS["Rec"]
    monkeypatch.setitem(ocr.MODELS, "Rec", (name, "0" * 64))
    ocr._engine.cache_clear()
    with pytest.raises(Exception, match="missing or another one"):
        ocr.read(blank("#123456"))
    ocr._engine.cache_clear()


# ---- colours -----------------------------------------------------------------------------------------------------


def test_colours_are_those_of_cielab():
    """Values of the CIE's formulas for D65, to half a unit: red, green, blue of sRGB."""
    for rgb, lch in (
        ((255, 0, 0), (53.2, 104.6, 40.0)),
        ((0, 255, 0), (87.7, 119.8, 136.0)),
        ((0, 0, 255), (32.3, 133.8, 306.3)),
    ):
        assert all(abs(a - b) < 0.5 for a, b in zip(colour_of(*rgb), lch, strict=True))
    assert colour_of(255, 255, 255)[0] == pytest.approx(100, abs=0.01) and colour_of(0, 0, 0)[0] == 0


@pytest.mark.parametrize(
    ("name", "yes", "no"),
    [
        (
            "cream",
            "fffdd0 fff8e7 fff5e1 faf3e0 f5f0e1 fdf5e6 fff8dc fffacd f5e6c8 eee8d5 ffefd5 f5f5dc",
            "ffffff f5f5f5 fafaf5 fffafa ffff99 d2b48c f0fff0 ffdab9 e8f5e0 fadadd dbe9f4 c0c0c0",
        ),
        (
            "pale blue",
            "e6f0fa add8e6 cfe8f5 dbe9f4 b0e0e6 d0e8ff 87ceeb a7c7e7",
            "ffffff 0000ff f5f5f5 e6e6fa fffdd0",
        ),
        ("lavender", "e6e6fa d6cdea c8b6e2 eae6f5", "ffffff 800080 fadadd dbe9f4 fffdd0"),
        ("pale pink", "ffc0cb fadadd f8c8dc", "ffffff ff0000 fffdd0 e6e6fa ffdead"),
    ],
)
def test_colours_by_name(name, yes, no):
    assert [c for c in yes.split() if not TONES[name].holds(colour_of(*hexed(c)))] == []
    assert [c for c in no.split() if TONES[name].holds(colour_of(*hexed(c)))] == []


def test_greens_of_leaves():
    yes = "2e8b57 228b22 556b2f 6b8e23 9caf88 808000 7d9a8c b2bea8 145028 00ff00 90ee90 3cb371 66cdaa"
    no = "ffffff 000000 fffdd0 dbe9f4 ebf5e6 f0fff0 8b4513 ffd700 5f9ea0 2f4f4f c0c0c0"
    assert [c for c in yes.split() if not GREEN.holds(colour_of(*hexed(c)))] == []
    assert [c for c in no.split() if GREEN.holds(colour_of(*hexed(c)))] == []


def leafy(ground: str, count: int = 8, green: str = "#2e8b57", length: int = 80) -> Image.Image:
    image = blank(ground)
    for n in range(count):
        leaf(ImageDraw.Draw(image), 60 + 50 * n, 60 + 330 * (n % 2), length, length * 0.4, 40 * n, green)
    return image


@pytest.mark.parametrize("ground", ["#ffffff", "#fffdd0", "#1e3228", "#dbe9f4", "#cfe8cf"])
@pytest.mark.parametrize("green", ["#2e8b57", "#6b8e23", "#9caf88"])
def test_leaves_are_found_on_any_ground(ground, green):
    for image in (
        leafy(ground, green=green),
        raster(encoded(leafy(ground, green=green), "JPEG", quality=70)),
    ):
        assert Small(image, []).leaves >= ENOUGH


def test_a_wreath_of_one_piece_and_foliage_from_edge_to_edge_are_leaves():
    wreath = blank()
    ImageDraw.Draw(wreath).ellipse((40, 40, 440, 440), outline="#3c6e3c", width=30)
    assert Small(wreath, []).leaves >= ENOUGH
    foliage = blank("#24502a")
    for n in range(150):
        green = ("#2e8b57", "#3c6e3c", "#6b8e23", "#1d5a2d")[n % 4]
        leaf(ImageDraw.Draw(foliage), n * 67 % 480, n * 41 % 480, 90, 40, 17 * n, green)
    assert Small(foliage, []).leaves >= ENOUGH


def test_bars_panels_lines_words_and_a_green_ground_are_no_leaves():
    bars = blank()
    ImageDraw.Draw(bars).rectangle((20, 20, 460, 60), fill="#2e8b57")
    frame = blank()
    ImageDraw.Draw(frame).rectangle((20, 20, 460, 460), outline="#2e8b57", width=3)
    panel = blank("#2e8b57")
    ImageDraw.Draw(panel).rectangle((100, 100, 380, 380), fill="#ffffff")
    worded = blank()
    ImageDraw.Draw(worded).text((60, 200), "Garden Evening", fill="#2e8b57", font_size=50)
    for image, words in ((bars, []), (frame, []), (panel, []), (blank("#3c6e3c"), [])):
        assert Small(image, words).leaves < SOME
    assert Small(worded, [(50, 190, 450, 270)]).leaves < SOME <= Small(worded, []).leaves


def test_few_leaves_are_some_and_not_enough():
    assert SOME <= Small(leafy("#ffffff", 1, length=60), []).leaves < ENOUGH


def test_the_ground_is_what_is_neither_leaves_nor_words():
    image = leafy("#fff8e7", 8, length=140)
    ImageDraw.Draw(image).rectangle((60, 200, 420, 280), fill="#402010")
    assert Small(image, [(60, 200, 421, 281)]).ground(TONES["cream"]) > 0.9
    half = blank("#fffdd0")
    ImageDraw.Draw(half).rectangle((0, 0, 479, 239), fill="#ffffff")
    assert 0.4 < Small(half, []).ground(TONES["cream"]) < GROUND
    shaded = Image.composite(
        blank("#f0e4c8"), blank("#fffaf0"), Image.linear_gradient("L").resize((480, 480))
    )
    assert Small(shaded, []).ground(TONES["cream"]) > 0.9


def test_judging_loads_no_reader():
    """What was read is on record: regrading needs neither the reader nor numpy."""
    code = (
        "import sys, errands.grading.pictures, errands.exam.exercise, errands.exam.run\n"
        "print([m for m in ('rapidocr', 'onnxruntime', 'numpy', 'cv2', 'PIL') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
