"""The threads of this errand as data: who brings, re-sends or takes back which version, and the writing of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from errands.core.errors import TaskError
from errands.markets.calendar import add_workdays
from errands.tasks import Build, Who

from .papers import Paper, Sheet, notes_of, paper_of

MINUTE = 60_000
Ending = Literal["forward", "withdrawn", "late"]
ENDINGS: tuple[Ending, ...] = ("forward", "withdrawn", "late")
"""How the story ends: the newest version hides in a forward; the last one is taken back; an old one turns up last."""
Span = Annotated[tuple[int, int], Field(description="working days, from and to")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Line(_Strict):
    """One message, and at most one act: it brings a version, re-sends one of some, takes one back, announces one and
    has nothing attached, or has something attached that is no version (`notes` on it, the `other` document).

    `file`: the attachment's name, `{n}` a number in it. `by`: whose name stands in the file, if not the sender's.
    `moves`: what changes in the file, as (row, step); drawn if not given. `after`: working days since the message
    before. `when`: the endings in which it is written; `sometimes`: or not.
    """

    say: str
    from_: Who = Field(alias="from")
    to: tuple[Who, ...] = Field(min_length=1)
    cc: tuple[Who, ...] = ()
    after: Span = (1, 3)
    thread: Literal["main", "side", "other"] = "main"
    when: tuple[Ending, ...] = ENDINGS
    sometimes: bool = False
    brings: str = ""
    by: Who | Literal[""] = ""
    moves: tuple[tuple[int, int], ...] | None = None
    resends: tuple[str, ...] = ()
    takes_back: str = ""
    announces: bool = False
    notes: bool = False
    other: bool = False
    file: str = ""

    @model_validator(mode="after")
    def _one_act(self) -> Line:
        acts = (self.brings, self.resends, self.takes_back, self.announces, self.notes, self.other)
        if sum(map(bool, acts)) > 1:
            raise ValueError("a message does one thing")
        if bool(self.brings or self.notes or self.other) > bool(self.file) or (self.announces and self.file):
            raise ValueError("what brings something names its file, what only announces it has none")
        return self


class Scene(_Strict):
    """One document: its title and that of the one that looks like it, its issues in order, what stands in it (columns;
    items with their unit and bounds, `other_items` where the other has its own), the notes on it as rows under their
    title, and the messages in the order in which they were sent."""

    document: str
    other: str
    issues: tuple[str, ...] = Field(min_length=5)
    columns: tuple[str, str, str]
    items: tuple[tuple[str, str, int, int], ...] = Field(min_length=3)
    other_items: tuple[tuple[str, str, int, int], ...] = ()
    notes: tuple[tuple[str, ...], ...] = Field(min_length=2)
    line: tuple[Line, ...]

    @model_validator(mode="after")
    def _in_order(self) -> Scene:
        came = list(dict.fromkeys(x.brings for x in self.line if x.brings and x.when != ("late",)))
        late = {x.brings for x in self.line if x.brings and x.when == ("late",)}
        if came != [v for v in self.issues if v not in late] or self.issues[0] in late:
            raise ValueError(
                f"issues go on as they were brought, {', '.join(came)}, with a late one in between"
            )
        return self


class Office(_Strict):
    """The errand in one market: to whom nothing must be sent, and a scene for each variant in turn."""

    chief: Who
    scene: tuple[Scene, ...] = Field(min_length=3)


@dataclass
class Sent:
    """What became of a line: its message, when, and the name of its attachment."""

    line: Line
    message: str
    at: int
    name: str = ""


@dataclass
class Written:
    """All messages of a variant in order; which bytes are which version; which messages were taken back."""

    sent: list[Sent]
    papers: dict[str, Paper] = field(default_factory=dict)

    def of(self, what: str) -> list[Sent]:
        """The messages that do something, by the name of the field."""
        return [s for s in self.sent if getattr(s.line, what)]

    def bringing(self, version: str) -> Sent:
        """The message in which a version first came."""
        return next(s for s in self.sent if s.line.brings == version)

    @property
    def taken_back(self) -> list[str]:
        """Messages whose attachment was taken back."""
        return [self.bringing(s.line.takes_back).message for s in self.of("takes_back")]


def write(b: Build, scene: Scene, ending: Ending) -> Written:
    """Mail the threads of a scene with this ending."""
    lines = [x for x in scene.line if ending in x.when]
    lines = [x for x in lines if not x.sometimes or b.rng.below(2)]
    days = _days(b, lines)
    numbers = _numbers(b, scene, lines)
    papers = _papers(b, scene, lines, days)
    out = Written([], papers)
    threads: dict[str, tuple[str, str, str]] = {}
    clock_ = 0
    for line, (day, fresh) in zip(lines, days, strict=True):
        clock_ = b.rng.between(520, 900) if fresh else clock_ + b.rng.between(25, 65)
        at = b.at(day, f"{clock_ // 60:02d}:{clock_ % 60:02d}")
        name, data = _attachment(b, scene, line, papers, numbers, out, day)
        old = out.bringing(line.takes_back).name if line.takes_back else ""
        known = {"file": name, "doc": scene.document, "other": scene.other, "old": old}
        said = b.say(line.say, 0, **{k: v for k, v in known.items() if k in b.asked(line.say)})
        thread, subject, before = threads.get(line.thread) or (b.id("thr"), said.subject or "", "")
        sent = b.mail(
            line.from_,
            list(line.to),
            f"Re: {subject}" if before else subject,
            said.text,
            at,
            thread=thread,
            cc=list(line.cc),
            reply_to=before,
            files=(data,) if data else (),
        )
        threads[line.thread] = (thread, subject, sent)
        out.sent.append(Sent(line, sent, at, name))
    return out


def _days(b: Build, lines: list[Line]) -> list[tuple[date, bool]]:
    """The day of each message, and whether it is another than that of the one before; the last lies before today."""
    steps = [b.rng.between(*x.after) for x in lines]
    day = add_workdays(b.market, b.today, -(sum(steps[1:]) + b.rng.between(1, 3)))
    out = [(day, True)]
    for n in steps[1:]:
        day = add_workdays(b.market, day, n) if n else day
        out.append((day, n > 0))
    return out


def _numbers(b: Build, scene: Scene, lines: list[Line]) -> dict[str, int]:
    """The number in the name of each version that has one: the highest is of none that stands or was taken back."""
    back = {x.takes_back for x in lines}
    standing = max(
        (x.brings for x in lines if x.brings and x.brings not in back), key=scene.issues.index, default=""
    )
    named = [x.brings for x in lines if x.brings and "{n}" in x.file]
    drawn = b.rng.shuffled(range(2, 10))[: len(named)]
    numbers = dict(zip(named, drawn, strict=True))
    others = [v for v in named if v != standing and v not in back]
    if not others:
        raise TaskError(
            "no version but the one that stands has a number in its name",
            where=f"latest_attachment, {b.market.code}, {scene.document}",
            expected="`{n}` in the `file` of some",
        )
    loudest = max(named, key=numbers.__getitem__)
    if loudest not in others:
        swap = b.rng.choice(others)
        numbers[loudest], numbers[swap] = numbers[swap], numbers[loudest]
    return numbers


def _papers(b: Build, scene: Scene, lines: list[Line], days: list[tuple[date, bool]]) -> dict[str, Paper]:
    """The file of each version, in the order of issues: number, date and some figures go on from one to the next."""
    came = {x.brings: (x, day) for x, (day, _) in zip(lines, days, strict=True) if x.brings}
    late = {v for v, (x, _) in came.items() if x.when == ("late",)}
    back = {x.takes_back for x in lines}
    sheet = Sheet(
        scene.document, scene.columns, [[i, u, b.rng.between(lo, hi)] for i, u, lo, hi in scene.items]
    )
    out: dict[str, Paper] = {}
    number, on = 0, date.min
    for version in (v for v in scene.issues if v in came):
        line, day = came[version]
        number += b.rng.between(1, 2)
        before = add_workdays(b.market, day, -b.rng.between(1, 2))
        on = on if version in late and on != date.min else before
        drawn = (b.rng.below(len(sheet.rows)), b.rng.choice((-1, 1, 2)))
        new = sheet.moved([drawn] if line.moves is None else line.moves)
        by = b.people[line.by or line.from_].name
        out[version] = paper_of(new, b.say("issue", 0, n=number, on=on, by=by).text, number, on)
        sheet = sheet if version in back else new  # what is taken back leaves no trace in what comes after
    return out


def _attachment(
    b: Build,
    scene: Scene,
    line: Line,
    papers: dict[str, Paper],
    numbers: dict[str, int],
    out: Written,
    day: date,
) -> tuple[str, tuple[str, str, bytes] | None]:
    """The name and the bytes that a message has attached, if any."""
    if line.brings:
        name = line.file.replace("{n}", str(numbers.get(line.brings, "")))
        return name, papers[line.brings].file(name)
    if line.resends:
        there = [v for v in line.resends if any(s.line.brings == v for s in out.sent)]
        if not there:
            raise TaskError(
                f"{line.say} re-sends {', '.join(line.resends)}, none of which has come before it",
                where=f"latest_attachment, {b.market.code}, {scene.document}",
            )
        version = b.rng.choice(there)
        first = out.bringing(version).name
        kind = first.rpartition(".")[2]
        name = f"{line.file}.{kind}" if line.file else first
        return name, papers[version].file(name)
    if line.notes:
        return line.file, notes_of(scene.notes, line.file)
    if line.other:
        items = scene.other_items or scene.items
        sheet = Sheet(scene.other, scene.columns, [[i, u, b.rng.between(lo, hi)] for i, u, lo, hi in items])
        n, on = b.rng.between(5, 9), add_workdays(b.market, day, -1)
        text = b.say("issue", 0, n=n, on=on, by=b.people[line.from_].name).text
        name = line.file.replace("{n}", str(b.rng.between(10, 14)))
        return name, paper_of(sheet, text, n, on).file(name)
    return "", None
