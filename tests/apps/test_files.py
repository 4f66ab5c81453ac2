"""The files app: paths, areas, reading and writing of formats, hostile files, limits, folders in and out."""

from __future__ import annotations

import io
import json
import os
import socket
import struct
import subprocess
import sys
import zipfile
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errands.apps.files import names
from errands.apps.files.layout import collect, lay_out
from errands.apps.files.reading import Unreadable, cells_of, sheets_of, text_of
from errands.apps.files.seed import file
from errands.apps.files.writing import table_bytes, xlsx_bytes
from errands.core.errors import TaskError, ToolError, UsageError
from errands.world import World, open_world
from errands.world.fixture import Draft, Fixture
from errands.world.fold import redo, undo
from errands.world.ledger import chain_rows, content_digest, count_rows
from errands.world.schema import UNRECORDED

NOW = 1_793_667_000_000
SEEDED = {
    "workspace/notes.md": b"# Berths\nHalcyon Centre, 3.30pm\n",
    "workspace/trip/rates.csv": b"port,fee\nTuas,1200.50\nJurong,980\n",
    "shared/rota.txt": b"Mon: Zul\n",
}


def fixture(share: bool = False, more: dict[str, bytes] | None = None) -> Fixture:
    d = Draft(("files",))
    for scope in ("files.read", "files.write", *(["files.share"] if share else [])):
        d.insert("exam_grant", app="files", scope=scope, live=1)
    for path, data in {**SEEDED, **(more or {})}.items():
        file(d, path=path, data=data, modified=NOW - 86_400_000, author="sarah")
    return d.finish(now=NOW, zone="Asia/Singapore")


def world(share: bool = False, **more: bytes) -> World:
    return open_world(fixture(share, {f"workspace/{k.replace('__', '.')}": v for k, v in more.items()}).blob)


def refused(w: World, tool: str, **args: object) -> ToolError:
    before = w.ledger.rows_sum
    with pytest.raises(ToolError) as why:
        w.call(tool, args)
    assert w.ledger.rows_sum == before, "a refused call changes nothing"
    return why.value


def paths(w: World, folder: str = "") -> list[str]:
    return [f["path"] for f in w.call("files_list", {"folder": folder})["files"]]


# ---- looking ---------------------------------------------------------------------------------------------


def test_list_shows_a_folder_in_order_with_facts():
    w = world()
    got = w.call("files_list")
    assert got["next"] == "" and [f["path"] for f in got["files"]] == [
        "workspace/notes.md",
        "workspace/trip/rates.csv",
    ]
    assert got["files"][0] == {
        "path": "workspace/notes.md",
        "size": 32,
        "media": "text/markdown",
        "author": "sarah",
        "modified": "2026-11-02T08:50+08:00",
    }
    assert paths(w, "shared") == ["shared/rota.txt"] and len(paths(w)) == 3
    assert paths(w, "trip/") == paths(w, "workspace/trip") == ["workspace/trip/rates.csv"]
    assert refused(w, "files_list", folder="nowhere").code == "not_found"
    assert refused(w, "files_list", folder="notes.md").code == "not_found"


def test_list_pages_go_through_everything_once():
    w = open_world(fixture(more={f"workspace/n{n:03}.txt": b"x" for n in range(45)}).blob)
    seen, cursor, turns = [], "", 0
    while turns == 0 or cursor:
        page = w.call("files_list", {"cursor": cursor})
        seen += [f["path"] for f in page["files"]]
        cursor, turns = page["next"], turns + 1
    assert turns == 3 and len(seen) == len(set(seen)) == 47 and seen == sorted(seen)
    for bad in ("shared/rota.txt", "17", "zzz", "\U0010ffff"):
        assert refused(w, "files_list", cursor=bad).field == "cursor"


def test_read_gives_text_by_page():
    text = "0123456789" * 4_500
    w = world(long__txt=text.encode())
    first = w.call("files_read", {"path": "long.txt"})
    assert first["length"] == 45_000 and first["next"] == 20_000 and not first["binary"]
    got, offset = "", 0
    while offset is not None:
        page = w.call("files_read", {"path": "long.txt", "offset": offset})
        got, offset = got + page["text"], page["next"]
    assert got == text
    for bad in (-1, 45_000, 2**62):
        assert refused(w, "files_read", path="long.txt", offset=bad).field == "offset"
    assert refused(w, "files_read", path="trip").message.endswith("is a folder, not a file")
    assert refused(w, "files_read", path="no.txt").code == "not_found"


def test_an_empty_file_reads_as_empty():
    got = world(empty__txt=b"").call("files_read", {"path": "empty.txt"})
    assert (got["text"], got["size"], got["next"]) == ("", 0, None)


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\nxx", b"caf\xe9", b"a\x00b"])
def test_what_is_not_text_says_so(data):
    for name in ("thing__png", "thing__dat", "thing__txt"):
        got = world(**{name: data}).call("files_read", {"path": name.replace("__", ".")})
        if got["binary"]:
            assert got["text"] is None and str(len(data)) in got["note"] and got["media"] in got["note"]
        else:
            assert name != "thing__png"


def test_find_looks_at_paths_and_texts():
    w = world(kana__txt="ﾃｽﾄ 東京 Straße".encode(), bad__pdf=b"%PDF-1.4 halcyon")
    assert [h["path"] for h in w.call("files_find", {"query": "HALCYON"})["files"]] == ["workspace/notes.md"]
    assert w.call("files_find", {"query": "trip jurong"})["files"][0]["found_in"] == "text"
    assert w.call("files_find", {"query": "rota shared"})["files"] == [
        {"path": "shared/rota.txt", "found_in": "path", "excerpt": ""}
    ]
    for word in ("テスト", "東京", "STRASSE"):
        assert [h["path"] for h in w.call("files_find", {"query": word})["files"]] == ["workspace/kana.txt"]
    assert "980" in w.call("files_find", {"query": "jurong"})["files"][0]["excerpt"]
    assert w.call("files_find", {"query": "nothing like it"}) == {"files": [], "next": ""}
    for bad in ("", "  ", "x" * 201):
        assert refused(w, "files_find", query=bad).field == "query"
    assert refused(w, "files_find", query="x", cursor="17").field == "cursor"


