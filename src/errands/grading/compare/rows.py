"""Rows of a table against the expected ones: which are right, wrong, missing, and which are more than
asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Near:
    """An expected number with the tolerance that the errand states; both ends count."""

    value: Decimal
    within: Decimal


@dataclass(frozen=True, slots=True)
class OneOf:
    """An expected value that may be given in several ways, each as it is read."""

    values: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class RowMatch:
    """What became of one expected row. `differs` names the columns whose value is another (or unreadable)."""

    key: tuple[object, ...]
    found: bool
    differs: tuple[str, ...] = ()

    @property
    def matched(self) -> bool:
        return self.found and not self.differs


@dataclass(frozen=True, slots=True)
class RowMatches:
    """One match for each expected row, in their order, and the given rows that belong to none."""

    rows: tuple[RowMatch, ...]
    extra: tuple[Mapping[str, object], ...]

    @property
    def right(self) -> int:
        return sum(row.matched for row in self.rows)

    @property
    def exact(self) -> bool:
        return not self.extra and all(row.matched for row in self.rows)


def match_rows(
    given: Sequence[Mapping[str, object]], expected: Sequence[Mapping[str, object]], key: str | Sequence[str]
) -> RowMatches:
    """Pairs rows by the key column(s) and compares every column that an expected row names, exactly.

    A key that is given twice answers nothing: its row is missing and both are extra. ValueError when
    expected rows are empty, share a key or leave a value out: an expectation of nothing would be met by
    nothing.
    """
    names = (key,) if isinstance(key, str) else tuple(key)
    wanted = [tuple(row[name] for name in names) for row in expected]
    if (
        not wanted
        or len(set(wanted)) != len(wanted)
        or any(value is None for row in expected for value in row.values())
    ):
        raise ValueError("expected rows must be there, have different keys and no value None")
    by_key: dict[tuple[object, ...], list[Mapping[str, object]]] = {}
    for row in given:
        by_key.setdefault(tuple(row.get(name) for name in names), []).append(row)
    answered = {place: by_key[place][0] for place in wanted if len(by_key.get(place, ())) == 1}
    rows = tuple(_match(place, answered.get(place), row) for place, row in zip(wanted, expected, strict=True))
    taken = {id(row) for row in answered.values()}
    return RowMatches(rows, tuple(row for row in given if id(row) not in taken))


def _match(
    place: tuple[object, ...], given: Mapping[str, object] | None, expected: Mapping[str, object]
) -> RowMatch:
    if given is None:
        return RowMatch(place, found=False)
    differs = tuple(name for name, value in expected.items() if not _equal(given.get(name), value))
    return RowMatch(place, found=True, differs=differs)


def _equal(given: object, expected: object) -> bool:
    """Equality that keeps True apart from 1, and knows tolerances."""
    if isinstance(expected, Near):
        return isinstance(given, Decimal) and abs(given - expected.value) <= expected.within
    if isinstance(expected, OneOf):
        return any(_equal(given, one) for one in expected.values)
    return isinstance(given, bool) == isinstance(expected, bool) and given == expected
