"""Made-up lists of tasks and the attempts at them, some by hand, some drawn at random from stated rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from errands.stats.records import Attempt

# A list as draw.md derives it: half of it groups of one, the rest two picks from groups of up to 40 tasks.
SIZES = (1,) * 86 + (2,) * 9 + (3,) * 8 + (4,) * 7 + (5,) * 4 + (7,) * 4 + (8,) * 4 + (10, 12, 19, 28, 32, 40)


def attempts(
    results: Mapping[str, Sequence[str]] | Sequence[tuple[str, str]], *, agent: str = "a", **more: object
) -> list[Attempt]:
    """Attempts from text: (group, marks) for each task, a mark an attempt.

    `+` strict, `-` failed, `x` crossed, `b` blocked, `i` invalid, `n` not run.
    """
    out = []
    for n, (group, marks) in enumerate(results):
        for repeat, mark in enumerate(marks):
            status = {"b": "blocked", "i": "invalid", "n": "not_run"}.get(mark, "graded")
            out.append(
                Attempt(
                    task=f"t{n:03}",
                    group=group,
                    agent=agent,
                    repeat=repeat,
                    status=status,  # type: ignore[arg-type]
                    strict=mark == "+",
                    crossed=mark == "x",
                    **more,  # type: ignore[arg-type]
                )
            )
    return out


class Library:
    """A frame with tasks in groups of `sizes`, and a list of at most two a group, as a simple draw makes it.

    A task's chance is Φ(middle + between·(group) + inside·(task)); `bias` makes large groups harder.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        *,
        middle: float,
        between: float,
        inside: float = 0.3,
        bias: float = 0.0,
        sizes: Sequence[int] = SIZES,
    ) -> None:
        self.rng = rng
        self.sizes = np.array(sizes)
        group_of = np.repeat(np.arange(len(sizes)), self.sizes)
        easy = rng.normal(0, between, len(sizes)) - bias * (self.sizes > 2)
        self.level = middle + easy[group_of] + rng.normal(0, inside, len(group_of))
        self.p = normal_cdf(self.level)
        ends = np.cumsum(self.sizes)
        picks = [
            start + (np.arange(size) if size <= 2 else rng.choice(size, 2, replace=False))
            for start, size in zip(ends - self.sizes, self.sizes, strict=True)
        ]
        self.drawn = np.concatenate(picks)
        self.group = group_of[self.drawn]

    @property
    def listed(self) -> np.ndarray:
        """The chances of the drawn tasks."""
        return self.p[self.drawn]

    def sit(
        self, agent: str, k: int = 2, p: np.ndarray | None = None, crossing: bool = False
    ) -> list[Attempt]:
        """`k` attempts at each drawn task, at its chance or at `p`."""
        hits = self.rng.random((len(self.drawn), k)) < (self.listed if p is None else p)[:, None]
        out = []
        for task, group, row in zip(self.drawn, self.group, hits.tolist(), strict=True):
            size = int(self.sizes[group])
            names = {"task": f"t{task}", "group": f"g{group}", "agent": agent, "status": "graded"}
            pi = Fraction(min(2, size), size)
            out += [
                Attempt(**names, pi=pi, repeat=j, strict=hit and not crossing, crossed=hit and crossing)
                for j, hit in enumerate(row)
            ]
        return out


def normal_cdf(x: np.ndarray) -> np.ndarray:
    """Φ, elementwise."""
    from scipy.special import ndtr

    return np.asarray(ndtr(x))


def expected(middle: float, between: float, inside: float = 0.3) -> float:
    """The mean chance of a task over all groups that there could be."""
    return float(normal_cdf(np.array(middle / (1 + between**2 + inside**2) ** 0.5)))
