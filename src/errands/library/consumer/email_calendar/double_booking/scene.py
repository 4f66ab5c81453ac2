"""The scenes of the double booking: who collides with whom, the guideline that decides, and the free time there is."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from errands.core import clock
from errands.core.errors import TaskError
from errands.markets.calendar import add_workdays, is_workday, windows
from errands.tasks import Build, Who

MINUTE = 60_000
Span = tuple[int, int]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Invitation(_Strict):
    """The mail from which an event came: written by `me` to all in it, or by `them` (the person `with`) to the owner.

    The other side answers: in the words of `reply`, or in one of the usual ones.
    """

    with_: Who = Field(alias="with")
    by: Literal["me", "them"]
    words: str
    reply: str = ""


class Scene(_Strict):
    """One pair of colliding events: who is in which, and which kind of guideline decides.

    `refuses`: the person to whom the owner will write herself. `closes`: whose day ends early, on their own clock.
    """

    rule: str
    old: str
    keep: str
    keep_people: tuple[Who, ...] = Field(min_length=1)
    keep_organizer: Who
    keep_invite: Invitation
    move: str
    move_people: tuple[Who, ...] = Field(min_length=2)
    move_invite: Invitation
    minutes: int
    refuses: Literal[""] | Who = ""
    closes: dict[Who, time] = Field(default_factory=dict)


class Office(_Strict):
    """The errand in one market: its dates, who sets guidelines, and a scene for each variant in turn.

    The meeting may move to days from `first` to `last`; `later` is when a look-alike of it takes place. Spans of
    days from which one is drawn: `old_on`, `since` (of the guideline in force), `proposal_on`, `invited_on`.
    """

    first: date
    last: date
    later: datetime
    old_on: tuple[date, date]
    since: tuple[date, date]
    proposal_on: tuple[date, date]
    invited_on: tuple[date, date]
    rule_by: Who
    rule_to: tuple[Who, ...]
    proposal_by: Who
    scene: tuple[Scene, ...] = Field(min_length=3)


def _day(b: Build, span: tuple[date, date]) -> date:
    """A working day of a span."""
    days = [span[0] + timedelta(n) for n in range((span[1] - span[0]).days + 1)]
    return b.rng.choice([d for d in days if is_workday(b.market, d)])


def clash_of(b: Build, scene: Scene) -> int:
    """A time on the next two working days at which nobody in the two events has anything else, or at least not the
    owner: others may have accepted what they cannot keep."""
    people = (*scene.keep_people, *scene.move_people)
    low, high = b.now, b.at(add_workdays(b.market, b.today, 3), "00:00")
    everybody = _taken(b, [b.me.email, *(b.people[p].email for p in people)], low, high)
    starts = [
        b.at(add_workdays(b.market, b.today, n), t)
        for n in (1, 2)
        for t in ("09:30", "10:00", "11:00", "14:00", "14:30", "15:00", "16:00")
    ]
    length = scene.minutes * MINUTE
    open_ = [s for s in starts if _clear((s, s + length), everybody)] or [
        s for s in starts if _clear((s, s + length), _taken(b, [b.me.email], low, high))
    ]
    if not open_:
        raise TaskError(
            f"no time of {b.me.name}'s on the next two working days for the two events to collide",
            where=f"double_booking, {b.market.code}, variant {b.variant}",
        )
    return b.rng.choice(open_)


def guidelines(b: Build, office: Office, scene: Scene) -> tuple[str, str, str]:
    """Mail the guideline in force, the one it replaced, and a proposal that was never adopted.

    Returns the numbers of the first two, and the message that holds the one in force.
    """
    n = b.rng.between(5, 8)
    code, old, idea = f"CG-{n}", f"CG-{n - b.rng.between(1, 2)}", f"CG-{n + 1}"
    since = _day(b, office.since)
    by, everyone = office.rule_by, list(office.rule_to)
    rule = b.say(scene.rule, code=code, old=old, since=since)
    stale = b.say(scene.old, code=old)
    proposal = b.say("proposal", code=idea)
    told = add_workdays(b.market, since, -5)
    b.mail(
        by, everyone, stale.subject or "", stale.text, b.at(_day(b, office.old_on), "11:20"), folder="archive"
    )
    in_force = b.mail(by, everyone, rule.subject or "", rule.text, b.at(told, "17:05"), folder="archive")
    thread, at = b.id("thr"), b.at(_day(b, office.proposal_on), "09:40")
    sent = b.mail(office.proposal_by, [by, "me"], proposal.subject or "", proposal.text, at, thread=thread)
    b.mail(
        by,
        [office.proposal_by, "me"],
        f"Re: {proposal.subject}",
        b.say("proposal_answer").text,
        at + 95 * MINUTE,
        thread=thread,
        reply_to=sent,
    )
    return code, old, in_force


def invitations(b: Build, office: Office, scene: Scene, clash: int) -> None:
    """The mails from which the two events came."""
    when = clock.from_ms(clash, b.market.zone)
    at = b.at(_day(b, office.invited_on), "15:10")
    for n, (title, invite, people) in enumerate(
        (
            (scene.keep, scene.keep_invite, scene.keep_people),
            (scene.move, scene.move_invite, scene.move_people),
        )
    ):
        them = invite.with_
        known = {"title": title, "at": when, "client": b.people[them]}
        told = b.say(invite.words, 0, **{k: v for k, v in known.items() if k in b.asked(invite.words)})
        thread, sent_at = b.id("thr"), at + n * 47 * MINUTE
        mine = invite.by == "me"
        sender, to = ("me", list(people)) if mine else (them, ["me"])
        sent = b.mail(sender, to, told.subject or title, told.text, sent_at, thread=thread)
        pick = b.rng.below(3)
        who = b.people[them if mine else "me"]
        answer = b.say(invite.reply) if invite.reply else b.say("reply_ok", pick, who=who)
        b.mail(
            them if mine else "me",
            ["me"] if mine else [them],
            f"Re: {told.subject or title}",
            answer.text,
            sent_at + 130 * MINUTE,
            thread=thread,
            reply_to=sent,
        )


# ---- the independent solver: free time from the before-state ------------------------------------------------------


def _taken(b: Build, emails: Iterable[str], low: int, high: int) -> list[Span]:
    """When any of these people is taken between two times: own commitments, and events that they convene or attend."""
    out: list[Span] = []
    for email in emails:
        rows = b.draft.all(
            "SELECT starts, ends FROM calendar_busy WHERE person = ?1 AND ends > ?2 AND starts < ?3"
            " UNION SELECT o.starts, o.ends FROM calendar_occurrence o JOIN calendar_event e ON e.id = o.event"
            " WHERE o.ends > ?2 AND o.starts < ?3 AND (e.organizer = ?1 OR EXISTS (SELECT 1 FROM"
            " calendar_attendee a WHERE a.event = e.id AND a.email = ?1 AND a.response <> 'declined'))",
            email,
            low,
            high,
        )
        out += [(r["starts"], r["ends"]) for r in rows]
    return sorted(out)


def _clear(span: Span, taken: Iterable[Span]) -> bool:
    return not any(a < span[1] and span[0] < b for a, b in taken)


def _hours(b: Build, scene: Scene, day: date) -> list[Span]:
    """The hours of a day that the guideline allows, as UTC ms; none on holidays and weekends."""
    if not is_workday(b.market, day):
        return []
    traits = {t for p in (b.market.owner, *scene.move_people) for t in b.people[p].traits}
    midnight = b.at(day, "00:00")
    return [
        (midnight + m * MINUTE, midnight + n * MINUTE)
        for m, n in windows(b.market, day, traits=tuple(sorted(traits)))
    ]


def _starts(spans: Iterable[Span], length: int) -> list[int]:
    return [s for a, z in spans for s in range(a, z - length + 1, 30 * MINUTE)]


def make_room(b: Build, scene: Scene, first: date, last: date) -> list[list[int]]:
    """Fill the days so that a few permitted slots stay, and beside them slots that only look right.

    Returns the spans in which the event may stand, worked out again from the rows that were written.
    """
    length = scene.minutes * MINUTE
    emails = [b.me.email, *(b.people[p].email for p in scene.move_people)]
    low, high = b.at(first, "00:00"), b.at(last + timedelta(1), "00:00")
    for email in emails[1:]:
        b.draft.db.execute(
            "DELETE FROM calendar_busy WHERE person = ? AND starts < ? AND ends > ?", (email, high, low)
        )
    meetings = _taken(b, emails, low, high)
    days = [first + timedelta(n) for n in range((last - first).days + 1)]
    open_ = [
        s for d in days for s in _starts(_hours(b, scene, d), length) if _clear((s, s + length), meetings)
    ]
    for who, closes in scene.closes.items():
        there = b.people[who].zone or b.market.zone
        open_ = [s for s in open_ if clock.from_ms(s + length, there).time() <= closes]
    right: list[int] = []
    for s in b.rng.shuffled(open_):
        if len(right) < 4 and all(abs(s - r) >= length + 30 * MINUTE for r in right):
            right.append(s)
    holiday = [
        b.at(d, t)
        for d in days
        if d.weekday() < 5 and not is_workday(b.market, d)
        for t in ("10:00", "14:00")
    ]
    noon = b.market.week.lunch.start
    quiet = [
        b.at(d, f"{noon:%H:%M}") + late * MINUTE for d in days if is_workday(b.market, d) for late in (0, 30)
    ]
    clear = [s for s in quiet if _clear((s, s + length), [*meetings, *((r, r + length) for r in right)])]
    tempting = [*(s for s in holiday if _clear((s, s + length), meetings)), *clear[:2]]
    left = [(s, s + length) for s in (*right, *tempting)]
    hours = b.market.week.hours
    for d in days:
        for cell in range(b.at(d, f"{hours.start:%H:%M}"), b.at(d, f"{hours.end:%H:%M}"), 30 * MINUTE):
            if d.weekday() < 5 and _clear((cell, cell + 30 * MINUTE), left):
                b.busy(b.rng.choice(scene.move_people), cell, cell + 30 * MINUTE)
    taken = _taken(b, emails, low, high)
    found = [span for d in days for span in _gaps(_hours(b, scene, d), taken) if span[1] - span[0] >= length]
    traps = [
        s
        for s in tempting
        if _clear((s, s + length), taken) and not any(a <= s and s + length <= z for a, z in found)
    ]
    counts = {
        "permitted": len(found),
        "that tempt on a holiday": sum(t in holiday for t in traps),
        "that tempt at lunch": sum(t in quiet for t in traps),
    }
    if counts["permitted"] < 2 or 0 in counts.values():
        raise TaskError(
            f"from {first} to {last} there are "
            + ", ".join(f"{n} times {what}" for what, n in counts.items()),
            where=f"double_booking, {b.market.code}, variant {b.variant}",
            expected="at least 2 permitted, and one of each that tempt",
            do="widen `first` to `last` over a weekday holiday and two working days; an outing on the holiday that"
            " shows as free tempts, one that shows as busy does not",
        )
    return [list(span) for span in found]


def _gaps(hours: Iterable[Span], taken: list[Span]) -> list[Span]:
    out = []
    for low, high in hours:
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


# ---- criteria -------------------------------------------------------------------------------------------------


def quiet_hours(b: Build) -> list[list[Any]]:
    """What the market keeps free whoever comes: `[weekday or None, from, to]`, in minutes from midnight."""
    lunch = b.market.week.lunch
    out: list[list[Any]] = [
        [None, lunch.start.hour * 60 + lunch.start.minute, lunch.end.hour * 60 + lunch.end.minute]
    ]
    for c in b.market.week.soft:
        span = [c.start.hour * 60 + c.start.minute, c.end.hour * 60 + c.end.minute]
        out += [[_WEEKDAYS.index(d), *span] for d in c.days]
    return out


_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
