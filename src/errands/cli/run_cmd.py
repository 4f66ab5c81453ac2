"""`errands run AGENT`: plan a run, sit it, show what came of it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from errands.core.canon import canonical
from errands.core.errors import UsageError
from errands.evidence.folder import RunFolder
from errands.evidence.seal import write_whole
from errands.records.find import find_run

from .results import exit_code, print_run
from .screen import (
    BrowserTools,
    Domain,
    ForeignTool,
    HeldOut,
    Json,
    Language,
    Market,
    MaxCost,
    MaxTokens,
    PackDir,
    Profile,
    Reads,
    Suite,
    Tag,
    TaskName,
    UnsafeHost,
    Variant,
    bar,
    new_run,
    note,
    put,
    run_name,
    selection,
    terms,
)

if TYPE_CHECKING:
    from errands.exam.agent import Resolve
    from errands.tasks.registry import Selection


def run(
    agent: Annotated[
        str,
        typer.Argument(
            help="my_agent.py[:name], module:name, model:<provider>/<name>, cmd:<profile or program>,"
            " webhook:<url>; or ours: oracle, oracle:<alternative>, wrong:<name>, null, refuse, hasty, talker, spam"
        ),
    ] = "",
    suite: Suite = None,
    domain: Domain = None,
    task: TaskName = None,
    market: Market = None,
    variant: Variant = None,
    tag: Tag = None,
    language: Language = "en",
    held_out: HeldOut = False,
    attempts: Annotated[int, typer.Option("--attempts", help="How often each instance is sat.")] = 1,
    jobs: Annotated[int, typer.Option("--jobs", help="Processes at work at once.")] = 1,
    quick: Annotated[
        bool, typer.Option("--quick", help="Eight errands of the selection, chosen for spread.")
    ] = False,
    batch: Annotated[
        Path | None,
        typer.Option("--batch", help="Exactly the tasks of this drawn list (`errands draw batch`)."),
    ] = None,
    max_cost: MaxCost = "",
    max_tokens: MaxTokens = None,
    allow_foreign_tool: ForeignTool = None,
    unsafe_host: UnsafeHost = False,
    reads: Reads = None,
    profile: Profile = "",
    browser: BrowserTools = "own",
    out: Annotated[Path | None, typer.Option("--out", help="Folder of the run.")] = None,
    resume: Annotated[
        str, typer.Option("--resume", help="Go on with this run instead of planning one.")
    ] = "",
    pack: PackDir = None,
    json: Json = False,
) -> None:
    """Let an agent sit errands. Each planned attempt is sealed, graded and counted once."""
    from errands.agents import resolve
    from errands.draw.batch import Batch
    from errands.draw.files import read
    from errands.exam.plan import plan_batch, plan_run
    from errands.exam.run import Run
    from errands.tasks.registry import Selection

    if not 1 <= jobs <= 64:
        raise UsageError(f"{jobs} jobs are out of range", where="--jobs", expected="1 to 64")
    if resume:
        if (
            agent
            or out
            or attempts != 1
            or suite
            or domain
            or task
            or market
            or variant
            or tag
            or language != "en"
            or held_out
            or quick
            or batch
            or allow_foreign_tool
            or unsafe_host
            or reads
            or profile
            or browser != "own"
        ):
            raise UsageError(
                "a run that goes on has its agent, selection and folder already",
                where="--resume",
                expected="--resume RUN, and --jobs, --max-cost, --max-tokens or --json",
            )
        folder = find_run(resume)
        if max_cost or max_tokens:
            widen(folder, max_cost, max_tokens, resolve)
    elif agent:
        allowed = terms(max_cost, max_tokens, allow_foreign_tool, unsafe_host, reads, profile, browser)
        mine = resolve(agent, allowed)
        mine.check()
        if jobs > 1:
            from errands.exam.pool import warm

            warm(mine.preload)  # workers load while the run is planned
        chosen = selection(suite, domain, task, market, variant, tag, language, held_out)
        if batch is None:
            if not (suite or domain or task or market or tag):
                chosen = within_reach(chosen)
            folder = plan_run(mine, chosen, attempts, new_run(out, agent), terms=allowed, quick=quick)
        else:
            if quick or chosen != Selection(language=language):
                raise UsageError(
                    "a drawn list is run whole",
                    where="--batch",
                    expected="no --quick, --held-out or other part of a selection beside it",
                )
            drawn = read(Batch, batch)
            folder = plan_batch(mine, drawn, attempts, new_run(out, agent), language=language, terms=allowed)
    else:
        raise UsageError(
            "no agent is named", expected="an agent, or --resume RUN", do="try `errands run oracle`"
        )
    work = Run(folder, resolve)
    try:
        record = _sit(work, jobs, quiet=json)
    except UsageError as why:
        if not resume and why.where != str(folder.path) and not any(folder.bundles.iterdir()):
            shutil.rmtree(
                folder.path
            )  # the agent could not be loaded: nothing was sat, and the name is free again
        raise
    if json:
        put(record)
    else:
        print_run(record)
    code = exit_code(record)
    if code:
        raise typer.Exit(code)


def within_reach(everything: Selection) -> Selection:
    """Where nothing in particular is chosen: all but the suites on websites if there is no browser here, and but the
    errands about pictures if nothing reads them."""
    from errands.doors import browser
    from errands.exam import ocr
    from errands.tasks.registry import tasks

    fronts = [t.contract.front for t in tasks()]
    pages = {f.suite for f in fronts if f.on_pages}
    chosen = everything
    if pages and not browser.can_browse():
        note(
            f"Left out, for there is no browser here: {', '.join(sorted(pages))}. To have them: {browser.INSTALL}"
        )
        chosen = replace(chosen, suites=tuple(sorted({f.suite for f in fronts} - pages)))
    pictures = [f.id for f in fronts if f.on_pictures]
    if pictures and not ocr.can_read():
        note(f"Left out, for nothing here reads pictures: {', '.join(pictures)}. To have them: {ocr.INSTALL}")
        chosen = replace(chosen, tasks=tuple(f.id for f in fronts if not f.on_pictures))
    return chosen


def widen(folder: RunFolder, max_cost: str, max_tokens: int | None, resolve: Resolve) -> None:
    """Give a run that goes on other limits, if its agent can keep them; they are kept beside its plan."""
    from errands.exam.work import terms_of

    new = terms(max_cost, max_tokens, None, False, None)
    given = {k: v for k, v in (("max_cost", new.max_cost), ("max_tokens", new.max_tokens)) if v is not None}
    now = terms_of(folder).model_copy(update=given)
    resolve(folder.plan().agent, now).check()
    kept = {k: v for k, v in (("max_cost", now.max_cost), ("max_tokens", now.max_tokens)) if v is not None}
    write_whole(folder.limits, canonical(kept).encode())


def _sit(work: Any, jobs: int, *, quiet: bool) -> dict[str, Any]:
    from errands.exam.rows import run_record

    left = work.left()
    try:
        with bar(work.plan.agent, len(left), quiet=quiet) as advance:
            for _ in work.go(jobs):
                advance()
    except KeyboardInterrupt:
        done = len(work.plan.attempts) - len(work.left())
        note(
            f"\ninterrupted: {done} of {len(work.plan.attempts)} attempts are sealed."
            f" Go on with: errands run --resume {run_name(work.folder.path)}"
        )
        raise typer.Exit(130) from None
    return run_record(work.folder, work.failures, work.stopped)
