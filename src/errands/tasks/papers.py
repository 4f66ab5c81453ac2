"""Small real files for a life: what its mails have attached. The bytes follow from name, subject and stream."""

from __future__ import annotations

import io
import struct
import zlib

from errands.core.money import MINOR

from .stream import Stream

Paper = tuple[str, str, bytes]
_MEDIA = {
    "csv": "text/csv",
    "txt": "text/plain",
    "pdf": "application/pdf",
    "png": "image/png",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def paper(name: str, subject: str, rng: Stream, currency: str = "SGD") -> Paper:
    """A file of this name about this subject, its amounts in this money: (name, media type, bytes)."""
    kind, type_ = name.rpartition(".")[2].lower(), media(name)
    rows = [["Item", "Reference", "Qty", f"Amount ({currency})"]]
    for n in range(1, rng.between(4, 8)):
        rows.append(
            [
                str(n),
                f"{rng.choice('ABCEHKLMRT')}{rng.between(10_000, 99_999)}",
                str(rng.between(1, 40)),
                _amount(currency, rng),
            ]
        )
    if kind == "csv":
        data = "\n".join(",".join(r) for r in rows).encode() + b"\n"
    elif kind == "xlsx":
        from errands.apps.files.writing import xlsx_bytes

        data = xlsx_bytes([("Sheet1", rows)])
    elif kind == "pdf":
        title = subject if subject.isascii() else name.rpartition(".")[0]  # its one font is Latin
        data = pdf([title, *(" | ".join(r) for r in rows)])
    elif kind == "png":
        data = _png(60, 40, rng)
    else:
        data = (subject + "\n\n" + "\n".join("\t".join(r) for r in rows) + "\n").encode()
    return name, type_, data


def _amount(currency: str, rng: Stream) -> str:
    """A price as offices write it: won, yen and Taiwan dollars come in hundreds, without cents."""
    whole, cents = rng.between(40, 4_000), rng.choice(("00", "50", "80", "35"))
    return f"{whole}00" if MINOR[currency] == 0 or currency == "TWD" else f"{whole}.{cents}"


def media(name: str) -> str:
    """The media type of a file of this name; `ValueError` for a kind that `paper` cannot make."""
    kind = name.rpartition(".")[2].lower()
    if kind not in _MEDIA:
        raise ValueError(f"cannot make a real {kind!r} file; use one of {', '.join(_MEDIA)}")
    return _MEDIA[kind]


def pdf(lines: list[str]) -> bytes:
    """A one-page PDF with these lines (Latin text), small and the same bytes everywhere."""
    text = "\n".join(f"({_escape(line)}) Tj T*" for line in lines)
    stream = f"BT /F1 11 Tf 56 780 Td 16 TL\n{text}\nET".encode("latin-1", "replace")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    out = io.BytesIO(b"%PDF-1.4\n")
    out.seek(0, io.SEEK_END)
    offsets = []
    for n, body in enumerate(objects, 1):
        offsets.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (n, body))
    table = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    for offset in offsets:
        out.write(b"%010d 00000 n \n" % offset)
    out.write(b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table))
    return out.getvalue()


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _png(width: int, height: int, rng: Stream) -> bytes:
    """Three stripes in palette colours. Stored, not deflated: compressors differ between machines."""
    palette = bytes(rng.below(256) for _ in range(9))
    rows = b"".join(b"\0" + bytes((y * 3 // height,)) * width for y in range(height))
    size = struct.pack("<HH", len(rows), len(rows) ^ 0xFFFF)
    image = b"\x78\x01\x01" + size + rows + struct.pack(">I", zlib.adler32(rows))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"PLTE", palette)
        + chunk(b"IDAT", image)
        + chunk(b"IEND", b"")
    )
