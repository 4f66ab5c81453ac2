"""`errands diff ATTEMPT OTHER`: two attempts at the same errand side by side."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from errands.core.errors import UsageError

from .options import Json, PackDir
from .screen import pairs, put, recorded


def diff(
    attempt: Annotated[str, typer.Argument(help="RUN:N or last:N.")],
    other: Annotated[
        str, typer.Argument(help="Another attempt, or a reference agent: oracle, wrong:<name>.")
    ] = "oracle",
    pack: PackDir = None,
    json: Json = False,
) -> None:
    """What one attempt did that the other did not, and which criteria were found otherwise."""
    from errands.explain.diff import differ

    (a, found_a), (b, found_b) = _graded(attempt), _other(attempt, other)
    if a.manifest["fixture"] != b.manifest["fixture"]:
        raise UsageError(
            "these attempts are not at the same errand",
            where=other,
            expected="{task} {market} variant {variant} {language}".format(**a.manifest),
        )
    d = differ(a.evidence, b.evidence, found_a, found_b)
    if json:
        put({"attempt": attempt, "other": other, **asdict(d)})
        return
    from rich.markup import escape

    pairs(
        [
            *(("Only here", f"[red]{escape(s)}[/]") for s in d.first),
            *(("Only there", f"[green]{escape(s)}[/]") for s in d.second),
            *(("Both", escape(s)) for s in d.both),
            *(
                ("Criteria", escape(f"{name}: {x or '–'} here, {y or '–'} there"))
                for name, x, y in d.criteria
            ),
            ("", "" if d.first or d.second else "no difference in what was done"),
        ]
    )


def _graded(name: str) -> tuple[Any, Any]:
    from errands.evidence.regrade import open_bundle
    from errands.exam.rows import grade_bundle

    folder, p, data = recorded(name)
    opened = open_bundle(data, str(folder.bundle(p.n)))
    return opened, grade_bundle(folder, p, opened)


def _other(attempt: str, other: str) -> tuple[Any, Any]:
    """Another recorded attempt, or a reference agent that sits the same instance now."""
    from errands.agents.reference import reference
    from errands.evidence.regrade import open_bundle
    from errands.exam.attempt import instance_of, sit
    from errands.records.find import find_attempt

    agent = reference(other)
    if agent is None:
        return _graded(other)
    _, p = find_attempt(attempt)
    instance = instance_of(p.task, p.market, p.variant, p.language)
    if not agent.applies(instance.task):
        raise UsageError(
            f"{instance.task.id} has no {other}", expected=", ".join(["hasty", *instance.task.solutions])
        )
    sat = sit(agent, instance)
    return open_bundle(sat.sealed.data), sat.verdict
