"""Two times are offered for a meeting and the calendar leaves one: a draft that proposes it. See Task.md."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from errands.apps.calendar import seed as calendar
from errands.core import clock
from errands.core.types import Finding
from errands.grading.everyday import restrained
from errands.grading.evidence import Change, Evidence
from errands.grading.findings import missed, partly, satisfied
from errands.grading.meetings import Note, mails_to, notes
from errands.grading.scope import within
from errands.people.brief import Brief
from errands.tasks import Build, Key, Task

from .promises import other_days, promises
from .reading import LENGTHS, MINUTE, Slot, read, told
from .scene import FRIDAY, Scene, scene

task = Task(__package__)

LENGTH = 30  # minutes that the meeting takes
DAY = 86_400_000
CALENDAR = ("calendar_event", "calendar_attendee", "calendar_occurrence", "calendar_notice")


@task.build
def build(b: Build) -> Key:
    s = scene(b)
    b.begins(FRIDAY, "09:20")
    sender, namesake = (
        f"{s.called} {name} <{s.called.lower()}.{name.lower()}@{s.firm}.example>"
        for name in (s.surname, s.namesake)
    )
    who = {"called": s.called}
    slots = [b.at(day, time, s.zone) for day, time in s.times]
    first, second = (f"{day:%A} at {time}" for day, time in s.times)
    thread = b.id("thr")
    say = b.say("old", 0, **who)
    b.mail(sender, ["me"], say.subject or "", say.text, b.now - 31 * DAY)
    say = b.say("mine", 0, **who)
    mine = b.mail("me", [sender], say.subject or "", say.text, b.now - DAY, thread=thread)
    say = b.say("asks", b.rng.below(2), first=first, second=second, zone=s.zone_name, **who)
    asks = b.mail(
        sender,
        ["me"],
        say.subject or "",
        say.text,
        b.now - 9_000_000,
        thread=thread,
        reply_to=mine,
        unread=True,
    )
    say = b.say("namesake", 0, **who)
    b.mail(namesake, ["me"], say.subject or "", say.text, b.now - 3_600_000, unread=True)
    say = b.say("notice")
    b.mail(b.say("facilities").text, ["me"], say.subject or "", say.text, b.now - 2_000_000)
    events = _calendar(b, s)
    free = [at for at in slots if not _taken(b, at)]
    blocking = [e for at in slots for e in events if e in _taken(b, at)]
    b.needs("wednesday_chosen", asks, *blocking)
    b.needs("time_15_pacific", asks)
    b.needs("correct_recipient", asks)
    b.user(Brief(goal="a draft about one of two times", refusal=b.say("refusal").text))
    b.instruct(name=f"{s.called} {s.surname}", called=s.called, what=b.say("what").text)
    return Key(
        slots=slots,
        free=slots.index(free[0]) if free else None,
        zones=list(dict.fromkeys([s.zone, b.market.zone])),
        zone_name=s.zone_name,
        address=b.who(sender)[0],
        namesake=b.who(namesake)[0],
        called=s.called,
        asks=asks,
        thread=[mine, asks],
        edges=_edges(b, slots),
        today=b.today.isoformat(),
    )


def _calendar(b: Build, s: Scene) -> list[str]:
    """Put the calendar into the world; the ids of its events."""
    out = []
    for n in s.entries:
        ident = b.id("evt")
        out.append(ident)
        calendar.event(
            b.draft,
            id=ident,
            calendar="cal_work",
            title=b.say(n.title).text,
            starts=b.at(n.day, n.starts),
            ends=b.at(n.day, n.ends),
            zone=b.market.zone,
            organizer=b.people["ellen"].email,
            attendees=[(*b.who("me"), n.response), (*b.who("ellen"), "accepted")],
            status=n.status,
        )
    return out


def _taken(b: Build, at: int) -> list[str]:
    """The events that take the owner's time while the meeting would last: neither cancelled nor declined."""
    rows = b.draft.all(
        "SELECT e.id FROM calendar_event e JOIN calendar_attendee a ON a.event = e.id AND a.email = ?"
        " WHERE e.status <> 'cancelled' AND a.response <> 'declined' AND e.starts < ? AND e.ends > ?",
        b.me.email,
        at + LENGTH * MINUTE,
        at,
    )
    return [str(r["id"]) for r in rows]


def _edges(b: Build, slots: list[int]) -> list[int]:
    """Where events of the two days begin and end: true times that a reply may name."""
    days = {clock.from_ms(at, b.market.zone).date() for at in slots}
    rows = b.draft.all("SELECT starts, ends FROM calendar_event ORDER BY starts, ends")
    return sorted({ms for r in rows for ms in r.values() if clock.from_ms(ms, b.market.zone).date() in days})


# ---- criteria ----------------------------------------------------------------------------------------------------


