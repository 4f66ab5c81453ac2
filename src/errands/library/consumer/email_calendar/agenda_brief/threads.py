"""The threads of the briefing pack as they are written: events and mails, and a record of what each mail does."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

from errands.core import clock
from errands.markets.calendar import add_workdays
from errands.markets.words import Said
from errands.tasks import Build
from errands.tasks.papers import Paper, paper

from .scene import DAYS, ENDS, MINUTE, Act, Matter, Part

VERSION = {"f1": "1", "f2": "2", "fwd": "2", "again": "2"}


def write(b: Build, part: Part, day: date, starts: int) -> list[Act]:
    """The event of a matter, the thread in which it was arranged, and what came in since; returns what was said."""
    m, thread = part.matter, b.id("thr")
    event = meeting(b, m, starts)
    about, papers = part.pieces
    order = ["arrange", "agree", *_mingled(b, about, papers), *ENDS[part.fate]]
    to = add_workdays(b.market, day, b.rng.between(2, 4))
    versions = {
        n: paper(f, m.title, b.rng, b.market.currency.code) for n, f in (("1", m.file), ("2", m.newer))
    }
    acts, previous, subject = list[Act](), "", ""
    for piece, at in zip(order, _moments(b, len(order)), strict=True):
        attached: tuple[Paper, ...] = (versions[VERSION[piece]],) if piece in VERSION else ()
        told = _say(b, m, piece, starts, to=to, file=(attached or (versions["1"],))[0][0])
        if piece == "fwd":
            where, sender = b.id("thr"), m.passed_on or m.lead
            message = b.mail(sender, ["me"], told.subject or "", told.text, at, thread=where, files=attached)
        else:
            where, sender = thread, m.writer(piece)
            subject = subject or told.subject or ""
            readers, copied = _readers(m, sender)
            message = previous = b.mail(
                sender,
                readers,
                f"Re: {subject}" if previous else subject,
                told.text,
                at,
                thread=thread,
                cc=copied,
                reply_to=previous,
                unread=sender != "me" and at > b.now - 20 * 60 * MINUTE,
                files=attached,
            )
        base = Act(m.key, "asks", message, where, at, event=event)
        acts += _acts(part, piece, base, attached, day, to)
    return acts


def _acts(part: Part, piece: str, base: Act, attached: tuple[Paper, ...], day: date, to: date) -> list[Act]:
    """What a message of this piece does."""
    if attached:
        return [replace(base, kind="brings", item=VERSION[piece], file=attached[0][0])]
    if piece == "arrange":
        return [replace(base, kind="arranges", day=day.isoformat())]
    if piece in ("q1", "q2"):
        return [replace(base, kind="asks", item=piece)]
    if piece == "s1":
        return [replace(base, kind=part.matter.settles, item="q1")]
    if piece == "moved":
        return [replace(base, kind="moves", day=to.isoformat())]
    return [replace(base, kind="calls off")] if piece == "off" else []


def meeting(b: Build, m: Matter, starts: int) -> str:
    """An event of a matter; returns its id."""
    ends = starts + m.minutes * MINUTE
    return b.event(m.title, starts, ends, attendees=[*m.with_, *m.ours], organizer=m.writer("arrange"))


def last_time(b: Build, m: Matter, day: date) -> str:
    """The meeting of some months ago and its thread, with a question and a paper of its own; returns the thread."""
    then = add_workdays(b.market, day, -b.rng.between(52, 66))
    starts = b.at(then, b.rng.choice(("10:00", "10:30", "14:00", "15:30")))
    meeting(b, m, starts)
    thread, old = b.id("thr"), paper(m.file, m.title, b.rng, b.market.currency.code)
    told = _say(b, m, "past", starts, file=old[0])
    readers, copied = _readers(m, m.lead)
    at = b.at(
        add_workdays(b.market, then, -b.rng.between(2, 5)),
        f"{b.rng.between(9, 11):02d}:{b.rng.between(0, 59):02d}",
    )
    b.mail(
        m.lead,
        readers,
        told.subject or "",
        told.text,
        at,
        thread=thread,
        cc=copied,
        folder="archive",
        files=(old,),
    )
    return thread


def _say(b: Build, m: Matter, piece: str, starts: int, **facts: Any) -> Said:
    """The words of a piece, with those of the facts that they ask for."""
    known = {**facts, "at": clock.from_ms(starts, b.market.zone), "who": b.people[m.lead]}
    key = m.words(piece)
    return b.say(key, m.voice, **{slot: value for slot, value in known.items() if slot in b.asked(key)})


def _readers(m: Matter, sender: str) -> tuple[list[str], list[str]]:
    """To and Cc of a message in the thread of a matter: all who come get it."""
    to = list(m.with_) if sender == "me" else ["me"]
    return to, [p for p in (*m.with_, *m.ours) if p not in (*to, sender)]


def _mingled(b: Build, one: list[str], two: list[str]) -> list[str]:
    """Two sequences as one, each in its order."""
    left = (iter(one), iter(two))
    return [next(left[mark]) for mark in b.rng.shuffled([0] * len(one) + [1] * len(two))]


def _moments(b: Build, n: int) -> list[int]:
    """Times of `n` messages, in order, in the half days of the working days before today."""
    halves = [(d, half) for d in range(-DAYS, 0) for half in ((9, 11), (14, 17))]
    return [
        b.at(
            add_workdays(b.market, b.today, d),
            f"{b.rng.between(*half):02d}:{b.rng.between(0, 59):02d}",
        )
        for d, half in sorted(b.rng.sample(halves, n))
    ]