def test_find_pages():
    w = open_world(fixture(more={f"workspace/n{n:03}.txt": b"berth" for n in range(45)}).blob)
    first = w.call("files_find", {"query": "berth"})
    second = w.call("files_find", {"query": "berth", "cursor": first["next"]})
    third = w.call("files_find", {"query": "berth", "cursor": second["next"]})
    assert [len(p["files"]) for p in (first, second, third)] == [20, 20, 6] and third["next"] == ""


# ---- cells -----------------------------------------------------------------------------------------------

CSVS = {
    "plain": b"a,b\n1,2\n",
    "bom": b"\xef\xbb\xbfa,b\n1,2\n",
    "crlf": b"a,b\r\n1,2\r\n",
    "cr": b"a,b\r1,2\r",
    "semicolons": b"a;b\n1;2\n",
    "tabs": b"a\tb\n1\t2\n",
    "sep": b"sep=;\r\na;b\r\n1;2\r\n",
    "no end": b"a,b\n1,2",
    "utf-16": "a,b\n1,2\n".encode("utf-16"),
    "empty rows": b"\n\na,b\n\n,,\n1,2\n\n",
    "quoted": b'"a","b"\n"1","2"\n',
}


@pytest.mark.parametrize("data", CSVS.values(), ids=CSVS)
def test_csv_as_people_write_it(data):
    assert cells_of("x.csv", data) == (["a", "b"], [["1", "2"]])


def test_csv_details():
    assert cells_of("x.csv", b'a;"b,c,d,e"\n"1\n2";3\n') == (["a", "b,c,d,e"], [["1\n2", "3"]])
    assert cells_of("x.csv", b"a,b\n1\n1,2,3\n") == (["a", "b", ""], [["1", "", ""], ["1", "2", "3"]])
    assert cells_of("x.csv", b"") == ([], [])
    assert cells_of("x.tsv", b"a,b\tc\n1\t2\n") == (["a,b", "c"], [["1", "2"]])
    assert cells_of("x.csv", "e\u0301,x\n".encode()) == (["é", "x"], [])
    for bad, code in (
        (b"a,b\n1\x00,2\n", "binary"),
        (b"a,\xff\n", "binary"),
        (b"a\n" * 10_001, "limit"),
        (b"," * 201 + b"x", "limit"),
        (b'"' + b"x" * 200_000, "broken"),
    ):
        with pytest.raises(Unreadable) as why:
            cells_of("x.csv", bad)
        assert why.value.code == code


def test_json_keeps_numbers_as_written():
    data = (
        b'[{"a": 0.10, "b": 12345678901234567890123, "c": null}, {"d": true, "a": [1.50, {"x": "\\u00e9"}]}]'
    )
    assert cells_of("x.json", data) == (
        ["a", "b", "c", "d"],
        [["0.10", "12345678901234567890123", "", ""], ['[1.50, {"x": "é"}]', "", "", "true"]],
    )
    assert cells_of("x.json", b"[]") == ([], [])
    assert cells_of("x.json", b'[{"a": "x\\ud800\\u0000y"}]') == (["a"], [["x?y"]])
    for bad in (b'{"a": 1}', b"[1]", b"{", b"[" * 100_000, b'[{"a": 1,}]'):
        with pytest.raises(Unreadable) as why:
            cells_of("x.json", bad)
        assert why.value.code == "broken"


def office_xlsx() -> bytes:
    from datetime import date, datetime, time, timedelta

    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    sheet.title = "Fees"
    sheet.append(["port", "fee", "on", "at", "paid", "n"])
    sheet.append(["Tuas", 1200.5, date(2026, 11, 3), datetime(2026, 11, 3, 8, 50), True, 7])
    sheet.append(["Jurong", 0.1 + 0.2, time(9, 5), timedelta(hours=26, minutes=3), None, 1e20])
    sheet["A9"] = "far"
    other = book.create_sheet("Notes")
    other["B2"] = "only"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_xlsx_of_an_office_program():
    data = office_xlsx()
    assert sheets_of("x.xlsx", data) == ["Fees", "Notes"]
    columns, rows = cells_of("x.xlsx", data)
    assert columns == ["port", "fee", "on", "at", "paid", "n"]
    assert rows == [
        ["Tuas", "1200.5", "2026-11-03", "2026-11-03T08:50", "TRUE", "7"],
        ["Jurong", "0.3", "09:05", "26:03:00", "", "100000000000000000000"],
        ["far", "", "", "", "", ""],
    ]
    assert cells_of("x.xlsx", data, "Notes") == (["", "only"], [])
    assert text_of("x.xlsx", data).startswith("# Fees\nport\tfee\ton\tat\tpaid\tn\nTuas\t1200.5\t")
    assert "# Notes\n\tonly" in text_of("x.xlsx", data)
    w = world(fees__xlsx=data)
    got = w.call("files_cells", {"path": "fees.xlsx"})
    assert (got["sheet"], got["sheets"], got["total_rows"], got["next"]) == ("Fees", ["Fees", "Notes"], 3, "")
    assert refused(w, "files_cells", path="fees.xlsx", sheet="Nope").field == "sheet"
    assert refused(w, "files_cells", path="trip/rates.csv", sheet="Nope").field == "sheet"
    assert w.call("files_find", {"query": "jurong fees"})["files"][0]["path"] == "workspace/fees.xlsx"


def test_cells_page_and_bad_cursors():
    w = world(
        big__csv=b"n,m\n" + b"".join(b"%d,x\n" % n for n in range(120)),
        wide__csv=b"a\n" + b"y" * 60_000 + b"\nb\n",
    )
    first = w.call("files_cells", {"path": "big.csv"})
    assert len(first["rows"]) == 50 and first["total_rows"] == 120
    last = w.call("files_cells", {"path": "big.csv", "cursor": "100"})
    assert last["rows"][-1] == ["119", "x"] and last["next"] == ""
    assert w.call("files_cells", {"path": "wide.csv"})["rows"][0] == ["y" * 2_000 + "…"]
    for bad in ("120", "-1", "x", "١", "1e3", "9" * 50):
        assert refused(w, "files_cells", path="big.csv", cursor=bad).field == "cursor"
    assert refused(w, "files_cells", path="notes.md").code == "invalid"


