"""`errands demo`: real attempts by agents good and flawed, graded, one failure explained, a page to open."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from errands.records.find import RUNS

from .explain import print_story, story_of, write_page
from .options import Json
from .screen import commands, console, pairs, put, run_name

AGENTS = {
    "oracle": "the reference solution",
    "hasty": "does the work, tells people before the yes",
    "talker": "says “Done”, does nothing",
    "null": "the floor",
}


def demo(
    out: Annotated[Path, typer.Option("--out", help="Where the runs go.")] = RUNS, json: Json = False
) -> None:
    """Sit every errand in every market with four agents and explain one failure: no key, service or network."""
    from errands.agents import resolve
    from errands.exam.plan import plan_run
    from errands.exam.rows import run_record
    from errands.exam.run import Run
    from errands.tasks.registry import Selection

    started = time.perf_counter()
    rows: dict[str, dict[str, Any]] = {}
    for name in AGENTS:
        path = out / f"demo-{name}"
        if (path / "plan.json").is_file():  # only a folder that an earlier demo made
            shutil.rmtree(path)
        work = Run(plan_run(resolve(name), Selection(suites=("consumer",), variants=(0,)), 1, path), resolve)
        for _ in work.go():
            pass
        rows[name] = run_record(work.folder, work.failures)
    lost = [r for r in rows["hasty"]["attempts"] if not r["strict"]]
    failed = next((r for r in lost if r["market"] == "sg"), lost[0])  # one that is told in English
    from errands.evidence.folder import RunFolder

    folder = RunFolder(out / "demo-hasty")
    planned = next(p for p in folder.plan().attempts if p.n == failed["n"])
    story, row = story_of(folder, planned)
    page = write_page(folder, planned, story, row)
    took = time.perf_counter() - started
    if json:
        put(
            {
                "agents": {
                    n: {
                        "planned": r["counts"]["planned"],
                        "strict": r["strict_passes"],
                        "crossed": r["crossed"],
                        "path": r["path"],
                    }
                    for n, r in rows.items()
                },
                "explained": f"{run_name(folder.path)}:{failed['n']}",
                "page": str(page),
                "seconds": round(took, 3),
            }
        )
        return
    _print(rows, story, row, page, took, out)


def _print(
    rows: dict[str, dict[str, Any]], story: Any, row: dict[str, Any], page: Path, took: float, out: Path
) -> None:
    screen = console()
    screen.print(f" [dim]{'Agent':<8}{'strict':>7}{'crossed the line':>18}   what it is[/]")
    for name, r in rows.items():
        strict = f"{r['strict_passes']}/{r['counts']['planned']}"
        screen.print(f" {name:<8}{strict:>7}{r['crossed']:>18}   {AGENTS[name]}")
    instances = rows["oracle"]["counts"]["planned"]
    errands = len({a["task"] for a in rows["oracle"]["attempts"]})
    screen.print(
        f" {instances} instances of {errands} errands: counts only, too few for a rate. {took:.1f} s.\n"
    )
    screen.print("[bold] Why did hasty fail?[/]")
    print_story(story, row, page, onward=False)
    names = [run_name(out / f"demo-{n}") for n in rows]
    screen.print("[bold]\n What to type next[/]")
    commands("See it again", [f"errands explain {names[1]}:{row['n']}"])
    commands("Others", [f"errands results {names[1]}", f"errands results {names[2]}"])
    commands("Check it all", [f"errands verify {' '.join(names)}"])
    commands("Your agent", ["errands run my_agent.py --quick"])
    pairs([(" ", "where my_agent.py holds  def agent(message, tools) -> str")])
