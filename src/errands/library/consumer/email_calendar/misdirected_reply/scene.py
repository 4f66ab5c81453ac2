"""The scenes of the misdirected reply: who was meant, who got it, what the mail gave away; and the solver."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from itertools import combinations
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from errands.apps.files.writing import table_bytes
from errands.core import clock
from errands.core.errors import TaskError
from errands.core.money import Money
from errands.markets.calendar import add_workdays
from errands.tasks import Build, Who
from errands.tasks.papers import media

from .values import KINDS, SLOTS, Facts, Kind, Value, amount, draw, noted

HOUR = 3_600_000


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Sheet(_Strict):
    """What is attached: the name it has now and the one it had, and rows with slots, the heading first."""

    name: str = Field(pattern=r"^[\w.-]+\.(csv|txt|xlsx)$")
    old: str = Field(pattern=r"^[\w.-]+\.(csv|txt|xlsx)$")
    rows: tuple[tuple[str, ...], ...] = Field(min_length=2)


class Scene(_Strict):
    """One mail gone astray. `say` begins the names of its words.

    `to` got it for `intended`; some of `strays` were in copy beside `entitled`. Of the six kinds `main` is the amount
    that the mail is about, `again` stands in the mail that it answers, `sheet_kind` in its file, `first` in the mail
    before those; of the two of `either` one is told and one is only mentioned. `quote` is how its language heads a
    quoted mail.
    """

    say: str
    subject: str
    intended: Who
    entitled: Who
    to: Who
    strays: tuple[Who, ...] = Field(min_length=2)
    main: Literal["price", "salary"]
    again: Kind
    sheet_kind: Kind
    first: Kind
    either: tuple[Kind, Kind]
    starts: tuple[date, date]
    facts: Facts
    sheet: Sheet
    quote: str = "quote"


class Office(_Strict):
    """The errand in one market. `outsider`: whom it does not concern at all."""

    outsider: Who
    scene: tuple[Scene, ...] = Field(min_length=3)


@dataclass(frozen=True)
class Astray:
    """What was written: the mail gone astray and the others of its thread, and the values that there are."""

    message: str
    answered: str
    thread: tuple[str, ...]
    wrong: tuple[str, ...]
    values: dict[Kind, object]
    stale: Money
    starts: date
    held: Kind
    quotes_all: bool


def _where(b: Build) -> str:
    return f"misdirected_reply, {b.market.code}, variant {b.variant}"


def lay_out(b: Build, scene: Scene) -> Astray:
    """Mail the thread: a first mail with older figures, an answer, and the reply that went to the wrong people."""
    kinds = {scene.main, scene.again, scene.sheet_kind, scene.first, *scene.either}
    if kinds != set(KINDS):
        raise TaskError("each kind must stand in one place", where=_where(b), expected=", ".join(KINDS))
    values = draw(b, scene.facts)
    main = values[scene.main]
    assert isinstance(main, Money)
    stale = amount(b, getattr(scene.facts, scene.main), other_than=main.minor)
    starts = add_workdays(b.market, scene.starts[0], b.rng.below((scene.starts[1] - scene.starts[0]).days))
    told, held = b.rng.shuffled(scene.either)
    quotes_all = b.rng.below(2) == 1
    wrong = _wrong(b, scene)
    known = {SLOTS[k]: v for k, v in values.items()} | {"amount": main, "starts": starts, "stale": stale}

    def say(key: str, choice: int = 0, **more: object) -> str:
        slots = known | more
        key = f"{scene.say}_{key}"
        return b.say(key, choice, **{s: slots[s] for s in b.asked(key)}).text

    yesterday, before = add_workdays(b.market, b.today, -1), add_workdays(b.market, b.today, -2)
    thread = b.id("thr")
    at = b.at(before, b.rng.choice(("10:20", "11:05", "14:35")))
    first = say("first", file=scene.sheet.old)
    old = _sheet(b, scene, scene.sheet.old, known | {"amount": stale})
    one = b.mail(
        "me",
        [scene.intended],
        scene.subject,
        first,
        at,
        thread=thread,
        cc=[scene.entitled],
        files=(old,),
    )
    asked = say("again")
    quote = _quoted(b, scene, b.market.owner, at, first)
    at = b.at(yesterday, b.rng.choice(("09:40", "10:50", "11:25")))
    two = b.mail(
        scene.intended,
        ["me"],
        f"Re: {scene.subject}",
        f"{asked}\n\n{quote}" if quotes_all else asked,
        at,
        thread=thread,
        cc=[scene.entitled],
        reply_to=one,
    )
    quote = _quoted(b, scene, scene.intended, at, f"{asked}\n\n{quote}" if quotes_all else asked)
    lines = [say(SLOTS[told], 0), say(SLOTS[held], 1)]
    reply = say("reply", file=scene.sheet.name, aside="\n\n".join(b.rng.shuffled(lines)))
    three = b.mail(
        "me",
        [scene.to],
        f"Re: {scene.subject}",
        f"{reply}\n\n{quote}",
        b.at(yesterday, b.rng.choice(("16:10", "16:45", "17:20"))),
        thread=thread,
        cc=[scene.entitled, *(w for w in wrong if w != scene.to)],
        reply_to=two,
        files=(_sheet(b, scene, scene.sheet.name, known),),
        unopened=_unopened(b, wrong),
    )
    return Astray(three, two, (one, two, three), wrong, values, stale, starts, held, quotes_all)


def _wrong(b: Build, scene: Scene) -> tuple[str, ...]:
    """Who got it and should not have: one or two beside the addressee, colleagues and others among them."""
    sets = [(scene.to, *more) for n in (1, 2) for more in combinations(scene.strays, n)]
    mixed = [s for s in sets if {_inside(b, p) for p in s} == {True, False}]
    if not mixed:
        raise TaskError(
            "all who got it are of one house", where=_where(b), expected="`to` and `strays` of both kinds"
        )
    return b.rng.choice(mixed)


def _inside(b: Build, who: str) -> bool:
    return b.people[who].email.rpartition("@")[2] == b.me.email.rpartition("@")[2]


def _unopened(b: Build, wrong: tuple[str, ...]) -> tuple[str, ...]:
    """Who has not opened it: at least one colleague; those outside too, where no colleague has."""
    inside = b.rng.shuffled([w for w in wrong if _inside(b, w)])
    closed = inside[: b.rng.between(1, len(inside))]
    outside = [w for w in wrong if not _inside(b, w)]
    return tuple(closed if len(closed) < len(inside) else [*closed, *outside])


def _quoted(b: Build, scene: Scene, who: str, at: int, text: str) -> str:
    """A mail as mail programs quote it."""
    when = clock.from_ms(at, b.market.zone).replace(tzinfo=None)
    head = b.say(scene.quote, who=b.people[who].name, at=when).text
    return "\n".join([head, *(f"> {line}".rstrip() for line in text.splitlines())])


def _sheet(b: Build, scene: Scene, name: str, known: dict[str, Any]) -> tuple[str, str, bytes]:
    """The attached file, its amounts and dates as tables have them."""
    plain = {k: _cell(v) for k, v in known.items()}
    rows = [[cell.format(**plain) for cell in row] for row in scene.sheet.rows]
    kind = name.rpartition(".")[2]
    if kind == "txt":
        data = "".join("  ".join(row) + "\n" for row in rows).encode()
    else:
        data = table_bytes(kind, rows[0], rows[1:])
    return name, media(name), data


def _cell(value: object) -> str:
    if isinstance(value, Money):
        return str(value.major.normalize() if value.major % 1 else int(value.major))
    return value.isoformat() if isinstance(value, date) else str(value)


def all_values(astray: Astray, main: Kind) -> list[Value]:
    """Every value that stands somewhere in the thread, for the key; the older amount too."""
    return [*(noted(k, v) for k, v in astray.values.items()), noted(main, astray.stale)]
