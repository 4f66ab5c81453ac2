"""The believable rest of a life, by market: months of mail, calendar, people and files, built once and shared."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from errands.apps.calendar import seed as calendar_seed
from errands.apps.contacts import seed as contacts_seed
from errands.apps.mail import seed as mail_seed
from errands.core import clock
from errands.core.errors import TaskError
from errands.markets import Market, folder, load_market, read_toml
from errands.markets.model import Appointment, Entry, load_life
from errands.markets.words import load_words
from errands.markets.writing import load_writing
from errands.world.fixture import Draft

from .build import DAY_MS, of_the_cast, window
from .papers import media, paper
from .stream import Stream

_STEP = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_min_length=1)


class Message(_Strict):
    """One message of a thread; `after` is the pause since the one before (`1d2h`, `45m`)."""

    from_: str = Field(alias="from")
    to: tuple[str, ...] = Field(min_length=1)
    cc: tuple[str, ...] = ()
    after: str = ""
    files: tuple[str, ...] = ()
    body: str

    @field_validator("from_", "to", "cc")
    @classmethod
    def _known(cls, who: str | tuple[str, ...], info: ValidationInfo) -> str | tuple[str, ...]:
        for one in (who,) if isinstance(who, str) else who:
            if "@" not in one:
                of_the_cast(one, info)
        return who

    @field_validator("after")
    @classmethod
    def _span(cls, text: str) -> str:
        if text:
            pause(text)
        return text

    @field_validator("files")
    @classmethod
    def _can_be_made(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            media(name)
        return names


class Thread(_Strict):
    """A thread of the life's mail, in local time."""

    id: str
    subject: str
    start: datetime
    labels: tuple[str, ...] = ()
    folder: str = Field(pattern="^(inbox|archive)$")
    message: tuple[Message, ...] = Field(min_length=1)


def pause(text: str) -> timedelta:
    """`1d2h`, `3h20m`, `45m` as a time span; `ValueError` otherwise."""
    m = _STEP.fullmatch(text)
    if not m or not text:
        raise ValueError(f"{text!r} is no span such as 1d2h or 45m")
    days, hours, minutes = (int(x or 0) for x in m.groups())
    return timedelta(days=days, hours=hours, minutes=minutes)


@lru_cache(maxsize=16)
def threads(code: str) -> tuple[Thread, ...]:
    """The threads of a market's life, from `markets/<code>/words/life/*.toml`, in order of time."""
    out: list[Thread] = []
    cast = {"people": load_market(code).people}
    for file in sorted(folder(code).joinpath("words/life").iterdir(), key=lambda f: f.name):
        for raw in read_toml(file).get("thread", []):
            try:
                out.append(Thread.model_validate(raw, context=cast))
            except ValidationError as why:
                first = why.errors()[0]
                raise TaskError(
                    first["msg"],
                    where=f"{file}, thread {raw.get('id', '?')}, {'.'.join(map(str, first['loc']))}",
                ) from None
    return tuple(sorted(out, key=lambda t: (t.start, t.id)))


def settle(d: Draft, market: Market, now: int) -> None:
    """Put the life of a market into a blank draft, as it stands at world time `now` (UTC ms): what its apps hold.

    A locale has none: there the address book holds its people, the owner's one calendar is empty, and there is no mail.
    """
    rng = Stream("life", market.code)
    if "contacts" in d.apps:
        _people(d, market)
    if market.now is not None:
        if "calendar" in d.apps:
            me = market.people[market.owner].email
            calendar_seed.calendar(
                d, id="cal_work", name="Calendar", owner=me, access="own", zone=market.zone
            )
        return
    if "calendar" in d.apps:
        _calendar(d, market, now, rng)
    for thread in threads(market.code) if "mail" in d.apps else ():
        _thread(d, market, thread, now, rng)


def _people(d: Draft, market: Market) -> None:
    file = folder(market.code).joinpath("words/habits.toml")
    habits = load_words(file, load_writing(market.code)) if market.now is None else None
    for key, p in market.people.items():
        contacts_seed.person(
            d,
            id=f"per_{key}",
            name=p.name,
            called=p.called,
            formal=p.formal,
            email=p.email,
            phone=p.phone,
            org=p.org or "",
            title=p.title or "",
            relation=p.relation,
            zone=p.zone or market.zone,
            notes=" ".join(habits.say(t.replace("-", "_"), 0).text for t in p.traits if habits),
            related=[(kind, f"per_{other}") for kind, other in p.related.items()],
        )


