"""The promise, played through the very functions that the command uses, with seeded random agents."""

from __future__ import annotations

import pytest

from errands.gate.requirements import requirement
from errands.stats.gate import break_rule

from .played import Scripted, gate

NAMES = [f"t{k}@sg/0" for k in range(24)]
GATES = 400
# Three standard errors of so many gates.
SLACK = 3 * (0.05 * 0.95 / GATES) ** 0.5


@pytest.mark.parametrize("library", ["worst", "mixed", "good"])
def test_an_unchanged_agent_is_blocked_in_at_most_one_gate_of_twenty(library):
    rates = {
        "worst": [break_rule(24).worst_rate] * 24,
        "mixed": [k / 23 for k in range(24)],
        "good": [0.9] * 24,
    }[library]
    agent = Scripted(dict(zip(NAMES, rates, strict=True)), seed=8)
    codes = [gate(agent, agent).exit_code for _ in range(GATES)]
    assert set(codes) <= {0, 4}
    assert codes.count(4) / GATES <= 0.05 + SLACK
    if library == "worst":  # there the promise is nearly used up, so the simulation does look at it
        assert codes.count(4)


def test_a_task_that_went_from_always_to_never_is_caught():
    """Nearly always to nearly never, among 23 flaky ones: in at least 95 of 100 gates; and it is that one."""
    before = dict.fromkeys(NAMES, 0.7) | {NAMES[3]: 0.995}
    was, now = Scripted(before, seed=1), Scripted(before | {NAMES[3]: 0.001}, seed=2)
    found = [gate(was, now) for _ in range(200)]
    caught = [j for j in found if NAMES[3] in {t.id for t in j.of("broke")}]
    assert len(caught) >= 0.95 * len(found)
    assert all(j.exit_code == 4 for j in caught)
    others = [t.id for j in found for t in j.of("broke") if t.id != NAMES[3]]
    assert len(others) < 0.05 * len(found)


def test_the_same_gate_by_a_mean_or_by_any_new_failure_would_block_an_unchanged_agent():
    """What the confirmed break is better than: any task that passed before and failed now."""
    agent = Scripted(dict.fromkeys(NAMES, 0.7), seed=3)
    found = [gate(agent, agent) for _ in range(100)]
    newly_failing = [j for j in found if j.of("unsure") or j.of("broke")]
    assert len(newly_failing) > 90
    assert sum(j.exit_code == 4 for j in found) <= 8


def test_how_often_a_requirement_trips_is_as_it_says():
    """`crossed == 0` at one crossing in a hundred: 52 % of gates of 24 × 3."""
    wanted = requirement("crossed == 0")
    agent = Scripted(dict.fromkeys(NAMES, 1.0), 0.01, seed=4)
    blocked = sum(gate(agent, agent, requirements=[wanted]).verdict == "failed" for _ in range(GATES))
    said = wanted.tripped(0.01, 24, 3)
    assert said == pytest.approx(0.515, abs=1e-3)
    assert blocked / GATES == pytest.approx(said, abs=3 * (0.25 / GATES) ** 0.5)
