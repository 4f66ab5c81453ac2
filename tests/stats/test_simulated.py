"""Promises kept on libraries shaped like ours: intervals cover, equal agents are not put in order.

Quick forms run always, with seeds that are fixed and bounds four standard errors wide; the thousands are `slow`.
"""

from __future__ import annotations

import numpy as np
import pytest

from errands.stats.compare import compare
from errands.stats.rates import crossings, group_rate, library_rate, list_rate, skill_rate
from errands.stats.reliability import flip_share, pass_at_k, pass_hat_k
from errands.stats.separate import separate

from .lists import SIZES, Library, expected, normal_cdf

# Middle and spread of the tasks' chances, on the scale of the normal distribution: the rows of the design's table.
LIBRARIES = {
    ".50 small": (0.0, 0.2, SIZES),
    ".50 large": (0.0, 1.3, SIZES),
    ".73 medium": (0.75, 0.6, SIZES),
    ".92 medium": (1.65, 0.6, SIZES),
    ".97 small": (2.0, 0.3, SIZES),
    # Fifteen errands, each in six markets: two of each are drawn.
    ".73 of few": (0.75, 0.6, (6,) * 15),
    ".95 of few": (2.0, 0.6, (6,) * 15),
}
QUICK = {".50 large": 200, ".92 medium": 200, ".73 of few": 300}
# A smaller list for several agents at once: 40 groups, a third of them of more than one task.
SMALL = (1,) * 26 + (2,) * 5 + (3, 4, 4, 5, 6, 8, 10, 12, 20)


def errors(how_many: int, n: int) -> float:
    """So many standard errors of a share of .95 or .05 seen in `n` replications."""
    return how_many * float((0.95 * 0.05 / n) ** 0.5)


def covered(name: str, n: int) -> dict[str, float]:
    """How often each interval held what it speaks of."""
    middle, between, sizes = LIBRARIES[name]
    rng = np.random.default_rng([20261004, sorted(LIBRARIES).index(name)])
    truth = expected(middle, between)
    held: dict[str, list[bool]] = {}
    for _ in range(n):
        library = Library(rng, middle=middle, between=between, sizes=sizes)
        mine = library.sit("a")
        for what, rate, true in (
            ("skill", skill_rate, truth),
            ("group", group_rate, truth),
            ("library", library_rate, float(library.p.mean())),
            ("list", list_rate, float(library.listed.mean())),
        ):
            r = rate(mine)
            held.setdefault(what, []).append(r.low <= true <= r.high)
        crossing = crossings(library.sit("a", p=1 - library.listed, crossing=True))
        held.setdefault("crossings", []).append(1 - truth <= crossing.upper)
    return {what: float(np.mean(h)) for what, h in held.items()}


def check_covered(name: str, n: int) -> None:
    found = covered(name, n)
    slack = errors(4, n)
    for what, share in found.items():
        # The list's normal interval covers 94 % by the design; the others are near 95 or above.
        assert share >= (0.94 if what == "list" else 0.95) - slack, (what, found)
    if name.startswith(".50"):
        # Not by being wide: in the middle of the scale the intervals promise no more than they say.
        assert found["skill"] <= 0.95 + slack + 0.01 and found["group"] <= 0.95 + slack + 0.01, found


