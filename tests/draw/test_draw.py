"""What a draw depends on, and what it does not."""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from errands.core.errors import UsageError
from errands.draw.batch import draw, withdraw
from errands.draw.check import differences
from errands.draw.frame import Change, Entry, Frame
from errands.draw.rules import Exclusion, Seed, rules

from . import shape

SEED = Seed(value="5af1c2e90b", source="a beacon, round 7")


def entry(name, world="office", does="a", tags=(), **more):
    """An instance that changes `does`; without, one that is graded on the reply."""
    made = {"changes": (Change(world, f"{world}_{does}", "insert", "committed"),)} if does else {}
    tags = [*tags, *(() if does else ("reply-only",))]
    given = {
        "status": "ready",
        "tags": tags,
        "task": hashlib.sha256(name.encode()).hexdigest(),
        **made,
        **more,
    }
    return Entry(id=f"{name}@sg/0", world=world, **given)


def framed(*entries):
    return Frame(kind="errands-frame", format=1, version="0", entries=entries)


def of_groups(batch):
    out = defaultdict(list)
    for p in batch.picks:
        out[p.group].append((p.id, p.reason, p.adds, p.chance))
    return dict(out)


# ---- what does not matter ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_the_input_changes_nothing(seed):
    entries = list(shape.frame().entries)
    random.Random(seed).shuffle(entries)
    mixed = Frame(kind="errands-frame", format=1, version="golden", about=shape.ABOUT, entries=tuple(entries))
    assert (
        draw(mixed, shape.golden_rules(), shape.SEED).text
        == draw(shape.frame(), shape.golden_rules(), shape.SEED).text
    )


@settings(max_examples=12, deadline=None)
@given(st.data())
def test_a_task_more_or_less_changes_no_other_group(data):
    whole = shape.frame()
    taken = [e for e in whole.entries if not e.id.startswith("live-data-90")]
    away = data.draw(st.sampled_from(taken))
    less = whole.model_copy(update={"entries": tuple(e for e in whole.entries if e.id != away.id)})
    a, b = (of_groups(draw(f, shape.golden_rules(), SEED)) for f in (whole, less))
    same = a.keys() & b.keys()
    touched = [g for g in same if a[g] != b[g]]
    assert len(same) >= 127 and len(touched) <= 1
    assert all(g.startswith(f"{away.world}:") for g in touched)


def test_another_seed_draws_another_list():
    a, b = (draw(shape.frame(), shape.golden_rules(), Seed(value=v, source="s")) for v in ("1", "2"))
    assert {p.id for p in a.picks} != {p.id for p in b.picks}
    assert a.totals == b.totals and a.shares == b.shares


def test_nothing_of_the_library_is_mixed_into_the_seed():
    f = framed(*(entry(f"t{n}") for n in range(9)))
    other = f.model_copy(update={"about": "other words", "version": "9"})
    a, b = draw(f, rules(), SEED), draw(other, rules(), SEED)
    assert a.frame_digest != b.frame_digest and a.picks == b.picks


# ---- exclusions --------------------------------------------------------------------------------------------------


def test_exclusions_come_first_each_with_its_code():
    f = framed(
        entry("a"),
        entry("b", bars=("needs-live-internet",)),
        entry("c"),
        entry("d", status="draft", why="its folder changed", changes=(), tags=()),
        entry("e", status="withdrawn", changes=(), tags=()),
    )
    b = draw(f, rules(2, (Exclusion(match="c@*", code="robot-check"),)), SEED)
    assert [(x.id[0], x.code) for x in b.exclusions] == [
        ("b", "needs-live-internet"),
        ("c", "robot-check"),
        ("d", "draft"),
        ("e", "withdrawn"),
    ]
    assert [p.id for p in b.picks] == ["a@sg/0"] and b.totals.eligible == 1
    assert all(x.why for x in b.exclusions) and any("without the 4 excluded" in c for c in b.cannot)


def test_an_exclusion_that_matches_nothing_is_refused():
    with pytest.raises(UsageError, match="no instance of the frame matches 'z"):
        draw(framed(entry("a")), rules(2, (Exclusion(match="z*", code="broken"),)), SEED)


def test_an_unknown_code_is_refused():
    with pytest.raises(ValidationError, match="needs-live-internet"):
        Exclusion(match="a", code="too-hard")


def test_nothing_left_is_refused():
    with pytest.raises(UsageError, match="nothing is left"):
        draw(framed(entry("a", bars=("private-pack",))), rules(), SEED)


# ---- groups ------------------------------------------------------------------------------------------------------


def test_same_world_and_same_changes_are_one_group():
    f = framed(entry("a"), entry("b", tags=("approval",)), entry("c", does="b"), entry("d", world="shop"))
    b = draw(f, rules(), SEED)
    assert sorted(sorted(g.members) for g in b.groups) == [["a@sg/0", "b@sg/0"], ["c@sg/0"], ["d@sg/0"]]


def test_what_changes_nothing_is_parted_by_what_it_needs_and_its_faults():
    f = framed(
        entry("a", does=""),
        entry("b", does="", tags=("approval", "safety-boundary")),
        entry("c", does="", tags=("several-sessions",)),
        entry("d", does="", tags=("injected-fault",), faults=("stale",)),
        entry("e", does="", tags=("injected-fault",), faults=("slow", "stale")),
    )
    found = sorted(sorted(i[0] for i in g.members) for g in draw(f, rules(), SEED).groups)
    assert found == [["a", "b"], ["c"], ["d"], ["e"]]