# ---- hostile files ---------------------------------------------------------------------------------------


def repack(data: bytes, change: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", method) as new:
        parts = {n: old.read(n) for n in old.namelist()} | change
        for name, content in parts.items():
            new.writestr(name, content)
    return out.getvalue()


def lying(data: bytes) -> bytes:
    """A bomb that declares a small size and the checksum of just that much: plain readers unpack it all."""
    bomb = repack(data, {"xl/worksheets/sheet1.xml": b" " * 60_000_000})
    raw = bytearray(bomb)
    small = zlib.crc32(b" " * 10)
    for sig, size_at, crc_at, name_at in ((b"PK\x03\x04", 22, 14, 30), (b"PK\x01\x02", 24, 16, 46)):
        at = -1
        while (at := raw.find(sig, at + 1)) >= 0:
            if raw[at + name_at :].startswith(b"xl/worksheets/sheet1.xml"):
                struct.pack_into("<I", raw, at + size_at, 10)
                struct.pack_into("<I", raw, at + crc_at, small)
    return bytes(raw)


def sheet_xml(rows: str) -> dict[str, bytes]:
    return {
        "xl/worksheets/sheet1.xml": (
            '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
            '<dimension ref="A1:A1"/>'
            f"<sheetData>{rows}</sheetData></worksheet>"
        ).encode()
    }


BASE = xlsx_bytes([("S", [["a", "b"], ["1", "2"]])])
CELL = '<c r="{}" t="inlineStr"><is><t>x</t></is></c>'
ENTITY = (
    b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    b"<worksheet>&b;</worksheet>"
)
HOSTILE_XLSX: dict[str, Callable[[], bytes]] = {
    "zip bomb": lambda: repack(BASE, {"xl/worksheets/sheet1.xml": b" " * 200_000_000}),
    "a bomb that lies": lambda: lying(BASE),
    "bomb in another part": lambda: repack(BASE, {"xl/styles.xml": b"<a>" * 10_000_000}),
    "lzma": lambda: repack(BASE, {}, zipfile.ZIP_LZMA),
    "entities": lambda: repack(BASE, {"xl/worksheets/sheet1.xml": ENTITY}),
    "entities in utf-16": lambda: repack(
        BASE, {"xl/worksheets/sheet1.xml": ENTITY.decode().encode("utf-16")}
    ),
    "many parts": lambda: repack(BASE, {f"x{n}": b"" for n in range(400)}),
    "row far away": lambda: repack(
        BASE, sheet_xml(f'<row r="99999999999">{CELL.format("A99999999999")}</row>')
    ),
    "many rows": lambda: repack(BASE, sheet_xml(f"<row>{CELL.format('A1')}</row>" * 10_001)),
    "broad": lambda: repack(BASE, sheet_xml(f'<row r="1">{CELL.format("GS1")}</row>')),
    "one long text, often": lambda: repack(
        BASE,
        {
            **sheet_xml('<row><c t="s"><v>0</v></c></row>' * 300),
            "xl/sharedStrings.xml": (
                b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>'
                + b"x" * 30_000
                + b"</t></si></sst>"
            ),
            "[Content_Types].xml": zipfile.ZipFile(io.BytesIO(BASE))
            .read("[Content_Types].xml")
            .replace(
                b"</Types>",
                b'<Override PartName="/xl/sharedStrings.xml" ContentType="'
                b"application/vnd.openxmlformats-officedocument."
                b'spreadsheetml.sharedStrings+xml"/></Types>',
            ),
        },
    ),
    "bad number": lambda: repack(BASE, sheet_xml('<row r="1"><c r="A1"><v>1e</v></c></row>')),
    "no shared text": lambda: repack(BASE, sheet_xml('<row r="1"><c r="A1" t="s"><v>99</v></c></row>')),
    "endless integer": lambda: repack(
        BASE, sheet_xml(f'<row r="1"><c r="A1"><v>{"9" * 10_000}</v></c></row>')
    ),
    "long title": lambda: xlsx_bytes([("t" * 50_000, [["a"]])]),
    "many sheets": lambda: xlsx_bytes([(f"s{n}", [["a"]]) for n in range(60)]),
    "truncated": lambda: BASE[:-300],
    "no zip": lambda: b"PK\x03\x04 nothing",
    "empty": lambda: b"",
    "text": lambda: b"a,b\n1,2\n",
}


@pytest.mark.parametrize("name", HOSTILE_XLSX)
def test_hostile_spreadsheets_are_refused(name):
    data = HOSTILE_XLSX[name]()
    assert len(data) < names.MAX_FILE
    for read in (text_of, cells_of):
        with pytest.raises(Unreadable) as why:
            read("x.xlsx", data)
        assert why.value.code in ("limit", "broken")
    w = world(evil__xlsx=data)
    assert refused(w, "files_read", path="evil.xlsx").code in ("limit", "invalid")
    assert refused(w, "files_cells", path="evil.xlsx").code in ("limit", "invalid")
    assert w.call("files_find", {"query": "berths"})["files"][0]["path"] == "workspace/notes.md"


def test_a_repacked_spreadsheet_of_another_program_is_still_read():
    assert cells_of("x.xlsx", repack(office_xlsx(), {}))[0][0] == "port"
    deep = {"xl/theme/theme1.xml": b"<a>" * 200_000 + b"</a>" * 200_000}
    assert cells_of("x.xlsx", repack(BASE, deep)) == (["a", "b"], [["1", "2"]])
    assert cells_of("x.xlsx", repack(BASE, sheet_xml(f'<row r="4">{CELL.format("B4")}</row>'))) == (
        ["", "x"],
        [],
    )


def a_pdf(pages: list[str]) -> bytes:
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    canvas = Canvas(out, invariant=True)
    for text in pages:
        canvas.drawString(72, 700, text)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def raw_pdf(objects: list[bytes]) -> bytes:
    out, places = b"%PDF-1.4\n", []
    for n, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % n + body + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % p for p in places)
    return (
        out
        + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
        + table
        + (b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(out)))
    )


