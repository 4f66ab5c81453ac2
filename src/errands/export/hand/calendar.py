"""Calendars as .ics files (RFC 5545), one a calendar; other people's commitments as files of their own."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any

from errands.apps.calendar.recurrence import parse, wall
from errands.core import clock
from errands.core.errors import UsageError
from errands.world import App

from .scene import PLACE, Put, Row, Scene, listed, many, slug

_PARTSTAT = {
    "needs-action": "NEEDS-ACTION",
    "accepted": "ACCEPTED",
    "declined": "DECLINED",
    "tentative": "TENTATIVE",
}
_ACCESS = {
    "own": "the user's own",
    "read": "shared with the user, to read",
    "busy": "shared as busy times only",
}
_AROUND = timedelta(days=400)  # how far beyond its events a calendar's zones are written out


def write(app: App, scene: Scene, since: Scene | None) -> Put:
    """The calendars that the user sees; later, what was changed, put in or called off."""
    files: dict[str, bytes] = {}
    how: list[str] = []
    fresh = scene.fresh("calendar_event", since)
    met = {a["event"] for a in scene.fresh("calendar_attendee", since)}
    fresh += [e for e in scene.rows("calendar_event") if since and e["id"] in met and e not in fresh]
    names = _names(scene.rows("calendar_calendar"))
    for c in scene.rows("calendar_calendar"):
        events = [e for e in fresh if e["calendar"] == c["id"]]
        if not events and since is not None:
            continue
        made = f"Make the calendar “{c['name']}” ({_ACCESS[c['access']]})"
        if not events:
            how.append(f"{made} and leave it empty.")
            continue
        file = f"calendar/{names[c['id']]}.ics"
        files[file] = _calendar(scene, c["name"], events, hidden=c["access"] == "busy")
        what = many(len(events), "event")
        if since is None:
            how.append(f"{made} and import {PLACE}{file}: {what}.")
        else:
            how += [_news(e) for e in events]
            how.append(f"Or import {PLACE}{file} into “{c['name']}”.")
    how += [f"Delete the event “{e['title']}”." for e in scene.gone("calendar_event", since)]
    people: dict[str, list[Row]] = {}
    for b in scene.fresh("calendar_busy", since):
        people.setdefault(b["person"], []).append(b)
    for email, spans in people.items():
        files[f"calendar/people/{email.replace('/', '_')}.ics"] = _busy(scene, email, spans)
    if people:
        how.append(
            f"Import {PLACE}calendar/people into accounts of {many(len(people), 'other person', 'other people')},"
            " which share with the user only whether they are free."
        )
    return Put(files, tuple(how))


def _names(calendars: Iterable[Row]) -> dict[str, str]:
    out: dict[str, str] = {}
    for c in calendars:
        name = slug(c["name"], "calendar")
        out[c["id"]] = name if name not in out.values() else f"{name}-{len(out) + 1}"
    return out


def _news(e: Row) -> str:
    begins = f"{wall(e['starts'], e['zone']):%Y-%m-%d %H:%M} ({e['zone']})"
    if e["status"] == "cancelled":
        return f"As its organiser, call off the event “{e['title']}” of {begins}."
    return f"As its organiser, put in or change the event “{e['title']}”: {begins}."


def _calendar(scene: Scene, name: str, events: list[Row], *, hidden: bool = False) -> bytes:
    calendar = _blank(name)
    for zone in sorted({e["zone"] for e in events if e["zone"] != "UTC"}):
        calendar.add_component(_zone(zone, [e for e in events if e["zone"] == zone]))
    for e in events:
        calendar.add_component(_event(scene, e, hidden))
    data: bytes = calendar.to_ical()
    return data


def _blank(name: str) -> Any:
    calendar = library().Calendar()
    calendar.add("version", "2.0")
    calendar.add("prodid", "-//Calendar//EN")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", name)
    return calendar


def _event(scene: Scene, e: Row, hidden: bool) -> Any:
    ics = library()
    event = ics.Event()
    event.add("uid", _uid(e["series"] or e["id"]))
    event.add("dtstamp", clock.from_ms(scene.at, "UTC").astimezone(UTC))
    event.add("sequence", e["version"] - 1)
    event.add("dtstart", _when(e["starts"], e))
    event.add("dtend", _when(e["ends"], e))
    if e["rrule"]:
        event.add("rrule", _rule(e))
    for at in listed(e["exdates"]):
        event.add("exdate", _when(at, e))
    if e["original"] is not None:
        event.add("recurrence-id", _when(e["original"], e))
    if hidden:
        event.add("summary", "Busy")
        return event
    event.add("summary", e["title"])
    event.add("status", e["status"].upper())
    for name, value in (("location", e["location"]), ("description", e["notes"])):
        if value:
            event.add(name, value)
    guests = [a for a in scene.rows("calendar_attendee") if a["event"] == e["id"]]
    if e["organizer"]:
        known = {a["email"]: a["name"] for a in guests}
        event.add("organizer", _person(e["organizer"], known.get(e["organizer"], "")))
    for a in guests:
        who = _person(a["email"], a["name"])
        who.params["PARTSTAT"] = _PARTSTAT[a["response"]]
        who.params["ROLE"] = "OPT-PARTICIPANT" if a["optional"] else "REQ-PARTICIPANT"
        event.add("attendee", who, encode=0)
    return event


def _busy(scene: Scene, email: str, spans: list[Row]) -> bytes:
    calendar = _blank(email)
    for b in spans:
        event = library().Event()
        event.add("uid", f"{b['starts']}-{b['ends']}-{email}")
        event.add("dtstamp", clock.from_ms(scene.at, "UTC").astimezone(UTC))
        event.add("dtstart", clock.from_ms(b["starts"], "UTC").astimezone(UTC))
        event.add("dtend", clock.from_ms(b["ends"], "UTC").astimezone(UTC))
        event.add("summary", "Busy")
        event.add("transp", "OPAQUE")
        calendar.add_component(event)
    data: bytes = calendar.to_ical()
    return data


def _uid(ident: str) -> str:
    return f"{ident}@calendar.example"


def _when(ms: int, e: Row) -> date | datetime:
    """An instant as the event's zone shows it; of an event of whole days, the day."""
    if e["zone"] == "UTC" and not e["all_day"]:
        return clock.from_ms(ms, "UTC").astimezone(UTC)
    at = clock.from_ms(ms, e["zone"])
    return at.date() if e["all_day"] else at


