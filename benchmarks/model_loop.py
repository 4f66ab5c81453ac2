"""What the model loop costs beside the model: CPU time per model-and-tool call, with Inspect AI's in the same run.

    python benchmarks/model_loop.py [--json] [--peer | --peer-python PATH] [--calls 20] [--rounds 3]

A server in another process answers at once: so many calls of one tool, then a text. Measured is our process: the
library's request and answer, the world's tool call, the record and the run's purse. The figure is a slope, (CPU of
5+N calls minus CPU of 5 calls) / N, so loading and sealing are not in it; of the rounds the least disturbed counts.
It is taken with one trivial tool and with all tools of an errand: most of it is the clients' work on tool schemas
and history, which both loops share (the SDK of OpenAI).

`--peer` installs `inspect-ai` in an environment of its own, in a temporary folder.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FEW = 5
TARGET = 10.0  # ms, where Inspect AI is not measured beside it: what it took on a quiet machine
TASK = "ec-double-booking-resolution"


# ---- the server ------------------------------------------------------------------------------------------------------


async def serve() -> None:
    """Chat completions at once. The model's name ends in how many calls it makes."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                size = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
                data = json.dumps(completion(json.loads(await reader.readexactly(size)))).encode()
                lines = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                writer.write(lines % len(data) + data)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, limit=1 << 24)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def completion(body: dict[str, Any]) -> dict[str, Any]:
    """The next answer of a conversation."""
    done = sum(m["role"] == "tool" for m in body["messages"])
    message: dict[str, Any] = {"role": "assistant", "content": "Done."}
    if done < int(body["model"].rpartition("-")[2]):
        call = {"name": "clock_now", "arguments": "{}"}
        message = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": f"call_{done}", "type": "function", "function": call}],
        }
    finish = "tool_calls" if "tool_calls" in message else "stop"
    choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    head = {"id": "c", "object": "chat.completion", "created": 1, "model": body["model"]}
    return {**head, "choices": [choice], "usage": usage}


@contextmanager
def served() -> Iterator[str]:
    """The server in a process of its own: its base URL."""
    process = subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.kill()
        process.wait()


# ---- ours ------------------------------------------------------------------------------------------------------------


def ours(url: str, few: bool, calls: int, rounds: int) -> list[float]:
    """Milliseconds of CPU a call, by round."""
    from errands.agents.model import ModelAgent
    from errands.exam.attempt import instance_of
    from errands.exam.desk import Desk
    from errands.exam.sitting import Limits, Sitting
    from errands.exam.spend import Spend
    from errands.world import open_world

    os.environ.update(ERRANDS_MODEL_BASE_URL=url, ERRANDS_MODEL_API_KEY="none-needed")

    class Few(Sitting):
        """A sitting that grants the clock alone."""

        @property
        def tools(self) -> list[Any]:
            return [t for t in super().tools if t.name == "clock_now"]

    instance = instance_of(TASK, "sg", 0, "en")

    def run(n: int, folder: str) -> float:
        sitting = (Few if few else Sitting)(open_world(instance.fixture.blob), Limits())
        desk = Desk(1, Spend(Path(folder) / "spend"))
        agent = ModelAgent(f"model:openai-chat/script-{n}")
        agent.load()
        start = time.process_time()
        agent.sit(sitting, instance, desk)
        took = time.process_time() - start
        assert desk.usage.requests == n + 1 and sitting.ended == "completed", sitting.ended
        return took

    with tempfile.TemporaryDirectory() as folder:
        run(FEW, folder)
        return [(run(FEW + calls, folder) - run(FEW, folder)) / calls * 1000 for _ in range(rounds)]


# ---- the peer --------------------------------------------------------------------------------------------------------

