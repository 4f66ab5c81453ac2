"""Filling calendars of a fixture: typed inserts that builders use, with the same expansion as the tools."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from errands.core.canon import canonical
from errands.core.errors import TaskError
from errands.world.fixture import Draft

from .recurrence import expand

Attendee = tuple[str, str, str]


def calendar(d: Draft, *, id: str, name: str, owner: str, access: str = "own", zone: str) -> None:
    """A calendar that the owner of the world sees: access `own`, `read` or `busy`."""
    d.insert("calendar_calendar", id=id, name=name, owner=owner.lower(), access=access, zone=zone)


def event(
    d: Draft,
    *,
    id: str,
    calendar: str,
    title: str,
    starts: int,
    ends: int,
    zone: str,
    organizer: str,
    attendees: Iterable[Attendee] = (),
    rrule: str = "",
    exdates: Collection[int] = (),
    window: tuple[int, int] | None = None,
    all_day: bool = False,
    location: str = "",
    notes: str = "",
    status: str = "confirmed",
    optional: Collection[str] = (),
    series: str = "",
    original: int | None = None,
) -> None:
    """An event with its occurrences; attendees are (email, name, response), `optional` e-mails among them.

    A repeating event needs `window`, the same as the fixture's meta `window`. An exception names its `series`
    (seeded before) and the `original` start that it replaces. TaskError when the rule does not do.
    """
    where = f"event {id!r}"
    if rrule and window is None:
        raise TaskError("a repeating event needs the window in which it is expanded", where=where)
    if bool(series) != (original is not None) or (series and rrule):
        raise TaskError("an exception has both series and original, and no rule", where=where)
    try:
        kept = expand(starts, ends, zone, rrule, set(exdates), window or (starts, ends))
    except ValueError as why:
        raise TaskError(str(why), where=where, do=f"rule was {rrule}") from why
    if series:
        _make_room(d, where, series, original)
    d.insert(
        "calendar_event",
        id=id,
        calendar=calendar,
        title=title,
        starts=starts,
        ends=ends,
        zone=zone,
        all_day=int(all_day),
        location=location,
        notes=notes,
        organizer=organizer.lower(),
        status=status,
        rrule=rrule,
        exdates=canonical(sorted(exdates)),
        series=series,
        original=original,
        version=1,
    )
    d.db.executemany("INSERT INTO calendar_occurrence VALUES (?, ?, ?)", [(id, a, b) for a, b in kept])
    spared = {e.lower() for e in optional}
    for email, name, response in attendees:
        d.insert(
            "calendar_attendee",
            event=id,
            email=email.lower(),
            name=name,
            response=response,
            optional=int(email.lower() in spared),
        )


def _make_room(d: Draft, where: str, series: str, original: int | None) -> None:
    here = "FROM calendar_occurrence WHERE event = ? AND starts = ?"
    if not d.db.execute(f"SELECT count(*) {here}", (series, original)).get:
        raise TaskError(f"the series {series!r} has no occurrence at {original}", where=where)
    d.db.execute(f"DELETE {here}", (series, original))


def busy(d: Draft, *, person: str, starts: int, ends: int) -> None:
    """Somebody's own commitment: the time is taken, and that is all that is known."""
    if ends <= starts:
        raise TaskError("a commitment ends before it starts", where=f"busy {person!r}")
    d.insert("calendar_busy", person=person.lower(), starts=starts, ends=ends)
