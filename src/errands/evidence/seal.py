"""Sealing: from a world whose sitting has ended to one bundle on disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errands.core.canon import canonical
from errands.core.errors import EvidenceError
from errands.world import World

from .bundle import pack, seal_of

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Sealed:
    """A sealed attempt: its bundle, the seal in it, and the digest of what happened."""

    data: bytes
    seal: str
    world_digest: str


def seal(
    world: World,
    manifest: dict[str, Any],
    host: Callable[[], dict[str, Any]],
    more: Mapping[str, bytes] | None = None,
) -> Sealed:
    """Pack the attempt file, the manifest, what the host measured, and `more` files. The last ledger row must be
    the end.

    `host` is asked once the evidence is captured, so that a time it measures includes the capture.
    """
    last = world.one("SELECT kind, seq, body FROM exam_ledger ORDER BY seq DESC LIMIT 1")
    if last is None or last["kind"] != "end":
        raise EvidenceError("only an ended sitting can be sealed")
    digest = world.world_digest()
    manifest = {
        **manifest,
        "format": FORMAT,
        "world_digest": digest,
        "chain": world.ledger.chain.hex(),
        "rows": last["seq"],
    }
    files = {
        **(more or {}),
        "attempt.sqlite": world.snapshot(),
        "host.json": canonical(host()).encode(),
        "manifest.json": canonical(manifest).encode(),
    }
    data = pack(files)
    return Sealed(data, seal_of(data), digest)


def write_whole(path: Path, data: bytes) -> None:
    """Write to a temporary name, sync, rename: the file is there whole or not at all."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
