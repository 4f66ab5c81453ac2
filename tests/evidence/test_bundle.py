"""A bundle: whatever goes in comes out, any zip tool opens it, and no flipped byte or cut goes unseen."""

from __future__ import annotations

import io
import struct
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errands.core.errors import EvidenceError
from errands.evidence import bundle as module
from errands.evidence.bundle import MAGIC, pack, seal_of, unpack

NAMES = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40)
FILES = st.dictionaries(NAMES, st.binary(max_size=300), max_size=12)

SMALL = pack(
    {"attempt.sqlite": bytes(range(256)) * 6, "host.json": b'{"wall_s":"0.1"}', "manifest.json": b"{}"}
)


def resealed(body: bytes) -> bytes:
    """Bytes with a right seal: what someone makes who wants more than damage."""
    import hashlib

    return body + MAGIC + hashlib.sha256(body).hexdigest().encode()


def body(data: bytes) -> bytes:
    return data[: -len(MAGIC) - 64]


def end_record(count: int, size: int, start: int) -> bytes:
    return struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, count, count, size, start, len(MAGIC) + 64)


def entry(name: bytes, length: int, offset: int, crc: int = 0) -> bytes:
    return (
        struct.pack(
            "<4sHHHHHHIIIHHHHHII",
            b"PK\x01\x02",
            20,
            20,
            0x800,
            0,
            0,
            0x21,
            crc,
            length,
            length,
            len(name),
            0,
            0,
            0,
            0,
            0,
            offset,
        )
        + name
    )


@settings(max_examples=200, deadline=None)
@given(FILES)
def test_what_is_packed_is_what_comes_out(files):
    data = pack(files)
    assert unpack(data) == files
    assert pack(dict(reversed(files.items()))) == data, "the order of the files must not matter"
    assert seal_of(data) == seal_of(pack(files))


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.text("abcdefghij._-é漢/", min_size=1, max_size=20).filter(lambda n: n[0] != "/"),
        st.binary(max_size=300),
        max_size=8,
    )
)
def test_any_zip_tool_opens_it(files):
    with zipfile.ZipFile(io.BytesIO(pack(files))) as z:
        assert z.testzip() is None
        assert {n: z.read(n) for n in z.namelist()} == files
        assert z.comment.startswith(MAGIC)


def test_every_flip_of_every_byte_is_found():
    assert 1_800 < len(SMALL) < 2_600
    missed = []
    for at in range(len(SMALL)):
        for mask in (1, 0x80, 0xFF):
            damaged = bytearray(SMALL)
            damaged[at] ^= mask
            try:
                unpack(bytes(damaged))
                missed.append((at, mask))
            except EvidenceError:
                pass
    assert missed == []


def test_every_cut_and_every_added_byte_is_found():
    for length in range(len(SMALL)):
        with pytest.raises(EvidenceError):
            unpack(SMALL[:length])
        with pytest.raises(EvidenceError):
            unpack(SMALL[length + 1 :])
    for more in (SMALL + b"\0", b"\0" + SMALL, SMALL + SMALL):
        with pytest.raises(EvidenceError):
            unpack(more)


@pytest.mark.slow
def test_every_header_byte_is_covered_even_under_a_new_seal():
    """All 255 other values of every byte that is no file content: zip readers overlook most of these."""
    whole, files = body(SMALL), unpack(SMALL)
    missed = []
    for at in range(len(whole)):
        for value in range(256):
            damaged = resealed(whole[:at] + bytes([value]) + whole[at + 1 :])
            try:
                if unpack(damaged) == files and damaged != SMALL:
                    missed.append((at, value))
            except EvidenceError:
                pass
    assert missed == []


HOSTILE = {
    "empty": b"",
    "only a seal": resealed(b""),
    "no directory": resealed(end_record(3, 0, 0)),
    "65,535 files": resealed(end_record(65_535, 0, 0)),
    "1,001 files": resealed(entry(b"a", 0, 0) * 1_001 + end_record(1_001, 47 * 1_001, 0)),
    "directory past the end": resealed(end_record(1, 46, 0xFFFFFFF0)),
    "file past the end": resealed(entry(b"a", 0xFFFFFFFF, 0) + end_record(1, 47, 0)),
    "file before the start": resealed(entry(b"a", 10, 0xFFFFFFFF) + end_record(1, 47, 0)),
    "name past the end": resealed(entry(b"a" * 60_000, 0, 0)[:60] + end_record(1, 47, 0)),
    "name that is no UTF-8": resealed(entry(b"\xff\xfe", 0, 0) + end_record(1, 48, 0)),
    "two files of one name": resealed(entry(b"a", 0, 0) * 2 + end_record(2, 94, 0)),
    "directory of itself": resealed(entry(b"a", 47, 0) + end_record(1, 47, 0)),
    "bytes before the first file": resealed(b"MZ" + body(SMALL)),
    "seal of another algorithm": SMALL[:-64] + b"0" * 64,
    "seal in capitals": SMALL[:-64] + SMALL[-64:].upper(),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_hostile_bundles_are_refused_by_place(data):
    with pytest.raises(EvidenceError, match=r"^some/place: "):
        unpack(data, "some/place")


def test_overlapping_files_do_not_multiply_what_is_read():
    """A thousand entries of one megabyte each: refused before a gigabyte is copied."""
    blob = bytes(1 << 20)
    entries = b"".join(entry(f"{n:03d}".encode(), len(blob) - 40, 0) for n in range(1_000))
    data = resealed(blob + entries + end_record(1_000, len(entries), len(blob)))
    import tracemalloc

    tracemalloc.start()
    try:
        with pytest.raises(EvidenceError, match="longer than the bundle"):
            unpack(data)
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


def test_a_bundle_beyond_the_limit_is_not_even_hashed(monkeypatch):
    monkeypatch.setattr(module, "MAX_BUNDLE", len(SMALL) - 1)
    with pytest.raises(EvidenceError, match="too many"):
        unpack(SMALL, "here")
