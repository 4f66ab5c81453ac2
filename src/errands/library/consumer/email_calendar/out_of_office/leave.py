"""The leave as HR confirms and corrects it, the working days around it, and the automatic reply of last time."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from errands.core.errors import TaskError
from errands.grading.compare.texts import mentions_phrase
from errands.markets.calendar import add_workdays, previous_workday
from errands.tasks import Build

from .scene import Office, Scene, moment, workdays


def absence(b: Build, first: date, last: date) -> tuple[date, date]:
    """The independent solver of the window: the working days around a leave, by the market's holidays."""
    return previous_workday(b.market, first), add_workdays(b.market, last, 1)


def careless(first: date, last: date) -> tuple[date, date]:
    """The same by somebody who forgets public holidays."""
    out, back = first - timedelta(1), last + timedelta(1)
    while out.weekday() > 4:
        out -= timedelta(1)
    while back.weekday() > 4:
        back += timedelta(1)
    return out, back


def confirm_leave(b: Build, office: Office, scene: Scene) -> list[dict[str, Any]]:
    """Mail HR's confirmation and its correction; returns what each says, with the time at which it was said."""
    days = workdays(b, (b.today + timedelta(1), office.until))
    pairs = [(f, z) for i, f in enumerate(days) for z in days[i + 1 : i + 8]]
    tricky = [p for p in pairs if absence(b, *p) != careless(*p)]
    before = [p for p in tricky if absence(b, *p)[1] != careless(*p)[1]]  # the holiday follows the leave
    after = [p for p in tricky if p not in before]  # it lies between the last day at work and the leave
    if not before or not after:
        raise TaskError(
            f"no leave until {office.until} begins or ends at a public holiday",
            where=f"out_of_office, {b.market.code}",
            expected="`until` some days after a holiday on a weekday",
        )
    right = b.rng.choice((before, after)[b.variant % 2])
    others = [p for p in pairs if absence(b, *p)[1] not in (absence(b, *right)[1], careless(*right)[1])]
    near = [p for p in others if abs((p[0] - right[0]).days) <= 4]
    first = b.rng.choice(near or others)
    out: list[dict[str, Any]] = []
    thread, sent, subject = b.id("thr"), "", ""
    for (start, end), on, words in (
        (first, office.leave_on, "first"),
        (right, office.corrected_on, "second"),
    ):
        key = f"{scene.leave}_{words}"
        known = {"first": start, "last": end, "days": len(workdays(b, (start, end)))}
        said = b.say(key, 0, **{s: v for s, v in known.items() if s in b.asked(key)})
        at = moment(b, on)
        subject = f"Re: {subject}" if subject else said.subject or ""
        sent = b.mail(office.hr, ["me"], subject, said.text, at, thread=thread, reply_to=sent)
        out.append({"at": at, "first": start, "last": end, "text": said.text, "message": sent})
    if not any(mentions_phrase(m["text"], scene.private[0]) for m in out):
        raise TaskError(
            f"no mail about {scene.leave} says {scene.private[0]!r}",
            where=f"out_of_office, {b.market.code}",
            expected="the first of `private` in the words of HR",
        )
    return out


def window_of(b: Build, out: date, back: date) -> dict[str, Any]:
    """The window of a reply between two working days, as local times and as instants."""
    hours = b.market.week.hours
    start, end = f"{hours.end:%H:%M}", f"{hours.start:%H:%M}"
    return {
        "start": f"{out}T{start}",
        "end": f"{back}T{end}",
        "starts": b.at(out, start),
        "ends": b.at(back, end),
        "out": out.isoformat(),
        "back": back.isoformat(),
    }


def reply_of_last_time(b: Build, office: Office) -> None:
    """The reply that was set for an earlier absence, long over, still stands in the mailbox."""
    out, back = absence(b, *office.last_time)
    key = "reply_last_time"
    known = {"back": back, "colleague": b.people[office.covers[0]]}
    words = b.say(key, 0, **{s: v for s, v in known.items() if s in b.asked(key)})
    window = window_of(b, out, back)
    b.draft.insert(
        "mail_auto_reply",
        id="auto",
        starts=window["starts"],
        ends=window["ends"],
        subject=words.subject or "",
        body=words.text,
        audience="contacts",
    )
