"""Canonical JSON and digests: the same value gives the same bytes on every machine.

Only str, int, bool, None, list and dict with string keys occur in what is digested (no floats), for which
sorted keys and tight separators equal RFC 8785 as long as keys are ASCII. Bytes are written as base64.
"""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any


def _blob(value: Any) -> Any:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"$b64": base64.b64encode(value).decode("ascii")}
    raise TypeError(f"{type(value).__name__} has no canonical form")


_ENCODER = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"), default=_blob
)
canonical = _ENCODER.encode


def unblob(value: Any) -> Any:
    """The inverse of how `canonical` writes bytes, for one value of a row."""
    if isinstance(value, dict) and value.keys() == {"$b64"}:
        return base64.b64decode(value["$b64"])
    return value


def sha256(data: bytes) -> str:
    """Lower-case hex SHA-256."""
    return hashlib.sha256(data).hexdigest()


def digest(value: Any) -> str:
    """Lower-case hex SHA-256 of the canonical JSON of `value`."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def row_hash(table: str, row: tuple[Any, ...]) -> int:
    """A row's share of the multiset hash of a world: a 256-bit integer."""
    text = canonical([table, *row])
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")


def link(previous: bytes, record: str) -> bytes:
    """One link of the ledger's hash chain."""
    return hashlib.sha256(previous + record.encode()).digest()


def merkle_root(leaves: list[str]) -> str:
    """Merkle root (hex) over sorted hex digests; the order in which they came does not matter.

    Leaves and nodes are told apart by a prefix byte, as in RFC 6962 section 2.1.
    """
    level = [hashlib.sha256(b"\x00" + bytes.fromhex(x)).digest() for x in sorted(leaves)]
    if not level:
        return hashlib.sha256(b"").hexdigest()
    while len(level) > 1:
        pairs = [level[i : i + 2] for i in range(0, len(level), 2)]
        level = [hashlib.sha256(b"\x01" + b"".join(p)).digest() if len(p) == 2 else p[0] for p in pairs]
    return level[0].hex()
