"""The scenes of the invitations from abroad: who invites, by which clock, and what their conversion makes of it.

Here plain differences of hours are reckoned with, as the scene states them; `solver.py` knows the rules of zones.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from itertools import product
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from errands.core.errors import TaskError
from errands.markets.calendar import is_workday
from errands.tasks import Build, Who
from errands.tasks.build import of_the_cast

from .ics import invitation

MINUTE = 60_000
DAY = timedelta(days=1)
NONE = "none"
FAULTS = (NONE, "clock-change", "wrong-zone", "wrong-date", "unclear")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _hours(text: str) -> timedelta:
    """`-2:30` as a difference of clocks."""
    found = re.fullmatch(r"(-?)(\d{1,2}):(\d\d)", text)
    if found is None:
        raise ValueError(f"{text!r} is no difference of clocks such as 7:00 or -2:30")
    size = timedelta(hours=int(found[2]), minutes=int(found[3]))
    return -size if found[1] else size


class Invite(_Strict):
    """An invitation: by whom (a key of the cast, or `Name <address>`), on which days and at which hours of their clock.

    `ahead`: how far the owner's clock is ahead of theirs on those days. `slip`: the same as somebody reckons who is
    wrong about their summer time; `astray`: as one does who takes the clock of another place; `dates`: whether they
    may forget that the day has changed here. `odd`: looks odd where it is right. `home`: they travel, and `astray` is
    their clock at home. `other`: the second place that may be meant, where the mail does not say which of two; such a
    one has no conversion. `first`, `reply`: words of an earlier version and of the owner's answer to it.
    """

    by: str
    title: str
    words: str
    file: str = Field(pattern=r"^[a-z0-9-]+\.ics$")
    zone: str
    days: tuple[date, date]
    hours: tuple[time, ...] = Field(min_length=3)
    minutes: int = 60
    ahead: str
    slip: str = ""
    astray: str = ""
    dates: bool = False
    odd: bool = False
    home: bool = False
    other: str = ""
    first: str = ""
    reply: str = ""

    @field_validator("by")
    @classmethod
    def _known(cls, by: str, info: ValidationInfo) -> str:
        return by if "@" in by else of_the_cast(by, info)

    @model_validator(mode="after")
    def _fits(self) -> Invite:
        for text in filter(None, (self.ahead, self.slip, self.astray, self.other)):
            _hours(text)
        if self.home and not self.astray:
            raise ValueError("who travels needs `astray`, the clock at home")
        if self.first and ("@" in self.by or not self.reply or self.other):
            raise ValueError("only an invitation of the cast has an earlier version, and a reply to it")
        return self

    @property
    def faults(self) -> tuple[str, ...]:
        """What its conversion may be."""
        if self.other:
            return ("unclear",)
        bears = (True, bool(self.slip), bool(self.astray), self.dates)
        return tuple(f for f, may in zip(FAULTS, bears, strict=False) if may)


class Sheet(_Strict):
    """A colleague's old table of differences, true in the season in which it was mailed."""

    by: Who
    words: str
    on: date


class Office(_Strict):
    """The errand in one market: the label, when the mails came, all invitations by name, and scenes of them."""

    label: str
    invited_on: tuple[date, date]
    sheet: Sheet
    invite: dict[str, Invite]
    scene: tuple[tuple[str, ...], ...] = Field(min_length=3)

    @model_validator(mode="after")
    def _named(self) -> Office:
        for name in (n for s in self.scene for n in s):
            if name not in self.invite:
                raise ValueError(f"no invitation {name!r}")
        return self


# ---- the writer: plain differences --------------------------------------------------------------------------------


def assigned(b: Build, office: Office) -> list[tuple[Invite, str]]:
    """The invitations of this variant's scene, each with the fault that it is to have.

    Every fault is there, and some are right; among the right ones is one that looks odd.
    """
    cast = [office.invite[n] for n in office.scene[b.variant % len(office.scene)]]
    ways = [
        way
        for way in product(*(i.faults for i in cast))
        if set(way) == set(FAULTS) and any(f == NONE and i.odd for i, f in zip(cast, way, strict=True))
    ]
    if not ways:
        raise TaskError(
            "this scene cannot have each fault, and an odd one that is right",
            where=f"invite_audit, {b.market.code}, variant {b.variant}",
            expected="one with `slip`, one with `astray`, one with `dates`, one with `other`, and an `odd` one left",
        )
    return b.rng.shuffled(list(zip(cast, b.rng.choice(ways), strict=True)))


def _claimed(i: Invite, fault: str, there: datetime) -> datetime:
    """The owner's local time as the organiser reckons it."""
    true = there + _hours(i.ahead)
    if fault == "clock-change":
        return there + _hours(i.slip)
    if fault == "wrong-zone":
        return there + _hours(i.astray)
    return datetime.combine(there.date(), true.time()) if fault == "wrong-date" else true


