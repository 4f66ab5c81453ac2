"""Held-out variants: drawn from a secret whose hash is committed, so that nobody can have learnt them by heart.

Their numbers begin at 100. Who has the secret (a file named in `ERRANDS_HELD_OUT`) can sit and grade them; a run folder
holds none of their keys. When a series closes the secret is published, and everybody can build and grade them again.
"""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import resources
from pathlib import Path

from errands.core.canon import sha256
from errands.core.errors import TaskError, UsageError

SETTING = "ERRANDS_HELD_OUT"
COMMITTED = "held-out.sha256"
FIRST = 100
SHORTEST = 32  # bytes


class HeldOut(TaskError):
    """A held-out instance was asked for by somebody who does not have the secret."""


def is_held_out(variant: int) -> bool:
    """Whether a variant's number is one of those that come from the secret."""
    return variant >= FIRST


def secret() -> str:
    """The secret as hexadecimal text; `HeldOut` where it is not here, `UsageError` where it is another one."""
    file = os.environ.get(SETTING, "")
    if not file:
        raise HeldOut(
            "this variant is held out, and its secret is not here",
            expected=f"the series' secret, in a file named by {SETTING}",
            do="it is published when the series closes",
        )
    return _read(file)


@lru_cache(maxsize=4)
def _read(file: str) -> str:
    try:
        raw = Path(file).read_bytes().strip()
    except OSError as why:
        raise UsageError(f"the secret cannot be read: {why.strerror}", where=f"{SETTING}={file}") from None
    if len(raw) < SHORTEST:
        raise UsageError(f"{len(raw)} bytes are no secret", where=file, expected=f"{SHORTEST} or more")
    if sha256(raw) != committed():
        raise UsageError(
            "this is not the secret whose hash is committed",
            where=file,
            expected=f"SHA-256 {committed()[:16]}…",
        )
    return raw.hex()


def committed() -> str:
    """The SHA-256 of the secret of the series at hand, as it is committed beside the library."""
    return resources.files("errands.library").joinpath(COMMITTED).read_text(encoding="ascii").split()[0]
