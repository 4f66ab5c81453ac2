"""Several agents: which pairs may be put in order, which are ties, and the sentence for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

from .compare import SMALLEST_GAP, Difference, Side, about, paired
from .intervals import LEVEL
from .records import Attempt


@dataclass(frozen=True, slots=True)
class Pair:
    """Two agents in the order of the alphabet; `p` is Holm's, over all pairs of the page (1 for a refused one).

    `above` is the better one where the pair is ordered, else None. `why` says it, or why not and how many tasks it
    would take.
    """

    difference: Difference
    p: float
    above: str | None
    why: str


@dataclass(frozen=True, slots=True)
class Separation:
    """All pairs of several agents. `agents` are in the order of the alphabet, which is the only order without a test.

    `ties`: the largest sets of agents no two of which are ordered; an agent may stand in several of them.
    """

    agents: tuple[str, ...]
    pairs: tuple[Pair, ...]
    ties: tuple[tuple[str, ...], ...]

    def above(self, a: str, b: str) -> bool | None:
        """Whether `a` is above `b`; None where they are not ordered. `KeyError` for an agent that is not here."""
        for p in self.pairs:
            if {p.difference.a, p.difference.b} == {a, b}:
                return None if p.above is None else p.above == a
        raise KeyError((a, b))

    def matrix(self) -> tuple[tuple[str, ...], ...]:
        """A row and a column an agent: `>` where the row is above the column, `<` below, `=` not ordered, `` itself."""
        sign = {True: ">", False: "<", None: "="}
        return tuple(
            tuple("" if a == b else sign[self.above(a, b)] for b in self.agents) for a in self.agents
        )


def separate(attempts: Mapping[str, Iterable[Attempt]]) -> Separation:
    """Compare every pair of agents. Ordered only where Holm's p < .05 *and* the gap is above the published smallest."""
    agents = tuple(sorted(attempts))
    sides = [replace(Side.of(attempts[a]), agent=a) for a in agents]
    found = [paired(a, b) for a, b in combinations(sides, 2)]
    adjusted = holm([1.0 if d.p is None else d.p for d in found])
    pairs = tuple(_pair(d, p, len(found)) for d, p in zip(found, adjusted, strict=True))
    return Separation(agents, pairs, _ties(agents, pairs))


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p-values, in the order given. As statsmodels' `multipletests(method="holm")`."""
    out, highest = [0.0] * len(p), 0.0
    for rank, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        highest = max(highest, min(1.0, (len(p) - rank) * p[i]))
        out[i] = highest
    return out


def _pair(d: Difference, p: float, pairs: int) -> Pair:
    if d.value is None:
        return Pair(d, p, None, f"{d.a} and {d.b}: not compared: {d.refusal}")
    told, gap = p < 1 - LEVEL, abs(d.value)
    if told and gap > SMALLEST_GAP:
        above, below = (d.a, d.b) if d.value > 0 else (d.b, d.a)
        return Pair(d, p, above, f"{above} is above {below}: {_apart(d)}, p = {p:.2g}{_after(pairs)}")
    return Pair(d, p, None, f"{d.a} and {d.b}: {_apart(d)}, {_not_ordered(d, told, pairs)}")


def _not_ordered(d: Difference, told: bool, pairs: int) -> str:
    smallest = f"{100 * float(SMALLEST_GAP):g} points"
    if told:
        return f"separated, but no further than {smallest}, the smallest gap that is put in order"
    # Holm's first step: what the clearest of all pairs would have to reach.
    alpha = (1 - LEVEL) / pairs
    gap = abs(d.value or Fraction(0))
    size = d.tasks_for(max(gap, SMALLEST_GAP), alpha=alpha) or 0
    if gap > SMALLEST_GAP:
        return f"not separated{_after(pairs)}; would need about {about(size):,} tasks like these"
    return (
        f"not separated{_after(pairs)}; up to {smallest} no order is given,"
        f" and to see {smallest} would need about {about(size):,} tasks like these"
    )


def _apart(d: Difference) -> str:
    assert d.value is not None and d.low is not None and d.high is not None
    low, high = (d.low, d.high) if d.value >= 0 else (-d.high, -d.low)
    return f"{100 * abs(float(d.value)):.1f} points apart [{100 * low:.1f}, {100 * high:.1f}]"


def _after(pairs: int) -> str:
    return f" after Holm over {pairs} pairs" if pairs > 1 else ""


def _ties(agents: Sequence[str], pairs: Iterable[Pair]) -> tuple[tuple[str, ...], ...]:
    """The maximal cliques of "not ordered", by Bron and Kerbosch; there are never many agents on a page."""
    near: dict[str, set[str]] = {a: set() for a in agents}
    for p in pairs:
        if p.above is None:
            near[p.difference.a].add(p.difference.b)
            near[p.difference.b].add(p.difference.a)
    out: list[tuple[str, ...]] = []

    def grow(clique: set[str], may: set[str], done: set[str]) -> None:
        if not may and not done:
            out.append(tuple(sorted(clique)))
        for a in sorted(may):
            grow(clique | {a}, may & near[a], done & near[a])
            may, done = may - {a}, done | {a}

    if agents:
        grow(set(), set(agents), set())
    return tuple(sorted(out))
