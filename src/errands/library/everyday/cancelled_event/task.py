"""One hour of a calendar feed, and one notification if the next event is cancelled. See Task.md."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from errands.apps.feeds import seed as feeds
from errands.core import clock
from errands.core.types import Finding
from errands.grading.everyday import restrained
from errands.grading.evidence import Entry, Evidence
from errands.grading.findings import missed, partly, satisfied, unobserved
from errands.grading.punctual import ON_TIME_MS
from errands.grading.punctual import on_time as punctual
from errands.grading.sessions import watched_to
from errands.people.brief import Brief
from errands.tasks import Build, Key, Task

from .reading import Event, names, of_newsletter, says, stated, times
from .scene import worked_out

task = Task(__package__)

MINUTE, HOUR = 60_000, 3_600_000


@dataclass(frozen=True, slots=True)
class Scene:
    """One hour: when it begins, when the next event does, and what happens in which minute.

    It begins a second past a minute, so whoever looks on every fifth just misses what happens in such a one.
    """

    day: date
    begins: str
    starts: str
    happens: tuple[tuple[str, int], ...]


SCENES = (
    Scene(date(2026, 11, 17), "12:30:01", "14:00", (("cancelled", 15), ("letter", 30))),
    Scene(date(2026, 5, 14), "09:10:01", "10:45", (("other", 10), ("cancelled", 25), ("letter", 40))),
    Scene(date(2026, 9, 22), "10:20:01", "11:45", (("namesake", 15), ("letter", 30))),
    Scene(date(2026, 3, 24), "13:40:01", "15:15", (("room", 10), ("loud", 20), ("cancelled", 45))),
)
# Titles: the next event's, and one that is later on the same day; after the seed's, each pair is alike.
TITLES = (
    ("Design review", "Budget sync"),
    ("Vendor call", "Vendor onboarding"),
    ("Sprint planning", "Sprint demo"),
    ("Roadmap workshop", "Roadmap recap"),
    ("Pricing review", "Pricing call"),
    ("Warehouse walkthrough", "Warehouse lease"),
)
ROOMS = ("Room Alder", "Room Birch", "Room Cedar", "Room Dogwood", "Room Elm")
HOSTS = ("Ellen Brandvold", "Priya Raghunathan", "Marcus Oyelaran")


@task.build
def build(b: Build) -> Key:
    scene = SCENES[b.variant]
    b.begins(scene.day, scene.begins)
    until = b.now + HOUR
    title, other = TITLES[0] if b.variant == 0 else b.rng.choice(TITLES[1:])
    rooms, hosts = b.rng.shuffled(list(ROOMS)), b.rng.shuffled(list(HOSTS))
    start = b.at(scene.day, scene.starts)
    feed = feeds.channel(b.draft, id=b.id("fed"), name=b.say("feed").text, about=b.say("about").text)
    coming = {
        "cancelled": (title, start, hosts[0]),
        "other": (other, start + 150 * MINUTE, hosts[1]),
        "namesake": (title, b.at(scene.day + timedelta(1), scene.starts), hosts[0]),
    }
    for n, (what, (name, at, host)) in enumerate(coming.items()):
        if what == "namesake" and what not in dict(scene.happens):
            name = other
        said = b.say(
            "event", at=_local(b, at), end=_local(b, at + HOUR), title=name, room=rooms[n], organizer=host
        )
        made = b.now - (2 + n) * 26 * HOUR - 7 * MINUTE
        feeds.item(
            b.draft,
            id=b.id("itm"),
            feed=feed,
            subject=said.subject or "",
            body=said.text,
            at=made,
            kind="event",
        )
    for what, minute in scene.happens:
        if what in coming:
            name, at, host = coming[what]
            said = b.say("cancelled", b.variant, title=name, at=_local(b, at), organizer=host)
        elif what == "room":
            said = b.say("room", title=title, at=_local(b, start), room=rooms[4], organizer=hosts[0])
        else:
            said = b.say("loud_newsletter" if what == "loud" else "newsletter")
        kind = "newsletter" if what in ("letter", "loud") else "event"
        b.later(
            b.now + minute * MINUTE,
            "feeds.publish",
            id=b.id("itm"),
            feed=feed,
            kind=kind,
            subject=said.subject or "",
            body=said.text,
        )
    b.later(until, "user.speaks", text=b.say("ask").text)
    b.watched_until(until)
    b.user(Brief(goal="to hear of it at once if the next event is cancelled, and of nothing else"))
    b.instruct(feed=b.say("feed").text)
    right = worked_out(b, feed)
    for criterion in ("detect_cancellation", "correct_event"):
        b.needs(criterion, feed, right["item"])
    for criterion in ("notify_within_5_minutes", "one_notification"):
        b.needs(criterion, feed)
    return Key(feed=feed, zone=b.market.zone, until=until, deadline=until, **right)


def _local(b: Build, at: int) -> Any:
    return clock.from_ms(at, b.market.zone)


# ---- what came of it ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Note:
    """A notification that rang: when, what it said, and the row that sent it."""

    at: int
    text: str
    row: Entry


def _event(k: Key) -> Event:
    return Event(k.title, k.start, k.zone)


def _notes(e: Evidence) -> list[_Note]:
    """What rang on the user's phone, in order."""
    rows = sorted(e.after("notify_message").values(), key=lambda r: (r["sent"] or 0, r["id"]))
    made = {x.ref: x for x in e.entries("effect", "notify_message")}
    return [
        _Note(r["sent"], f"{r['title']}\n{r['text']}", made[r["id"]]) for r in rows if r["sent"] is not None
    ]