def _thread(d: Draft, market: Market, thread: Thread, now: int, rng: Stream) -> None:
    ident, at = rng.ident("thr"), clock.to_ms(clock.resolve(thread.start, market.zone))
    previous = ""
    for n, m in enumerate(thread.message):
        if m.after:
            at += int(pause(m.after) / timedelta(milliseconds=1))
        if at >= now:
            raise TaskError(f"message {n + 1} lies in the world's future", where=f"life thread {thread.id}")
        if n:
            at += 1_000 * rng.between(1, 59)
        mine = m.from_ == market.owner
        previous = mail_seed.message(
            d,
            id=rng.ident("msg"),
            thread=ident,
            folder="sent" if mine else thread.folder,
            sender=_sender(market, m.from_),
            to=[_address(market, p) for p in m.to],
            cc=[_address(market, p) for p in m.cc],
            subject=thread.subject if n == 0 else f"Re: {thread.subject}",
            body=m.body.strip(),
            at=at,
            reply_to=previous,
            unread=not mine and thread.folder == "inbox" and at > now - 2 * DAY_MS,
            labels=thread.labels,
            files=[paper(name, thread.subject, rng, market.currency.code) for name in m.files],
        )


def _address(market: Market, who: str) -> str:
    return who if "@" in who else market.people[who].email


def _sender(market: Market, who: str) -> tuple[str, str]:
    if "@" in who:
        return who, who.partition("@")[2].removesuffix(".example").capitalize()
    return market.people[who].email, market.people[who].name


def _calendar(d: Draft, market: Market, now: int, rng: Stream) -> None:
    life = load_life(market.code)
    me = market.people[market.owner]
    names = {"Work": "cal_work", "Personal": "cal_personal", "Team roster": "cal_roster"}
    shown = (life.names.work, life.names.personal, life.names.roster)
    for name, ident in zip(shown, names.values(), strict=True):
        calendar_seed.calendar(d, id=ident, name=name, owner=me.email, access="own", zone=market.zone)
    calendar_seed.calendar(
        d, id="cal_holidays", name=life.names.holidays, owner="", access="read", zone=market.zone
    )
    span = window(now)
    for h in market.holiday_on.values():
        start = clock.to_ms(clock.resolve(datetime.combine(h.date, datetime.min.time()), market.zone))
        if span[0] <= start <= span[1]:
            calendar_seed.event(
                d,
                id=rng.ident("evt"),
                calendar="cal_holidays",
                title=h.names.get(market.languages[0], h.name),
                starts=start,
                ends=start + DAY_MS,
                zone=market.zone,
                organizer="",
                attendees=[],
                all_day=True,
                window=span,
            )
    for a in (*life.series, *life.event):
        _appointment(d, market, a, names[a.calendar], life.last, span, rng)
    for person, entries in life.busy.items():
        for entry in entries:
            for starts, ends in _spans(entry, life.zone, life.last, span):
                calendar_seed.busy(d, person=market.people[person].email, starts=starts, ends=ends)


def _spans(entry: Entry, zone: str, last: date, span: tuple[int, int]) -> list[tuple[int, int]]:
    from errands.apps.calendar.recurrence import expand

    starts, ends, where = _times(entry, zone)
    return expand(starts, ends, where, _rule(entry, last), _excluded(entry, where), span)


def _times(entry: Entry, zone: str) -> tuple[int, int, str]:
    where = entry.zone or zone
    starts = clock.to_ms(clock.resolve(entry.first, where))
    length = entry.minutes * 60_000 if entry.minutes else (entry.days or 1) * DAY_MS
    return starts, starts + length, where


def _rule(entry: Entry, last: date) -> str:
    """The rule with its end written out: a series that an agent moves must not grow past the life's last day."""
    if not entry.rrule or "UNTIL=" in entry.rrule or "COUNT=" in entry.rrule:
        return entry.rrule or ""
    return f"{entry.rrule};UNTIL={last:%Y%m%d}"


def _excluded(entry: Entry, zone: str) -> list[int]:
    return [clock.to_ms(clock.resolve(datetime.combine(d, entry.first.time()), zone)) for d in entry.exdates]


def _appointment(
    d: Draft, market: Market, a: Appointment, calendar: str, last: date, span: tuple[int, int], rng: Stream
) -> None:
    starts, ends, where = _times(a, market.zone)
    keys = list(dict.fromkeys([a.organizer or market.owner, market.owner, *a.attendees]))
    if a.shows == "free":  # a note to oneself: nobody is taken by it
        keys = []
    people = [(market.people[p].email, market.people[p].name, "accepted") for p in keys]
    extra: dict[str, Any] = {"rrule": _rule(a, last), "exdates": _excluded(a, where)}
    calendar_seed.event(
        d,
        id=rng.ident("evt"),
        calendar=calendar,
        title=a.title,
        starts=starts,
        ends=ends,
        zone=where,
        organizer=market.people[a.organizer or market.owner].email if keys else "",
        attendees=people if len(people) > 1 else [],
        location=a.location or "",
        all_day=a.date is not None,
        window=span,
        **extra,
    )


def start_of(market: Market) -> int:
    """World time (UTC ms) at which the errands of a market begin."""
    return clock.to_ms(clock.resolve(market.now or load_life(market.code).now, market.zone))
