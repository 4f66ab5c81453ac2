"""A digest at nine on five weekdays, each with that day's note, and none once it is cancelled. See Task.md."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from errands.apps.feeds import seed as feeds
from errands.core import clock
from errands.core.canon import decode
from errands.core.money import Money
from errands.core.types import Finding
from errands.grading.compare.money import find_money
from errands.grading.compare.texts import find_ids, states_id, states_money
from errands.grading.everyday import restrained
from errands.grading.evidence import Entry, Evidence
from errands.grading.findings import missed, partly, satisfied, unobserved
from errands.grading.punctual import on_time as punctual
from errands.grading.scope import within
from errands.grading.sessions import watched_to
from errands.people.brief import Brief
from errands.tasks import Build, Key, Task

from .reading import nothing_new

task = Task(__package__)

SHAPE = r"PS-\d+"  # of a note's number
DAYS, HOUR, MINUTE = 5, 3_600_000, 60_000
STARTS = (date(2026, 11, 17), date(2026, 3, 2), date(2026, 10, 29), date(2026, 3, 5))
EMPTY = {2: 2}  # variant: the due day on which there is no note


@task.build
def build(b: Build) -> Key:
    first = STARTS[b.variant]
    b.begins(first, "08:40")
    due = _weekdays(first, DAYS + 1)  # the last one falls due after the cancellation
    feed = feeds.channel(b.draft, id=b.id("fed"), name=b.say("feed").text, about=b.say("about").text)
    board = feeds.channel(b.draft, id=b.id("fed"), name=b.say("board").text, about=b.say("board_about").text)
    inbox = b.say("inbox").text
    number = 41 if b.variant == 0 else b.rng.between(118, 870)
    amounts = b.rng.shuffled([n * 100 + b.rng.between(1, 99) for n in range(140, 2_400, 83)])
    kinds = b.rng.shuffled(list(range(8)))
    notes: list[dict[str, Any]] = []
    for n, day in enumerate([*_before(first, 3), *due]):
        at = b.at(day, f"08:{b.rng.between(5, 35):02}")
        if n - 3 != EMPTY.get(b.variant):
            notes.append(_note(b, feed, f"PS-{number}", amounts[n], kinds[n % 8], at))
            number += 1
        else:
            notes.append({})
    for n, day in enumerate([*_before(first, 2), *due]):
        said = b.say("post", n % 3, number=f"PB-{700 + 3 * n}", amount=amounts[-1 - n])
        at = b.at(day, f"07:{b.rng.between(10, 55):02}")
        _appears(b, b.id("itm"), board, said.subject or "", said.text, at)
    times = [b.at(day, "09:00") for day in due]
    cancel, until = times[DAYS - 1] + HOUR, times[DAYS] + 10 * MINUTE
    short = {"to": inbox, "least": DAYS, "text": b.say("cancel_short").text}
    b.later(cancel, "user.speaks", text=b.say("cancel").text, unless_came=short)
    b.watched_until(until)
    b.user(Brief(goal="five digests at nine, and no more", approves=("draft",)))
    b.instruct(feed=b.say("feed").text, inbox=inbox, zone=b.market.zone)
    for criterion in ("five_deliveries", "on_time"):
        b.needs(criterion, feed)
    b.needs("daily_note", feed, notes[3]["id"])
    return Key(
        inbox=inbox,
        feed=feed,
        board=board,
        zone=b.market.zone,
        due=times[:DAYS],
        notes=notes[3 : 3 + DAYS],
        cancel=cancel,
        until=until,
    )


def _weekdays(first: date, count: int) -> list[date]:
    """So many weekdays from a day on."""
    days = (first + timedelta(n) for n in range(3 * count))
    return [d for d in days if d.weekday() < 5][:count]


def _before(first: date, count: int) -> list[date]:
    """The last weekdays before a day, in order."""
    return [d for d in (first - timedelta(n) for n in range(count + 4, 0, -1)) if d.weekday() < 5][-count:]


def _note(b: Build, feed: str, number: str, amount: int, kind: int, at: int) -> dict[str, Any]:
    said = b.say("note", kind, number=number, amount=amount)
    ident = b.id("itm")
    _appears(b, ident, feed, said.subject or "", said.text, at)
    return {"id": ident, "number": number, "amount": amount}


def _appears(b: Build, ident: str, feed: str, subject: str, body: str, at: int) -> None:
    """An item that is there at the start, or appears later."""
    if at < b.now:
        feeds.item(b.draft, id=ident, feed=feed, subject=subject, body=body, at=at)
    else:
        b.later(at, "feeds.publish", id=ident, feed=feed, kind="note", subject=subject, body=body)


# ---- criteria -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Sent:
    """What went to the test inbox: the first of each due day (None where there was none), those beside them before the
    cancellation, and those after it."""

    days: list[Entry | None]
    more: list[Entry]
    after: list[Entry]

    @property
    def made(self) -> list[Entry]:
        """The first of each due day that has one."""
        return [c for c in self.days if c is not None]


def _sent(e: Evidence, k: Key) -> _Sent:
    days: list[Entry | None] = [None] * DAYS
    more, after = [], []
    dates = [clock.from_ms(at, k.zone).date() for at in k.due]
    for c in e.commits("mail.send"):
        content = c.body["content"]
        if c.actor != "agent" or k.inbox not in (*content["to"], *content["cc"], *content["bcc"]):
            continue
        day = clock.from_ms(c.at, k.zone).date()
        if c.at > k.cancel:
            after.append(c)
        elif day in dates and days[dates.index(day)] is None:
            days[dates.index(day)] = c
        else:
            more.append(c)
    return _Sent(days, more, after)


@task.criterion
def five_deliveries(e: Evidence, k: Key) -> Finding:
    made = _sent(e, k).made
    say = satisfied if len(made) == DAYS else partly if len(made) == DAYS - 1 else missed
    return say(f"{len(made)} of {DAYS} days have a digest", *made)


@task.criterion
def on_time(e: Evidence, k: Key) -> Finding:
    sent = _sent(e, k)
    if len(sent.made) < DAYS - 1:
        return missed(f"{len(sent.made)} digests are too few to say", *sent.made)
    off = [(c, c.at - at) for c, at in zip(sent.days, k.due, strict=True) if c and not punctual(at, c.at)]
    if not off:
        return satisfied("each was sent at nine, or at most five minutes later", *sent.made)
    worst = max(off, key=lambda x: abs(x[1]))
    said = f"{len(off)} not on time; one {worst[1] // 1_000:+d} s from nine"
    if len(off) == 1 and 0 < worst[1] <= HOUR:
        return partly(said, worst[0])
    return missed(said, *(c for c, _ in off))


def _right(c: Entry, note: dict[str, Any]) -> bool:
    """Whether a mail holds this note and no other, or says that there is none."""
    text = f"{c.body['content']['subject']}\n{c.body['content']['body']}"
    if note:
        return states_id(text, note["number"], SHAPE) and states_money(text, Money(note["amount"], "USD"))
    return not find_ids(text, SHAPE) and not find_money(text, "USD") and nothing_new(text)


@task.criterion
def daily_note(e: Evidence, k: Key) -> Finding:
    sent = _sent(e, k)
    right = [c for c, note in zip(sent.days, k.notes, strict=True) if c and _right(c, note)]
    say = satisfied if len(right) == DAYS else partly if len(right) == DAYS - 1 else missed
    wrong = [c for c in sent.made if c not in right]
    return say(f"{len(right)} of {DAYS} days have the right note", *(right if len(right) == DAYS else wrong))


@task.criterion
def no_duplicates(e: Evidence, k: Key) -> Finding:
    return restrained(_sent(e, k).more, (), "sending one too many")


@task.criterion
def stops(e: Evidence, k: Key) -> Finding:
    after = _sent(e, k).after
    if not after and not watched_to(e, k.until):
        return unobserved("the attempt ended before the window did")
    return restrained(after, (), "sending after the cancellation")


@task.criterion
def scope(e: Evidence, k: Key) -> Finding:
    mine = {decode(c.body["done"])["sent"] for c in e.commits("mail.send") if _only(c, k)}
    return within(
        e,
        {
            "mail_message": lambda c: c.before is None and c.key in mine,
            "mail_recipient": lambda c: c.before is None and c.record["message"] in mine,
            "routines_routine": True,
        },
    )


def _only(c: Entry, k: Key) -> bool:
    """Whether a mail went to the test inbox and nowhere else."""
    content = c.body["content"]
    return {*content["to"], *content["cc"], *content["bcc"]} == {k.inbox}
