"""Programs of the tests' own that sit as command-line agents: standard library only, each a few lines."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from errands.agents.command import CommandAgent
from errands.core.types import Turn, Verdict
from errands.evidence.bundle import unpack
from errands.evidence.regrade import Opened, open_bundle, regrade
from errands.exam.attempt import Sat, instance_of, sit
from errands.exam.sitting import Limits, Sitting
from errands.exam.spend import Spend
from errands.exam.terms import Terms

BOOKING = "ec-double-booking-resolution"
REAL = "sk-real-4711"
# Not the environment's: that has the exam in it.
PYTHON = Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")

HEAD = """
import json, os, pathlib, signal, subprocess, sys, time, urllib.error, urllib.request
HOME = pathlib.Path.home()
message = sys.stdin.read()

def post(url, body, key):
    head = {"Authorization": "Bearer " + key, "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(url, json.dumps(body).encode(), head)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as why:
        return why.code, json.loads(why.read() or b"{}")

def rpc(method, **params):
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return post(os.environ["ERRANDS_MCP_URL"], body, os.environ["ERRANDS_MCP_SECRET"])[1]["result"]

def tool(name, **args):
    return rpc("tools/call", name=name, arguments=args)["content"][0]["text"]

def model(**more):
    body = {"model": os.environ.get("ERRANDS_MODEL", "m"), "messages": [{"role": "user", "content": message}], **more}
    return post(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, os.environ["OPENAI_API_KEY"])
"""

# A whole agent: asks its model, calls the tools, answers; its conversation is in its home.
LOOP = """
tools = [{"type": "function", "function": {"name": t["name"], "parameters": t["inputSchema"]}}
         for t in rpc("tools/list")["tools"]]
file = HOME / "conversation.json"
talk = json.loads(file.read_text()) if file.exists() else []
talk.append({"role": "user", "content": message})
while True:
    status, answer = model(messages=talk, tools=tools)
    if status != 200:
        sys.exit(f"the model said {status}: {answer}")
    said = answer["choices"][0]["message"]
    talk.append({k: v for k, v in said.items() if v is not None})
    if not said.get("tool_calls"):
        break
    for call in said["tool_calls"]:
        f = call["function"]
        result = tool(f["name"], **json.loads(f["arguments"]))
        talk.append({"role": "tool", "tool_call_id": call["id"], "content": result})
file.write_text(json.dumps(talk))
print(said["content"])
"""


def written(folder: Path, code: str) -> Path:
    """A profile like `plain` whose program is this code; so a model can be named behind it."""
    folder.mkdir(exist_ok=True)
    script, profile = folder / "agent.py", folder / "mine.toml"
    script.write_text(HEAD + code)
    plain = files("errands.agents").joinpath("profiles", "plain.toml").read_text("utf-8")
    profile.write_text(f"program = {json.dumps(shlex.join([str(PYTHON), str(script)]))}\n{plain}")
    return profile


def agent(folder: Path, code: str, *, model: str = "", **terms: Any) -> CommandAgent:
    """A command-line agent that runs this code."""
    rest = f"{written(folder, code)}" + (f"@{model}" if model else "")
    return CommandAgent(f"cmd:{rest}", rest, Terms(**terms))


@dataclass
class Result:
    """What came of an attempt."""

    sat: Sat
    verdict: Verdict
    opened: Opened
    files: dict[str, bytes]

    @property
    def end(self) -> tuple[str, str]:
        """How it ended, and the detail."""
        last = self.opened.evidence.ledger[-1]
        return last.name, last.body.get("detail", "")

    @property
    def replies(self) -> list[str]:
        return [
            e.body["text"] for e in self.opened.evidence.ledger if e.kind == "turn" and e.actor == "agent"
        ]

    @property
    def calls(self) -> list[str]:
        return [e.name for e in self.opened.evidence.ledger if e.kind == "call" and e.actor == "agent"]


def sat(
    who: CommandAgent,
    *,
    task: str = BOOKING,
    market: str = "sg",
    variant: int = 0,
    door: Callable[..., Sitting] = Sitting,
    spend: Spend | None = None,
    **limits: Any,
) -> Result:
    """Sit one instance as a run does, seal it, and grade it from the bundle's bytes."""
    instance = instance_of(task, market, variant, "en")
    who.load()
    done = sit(who, instance, limits=Limits(**limits) if limits else None, door=door, spend=spend)  # type: ignore[arg-type]
    opened = open_bundle(done.sealed.data)
    return Result(done, regrade(opened, instance.key.to_json()), opened, unpack(done.sealed.data))


class Sessions(Sitting):
    """Three turns, the last of them in a fresh session."""

    def _answered(self, text: str) -> Turn | None:
        self._turns += 1
        self.world.record("turn", "agent", "reply", {"n": self._turns, "text": text})
        if self._turns == 3:
            self.close("completed")
            return None
        turn = self._tell("user", "user", "And now?")
        return Turn(turn.n, turn.kind, turn.text, turn.at, fresh=self._turns == 2)