def _said(k: Key, n: _Note) -> str | None:
    """What a notification says of the next event: `off`, `changed`, `on` or nothing."""
    return says(n.text, _event(k), k.others, n.at)


def _letters(e: Evidence, k: Key) -> list[_Note]:
    return [n for n in _notes(e) if of_newsletter(n.text, k.headline)]


def _rest(e: Evidence, k: Key) -> list[_Note]:
    """All that rang but what is of the newsletter alone."""
    letters = _letters(e, k)
    return [n for n in _notes(e) if n not in letters or (names(n.text, _event(k)) and _said(k, n) == "off")]


def _alarms(e: Evidence, k: Key) -> list[_Note]:
    """Those that say within the hour that the next event is cancelled, or has changed, once it was."""
    rang = [n for n in _rest(e, k) if k.appears <= n.at <= k.until]
    return [n for n in rang if _said(k, n) in ("off", "changed")]


def _read(e: Evidence, k: Key, item: str) -> Entry | None:
    """The call by which the agent first read an item while the hour ran."""
    for c in e.entries("call", "feeds_items"):
        if c.at < k.until and "result" in c.body and item in [i["id"] for i in c.body["result"]["items"]]:
            return c
    return None


def _watched(e: Evidence, k: Key, at: int) -> Entry | None:
    """The row that set up a watch on the feed which stood at that time."""
    live: dict[str, Entry] = {}
    for x in e.entries("effect", "routines_routine"):
        row = x.body["after"] or x.body["before"]
        if x.at > at or row["feed"] != k.feed:
            continue
        if x.body["after"] and row["live"]:
            live.setdefault(x.ref, x)
        else:
            live.pop(x.ref, None)
    return next(iter(live.values()), None)


@dataclass(frozen=True, slots=True)
class _Status:
    """What was said once the hour was over: whether the event stands, in which words, and in which rows."""

    stands: bool
    text: str
    rows: tuple[str, ...]


def _status(e: Evidence, k: Key) -> _Status:
    told = [r for r in e.replies if r.at >= k.until and str(r.body["text"]).strip()]
    text = "\n".join(str(r.body["text"]) for r in told)
    found = {state for of, state in stated(text, _event(k), k.others, k.until) if of != "other"}
    return _Status("on" in found and "off" not in found, text, tuple(str(r) for r in told))


# ---- criteria -----------------------------------------------------------------------------------------------------


