"""Exact inclusion probabilities of first and second order, as fractions.

All orders of a group are equally likely where SHA-256 acts as a random function. Members that carry the same tags are
exchangeable, so everything is worked out over classes of them: a group of hundreds takes no longer than its classes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, combinations_with_replacement

from .frame import Entry

Tags = frozenset[str]
Sizes = tuple[tuple[Tags, int], ...]  # members by class
Row = tuple[Tags, ...]  # the classes of the picks, in order
Pair = tuple[Tags, Tags]


class Chances:
    """The probabilities of one group under a cap of 1 to 3."""

    def __init__(self, entries: Sequence[Entry], cap: int):
        self._of = {e.id: frozenset[str](e.tags) for e in entries}
        counts = Counter(self._of.values())
        sizes = tuple(sorted(counts.items(), key=lambda c: sorted(c[0])))
        self._sizes, (self._one, self._two) = sizes, _sums(sizes, min(cap, len(entries)))

    def one(self, ident: str) -> Fraction:
        """How likely this member is drawn."""
        return self._one[self._of[ident]]

    def both(self, a: str, b: str) -> Fraction:
        """How likely these two members are drawn together."""
        return self._two.get(_pair(self._of[a], self._of[b]), Fraction(0))

    def never(self) -> int:
        """How many pairs of members can never be drawn together."""
        pairs = combinations_with_replacement(self._sizes, 2)
        return sum(_pairs(a, n, b, m) for (a, n), (b, m) in pairs if _pair(a, b) not in self._two)


def _pair(a: Tags, b: Tags) -> Pair:
    return (a, b) if sorted(a) <= sorted(b) else (b, a)


def _pairs(a: Tags, n: int, b: Tags, m: int) -> int:
    """How many pairs of members two classes of these sizes have."""
    return n * (n - 1) // 2 if a == b else n * m


@lru_cache(maxsize=64)
def _sums(sizes: Sizes, cap: int) -> tuple[dict[Tags, Fraction], dict[Pair, Fraction]]:
    """For each class how likely one of its members is drawn, and for each two classes a pair of theirs.

    A row of picks counts once for each of its members, and once for each of its pairs; what a class has in all is
    shared equally by its members. Pairs that cannot be are left out.
    """
    counts = dict(sizes)
    one: dict[Tags, Fraction] = dict.fromkeys(counts, Fraction(0))
    two: dict[Pair, Fraction] = {}
    for row, chance in _rows(sizes, cap):
        for c in row:
            one[c] += chance
        for pair in combinations(row, 2):
            key = _pair(*pair)
            two[key] = two.get(key, Fraction(0)) + chance
    return (
        {c: p / counts[c] for c, p in one.items()},
        {(a, b): p / _pairs(a, counts[a], b, counts[b]) for (a, b), p in two.items()},
    )


def _rows(sizes: Sizes, cap: int) -> Iterator[tuple[Row, Fraction]]:
    """Each row of classes that the picks can have, and how likely it is."""
    counts = Counter(dict(sizes))
    total = counts.total()
    for first, n in sizes:
        p = Fraction(n, total)
        if cap == 1:
            yield (first,), p
            continue
        for second, q in _second(counts, first):
            if cap == 2:
                yield (first, second), p * q
                continue
            for third, r in _third(counts, first, second):
                yield (first, second, third), p * q * r


def _second(counts: Counter[Tags], first: Tags) -> Iterator[tuple[Tags, Fraction]]:
    """How likely the second pick is of each class, after a first of this class."""
    left = counts - Counter((first,))
    yield from _even({c: n for c, n in left.items() if not c <= first} or left)


def _third(counts: Counter[Tags], first: Tags, second: Tags) -> Iterator[tuple[Tags, Fraction]]:
    """How likely the third pick is of each class.

    The second was the earliest of those that filled a gap (F). Among the others of F the order is still uniform, and
    so it is where F was empty. But where no gap is left to fill, the next in order comes from all that remain, and the
    others of F (`a` of them) stand later than the second did, while the `b` outside F need not: of a + b + 1 in uniform
    order, given that the second stands before those a, one of them leads the rest with (a+1)/((a+b)(a+b+1)).
    """
    left = counts - Counter((first, second))
    gaps = {c: n for c, n in left.items() if not c <= first | second}
    if gaps or second <= first:
        yield from _even(gaps or left)
        return
    a = sum(n for c, n in left.items() if not c <= first)
    b = left.total() - a
    late = Fraction(a + 1, (a + b) * (a + b + 1))
    for c, n in left.items():
        yield c, n * (late if not c <= first else (1 - a * late) / b)


def _even(among: Mapping[Tags, int]) -> Iterator[tuple[Tags, Fraction]]:
    """Each member alike."""
    total = sum(among.values())
    for c, n in among.items():
        yield c, Fraction(n, total)