def stream(data: bytes, extra: bytes = b"") -> bytes:
    packed = zlib.compress(data)
    return b"<</Length %d/Filter/FlateDecode%s>>\nstream\n" % (len(packed), extra) + packed + b"\nendstream"


def one_page(content: bytes, *more: bytes, xobjects: bytes = b"") -> bytes:
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    page = (
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R"
        b"/Resources<</Font<</F 5 0 R>>/XObject<<%s>>>>>>"
    )
    return raw_pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            page % xobjects,
            content,
            font,
            *more,
        ]
    )


def form(draws: bytes, inner: bytes) -> bytes:
    return stream(
        draws,
        b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<<%s>>/Font<</F 5 0 R>>>>" % inner,
    )


def test_pdf_text_by_page():
    data = a_pdf(["Invoice 4711", "Total 99.50"])
    assert [p.strip() for p in text_of("x.pdf", data).split("\f")] == ["Invoice 4711", "Total 99.50"]
    w = world(inv__pdf=data)
    text = w.call("files_read", {"path": "inv.pdf"})["text"]
    assert text.index("[page 1]") < text.index("4711") < text.index("[page 2]") < text.index("99.50")
    assert w.call("files_find", {"query": "invoice 4711"})["files"][0]["path"] == "workspace/inv.pdf"
    assert "BT" not in text_of("x.pdf", one_page(stream(b"BT /F 9 Tf (seen) Tj ET"))) and "seen" in text_of(
        "x.pdf", one_page(stream(b"BT /F 9 Tf (seen) Tj ET"))
    )


HOSTILE_PDF: dict[str, Callable[[], bytes]] = {
    "truncated": lambda: a_pdf(["x"])[:200],
    "empty": lambda: b"",
    "head only": lambda: b"%PDF-1.7\n",
    "noise": lambda: bytes(range(256)) * 40,
    "text": lambda: b"no pdf at all",
    "stream bomb": lambda: one_page(stream(b" " * 200_000_000)),
    "many operators": lambda: one_page(stream(b"BT /F 9 Tf " + b"(x) Tj " * 400_000)),
    "forms in forms": lambda: one_page(
        stream(b"/A Do " * 50),
        form(b"/A Do " * 50, b"/A 7 0 R"),
        form(b"/A Do " * 50, b"/A 8 0 R"),
        form(b"BT /F 9 Tf " + b"(x) Tj " * 9_000, b""),
        xobjects=b"/A 6 0 R",
    ),
    "many pages": lambda: a_pdf(["x"] * 101),
    "a tree that bites its tail": lambda: raw_pdf(
        [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 9>>"]
    ),
}


@pytest.mark.parametrize("name", HOSTILE_PDF)
def test_hostile_pdfs_end_in_an_answer(name):
    data = HOSTILE_PDF[name]()
    assert len(data) < names.MAX_FILE
    w = world(evil__pdf=data)
    try:
        got = w.call("files_read", {"path": "evil.pdf"})
        assert len(got["text"]) <= 20_000
    except ToolError as why:
        assert why.code in ("limit", "invalid") and why.field == "path"
    assert name not in ("truncated", "empty", "noise", "text", "many operators", "many pages") or refused(
        w, "files_read", path="evil.pdf"
    )


# ---- pictures --------------------------------------------------------------------------------------------


def a_picture(size: tuple[int, int], kind: str = "PNG", mode: str = "RGB", colour: object = "red") -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.new(mode, size, colour).save(out, kind)
    return out.getvalue()


def noise(size: tuple[int, int], mode: str = "RGB") -> bytes:
    import random

    from PIL import Image

    out = io.BytesIO()
    dots = random.Random(1).randbytes(size[0] * size[1] * len(mode))
    Image.frombytes(mode, size, dots).save(out, "PNG")
    return out.getvalue()


def opened(answer: dict[str, object]):
    from PIL import Image

    return Image.open(io.BytesIO(b64decode(str(answer["png_base64"]))))


def test_a_small_png_is_handed_on_as_it_is():
    data = a_picture((40, 30))
    got = world(p__png=data).call("files_picture", {"path": "p.png"})
    assert b64decode(got.pop("png_base64")) == data
    assert got == {
        "path": "workspace/p.png",
        "format": "PNG",
        "width": 40,
        "height": 30,
        "shown_width": 40,
        "shown_height": 30,
    }


@pytest.mark.parametrize(
    ("kind", "mode"), [("JPEG", "RGB"), ("JPEG", "L"), ("GIF", "P"), ("WEBP", "RGBA"), ("BMP", "1")]
)
def test_other_pictures_become_png(kind, mode):
    colour = {"RGB": (250, 0, 0), "L": 90, "P": 1, "RGBA": (0, 0, 200, 255), "1": 1}[mode]
    data = a_picture((40, 30), kind, mode, colour)
    w = world(**{f"p__{kind.lower()}": data})
    got = w.call("files_picture", {"path": f"p.{kind.lower()}"})
    image = opened(got)
    assert (got["format"], got["width"], got["height"]) == (kind, 40, 30) and image.size == (40, 30)
    image.load()
    if mode in ("RGB", "L"):
        seen = image.convert("RGB").getpixel((20, 15))
        want = colour if mode == "RGB" else (90, 90, 90)
        assert all(abs(a - b) < 6 for a, b in zip(seen, want, strict=True))


def test_transparency_shows_white():
    w = world(p__webp=a_picture((9, 9), "WEBP", "RGBA", (0, 0, 0, 0)))
    assert opened(w.call("files_picture", {"path": "p.webp"})).convert("RGB").getpixel((4, 4)) == (
        255,
        255,
        255,
    )


def test_pictures_are_bounded():
    w = world(broad__png=a_picture((4_000, 1_000)), loud__png=noise((400, 400)))
    broad = w.call("files_picture", {"path": "broad.png"})
    assert (broad["width"], broad["shown_width"], broad["shown_height"]) == (4_000, 1_280, 320)
    loud = w.call("files_picture", {"path": "loud.png"})
    assert len(b64decode(loud["png_base64"])) <= 200_000 and loud["shown_width"] <= 400
    opened(loud).load()


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.integers(1, 30), st.data())
def test_our_png_holds_exactly_the_pixels(width, height, data):
    from PIL import Image

    from errands.apps.files.png import png_bytes

    runs = data.draw(st.lists(st.tuples(st.integers(0, 255), st.integers(1, 700)), min_size=1))
    pixels = (b"".join(bytes([v]) * n for v, n in runs) * (1 + width * height))[: width * height]
    image = Image.open(io.BytesIO(png_bytes(width, height, pixels)))
    assert image.size == (width, height) and image.tobytes() == pixels
    palette = bytes(range(256)) * 3
    coloured = Image.open(io.BytesIO(png_bytes(width, height, pixels, palette)))
    assert coloured.mode == "P" and coloured.tobytes() == pixels and bytes(coloured.getpalette()) == palette


