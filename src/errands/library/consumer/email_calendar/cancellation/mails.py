"""The mails about the cancellation: what may be said, what is confided, and which times may be offered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from errands.core import clock
from errands.core.errors import TaskError
from errands.core.money import Money
from errands.grading.compare.texts import find_times
from errands.markets.calendar import add_workdays, is_workday
from errands.tasks import Build

from .scene import MINUTE, Called, Office, Scene, busy, clear, days_between, starts


@dataclass(frozen=True)
class Told:
    """What the mails say: the number that counts and the old one, what is confided, and times in UTC ms.

    `sources`: the messages that hold the last word on the reason and on the times. `right`: the starts that may be
    offered. `stale`: held once and no longer. `holiday`: held, on a public holiday.
    """

    code: str
    old: str
    case: str
    amount: Money
    mails: list[str]
    sources: tuple[str, str]
    right: list[int]
    stale: list[int]
    holiday: int


def correspond(b: Build, office: Office, scene: Scene, called: Called) -> Told:
    """Write the mails about it, and read from them what may be offered."""
    number = b.rng.between(2100, 8900)
    code, old = f"{scene.notice}-{number}", f"{scene.notice}-{number - b.rng.between(7, 90)}"
    case = f"{scene.case}-{b.rng.between(3100, 9700)}"
    low, high, step = scene.amount
    amount = Money.of(low + step * b.rng.between(0, (high - low) // step), b.market.currency.code)
    right, stale, off = _held(b, office, scene)
    other = scene.apart if scene.apart and b.people[scene.apart].language not in (None, b.local) else None
    here = [p for p in scene.people if p != other]
    local = {ms: clock.from_ms(ms, b.market.zone) for ms in (*right, *stale, off, called.start)}
    before = b.rng.shuffled([*stale, right[0]])
    last = b.rng.shuffled([*right, off])
    known: dict[str, object] = {
        "title": scene.title,
        "at": local[called.start],
        "me": b.me,
        "to": [b.people[p] for p in here],
        "first": b.people[here[0]],
        "apart": b.people[scene.apart] if scene.apart else b.me,
        "code": code,
        "old": old,
        "case": case,
        "name": scene.confided[0],
        "amount": amount,
        **dict(zip("abc", (local[s] for s in before), strict=True)),
        **dict(zip("xyz", (local[s] for s in last), strict=True)),
    }

    def write(what: str, sender: str, to: list[str], when: int, reply_to: str = "", thread: str = "") -> str:
        key = f"{scene.words}_{what}"
        said = b.say(key, 0, **{k: v for k, v in known.items() if k in b.asked(key)})
        return b.mail(
            sender,
            to,
            said.subject or f"Re: {scene.title}",
            said.text,
            when,
            thread=thread,
            reply_to=reply_to,
        )

    mails: list[str] = []
    invited = _draw(b, office.invited_on)
    for what, to, at in (("invite", here, "10:40"), ("apart", [other], "11:05")):
        if to[0] is not None:
            thread, when = b.id("thr"), b.at(invited, at)
            agreed = "agreed" if what == "invite" else "apart_agreed"
            mails.append(write(what, "me", [str(p) for p in to], when, thread=thread))
            mails.append(write(agreed, str(to[0]), ["me"], when + 190 * MINUTE, mails[-1], thread))
    write("old", scene.notice_by, ["me"], b.at(_draw(b, office.old_on), "09:25"))
    yesterday = add_workdays(b.market, b.today, -1)
    reason = write("notice", scene.notice_by, ["me"], b.at(yesterday, "11:20"))
    write("private", scene.confides, ["me"], b.at(yesterday, "13:55"))
    thread = b.id("thr")
    held = write("list", office.slots_by, ["me"], b.at(yesterday, "15:10"), thread=thread)
    lately = write("later", office.slots_by, ["me"], b.at(yesterday, "17:05"), held, thread)
    found = offers(b, lately)
    if found != sorted(right):
        raise TaskError(
            f"the mail of the last word reads as {[clock.iso(s, b.market.zone) for s in found]}",
            where=f"cancellation, {b.market.code}, say.{scene.words}_later",
            expected=f"{[clock.iso(s, b.market.zone) for s in sorted(right)]} and one on a public holiday",
            do="write the three times with {x|day} {x|time}, {y|day} {y|time}, {z|day} {z|time}, and no other",
        )
    return Told(code, old, case, amount, mails, (reason, lately), sorted(right), stale, off)


def _held(b: Build, office: Office, scene: Scene) -> tuple[list[int], list[int], int]:
    """Two times that may be offered, two that were held before, and one on a public holiday: each on its own day."""
    length, taken = scene.minutes * MINUTE, busy(b)
    days = [d for d in days_between(office.first, office.last) if d not in office.spared]
    free = {d: [s for s in starts(b, scene, d) if clear((s, s + length), taken)] for d in days}
    work = b.rng.shuffled([d for d in days if is_workday(b.market, d) and free[d]])
    off = [d for d in days if d.weekday() < 5 and not is_workday(b.market, d) and free[d]]
    if len(work) < 4 or not off:
        raise TaskError(
            f"from {office.first} to {office.last} there are {len(work)} working days and {len(off)} public holidays",
            where=f"cancellation, {b.market.code}, scene {scene.words}",
            expected="four working days and a public holiday on a weekday, each with a free stretch",
        )
    times = [b.rng.choice(free[d]) for d in work[:4]]
    holiday = b.rng.choice(free[b.rng.choice(off)])
    for who in scene.people:  # what may be offered suits the invited, as far as their calendars say anything
        for s in times[:2]:
            b.draft.db.execute(
                "DELETE FROM calendar_busy WHERE person = ? AND starts < ? AND ends > ?",
                (b.people[who].email, s + length, s),
            )
    return times[:2], times[2:], holiday


def offers(b: Build, mail: str) -> list[int]:
    """The starts that may be offered, read again from the mail of the last word and the calendar of holidays."""
    (row,) = b.draft.all("SELECT body, at FROM mail_message WHERE id = ?", mail)
    closed = b.draft.all("SELECT starts, ends FROM calendar_event WHERE calendar = 'cal_holidays'")
    sent = clock.from_ms(row["at"], b.market.zone).date()
    named = [f.value for f in find_times(row["body"], b.market.zone, b.market.date_order, sent)]
    return sorted(
        {m.ms if m else 0 for m in named if not m or not any(h["starts"] <= m.ms < h["ends"] for h in closed)}
    )


def _draw(b: Build, span: tuple[date, date]) -> date:
    return b.rng.choice([d for d in days_between(*span) if is_workday(b.market, d)])
