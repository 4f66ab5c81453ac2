"""The stated probabilities: against every order of small groups, against simulated seeds, and against each other."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errands.draw.chances import Chances
from errands.draw.groups import exclude, grouped
from errands.draw.picks import pick

from . import shape
from .test_draw import entry

TAGS = ("approval", "connector", "proactive")
GROUPS = st.lists(st.sets(st.sampled_from(TAGS)), min_size=1, max_size=6)


def members(tags):
    return [entry(f"t{n}", tags=sorted(t)) for n, t in enumerate(tags)]


def by_every_order(entries, cap):
    """How often each set is drawn, over all orders; the rule written down a second time."""
    out = Counter()
    for order in permutations(entries):
        taken, left = [order[0]], list(order[1:])
        while left and len(taken) < cap:
            have = {t for e in taken for t in e.tags}
            nxt = next((e for e in left if not set(e.tags) <= have), left[0])
            taken.append(nxt)
            left.remove(nxt)
        out[frozenset(e.id for e in taken)] += 1
    total = math.factorial(len(entries))
    return {ids: Fraction(n, total) for ids, n in out.items()}


@settings(max_examples=60, deadline=None)
@given(GROUPS, st.sampled_from([1, 2, 3]))
def test_they_are_those_of_all_orders(tags, cap):
    entries = members(tags)
    exact, sets = Chances(entries, cap), by_every_order(entries, cap)
    for e in entries:
        assert exact.one(e.id) == sum(p for ids, p in sets.items() if e.id in ids)
    never = 0
    for a, b in combinations(entries, 2):
        both = sum(p for ids, p in sets.items() if {a.id, b.id} <= ids)
        assert exact.both(a.id, b.id) == exact.both(b.id, a.id) == both
        never += both == 0
    assert exact.never() == never


def test_where_the_second_used_up_the_earliest_gap():
    """The case in which a naive recursion fails: two fill the one gap, so the third comes from all that are left."""
    entries = members([set(), set(), set(), {"approval"}, {"approval"}])
    exact, sets = Chances(entries, 3), by_every_order(entries, 3)
    for e in entries:
        assert exact.one(e.id) == sum(p for ids, p in sets.items() if e.id in ids)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sets(st.sampled_from(TAGS)), min_size=3, max_size=40), st.sampled_from([2, 3]))
def test_identities(tags, cap):
    entries = members(tags)
    exact, n = Chances(entries, cap), len(tags)
    assert sum(exact.one(e.id) for e in entries) == min(cap, n)
    for a in entries:
        assert exact.one(a.id) >= Fraction(1, n)
        others = sum(exact.both(a.id, b.id) for b in entries if b is not a)
        assert others == (min(cap, n) - 1) * exact.one(a.id)


def test_the_formula_of_two_as_it_is_published():
    """π_i = 1/N + (1/N) Σ p(i|f), π_ij = (1/N)(p(j|i) + p(i|j)), for every group of the golden frame."""
    for _, group in large():
        exact, n = Chances(group, 2), len(group)
        p = {}
        for f in group:
            gaps = [t for t in group if t is not f and not set(t.tags) <= set(f.tags)]
            among = gaps or [t for t in group if t is not f]
            p.update({(j.id, f.id): Fraction(j in among, len(among)) for j in group if j is not f})
        for i in group:
            assert exact.one(i.id) == Fraction(1, n) + sum(p[i.id, f.id] for f in group if f is not i) / n
        for i, j in combinations(group, 2):
            assert exact.both(i.id, j.id) == (p[j.id, i.id] + p[i.id, j.id]) / n


# ---- seeds -------------------------------------------------------------------------------------------------------


def large(cap=2):
    """The groups of the golden frame in which a seed decides anything."""
    stay, _ = exclude(shape.frame(), shape.golden_rules())
    return [(name, group) for name, (_, group) in grouped(stay).items() if len(group) > cap]


def tail(n, p, k):
    """The smaller tail of a binomial at k, exact to the precision of floats."""
    pmf = [math.comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(k + 1)]
    below = math.fsum(pmf)
    return min(below, 1 - below + pmf[-1])


def agree(seeds, cap):
    """Simulate; every probability of first and second order must fit."""
    looked = 0
    for _, group in large(cap):
        one, two = Counter(), Counter()
        for n in range(seeds):
            ids = sorted(p.entry.id for p in pick(group, f"seed {n}", cap))
            one.update(ids)
            two.update(combinations(ids, 2))
        exact = Chances(group, cap)
        stated = {(e.id,): exact.one(e.id) for e in group}
        stated |= {tuple(sorted((a.id, b.id))): exact.both(a.id, b.id) for a, b in combinations(group, 2)}
        for ids, p in stated.items():
            seen = one[ids[0]] if len(ids) == 1 else two[ids]
            looked += 1
            if p in (0, 1):
                assert seen == p * seeds, (ids, "certain or impossible, and yet")
            elif p * seeds >= 10 and (1 - p) * seeds >= 10:
                z = (seen - seeds * float(p)) / math.sqrt(seeds * float(p * (1 - p)))
                assert abs(z) <= 5, (ids, p, seen)
            else:
                assert tail(seeds, float(p), seen) > 2.9e-7, (ids, p, seen)
    return looked


def test_two_thousand_seeds_agree():
    assert agree(2_000, 2) > 1_500


def test_five_hundred_seeds_agree_with_a_cap_of_three():
    assert agree(500, 3) > 1_000


@pytest.mark.slow
@pytest.mark.parametrize("cap", [2, 3])
def test_a_hundred_thousand_seeds_agree(cap):
    assert agree(100_000, cap) > 1_000