def png_of(width: int, height: int, idat: bytes) -> bytes:
    from errands.apps.files.png import _chunk

    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
        + _chunk(b"IDAT", idat)
        + _chunk(b"IEND", b"")
    )


HOSTILE_PICTURES: dict[str, Callable[[], bytes]] = {
    "bomb": lambda: png_of(30_000, 30_000, zlib.compress(bytes(30_001 * 3_000))),
    "claims only": lambda: png_of(60_000, 60_000, b""),
    "big": lambda: png_of(5_000, 5_000, zlib.compress(bytes(5_001 * 5_000))),
    "truncated": lambda: a_picture((400, 300))[:100],
    "no picture": lambda: b"GIF but not",
    "empty": lambda: b"",
    "no data": lambda: png_of(10, 10, b"xx"),
    "svg": lambda: b"<svg/>",
    "no size": lambda: png_of(0, 0, b""),
}


@pytest.mark.parametrize("name", HOSTILE_PICTURES)
def test_hostile_pictures_are_refused(name):
    w = world(evil__png=HOSTILE_PICTURES[name]())
    assert refused(w, "files_picture", path="evil.png").code in ("limit", "invalid")
    assert refused(w, "files_picture", path="notes.md").message.endswith("is not a picture")


# ---- changing --------------------------------------------------------------------------------------------


def test_write_creates_and_replaces():
    w = world()
    assert w.call("files_write", {"path": "out/plan.md", "text": "Plän\r\n"}) == {
        "path": "workspace/out/plan.md",
        "size": 7,
        "media": "text/markdown",
        "created": True,
    }
    assert w.call("files_write", {"path": "workspace/out/plan.md", "text": "b"})["created"] is False
    assert w.call("files_read", {"path": "out/plan.md"})["text"] == "b"
    facts = w.call("files_list", {"folder": "out"})["files"][0]
    assert facts["author"] == "agent" and facts["modified"].startswith("2026-11-03T08:50")
    assert refused(w, "files_write", path="x.xlsx", text="a").field == "path"
    assert w.call("files_write", {"path": "READ ME", "text": "x"})["media"] == "text/plain"


def test_case_is_told_apart_and_names_are_composed():
    w = world()
    w.call("files_write", {"path": "Notes.md", "text": "other"})
    w.call("files_write", {"path": "cafe\u0301.txt", "text": "x"})
    assert (
        "workspace/Notes.md" in paths(w)
        and "workspace/notes.md" in paths(w)
        and "workspace/café.txt" in paths(w)
    )


BAD_PATHS = [
    "",
    "/",
    "/etc/passwd",
    "a//b",
    "a/",
    "../x",
    "workspace/../shared/x",
    "a/./b",
    "a\\b",
    "a\nb",
    "a\x7f",
    "a\u2028b",
    "x" * 201,
    "x" * 195,
    "é" * 150,
    "workspace",
    "shared",
    "workspace/",
    "shared/",
    "abc\u202efdp.exe",
    " a",
    "a ",
    "a /b",
    ".",
    "..",
]


@pytest.mark.parametrize("path", BAD_PATHS)
def test_paths_that_name_no_file(path):
    w = world(share=True)
    for tool, args in (
        ("files_write", {"path": path, "text": "x"}),
        ("files_read", {"path": path}),
        ("files_delete", {"path": path}),
        ("files_move", {"path": path, "to": "ok.md"}),
        ("files_move", {"path": "notes.md", "to": path}),
        ("files_copy", {"path": "notes.md", "to": path}),
        ("files_write_table", {"path": path, "columns": ["a"], "rows": []}),
        ("files_cells", {"path": path}),
        ("files_picture", {"path": path}),
    ):
        assert refused(w, tool, **args).code == "invalid"
    assert len(paths(w)) == 3


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=250), st.text(max_size=30), st.text(max_size=20))
def test_no_text_breaks_a_tool(path, text, cursor):
    w = world(share=True)
    for tool, args in (
        ("files_write", {"path": path, "text": text}),
        ("files_read", {"path": path}),
        ("files_list", {"folder": path, "cursor": cursor}),
        ("files_find", {"query": text, "cursor": cursor}),
        ("files_cells", {"path": path, "sheet": text, "cursor": cursor}),
        ("files_move", {"path": path, "to": text}),
        ("files_write_table", {"path": path + ".xlsx", "columns": [text], "rows": [[cursor]]}),
    ):
        with suppress(ToolError):
            w.call(tool, args)
    for stored in paths(w):
        assert ".." not in stored.split("/") and stored.split("/")[0] in names.AREAS


def test_wrong_argument_types_are_answered():
    w = world()
    for tool, args in (
        ("files_read", {"path": 7}),
        ("files_read", {"path": "notes.md", "offset": "0"}),
        ("files_read", {}),
        ("files_write_table", {"path": "x.csv", "columns": ["a"], "rows": [[1]]}),
        ("files_write_table", {"path": "x.csv", "columns": "a", "rows": []}),
        ("files_list", {"folder": None}),
        ("files_find", {"query": ["a"]}),
        ("files_write", {"path": "a", "data": ""}),
    ):
        assert refused(w, tool, **args).code == "invalid"


