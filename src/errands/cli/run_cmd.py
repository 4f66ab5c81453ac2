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
from errands.exam.terms import Terms
from errands.records.find import find_run
from errands.tasks.registry import Selection

from .options import Attempts, Chosen, Jobs, Json, Limits, Out, PackDir, Quick, Resume, grouped
from .results import exit_code, print_run
from .screen import bar, new_run, note, put, run_name

if TYPE_CHECKING:
    from errands.exam.agent import Resolve

SPENT = {"max_cost", "max_tokens"}


@grouped
def run(
    agent: Annotated[
        str,
        typer.Argument(
            help="my_agent.py[:name], module:name, model:<provider>/<name>, cmd:<profile or program>,"
            " webhook:<url>; or ours: oracle, oracle:<alternative>, wrong:<name>, null, refuse, hasty, talker, spam"
        ),
    ] = "",
    *,
    chosen: Chosen,
    attempts: Attempts = 1,
    jobs: Jobs = 1,
    quick: Quick = False,
    batch: Annotated[
        Path | None,
        typer.Option("--batch", help="Exactly the tasks of this drawn list (`errands draw batch`)."),
    ] = None,
    limits: Limits,
    out: Out = None,
    resume: Resume = "",
    pack: PackDir = None,
    json: Json = False,
) -> None:
    """Let an agent sit errands. Each planned attempt is sealed, graded and counted once."""
    from errands.agents import resolve
    from errands.draw.batch import Batch
    from errands.draw.files import read
    from errands.exam.plan import plan_batch, plan_run
    from errands.exam.run import Run

    picked, allowed = chosen.selection, limits.terms
    if not 1 <= jobs <= 64:
        raise UsageError(f"{jobs} jobs are out of range", where="--jobs", expected="1 to 64")
    if resume:
        said = agent or out or attempts != 1 or quick or batch or picked != Selection()
        if said or within(allowed) != Terms():
            raise UsageError(
                "a run that goes on has its agent, selection and folder already",
                where="--resume",
                expected="--resume RUN, and --jobs, --max-cost, --max-tokens or --json",
            )
        folder = find_run(resume)
        widen(folder, allowed, resolve)
    elif agent:
        mine = resolve(agent, allowed)
        mine.check()
        if jobs > 1:
            from errands.exam.pool import warm

            warm(mine.preload)  # workers load while the run is planned
        if batch is None:
            named = picked.suites or picked.domains or picked.tasks or picked.markets or picked.tags
            meant = picked if named else within_reach(picked)
            folder = plan_run(mine, meant, attempts, new_run(out, agent), terms=allowed, quick=quick)
        else:
            if quick or picked != Selection(language=picked.language):
                raise UsageError(
                    "a drawn list is run whole",
                    where="--batch",
                    expected="no --quick, --held-out or other part of a selection beside it",
                )
            drawn = read(Batch, batch)
            folder = plan_batch(
                mine, drawn, attempts, new_run(out, agent), language=picked.language, terms=allowed
            )
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


def within(terms: Terms) -> Terms:
    """What terms permit, whatever it may cost."""
    return terms.model_copy(update=dict.fromkeys(SPENT))


def widen(folder: RunFolder, asked: Terms, resolve: Resolve) -> None:
    """Give a run that goes on the limits asked for, if any and if its agent can keep them; they are kept beside its
    plan."""
    from errands.exam.work import terms_of

    given = asked.model_dump(include=SPENT, exclude_none=True)
    if given:
        now = terms_of(folder).model_copy(update=given)
        resolve(folder.plan().agent, now).check()
        kept = now.model_dump(include=SPENT, exclude_none=True)
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
