"""The scenes of the three-party errand: who asks to move which meeting, who sits abroad, and when each of them can."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from pydantic import BaseModel, ConfigDict, Field

from errands.core import clock
from errands.core.errors import TaskError
from errands.markets.calendar import add_workdays, is_workday
from errands.tasks import Build, Who

MINUTE = 60_000
Span = tuple[int, int]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Scene(_Strict):
    """One meeting of three: the owner, `asks` who cannot come and asks to move it, and `abroad`.

    `hours`: when the one abroad can, on their own clock. `words` begins the names of this scene's texts in the
    market's banks: `<words>_invite`, `_agreed` (both answer the invitation), `_ask`, `_later`, `_hours`.
    `block` is what the owner has at one of the times that would suit the others.
    """

    words: str
    title: str
    asks: Who
    abroad: Who
    minutes: int = Field(ge=30, le=120)
    hours: tuple[time, time]
    block: str


class Office(_Strict):
    """The errand in one market: the days to which the meeting may move, and a scene for each variant in turn."""

    first: date
    last: date
    invited_on: tuple[date, date]
    outsider: Who
    scene: tuple[Scene, ...] = Field(min_length=3)


@dataclass(frozen=True)
class Offer:
    """What the two have said, and what follows from it: spans in UTC ms.

    `mails`: the messages of their conversation. `valid`: where the meeting may stand. `taken_back`, `deaf` (outside
    the hours of the one abroad), `taken` (the owner is not free) and `misread` (their clock read as ours) are starts
    that only look right.
    """

    mails: list[str]
    valid: list[Span]
    taken_back: int
    deaf: int
    taken: int
    misread: int


ROUNDS = 6  # each draws other hours for the same days
AWAKE = (time(7), time(21))  # where the one abroad would sit in a meeting


def old_slot(b: Build, scene: Scene) -> int:
    """A time on the next two working days at which the owner has nothing else and it is day where the other is."""
    mine, hours = busy(b), b.market.week.hours
    length = scene.minutes * MINUTE
    there = b.people[scene.abroad].zone or b.market.zone
    days = [add_workdays(b.market, b.today, n) for n in (1, 2)]
    spans = [(b.at(d, f"{hours.start:%H:%M}"), b.at(d, f"{hours.end:%H:%M}")) for d in days]
    open_ = [
        s
        for low, high in spans
        for s in range(low, high - length + 1, 30 * MINUTE)
        if clear((s, s + length), mine) and AWAKE[0] <= clock.from_ms(s, there).time() <= AWAKE[1]
    ]
    if not open_:
        raise TaskError(
            "no time for the meeting",
            where=f"reschedule_three_party, {b.market.code}, scene {scene.words}",
            expected="somebody abroad who is awake at some hour of this market's working day",
        )
    return b.rng.choice(open_)


def busy(b: Build) -> list[Span]:
    """When the owner is taken in the coming four weeks."""
    rows = b.draft.all(
        "SELECT o.starts, o.ends FROM calendar_occurrence o JOIN calendar_event e ON e.id = o.event"
        " WHERE o.ends > ?2 AND o.starts < ?3 AND (e.organizer = ?1 OR EXISTS"
        " (SELECT 1 FROM calendar_attendee a WHERE a.event = e.id AND a.email = ?1 AND a.response <> 'declined'))",
        b.me.email,
        b.now,
        b.now + 28 * 24 * 60 * MINUTE,
    )
    return sorted((r["starts"], r["ends"]) for r in rows)


def clear(span: Span, taken: Iterable[Span]) -> bool:
    """Whether a span meets none of these."""
    return not any(a < span[1] and span[0] < z for a, z in taken)


def correspond(b: Build, office: Office, scene: Scene, old: int) -> Offer:
    """Write the mails of the three and work out from them, and from the owner's calendar, what is right."""
    length = scene.minutes * MINUTE
    there = b.people[scene.abroad].zone or b.market.zone
    low, high = b.at(office.first, "00:00"), b.at(office.last + timedelta(1), "00:00")
    for who in (
        scene.asks,
        scene.abroad,
    ):  # what they write is what they can do; their calendars say nothing else
        b.draft.db.execute(
            "DELETE FROM calendar_busy WHERE person = ? AND starts < ? AND ends > ?",
            (b.people[who].email, high, low),
        )
    days = [office.first + timedelta(n) for n in range((office.last - office.first).days + 1)]
    bands = {d: _band(b, scene, d, there) for d in days if is_workday(b.market, d)}
    fit = [d for d, band in bands.items() if band[1] - band[0] >= length + 30 * MINUTE]
    mine = busy(b)
    for gone, second, third in (three for _ in range(ROUNDS) for three in _threes(b, fit)):
        windows = {d: _window(b, bands[d], length) for d in (gone, second, third)}
        block = (bands[third][0], bands[third][0] + 30 * MINUTE)
        taken = sorted([*mine, block])
        valid = [
            span
            for d in (second, third)
            for span in _gaps(_cut(windows[d], bands[d]), taken)
            if span[1] - span[0] >= length
        ]
        slips = (
            _start(_gaps(_cut(windows[gone], bands[gone]), taken), length, valid),
            _start([(windows[second][0], bands[second][0])], length, valid, mine, early=True),
            block[0] if clear(block, mine) else None,
        )
        traps = (*slips, _misread(b, scene, (second, third), length, valid, slips))
        if len(_starts(valid, length)) >= 2 and None not in traps:
            break
    else:
        raise TaskError(
            f"no three of the {len(fit)} days on which the hours fit give two right times and every wrong one"
            if len(fit) >= 3
            else f"from {office.first} to {office.last}, {len(fit)} working days have enough hours in common",
            where=f"reschedule_three_party, {b.market.code}, scene {scene.words}",
            expected="three working days or more, and hours of the one abroad (on their own clock) that meet this"
            " market's working day by an hour more than the meeting",
        )
    b.event(scene.block, *block, attendees=[])
    thread = _mails(b, office, scene, old, windows, (gone, second, third), sorted(bands))
    a, c, d, m = (int(t) for t in traps if t is not None)
    return Offer(thread, valid, a, c, d, m)


