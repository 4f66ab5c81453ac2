"""The plan of a run: which attempts will be sat, by whom, on what terms."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path

from errands import __version__
from errands.core.errors import UsageError
from errands.core.packs import Pack
from errands.draw.batch import Batch
from errands.evidence.folder import Plan, Planned, RunFolder
from errands.tasks.heldout import is_held_out
from errands.tasks.registry import Choice, Selection, choice, select, spread, task
from errands.tasks.standing import pack_digest, pack_of, standing

from .agent import Agent
from .attempt import instance_of
from .ocr import must_read
from .terms import OWN, PLAIN, Terms

QUICK = 8


def _needs_browser(agent: Agent, terms: Terms) -> None:
    """Raise `UsageError` where errands on websites cannot be sat here as they are to be."""
    from errands.doors.browser import INSTALL, can_browse

    if not can_browse():
        raise UsageError(
            "some of these errands are on websites, and there is no browser here",
            expected="a chromium, or a selection without them such as --suite consumer",
            do=INSTALL,
        )
    if terms.browser == OWN:
        return
    from errands.doors.attached import check

    if agent.trusted:
        raise UsageError(
            f"{agent.name} knows only the exam's own browser tools",
            where="--browser",
            expected="an agent that is not ours, or a selection without websites",
        )
    check()


def plan_run(
    agent: Agent,
    selection: Selection,
    repeats: int,
    out: Path,
    *,
    terms: Terms = PLAIN,
    quick: bool = False,
) -> RunFolder:
    """Write the plan of a new run: every instance that the agent has something to do in, `repeats` times.

    `quick`: only eight of them, chosen for spread (`tasks.registry.spread`).
    """
    if repeats < 1:
        raise UsageError(f"{repeats} attempts are too few", where="--attempts", expected="1 or more")
    choices: list[Choice] = [c for c in select(selection) if agent.applies(task(c.task))]
    if quick:
        choices = spread(choices, QUICK)
    if not choices:
        raise UsageError(
            f"{agent.name} has nothing to do in this selection",
            expected="a task that declares it",
            do="see `errands show TASK`",
        )
    return _planned(agent, choices, repeats, out, terms)


def plan_batch(
    agent: Agent, batch: Batch, repeats: int, out: Path, *, language: str = "en", terms: Terms = PLAIN
) -> RunFolder:
    """Write the plan of a new run over exactly what a batch lists; its digest stands in the plan.

    `UsageError` where a task has changed since it was drawn, or the agent has nothing to do in one.
    """
    if repeats < 1:
        raise UsageError(f"{repeats} attempts are too few", where="--attempts", expected="1 or more")
    for name, digest in batch.editions.items():
        if task(name).digest != digest:
            raise UsageError(
                f"{name} has changed since the draw",
                where="--batch",
                do="draw again, or run the library as it was: attempts of two editions are never mixed",
            )
        if not agent.applies(task(name)):
            raise UsageError(
                f"{agent.name} has nothing to do in {name}",
                where="--batch",
                expected="an agent that sits every task of the list",
            )
    choices = sorted(choice(p.id, language) for p in batch.listed)
    return _planned(agent, choices, repeats, out, terms, batch.digest)


def plan_listed(
    agent: Agent, choices: Sequence[Choice], repeats: int, out: Path, *, terms: Terms = PLAIN
) -> RunFolder:
    """Write the plan of a new run over exactly these instances.

    `UsageError` where the agent has nothing to do in one.
    """
    if repeats < 1:
        raise UsageError(f"{repeats} attempts are too few", where="--attempts", expected="1 or more")
    for c in choices:
        if not agent.applies(task(c.task)):
            raise UsageError(
                f"{agent.name} has nothing to do in {c.task}",
                expected="an agent that sits every task of the list",
            )
    return _planned(agent, sorted(choices), repeats, out, terms)


def plan_like(agent: Agent, other: Plan, out: Path) -> RunFolder:
    """Write the plan of a new run over the instances of another plan, one attempt each; of the same list, if drawn.

    For reference agents beside an examined one. `UsageError` where a task has changed since.
    """
    for name, digest in other.tasks.items():
        if task(name).digest != digest:
            raise UsageError(
                f"{name} has changed since that run was planned",
                where=other.run,
                do="start a new run: attempts of two editions are never mixed",
            )
    named = {(f"{p.task}@{p.market}/{p.variant}", p.language) for p in other.attempts}
    return _planned(agent, sorted(choice(n, lang) for n, lang in named), 1, out, PLAIN, other.batch)


def _planned(
    agent: Agent, choices: list[Choice], repeats: int, out: Path, terms: Terms, batch: str | None = None
) -> RunFolder:
    folder = RunFolder(out)
    folder.must_be_new()
    if any(task(c.task).contract.front.on_pages for c in choices):
        _needs_browser(agent, terms)
    must_read(task(c.task).contract.front for c in choices)
    numbered = [(c, r) for c in choices for r in range(1, repeats + 1)]
    attempts = tuple(
        Planned(n=n, task=c.task, market=c.market, variant=c.variant, language=c.language, repeat=r)
        for n, (c, r) in enumerate(numbered, 1)
    )
    keys = {}
    for c in choices:
        built = instance_of(c.task, c.market, c.variant, c.language)
        if not is_held_out(c.variant):
            keys[f"{c.task}@{c.market}-{c.variant}"] = built.key.to_json()
    now = datetime.datetime.now(datetime.UTC)
    plan = Plan(
        run=out.name,
        agent=agent.name,
        isolation=agent.isolation,
        version=__version__,
        created=now.isoformat(timespec="seconds"),
        tasks={c.task: task(c.task).digest for c in choices},
        attempts=attempts,
        terms=terms.model_dump(mode="json", exclude_defaults=True) or None,
        drafts=_drafts(choices) or None,
        packs={p.name: pack_digest(p) for p in _packs(choices)} or None,
        batch=batch,
    )
    folder.create(plan, keys)
    return folder


def _drafts(choices: list[Choice]) -> dict[str, str]:
    """Which of these do not count yet, and why."""
    stands = {f"{c.task}@{c.market}": standing(task(c.task), c.market) for c in choices}
    return {name: s.why for name, s in stands.items() if s.status != "ready"}


def _packs(choices: list[Choice]) -> list[Pack]:
    used = {c.task: pack_of(task(c.task)) for c in choices}
    return list(dict.fromkeys(p for p in used.values() if p))
