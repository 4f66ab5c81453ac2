"""A bundle: one stored zip with fixed metadata and, as archive comment, the SHA-256 of all bytes before it.

Written by a small canonical writer, so a reader can write it again from what it read and compare: every byte,
headers included, is covered. It finds damage; a rewrite by someone who seals again is found only against a root
published elsewhere. Layout: APPNOTE.TXT sections 4.3.7, 4.3.12 and 4.3.16.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Mapping

from errands.core.errors import EvidenceError

MAGIC = b"errands-bundle-1:"
MAX_BUNDLE = 64 << 20
_MAX_FILES = 1_000
_DATE = 0x21  # 1 January 1980, the first day that zip knows
_UTF8 = 0x0800
_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_CENTRAL = struct.Struct("<4sHHHHHHIIIHHHHHII")
_END = struct.Struct("<4sHHHHIIH")
_COMMENT = len(MAGIC) + 64


def pack(files: Mapping[str, bytes]) -> bytes:
    """The bundle of these files (name → bytes), the same bytes for the same files on every machine."""
    parts: list[bytes] = []
    central: list[bytes] = []
    offset = 0
    for name in sorted(files):
        data, raw = files[name], name.encode()
        crc = zlib.crc32(data)
        head = (
            _LOCAL.pack(b"PK\x03\x04", 20, _UTF8, 0, 0, _DATE, crc, len(data), len(data), len(raw), 0) + raw
        )
        central.append(
            _CENTRAL.pack(
                b"PK\x01\x02",
                20,
                20,
                _UTF8,
                0,
                0,
                _DATE,
                crc,
                len(data),
                len(data),
                len(raw),
                0,
                0,
                0,
                0,
                0,
                offset,
            )
            + raw
        )
        parts += [head, data]
        offset += len(head) + len(data)
    directory = b"".join(central)
    parts.append(directory)
    parts.append(_END.pack(b"PK\x05\x06", 0, 0, len(files), len(files), len(directory), offset, _COMMENT))
    seal = hashlib.sha256()
    for part in parts:
        seal.update(part)
    parts.append(MAGIC + seal.hexdigest().encode())
    return b"".join(parts)


def unpack(data: bytes, where: str = "bundle") -> dict[str, bytes]:
    """The files of a bundle; raises `EvidenceError` unless every byte is as the canonical writer makes it."""
    if len(data) > MAX_BUNDLE:
        raise EvidenceError(f"{len(data)} bytes are too many", where=where, expected=f"at most {MAX_BUNDLE}")
    tail = len(data) - _COMMENT
    if tail < _END.size or data[tail : tail + len(MAGIC)] != MAGIC:
        raise EvidenceError("the seal is missing: cut, or no bundle at all", where=where)
    if hashlib.sha256(data[:tail]).hexdigest().encode() != data[tail + len(MAGIC) :]:
        raise EvidenceError("the bytes are not those that were sealed", where=where)
    files = _read(data, tail, where)
    if pack(files) != data:
        raise EvidenceError("the bundle is not written canonically", where=where)
    return files


def seal_of(data: bytes) -> str:
    """The hex digest in a bundle's seal: the identity of this evidence."""
    return data[-64:].decode("ascii", "replace")


def _read(data: bytes, tail: int, where: str) -> dict[str, bytes]:
    try:
        count, _, start = struct.unpack_from("<HII", data, tail - _END.size + 10)
        if count > _MAX_FILES:
            raise EvidenceError(f"{count} files are too many", where=where)
        files: dict[str, bytes] = {}
        at, total = start, 0
        for _ in range(count):
            fields = _CENTRAL.unpack_from(data, at)
            length, name_length, offset = fields[8], fields[10], fields[16]
            name = data[at + _CENTRAL.size : at + _CENTRAL.size + name_length].decode()
            total += length
            if total > tail:  # entries that overlap would multiply what is read
                raise EvidenceError("its files are longer than the bundle", where=where)
            body = offset + _LOCAL.size + name_length
            files[name] = data[body : body + length]
            at += _CENTRAL.size + name_length
        return files
    except (struct.error, UnicodeDecodeError, IndexError) as why:
        raise EvidenceError(f"the directory cannot be read ({why})", where=where) from why
