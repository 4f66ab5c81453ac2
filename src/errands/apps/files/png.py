"""A PNG writer whose bytes are the same everywhere (zlib's differ from build to build)."""

from __future__ import annotations

import re
import struct
import zlib

_RUN = re.compile(rb"(.)\1{3,}", re.DOTALL)


def _codes() -> tuple[list[str], list[str]]:
    """The fixed Huffman codes of RFC 1951, 3.2.6: of each byte, and of each run length at distance 1."""
    literal = [f"{0b00110000 + n:08b}" if n < 144 else f"{0b110010000 + n - 144:09b}" for n in range(256)]
    run = [""] * 259
    code, length = 257, 3
    for extra in (0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5):
        bits = f"{code - 256:07b}" if code < 280 else f"{0b11000000 + code - 280:08b}"
        for n in range(1 << extra):
            run[min(length + n, 258)] = bits + (f"{n:0{extra}b}"[::-1] if extra else "") + "00000"
        code, length = code + 1, length + (1 << extra)
    run[258] = f"{0b11000000 + 285 - 280:08b}00000"
    return literal, run


_LITERAL, _LENGTH = _codes()


def _squeezed(data: bytes) -> bytes:
    """A zlib stream of one block that packs runs of equal bytes and nothing else."""
    bits = ["110"]  # last block, fixed codes (the low bit comes first)
    at = 0
    for hit in _RUN.finditer(data):
        bits += [_LITERAL[b] for b in data[at : hit.start() + 1]]
        left = hit.end() - hit.start() - 1
        while left >= 3:
            step = min(left, 258)
            bits.append(_LENGTH[step])
            left -= step
        bits += [_LITERAL[data[hit.start()]]] * left
        at = hit.end()
    bits += [_LITERAL[b] for b in data[at:]]
    stream = "".join(bits) + "0000000"
    packed = int(stream[::-1], 2).to_bytes((len(stream) + 7) // 8, "little")
    return b"\x78\x01" + packed + struct.pack(">I", zlib.adler32(data))


def png_bytes(width: int, height: int, pixels: bytes, palette: bytes = b"") -> bytes:
    """A PNG of one byte a pixel, row by row: grey, or an index into `palette` (3 bytes a colour)."""
    before, rows = bytes(width), []
    for y in range(height):
        row = pixels[y * width : (y + 1) * width]
        rows.append(b"\x02" + bytes([(a - b) & 255 for a, b in zip(row, before, strict=True)]))  # filter "up"
        before = row
    header = struct.pack(">IIBBBBB", width, height, 8, 3 if palette else 0, 0, 0, 0)
    chunks = [
        _chunk(b"IHDR", header),
        _chunk(b"PLTE", palette) if palette else b"",
        _chunk(b"IDAT", _squeezed(b"".join(rows))),
        _chunk(b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
