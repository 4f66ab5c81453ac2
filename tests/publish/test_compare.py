"""Runs beside each other: the paired change, what broke by name, and no order where the data carry none."""

from __future__ import annotations

import shutil

import pytest
from scipy import stats

from errands.core.errors import UsageError
from errands.evidence.folder import RunFolder
from errands.publish.compare import compare
from errands.records.attempts import sat
from errands.tasks.registry import Selection

from . import recompute, shop


@pytest.fixture(scope="module")
def sats(sold):
    return {name: sat([run], sold.batch) for name, run in sold.runs.items()}


def shares(s):
    """Passes of graded attempts by task."""
    out = {}
    for a in s.attempts:
        out.setdefault(a.task, []).append(a.strict)
    return out


def test_two_runs_give_the_paired_change_worked_out_again(sats):
    before, after = sats["skilled-40"], sats["skilled-80"]
    (p,) = compare([before, after]).pairs
    old, new = shares(before), shares(after)
    group = {a.task: a.group for a in before.attempts}
    cells = [
        {"group": group[t], "value": sum(new[t]) / len(new[t]) - sum(old[t]) / len(old[t])}
        for t in sorted(old)
    ]
    mean = sum(c["value"] for c in cells) / len(cells)
    error = recompute.cr1(cells, [1] * len(cells), mean)
    t = stats.t.ppf(0.975, len(set(group.values())) - 1)
    # Never less than what no difference in so many groups leaves open.
    error = max(error, (1 - 0.025 ** (1 / recompute.worth(cells, [1] * len(cells)))) / t)
    assert (p.a, p.b) == ("skilled-80", "skilled-40")
    assert p.difference == pytest.approx(mean) and mean > 0
    assert (p.low, p.high) == pytest.approx((mean - t * error, mean + t * error))
    assert p.p == pytest.approx(2 * stats.t.sf(mean / error, len(set(group.values())) - 1))
    assert (
        p.dropped == 0 and p.method and p.level == 0.95 and p.said in compare([before, after]).text.decode()
    )


def test_turned_round_the_change_turns(sats):
    (p,) = compare([sats["skilled-40"], sats["skilled-80"]]).pairs
    (q,) = compare([sats["skilled-80"], sats["skilled-40"]]).pairs
    assert (q.a, q.b) == (p.b, p.a)
    assert (q.difference, q.low, q.high) == pytest.approx((-p.difference, -p.high, -p.low))


def test_what_broke_was_fixed_and_is_flaky_is_told_by_name(sats):
    done = compare([sats["skilled-80"], sats["skilled-40"]])
    old, new = shares(sats["skilled-80"]), shares(sats["skilled-40"])
    broke = {t for t in old if all(old[t]) and not any(new[t])}
    fixed = {t for t in old if not any(old[t]) and all(new[t])}
    flaky = {t for t in old if len(set(old[t])) > 1 or len(set(new[t])) > 1}
    assert {c.task for c in done.broke} == broke and {c.task for c in done.fixed} == fixed
    assert {c.task for c in done.flaky} == flaky and broke and flaky
    one = done.broke[0]
    assert (one.before, one.after) == ("2 of 2", "0 of 2")


def test_a_run_against_itself_has_no_change_and_no_order(sats, sold):
    again = sat([RunFolder(sold.home / "null")], sold.batch)
    done = compare([sats["refuse"], again])
    (p,) = done.pairs
    assert p.difference == 0 and p.above is None and p.low < 0 < p.high
    assert done.broke == done.fixed == done.flaky == () and "no order is given" in p.why


def test_several_stand_by_the_alphabet_with_their_matrix_ties_and_sentences(sats):
    names = ["skilled-80", "oracle", "null", "refuse", "skilled-40"]
    done = compare([sats[n] for n in names])
    assert done.order == tuple(sorted(names)) and [len(r) for r in done.matrix] == [5] * 5
    at = {n: i for i, n in enumerate(done.order)}
    assert done.matrix[at["oracle"]][at["null"]] == ">" and done.matrix[at["null"]][at["oracle"]] == "<"
    assert done.matrix[at["null"]][at["refuse"]] == "=" == done.matrix[at["refuse"]][at["null"]]
    assert any({"null", "refuse"} <= set(t) for t in done.ties)
    for p in done.pairs:
        if p.above is None:
            assert "would need about" in p.why and "tasks like these" in p.why
        else:
            assert p.holm < 0.05 and abs(p.difference) > done.smallest_gap and " is above " in p.why
    assert len(done.pairs) == 10 and done.broke is None
    raw = {(p.a, p.b): p for p in done.pairs}
    assert all(p.holm >= p.p for p in raw.values())


def test_runs_of_one_agent_are_told_apart_by_their_names(sold, sats, tmp_path):
    shutil.copytree(sold.home / "null", tmp_path / "later")
    done = compare([sats["null"], sat([RunFolder(tmp_path / "later")], sold.batch)])
    assert [s.label for s in done.sides] == ["null", "later"]
    shutil.copytree(sold.home / "null", tmp_path / "x" / "null")
    with pytest.raises(UsageError, match="two runs have one name"):
        compare([sats["null"], sat([RunFolder(tmp_path / "x" / "null")], sold.batch)])


def test_editions_are_never_compared_and_it_says_what_to_do(sold, sats, tmp_path):
    shutil.copytree(sold.home / "null", tmp_path / "old")
    plan = RunFolder(tmp_path / "old").plan()
    name = sorted(plan.tasks)[0]
    plan = plan.model_copy(update={"tasks": {**plan.tasks, name: "0" * 64}})
    (tmp_path / "old" / "plan.json").write_bytes(plan.text)
    with pytest.raises(UsageError, match=f"different editions: {name}@") as why:
        compare([sats["hasty"], sat([RunFolder(tmp_path / "old")], sold.batch)])
    assert "run the older one again" in why.value.do


def test_another_language_is_another_edition(tmp_path):
    kr = Selection(tasks=("ec-double-booking-resolution",), markets=("kr",), variants=(0,))
    local = Selection(tasks=kr.tasks, markets=("kr",), variants=(0,), language="local")
    a = sat([shop.sit("null", tmp_path / "a", None, 1, kr)])
    b = sat([shop.sit("refuse", tmp_path / "b", None, 1, local)])
    with pytest.raises(UsageError, match="different editions"):
        compare([a, b])


def test_under_ten_groups_there_is_no_difference_to_show(tmp_path):
    one = Selection(tasks=("ec-double-booking-resolution",), markets=("sg",), variants=(0,))
    a = sat([shop.sit("null", tmp_path / "a", None, 2, one)])
    b = sat([shop.sit("oracle", tmp_path / "b", None, 2, one)])
    done = compare([a, b])
    (p,) = done.pairs
    assert p.difference is None and "1 group, a rate needs 10" in p.refusal and p.above is None
    assert [c.task for c in done.fixed] == ["ec-double-booking-resolution@sg/0"]


def test_one_run_is_compared_with_nothing(sats):
    with pytest.raises(UsageError, match="two runs or more"):
        compare([sats["null"]])
