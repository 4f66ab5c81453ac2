"""The five invariants of the house, on the toy app (3 and 5 continue where grading and doors live)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errands.core.errors import ToolError, WorldFault
from errands.world import World, open_world
from errands.world.fold import redo, undo
from errands.world.ledger import chain_rows, content_digest, count_rows
from errands.world.schema import UNRECORDED

from .toy import fixture, world

LABEL = st.sampled_from(["alpha", "beta", "gamma", "delta", "é", "漢字"])
BOX = st.sampled_from(["box_0", "box_1", "box_2", "box_9"])
WEIGHT = st.sampled_from([1, 50, 101, 13])
KEY = st.sampled_from(["", "k"])
STEP = st.one_of(
    st.tuples(st.just("toy_look"), st.fixed_dictionaries({"box": BOX})),
    st.tuples(st.just("toy_make"), st.fixed_dictionaries({"label": LABEL})),
    st.tuples(st.just("toy_put"), st.fixed_dictionaries({"box": BOX, "weight": WEIGHT})),
    st.tuples(st.just("toy_relabel"), st.fixed_dictionaries({"box": BOX, "label": LABEL})),
    st.tuples(st.just("toy_clash"), st.fixed_dictionaries({"label": LABEL})),
    st.tuples(st.just("toy_drop"), st.fixed_dictionaries({"box": BOX})),
    st.tuples(st.just("toy_clear"), st.just({})),
    st.tuples(st.just("toy_later"), st.fixed_dictionaries({"minutes": st.integers(0, 9), "label": LABEL})),
    st.tuples(st.just("tock_wait"), st.fixed_dictionaries({"minutes": st.integers(0, 9)})),
    st.tuples(st.just("toy_send"), st.fixed_dictionaries({"box": BOX, "idempotency_key": KEY})),
    st.tuples(st.just("toy_bad_read"), st.just({})),
    st.tuples(st.just("toy_put"), st.just({"box": 7, "weight": "heavy"})),
)
SCRIPT = st.lists(STEP, max_size=14)
FAULTS = st.lists(
    st.fixed_dictionaries(
        {
            "tool": st.sampled_from(["toy_put", "toy_send", "toy_make"]),
            "applied": st.integers(0, 1),
            "answered": st.integers(0, 1),
            "skip": st.integers(0, 1),
            "code": st.just("timeout"),
        }
    ),
    max_size=2,
)


def play(w: World, script: list[tuple[str, dict[str, object]]]) -> list[object]:
    out: list[object] = []
    for tool, args in script:
        try:
            out.append(w.call(tool, args))
        except ToolError as why:
            out.append(why.body())
        except WorldFault:
            out.append("fault")
    return out


@settings(max_examples=150, deadline=None)
@given(SCRIPT, FAULTS, st.integers(0, 14))
def test_all_state_is_in_the_file(script, faults, cut):
    blob = fixture(faults=faults).blob
    straight = open_world(blob)
    expected = play(straight, script)
    first = open_world(blob)
    got = play(first, script[:cut])
    reopened = open_world(first.snapshot())
    fork = first.fork()
    got += play(reopened, script[cut:])
    assert got == expected
    assert reopened.world_digest() == straight.world_digest()
    play(fork, script[cut:])
    assert fork.world_digest() == straight.world_digest()


@settings(max_examples=150, deadline=None)
@given(SCRIPT, FAULTS)
def test_ledger_is_the_whole_truth(script, faults):
    blob = fixture(faults=faults).blob
    w = open_world(blob)
    play(w, script)
    final = w.snapshot()
    recorded = {k: v for k, v in w.ledger.tables.items() if k not in UNRECORDED}
    before = content_digest(open_world(blob).db, recorded)
    after = content_digest(w.db, recorded)

    undone = open_world(final)
    effects = [
        (n, b)
        for n, b in undone.db.execute("SELECT name, body FROM exam_ledger WHERE kind = 'effect' ORDER BY seq")
    ]
    undo(undone.db, undone.ledger.tables)
    assert content_digest(undone.db, recorded) == before

    redone = open_world(blob)
    redo(redone.db, redone.ledger.tables, effects)
    assert content_digest(redone.db, recorded) == after


@settings(max_examples=80, deadline=None)
@given(SCRIPT)
def test_running_digests_equal_a_recomputation_from_a_dump(script):
    w = world()
    play(w, script)
    assert w.ledger.rows_sum == count_rows(w.db, w.ledger.tables)
    assert (w.ledger.seq, w.ledger.chain) == chain_rows(w.db)


def test_seq_has_no_gap_and_every_effect_names_its_cause():
    w = world()
    play(
        w,
        [
            ("toy_make", {"label": "x"}),
            ("toy_drop", {"box": "box_1"}),
            ("toy_later", {"minutes": 0, "label": "y"}),
        ],
    )
    rows = w.all("SELECT * FROM exam_ledger ORDER BY seq")
    assert [r["seq"] for r in rows] == list(range(1, len(rows) + 1))
    causes = {r["seq"]: r["kind"] for r in rows}
    assert all(causes[r["cause"]] in ("call", "event") for r in rows if r["kind"] == "effect")
    dropped = [r for r in rows if r["name"] == "toy_thing"]
    assert len(dropped) == 3, "the cascade's rows are in the ledger"


def test_replace_records_the_row_it_throws_away():
    w = world()
    w.call("toy_relabel", {"box": "box_0", "label": "beta"})
    gone = [json.loads(r["body"]) for r in w.all("SELECT body FROM exam_ledger WHERE ref = 'box_1'")]
    assert gone and gone[0]["after"] is None and gone[0]["before"]["label"] == "beta"


def test_a_read_writes_nothing_and_a_writing_read_is_our_fault():
    w = world()
    before = w.value("SELECT count(*) FROM exam_ledger WHERE kind = 'effect'")
    w.call("toy_look", {"box": "box_0"})
    assert w.value("SELECT count(*) FROM exam_ledger WHERE kind = 'effect'") == before == 0
    digest = w.world_digest()
    for tool in ("toy_bad_read", "toy_sly_read"):
        with pytest.raises(WorldFault, match="declared a read"):
            w.call(tool, {})
    assert w.value("SELECT count(*) FROM toy_thing") == 9
    assert w.world_digest() == digest and w.value("SELECT label FROM toy_box WHERE id = 'box_0'") == "alpha"


def test_a_bug_of_ours_rolls_everything_back():
    w = world()
    digest = w.world_digest()
    with pytest.raises(WorldFault, match="planted bug"):
        w.call("toy_put", {"box": "box_0", "weight": 13})
    assert w.world_digest() == digest and w.ledger.rows_sum == count_rows(w.db, w.ledger.tables)


SCRIPT_OUTSIDE = """
import json, sys
from tests.world.toy import world
w = world()
for tool, args in json.loads(sys.argv[1]):
    try: w.call(tool, args)
    except Exception: pass
print(w.world_digest())
"""


@pytest.mark.parametrize("env", [{"PYTHONHASHSEED": "0"}, {"PYTHONHASHSEED": "1", "TZ": "America/New_York"}])
def test_digest_does_not_know_the_host(env):
    script = [
        ["toy_make", {"label": "漢字"}],
        ["toy_later", {"minutes": 3, "label": "é"}],
        ["tock_wait", {"minutes": 9}],
        ["toy_relabel", {"box": "box_0", "label": "beta"}],
        ["toy_send", {"box": "box_2"}],
    ]
    root = Path(__file__).parents[2]
    env = {**os.environ, "PYTHONPATH": f"{root}/src:{root}", **env}
    out = subprocess.run(
        [sys.executable, "-c", SCRIPT_OUTSIDE, json.dumps(script)],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
        env=env,
    )
    w = world()
    play(w, script)
    assert out.stdout.strip() == w.world_digest()
