"""The picks of one group: first in order, then what fills a gap."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from .frame import Entry, Tag

Reason = Literal["only", "first", "fills-gap", "next"]


class Pick(NamedTuple):
    """One pick and its reason; `adds`: the tags that it has and no earlier pick has, where it fills a gap."""

    entry: Entry
    reason: Reason
    adds: tuple[Tag, ...] = ()


def key(seed: str, ident: str) -> bytes:
    """Where a task stands in the order: SHA-256 of the seed, byte 0x1F and the id."""
    return hashlib.sha256(f"{seed}\x1f{ident}".encode()).digest()


def ordered(entries: Sequence[Entry], seed: str) -> list[Entry]:
    """The order in which the seed puts them; ties by id."""
    return sorted(entries, key=lambda e: (key(seed, e.id), e.id))


def pick(entries: Sequence[Entry], seed: str, cap: int) -> Iterator[Pick]:
    """The picks of one group: at most `cap`."""
    left = ordered(entries, seed)
    first = left.pop(0)
    yield Pick(first, "first" if left else "only")
    have = set(first.tags)
    for _ in range(cap - 1):
        if not left:
            return
        found = next((e for e in left if not have.issuperset(e.tags)), None)
        if found is None:
            yield Pick(left.pop(0), "next")
            continue
        left.remove(found)
        yield Pick(found, "fills-gap", tuple(t for t in found.tags if t not in have))
        have.update(found.tags)
