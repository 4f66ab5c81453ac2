"""`errands serve`: a run whose attempts are MCP endpoints that the agent calls."""

from __future__ import annotations

import re
import shutil
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from errands.core.errors import UsageError
from errands.evidence.folder import RunFolder
from errands.exam.terms import OWN
from errands.records.find import find_run
from errands.tasks.registry import Selection

from .options import Attempts, Browser, Chosen, Json, Out, PackDir, Quick, Resume, browser_tools, grouped
from .results import exit_code, print_run
from .screen import console, new_run, note, pairs, put, run_name, shown_path


@grouped
def serve(
    agent: Annotated[str, typer.Option("--agent", help="A name for your agent, as records show it.")] = "",
    *,
    chosen: Chosen,
    attempts: Attempts = 1,
    quick: Quick = False,
    jobs: Annotated[int, typer.Option("--jobs", help="Endpoints open at once; 0: all.")] = 0,
    browser: Browser = OWN,
    host: Annotated[str, typer.Option("--host", help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="The port to listen at; 0: any free one.")] = 8808,
    public_url: Annotated[
        str, typer.Option("--public-url", help="How a hosted product reaches that port: a proxy's address.")
    ] = "",
    wait: Annotated[float, typer.Option("--wait", help="Seconds to wait for an attempt's first call.")] = 600,
    out: Out = None,
    resume: Resume = "",
    pack: PackDir = None,
    json: Json = False,
) -> None:
    """Serve errands as MCP endpoints, one an attempt, for an agent that comes to us.

    Prints the address, secret and instruction of each attempt (also in derived/endpoints.json). Give your agent the
    instruction and the address; it ends each turn with the tool end_turn. With --json every line is an object, and
    the last one is the run.
    """
    from errands.exam.rows import run_record
    from errands.exam.serve import ServedRun, new_host

    _check(jobs, port, public_url, wait)
    new_host()  # says so early where the library for it is missing
    if resume:
        if agent or out or quick or attempts != 1 or browser != OWN or chosen.selection != Selection():
            raise UsageError(
                "a run that goes on has its agent, selection and folder already",
                where="--resume",
                expected="--resume RUN, and where to listen, --jobs, --wait or --json",
            )
        folder = find_run(resume)
    else:
        folder = _planned(agent, chosen.selection, attempts, out, quick, browser)
    work = ServedRun(folder, _resolve)
    door = {"host": host, "port": port, "public_url": public_url, "at_once": jobs, "wait_s": wait}
    if not json:
        note(
            f"{len(work.left())} attempts, each open for {wait:g} s until its first call. What follows is also in"
            f" {shown_path(folder.derived / 'endpoints.json')}; Ctrl-C stops, and --resume goes on."
        )
    try:
        _serve(work, door, put if json else _tell)
    except UsageError:
        if not resume and not any(folder.bundles.iterdir()) and not any(folder.tries.iterdir()):
            shutil.rmtree(
                folder.path
            )  # nobody could listen there: nothing was sat, and the name is free again
        raise
    record = run_record(folder, work.failures, work.stopped)
    if json:
        put(record)
    else:
        print_run(record)
    if exit_code(record):
        raise typer.Exit(exit_code(record))


def _check(jobs: int, port: int, public_url: str, wait: float) -> None:
    if not 0 <= jobs <= 10_000:
        raise UsageError(f"{jobs} endpoints at once are out of range", where="--jobs", expected="0 to 10000")
    if not 0 <= port <= 65_535:
        raise UsageError(f"there is no port {port}", where="--port", expected="0 to 65535")
    if public_url and not re.fullmatch(r"https?://[^\s/?#]+(/[^\s?#]*)?", public_url):
        raise UsageError(
            f"{public_url!r} is no address",
            where="--public-url",
            expected="https://host, with a path or none",
        )
    if not 0 < wait <= 7 * 86_400:
        raise UsageError(f"{wait:g} seconds are out of range", where="--wait", expected="up to a week")


def _planned(
    agent: str, chosen: Any, attempts: int, out: Path | None, quick: bool, browser: str
) -> RunFolder:
    from errands.exam.plan import plan_run
    from errands.exam.terms import Terms

    if not agent:
        raise UsageError(
            "the agent has no name",
            where="--agent",
            expected="a name for it, or --resume RUN to go on with a run",
        )
    served = _resolve(f"mcp:{agent}")
    terms = Terms(browser=browser_tools(browser))
    return plan_run(served, chosen, attempts, new_run(out, served.name), terms=terms, quick=quick)


def _resolve(spec: str, terms: Any = None) -> Any:
    """Only agents that come to us can be served."""
    from errands.agents.pulled import PulledAgent

    if not spec.startswith("mcp:"):
        raise UsageError(
            "this run is not one that is served", where=spec, do="use `errands run --resume RUN`"
        )
    return PulledAgent(spec)


def _serve(work: Any, door: dict[str, Any], tell: Any) -> None:
    try:
        with closing(work.serve(**door, tell=tell)) as ended:
            for _ in ended:
                pass
    except KeyboardInterrupt:
        done = len(work.plan.attempts) - len(work.left())
        note(
            f"\ninterrupted: {done} of {len(work.plan.attempts)} attempts are sealed."
            f" Go on with: errands serve --resume {run_name(work.folder.path)}"
        )
        raise typer.Exit(130) from None


def _tell(event: dict[str, Any]) -> None:
    """An endpoint as a person copies it; progress on the error stream."""
    from rich.markup import escape

    if event["event"] == "open":
        console().print(f" [bold]{event['n']}[/]  {event['task']}  {event['market']}/{event['variant']}")
        console().print(f"    {event['url']}", soft_wrap=True, markup=False)
        sites = [(f"site {name}", url) for name, url in event.get("sites", {}).items()]
        pairs([("secret", event["secret"]), *sites, ("instruction", escape(event["instruction"]))])
    elif event["event"] == "contact":
        note(f"[dim]{event['n']}: first call[/]")
    else:
        note(f"[dim]{event['n']}: ended, {event['end_reason'].replace('_', ' ')}[/]")