# ---- picks -------------------------------------------------------------------------------------------------------


def by_hand(entries, seed):
    return sorted(entries, key=lambda e: hashlib.sha256(seed.encode() + b"\x1f" + e.id.encode()).digest())


def test_first_in_order_then_the_first_that_fills_a_gap():
    plain = [entry(f"p{n}") for n in range(6)]
    rare = [entry("r1", tags=("approval",)), entry("r2", tags=("approval", "connector"))]
    seen = set()
    for n in range(60):
        b = draw(framed(*plain, *rare), rules(), Seed(value=f"s{n}", source="s"))
        order = by_hand([*plain, *rare], f"s{n}")
        gaps = [e for e in order[1:] if not set(e.tags) <= set(order[0].tags)]
        second = (gaps or order[1:])[0]
        assert [p.id for p in b.picks] == [order[0].id, second.id]
        assert b.picks[0].reason == "first" and b.picks[1].reason == ("fills-gap" if gaps else "next")
        assert set(b.picks[1].adds) == set(second.tags) - set(order[0].tags)
        seen.add(b.picks[1].reason)
    assert seen == {"fills-gap", "next"}


def test_a_third_pick_fills_what_both_before_it_lack():
    f = framed(
        entry("a", tags=("approval",)), entry("b", tags=("connector",)), *(entry(f"c{n}") for n in range(5))
    )
    for n in range(40):
        b = draw(f, rules(3), Seed(value=f"s{n}", source="s"))
        assert {"a@sg/0", "b@sg/0"} <= {p.id for p in b.picks} and len(b.picks) == 3


def test_the_only_task_of_a_group_says_so():
    b = draw(framed(entry("a")), rules(), SEED)
    assert [(p.reason, p.chance) for p in b.picks] == [("only", "1")]


@pytest.mark.parametrize("cap", [0, 4])
def test_a_cap_without_exact_probabilities_is_refused(cap):
    with pytest.raises(UsageError, match="not offered"):
        rules(cap)


def test_a_date_as_seed_is_told_as_weak():
    f = framed(entry("a"))
    told = {v: draw(f, rules(), Seed(value=v, source="s")).cannot for v in ("20261004", "9f2c")}
    assert any("tuned" in c for c in told["20261004"]) and not any("tuned" in c for c in told["9f2c"])


# ---- afterwards --------------------------------------------------------------------------------------------------


def test_without_the_group_of_what_was_withdrawn():
    f = framed(entry("a"), entry("b"), entry("c"), entry("d", does="d"))
    b = draw(f, rules(), SEED)
    gone = next(p.id for p in b.picks if p.id != "d@sg/0")
    after = withdraw(b, gone, "broken", "2026-10-05").after
    assert (after.listed.tasks, after.listed.groups) == (2, 2)
    assert (after.without.tasks, after.without.groups) == (1, 1)


def test_what_was_not_drawn_or_is_gone_cannot_be_withdrawn():
    b = draw(framed(entry("a"), entry("b")), rules(), SEED)
    once = withdraw(b, "a@sg/0", "broken", "2026-10-05")
    with pytest.raises(UsageError, match="already"):
        withdraw(once, "a@sg/0", "broken", "2026-10-06")
    with pytest.raises(UsageError, match="not drawn"):
        withdraw(once, "z@sg/0", "broken", "2026-10-06")


# ---- tampered with -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda b: {"seed": b.seed.model_copy(update={"value": "1"})}, "groups[0].joint[0][0]"),
        (lambda b: {"rules": rules(3)}, "rules_digest"),
        (lambda b: {"picks": b.picks[1:]}, "picks: 169 entries, and 170"),
        (
            lambda b: {"picks": (b.picks[0].model_copy(update={"chance": "1/2"}), *b.picks[1:])},
            "picks[0].chance",
        ),
        (lambda b: {"exclusions": b.exclusions[1:]}, "exclusions: 2 entries"),
        (lambda b: {"warning": "all is well"}, "warning: 'all is well'"),
        (lambda b: {"cannot": b.cannot[:1]}, "cannot"),
        (lambda b: {"editions": {}}, "editions.bookings-0-"),
        (lambda b: {"totals": b.totals.model_copy(update={"frame": 300})}, "totals.frame: 300"),
        (lambda b: {"after": None}, "after"),
    ],
)
def test_a_batch_that_was_changed_is_found_with_what_and_where(change, where):
    b = shape.batch()
    found = differences(b.model_copy(update=change(b)), shape.frame())
    assert any(where in f for f in found), found


def test_another_frame_is_found():
    b = shape.batch()
    less = shape.frame().model_copy(update={"entries": shape.frame().entries[:-1]})
    assert any(f.startswith("frame_digest") for f in differences(b, less))


# ---- frames that cannot be ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: entry("a", does="", tags=("approval",), changes=(), status="draft"), "not measured"),
        (lambda: Entry(id="a@sg/0", world="w", status="ready", task="0" * 64), "reply-only"),
        (lambda: entry("a", tags=("injected-fault",)), "injected-fault"),
        (lambda: entry("a", tags=("hard",)), "reply-only"),
        (lambda: framed(entry("a"), entry("a")), "twice"),
        (lambda: entry("a", score=1), "Extra inputs"),
    ],
)
def test_a_frame_that_contradicts_itself_is_refused(made, words):
    with pytest.raises(ValidationError, match=words):
        made()