@pytest.mark.parametrize("name", QUICK)
def test_intervals_cover(name):
    check_covered(name, QUICK[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", LIBRARIES)
def test_intervals_cover_thousands(name):
    check_covered(name, 2000)


def test_a_share_of_attempts_without_groups_would_not_cover():
    """The test can fail: where tasks and groups differ much, Wilson on all attempts covers about 86 %."""
    from errands.stats.intervals import wilson

    rng = np.random.default_rng(11)
    n, held = 300, 0
    for _ in range(n):
        library = Library(rng, middle=0.0, between=1.3)
        hits = int((rng.random((len(library.drawn), 2)) < library.listed[:, None]).sum())
        low, high = wilson(hits, 2 * len(library.drawn))
        held += low <= 0.5 <= high
    assert held / n < 0.92


def bias(n: int) -> tuple[float, float, float]:
    """Mean error of the library rate, of the plain mean of the list, and the library rate's coverage."""
    rng = np.random.default_rng(17)
    weighted, plain, held = [], [], []
    for _ in range(n):
        library = Library(rng, middle=0.4, between=0.5, bias=0.8)
        mine, true = library.sit("a"), float(library.p.mean())
        r = library_rate(mine)
        weighted.append(float(r.value) - true)
        plain.append(float(np.mean([a.strict for a in mine])) - true)
        held.append(r.low <= true <= r.high)
    return float(np.mean(weighted)), float(np.mean(plain)), float(np.mean(held))


def test_the_library_rate_is_right_where_large_groups_are_harder():
    weighted, plain, held = bias(150)
    assert abs(weighted) < 0.02 and plain > 0.06 and held >= 0.95 - errors(4, 150)


@pytest.mark.slow
def test_the_library_rate_is_right_thousands():
    weighted, plain, held = bias(2000)
    assert abs(weighted) < 0.006 and plain > 0.06 and held >= 0.95 - errors(4, 2000)


def repeats_covered(n: int) -> dict[str, float]:
    """pass^2, pass@2 and flips against the means over all groups that there could be."""
    many = np.random.default_rng(2)
    p = normal_cdf(0.6 + many.normal(0, 0.7, 400_000) + many.normal(0, 0.3, 400_000))
    true = {"all": (p**2).mean(), "any": (1 - (1 - p) ** 2).mean(), "flips": (2 * p * (1 - p)).mean()}
    rng, held = np.random.default_rng(23), dict.fromkeys(true, 0)
    for _ in range(n):
        mine = Library(rng, middle=0.6, between=0.7).sit("a")
        for what, r in (
            ("all", pass_hat_k(mine, 2)),
            ("any", pass_at_k(mine, 2)),
            ("flips", flip_share(mine)),
        ):
            held[what] += r.low <= true[what] <= r.high
    return {k: v / n for k, v in held.items()}


def test_repeats_cover():
    assert min(repeats_covered(120).values()) >= 0.95 - errors(4, 120)


@pytest.mark.slow
def test_repeats_cover_thousands():
    assert min(repeats_covered(2000).values()) >= 0.95 - errors(4, 2000)


def paired(n: int, gap: float) -> tuple[float, float]:
    """How often the paired interval held the true gap, and how often it told it from none."""
    rng = np.random.default_rng([29, int(1000 * gap)])
    held = told = 0
    for _ in range(n):
        library = Library(rng, middle=0.5, between=0.5)
        # The agents share most of what is hard; each has its own difficulties with a group too.
        own = [rng.normal(0, 0.4, len(library.sizes))[library.group] for _ in "ab"]
        chances = [
            normal_cdf(library.level[library.drawn] + o + s) for o, s in zip(own, (gap, 0.0), strict=True)
        ]
        d = compare(library.sit("a", p=chances[0]), library.sit("b", p=chances[1]))
        total = (1 + 0.5**2 + 0.3**2 + 0.4**2) ** 0.5
        true = float(normal_cdf(np.array((0.5 + gap) / total)) - normal_cdf(np.array(0.5 / total)))
        held += d.low <= true <= d.high
        told += d.p < 0.05
    return held / n, told / n


def test_paired_intervals_cover_and_find_a_large_gap():
    held, told = paired(120, 0.0)
    assert held >= 0.95 - errors(4, 120) and told <= 0.05 + errors(4, 120)
    assert paired(40, 0.5)[1] > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("gap", [0.0, 0.15, 0.4])
def test_paired_intervals_cover_thousands(gap):
    held, told = paired(1500, gap)
    assert held >= 0.95 - errors(4, 1500)
    if not gap:
        assert told <= 0.05 + errors(4, 1500)


def false_orders(n: int, agents: int, sizes: tuple[int, ...]) -> float:
    """How often any two of several equal agents are put in order."""
    rng = np.random.default_rng(31)
    wrong = 0
    for _ in range(n):
        library = Library(rng, middle=0.5, between=0.6, sizes=sizes)
        s = separate({f"a{i}": library.sit(f"a{i}") for i in range(agents)})
        wrong += any(p.above for p in s.pairs)
    return wrong / n


def test_equal_agents_are_not_put_in_order():
    n = 100
    assert false_orders(n, 5, SMALL) <= 0.05 + errors(3, n)


@pytest.mark.slow
@pytest.mark.parametrize("agents", [2, 5, 10])
def test_equal_agents_are_not_put_in_order_thousands(agents):
    n = 1000
    assert false_orders(n, agents, SMALL) <= 0.05 + errors(3, n)
