"""Random streams: golden values that must never change, and what makes them fair."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import islice, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errands.tasks.stream import Stream

ITEMS = st.lists(st.integers(), max_size=30)
GOLDEN = [145, 315, 886, 164, 722, 936, 640, 319]
SHUFFLED = [3, 8, 7, 0, 1, 2, 4, 6, 9, 5]
IDENTS = ["msg_5fgectyx", "msg_qhjx49wq", "msg_zy73y5cx"]
MIXED = (["d", "f", "h"], "y", 1)
NAMES = st.lists(st.one_of(st.text(max_size=8), st.integers()), min_size=1, max_size=3)


def test_golden_values():
    """Worked out once, on 30 Nov 2026. If these change, every fixture ever published changes with them."""
    assert [Stream("golden", 1).below(1000) for _ in range(2)] == [GOLDEN[0]] * 2
    s = Stream("golden", 1)
    assert [s.below(1000) for _ in range(8)] == GOLDEN
    assert Stream("golden", 1).shuffled(range(10)) == SHUFFLED
    s = Stream("golden", 1)
    assert [s.ident("msg") for _ in range(3)] == IDENTS
    s = Stream("golden", 1)
    assert (s.sample("abcdefgh", 3), s.choice("xyz"), s.between(-3, 3)) == MIXED


def test_it_is_sha256_in_counter_mode():
    """By hand: blocks of SHA-256 over name, unit separator and block number, cut into 8 bytes, big endian."""
    blocks = b"".join(hashlib.sha256(b"life\x1fsg\x1f" + str(n).encode()).digest() for n in range(3))
    s = Stream("life", "sg")
    assert [s.below(1 << 64) for _ in range(12)] == [
        int.from_bytes(blocks[i : i + 8], "big") for i in range(0, 96, 8)
    ]


def test_what_does_not_divide_is_drawn_again():
    """No value of the top, uneven part of the 64 bits is folded in (no modulo bias)."""
    bound = (1 << 63) + 1  # nearly half of all draws are thrown away
    raw, s = Stream("bias"), Stream("bias")
    kept = (x for x in iter(lambda: raw.below(1 << 64), None) if x < bound)
    assert [s.below(bound) for _ in range(50)] == list(islice(kept, 50))


@given(NAMES, NAMES)
def test_a_stream_follows_from_its_name_alone(a, b):
    one, two, other = Stream(*a), Stream(*a), Stream(*b)
    draws = [one.below(1 << 64) for _ in range(3)]
    assert draws == [two.below(1 << 64) for _ in range(3)]
    if [str(n) for n in a] != [str(n) for n in b]:
        assert draws != [other.below(1 << 64) for _ in range(3)]


def test_the_parts_of_a_name_do_not_run_together():
    assert Stream("a", "bc").below(1 << 64) != Stream("ab", "c").below(1 << 64)
    assert Stream("task", 1, 2).below(1 << 64) != Stream("task", 12).below(1 << 64)


@pytest.mark.parametrize("n", [2, 3, 7, 10, 29])
def test_every_value_is_as_likely(n):
    """Chi-squared of 4,000 draws against a bound that one fair stream in a million would pass."""
    s = Stream("fair", n)
    seen = Counter(s.below(n) for _ in range(4_000))
    assert set(seen) == set(range(n))
    expected = 4_000 / n
    chi = sum((seen[x] - expected) ** 2 / expected for x in range(n))
    assert chi < {2: 24, 3: 28, 7: 40, 10: 46, 29: 85}[n]


def test_every_order_is_as_likely():
    s = Stream("orders")
    seen = Counter(tuple(s.shuffled("abc")) for _ in range(3_000))
    assert set(seen) == set(permutations("abc"))
    assert all(400 < n < 600 for n in seen.values()), seen


@given(st.integers(1, 1 << 64), st.integers())
def test_below_is_below(n, name):
    assert 0 <= Stream(name).below(n) < n


@given(st.integers(-(10**9), 10**9), st.integers(0, 10**6), st.integers())
def test_between_takes_both_ends(low, width, name):
    assert low <= Stream(name).between(low, low + width) <= low + width


def test_between_reaches_both_ends():
    s = Stream("ends")
    assert {s.between(-1, 1) for _ in range(60)} == {-1, 0, 1}
    assert s.between(5, 5) == 5


@given(ITEMS, st.integers())
def test_a_shuffle_keeps_every_item_and_leaves_the_list_alone(items, name):
    before = list(items)
    out = Stream(name).shuffled(items)
    assert Counter(out) == Counter(items)
    assert items == before and out is not items


@given(st.lists(st.integers(), unique=True, max_size=20), st.data())
def test_a_sample_has_that_many_different_items(items, data):
    n = data.draw(st.integers(0, len(items)))
    out = Stream("sample").sample(items, n)
    assert len(out) == len(set(out)) == n
    assert set(out) <= set(items)


def test_a_sample_takes_any_item_to_any_place():
    seen = {tuple(Stream("pairs", n).sample("abcd", 2)) for n in range(300)}
    assert seen == set(permutations("abcd", 2))


@given(st.lists(st.integers(), min_size=1, max_size=9), st.integers())
def test_a_choice_is_one_of_them(items, name):
    assert Stream(name).choice(items) in items


@pytest.mark.parametrize("n", [0, -1])
def test_there_is_nothing_below_nothing(n):
    with pytest.raises(ValueError, match="positive"):
        Stream("x").below(n)


def test_too_large_a_sample_is_refused():
    with pytest.raises(ValueError, match="cannot take 3 of 2"):
        Stream("x").sample("ab", 3)
    with pytest.raises(ValueError, match="positive"):
        Stream("x").choice("")


def test_idents_are_opaque_and_do_not_meet():
    s = Stream("idents")
    made = [s.ident("msg") for _ in range(5_000)]
    assert len(set(made)) == len(made)
    letters = Counter("".join(m.removeprefix("msg_") for m in made))
    assert set(letters) == set("abcdefghjkmnpqrstvwxyz23456789")  # none that is taken for another
    assert all(1_150 < n < 1_550 for n in letters.values()), letters
