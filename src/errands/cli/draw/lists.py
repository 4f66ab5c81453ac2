"""`errands draw frame, rules, batch, show, withdraw`: the list itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from errands.core.errors import UsageError

from ..options import Cores, Json, PackDir, Picked, grouped
from ..screen import bar, commands, console, indented, pairs, put, shown_path, write

if TYPE_CHECKING:
    from errands.draw.batch import Batch

Date = Annotated[str, typer.Option("--date", help="The day on which it is made public, as 2026-10-04.")]
FrameFile = Annotated[Path, typer.Option("--frame", help="The frame, as `errands draw frame` wrote it.")]


@grouped
def frame(
    out: Annotated[Path, typer.Argument(help="Where the frame goes.")],
    picked: Picked,
    about: Annotated[str, typer.Option("--about", help="What the frame's readers should know.")] = "",
    jobs: Cores = 0,
    pack: PackDir = None,
    json: Json = False,
) -> None:
    """Let the oracle sit every instance of a selection, and write down what it changes and needs."""
    from collections import Counter

    from errands.calibrate.frame import frame as made
    from errands.calibrate.frame import measure
    from errands.calibrate.report import cores
    from errands.tasks.registry import select

    choices = select(picked.selection)
    entries = []
    with bar("instances measured", len(choices), quiet=json) as advance:
        for one in measure(choices, jobs or cores()):
            entries.append(one)
            advance()
    done = made(entries, about)
    write(out, done.text)
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
    write(out, done.text)
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
    write(out, done.text)
    if json:
        put({"path": str(out), "digest": done.digest, **done.totals.model_dump()})
    else:
        _print(done, out)


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
    write(out, done.text)
    if json:
        assert done.after is not None
        put({"path": str(out), "digest": done.digest, **done.after.model_dump(mode="json")})
    else:
        _print(done, out)


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
