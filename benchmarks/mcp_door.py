"""What a call by MCP costs the exam: CPU time of the serving process, with the client in another.

    python benchmarks/mcp_door.py [--json]

`--json` prints a list of rows {name, value, unit, target}. Each figure is the least disturbed of a few batches, on
whatever machine this is; the machine's load is printed. (Called mcp.py, this file would hide the library from its
neighbours.)
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from errands.doors.mcp import Host
from errands.doors.mcp_server import Endpoint, server_for
from errands.exam.attempt import instance_of
from errands.exam.sitting import Limits, Sitting
from errands.world import open_world

CROWD, CALLS, BATCHES = 50, 100, 4
# A small answer (a line), and a large one (a page of an inbox).
SMALL, LARGE = ("clock_now", {}), ("mail_list", {"folder": "inbox"})
RELAY = """
import socket, sys, threading
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
def back():
    while data := s.recv(65536):
        sys.stdout.buffer.write(data); sys.stdout.buffer.flush()
threading.Thread(target=back, daemon=True).start()
while data := sys.stdin.buffer.read1(65536):
    s.sendall(data)
"""


def sitting() -> Sitting:
    """One attempt without a limit on calls."""
    instance = instance_of("ec-double-booking-resolution", "sg", 0, "en")
    return Sitting(open_world(instance.fixture.blob), Limits(calls=1_000_000))


# ---- the serving process ----------------------------------------------------------------------------------------


def serve(folder: Path) -> None:
    """Obey one word a line: `open`, `close`, `cpu` (seconds), `rss` (MB)."""
    host = Host()
    host.run_in_thread()
    endpoints: list[Endpoint] = []
    for line in sys.stdin:
        word, said = line.strip(), None
        if word == "open":
            endpoints = [host.open(sitting()) for _ in range(CROWD)]
            host.open_socket(endpoints[0], folder / "agent.sock")
            said = [host.url(e) for e in endpoints]
        elif word == "close":
            while endpoints:
                host.close(endpoints.pop().secret)
        elif word == "cpu":
            said = time.process_time()
        elif word == "rss":
            gc.collect()
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            said = pages * os.sysconf("SC_PAGE_SIZE") / 2**20
        print(json.dumps(said), flush=True)
    host.stop()


class Server:
    """The serving process, as this one speaks to it."""

    def __init__(self, folder: Path):
        command = [sys.executable, __file__, "--serve", str(folder)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def ask(self, word: str) -> Any:
        """Its answer to a word."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(f"{word}\n")
        return json.loads(self.process.stdout.readline())

    def stop(self) -> None:
        """End it."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(30)


# ---- the measuring process --------------------------------------------------------------------------------------


async def cost(cpu: Callable[[], float], call: Callable[[], Awaitable[Any]], calls: int = 1) -> float:
    """CPU milliseconds a call, the best of the batches; `call` makes `calls` of them."""
    await call()
    best = []
    rounds = max(1, CALLS // calls)
    for _ in range(BATCHES):
        start = cpu()
        for _ in range(rounds):
            await call()
        best.append((cpu() - start) / (rounds * calls) * 1000)
        await asyncio.sleep(0.1)
    return min(best)


def web(url: str) -> Any:
    """A client's transport that does not read certificates."""
    return streamable_http_client(url, http_client=httpx2.AsyncClient(verify=False, timeout=60))


async def by_http(server: Server, urls: list[str]) -> dict[str, float]:
    """One client, then a crowd at once."""
    out = {}
    for era, mode in (("2026-07-28", "auto"), ("2025-11-25", "legacy")):
        for size, (tool, args) in (("a line", SMALL), ("an inbox", LARGE)):
            async with Client(web(urls[0]), mode=mode) as c:
                await c.list_tools()
                out[f"HTTP, protocol {era}, {size}"] = await cost(
                    lambda: server.ask("cpu"), lambda c=c, t=tool, a=args: c.call_tool(t, a)
                )
    out[f"HTTP, {CROWD} attempts at once, an inbox"] = await crowd(server, urls)
    return out


async def crowd(server: Server, urls: list[str]) -> float:
    """CPU milliseconds a call where every attempt has a client that calls ten times."""
    go, ready = asyncio.Event(), asyncio.Semaphore(0)

    async def one(url: str) -> None:
        async with Client(web(url)) as c:
            await c.list_tools()
            ready.release()
            await go.wait()
            for _ in range(10):
                await c.call_tool(*LARGE)

    async with asyncio.TaskGroup() as tasks:
        for url in urls:
            tasks.create_task(one(url))
        for _ in urls:
            await ready.acquire()
        start = float(server.ask("cpu"))
        go.set()
    return (float(server.ask("cpu")) - start) / (10 * len(urls)) * 1000


async def by_stdio(server: Server, socket: Path) -> float:
    """Through a relay, as from a sandbox."""
    relay = StdioServerParameters(command=sys.executable, args=["-S", "-c", RELAY, str(socket)])
    async with Client(relay) as c:
        await c.list_tools()
        return await cost(lambda: server.ask("cpu"), lambda: c.call_tool(*LARGE))


async def in_memory() -> dict[str, float]:
    """Client and server in one process, without bytes; and without MCP at all."""
    endpoint, door = Endpoint(sitting()), sitting()
    door.next()

    async def direct() -> Any:
        return door.call(*LARGE)

    out = {"no MCP: the sitting itself, an inbox": await cost(time.process_time, direct)}
    async with Client(server_for(lambda _: endpoint)) as c:
        await c.list_tools()
        out["in memory, client and server, an inbox"] = await cost(
            time.process_time, lambda: c.call_tool(*LARGE)
        )
    return out


def rows() -> list[dict[str, Any]]:
    """All figures."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        try:
            urls = server.ask("open")
            cpu = asyncio.run(by_http(server, urls))
            cpu["stdio through a socket, an inbox"] = asyncio.run(
                by_stdio(server, Path(folder) / "agent.sock")
            )
            server.ask("close")
            before = server.ask("rss")  # one crowd has come and gone: what is loaded once does not count
            asyncio.run(crowd(server, server.ask("open")))
            full = server.ask("rss")
            server.ask("close")
            after = server.ask("rss")
        finally:
            server.stop()
    cpu |= asyncio.run(in_memory())
    memory = {
        "the process while another crowd is served": full,
        "kept of it when that crowd has gone": after - before,
    }
    return [
        *({"name": k, "value": round(v, 3), "unit": "ms", "target": 5} for k, v in cpu.items()),
        *(
            {"name": k, "value": round(v, 1), "unit": "MB", "target": target}
            for (k, v), target in zip(memory.items(), (300, 5), strict=True)
        ),
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="a list of rows for machines")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        serve(args.serve)
        return
    table = rows()
    if args.json:
        print(json.dumps(table, ensure_ascii=False))
        return
    print(
        f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, Python {sys.version.split()[0]}; CPU of the server"
    )
    for r in table:
        mark = " " if r["value"] <= r["target"] else "!"
        print(f"{mark} {r['name']:<48}{r['value']:>9.2f} {r['unit']}  target {r['target']}")


if __name__ == "__main__":
    main()
