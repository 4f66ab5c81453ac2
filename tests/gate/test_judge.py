"""What the gate decides, case by case."""

from __future__ import annotations

import pytest

from errands.gate.requirements import requirement

from .played import by_hand

A, B = "a@sg/0", "b@sg/0"
FULL = {A: "ppp", B: "ppp"}


def outcome(before: str, now: str, again: str = "f"):
    """What is found of a task, and the gate's exit code, beside one that always passes."""
    j = by_hand({A: now, B: "ppp"}, {A: before, B: "ppp"}, again)
    return next(t.outcome for t in j.tasks if t.id == A), j.exit_code


@pytest.mark.parametrize(
    ("before", "now", "again", "found", "code"),
    [
        ("ppp", "ppp", "", "same", 0),
        ("ppp", "fff", "f", "broke", 4),
        ("ppp", "pff", "f", "broke", 4),
        ("ppp", "xxx", "x", "broke", 4),
        ("ppp", "fff", "fp", "unsure", 0),  # one re-run passed
        ("ppp", "ppf", "", "unsure", 0),
        ("ppp", "fff", "fb", "unconfirmed", 3),  # re-runs without a grade confirm nothing
        ("ppp", "fff", "bp", "unsure", 0),
        ("ppf", "fff", "", "same", 0),  # flaky before: no break
        ("ppb", "fff", "", "same", 0),  # the baseline did not see all of it
        ("fff", "fff", "", "same", 0),
        ("fff", "ppp", "", "fixed", 0),
        ("pff", "ppp", "", "fixed", 0),
        ("ppf", "ppp", "", "same", 0),
    ],
)
def test_against_the_baseline(before, now, again, found, code):
    assert outcome(before, now, again) == (found, code)


def test_what_has_no_grade_might_have_passed():
    """One of three blocked, none passed: still a suspect (at most one could have). Two blocked: not."""
    clean = {f"c{k}@sg/0": "ppp" for k in range(10)}
    for now, found in (("ffb", "broke"), ("pfb", "unsure"), ("fbb", "unsure"), ("bbb", "ungraded")):
        j = by_hand({A: now, **clean}, {A: "ppp", **clean}, "f")
        assert next(t.outcome for t in j.tasks if t.id == A) == found, now


def test_only_suspects_are_run_again_and_as_often_as_the_rule_says():
    asked = []

    def again(names, n):
        asked.append((list(names), n))
        return []

    from errands.gate.judge import judge

    from .played import baseline, sat

    many = {f"c{k:02d}@sg/0": "ppp" for k in range(23)}
    held = baseline(sat({A: "ppp", **many}))
    judge(sat({A: "fff", **many}), again, attempts=3, baseline=held)
    assert asked == [([A], 7)]
    asked.clear()
    judge(sat({A: "ppp", **many}), again, attempts=3, baseline=held)
    assert asked == []


def test_the_rule_counts_the_tasks_that_are_held_against_the_baseline():
    many = {f"c{k:02d}@sg/0": "ppp" for k in range(24)}
    assert by_hand(many, many).rule.tasks == 24
    assert by_hand({**many, "new@sg/0": "fff"}, many).rule.tasks == 24
    assert by_hand(many, many, quarantine=["c00@sg/0"]).rule.tasks == 23
    assert by_hand(many).rule is None


def test_quarantine_never_blocks_and_is_in_no_number():
    wanted = [requirement("crossed == 0"), requirement("coverage >= 100 %")]
    j = by_hand({A: "xxx", B: "ppp"}, FULL, "x", quarantine=[A], requirements=wanted)
    assert j.exit_code == 0 and [t.id for t in j.of("quarantined")] == [A]
    assert j.coverage.planned == 3 and j.requirements[0].seen == 0
    assert by_hand({A: "bbb", B: "ppp"}, FULL, quarantine=[A]).exit_code == 0
    # With nothing left there is nothing to judge.
    j = by_hand(FULL, FULL, quarantine=[A, B])
    assert j.exit_code == 3 and "quarantine" in j.unjudged[0]


def test_a_task_that_the_baseline_does_not_have_is_new_and_does_not_block():
    j = by_hand({A: "fff", B: "ppp"}, {B: "ppp", "gone@sg/0": "ppp"})
    assert (j.exit_code, j.of("new")[0].id, j.gone) == (0, A, 1)


def test_without_a_baseline_only_requirements_block():
    assert by_hand({A: "fff", B: "fff"}).exit_code == 0
    assert by_hand({A: "xff", B: "ppp"}, requirements=[requirement("crossed == 0")]).exit_code == 4


def test_too_little_graded_is_no_judgement():
    j = by_hand({A: "ppb", B: "ppp"}, FULL)
    assert j.exit_code == 3 and "5 of 6 attempts could be graded" in j.unjudged[0]
    many = {f"c{k}@sg/0": "ppp" for k in range(9)}
    assert by_hand({A: "ppb", **many}, {A: "ppp", **many}).exit_code == 0


def test_nothing_is_run_again_where_too_little_was_graded_or_the_run_stopped():
    j = by_hand({A: "fff", B: "bbb"}, FULL, "f")
    assert j.exit_code == 3 and j.of("unconfirmed") and not j.of("broke")
    assert j.of("unconfirmed")[0].again is None
    j = by_hand({A: "fff", B: "ppp"}, FULL, "f", stopped="the endpoint is dead")
    assert j.exit_code == 3 and "the endpoint is dead" in j.unjudged[0]


def test_what_is_certain_fails_whatever_is_missing():
    """A crossing was seen: more attempts would not take it back."""
    j = by_hand({A: "xbb", B: "bbb"}, FULL, requirements=[requirement("crossed == 0")])
    assert j.exit_code == 4 and j.unjudged


def test_a_requirement_on_the_harness_is_no_verdict_on_the_agent():
    many = {f"c{k}@sg/0": "ppp" for k in range(10)}
    now = {**many, A: "ppb"}
    assert by_hand(now, now, requirements=[requirement("blocked <= 1")]).exit_code == 0
    j = by_hand(now, now, requirements=[requirement("blocked == 0")])
    assert j.exit_code == 3 and "blocked == 0" in j.unjudged[0]


def test_the_change_is_told_and_never_decided_on():
    """24 tasks that all passed twice of three times less: no break, no block; the change is told."""
    many = [f"c{k:02d}@sg/0" for k in range(24)]
    j = by_hand(dict.fromkeys(many, "pff"), dict.fromkeys(many, "ppf"))
    d = j.change()
    assert j.exit_code == 0
    assert float(d.value) == pytest.approx(-1 / 3) and d.high < 0
    same = by_hand(dict.fromkeys(many, "ppp"), dict.fromkeys(many, "ppp")).change()
    assert same.low < 0 < same.high and same.sees > 0.05
    assert by_hand(FULL, FULL).change().refusal
    assert by_hand(FULL).change() is None


def test_two_and_five_attempts():
    j = by_hand({A: "ff", B: "pp"}, {A: "pp", B: "pp"}, "f")
    assert (j.rule.still, j.exit_code) == (0, 4)
    assert not by_hand({A: "pf", B: "pp"}, {A: "pp", B: "pp"}, "f").of("broke")
    # Two tasks at five attempts would need no re-run for the promise: one is made all the same.
    five = {A: "ppppp", B: "ppppp"}
    assert by_hand({A: "pffff", B: "ppppp"}, five, "f").rule.reruns == 1
    assert by_hand({A: "pffff", B: "ppppp"}, five, "f").of("broke")
    assert by_hand({A: "pffff", B: "ppppp"}, five, "p").of("unsure")
