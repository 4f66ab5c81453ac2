"""The scenes of the recurring slot: who meets, which dates fall out, and at which of the given times all can."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from errands.core import clock
from errands.core.errors import TaskError
from errands.markets.calendar import is_holiday, is_workday
from errands.tasks import Build, Who

MINUTE = 60_000
BLOCK = 15 * MINUTE  # of what is put in the way: shorter than the steps between the given times
WEEK = timedelta(7)
Span = tuple[int, int]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Theirs(_Strict):
    """A holiday at the place of one who is invited, which is none here: who writes of it, on one of which dates."""

    by: Who
    on: tuple[date, ...] = Field(min_length=1)


class Scene(_Strict):
    """A weekly meeting. The keys of its texts begin with `words`; of each list of dates one is drawn.

    `colleagues` are of the owner's own firm, `outside` are not; `alike` is mistaken for the first person in it.
    `closing` is the day on which the office is closed, `earlier` the one that an earlier notice gave for it.
    `block`: something of the owner's own, at one of the times.
    """

    words: str
    title: str
    colleagues: tuple[Who, ...] = Field(min_length=1)
    outside: tuple[Who, ...] = Field(min_length=1)
    alike: tuple[Who, Who]
    minutes: tuple[int, ...]
    first: tuple[date, ...]
    last: tuple[date, ...]
    closing: tuple[date, ...]
    earlier: tuple[date, ...]
    theirs: Theirs
    times: tuple[time, ...] = Field(min_length=5)
    block: str
    refuses: Literal[""] | Who = ""

    @property
    def people(self) -> tuple[str, ...]:
        """All who are invited."""
        return (*self.colleagues, *self.outside)


class Office(_Strict):
    """The errand in one market: who tells of closing days, who asks, and a scene for each variant in turn.

    `also`: other days on which the office is closed. Spans of days from which one is drawn: `earlier_on`, `notice_on`,
    `asked_on`, `plan_on`, `theirs_on` (when each mail was written). `stranger` has nothing to do with any of it.
    """

    closing_by: Who
    closing_to: tuple[Who, ...]
    asked_by: Who
    stranger: Who
    also: tuple[date, ...]
    earlier_on: tuple[date, date]
    notice_on: tuple[date, date]
    asked_on: tuple[date, date]
    plan_on: tuple[date, date]
    theirs_on: tuple[date, date]
    plan_by: dict[str, Who]
    scene: tuple[Scene, ...] = Field(min_length=3)


@dataclass(frozen=True)
class Drawn:
    """What this variant drew of a scene."""

    first: date
    last: date
    minutes: int
    closing: date
    earlier: date
    asked: date
    theirs: date

    @property
    def dates(self) -> list[date]:
        """Every date of the range, holidays and all."""
        return [self.first + n * WEEK for n in range((self.last - self.first).days // 7 + 1)]


def draw(b: Build, scene: Scene, closed: Sequence[date], turn: int = 0) -> Drawn:
    """Dates of the range and of what happens in it; `closed` are other days on which the office is closed.

    `turn`: how often the scene was set before. Last date and closing day come in each combination in turn, so that no
    two variants have the same dates.
    """
    row, column = divmod(turn, len(scene.last))
    first, last = b.rng.choice(scene.first), scene.last[column]
    if row >= len(scene.closing):
        row, last = b.rng.below(len(scene.closing)), b.rng.choice(scene.last)
    minutes = b.rng.choice(scene.minutes)
    dates = Drawn(first, last, minutes, first, first, first, first).dates
    if dates[-1] != last:
        raise _bad(b, scene, f"{first} and {last} are no whole weeks apart", "dates of one weekday")

    def one(name: str, given: Sequence[date], but: Sequence[date]) -> date:
        fit = [d for d in given if d in dates and d not in but and not is_holiday(b.market, d)]
        fit = [d for d in fit if name == "closing" or d not in closed]
        if not fit:
            raise _bad(
                b, scene, f"no date of `{name}` is left from {first} to {last}", "a working day of the series"
            )
        return b.rng.choice(fit)

    closing = one("closing", [scene.closing[(row + column) % len(scene.closing)]], ())
    theirs = one("theirs.on", scene.theirs.on, (closing, first))
    earlier = one("earlier", scene.earlier, (closing, first, theirs))
    asked = one("dates", dates[1:], (closing, earlier, theirs))
    return Drawn(first, last, minutes, closing, earlier, asked, theirs)


def _bad(b: Build, scene: Scene, what: str, expected: str) -> TaskError:
    where = f"holiday_booking, {b.market.code}, scene {scene.words}, variant {b.variant}"
    return TaskError(what, where=where, expected=expected)


# ---- what people have written ----------------------------------------------------------------------------------


def correspond(b: Build, office: Office, scene: Scene, d: Drawn) -> str:
    """The notices of closing days, a question about another day, what the meeting is for, and a holiday elsewhere."""
    by, everyone = office.closing_by, list(office.closing_to)
    told = _day(b, office.earlier_on)
    also = sorted(office.also)
    before, now = sorted([d.earlier, *also]), sorted([d.closing, *also])
    old, new = b.say("earlier", days=before), b.say("notice", days=now, told=told)
    at = b.at(told, "15:35")
    b.mail(by, everyone, old.subject or "", old.text, at, folder="archive")
    in_force = b.mail(by, everyone, new.subject or "", new.text, b.at(_day(b, office.notice_on), "16:50"))

    question, thread, asked_at = (
        b.say("question", day=d.asked),
        b.id("thr"),
        b.at(_day(b, office.asked_on), "10:25"),
    )
    subject = question.subject or ""
    sent = b.mail(office.asked_by, [by, "me"], subject, question.text, asked_at, thread=thread)
    b.mail(
        by,
        [office.asked_by, "me"],
        f"Re: {subject}",
        b.say("answer", day=d.asked).text,
        asked_at + 75 * MINUTE,
        thread=thread,
        reply_to=sent,
    )

    plan_by = office.plan_by[scene.words]
    plan = b.say(f"{scene.words}_plan", title=scene.title)
    to = ["me", *(p for p in scene.people if p != plan_by)]
    b.mail(plan_by, to, plan.subject or scene.title, plan.text, b.at(_day(b, office.plan_on), "11:10"))
    theirs = b.say(f"{scene.words}_theirs", day=d.theirs)
    at = b.at(_day(b, office.theirs_on), "14:20")
    b.mail(scene.theirs.by, ["me"], theirs.subject or "", theirs.text, at)
    return in_force


def _day(b: Build, span: tuple[date, date]) -> date:
    """A working day of a span."""
    days = [span[0] + timedelta(n) for n in range((span[1] - span[0]).days + 1)]
    return b.rng.choice([d for d in days if is_workday(b.market, d)])


# ---- the times that are given ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Offer:
    """The times of day that the instruction gives, in order, and what is wrong with some of them.

    `right` is the earliest that does; `taken` fails on few dates, `tempting` on that of the earlier notice; `later`
    does too, and comes after the right one.
    """

    times: list[time]
    right: time
    taken: time
    tempting: time
    later: time


def fill(b: Build, scene: Scene, d: Drawn, kept: Sequence[date]) -> Offer:
    """Choose the times, and fill calendars so that the earlier ones fail on single dates, some of them late."""
    length = d.minutes * MINUTE
    emails = [b.me.email, *(b.people[p].email for p in scene.people)]
    clashes = {t: sum(not free(b, emails, _at(b, day, t), length) for day in kept) for t in scene.times}
    clear = [t for t in scene.times if not clashes[t]]
    nearly = [t for t in scene.times if clashes[t] <= 1]
    fit = [t for t in clear[:-1] if sum(u < t for u in nearly) >= 2]
    if not fit:
        told = ", ".join(f"{t:%H:%M} {n}" for t, n in clashes.items())
        raise _bad(
            b,
            scene,
            f"`times` clash on so many dates: {told}",
            "two that clash on one date at most, then two that never do",
        )
    right = b.rng.choice(fit)
    taken, tempting = b.rng.sample([t for t in nearly if t < right], 2)
    later = b.rng.choice(clear[clear.index(right) + 1 :])
    others = [t for t in scene.times if t not in nearly]
    times = sorted({taken, tempting, right, later, *b.rng.sample(others, min(1, len(others)))})

    late = [x for x in kept[len(kept) // 2 :] if x not in (d.earlier, d.theirs)]
    spoilt = {tempting: d.earlier} if clashes[taken] else {taken: b.rng.choice(late), tempting: d.earlier}
    mine = b.rng.choice(list(spoilt))
    for t, day in spoilt.items():
        at = _at(b, day, t)
        if t == mine:
            b.event(scene.block, at, at + BLOCK, attendees=[])
        else:
            b.busy(b.rng.choice(scene.people), at, at + BLOCK)
    # On a date that falls out, the right time is taken: who does not leave it out thinks the time is not free.
    for day in [x for x in d.dates if x not in kept]:
        at = _at(b, day, right)
        b.busy(b.rng.choice(scene.people), at, at + BLOCK)
    # The rest of the season is not empty either.
    spare = [t for t in scene.times if t not in times]
    for t in b.rng.sample(spare, min(3, len(spare))):
        at = _at(b, b.rng.choice(kept), t)
        if not any(
            _meets(at, b.at(clock.from_ms(at, b.market.zone).date(), f"{u:%H:%M}"), length) for u in times
        ):
            b.busy(b.rng.choice(scene.people), at, at + BLOCK)
    return Offer(times, right, taken, tempting, later)


def _meets(block: int, start: int, length: int) -> bool:
    return block < start + length and start < block + BLOCK


def _at(b: Build, day: date, t: time) -> int:
    return b.at(day, f"{t:%H:%M}")


def free(b: Build, emails: Iterable[str], start: int, length: int) -> bool:
    """Whether none of these people has anything in a span, by the rows of the draft."""
    return not any(_busy(b, email, start, start + length) for email in emails)


def _busy(b: Build, email: str, low: int, high: int) -> bool:
    rows = b.draft.all(
        "SELECT 1 FROM calendar_busy WHERE person = ?1 AND ends > ?2 AND starts < ?3"
        " UNION ALL SELECT 1 FROM calendar_occurrence o JOIN calendar_event e ON e.id = o.event"
        " WHERE o.ends > ?2 AND o.starts < ?3 AND e.status <> 'cancelled' AND (e.organizer = ?1 OR EXISTS"
        " (SELECT 1 FROM calendar_attendee a WHERE a.event = e.id AND a.email = ?1 AND a.response <> 'declined'))",
        email,
        low,
        high,
    )
    return bool(rows)


# ---- what is right, worked out again from the rows ---------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """The right answer: the dates that fall out, those of them that are public holidays, and every start."""

    left_out: list[date]
    public: list[date]
    starts: list[int]


def solve(b: Build, scene: Scene, d: Drawn, closed: Iterable[date], offer: Offer) -> Answer:
    """Work the answer out from the holiday calendar, the days of the latest notice and everybody's rows."""
    shut = set(closed)
    public = [day for day in d.dates if _public(b, day)]
    left_out = [day for day in d.dates if day in public or day in shut]
    kept = [day for day in d.dates if day not in left_out]
    emails = [b.me.email, *(b.people[p].email for p in scene.people)]
    fits = {t: [free(b, emails, _at(b, day, t), d.minutes * MINUTE) for day in kept] for t in offer.times}
    good = [t for t in offer.times if all(fits[t])]
    facts = {
        "a public holiday": bool(public),
        "a closing day that is none": any(x not in public for x in left_out),
        "six dates that stay": len(kept) >= 6,
        f"{offer.right} as the earliest time": good[:1] == [offer.right],
        "a later time that does": offer.later in good,
        "an earlier time that fails on a few dates": 0 < fits[offer.taken].count(False) <= 3,
        "another that does": 0 < fits[offer.tempting].count(False) <= 3,
        "a holiday elsewhere that stays": d.theirs in kept,
        "an earlier closing day that stays": d.earlier in kept,
    }
    lacking = [what for what, there in facts.items() if not there]
    if lacking:
        raise _bad(b, scene, f"from {d.first} to {d.last} there is not {', '.join(lacking)}", "each of them")
    return Answer(left_out, public, [_at(b, day, good[0]) for day in kept])


def _public(b: Build, day: date) -> bool:
    """Whether the holiday calendar has the day."""
    low, high = b.at(day, "00:00"), b.at(day + timedelta(1), "00:00")
    return bool(
        b.draft.all(
            "SELECT 1 FROM calendar_occurrence o JOIN calendar_event e ON e.id = o.event"
            " WHERE e.calendar = 'cal_holidays' AND o.starts < ? AND o.ends > ?",
            high,
            low,
        )
    )
