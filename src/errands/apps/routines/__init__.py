"""Routines and watches: an agent without a scheduler of its own is woken at a time, or when a feed has something new.

At its due time the agent gets a notice that names the routine; what it then does is its own affair. `routines_run`
holds what ran when: `due`, and `woken`, when the notice reached the agent (null while it waits).

Daylight saving is Debian cron's way (the library `cronsim`): a time that the clocks jump over falls due right after
the jump, one that comes twice falls due once.
"""

from __future__ import annotations

from typing import Annotated, Any

from errands.core import clock
from errands.core.canon import canonical, decode
from errands.core.errors import ToolError
from errands.languages.text import fold
from errands.world import App, World
from errands.world.refusals import missing

# What ran when is the world's own record, and no work of the agent's.
routines = App("routines", __name__, scopes=("routines.use",), incidental=frozenset({"routines_run"}))
MOST = 50
NAME, NOTE = 200, 2_000  # characters
Name = Annotated[str, "what you call it, in up to 200 characters; the notice that wakes you says so"]
Note = Annotated[str, "what you will have to know then, in up to 2,000 characters; the notice repeats it"]


def next_due(cron: str, zone: str, after: int) -> int:
    """When a routine falls due next, strictly after `after`; both UTC ms. `ToolError` for what is no cron or zone."""
    from cronsim import CronSim, CronSimError

    try:
        start = clock.from_ms(after, zone)
    except ValueError as why:
        raise ToolError(
            "invalid", str(why), field="zone", value=zone, expected="an IANA zone, e.g. America/New_York"
        ) from None
    try:
        if len(cron.split()) != 5:
            raise CronSimError("Wrong number of fields")
        # Read on a clock that shows an hour twice, the library may name the first time when it is the second.
        found = next(t for t in CronSim(cron, start) if clock.to_ms(t) > after)
    except (CronSimError, StopIteration) as why:
        raise ToolError(
            "invalid",
            f"this is no time to come back at: {why or 'it never comes'}",
            field="cron",
            value=cron,
            expected="minute hour day month weekday, e.g. 30 7 * * 1-5",
        ) from None
    return clock.to_ms(found)


def _room(w: World, name: str, note: str) -> None:
    if not name.strip():
        raise ToolError(
            "invalid", "it needs a name", field="name", value=name, expected=f"1 to {NAME} characters"
        )
    for field, text, most in (("name", name, NAME), ("note", note, NOTE)):
        if len(text) > most:
            raise ToolError(
                "invalid",
                f"the {field} has {len(text)} characters; nothing was set up",
                field=field,
                value=text[:80],
                expected=f"at most {most} characters",
            )
    if w.value("SELECT count(*) FROM routines_routine WHERE live = 1") >= MOST:
        raise ToolError("limit", f"there are {MOST} routines already", expected="cancel one first")


@routines.write("routines.use")
def create(
    w: World,
    name: Name,
    cron: Annotated[str, "when: minute hour day month weekday (0 and 7 are Sunday), e.g. 30 7 * * 1-5"],
    zone: Annotated[str, "IANA zone in which that is meant; empty: your user's"] = "",
    note: Note = "",
) -> dict[str, Any]:
    """Set up a routine: you are woken each time it falls due, until you cancel it."""
    _room(w, name, note)
    due = next_due(cron, zone or w.zone, w.now)
    ident = w.new_id("rtn")
    w.insert(
        "routines_routine",
        id=ident,
        name=name,
        note=note,
        cron=cron,
        zone=zone or w.zone,
        feed="",
        words="[]",
        made=w.now,
        due=due,
        live=1,
    )
    w.schedule(due, "routines.due", routine=ident, due=due)
    return {"routine": ident, "next": w.local(due, zone or w.zone)}


