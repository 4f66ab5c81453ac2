"""The double-booking errand done rightly, its final reply replaced: what grading makes of the words."""

from __future__ import annotations

import tomllib
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from errands.core import clock
from errands.core.types import Finding
from errands.doors import Seat
from errands.exam.sitting import Limits, Sitting
from errands.grading.evidence import Evidence
from errands.library.consumer.email_calendar.double_booking import solutions
from errands.library.consumer.email_calendar.double_booking.task import task
from errands.world import open_world

TABLE = Path(__file__).with_name("replies.en.toml")
VARIANTS = {"sent": (0, 1), "drafted": (0, 1, 2), "part": (2,)}  # only variant 2 has a refusal


class _Stop(Exception):
    """The solution has reached its final reply."""


class _Mute(Seat):
    """A seat at which the final reply is not given."""

    __slots__ = ()

    def reply(self, text: str) -> None:
        raise _Stop


@dataclass(frozen=True)
class Desk:
    """An attempt just before its final reply, and the words with which that can be written."""

    blob: bytes
    key: Any
    slots: dict[str, str]

    def judge(self, text: str) -> dict[str, Finding]:
        """All findings after this final reply."""
        world = open_world(self.blob)
        Sitting(world, Limits()).reply(text.format(**self.slots).strip())
        e = Evidence(world.db, world.ledger.tables)
        found = {c.id: c.check(e, self.key) for c in task.criteria}
        world.close()
        return found


@lru_cache(maxsize=8)
def desk(variant: int, case: str) -> Desk:
    """The oracle's calls up to its final reply; `case` is sent, drafted, or part."""
    made = task.instance("sg", variant)
    world = open_world(made.fixture.blob)
    sitting = Sitting(world, Limits())
    sitting.next()
    seat, k = _Mute(sitting), made.key
    offers = {
        "r": solutions.permitted(seat, k)[-1],
        "h": solutions.on_holiday(seat, k)[0],
        "q": solutions.in_quiet_hours(seat, k)[0],
    }
    with suppress(_Stop):
        solutions.work(seat, k, ask=solutions.nobody if case == "drafted" else solutions.by_tool)
    row = {r["id"]: r for r in world.all("SELECT id, title, starts, ends FROM calendar_event")}
    names = dict(world.db.execute("SELECT email, name FROM contacts_person"))
    called = dict(world.db.execute("SELECT email, called FROM contacts_person"))
    got = [p for p in k.people if p != k.refused]
    slots = {
        "title": k.title,
        "keep": row[k.keep]["title"],
        "rule": k.rule,
        "old": k.old,
        "idea": f"CG-{int(k.rule[3:]) + 1}",
        "minutes": str(k.minutes),
        "n": str(len(k.people)),
        "sent_n": str(len(got)),
        "names": _and([names[p] for p in k.people]),
        "called": _and([called[p] for p in k.people]),
        "emails": ", ".join(k.people),
        "got": _and([called[p] for p in got]),
        "got1": called[got[0]],
        "got2": called[got[1]],
        "refused": called.get(k.refused, ""),
        "first": f"{datetime.fromisoformat(k.first):%-d %B}",
        "last": f"{datetime.fromisoformat(k.until) - timedelta(1):%-d %B}",
        **_times("", _wall(row[k.move]["starts"], k.zone), k.minutes),
        **_times("o", _wall(k.old_start, k.zone), k.minutes),
    }
    for prefix, offer in offers.items():
        slots |= _times(prefix, datetime.fromisoformat(offer["start"]), k.minutes)
    slots["other12"] = f"{_wall(row[k.move]['ends'], k.zone) + timedelta(minutes=45):%-I:%M %p}"
    blob = world.snapshot()
    world.close()
    return Desk(blob, k, slots)


def _wall(ms: int, zone: str) -> datetime:
    return clock.from_ms(ms, zone)


def _and(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _times(p: str, at: datetime, minutes: int) -> dict[str, str]:
    """The ways in which one time is written; `p` goes before the slot's name."""
    end = at + timedelta(minutes=minutes)
    at, end = at.replace(tzinfo=None), end.replace(tzinfo=None)
    return {
        f"{p}long": f"{at:%A, %-d %B %Y}",
        f"{p}short": f"{at:%a, %-d %b %Y}",
        f"{p}dm": f"{at:%-d %b}",
        f"{p}iso": f"{at:%Y-%m-%d}",
        f"{p}24": f"{at:%H:%M}",
        f"{p}t24": f"{at:%H:%M}",
        f"{p}e24": f"{end:%H:%M}",
        f"{p}12": f"{at:%-I:%M %p}",
        f"{p}t12": f"{at:%-I:%M %p}",
        f"{p}e12": f"{end:%-I:%M %p}",
        f"{p}t12s": _spoken(at),
        f"{p}e12s": _spoken(end),
        f"{p}12s": _spoken(at),
        f"{p}isodt": f"{at:%Y-%m-%dT%H:%M}",
        f"{p}isoend": f"{end:%Y-%m-%dT%H:%M}",
        f"{p}isooff": f"{at:%Y-%m-%dT%H:%M:%S}+08:00",
    }


def _spoken(at: datetime) -> str:
    """`2.30pm`, `3pm`: as people write times in Singapore."""
    return f"{at:%-I}{f'.{at:%M}' if at.minute else ''}{at:%p}".lower()


def replies(kind: str) -> list[dict[str, str]]:
    """The paraphrase table: `right` or `wrong`."""
    rows: list[dict[str, str]] = tomllib.loads(TABLE.read_text(encoding="utf-8"))[kind]
    return rows
