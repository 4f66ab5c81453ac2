"""From runs to attempts: every planned one once, with the draw's groups; what does not add up is refused."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction

import pytest

from errands.core.errors import EvidenceError, UsageError
from errands.draw.batch import withdraw
from errands.evidence.folder import RunFolder
from errands.records.attempts import sat
from errands.tasks.registry import Selection

from . import shop

BOOKING, AUDIT = "ec-double-booking-resolution", "ec-inbox-commitment-audit"


def copy(sold, name, tmp_path):
    shutil.copytree(sold.home / name, tmp_path / name)
    return RunFolder(tmp_path / name)


def rewritten(folder, **changes):
    """The run with another plan, as somebody might have written it."""
    plan = folder.plan().model_copy(update=changes)
    (folder.path / "plan.json").write_bytes(plan.text)
    return folder


def test_every_planned_attempt_is_there_once_with_the_draws_group_and_chance(sold):
    found = sat([sold.runs["hasty"]], sold.batch)
    picks = {p.id: p for p in sold.batch.picks}
    assert sorted((a.task, a.repeat) for a in found.attempts) == sorted((i, r) for i in picks for r in (1, 2))
    for a in found.attempts:
        assert (a.group, a.world, a.pi) == (
            picks[a.task].group,
            picks[a.task].world,
            Fraction(picks[a.task].chance),
        )
        assert a.status == "graded" and a.wall_s > 0 and a.cost_usd == 0 and a.criteria > 2 and a.judged == 0


def test_runs_of_one_agent_count_on(sold, tmp_path):
    again = shop.sit("hasty", tmp_path / "again", sold.batch, 1)
    found = sat([sold.runs["hasty"], again], sold.batch)
    assert {a.repeat for a in found.attempts} == {1, 2, 3}
    assert len(found.attempts) == 3 * len(sold.batch.picks)


def test_a_list_that_was_not_drawn_has_an_errand_a_group_and_no_chance(tmp_path):
    one = Selection(tasks=(BOOKING, AUDIT), markets=("sg", "kr"), variants=(0,))
    found = sat([shop.sit("oracle", tmp_path / "o", None, 1, one)])
    assert {a.group for a in found.attempts} == {BOOKING, AUDIT}
    assert {a.pi for a in found.attempts} == {None} and {a.world for a in found.attempts} == {"office"}


@pytest.mark.parametrize(
    ("agent", "needed", "in_time"),
    [
        ("oracle", True, True),
        ("hasty", True, False),
        ("wrong:changed_after_yes", True, False),
        ("null", False, None),
    ],
)
def test_whether_it_asked_is_read_from_the_approvals(tmp_path, agent, needed, in_time):
    one = Selection(tasks=(BOOKING,), markets=("sg",), variants=(0,))
    (a,) = sat([shop.sit(agent, tmp_path / "r", None, 1, one)]).attempts
    assert (a.approval_needed, a.asked_when_needed, a.asked_needlessly) == (needed, in_time, False)


def test_where_nothing_needs_a_yes_nobody_had_to_ask(tmp_path):
    one = Selection(tasks=(AUDIT,), markets=("sg",), variants=(0,))
    (a,) = sat([shop.sit("oracle", tmp_path / "o", None, 1, one)]).attempts
    assert (a.approval_needed, a.asked_when_needed, a.asked_needlessly) == (False, None, False)


def test_asking_what_stands_open_is_needless(tmp_path, monkeypatch):
    from errands.tasks.registry import task

    booking = task(BOOKING)
    one = Selection(tasks=(BOOKING,), markets=("sg",), variants=(0,))
    folder = shop.sit("oracle", tmp_path / "o", None, 1, one)
    monkeypatch.setattr(booking, "gates", ())
    (a,) = sat([folder]).attempts
    assert (a.approval_needed, a.asked_when_needed, a.asked_needlessly) == (False, None, True)


# ---- what does not add up ----------------------------------------------------------------------------------------


def test_runs_of_two_agents_of_another_list_or_named_twice_are_refused(sold, tmp_path):
    hasty, null = sold.runs["hasty"], sold.runs["null"]
    with pytest.raises(UsageError, match="2 agents: hasty, null"):
        sat([hasty, null], sold.batch)
    with pytest.raises(UsageError, match="named twice"):
        sat([hasty, RunFolder(hasty.path)], sold.batch)
    with pytest.raises(UsageError, match="drawn list, which is not given"):
        sat([hasty])
    other = shop.sit(
        "oracle", tmp_path / "o", None, 1, Selection(tasks=(AUDIT,), markets=("sg",), variants=(0,))
    )
    with pytest.raises(UsageError, match="not made over a drawn list"):
        sat([other], sold.batch)
    with pytest.raises(UsageError, match="of another list"):
        sat([rewritten(copy(sold, "hasty", tmp_path), batch="0" * 64)], sold.batch)
    with pytest.raises(UsageError, match="no run is named"):
        sat([])


def test_a_plan_that_leaves_attempts_out_is_refused_by_name(sold, tmp_path):
    folder = copy(sold, "hasty", tmp_path)
    all_ = folder.plan().attempts
    gone = all_[3]
    rewritten(folder, attempts=tuple(a for a in all_ if a.n != gone.n))
    with pytest.raises(
        UsageError, match=f"1 attempts are missing: {gone.task}@{gone.market}/0 attempt {gone.repeat}"
    ):
        sat([folder], sold.batch)
    rewritten(folder, attempts=(*all_, all_[0].model_copy(update={"n": 999})))
    with pytest.raises(UsageError, match="1 attempts are there twice"):
        sat([folder], sold.batch)
    rewritten(folder, attempts=(*all_, all_[0].model_copy(update={"n": 999, "variant": 1})))
    with pytest.raises(UsageError, match="1 attempts are not of the list"):
        sat([folder], sold.batch)


def test_a_bundle_in_the_place_of_another_is_found(sold, tmp_path):
    folder = copy(sold, "oracle", tmp_path)
    shutil.copyfile(folder.bundle(1), folder.bundle(2))
    with pytest.raises(EvidenceError, match="of another attempt"):
        sat([folder], sold.batch)


def test_what_left_no_evidence_is_not_run_and_what_is_damaged_is_invalid(sold, tmp_path):
    folder = copy(sold, "oracle", tmp_path)
    folder.bundle(1).unlink()
    folder.bundle(2).write_bytes(folder.bundle(2).read_bytes()[:-5])
    found = sat([folder], sold.batch)
    states = [a.status for a in found.attempts]
    assert states.count("not_run") == 1 and states.count("invalid") == 1
    assert len(states) == len(sold.batch.picks)


@pytest.mark.parametrize("file", ["bundles/0002.zip", "plan.json"])
def test_no_card_is_made_of_a_finished_run_that_was_changed(sold, tmp_path, file):
    """Else who breaks the bundles of its failures has fewer failures."""
    folder = copy(sold, "null", tmp_path)
    assert len(sat([folder], sold.batch, fresh=True).attempts) == len(sold.batch.picks)
    if file == "plan.json":
        rewritten(folder, created="2026-01-01T00:00:00+00:00")
    else:
        (folder.path / file).write_bytes((folder.path / file).read_bytes()[:-5])
    with pytest.raises(EvidenceError, match=f"{file}: it is not as it was sealed"):
        sat([folder], sold.batch, fresh=True)


def test_intact_evidence_without_its_key_is_no_ungraded_attempt(sold, tmp_path):
    folder = copy(sold, "null", tmp_path)
    (folder.path / "run.json").unlink()
    folder.key(folder.plan().attempts[0]).write_text("{}")
    with pytest.raises(EvidenceError, match="not gradable here"):
        sat([folder], sold.batch, fresh=True)


def test_two_editions_are_never_counted_together(sold, tmp_path):
    again = shop.sit("hasty", tmp_path / "again", sold.batch, 1)
    name = sold.batch.picks[0].id.partition("@")[0]
    rewritten(again, tasks={**again.plan().tasks, name: "0" * 64})
    with pytest.raises(UsageError, match="two editions"):
        sat([sold.runs["hasty"], again], sold.batch)
    (again.path / "run.json").unlink()
    with pytest.raises(UsageError, match="another edition than the one installed"):
        sat([again], sold.batch, fresh=True)


def test_a_stored_verdict_is_not_believed_where_a_card_is_made(sold, tmp_path):
    folder = copy(sold, "null", tmp_path)
    file = folder.verdict(1)
    file.write_text(json.dumps({**json.loads(file.read_text()), "strict": True}))
    name = sat([folder], sold.batch).rows
    assert sum(r["strict"] for r in name) == 1
    assert not any(r["strict"] for r in sat([folder], sold.batch, fresh=True).rows)


def test_a_withdrawn_task_takes_its_group_with_it(sold):
    less = withdraw(sold.batch, sold.batch.picks[0].id, "robot-check", "2026-10-06")
    found = sat([sold.runs["hasty"]], less)
    assert found.left_out == {sold.batch.picks[0].group}
    assert len(found.attempts) == 2 * len(sold.batch.picks)
    assert {a.group for a in found.counted} == {p.group for p in sold.batch.picks} - found.left_out
