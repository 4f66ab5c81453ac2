"""Canonical JSON and digests: the same value gives the same bytes on every machine.

Rows hold text, integers, NULL and bytes; sorted keys and tight separators equal RFC 8785 for them as long as keys
are ASCII. Bytes are written as base64. Floats occur only in arguments that an agent sends.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Any, Literal

import orjson

_AS_WRITTEN = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_SUBCLASS
)


def _blob(value: Any) -> Any:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"$b64": base64.b64encode(value).decode("ascii")}
    raise TypeError(f"{type(value).__name__} has no canonical form")


def encode(value: Any) -> bytes:
    """Canonical JSON as UTF-8 bytes. `TypeError` for what has no canonical form.

    NaN and infinities never come here: the door refuses them (`core.values.plain`) and tables hold no REAL.
    """
    return orjson.dumps(value, _blob, _AS_WRITTEN)


def canonical(value: Any) -> str:
    """Canonical JSON as text."""
    return orjson.dumps(value, _blob, _AS_WRITTEN).decode()


decode = orjson.loads


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
    return hashlib.sha256(encode(value)).hexdigest()


def row_hash(table: str, row: tuple[Any, ...]) -> int:
    """A row's share of the multiset hash of a world: a 256-bit integer."""
    return int.from_bytes(hashlib.sha256(encode((table, row))).digest(), "big")


def link(previous: bytes, record: tuple[Any, ...]) -> bytes:
    """One link of the ledger's hash chain: over the link before and the record's canonical JSON."""
    return hashlib.sha256(previous + encode(record)).digest()


def merkle_root(leaves: list[str]) -> str:
    """Merkle root (hex) over sorted hex digests; the order in which they came does not matter.

    Leaves and nodes are told apart by a prefix byte, as in RFC 6962 section 2.1.
    """
    level = [_leaf(x) for x in sorted(leaves)]
    if not level:
        return hashlib.sha256(b"").hexdigest()
    while len(level) > 1:
        level = _above(level)
    return level[0].hex()


def merkle_proof(leaves: list[str], leaf: str) -> list[tuple[Literal["left", "right"], str]]:
    """The way from one leaf to the root: of each level the other node (hex), and on which side it stands.

    `ValueError` where it is no leaf.
    """
    level, at = [_leaf(x) for x in sorted(leaves)], sorted(leaves).index(leaf)
    path: list[tuple[Literal["left", "right"], str]] = []
    while len(level) > 1:
        other = at ^ 1
        if other < len(level):  # the last of an odd level goes up as it is
            path.append(("left" if other < at else "right", level[other].hex()))
        level, at = _above(level), at // 2
    return path


def merkle_holds(root: str, leaf: str, path: list[tuple[Literal["left", "right"], str]]) -> bool:
    """Whether this way leads from the leaf to the root."""
    node = _leaf(leaf)
    for side, other in path:
        pair = (bytes.fromhex(other), node) if side == "left" else (node, bytes.fromhex(other))
        node = _node(*pair)
    return node.hex() == root


def _leaf(digest: str) -> bytes:
    return hashlib.sha256(b"\x00" + bytes.fromhex(digest)).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def _above(level: list[bytes]) -> list[bytes]:
    pairs = [level[i : i + 2] for i in range(0, len(level), 2)]
    return [_node(*p) if len(p) == 2 else p[0] for p in pairs]