def _rule(e: Row) -> Any:
    """The rule, its end of the kind that RFC 5545 3.3.10 asks for: a date for whole days, else an instant of UTC."""
    parts = parse(e["rrule"])
    until = parts.get("UNTIL", "")
    if until and not e["all_day"] and "Z" not in until:
        stamp = until if "T" in until else f"{until}T235959"
        local = clock.resolve(datetime.strptime(stamp, "%Y%m%dT%H%M%S"), e["zone"])  # noqa: DTZ007  the zone follows
        parts["UNTIL"] = f"{local.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    elif until and e["all_day"]:
        parts["UNTIL"] = until[:8]
    return library().vRecur.from_ical(";".join(f"{k}={v}" for k, v in parts.items()))


def _person(email: str, name: str) -> Any:
    who = library().vCalAddress(f"mailto:{email}")
    if name:
        who.params["CN"] = name
    return who


def _zone(name: str, events: list[Row]) -> Any:
    """A zone with its changes around these events, from the packaged data (the library would ask the host's)."""
    times = [t for e in events for t in (e["starts"], e["ends"])]
    first = clock.from_ms(min(times), "UTC").date() - _AROUND
    last = clock.from_ms(max(times), "UTC").date() + _AROUND
    found = library().Timezone.from_tzinfo(clock.zone(name), name, first_date=first, last_date=last)
    for part in found.subcomponents:
        _onset(part)
    return found


def _onset(part: Any) -> None:
    """Where clocks go forward, begin when they do: the library gives the first time after the gap, but RFC 5545 3.6.5
    reads it on the clock that is left."""
    gap = part.TZOFFSETTO - part.TZOFFSETFROM
    if gap <= timedelta(0):
        return
    part.DTSTART = part.DTSTART - gap
    if "RDATE" in part:
        later = [d.dt - gap for d in part.pop("RDATE").dts]
        part.add("RDATE", later)


def library() -> Any:
    """icalendar; `UsageError` where it is not installed."""
    try:
        import icalendar
    except ImportError:
        raise UsageError(
            "calendars need icalendar, which is not installed", do="pip install 'errands[hand]'"
        ) from None
    return icalendar
