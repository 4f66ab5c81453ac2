"""`errands draw …`: frame, rules, batch, commitment, and what a stranger needs to check them."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from errands.core.errors import UsageError
from errands.evidence.seal import write_whole

from .screen import (
    Domain,
    HeldOut,
    Json,
    Market,
    PackDir,
    Suite,
    Tag,
    TaskName,
    Variant,
    bar,
    commands,
    console,
    indented,
    note,
    pairs,
    put,
    selection,
    shown_path,
)

if TYPE_CHECKING:
    from errands.draw.batch import Batch
    from errands.draw.commitment import Commitment, Proof, Revealed

draw = typer.Typer(
    help="Draw a list of tasks by a published rule: frame, rules, batch; commit, reveal, verify.",
    no_args_is_help=True,
)
Date = Annotated[str, typer.Option("--date", help="The day on which it is made public, as 2026-10-04.")]
FrameFile = Annotated[Path, typer.Option("--frame", help="The frame, as `errands draw frame` wrote it.")]
SaltFile = Annotated[Path, typer.Option("--salt", help="The file with the salt; secret until the list is.")]


@draw.callback()
def root() -> None:
    """Draw a list of tasks."""


@draw.command("frame")
def frame(
    out: Annotated[Path, typer.Argument(help="Where the frame goes.")],
    suite: Suite = None,
    domain: Domain = None,
    task: TaskName = None,
    market: Market = None,
    variant: Variant = None,
    tag: Tag = None,
    held_out: HeldOut = False,
    about: Annotated[str, typer.Option("--about", help="What the frame's readers should know.")] = "",
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes; 0 is one for each core.")] = 0,
    pack: PackDir = None,
    json: Json = False,
) -> None:
    """Let the oracle sit every instance of a selection, and write down what it changes and needs."""
    from collections import Counter

    from errands.calibrate.frame import frame as made
    from errands.calibrate.frame import measure
    from errands.calibrate.report import cores
    from errands.tasks.registry import select

    choices = select(selection(suite, domain, task, market, variant, tag, "en", held_out))
    entries = []
    with bar("instances measured", len(choices), quiet=json) as advance:
        for one in measure(choices, jobs or cores()):
            entries.append(one)
            advance()
    done = made(entries, about)
    _write(out, done.text)
    stand = Counter(e.status for e in entries)
    told = {"path": str(out), "digest": done.digest, "instances": len(entries), "status": dict(stand)}
    if json:
        put(told)
        return
    kinds = len({(e.world, e.changes) for e in entries if e.changes})
    count = ", ".join(f"{n} {status}" for status, n in sorted(stand.items(), reverse=True))
    pairs([("Frame", shown_path(out)), ("SHA-256", done.digest), ("Instances", f"{len(entries)}: {count}")])
    pairs(
        [("Changes", f"{kinds} different sets; {sum(not e.changes for e in entries)} instances without any")]
    )
    commands("Next", [f"errands draw batch batch.json --frame {shown_path(out)} --seed VALUE --source WORDS"])


@draw.command("rules")
def rules(
    out: Annotated[Path, typer.Argument(help="Where the rules go.")],
    cap: Annotated[int, typer.Option("--cap", help="Tasks a group, at most 3.")] = 2,
    exclude: Annotated[
        list[str] | None,
        typer.Option("--exclude", help="CODE=ID or CODE=GLOB: instances that take no part (repeatable)."),
    ] = None,
    json: Json = False,
) -> None:
    """Write the rules of a draw: cap and exclusions, with the text of this edition. Its digest is what is committed."""
    from errands.draw.rules import Exclusion
    from errands.draw.rules import rules as made

    given = [text.partition("=") for text in exclude or ()]
    done = made(cap, tuple(Exclusion(match=_match(m), code=_code(c)) for c, _, m in given))
    _write(out, done.text)
    if json:
        put({"path": str(out), "digest": done.digest, "cap": cap, "exclusions": len(done.exclusions)})
        return
    pairs([("Rules", shown_path(out)), ("SHA-256", done.digest)])
    for text in done.says:
        console().print(f"  · {text}")


def _code(code: str) -> Any:
    from errands.draw.codes import CODES

    if code not in CODES:
        raise UsageError(f"there is no code {code!r}", where="code", expected=", ".join(CODES))
    return code


def _match(text: str) -> str:
    if not text:
        raise UsageError("an exclusion names nothing", where="--exclude", expected="CODE=ID or CODE=GLOB")
    return text


@draw.command("batch")
def batch(
    out: Annotated[Path, typer.Argument(help="Where the batch goes.")],
    frame: FrameFile,
    seed: Annotated[
        str, typer.Option("--seed", help="A public random value, or a date as a number (20261004).")
    ],
    source: Annotated[
        str, typer.Option("--source", help="Where the value comes from, as it was named before.")
    ],
    rules: Annotated[
        Path | None, typer.Option("--rules", help="The rules; without, two a group and no exclusions.")
    ] = None,
    json: Json = False,
) -> None:
    """Draw: exclusions, groups, picks with their reasons, exact probabilities. The same input gives the same bytes."""
    from errands.draw.batch import draw as drawn
    from errands.draw.files import read
    from errands.draw.frame import Frame
    from errands.draw.rules import Rules, Seed
    from errands.draw.rules import rules as usual

    try:
        value = Seed(value=seed, source=source)
    except ValueError:
        raise UsageError(
            f"{seed!r} is no seed",
            where="--seed",
            expected="up to 200 characters of ASCII without a space, and words for --source",
        ) from None
    done = drawn(read(Frame, frame), read(Rules, rules) if rules else usual(), value)
    _write(out, done.text)
    if json:
        put({"path": str(out), "digest": done.digest, **done.totals.model_dump()})
    else:
        _print(done, out)


@draw.command("show")
def show(
    batch: Annotated[Path, typer.Argument(help="A batch.")],
    json: Json = False,
) -> None:
    """Show a batch: figures, shares, what it cannot support, every pick with its reason."""
    from errands.draw.batch import Batch
    from errands.draw.files import read

    done = read(Batch, batch)
    if json:
        put({"digest": done.digest, **done.model_dump(mode="json")})
        return
    _print(done, batch)
    gone = {w.id for w in done.withdrawals}
    for p in done.picks:
        adds = f" ({', '.join(p.adds)})" if p.adds else ""
        mark = " [red]withdrawn[/]" if p.id in gone else ""
        console().print(
            f" {p.id}  [dim]{p.group} · {p.reason}{adds} · chance {p.chance}[/]{mark}", soft_wrap=True
        )


@draw.command("withdraw")
def withdraw(
    batch: Annotated[Path, typer.Argument(help="The batch.")],
    ident: Annotated[str, typer.Argument(metavar="ID", help="The task that is withdrawn.")],
    out: Annotated[Path, typer.Option("--out", help="Where the batch with the withdrawal goes.")],
    code: Annotated[str, typer.Option("--code", help="Why, by its code.")],
    date: Date,
    why: Annotated[str, typer.Option("--why", help="Why, in words of your own.")] = "",
    json: Json = False,
) -> None:
    """Take a task off a list that is drawn already. Nothing takes its place; both results are to be told."""
    from errands.draw.batch import Batch
    from errands.draw.batch import withdraw as gone
    from errands.draw.files import read

    done = gone(read(Batch, batch), ident, _code(code), date, why)
    _write(out, done.text)
    if json:
        assert done.after is not None
        put({"path": str(out), "digest": done.digest, **done.after.model_dump(mode="json")})
    else:
        _print(done, out)


@draw.command("commit")
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
    _write(commitment, c.text)
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
        _write(file, secrets.token_hex(32).encode() + b"\n")
        note(f"salt: {shown_path(file)}, made now. Keep it, and keep it secret until the list is revealed.")
    return checked_salt(content(file).decode("ascii", "replace").strip(), str(file))


@draw.command("prove")
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
    _write(out, done.text)
    if json:
        put({"path": str(out), **done.model_dump(mode="json")})
    else:
        pairs([("Proof", shown_path(out)), ("Task", ident), ("Way", f"{len(done.path)} nodes to the root")])


@draw.command("reveal")
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
        _write(out, done.text)
    _judged(
        [("commitment, frame, batch and salt agree", wrong)], {"path": str(out), "digest": done.digest}, json
    )
    if not json:
        commands("Next", [f"errands draw verify {shown_path(out)}"], width=4)


@draw.command("verify")
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


def _write(file: Path, data: bytes) -> None:
    try:
        write_whole(file, data)
    except OSError as why:
        raise UsageError(f"it cannot be written: {why.strerror}", where=str(file)) from None


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


def _print(b: Batch, file: Path) -> None:
    from rich.table import Table

    t, a = b.totals, b.after
    pairs(
        [
            ("Seed", f"{b.seed.value}, from: {b.seed.source}"),
            ("Rules", f"edition {b.rules.edition}, at most {b.rules.cap} a group; {b.rules_digest[:16]}…"),
            ("About", b.about),
            ("Frame", f"{t.frame} instances, {t.excluded} excluded, {t.eligible} in {t.groups} groups"),
            *(("", f"{code}: {n}") for code, n in sorted(_codes(b).items())),
            ("Drawn", f"{t.drawn} tasks, {t.certain} of them certain"),
            *(("Withdrawn", f"{w.id}, {w.date}: {w.code}, {w.why}") for w in b.withdrawals),
        ]
    )
    if a is not None:
        pairs(
            [
                ("Listed", a.listed.words),
                ("Headline", f"without their groups: {a.without.words}"),
                ("Beside it", a.bounds),
            ]
        )
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("World")
    for name in ("Groups", "Eligible", "Drawn", "Share"):
        table.add_column(name, justify="right")
    for s in a.shares if a else b.shares:
        table.add_row(s.world, str(s.groups), str(s.tasks), str(s.drawn), s.share)
    console().print(indented(table))
    pairs([("Warning", b.warning), *(("Cannot", text) for text in b.cannot)])
    commands("Next", [f"errands run AGENT --batch {shown_path(file)} --attempts 2"])


def _codes(b: Batch) -> dict[str, int]:
    from collections import Counter

    return dict(Counter(x.code for x in b.exclusions))