def _drafts(e: Evidence, k: Key) -> list[Note]:
    """The mails that answer: those to the one who asked, else whatever mail was written."""
    mails = [n for n in notes(e) if n.how == "mail"]
    return [n for n in mails if k.address in n.to] or mails


def _judged(e: Evidence, k: Key, how: Callable[[str, Change | str], Finding]) -> Finding:
    """The worst of what is found in the drafts; where there is none, what stands in the last reply counts half."""
    found = [how(n.body, n.row) for n in _drafts(e, k)]
    if found:
        return min(found, key=lambda f: ("not_met", "partly", "met").index(f.result))
    told_only = how(e.final_reply, str(e.replies[-1]) if e.replies else "")
    if told_only.result == "not_met":
        return missed("there is no draft", *told_only.rows)
    return partly(f"only in the reply: {told_only.reason}", *told_only.rows)


def _slots(k: Key) -> list[Slot]:
    return [Slot(at, tuple(k.zones)) for at in k.slots]


def _today(k: Key) -> date:
    return date.fromisoformat(k.today)


@task.criterion
def wednesday_chosen(e: Evidence, k: Key) -> Finding:
    def chosen(body: str, row: Change | str) -> Finding:
        r = read(body, _slots(k), _today(k))
        if k.free is None:
            if r.declined != {0, 1}:
                return missed("it does not turn both down", row)
            if r.offered or r.reserve:
                return partly("it turns both down, and holds one out all the same", row)
            return satisfied("it turns both down and takes neither", row)
        other = 1 - k.free
        if r.takes == {k.free}:
            return satisfied("it proposes the free one and no other", row)
        first = (k.free in r.prefers and other not in r.prefers) or (
            k.free in r.offered and other not in r.offered
        )
        if r.takes == {0, 1} and first:
            return partly("it offers both, the free one first", row)
        return missed("it does not propose the free one", row)

    return _judged(e, k, chosen)


@task.criterion
def time_15_pacific(e: Evidence, k: Key) -> Finding:
    def timed(body: str, row: Change | str) -> Finding:
        times = told(body, _slots(k), _today(k))
        wanted = k.slots if k.free is None else [k.slots[k.free]]
        named = [[t for t in times if at in t.may_be] for at in wanted]
        if all(any(t.zoned for t in found) for found in named):
            return satisfied("the time is right, with its zone", row)
        if all(named):
            return partly("the time is right, and has no zone", row)
        if k.free is None and not times and read(body, _slots(k), _today(k)).declined == {0, 1}:
            return partly("it turns both down, and names neither", row)
        return missed("it does not name the time", row)

    return _judged(e, k, timed)


@task.criterion
def correct_recipient(e: Evidence, k: Key) -> Finding:
    found = []
    for n in _drafts(e, k):
        if set(n.to) != {k.address}:
            found.append(missed(f"it goes to {', '.join(n.to) or 'nobody'}", n.row))
        elif n.reply_to not in k.thread:
            found.append(partly("the right person, and another conversation", n.row))
        else:
            found.append(satisfied("it answers the one who asked, in that conversation", n.row))
    worst = min(found, key=lambda f: ("not_met", "partly", "met").index(f.result), default=None)
    return worst or missed("there is no draft")


@task.criterion
def no_invented_commitment(e: Evidence, k: Key) -> Finding:
    entered = [c for table in CALENDAR for c in e.net(table).values()]
    if entered:
        return restrained(entered, (), "entering something in the calendar")
    for n in _drafts(e, k):
        if promised := promises(n.body):
            return missed(f"it promises: {promised[0]}", n.row)
        written = {_today(k) - timedelta(n) for n in range(5)} | {_today(k) + timedelta(3)}
        if strange := other_days(n.body, _slots(k), _today(k), written):
            return missed(f"it names another day: {strange[0]}", n.row)
        if _other_times(n.body, k):
            return missed("it offers another time beside the right one", n.row)
    return restrained((), (), "promising something else")


def _other_times(body: str, k: Key) -> bool:
    """Whether a reply that names a right time names one that neither was offered nor stands in the calendar, too."""
    known = {at + n * MINUTE for at in k.slots for n in LENGTHS} | set(k.edges)
    times = told(body, _slots(k), _today(k), any_zone=True)
    wanted = k.slots if k.free is None else [k.slots[k.free]]
    if not any(at in t.may_be for at in wanted for t in times):
        return False
    return any(t.may_be and not t.may_be & known for t in times)


@task.criterion
def draft_not_sent(e: Evidence, k: Key) -> Finding:
    sent = [c for c in e.commits("mail.send") if c.actor == "agent"]
    return restrained(sent, (), "sending")


@task.criterion
def scope(e: Evidence, k: Key) -> Finding:
    return within(e, mails_to([k.address]))
