"""Tables as bytes of CSV, TSV, JSON or XLSX: the same on every machine, whatever the libraries' versions."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_MAX_CELL = 32_767  # Excel's bound on the text of a cell
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_STYLES = (
    f'<styleSheet {_MAIN}><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
    '<cellXfs count="1"><xf xfId="0"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)


def table_bytes(ext: str, columns: list[str], rows: list[list[str]]) -> bytes:
    """A table as csv, tsv, json or xlsx; ValueError when a cell cannot stand there."""
    if ext == "xlsx":
        return xlsx_bytes([("Sheet1", [columns, *rows])])
    if ext == "json":
        objects = [dict(zip(columns, row, strict=True)) for row in rows]
        return (json.dumps(objects, ensure_ascii=False, indent=2) + "\n").encode()
    delimiter = {"csv": ",", "tsv": "\t"}[ext]
    return "".join(delimiter.join(map(_quoted, row)) + "\n" for row in (columns, *rows)).encode()


def _quoted(cell: str) -> str:
    # Python quotes differently from version to version. Other separators are quoted for readers that guess.
    return '"' + cell.replace('"', '""') + '"' if re.search('[",;\t\r\n]|^ | $|^sep=', cell) else cell


def xlsx_bytes(sheets: Iterable[tuple[str, list[list[str]]]]) -> bytes:
    """A workbook of (title, rows of text) sheets. Every cell is text: nothing is read as what it is not.

    Parts are stored, not deflated (zlib's output differs between builds), with fixed dates and no author.
    """
    pages = list(sheets)
    parts = {
        "[Content_Types].xml": _types(len(pages)),
        "_rels/.rels": _relations({"rId1": ("officeDocument", "xl/workbook.xml")}),
    }
    listed = "".join(
        f'<sheet name={quoteattr(title)} sheetId="{n}" r:id="rId{n}"/>'
        for n, (title, _) in enumerate(pages, 1)
    )
    parts["xl/workbook.xml"] = f'<workbook {_MAIN} xmlns:r="{_REL}"><sheets>{listed}</sheets></workbook>'
    targets = {f"rId{n}": ("worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(pages) + 1)}
    targets[f"rId{len(pages) + 1}"] = ("styles", "styles.xml")
    parts["xl/_rels/workbook.xml.rels"] = _relations(targets)
    parts["xl/styles.xml"] = _STYLES
    for n, (_, rows) in enumerate(pages, 1):
        parts[f"xl/worksheets/sheet{n}.xml"] = _sheet(rows)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as package:
        for name, text in parts.items():
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.create_system, info.external_attr = 3, 0o600 << 16
            package.writestr(info, (_HEAD + text).encode())
    return out.getvalue()


def _types(sheets: int) -> str:
    kinds = [("/xl/workbook.xml", "sheet.main"), ("/xl/styles.xml", "styles")]
    kinds += [(f"/xl/worksheets/sheet{n}.xml", "worksheet") for n in range(1, sheets + 1)]
    over = "".join(f'<Override PartName="{part}" ContentType="{_TYPE}.{kind}+xml"/>' for part, kind in kinds)
    rels = "application/vnd.openxmlformats-package.relationships+xml"
    return (
        f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType="{rels}"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{over}</Types>'
    )


def _relations(targets: dict[str, tuple[str, str]]) -> str:
    listed = "".join(
        f'<Relationship Id="{key}" Type="{_REL}/{kind}" Target="{target}"/>'
        for key, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{listed}</Relationships>'


def _sheet(rows: list[list[str]]) -> str:
    lines = (
        f'<row r="{r}">{"".join(_cell(r, c, text) for c, text in enumerate(row) if text)}</row>'
        for r, row in enumerate(rows, 1)
    )
    return f"<worksheet {_MAIN}><sheetData>{''.join(lines)}</sheetData></worksheet>"


def _cell(row: int, column: int, text: str) -> str:
    if len(text) > _MAX_CELL:
        raise ValueError(f"a spreadsheet cell holds at most {_MAX_CELL} characters, not {len(text)}")
    if _NOT_XML.search(text):
        raise ValueError("a spreadsheet cell holds no control characters")
    safe = escape(text, {"\r": "&#13;"})
    return f'<c r="{_letters(column)}{row}" t="inlineStr"><is><t xml:space="preserve">{safe}</t></is></c>'


def _letters(column: int) -> str:
    out = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        out = chr(65 + rest) + out
    return out