PEER = '''
import importlib.metadata, json, sys, time
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import ToolDef, ToolParams, tool

url, specs, few, calls, rounds, logs = sys.argv[1], json.load(open(sys.argv[2])), *map(int, sys.argv[3:6]), sys.argv[6]

@tool
def clock_now():
    async def execute() -> str:
        """The date, time and weekday now."""
        return '{"now":"2026-11-03T08:50+08:00","weekday":"Tuesday","zone":"Asia/Singapore"}'
    return execute

def offered(spec):
    async def execute(**given) -> str:
        return '{"now":"2026-11-03T08:50+08:00","weekday":"Tuesday","zone":"Asia/Singapore"}'
    schema = spec["parameters"]
    for one in schema.get("properties", {}).values():
        one.setdefault("description", "-")
    params = ToolParams(properties=schema.get("properties", {}), required=schema.get("required", []))
    return ToolDef(execute, name=spec["name"], description=spec["description"], parameters=params).as_tool()

tools = [offered(s) for s in specs] or [clock_now()]

def run(n):
    model = get_model(f"openai/script-{n}", base_url=url, api_key="none-needed", responses_api=False)
    task = Task(dataset=[Sample(input="Please.")], solver=[use_tools(*tools), generate()])
    start = time.process_time()
    log = eval(task, model=model, display="none", log_dir=logs)[0]
    took = time.process_time() - start
    assert log.status == "success", log.error
    assert sum(m.role == "tool" for m in log.samples[0].messages) == n
    return took

run(few)
times = [(run(few + calls) - run(few)) / calls * 1000 for _ in range(rounds)]
print(json.dumps({"version": importlib.metadata.version("inspect-ai"), "times": times}))
'''


def peer(python: Path, url: str, few: bool, calls: int, rounds: int) -> tuple[str, list[float]]:
    """The same of Inspect AI: its name with version, and milliseconds of CPU a call by round."""
    from errands.exam.attempt import instance_of
    from errands.exam.sitting import Limits, Sitting
    from errands.world import open_world

    tools = Sitting(open_world(instance_of(TASK, "sg", 0, "en").fixture.blob), Limits()).tools
    specs = [{"name": t.name, "description": t.description, "parameters": t.parameters} for t in tools]
    with tempfile.TemporaryDirectory() as folder:
        program, file = Path(folder) / "peer.py", Path(folder) / "tools.json"
        program.write_text(PEER, encoding="utf-8")
        file.write_text(json.dumps([] if few else specs), encoding="utf-8")
        args = [str(python), str(program), url, str(file), str(FEW), str(calls), str(rounds), folder]
        done = subprocess.run(args, capture_output=True, text=True, timeout=900, cwd=folder)
    if done.returncode:
        raise SystemExit(f"the peer failed:\n{done.stderr[-2000:]}")
    told = json.loads(done.stdout.splitlines()[-1])
    return f"Inspect AI {told['version']}", told["times"]


@contextmanager
def installed(given: Path | None) -> Iterator[Path]:
    """A Python that has Inspect AI: the one that is named, or a new one."""
    if given is not None:
        yield given
        return
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*command, "inspect-ai", "openai"], check=True, timeout=900)
        yield python


# ---- the run ---------------------------------------------------------------------------------------------------------


def rows(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """One row for one tool and one for all."""
    wanted = given.peer or given.peer_python is not None
    with served() as url:
        for few, name in ((True, "model loop, one tool"), (False, "model loop, all tools of an errand")):
            times = ours(url, few, given.calls, given.rounds)
            row: dict[str, Any] = {"name": name, "value": round(min(times), 2), "unit": "ms CPU a call"}
            row |= {"target": TARGET, "peers": {}, "rounds": [round(t, 2) for t in times]}
            if wanted:
                title, theirs = peer(given.peer_python, url, few, given.calls, given.rounds)
                row["peers"] = {title: f"{min(theirs):.2f} ms"}
                row["target"] = round(min(theirs), 2)
                row["ratio"] = round(min(times) / min(theirs), 2)
                row["peer_rounds"] = [round(t, 2) for t in theirs]
            yield row


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--peer", action="store_true", help="install Inspect AI and measure it too")
    parser.add_argument("--peer-python", type=Path, help="a Python that has Inspect AI already")
    parser.add_argument("--calls", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        asyncio.run(serve())
        return
    if given.peer and given.peer_python is None:
        with installed(None) as python:
            given.peer_python = python
            found = list(rows(given))
    else:
        found = list(rows(given))
    load = f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    if given.json:
        print(json.dumps([{**row, "load": load} for row in found], indent=1))
        return
    for row in found:
        ratio = f"  ratio {row['ratio']}" if "ratio" in row else ""
        print(f"{row['name']}: {row['value']} {row['unit']}  {row['peers'] or ''}{ratio}  (load {load})")


if __name__ == "__main__":
    main()
