"""Options that several commands take: single ones, and groups of them that a command declares as one parameter."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer

from errands.core.errors import UsageError
from errands.exam.terms import OWN, Kind, Terms
from errands.tasks.registry import Selection

from .screen import bring

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object for machines.")]
PackDir = Annotated[
    list[Path] | None,
    typer.Option(
        "--pack",
        callback=bring,
        is_eager=True,
        help="A folder of your own tasks, apps and markets (repeatable).",
    ),
]
Language = Annotated[str, typer.Option("--language", help="en, or local for the market's own language.")]
Attempts = Annotated[int, typer.Option("--attempts", help="How often each instance is sat.")]
Jobs = Annotated[int, typer.Option("--jobs", help="Processes at work at once.")]
Cores = Annotated[int, typer.Option("--jobs", "-j", help="Processes; 0 is one for each core.")]
Quick = Annotated[bool, typer.Option("--quick", help="Eight errands of the selection, chosen for spread.")]
Out = Annotated[Path | None, typer.Option("--out", help="Folder of the run.")]
Resume = Annotated[str, typer.Option("--resume", help="Go on with this run instead of planning one.")]
Browser = Annotated[
    str,
    typer.Option(
        "--browser", help="Whose tools the agent uses websites by: own, or playwright-mcp (@playwright/mcp)."
    ),
]


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """A command some of whose parameters are groups (dataclasses of options): the parser sees their fields instead."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, tuple[Any, list[str]]] = {}
    shown: dict[str, inspect.Parameter] = {}
    for name, p in inspect.signature(command).parameters.items():
        kind = hints[name]
        if not is_dataclass(kind):
            shown[name] = p.replace(annotation=kind, kind=p.KEYWORD_ONLY)
            continue
        its = get_type_hints(kind, include_extras=True)
        groups[name] = kind, [f.name for f in fields(kind)]
        for f in fields(kind):
            shown[f.name] = p.replace(
                name=f.name, annotation=its[f.name], default=f.default, kind=p.KEYWORD_ONLY
            )

    @functools.wraps(command)
    def called(**given: Any) -> None:
        made = {name: kind(**{n: given.pop(n) for n in names}) for name, (kind, names) in groups.items()}
        command(**made, **given)

    called.__signature__ = inspect.Signature(list(shown.values()))  # type: ignore[attr-defined]
    called.__annotations__ = {n: p.annotation for n, p in shown.items()}
    return called


@dataclass(frozen=True)
class Picked:
    """Which instances of which errands."""

    suite: Annotated[list[str] | None, typer.Option("--suite", help="Only this suite (repeatable).")] = None
    domain: Annotated[list[str] | None, typer.Option("--domain", help="Only this domain (repeatable).")] = (
        None
    )
    task: Annotated[
        list[str] | None, typer.Option("--task", help="Only this task; globs are fine (repeatable).")
    ] = None
    market: Annotated[
        list[str] | None, typer.Option("--market", "-m", help="Only this market (repeatable).")
    ] = None
    variant: Annotated[
        list[int] | None, typer.Option("--variant", help="Only this variant (repeatable).")
    ] = None
    tag: Annotated[list[str] | None, typer.Option("--tag", help="Only tasks with this tag (repeatable).")] = (
        None
    )
    held_out: Annotated[
        bool,
        typer.Option("--held-out", help="The held-out variants; their secret is named in ERRANDS_HELD_OUT."),
    ] = False

    @property
    def selection(self) -> Selection:
        """These options as one value."""
        return Selection(
            tuple(self.suite or ()),
            tuple(self.domain or ()),
            tuple(self.task or ()),
            tuple(self.market or ()),
            tuple(self.variant or ()),
            tuple(self.tag or ()),
            held_out=self.held_out,
        )


@dataclass(frozen=True)
class Chosen(Picked):
    """Which instances of which errands, and in which language they are asked."""

    language: Language = "en"

    @property
    def selection(self) -> Selection:
        """These options as one value."""
        if self.language not in ("en", "local"):
            raise UsageError(
                f"there is no language {self.language!r}", where="--language", expected="en or local"
            )
        return replace(super().selection, language=self.language)


@dataclass(frozen=True)
class Limits:
    """What a run may cost, and what its agent may use."""

    max_cost: Annotated[
        str,
        typer.Option("--max-cost", help="US dollars for the whole run; refused where a price is unknown."),
    ] = ""
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", help="Model tokens for the whole run.")
    ] = None
    allow_foreign_tool: Annotated[
        list[str] | None,
        typer.Option("--allow-foreign-tool", help="A tool of the agent that is not the exam's (repeatable)."),
    ] = None
    unsafe_host: Annotated[
        bool, typer.Option("--unsafe-host", help="Run a program without a sandbox; evidence and card say so.")
    ] = False
    reads: Annotated[
        list[Path] | None,
        typer.Option("--reads", help="A folder that a program in the sandbox may read (repeatable)."),
    ] = None
    profile: Annotated[
        str,
        typer.Option("--profile", help="NAME, or NAME@MODEL: run the program behind cmd: by this profile."),
    ] = ""
    browser: Browser = OWN

    @property
    def terms(self) -> Terms:
        """These options as one value."""
        if self.max_cost and not _positive(self.max_cost):
            raise UsageError(
                f"{self.max_cost!r} is no amount", where="--max-cost", expected="US dollars, as 0.50"
            )
        if self.max_tokens is not None and self.max_tokens < 1:
            raise UsageError(
                f"{self.max_tokens} tokens are too few", where="--max-tokens", expected="1 or more"
            )
        return Terms(
            max_cost=self.max_cost or None,
            max_tokens=self.max_tokens,
            foreign_tools=tuple(self.allow_foreign_tool or ()),
            unsafe_host=self.unsafe_host,
            profile=self.profile,
            reads=tuple(str(p.resolve()) for p in self.reads or ()),
            browser=browser_tools(self.browser),
        )


def _positive(amount: str) -> bool:
    try:
        return Decimal(amount) > 0 and re.fullmatch(r"\d{1,9}(\.\d{1,9})?", amount) is not None
    except InvalidOperation:
        return False


def browser_tools(name: str) -> Kind:
    """The option `--browser`."""
    for kind in get_args(Kind):
        if name == kind:
            return kind  # type: ignore[no-any-return]
    raise UsageError(
        f"there are no browser tools {name!r}", where="--browser", expected=" or ".join(get_args(Kind))
    )