def _times(b: Build, i: Invite, fault: str) -> list[datetime]:
    """When it may take place by their clock: on working days of both sides, at hours that somebody may propose, and
    with nothing wrong but what is meant to be."""
    out = []
    for n in range((i.days[1] - i.days[0]).days + 1):
        for at in i.hours:
            there = datetime.combine(i.days[0] + n * DAY, at)
            true, claim = there + _hours(i.ahead), _claimed(i, fault, there)
            same = true.date() == claim.date()
            if (
                there.weekday() < 5
                and is_workday(b.market, true.date())
                and 6 <= true.hour < 23
                and claim.hour >= 6
                and same == (fault != "wrong-date")
            ):
                out.append(there)
    return out


def write(b: Build, office: Office) -> list[dict[str, Any]]:
    """Mail the invitations and put them on the calendar as their organisers reckoned; returns what was intended."""
    out, taken = [], set[datetime]()
    for n, (i, fault) in enumerate(assigned(b, office)):
        open_ = [t for t in _times(b, i, fault) if t + _hours(i.ahead) not in taken]
        if not open_:
            raise TaskError(
                f"no time at which {i.title!r} can have the fault {fault}",
                where=f"invite_audit, {b.market.code}, variant {b.variant}",
                expected="days and hours that are working time on both sides",
            )
        there = b.rng.choice(open_)
        taken.add(there + _hours(i.ahead))
        out.append(_send(b, office, i, fault, there, n))
    return out


def _send(b: Build, office: Office, i: Invite, fault: str, there: datetime, n: int) -> dict[str, Any]:
    here, thread, reply_to, old = _claimed(i, fault, there), b.id("thr"), "", ""
    sent = _arrives(b, office, n)
    uid = f"{b.id('uid')}@{b.who(i.by)[0].partition('@')[2]}"
    if i.first:
        others = [t for t in _times(b, i, NONE) if t.date() != there.date()]
        before = b.rng.choice([t for t in others if t < there] or others)
        old = _mail(b, office, i, i.first, before, before + _hours(i.ahead), sent[0], thread, uid)
        answer = _text(b, i, i.reply, before, before + _hours(i.ahead))
        reply_to = b.mail(
            "me",
            [i.by],
            f"Re: {i.title}",
            answer,
            sent[1],
            thread=thread,
            labels=(office.label,),
            reply_to=old,
        )
    message = _mail(b, office, i, i.words, there, here, sent[2], thread, uid, reply_to)
    shown = there if i.other else here
    starts = b.at(shown.date(), f"{shown:%H:%M}")
    event = b.event(
        i.title,
        starts,
        starts + i.minutes * MINUTE,
        attendees=[],
        organizer=i.by,
        response="needs-action",
    )
    return {
        "message": message,
        "old": old,
        "event": event,
        "by": b.who(i.by)[0],
        "fault": fault,
        "claimed": NONE if i.other else f"{here:%Y-%m-%d %H:%M}",
        "guess": f"{there + _hours(i.ahead):%Y-%m-%d %H:%M}" if i.other else "",
        "home": f"{there + _hours(i.astray):%Y-%m-%d %H:%M}" if i.home else "",
    }


def _text(b: Build, i: Invite, words: str, there: datetime, here: datetime) -> str:
    known: dict[str, Any] = {"there": there, "here": here, "file": i.file, "title": i.title}
    return b.say(words, **{slot: v for slot, v in known.items() if slot in b.asked(words)}).text


def _mail(
    b: Build,
    office: Office,
    i: Invite,
    words: str,
    there: datetime,
    here: datetime,
    sent: int,
    thread: str,
    uid: str,
    reply_to: str = "",
) -> str:
    data = invitation(
        uid=uid,
        title=i.title,
        organizer=b.who(i.by),
        attendee=b.me.email,
        start=there,
        minutes=i.minutes,
        zone="" if i.other else i.zone,
        sent=sent,
        again=bool(reply_to),
    )
    return b.mail(
        i.by,
        ["me"],
        f"Re: {i.title}" if reply_to else i.title,
        _text(b, i, words, there, here),
        sent,
        thread=thread,
        labels=(office.label,),
        reply_to=reply_to,
        files=((i.file, "text/calendar", data),),
    )


def _arrives(b: Build, office: Office, n: int) -> tuple[int, int, int]:
    """When the first version, the answer to it and the mail that counts were sent: on three working days in a row."""
    low, high = office.invited_on
    days = [d for k in range((high - low).days + 1) if is_workday(b.market, d := low + timedelta(k))]
    if len(days) < 3:
        raise TaskError(f"{len(days)} working days from {low} to {high}", where="invite_audit, invited_on")
    at = b.rng.below(len(days) - 2)
    minute = 10 * n + b.rng.below(9)  # no two at the same moment
    clocks = (10 * 60 + 5, 11 * 60 + 30, 14 * 60 + 10)
    first, second, third = (
        b.at(d, "00:00") + (m + minute) * MINUTE for d, m in zip(days[at : at + 3], clocks, strict=True)
    )
    return first, second, third


def sheet(b: Build, office: Office) -> None:
    """The old table of differences, in the archive."""
    told = b.say(office.sheet.words)
    b.mail(
        office.sheet.by,
        ["me"],
        told.subject or "",
        told.text,
        b.at(office.sheet.on, "16:25"),
        folder="archive",
    )
