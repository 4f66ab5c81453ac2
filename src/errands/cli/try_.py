"""`errands try TASK`: sit an errand by hand, or take over a recorded attempt at any of its calls."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from errands.core.errors import ClosedError, ToolError, UsageError

from .options import Json, Language, PackDir
from .results import exit_code, print_run
from .screen import console, new_run, note, put, recorded


def try_(
    task: Annotated[str, typer.Argument(help="A task id, see `errands list`.")] = "",
    market: Annotated[str, typer.Option("--market", "-m", help="Default: sg, else its first.")] = "",
    variant: Annotated[int, typer.Option("--variant")] = 0,
    language: Language = "en",
    origin: Annotated[
        str, typer.Option("--from", help="RUN:N@CALLS: take over that attempt after so many of its calls.")
    ] = "",
    host: Annotated[
        str,
        typer.Option(
            "--host", help="Where websites listen: an address of this machine, for another's browser."
        ),
    ] = "127.0.0.1",
    out: Annotated[Path | None, typer.Option("--out", help="Folder of the run.")] = None,
    pack: PackDir = None,
    json: Json = False,
) -> None:
    """Sit an errand yourself, with the tools an agent gets. What you do is sealed and graded like any attempt."""
    from errands.agents.person import Person
    from errands.exam.plan import plan_run
    from errands.exam.rows import run_record
    from errands.tasks.registry import Selection, usual_market

    if bool(task) == bool(origin):
        raise UsageError("name an errand, or an attempt to take over", expected="TASK, or --from RUN:N@CALLS")
    opened, calls = None, 0
    if origin:
        opened, calls = _recorded(origin)
        m = opened.manifest
        task, market, variant, language = m["task"], m["market"], m["variant"], m["language"]
    market = market or usual_market(task)
    person = Person(origin)
    choice = Selection(tasks=(task,), markets=(market,), variants=(variant,), language=language)
    folder = plan_run(person, choice, 1, new_run(out, "try"))
    done = False
    try:
        done = _sit(folder, person, opened, calls, host)
    finally:
        if not done:  # left, or refused: the name is free again
            shutil.rmtree(folder.path)
    if not done:
        note("\nleft: nothing was sealed")
        raise typer.Exit(130)
    record = run_record(folder)
    if json:
        put(record)
    else:
        print_run(record)
    if exit_code(record):
        raise typer.Exit(exit_code(record))


def _recorded(origin: str) -> tuple[Any, int]:
    from errands.evidence.regrade import open_bundle

    name, _, calls = origin.partition("@")
    if not calls.isascii() or not calls.isdigit():
        raise UsageError(f"{origin!r} names no call", where="--from", expected="RUN:N@CALLS, as last:1@16")
    folder, planned, data = recorded(name)
    return open_bundle(data, str(folder.bundle(planned.n))), int(calls)


def _sit(folder: Any, person: Any, opened: Any, calls: int, host: str) -> bool:
    """Let the person sit; seal what was done. False where they left before it was over."""
    from errands.evidence.seal import write_whole
    from errands.exam.attempt import instance_of, limits_of, seal_attempt
    from errands.exam.replay import replay
    from errands.exam.run import finished
    from errands.exam.sitting import Sitting
    from errands.exam.work import drop, try_file
    from errands.world import open_world

    p = folder.plan().attempts[0]
    instance = instance_of(p.task, p.market, p.variant, p.language)
    started, clock = time.time(), time.perf_counter()
    mark = try_file(folder, p.n, 1)
    if opened is None:
        sitting = Sitting(open_world(instance.fixture.blob, mark), limits_of(instance))
        turn = sitting.next()
        assert turn is not None
        said = turn.text
    else:
        sitting = replay(opened, instance, calls, mark)
        said = f"{instance.instruction}\n\n({calls} calls of {person.name.removeprefix('person:')} are done.)"
    try:
        if not _talk(sitting, said, host):
            return False
    finally:
        sitting.let_go()
    sealed = seal_attempt(sitting, instance, person, n=p.n, tries=1, repeat=1, started=started, clock=clock)
    sitting.world.close()
    write_whole(folder.bundle(p.n), sealed.data)
    drop(mark)
    finished(folder)
    return True


def _talk(sitting: Any, said: str, host: str) -> bool:
    from errands.agents.person import command

    tools = {t.name: t for t in sitting.tools}
    _user(said)
    for name, url in _addresses(sitting, host).items():
        note(f"[bold]{name}[/]  open it in a browser of yours: {url}")
    note("[dim]say WORDS ends your turn · tools · help TOOL · a tool with key=value · quit[/]")
    while not sitting.ended:
        line = _line()
        if line is None or line.strip() == "quit":
            return False
        if not line.strip():
            continue
        try:
            kind, what = command(line, tools)
            if kind == "help":
                _help(tools, what)
            elif kind == "say":
                turn = sitting.reply(what)
                if turn is not None:
                    if turn.fresh:
                        note("[dim]A new conversation: you know nothing of the earlier ones.[/]")
                    _user(turn.text)
            else:
                _answer(sitting.call(*what))
        except ToolError as why:
            _answer(why.body())
        except ClosedError as why:
            note(f"[yellow]{why}[/]")
        except UsageError as why:
            note(f"[yellow]{_plain(str(why))}[/]")
    return True


def _addresses(sitting: Any, host: str) -> dict[str, str]:
    """Where each website of the sitting is."""
    try:
        return dict(sitting.browsing.addresses(host)) if sitting.browsing else {}
    except OSError as why:
        raise UsageError(
            f"nobody can listen at {host}: {why.strerror}",
            where="--host",
            expected="an address of this machine",
        ) from None


def _line() -> str | None:
    try:
        return input("> " if sys.stdin.isatty() else "")
    except (EOFError, KeyboardInterrupt):
        return None


def _user(text: str) -> None:
    from rich.padding import Padding

    console(True).print(Padding(_plain(text), (1, 2)), style="bold")


def _answer(value: Any) -> None:
    import json

    text = json.dumps(value, ensure_ascii=False, indent=1)
    lines = text.splitlines()
    console(True).print(_plain("\n".join(lines[:60])), soft_wrap=True)
    if len(lines) > 60:
        note(f"[dim]… {len(lines) - 60} lines more: ask more narrowly[/]")


def _help(tools: dict[str, Any], name: str) -> None:
    if name in tools:
        note(f"[bold]{name}[/] {_plain(tools[name].description)}")
        for key, schema in tools[name].parameters.get("properties", {}).items():
            needed = " (needed)" if key in tools[name].parameters.get("required", []) else ""
            note(f"  {key}{needed}  [dim]{_plain(str(schema.get('description', schema.get('type', ''))))}[/]")
        return
    for t in tools.values():
        note(f"  [bold]{t.name}[/]  [dim]{_plain(t.description.splitlines()[0])}[/]")


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text)
