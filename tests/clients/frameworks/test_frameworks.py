"""Agent frameworks sit the spine: they pull their turns over MCP, and the scripted model is at the other end.

Each runs in a process and an environment of its own; all attempts of one are served at once.
"""

from __future__ import annotations

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from errands.doors.mcp import Host
from errands.exam.sitting import Sitting
from errands.grading.evidence import Evidence, open_readonly
from errands.tasks.registry import task as find_task
from errands.world import open_world

from ..model_server import ModelServer
from ..play import Script
from ..scripts import MARKETS, SPINE, WIDE, graded, spine, summary
from .environments import PROGRAMS, python_for

WIRE = {"agent_langgraph": "messages", "agent_openai_agents": "responses", "agent_pydantic_ai": "chat"}
AT_ONCE = 3


def sat(program: Path, script: Script, host: Host, models: ModelServer) -> dict[str, Any]:
    """Let the program sit the script's instance; what came of it, and what it says it used."""
    instance = find_task(script.task).instance(script.market, script.variant, script.language)
    world = open_world(instance.fixture.blob)
    sitting = Sitting(world, WIDE)
    endpoint = host.open(sitting)
    given = {
        "MCP_URL": f"{host.address}/mcp",
        "MCP_TOKEN": endpoint.secret,
        "MODEL_URL": models.base_url,
        "MODEL_KEY": "sk-tests",
        "MODEL": f"scripted-{script.name}",
        "PROMPT": endpoint.instruction,
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
    }
    ran = subprocess.run(
        [python_for(program), program], env=given, capture_output=True, text=True, timeout=300
    )
    host.close(endpoint.secret)
    ended = sitting.ended
    sitting.close("agent_error", ran.stderr)
    evidence = Evidence(open_readonly(world.snapshot()))
    world.close()
    assert ran.returncode == 0 and ended == "completed", f"{script.name}: {ended}\n{ran.stderr[-2000:]}"
    tools = {t.name for t in endpoint.specs}
    return {
        "summary": summary(graded(evidence, instance), evidence),
        "used": json.loads(ran.stdout.splitlines()[-1]),
        "tools": tools,
    }


@pytest.mark.clients
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_a_framework_sits_the_spine(program: Path) -> None:
    """All three errands in both markets: a strict pass, a refusal that is kept to, and a line that is crossed.

    What the framework says it used is what the server served; it offers its model the exam's tools and no others.
    """
    python_for(program)
    scripts = spine()
    assert len(scripts) == len(SPINE) * len(MARKETS) * 3
    host = Host()
    host.run_in_thread()
    try:
        with ModelServer(scripts) as models, ThreadPoolExecutor(AT_ONCE) as pool:
            found = list(pool.map(lambda s: sat(program, s, host, models), scripts))
            log = models.log()
    finally:
        host.stop()
    for script, got in zip(scripts, found, strict=True):
        assert got["summary"] == script.expects, script.name
        assert got["used"] == log["models"][f"scripted-{script.name}"]["usage"], script.name
    assert log["problems"] == [] and log["total"]["failed"] == {}
    assert {e["wire"] for e in log["each"]} == {WIRE[program.stem]}
    assert [set(names) for names in log["offered"]] == [found[0]["tools"]]
