"""What pages cost: CPU time of the server for one, and of whole ways through sites with a real browser.

    python benchmarks/pages.py [--json] [--runs 5]

`--json` prints a list of rows {name, value, unit, target, peers{}}; each value is the median of the runs. CPU time
counts the whole process tree (the exam, the driver, the browser), where /proc tells it; a browser's start is counted
where an attempt has one of its own, and else not. The rows on `@playwright/mcp` are there where its program is.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.web.hand import BROWSER, hidden, ref
from tests.web.place import HOUSE, SITE, world

from errands.agents import resolve
from errands.core.errors import UsageError
from errands.doors.attached import find_program
from errands.doors.browser import find_browser
from errands.exam.attempt import limits_of, sit
from errands.exam.browsing import attacher
from errands.exam.desk import Desk
from errands.exam.sitting import Limits, Sitting
from errands.exam.terms import PLAYWRIGHT_MCP
from errands.tasks.registry import task as find_task
from errands.web.guard import Guard, Raw
from errands.world import open_world

# BrowserGym's figures: November 2026, 2 cores of a shared machine, by the authors of the issue.
PEERS = {
    "reset": {"BrowserGym reset": "1.2–3.9 s"},
    "step": {"BrowserGym step": "0.34–0.95 s"},
}


def page_ms(runs: int = 400) -> float:
    """CPU milliseconds of the server for a form of six fields: the median."""
    sitting, guard = Sitting(world(), Limits(calls=10**6)), Guard(b"k" * 32, SITE, BROWSER["origin"])
    home = sitting.page(SITE, Raw("GET", "/", BROWSER), guard)
    form = hidden(home.body.decode(), "/start")
    started = sitting.page(SITE, Raw("POST", "/start", BROWSER, home.cookie, form), guard)
    times = []
    for _ in range(runs):
        at = time.process_time_ns()
        sitting.page(SITE, Raw("GET", "/step/house", BROWSER, started.cookie), guard)
        times.append(time.process_time_ns() - at)
    return statistics.median(times) / 1e6


def tree_s() -> float:
    """CPU seconds of this process and of all below it that live."""
    tick, parents, cpu = os.sysconf("SC_CLK_TCK"), {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(folder.name)], cpu[int(folder.name)] = int(fields[1]), sum(map(int, fields[11:15])) / tick
    mine, grew = {os.getpid()}, True
    while grew:
        more = {pid for pid, parent in parents.items() if parent in mine} - mine
        mine, grew = mine | more, bool(more)
    return sum(cpu.get(pid, 0.0) for pid in mine)


def funnel(seat: Sitting) -> int:
    """Walk through the site by the built-in tools; the number of tool calls."""
    calls = 0
    now = ""

    def do(tool: str, **args: Any) -> None:
        nonlocal calls, now
        calls += 1
        now = seat.call(f"browser_{tool}", args)["snapshot"]

    do("navigate", url=SITE)
    do("click", ref=ref(now, "button", "Get started"))
    for label, text in HOUSE.items():
        do("type", ref=ref(now, "textbox", label), text=text)
    do("click", ref=ref(now, "radio", "Brick"))
    do("select", ref=ref(now, "combobox", "Roof"), option="Metal")
    do("click", ref=ref(now, "button", "Continue"))
    do("press", ref=ref(now, "slider", "Dwelling coverage"), key="ArrowRight", times=24)
    do("click", ref=ref(now, "button", "See prices"))
    do("click", ref=ref(now, "button", "Save quote: Harbor Mutual Standard"))
    return calls


class Counted(Sitting):
    """A sitting that counts its pages."""

    pages = 0

    def page(self, *args: Any) -> Any:
        """One more."""
        Counted.pages += 1
        return super().page(*args)


def errand(name: str, runs: int) -> tuple[float, float, int]:
    """CPU and wall seconds of an errand by its oracle, from fixture to verdict, and how many requests that took."""
    agent, instance = resolve("oracle"), find_task(name).instance("us", 0)
    cpu, wall = [], []
    for _ in range(runs):
        Counted.pages = 0
        before, at = tree_s(), time.perf_counter()
        sat = sit(agent, instance, door=Counted)
        wall.append(time.perf_counter() - at)
        cpu.append(tree_s() - before)
        assert sat.verdict is not None and sat.verdict.strict
    return statistics.median(cpu), statistics.median(wall), Counted.pages


def attached(runs: int) -> list[dict[str, Any]]:
    """The same errand as in the tests, by the tools of `@playwright/mcp`."""
    from tests.web.test_attached import Scripted

    instance = find_task("qf-home-sliders").instance("us", 0)
    opens, cpu_open, cpu = [], [], []
    attacher()  # lists its tools, once a process
    for _ in range(runs):
        seat = Counted(open_world(instance.fixture.blob), limits_of(instance), PLAYWRIGHT_MCP)
        before, at = tree_s(), time.perf_counter()
        seat.browsing.tabs  # type: ignore[union-attr]  # noqa: B018
        opens.append(time.perf_counter() - at)
        cpu_open.append(tree_s() - before)
        Scripted().sit(seat, instance, Desk())
        cpu.append(tree_s() - before)
        seat.let_go()
    return [
        {"name": "@playwright/mcp: a browser and a server for an attempt", "value": statistics.median(opens),
         "unit": "s", "target": None, "peers": PEERS["reset"]},
        {"name": "the same", "value": statistics.median(cpu_open), "unit": "s CPU", "target": None, "peers": {}},
        {"name": "qf-home-sliders by it, start and all", "value": statistics.median(cpu), "unit": "s CPU",
         "target": None, "peers": {}},
    ]  # fmt: skip


def rows(runs: int) -> list[dict[str, Any]]:
    """All figures."""
    out: list[dict[str, Any]] = [
        {"name": "a page, server alone", "value": page_ms(), "unit": "ms CPU", "target": 1.0, "peers": {}}
    ]
    warm = Sitting(world(), Limits(calls=10**6))
    funnel(warm)  # starts the browser
    warm.let_go()
    opens, walks, cpu, n = [], [], [], 1
    for _ in range(runs):
        seat = Sitting(world(), Limits(calls=10**6))
        at = time.perf_counter()
        seat.browsing.tabs  # type: ignore[union-attr]  # noqa: B018
        opens.append(time.perf_counter() - at)
        before, at = tree_s(), time.perf_counter()
        n = funnel(seat)
        walks.append(time.perf_counter() - at)
        cpu.append(tree_s() - before)
        seat.let_go()
    out.append({"name": "a context for an attempt", "value": statistics.median(opens), "unit": "s", "target": 0.2,
                "peers": PEERS["reset"]})  # fmt: skip
    out.append({"name": f"a way of {n} tool calls through a site", "value": statistics.median(cpu), "unit": "s CPU",
                "target": 2.0, "peers": {}})  # fmt: skip
    out.append({"name": "one tool call of it, with its snapshot", "value": statistics.median(walks) / n, "unit": "s",
                "target": 0.3, "peers": PEERS["step"]})  # fmt: skip
    for name in ("qf-home-sliders", "qf-car-timeout"):
        value, wall, pages = errand(name, runs)
        out.append({"name": f"{name} by its oracle, {pages} requests", "value": value, "unit": "s CPU", "target": None,
                    "peers": {}})  # fmt: skip
        out.append({"name": "the same", "value": wall, "unit": "s", "target": None, "peers": {}})
    with suppress(UsageError):
        find_program()
        out += attached(runs)
    return out


def main() -> None:
    """Print the figures."""
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument("--json", action="store_true")
    args.add_argument("--runs", type=int, default=5)
    given, before = args.parse_args(), os.getloadavg()[0]
    found = rows(given.runs)
    if given.json:
        print(json.dumps(found, ensure_ascii=False))
        return
    print(f"load {before:.1f} to {os.getloadavg()[0]:.1f}; browser: {find_browser() or 'of Playwright'}")
    for r in found:
        peers = "; ".join(f"{k} {v}" for k, v in r["peers"].items())
        target = "" if r["target"] is None else f"target {r['target']}"
        print(f"{r['name']:<52} {r['value']:8.3f} {r['unit']:<6} {target:<12} {peers}")


if __name__ == "__main__":
    main()
