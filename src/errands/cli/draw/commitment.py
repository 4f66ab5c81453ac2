"""`errands draw commit, prove, reveal, verify`: what a stranger needs to check a list."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from errands.core.errors import UsageError

from ..options import Json
from ..screen import commands, console, note, pairs, put, shown_path, write
from .lists import Date, FrameFile

if TYPE_CHECKING:
    from errands.draw.batch import Batch
    from errands.draw.commitment import Commitment, Proof, Revealed

SaltFile = Annotated[Path, typer.Option("--salt", help="The file with the salt; secret until the list is.")]


def commit(
    commitment: Annotated[Path, typer.Argument(help="The commitment; it is made where there is none.")],
    date: Date,
    frame: Annotated[
        Path | None, typer.Option("--frame", help="1. Commit the library: the root over this frame.")
    ] = None,
    rules: Annotated[Path | None, typer.Option("--rules", help="2. Commit these rules.")] = None,
    source: Annotated[
        str, typer.Option("--source", help="3. Name where the seed will come from, before it is known.")
    ] = "",
    batch: Annotated[Path | None, typer.Option("--batch", help="4. Commit the list of this batch.")] = None,
    salt: Annotated[
        Path | None,
        typer.Option("--salt", help="The file with the salt, for 1 and 4; 1 makes it where there is none."),
    ] = None,
    json: Json = False,
) -> None:
    """Make the next steps of a commitment. Publish its head each time: it stands for all steps so far."""
    from errands.draw.batch import Batch
    from errands.draw.commitment import Commitment, add, empty, library_root, list_root
    from errands.draw.files import read
    from errands.draw.frame import Frame
    from errands.draw.rules import Rules

    c = read(Commitment, commitment) if commitment.exists() else empty()
    if frame is None and rules is None and not source and batch is None:
        raise UsageError(
            "there is nothing to commit", where="commit", expected="--frame, --rules, --source or --batch"
        )
    if frame is not None:
        entries = read(Frame, frame)
        c = add(c, "library", date, library_root(entries, _salt(salt, new=True)), len(entries.entries))
    if rules is not None:
        c = add(c, "rules", date, read(Rules, rules).digest)
    if source:
        c = add(c, "seed-source", date, source)
    if batch is not None:
        drawn = read(Batch, batch)
        c = add(c, "list", date, list_root(drawn, _salt(salt)), len(drawn.picks))
    write(commitment, c.text)
    if json:
        put({"path": str(commitment), "head": c.head, **c.model_dump(mode="json")})
    else:
        _print_steps(c)


def _salt(file: Path | None, *, new: bool = False) -> bytes:
    from errands.draw.commitment import checked_salt
    from errands.draw.files import content

    if file is None:
        raise UsageError("the salt is missing", where="--salt", expected="a file; it is made with --frame")
    if new and not file.exists():
        write(file, secrets.token_hex(32).encode() + b"\n")
        note(f"salt: {shown_path(file)}, made now. Keep it, and keep it secret until the list is revealed.")
    return checked_salt(content(file).decode("ascii", "replace").strip(), str(file))


def prove(
    ident: Annotated[str, typer.Argument(metavar="ID", help="A task of the list.")],
    out: Annotated[Path, typer.Option("--out", help="Where the proof goes.")],
    batch: Annotated[Path, typer.Option("--batch", help="The batch.")],
    salt: SaltFile,
    json: Json = False,
) -> None:
    """Prove that one task is in the committed list, without showing the others."""
    from errands.draw.batch import Batch
    from errands.draw.commitment import prove as proof
    from errands.draw.files import read

    done = proof(read(Batch, batch), _salt(salt), ident)
    write(out, done.text)
    if json:
        put({"path": str(out), **done.model_dump(mode="json")})
    else:
        pairs([("Proof", shown_path(out)), ("Task", ident), ("Way", f"{len(done.path)} nodes to the root")])


def reveal(
    out: Annotated[Path, typer.Argument(help="Where all of it goes.")],
    commitment: Annotated[Path, typer.Option("--commitment", help="The commitment.")],
    frame: FrameFile,
    batch: Annotated[Path, typer.Option("--batch", help="The batch.")],
    salt: SaltFile,
    json: Json = False,
) -> None:
    """Put commitment, frame, batch and salt into one file that anybody can verify. Refused where they do not agree."""
    from errands.draw.batch import Batch
    from errands.draw.check import unsound
    from errands.draw.commitment import Commitment, Revealed
    from errands.draw.files import read
    from errands.draw.frame import Frame

    done = Revealed(
        kind="errands-revealed",
        format=1,
        commitment=read(Commitment, commitment),
        salt=_salt(salt).hex(),
        frame=read(Frame, frame),
        batch=read(Batch, batch),
    )
    wrong = unsound(done)
    if not wrong:
        write(out, done.text)
    _judged(
        [("commitment, frame, batch and salt agree", wrong)], {"path": str(out), "digest": done.digest}, json
    )
    if not json:
        commands("Next", [f"errands draw verify {shown_path(out)}"], width=4)


def verify(
    file: Annotated[Path, typer.Argument(help="A batch, what was revealed, or a proof.")],
    frame: Annotated[Path | None, typer.Option("--frame", help="For a batch: its frame.")] = None,
    commitment: Annotated[
        Path | None, typer.Option("--commitment", help="For a batch or a proof: the commitment.")
    ] = None,
    salt: Annotated[Path | None, typer.Option("--salt", help="For a batch with a commitment.")] = None,
    run: Annotated[
        list[str] | None,
        typer.Option(
            "--run", help="Was this run of the whole list, and begun after its commitment? (repeatable)"
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Draw again and compare to the byte; compare with what was committed, in which order. Exit 1: it differs."""
    from errands.draw.batch import Batch
    from errands.draw.check import differences, uncommitted, unsound
    from errands.draw.commitment import Commitment, Proof, Revealed, proven
    from errands.draw.files import read
    from errands.draw.frame import Frame

    seen = _any(file)
    if isinstance(seen, Revealed):
        checks = [(_drawn(seen.batch), unsound(seen)), (_steps(seen.commitment), [])]
        checks += [_ran(name, seen.batch, seen.commitment) for name in run or ()]
        _judged(checks, {"head": seen.commitment.head}, json)
        return
    known = read(Commitment, commitment) if commitment else None
    if isinstance(seen, Proof):
        if known is None:
            raise UsageError("the commitment is missing", where="--commitment", expected="its file")
        bad = [] if proven(seen, known) else [f"{seen.id}: the way does not lead to the committed list"]
        _judged([(f"{seen.id} is in the committed list", bad)], {"head": known.head}, json)
        return
    assert isinstance(seen, Batch)
    if frame is None:
        raise UsageError("the frame is missing", where="--frame", expected="its file")
    entries = read(Frame, frame)
    checks = [(_drawn(seen), differences(seen, entries))]
    if known is not None:
        checks.append((_steps(known), uncommitted(known, seen, entries, _salt(salt))))
    checks += [_ran(name, seen, known) for name in run or ()]
    _judged(checks, {"digest": seen.digest}, json)