def test_a_file_is_no_folder_and_a_folder_no_file():
    w = world()
    assert refused(w, "files_write", path="notes.md/x.md", text="").code == "conflict"
    assert refused(w, "files_write", path="notes.md/a/b/x.md", text="").code == "conflict"
    assert refused(w, "files_write", path="trip", text="").code == "conflict"
    assert refused(w, "files_copy", path="notes.md", to="trip").code == "conflict"
    assert refused(w, "files_move", path="trip/rates.csv", to="notes.md/rates.csv").code == "conflict"
    w.call("files_write", {"path": "trip.md", "text": "a name that begins alike is none of these"})
    w.call("files_move", {"path": "notes.md", "to": "notes.md/inside.md"})
    assert "workspace/notes.md/inside.md" in paths(w)


def test_move_copy_delete():
    w = world()
    assert w.call("files_copy", {"path": "shared/rota.txt", "to": "rota.txt"})["path"] == "workspace/rota.txt"
    assert w.call("files_move", {"path": "notes.md", "to": "old/notes.md"}) == {
        "path": "workspace/old/notes.md",
        "moved_from": "workspace/notes.md",
    }
    assert w.call("files_list", {"folder": "old"})["files"][0]["author"] == "sarah"
    assert refused(w, "files_read", path="notes.md").code == "not_found"
    assert w.call("files_delete", {"path": "rota.txt"}) == {"path": "workspace/rota.txt", "deleted": True}
    assert refused(w, "files_delete", path="rota.txt").code == "not_found"
    assert refused(w, "files_move", path="old/notes.md", to="trip/rates.csv").code == "conflict"
    assert refused(w, "files_copy", path="old/notes.md", to="old/notes.md").code == "conflict"
    assert refused(w, "files_move", path="old/notes.md", to="notes.pdf").field == "to"
    assert refused(w, "files_move", path="gone.md", to="there.md").field == "path"


def test_the_shared_area_needs_its_own_grant():
    tries = (
        ("files_write", {"path": "shared/x.md", "text": "x"}),
        ("files_write", {"path": "shared/rota.txt", "text": "x"}),
        ("files_write_table", {"path": "shared/x.csv", "columns": ["a"], "rows": []}),
        ("files_delete", {"path": "shared/rota.txt"}),
        ("files_copy", {"path": "notes.md", "to": "shared/n.md"}),
        ("files_move", {"path": "notes.md", "to": "shared/n.md"}),
        ("files_move", {"path": "shared/rota.txt", "to": "r.txt"}),
    )
    w = world()
    for tool, args in tries:
        assert refused(w, tool, **args).code == "permission"
    assert w.call("files_read", {"path": "shared/rota.txt"})["text"] == "Mon: Zul\n"
    for tool, args in tries[:4]:
        world(share=True).call(tool, args)


def test_a_withdrawn_share_grant_counts():
    d = Draft(("files",))
    for scope in ("files.read", "files.write", "files.share"):
        d.insert("exam_grant", app="files", scope=scope, live=int(scope != "files.share"))
    w = open_world(d.finish(now=NOW, zone="Asia/Singapore").blob)
    assert refused(w, "files_write", path="shared/x.md", text="x").code == "permission"


def test_limits():
    w = world()
    for n in range(9):
        w.call("files_write", {"path": f"n{n}.txt", "text": str(n) * 200_000})
    for n in range(2):
        assert refused(w, "files_write", path="more.txt", text="m" * 200_000).code == "limit"
        w.call("files_delete", {"path": f"n{n}.txt"})  # old contents are kept and count on
    w.call("files_write", {"path": "n0.txt", "text": "0" * 200_000})  # what is kept already takes no room
    w.call("files_write", {"path": "small.txt", "text": "small"})
    w.call("files_copy", {"path": "n2.txt", "to": "again.txt"})
    open_world(w.snapshot())

    w = open_world(fixture(more={f"workspace/f{n}.txt": b"x" for n in range(197)}).blob)
    assert refused(w, "files_write", path="one-more.txt", text="").code == "limit"
    w.call("files_write", {"path": "f0.txt", "text": "replacing is no new file"})
    w.call("files_move", {"path": "f0.txt", "to": "g0.txt"})


def test_one_file_has_a_bound():
    w = world()
    for n in range(5):
        cells = [[f"{n}" + "y" * 30_000] for _ in range(6)]
        w.call("files_write_table", {"path": f"t{n}.csv", "columns": ["a"], "rows": cells})
    data = b64encode(b"x" * 1_000_001).decode()
    with pytest.raises(ToolError, match="too big"), w.attempt():
        w.signal("files.save", path="big.bin", data_b64=data, media="application/octet-stream")


# ---- tables written --------------------------------------------------------------------------------------

GOLDEN = {
    "csv": "6d8811f7",
    "tsv": "5d4ad97b",
    "json": "a80fb240",
    "xlsx": "811e0308",
}
COLUMNS, ROWS = (
    ["port", "fee, S$"],
    [['Tuas "T"', "0012.50"], ["港;1\t2", " x\ny "], ["_x0041_ & <b>]]>", "=1+1"]],
)


@pytest.mark.parametrize("ext", sorted(GOLDEN))
def test_written_tables_are_read_back_and_always_the_same_bytes(ext):
    w = world()
    w.call("files_write_table", {"path": f"t.{ext}", "columns": COLUMNS, "rows": ROWS})
    got = w.call("files_cells", {"path": f"t.{ext}"})
    assert (got["columns"], got["rows"]) == (COLUMNS, ROWS)
    data = table_bytes(ext, COLUMNS, ROWS)
    assert (
        w.value(
            "SELECT data FROM files_blob b JOIN files_entry e ON e.blob = b.digest WHERE path = ?",
            f"workspace/t.{ext}",
        )
        == data
    )
    assert f"{zlib.crc32(data):08x}" == GOLDEN[ext]


def test_written_xlsx_stands_plain_with_fixed_facts():
    with zipfile.ZipFile(io.BytesIO(table_bytes("xlsx", COLUMNS, ROWS))) as package:
        for part in package.infolist():
            assert part.date_time == (1980, 1, 1, 0, 0, 0) and part.compress_type == zipfile.ZIP_STORED
            assert part.create_system == 3


