"""A real MCP client with the built-in browser tools: it finishes a funnel, and nobody waits for its browser."""

from __future__ import annotations

from errands.doors.mcp import Host
from errands.exam.attempt import limits_of
from errands.exam.sitting import Sitting
from errands.grading.evidence import Evidence
from errands.grading.verdict import grade
from errands.tasks.registry import task
from errands.world import open_world

from ..doors.mcp_seat import by_bearer, connected


def test_an_mcp_client_finishes_a_funnel():
    instance = task("qf-home-sliders").instance("us", 1)
    sitting = Sitting(open_world(instance.fixture.blob), limits_of(instance))
    host = Host()
    base = host.run_in_thread()
    endpoint = host.open(sitting)
    try:
        assert {"browser_navigate", "browser_snapshot"} <= endpoint.apart
        with connected(by_bearer(base, endpoint.secret)) as seat:
            instance.task.solutions["oracle"].run(seat, instance.key)
        assert sitting.ended == "completed"
    finally:
        host.stop()
        sitting.let_go()
    evidence = Evidence(sitting.world.db, sitting.world.ledger.tables)
    verdict = grade(evidence, instance.key, instance.task.criteria, "milestones")
    assert verdict.strict and verdict.scores["points"] == 100
