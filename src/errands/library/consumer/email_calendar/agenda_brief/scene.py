"""The scenes of the briefing pack: matters of which a variant draws its meetings, and what became of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from errands.core.errors import TaskError
from errands.tasks import Build, Who

MINUTE = 60_000
DAYS, LIVE = 8, 4  # working days over which threads run; matters that are meetings of tomorrow

Piece = Literal["arrange", "q1", "s1", "q2", "f1", "f2", "promise", "again"]
Fate = Literal["live", "off", "moved"]
Asks = Literal["quiet", "open", "settled", "newer"]
Brings = Literal["none", "one", "newer", "again"]
ASKS: dict[Asks, list[str]] = {
    "quiet": [],
    "open": ["q1"],
    "settled": ["q1", "s1"],
    "newer": ["q1", "s1", "q2"],
}
ENDS: dict[Fate, list[str]] = {"live": [], "off": ["off", "off_ok"], "moved": ["moved", "moved_ok"]}
GENERIC = ("off", "off_ok", "moved", "moved_ok", "again")  # one text for all matters


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Matter(_Strict):
    """Something to meet about: the event, who comes, how its first question is settled, and its paper.

    The first of `with` leads it and writes whatever `by` gives to nobody else; the owner agrees. The words are
    `<key>_<piece>`. `passed_on`: who sends the newest version of the paper, in a thread of its own. `voice` chooses
    among the texts that all matters share, `speaks` a language of them other than the market's first.
    """

    key: str
    title: str
    with_: tuple[Who, ...] = Field(alias="with", min_length=1)
    ours: tuple[Who, ...] = ()
    minutes: int
    settles: Literal["answers", "withdraws"]
    file: str
    newer: str
    passed_on: Who | None = None
    by: dict[Piece, Who] = Field(default_factory=dict)
    voice: int = 0
    speaks: str = ""

    @model_validator(mode="after")
    def _own_question(self) -> Matter:
        if self.settles == "withdraws" and self.writer("s1") != self.writer("q1"):
            raise ValueError("only who asked withdraws a question: s1 and q1 are by one person")
        return self

    @property
    def lead(self) -> str:
        """Who arranges it on the other side."""
        return self.with_[0]

    def writer(self, piece: str) -> str:
        """Who writes a message of its thread."""
        if piece in ("agree", "off_ok", "moved_ok"):
            return "me"
        return next((who for what, who in self.by.items() if what == piece), self.lead)

    def words(self, piece: str) -> str:
        """The key of its words."""
        if piece not in GENERIC:
            return f"{self.key}_{piece}"
        return f"{piece}_{self.speaks}" if self.speaks else piece


class Office(_Strict):
    """The errand in one market: its matters, and whom the brief must not be mailed to."""

    chief: Who
    matter: tuple[Matter, ...] = Field(min_length=6, max_length=6)


@dataclass(frozen=True, slots=True)
class Part:
    """What a matter is in a variant."""

    matter: Matter
    fate: Fate
    asks: Asks
    brings: Brings

    @property
    def pieces(self) -> tuple[list[str], list[str]]:
        """What follows once the meeting is arranged: about its question, and about its paper."""
        newer = ["promise", "fwd"] if self.matter.passed_on else ["f2"]
        papers = {"none": [], "one": ["f1"], "newer": ["f1", *newer], "again": ["f1", *newer, "again"]}
        return ASKS[self.asks], papers[self.brings]


@dataclass(frozen=True, slots=True)
class Act:
    """What a message does to a meeting. `item`: the question, or the version of the paper."""

    matter: str
    kind: Literal["arranges", "asks", "answers", "withdraws", "brings", "moves", "calls off"]
    message: str
    thread: str
    at: int
    item: str = ""
    file: str = ""
    event: str = ""
    day: str = ""


def parts(b: Build, office: Office) -> list[Part]:
    """Which matters are met about tomorrow and which are off or moved, and what each thread holds: each kind of trap
    once at least among those that are met about."""
    for _ in range(200):
        drawn = b.rng.shuffled(office.matter)
        live, gone = drawn[:LIVE], drawn[LIVE:]
        if {m.settles for m in live} == {"answers", "withdraws"} and len(
            {m.passed_on is None for m in live}
        ) == 2:
            break
    else:
        raise TaskError(
            "no four matters have both ways to settle a question and both ways to get the newest paper",
            where=f"agenda_brief, {b.market.code}, variant {b.variant}",
            expected="`settles` answers and withdraws, and `passed_on` with and without, in at least two matters each",
        )
    asks: dict[str, Asks] = {
        _first(live, settles="answers").key: "newer",
        _first(live, settles="withdraws").key: b.rng.choice(("settled", "newer")),
    }
    other: list[Asks] = ["open", b.rng.choice(("quiet", "settled"))]
    brings: dict[str, Brings] = {}
    brings[next(m.key for m in live if m.passed_on is None)] = "again"
    brings[next(m.key for m in live if m.passed_on)] = "newer"
    rest: list[Brings] = ["none", b.rng.choice(("one", "newer"))]
    for m in b.rng.shuffled(live):
        if m.key not in asks:
            asks[m.key] = other.pop()
        if m.key not in brings:
            brings[m.key] = rest.pop()
    out = [Part(m, "live", asks[m.key], brings[m.key]) for m in live]
    fates: tuple[Fate, ...] = ("off", "moved")
    for m, fate in zip(gone, fates, strict=True):
        out.append(Part(m, fate, b.rng.choice(("open", "newer")), b.rng.choice(("one", "newer"))))
    return out


def _first(matters: Iterable[Matter], settles: str) -> Matter:
    return next(m for m in matters if m.settles == settles)


# ---- room in the calendar -----------------------------------------------------------------------------------------


def clear(b: Build, day: date) -> None:
    """Take out of the life what it has with outsiders on this day: those meetings have no thread here."""
    for event in meetings(b, day):
        row = b.draft.all(f"SELECT starts, rrule, exdates FROM calendar_event WHERE id = '{event}'")[0]
        low, high = _span(b, day)
        if row["rrule"]:
            starts = [
                o["starts"]
                for o in b.draft.all(f"SELECT starts FROM calendar_occurrence WHERE event = '{event}'")
                if low <= o["starts"] < high
            ]
            exdates = "[" + ",".join(map(str, sorted([*_numbers(row["exdates"]), *starts]))) + "]"
            b.draft.db.execute("UPDATE calendar_event SET exdates = ? WHERE id = ?", (exdates, event))
            b.draft.db.execute(
                "DELETE FROM calendar_occurrence WHERE event = ? AND starts >= ? AND starts < ?",
                (event, low, high),
            )
        else:
            for table, column in (("occurrence", "event"), ("attendee", "event"), ("event", "id")):
                b.draft.db.execute(f"DELETE FROM calendar_{table} WHERE {column} = ?", (event,))


def _numbers(text: str) -> list[int]:
    return [int(n) for n in text.strip("[]").split(",") if n]


def _span(b: Build, day: date) -> tuple[int, int]:
    return b.at(day, "00:00"), b.at(day + timedelta(1), "00:00")


def times(b: Build, day: date, minutes: list[int]) -> list[int]:
    """Starts on this day for meetings of these lengths, in which the owner has nothing else, in random order."""
    low, high = _span(b, day)
    taken = [
        (o["starts"], o["ends"])
        for o in b.draft.all(
            "SELECT o.starts, o.ends FROM calendar_occurrence o JOIN calendar_event e ON e.id = o.event"
            f" WHERE o.starts < {high} AND o.ends > {low} AND e.all_day = 0"
        )
    ]
    week = b.market.week
    taken.append((b.at(day, f"{week.lunch.start:%H:%M}"), b.at(day, f"{week.lunch.end:%H:%M}")))
    first, last = b.at(day, f"{week.hours.start:%H:%M}"), b.at(day, f"{week.hours.end:%H:%M}")
    for _ in range(500):
        busy, out = list(taken), list[int]()
        for length in minutes:
            free = [
                s
                for s in range(first, last - length * MINUTE + 1, 30 * MINUTE)
                if all(s + length * MINUTE <= a or z <= s for a, z in busy)
            ]
            if not free:
                break
            out.append(b.rng.choice(free))
            busy.append((out[-1], out[-1] + length * MINUTE))
        if len(out) == len(minutes):
            return out
    raise TaskError(
        f"{day} has no room for {len(minutes)} meetings",
        where=f"agenda_brief, {b.market.code}, variant {b.variant}",
        do="give the matters fewer `minutes`",
    )


# ---- the independent solver: meetings from the calendar's rows, their state from what was said ---------------------


def meetings(b: Build, day: date, outsiders: bool = True) -> list[str]:
    """Ids of the events of the work calendar on this day to which somebody from outside the firm is invited (or, if
    not `outsiders`, nobody is)."""
    low, high = _span(b, day)
    rows = b.draft.all(
        "SELECT e.id, coalesce(a.email, '') AS email FROM calendar_event e"
        " JOIN calendar_occurrence o ON o.event = e.id LEFT JOIN calendar_attendee a ON a.event = e.id"
        f" WHERE e.calendar = 'cal_work' AND o.starts >= {low} AND o.starts < {high} ORDER BY o.starts, e.id"
    )
    ours = b.me.email.partition("@")[2]
    theirs = {r["id"] for r in rows if r["email"] and r["email"].partition("@")[2] != ours}
    return [e for e in dict.fromkeys(r["id"] for r in rows) if (e in theirs) is outsiders]


@dataclass(frozen=True, slots=True)
class State:
    """What a meeting came to: its day ("" once it is off), its thread, the open question, the paper and its message."""

    matter: str
    event: str
    day: str
    thread: str
    question: str
    file: str
    file_message: str

    def row(self, none: str) -> dict[str, str]:
        """The row of the list."""
        return {
            "event_id": self.event,
            "thread_id": self.thread,
            "question": self.question or none,
            "file": self.file or none,
            "file_message": self.file_message or none,
        }


def fold(acts: Iterable[Act]) -> list[State]:
    """What was said, in order, folded to the state of each meeting."""
    state: dict[str, State] = {}
    open_: dict[str, dict[str, str]] = {}
    version: dict[str, int] = {}
    for a in sorted(acts, key=lambda a: (a.at, a.message)):
        if a.kind == "arranges":
            state[a.matter] = State(a.matter, a.event, a.day, a.thread, "", "", "")
        now = state[a.matter]
        if a.kind == "asks":
            open_.setdefault(a.matter, {})[a.item] = a.message
        elif a.kind in ("answers", "withdraws"):
            if open_.get(a.matter, {}).pop(a.item, "") == "":
                raise TaskError(
                    f"{a.matter}: {a.item} is settled and was not asked", where="agenda_brief, words"
                )
        elif a.kind == "brings" and int(a.item) > version.get(a.matter, 0):
            version[a.matter] = int(a.item)
            state[a.matter] = replace(now, file=a.file, file_message=a.message)
        elif a.kind in ("moves", "calls off"):
            state[a.matter] = replace(now, day=a.day)
    for matter, asked in open_.items():
        if len(asked) > 1:
            raise TaskError(
                f"{matter} has {len(asked)} open questions",
                where="agenda_brief, words",
                expected="one, or none",
            )
        state[matter] = replace(state[matter], question=next(iter(asked.values()), ""))
    return list(state.values())