CELLS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=8)


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(["csv", "tsv", "json", "xlsx"]),
    st.lists(st.lists(CELLS, min_size=3, max_size=3), max_size=4),
)
def test_any_cells_come_back(ext, rows):
    from unicodedata import normalize

    rows = [[normalize("NFC", c) for c in row] for row in rows]
    data = table_bytes(ext, ["a", "b", "c"], rows)
    columns = ["a", "b", "c"] if rows or ext != "json" else []  # JSON has no place for columns but in objects
    assert cells_of(f"x.{ext}", data) == (columns, [r for r in rows if any(r)])


def test_tables_that_are_none():
    w = world()
    for args, field in (
        ({"columns": ["a", "a"], "rows": []}, "columns"),
        ({"columns": [], "rows": []}, "columns"),
        ({"columns": ["a", " "], "rows": []}, "columns"),
        ({"columns": ["a"], "rows": [["1"], ["1", "2"]]}, "rows[1]"),
        ({"columns": [str(n) for n in range(201)], "rows": []}, "rows"),
    ):
        assert refused(w, "files_write_table", path="t.csv", **args).field == field
    assert refused(w, "files_write_table", path="t.md", columns=["a"], rows=[]).field == "path"
    for cell in ("a\x01", "x" * 32_768, "\uffff"):
        assert refused(w, "files_write_table", path="t.xlsx", columns=["a"], rows=[[cell]]).field == "rows"


# ---- other apps ------------------------------------------------------------------------------------------


def test_signals_save_and_fetch():
    w = world()
    with w.outside("agent", "test"):
        assert w.signal(
            "files.save", path="in/a.bin", media="x/y", data_b64=b64encode(b"\x00\x01").decode()
        ) == [{"path": "workspace/in/a.bin"}]
        assert w.signal("files.fetch", path="in/a.bin") == [
            {"name": "a.bin", "media": "x/y", "data_b64": "AAE="}
        ]
        for name, payload, code in (
            ("files.fetch", {"path": "no.txt"}, "not_found"),
            ("files.fetch", {"path": "../x"}, "invalid"),
            ("files.save", {"path": "a.txt", "data_b64": "%%", "media": ""}, "invalid"),
            ("files.save", {"path": "notes.md/a", "data_b64": "", "media": ""}, "conflict"),
            ("files.save", {"path": "shared/a.txt", "data_b64": "", "media": ""}, "permission"),
        ):
            with pytest.raises(ToolError) as why, w.attempt():
                w.signal(name, **payload)
            assert why.value.code == code
        w.signal("files.save", path="shared/b.txt", data_b64="eA==", media="", author="zul")
    assert w.call("files_list", {"folder": "shared"})["files"][0] == {
        "path": "shared/b.txt",
        "size": 1,
        "media": "text/plain",
        "modified": "2026-11-03T08:50+08:00",
        "author": "zul",
    }
    assert w.call("files_list", {"folder": "in"})["files"][0]["author"] == "agent"


def test_seeding_refuses_what_the_app_would():
    for bad in ({"path": "../x"}, {"path": "notes.md/x"}, {"path": "trip"}, {"data": b"x" * 1_000_001}):
        d = Draft(("files",))
        for path, data in SEEDED.items():
            file(d, path=path, data=data, modified=NOW, author="me")
        with pytest.raises(TaskError):
            file(d, **{"path": "new.txt", "data": b"", "modified": NOW, "author": "me", **bad})


# ---- folders in and out ----------------------------------------------------------------------------------


