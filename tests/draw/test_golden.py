"""The seed's figures, replayed: 312 → 309 in 128 groups → 170 drawn → one withdrawn → 169 in 127 groups, 68 of them
work files. Group sizes and names are invented, and the fixture says so.
"""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction

import pytest

from errands.draw.batch import Batch, draw
from errands.draw.check import differences
from errands.draw.files import read
from errands.draw.frame import Frame

from . import shape


@pytest.fixture(scope="module")
def golden():
    return read(Batch, shape.HERE / "batch.json")


@pytest.fixture(scope="module")
def frame():
    return read(Frame, shape.HERE / "frame.json")


def test_the_files_are_what_is_drawn_today_to_the_byte(golden, frame):
    assert shape.frame().text == (shape.HERE / "frame.json").read_bytes() == frame.text
    assert shape.batch().text == (shape.HERE / "batch.json").read_bytes() == golden.text
    assert differences(golden, frame) == []


def test_the_totals_are_the_seeds(golden):
    t = golden.totals
    assert (t.frame, t.excluded, t.eligible, t.groups, t.drawn) == (312, 3, 309, 128, 170)
    sizes = Counter(min(len(g.members), 2) for g in golden.groups)
    assert (sizes[1], sizes[2]) == (86, 42), "the counts that are forced by 128 and 170"
    assert sum(len(g.members) for g in golden.groups if len(g.members) > 1) == 223
    after = golden.after
    assert (after.listed.tasks, after.listed.groups) == (169, 127)
    assert (after.without.tasks, after.without.groups) == (169, 127)
    assert after.bounds.startswith("170 tasks in 128 groups, as two bounds")
    files = next(s for s in after.shares if s.world == "work-files")
    assert (files.drawn, files.share) == (68, "40.2 %") and len(after.shares) == 10
    assert sum(s.drawn for s in after.shares) == 169 == len(golden.listed)


def test_the_withdrawn_task_stays_in_the_frame_and_among_the_picks(golden, frame):
    assert next(e for e in frame.entries if e.id == shape.ROBOT).status == "ready"
    assert next(p for p in golden.picks if p.id == shape.ROBOT).chance == "1"
    assert [(w.id, w.code) for w in golden.withdrawals] == [(shape.ROBOT, "robot-check")]
    assert shape.ROBOT not in {p.id for p in golden.listed}


def test_it_says_that_only_the_totals_are_the_seeds(golden):
    assert "not its list" in golden.about and "invented" in golden.about


def test_the_file_opens_with_seed_and_rules():
    keys = list(json.loads((shape.HERE / "batch.json").read_bytes()))
    order = ["kind", "format", "seed", "rules", "rules_digest", "frame_digest", "about", "totals"]
    assert keys[: len(order)] == order
    assert keys[len(order) :] == [
        *("exclusions", "groups", "picks", "shares", "warning", "cannot", "editions", "withdrawals", "after")
    ]


def test_probabilities_add_up_over_the_frame(golden):
    chances = {i: Fraction(c) for g in golden.groups for i, c in g.members.items()}
    assert sum(chances.values()) == 170 and sum(c < 1 for c in chances.values()) == 193
    assert all(p.chance == str(chances[p.id]) for p in golden.picks)


@pytest.mark.parametrize("cap", [1, 2, 3])
def test_the_list_is_as_long_as_the_cap_allows(frame, cap):
    b = draw(frame, shape.golden_rules(cap), shape.SEED)
    assert len(b.picks) == sum(min(cap, len(g.members)) for g in b.groups)
    assert len({p.id for p in b.picks}) == len(b.picks)