@task.criterion
def detect_cancellation(e: Evidence, k: Key) -> Finding:
    if not k.cancelled:
        return _looked_and_said(e, k)
    alarms = _alarms(e, k)
    if found := [n for n in alarms if _said(k, n) == "off"]:
        return satisfied("it told of the cancellation", found[0].row)
    if alarms:
        return partly("it told of a change, and not that it is a cancellation", alarms[0].row)
    return missed("no notification of the hour tells of the cancellation")


def _looked_and_said(e: Evidence, k: Key) -> Finding:
    """Where the next event was not cancelled: the feed was followed, and after the hour it said so."""
    status, first = _status(e, k), _read(e, k, k.notice)
    second = _read(e, k, k.letter) or _watched(e, k, k.letter_at)
    if not status.stands:
        return missed("after the hour it did not say that the event stands", *status.rows)
    looked = [x for x in (first, second) if x is not None]
    say = satisfied if len(looked) == 2 else partly if looked else missed
    return say(
        f"it saw {len(looked)} of 2 items while the hour ran, and said that the event stands",
        *looked,
        *status.rows,
    )


@task.criterion
def notify_within_5_minutes(e: Evidence, k: Key) -> Finding:
    alarms = _alarms(e, k)
    if not k.cancelled:
        return _looked_in_time(e, k, alarms)
    if not alarms:
        return missed("no notification of the hour tells of the cancellation")
    say = satisfied if punctual(k.appears, alarms[0].at) else partly
    return say(f"it rang {(alarms[0].at - k.appears) // 1_000:+d} s from the cancellation", alarms[0].row)


def _looked_in_time(e: Evidence, k: Key, alarms: list[_Note]) -> Finding:
    """Where there was nothing to tell: it was seen within five minutes that there was not."""
    first, status = _read(e, k, k.notice), _status(e, k)
    if alarms:
        return missed(
            "it told of a cancellation of the next event, and there is none", *(n.row for n in alarms)
        )
    if first is None or not status.stands:
        return missed("it did not look while the hour ran, or did not say after it that the event stands")
    late = first.at - k.appears
    say = satisfied if late <= ON_TIME_MS else partly
    return say(f"the other event's cancellation was read after {late // 1_000} s", first, *status.rows)


@task.criterion
def correct_event(e: Evidence, k: Key) -> Finding:
    event = _event(k)
    if k.cancelled:
        alarms = _alarms(e, k)
        if not alarms:
            return missed("no notification of the hour tells of the cancellation")
        text, rows = alarms[0].text, tuple(str(a.row) for a in alarms[:1])
        if not k.also_cancelled and ("other", "off") in stated(text, event, k.others, alarms[0].at):
            return missed("it says of another event that it is cancelled", *rows)
    else:
        status = _status(e, k)
        if not status.stands or _read(e, k, k.notice) is None:
            return missed("it did not look while the hour ran, or did not say after it that the event stands")
        text, rows = status.text, status.rows
    if not names(text, event):
        return missed(f"it does not name {k.title}", *rows)
    if not times(text, event):
        return partly(f"it names {k.title} and not its time", *rows)
    return satisfied(f"it names {k.title} and its time", *rows)


@task.criterion
def one_notification(e: Evidence, k: Key) -> Finding:
    rest, alarms = _rest(e, k), _alarms(e, k)
    if k.cancelled:
        if not alarms:
            return missed("no notification of the hour tells of the cancellation", *(n.row for n in rest))
        say = satisfied if len(rest) == 1 else partly if len(rest) == 2 else missed
        return say(f"{len(rest)} notifications", *(n.row for n in rest))
    first, status = _read(e, k, k.notice), _status(e, k)
    if first is None or not status.stands:
        return missed("it did not look while the hour ran, or did not say after it that the event stands")
    say = satisfied if not rest else partly if len(rest) == 1 and not alarms else missed
    return say(f"{len(rest)} notifications, and nothing to tell", *(n.row for n in rest), first, *status.rows)


@task.criterion
def ignore_newsletter(e: Evidence, k: Key) -> Finding:
    done = [n.row for n in _letters(e, k)]
    if not done and not watched_to(e, k.until):
        return unobserved("the attempt ended before the hour did")
    return restrained(done, (), "a notification of the newsletter")