def _any(file: Path) -> Batch | Revealed | Proof:
    """A file of one of the kinds that can be verified."""
    from json import loads

    from errands.draw.batch import Batch
    from errands.draw.commitment import Proof, Revealed
    from errands.draw.files import content, parsed

    data = content(file)
    try:
        kind = loads(data)["kind"]
    except (ValueError, KeyError, TypeError):
        kind = ""
    if kind == "errands-revealed":
        return parsed(Revealed, data, str(file))
    if kind == "errands-proof":
        return parsed(Proof, data, str(file))
    return parsed(Batch, data, str(file))


def _drawn(b: Batch) -> str:
    return f"{len(b.picks)} tasks in {len(b.groups)} groups, drawn again from frame, rules and seed: the same"


def _steps(c: Commitment) -> str:
    return "committed in this order: " + ", ".join(f"{s.what} {s.date}" for s in c.steps)


def _ran(name: str, b: Batch, c: Commitment | None) -> tuple[str, list[str]]:
    """What there is to say against a run of the list, by its plan."""
    from errands.draw.batch import editions
    from errands.records.find import find_run

    folder = find_run(name)
    plan, step = folder.plan(), c.step("list") if c else None
    listed = editions(b).get(plan.batch or "")
    if listed is None:
        return name, [f"run {folder.name}: it is not one of this list"]
    out = []
    sat = {(f"{a.task}@{a.market}/{a.variant}", a.repeat) for a in plan.attempts}
    repeats = max(r for _, r in sat)
    if sat != {(p.id, r) for p in listed for r in range(1, repeats + 1)} or len(sat) < len(plan.attempts):
        out.append(f"run {folder.name}: its plan is not the whole list, each task equally often")
    if step is not None and plan.created[:10] < step.date:
        out.append(f"run {folder.name}: planned on {plan.created[:10]}, before the list was committed")
    when = f", planned {plan.created[:10]}" if step else ""
    return f"run {folder.name} ({plan.agent}): the whole list, {repeats} times{when}", out


def _judged(checks: list[tuple[str, list[str]]], more: dict[str, Any], json: bool) -> None:
    from rich.markup import escape

    wrong = [w for _, found in checks for w in found]
    if json:
        put({"holds": not wrong, "problems": wrong, **more})
    else:
        for words, found in checks:
            if not found and not wrong:
                console().print(f" [green]✓[/] {escape(words)}", soft_wrap=True)
            for w in found:
                console().print(f" [red]✗[/] {escape(w)}", soft_wrap=True)
    if wrong:
        raise typer.Exit(1)


def _print_steps(c: Commitment) -> None:
    from rich.markup import escape

    from errands.draw.commitment import STEPS

    for s in c.steps:
        leaves = f" over {s.count}" if s.count is not None else ""
        told = escape(f"{s.date}  {s.what:<12} {s.value}{leaves}")
        console().print(f" [green]✓[/] {told}", soft_wrap=True)
    pairs([("Publish", c.head)])
    if len(c.steps) < len(STEPS):
        pairs([("Still to come", ", ".join(STEPS[len(c.steps) :]))])