@routines.write("routines.use")
def watch(
    w: World,
    name: Name,
    feed: Annotated[str, "id of the feed to watch"],
    words: Annotated[
        list[str], "only items in whose subject or text one of these stands; none: every item"
    ] = [],  # noqa: B006
    note: Note = "",
) -> dict[str, Any]:
    """Watch a feed: you are woken as soon as a new item appears in it, until you cancel the watch."""
    _room(w, name, note)
    if len(words) > MOST or not all(fold(x) for x in words):
        raise ToolError(
            "invalid",
            "these are no words to watch for",
            field="words",
            expected=f"at most {MOST} words, none of them empty",
        )
    if not w.signal("feeds.named", feed=feed):
        raise missing("feed", feed, "the id of a feed")
    ident = w.new_id("rtn")
    w.insert(
        "routines_routine",
        id=ident,
        name=name,
        note=note,
        cron="",
        zone="",
        feed=feed,
        words=canonical(words),
        made=w.now,
        due=None,
        live=1,
    )
    return {"routine": ident, "feed": feed, "words": words}


@routines.read("routines.use")
def list_(w: World) -> list[dict[str, Any]]:
    """The routines and watches that are set up, with their next time."""
    rows = w.all("SELECT * FROM routines_routine WHERE live = 1 ORDER BY made, id")
    return [
        {
            "routine": r["id"],
            "name": r["name"],
            "note": r["note"],
            "feed": r["feed"],
            "words": decode(r["words"]),
        }
        if r["feed"]
        else {
            "routine": r["id"],
            "name": r["name"],
            "note": r["note"],
            "cron": r["cron"],
            "zone": r["zone"],
            "next": w.local(r["due"], r["zone"]),
        }
        for r in rows
    ]


@routines.write("routines.use")
def cancel(w: World, routine: Annotated[str, "id of a routine or watch"]) -> dict[str, str]:
    """End a routine or a watch for good."""
    if w.value("SELECT live FROM routines_routine WHERE id = ?", routine) != 1:
        raise missing("routine", routine, "an id from routines_list")
    w.update("routines_routine", routine, live=0)
    return {"cancelled": routine}


@routines.on("routines.due")
def due(w: World, e: dict[str, Any]) -> None:
    """A routine's time has come: it runs, and its next time is set. One that was cancelled before does not."""
    r = w.one("SELECT * FROM routines_routine WHERE id = ? AND live = 1", e["routine"])
    if r is None:
        return
    when = clock.from_ms(e["due"], r["zone"])
    _wake(
        w,
        r,
        e["due"],
        "",
        f"Your routine “{r['name']}” is due ({when:%Y-%m-%d} {when:%H:%M}, {r['zone']}; {r['id']}).{_noted(r)}",
    )
    following = next_due(r["cron"], r["zone"], e["due"])
    w.update("routines_routine", r["id"], due=following)
    w.schedule(following, "routines.due", routine=r["id"], due=following)


@routines.on("feeds.appeared")
def appeared(w: World, e: dict[str, Any]) -> None:
    """A feed has something new: those of its watches run for which it has the words."""
    text = fold(f"{e['subject']}\n{e['body']}")
    for r in w.all("SELECT * FROM routines_routine WHERE feed = ? AND live = 1 ORDER BY made, id", e["feed"]):
        words = decode(r["words"])
        if words and not any(fold(x) in text for x in words):
            continue
        _wake(
            w,
            r,
            w.now,
            e["item"],
            f"Your watch “{r['name']}” ({r['id']}): new in “{e['name']}”: {e['subject']} ({e['item']}).{_noted(r)}",
        )


def _noted(r: dict[str, Any]) -> str:
    return f" Your note: {r['note']}" if r["note"] else ""


def _wake(w: World, r: dict[str, Any], at: int, item: str, text: str) -> None:
    ident = w.new_id("run")
    w.insert("routines_run", id=ident, routine=r["id"], due=at, woken=None, item=item)
    w.notify(text, ident)


@routines.on("agent.left")
def left(w: World, e: dict[str, Any]) -> None:
    """Nobody is there any more who could be woken."""
    w.run("UPDATE routines_routine SET live = 0 WHERE live = 1")


@routines.on("notices.told")
def told(w: World, e: dict[str, Any]) -> None:
    """The agent has heard of these."""
    for ref in e["refs"]:
        w.run("UPDATE routines_run SET woken = ? WHERE id = ? AND woken IS NULL", w.now, ref)
