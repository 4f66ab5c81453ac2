"""A command-line agent that draws in its own working folder, and one over MCP that draws with the errand's tools."""

from __future__ import annotations

import base64
import json

import pytest

from errands.doors.mcp import Host
from errands.exam.attempt import instance_of
from errands.exam.sitting import Sitting
from errands.grading.everyday import vector
from tests.doors.mcp_seat import connected
from tests.tasks.sitting import attempt
from tests.tasks.test_garden_invitation import png

from .programs import agent, sat

SEED = instance_of("ev-garden-invitation", "us", 0, "en")

# Its generator is a program of its own: here, pictures that it has by heart.
DRAWS = """
import base64
name = "cream" if "cream" in message else "white"
path = pathlib.Path("invitations", "garden-evening-cream.png" if name == "cream" else "garden-evening.png")
path.parent.mkdir(exist_ok=True)
path.write_bytes(base64.b64decode(PICTURES[name]))
print("The picture is saved.")
"""


@pytest.mark.usefixtures("no_endpoint")
def test_pictures_in_its_working_folder_count(tmp_path):
    from errands.library.everyday.garden_invitation.solutions import Look

    made = {"white": png(Look(SEED.key.words)), "cream": png(Look(SEED.key.words, "#fff8e7"))}
    known = json.dumps({name: base64.b64encode(data).decode() for name, data in made.items()})
    result = sat(agent(tmp_path / "a", f"PICTURES = {known}\n{DRAWS}"), task=SEED.task.id, market="us")
    assert result.end == ("completed", ""), result.files["agent.log"].decode()
    assert result.verdict.strict and vector(result.verdict.scores) == "22222" and result.calls == []


def test_an_mcp_client_draws_with_the_errands_tools():
    host = Host()
    host.run_in_thread()

    def work(sitting: Sitting) -> None:
        with connected(host.url(host.open(sitting))) as seat:
            SEED.task.solutions["oracle"].run(seat, SEED.key)

    try:
        got = attempt(SEED, work)
    finally:
        host.stop()
    assert got.verdict.strict and got.evidence.entries("event", "picture.read")
