"""Random streams of our own: the same choices on every Python, forever.

SHA-256 in counter mode over the stream's name; library generators are not used because their `choice` and
`shuffle` may change between versions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
_LETTERS = "abcdefghjkmnpqrstvwxyz23456789"


class Stream:
    """Choices that follow from a name alone."""

    def __init__(self, *name: object):
        self._seed = "\x1f".join(str(n) for n in name).encode()
        self._block = 0
        self._bytes = b""

    def _take(self, n: int) -> int:
        while len(self._bytes) < n:
            self._bytes += hashlib.sha256(self._seed + b"\x1f" + str(self._block).encode()).digest()
            self._block += 1
        out, self._bytes = self._bytes[:n], self._bytes[n:]
        return int.from_bytes(out, "big")

    def below(self, n: int) -> int:
        """A whole number in [0, n); every value equally likely (64-bit rejection)."""
        if n < 1:
            raise ValueError("below() needs a positive bound")
        limit = (1 << 64) - (1 << 64) % n
        while True:
            x = self._take(8)
            if x < limit:
                return x % n

    def between(self, low: int, high: int) -> int:
        """A whole number in [low, high]."""
        return low + self.below(high - low + 1)

    def choice(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in random order (Fisher and Yates)."""
        out = list(items)
        for i in range(len(out) - 1, 0, -1):
            j = self.below(i + 1)
            out[i], out[j] = out[j], out[i]
        return out

    def sample(self, items: Sequence[T], n: int) -> list[T]:
        """`n` different items in random order."""
        if n > len(items):
            raise ValueError(f"cannot take {n} of {len(items)}")
        return self.shuffled(items)[:n]

    def ident(self, prefix: str) -> str:
        """An opaque id such as `msg_k3x8m2qa`."""
        return prefix + "_" + "".join(_LETTERS[self.below(len(_LETTERS))] for _ in range(8))