def _threes(b: Build, days: list[date]) -> list[tuple[date, date, date]]:
    """Three days of these, in drawn order: the one taken back, and the two that stand in order of time."""
    found = [(x, y, z) for x in days for y in days for z in days if y < z and x not in (y, z)]
    return b.rng.shuffled(found)


def _band(b: Build, scene: Scene, day: date, there: str) -> Span:
    """When the one abroad can on a day, inside this market's working hours."""
    hours = b.market.week.hours
    low = max(b.at(day, f"{scene.hours[0]:%H:%M}", there), b.at(day, f"{hours.start:%H:%M}"))
    high = min(b.at(day, f"{scene.hours[1]:%H:%M}", there), b.at(day, f"{hours.end:%H:%M}"))
    return low, max(low, high)


def _window(b: Build, band: Span, length: int) -> Span:
    """When the one who asks can: from an hour before the one abroad can, to somewhat past the first right time."""
    return band[0] - 60 * MINUTE, min(band[1], band[0] + length + b.rng.choice([60, 90]) * MINUTE)


def _cut(a: Span, b: Span) -> list[Span]:
    low, high = max(a[0], b[0]), min(a[1], b[1])
    return [(low, high)] if low < high else []


def _gaps(spans: Iterable[Span], taken: list[Span]) -> list[Span]:
    out = []
    for low, high in spans:
        at = low
        for a, z in taken:
            if z <= at or a >= high:
                continue
            if a > at:
                out.append((at, a))
            at = max(at, z)
        if at < high:
            out.append((at, high))
    return out


def _starts(spans: Iterable[Span], length: int) -> list[int]:
    return [s for a, z in spans for s in range(a, z - length + 1, 30 * MINUTE)]


def _start(
    spans: Iterable[Span], length: int, valid: list[Span], taken: Iterable[Span] = (), early: bool = False
) -> int | None:
    """A start in one of these spans (for `early`: the whole meeting need not fit) that is not right."""
    starts = [a for a, z in spans if a < z] if early else _starts(spans, length)
    return next((s for s in starts if not _right(s, length, valid) and clear((s, s + length), taken)), None)


def _right(start: int, length: int, valid: Iterable[Span]) -> bool:
    return any(a <= start and start + length <= z for a, z in valid)


def _misread(
    b: Build,
    scene: Scene,
    days: Iterable[date],
    length: int,
    valid: list[Span],
    others: tuple[int | None, ...],
) -> int | None:
    """A start at which the hours of the one abroad, read by our clock, would put the meeting; none of `others`."""
    for d in days:
        for s in (
            b.at(d, f"{scene.hours[0]:%H:%M}"),
            b.at(d, f"{scene.hours[1]:%H:%M}") - length,
        ):
            if not _right(s, length, valid) and s not in others:
                return s
    return None


def _mails(
    b: Build,
    office: Office,
    scene: Scene,
    old: int,
    windows: dict[date, Span],
    days: tuple[date, date, date],
    around: list[date],
) -> list[str]:
    def local(ms: int) -> datetime:
        return clock.from_ms(ms, b.market.zone)

    gone, second, third = days
    both = [scene.asks, scene.abroad]
    w = {n: (local(windows[d][0]), local(windows[d][1])) for n, d in enumerate(days, 1)}
    at = b.at(_draw(b, office.invited_on), "10:20")
    known: dict[str, object] = {
        "title": scene.title,
        "old": local(old),
        "me": b.me,
        "asks": b.people[scene.asks],
        "abroad": b.people[scene.abroad],
        "day1": gone,
        "from1": w[1][0],
        "to1": w[1][1],
        "day2": second,
        "from2": w[2][0],
        "to2": w[2][1],
        "day3": third,
        "from3": w[3][0],
        "to3": w[3][1],
        "begin": scene.hours[0],
        "end": scene.hours[1],
        "first": around[0],
        "last": around[-1],
    }

    def write(what: str, sender: str, to: list[str], when: int, thread: str, reply_to: str = "") -> str:
        key = f"{scene.words}_{what}"
        said = b.say(key, 0, **{k: v for k, v in known.items() if k in b.asked(key)})
        subject = f"Re: {scene.title}" if reply_to else said.subject or scene.title
        return b.mail(sender, to, subject, said.text, when, thread=thread, reply_to=reply_to)

    thread = b.id("thr")
    asked = b.at(add_workdays(b.market, b.today, -2), "11:05")
    again = b.at(add_workdays(b.market, b.today, -1), "16:40")
    ids = [write("invite", "me", both, at, thread)]
    for what, sender, when in (
        ("agreed", scene.asks, at + 100 * MINUTE),
        ("ask", scene.asks, asked),
        ("hours", scene.abroad, asked + 7 * 60 * MINUTE),
        ("later", scene.asks, again),
    ):
        ids.append(write(what, sender, ["me"], when, thread, ids[0]))
    return ids


def _draw(b: Build, span: tuple[date, date]) -> date:
    days = [span[0] + timedelta(n) for n in range((span[1] - span[0]).days + 1)]
    return b.rng.choice([d for d in days if is_workday(b.market, d)])