def why(done: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    return {r["name"]: r["why"] for r in done["refused"]}


def test_round_trip_without_changes_leaves_no_trace(tmp_path):
    w = world()
    lay_out(w, tmp_path / "w")
    assert (tmp_path / "w/trip/rates.csv").read_bytes() == SEEDED["workspace/trip/rates.csv"]
    assert not (tmp_path / "w/shared").exists()
    digest = w.world_digest()
    assert collect(w, tmp_path / "w", "agent") == {"added": [], "changed": [], "deleted": [], "refused": []}
    assert w.world_digest() == digest
    with pytest.raises(UsageError):
        lay_out(w.db, tmp_path / "w")


def test_changes_in_the_folder_become_effects_of_one_event(tmp_path):
    w = world()
    start = w.snapshot()
    lay_out(w.db, tmp_path)
    (tmp_path / "notes.md").write_text("changed")
    (tmp_path / "trip/rates.csv").unlink()
    (tmp_path / "out").mkdir()
    (tmp_path / "out/repo\u0301rt.txt").write_bytes(b"done")
    done = collect(w, tmp_path, "agent")
    assert done == {
        "added": ["workspace/out/repórt.txt"],
        "changed": ["workspace/notes.md"],
        "deleted": ["workspace/trip/rates.csv"],
        "refused": [],
    }
    event = w.one("SELECT * FROM exam_ledger WHERE kind = 'event'")
    assert (
        event["name"] == "files.collected" and event["actor"] == "agent" and json.loads(event["body"]) == done
    )
    effects = w.all("SELECT * FROM exam_ledger WHERE kind = 'effect'")
    assert {e["cause"] for e in effects} == {event["seq"]} and {e["actor"] for e in effects} == {"agent"}
    assert w.now == NOW and w.call("files_list", {"folder": "out"})["files"][0]["author"] == "agent"
    assert w.ledger.rows_sum == count_rows(w.db, w.ledger.tables)
    assert (w.ledger.seq, w.ledger.chain) == chain_rows(w.db)

    recorded = {k: v for k, v in w.ledger.tables.items() if k not in UNRECORDED}
    undone, redone = open_world(w.snapshot()), open_world(start)
    undo(undone.db, undone.ledger.tables)
    assert content_digest(undone.db, recorded) == content_digest(open_world(start).db, recorded)
    redo(redone.db, redone.ledger.tables, [(e["name"], e["body"]) for e in effects])
    assert content_digest(redone.db, recorded) == content_digest(w.db, recorded)
    assert collect(w, tmp_path, "agent")["added"] == [], "a second look finds nothing new"


def test_a_file_may_become_a_folder(tmp_path):
    w = world()
    lay_out(w, tmp_path)
    (tmp_path / "notes.md").unlink()
    (tmp_path / "notes.md").mkdir()
    (tmp_path / "notes.md/a.md").write_text("x")
    done = collect(w, tmp_path, "agent")
    assert done["deleted"] == ["workspace/notes.md"] and done["added"] == ["workspace/notes.md/a.md"]


def test_links_and_devices_are_refused_and_never_followed(tmp_path):
    w, folder, outside = world(), tmp_path / "w", tmp_path / "outside"
    lay_out(w, folder)
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    (folder / "link.txt").symlink_to(outside / "secret.txt")
    (folder / "dir").symlink_to(outside)
    (folder / "loop").symlink_to(folder)
    os.link(outside / "secret.txt", folder / "hard.txt")
    os.mkfifo(folder / "pipe")
    plug = socket.socket(socket.AF_UNIX)
    plug.bind(str(folder / "plug"))
    (folder / "notes.md").unlink()
    (folder / "notes.md").symlink_to("/etc/hostname")
    (folder / "trip/rates.csv").unlink()
    (folder / "trip").rmdir()
    (folder / "trip").symlink_to(outside)
    done = collect(w, folder, "agent")
    plug.close()
    assert set(why(done)) == {"link.txt", "dir", "loop", "hard.txt", "pipe", "plug", "notes.md", "trip"}
    assert done["added"] == done["changed"] == done["deleted"] == [], (
        "nobody can say that what a link hides is gone"
    )
    assert w.call("files_read", {"path": "notes.md"})["text"].startswith("# Berths")
    assert not any(b"secret" in bytes(r[0]) for r in w.db.execute("SELECT data FROM files_blob"))


def test_names_that_no_path_may_have_are_refused(tmp_path):
    w = world()
    lay_out(w, tmp_path)
    for name in (
        b"\xff\xfe.txt",
        b"a\nb.txt",
        b" lead.txt",
        "abc\u202etxt.exe".encode(),
        b".hidden",
        "é.txt".encode(),
        "e\u0301.txt".encode(),
        b"back\\slash",
    ):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(b"x")
    deep = tmp_path
    for _ in range(30):
        deep = deep / "deep-deep-deep"
        deep.mkdir()
    (deep / "x.txt").write_text("x")
    done = collect(w, tmp_path, "agent")
    assert done["added"] == ["workspace/é.txt"] and done["deleted"] == [] and len(done["refused"]) == 8
    json.dumps(done).encode()


def test_too_big_and_too_much_is_refused(tmp_path):
    w = world()
    lay_out(w, tmp_path)
    with (tmp_path / "a-sparse.bin").open("wb") as f:
        f.truncate(1 << 40)
    for n in range(3):
        (tmp_path / f"b{n}.bin").write_bytes(bytes([n]) * 900_000)
    (tmp_path / "z-report.md").write_text("the deliverable")
    done = collect(w, tmp_path, "agent")
    assert done["added"] == ["workspace/b0.bin", "workspace/b1.bin", "workspace/z-report.md"]
    assert set(why(done)) == {"a-sparse.bin", "b2.bin"} and done["deleted"] == []
    open_world(w.snapshot())


def test_an_overgrown_folder_crowds_nothing_out(tmp_path):
    w = world()
    lay_out(w, tmp_path)
    (tmp_path / "lib").mkdir()
    for n in range(300):
        (tmp_path / f"lib/m{n:04}.py").write_text(str(n))
    (tmp_path / "report.md").write_text("the deliverable")
    (tmp_path / "notes.md").write_text("changed")
    done = collect(w, tmp_path, "agent")
    assert "workspace/report.md" in done["added"] and done["changed"] == ["workspace/notes.md"]
    assert w.value("SELECT count(*) FROM files_entry") == 200 and len(done["refused"]) == 101
    for n in range(5_100):
        (tmp_path / f"lib/n{n:04}.py").write_text("")
    (tmp_path / "trip/rates.csv").unlink()
    assert collect(w, tmp_path, "agent")["deleted"] == [], (
        "where not all was seen, nothing is known to be gone"
    )


def test_a_folder_that_is_gone_or_a_link_deletes_nothing(tmp_path):
    w = world()
    assert why(collect(w, tmp_path / "gone", "agent")) == {
        "": "the folder itself cannot be opened, or is a link"
    }
    (tmp_path / "link").symlink_to(tmp_path)
    assert collect(w, tmp_path / "link", "agent")["deleted"] == [] and len(paths(w)) == 3


def test_the_shared_area_is_collected_under_its_grant(tmp_path):
    for share in (False, True):
        w, folder = world(share=share), tmp_path / str(share)
        lay_out(w, folder, "shared")
        (folder / "rota.txt").write_text("Mon: nobody")
        done = collect(w, folder, "agent", "shared")
        assert done["changed"] == (["shared/rota.txt"] if share else []) and len(done["refused"]) == (
            not share
        )


# ---- the same everywhere ---------------------------------------------------------------------------------

SCRIPT = """
from tests.apps.test_files import digest_of_a_script
print(digest_of_a_script())
"""


def digest_of_a_script() -> str:
    w = world(share=True, p__png=a_picture((2_000, 40), mode="L", colour=7), fees__xlsx=BASE)
    for tool, args in (
        ("files_write_table", {"path": "t.xlsx", "columns": COLUMNS, "rows": ROWS}),
        ("files_picture", {"path": "p.png"}),
        ("files_cells", {"path": "fees.xlsx"}),
        ("files_find", {"query": "tuas"}),
        ("files_copy", {"path": "t.xlsx", "to": "shared/t.xlsx"}),
        ("files_read", {"path": "t.xlsx"}),
        ("files_list", {"folder": ""}),
    ):
        w.call(tool, args)
    fork = open_world(w.snapshot())
    assert fork.world_digest() == w.world_digest()
    return w.world_digest()


@pytest.mark.parametrize(
    "env", [{"PYTHONHASHSEED": "0", "TZ": "America/New_York"}, {"PYTHONHASHSEED": "7", "LC_ALL": "C"}]
)
def test_digest_does_not_know_the_host(env):
    root = Path(__file__).parents[2]
    out = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": f"{root}/src:{root}", **env},
    )
    assert out.stdout.strip() == digest_of_a_script()


def test_starting_the_app_loads_no_reader():
    code = (
        "import sys, errands.apps.files\n"
        "assert not {'openpyxl', 'pypdf', 'PIL'} & set(sys.modules), 'a reader was loaded'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
