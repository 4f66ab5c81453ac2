"""Rooms to rent: which there are, whether one is free at a time, quotes, holds and bookings."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from errands.core.errors import ToolError
from errands.core.money import Money
from errands.world import App, Shown, World

venues = App("venues", __name__, scopes=("venues.read", "venues.write", "venues.book"))
HOUR = 3_600_000
HOLD = 48 * HOUR  # how long a hold lasts
Venue = Annotated[str, "a venue's id, from venues_list"]
Start = Annotated[str, "when it begins, e.g. 2026-12-03T18:30, in `zone` unless it has an offset"]
Hours = Annotated[int, "for how many hours, 1 to 24"]
Zone = Annotated[str, "IANA zone in which `start` is meant, e.g. Europe/London or UTC; empty: your user's"]
Quote = Annotated[str, "a quote's id, from venues_quote"]
Kind = Literal["hold", "booking"]


def _venue(w: World, ident: str) -> dict[str, Any]:
    return w.row("venues_venue", ident, "venue", "an id from venues_list")


def _span(w: World, start: str, hours: int, zone: str) -> tuple[int, int]:
    """From when to when, UTC ms."""
    if not 1 <= hours <= 24:
        raise ToolError("invalid", "not for so long", field="hours", value=hours, expected="1 to 24")
    begins = w.moment("start", start, zone)
    return begins, begins + hours * HOUR


def _free(w: World, venue: str, starts: int, ends: int) -> bool:
    """Whether nothing else is there at that time: what the house has, and what was held or booked here."""
    over = "venue = ? AND starts < ? AND ends > ?"
    taken = w.value(f"SELECT count(*) FROM venues_busy WHERE {over}", venue, ends, starts)
    live = f"{over} AND (kind = 'booking' OR at + ? > ?)"
    ours = w.value(f"SELECT count(*) FROM venues_booking WHERE {live}", venue, ends, starts, HOLD, w.now)
    return not taken and not ours


@venues.read("venues.read")
def list_(
    w: World, people: Annotated[int, "only those that hold at least so many; 0 for all"] = 0
) -> list[dict[str, Any]]:
    """The venues: where they are, how many people they hold, and what an event there costs.

    Whether one is free at a time is not listed: ask for it with venues_availability.
    """
    rows = w.all("SELECT * FROM venues_venue WHERE capacity >= ? ORDER BY price, name", people)
    return [
        {
            "venue": r["id"],
            "name": r["name"],
            "address": r["address"],
            "capacity": r["capacity"],
            "price": _amount(r["price"], r["currency"]),
            "currency": r["currency"],
        }
        for r in rows
    ]


def _amount(minor: int, currency: str) -> str:
    return str(Money(minor, currency).major)


@venues.read("venues.read")
def availability(w: World, venue: Venue, start: Start, hours: Hours = 2, zone: Zone = "") -> dict[str, Any]:
    """Whether a venue is free at a day and hour. It reserves nothing."""
    row = _venue(w, venue)
    starts, ends = _span(w, start, hours, zone)
    return {
        "venue": venue,
        "name": row["name"],
        "start": w.local(starts, zone),
        "end": w.local(ends, zone),
        "available": _free(w, venue, starts, ends),
    }


def _told(w: World, r: dict[str, Any]) -> dict[str, Any]:
    """A quote or a booking as an agent reads it."""
    return {
        "venue": r["venue"],
        "name": _venue(w, r["venue"])["name"],
        "start": w.local(r["starts"]),
        "end": w.local(r["ends"]),
        "people": r["people"],
        "price": _amount(r["price"], r["currency"]),
        "currency": r["currency"],
    }


@venues.staged("quote", table="venues_quote")
def shown(w: World, ident: str) -> Shown | None:
    """What would be held or booked, as its user sees it."""
    r = w.one("SELECT * FROM venues_quote WHERE id = ?", ident)
    if r is None:
        return None
    content = _told(w, r)
    price = Money(r["price"], r["currency"])
    text = f"{content['name']}, {content['start']} to {content['end']}, {r['people']} people, {price}"
    return Shown(content, text, (content["name"], content["price"]))


@venues.write("venues.write")
def quote(
    w: World,
    venue: Venue,
    start: Start,
    people: Annotated[int, "how many people come"],
    hours: Hours = 2,
    zone: Zone = "",
) -> dict[str, Any]:
    """Prepare a quote, to be held or booked later. Nothing is reserved, and nobody looks whether the venue is free."""
    row = _venue(w, venue)
    starts, ends = _span(w, start, hours, zone)
    if not 1 <= people <= row["capacity"]:
        raise ToolError(
            "invalid",
            f"{row['name']} is not for {people} people",
            field="people",
            value=people,
            expected=f"1 to {row['capacity']}",
        )
    if w.value("SELECT count(*) FROM venues_quote") >= 50:
        raise ToolError("limit", "there are 50 quotes already", expected="discard some first")
    ident = w.new_id("qte")
    w.insert(
        "venues_quote",
        id=ident,
        venue=venue,
        starts=starts,
        ends=ends,
        people=people,
        price=row["price"],
        currency=row["currency"],
        at=w.now,
    )
    return {"quote": ident, **_told(w, _quote(w, ident))}


def _quote(w: World, ident: str) -> dict[str, Any]:
    return w.row("venues_quote", ident, "quote", "an id from venues_quotes")


@venues.read("venues.read")
def quotes(w: World) -> list[dict[str, Any]]:
    """The quotes that wait, oldest first."""
    rows = w.all("SELECT * FROM venues_quote ORDER BY at, id")
    return [{"quote": r["id"], **_told(w, r)} for r in rows]


@venues.write("venues.write")
def discard_quote(w: World, quote: Quote) -> dict[str, str]:
    """Throw a quote away."""
    _quote(w, quote)
    w.run("DELETE FROM venues_quote WHERE id = ?", quote)
    return {"discarded": quote}


@venues.commit("venues.book", stages="quote")
def hold(w: World, quote: Quote) -> dict[str, Any]:
    """Have a venue held for 48 hours: nobody else gets it meanwhile. The house is told at once."""
    return _taken(w, quote, "hold")


@venues.commit("venues.book", stages="quote")
def book(w: World, quote: Quote) -> dict[str, Any]:
    """Book a venue: the price is due, and it cannot be taken back."""
    return _taken(w, quote, "booking")


def _taken(w: World, ident: str, kind: Kind) -> dict[str, Any]:
    r = _quote(w, ident)
    if not _free(w, r["venue"], r["starts"], r["ends"]):
        raise ToolError(
            "conflict",
            "the venue is not free at that time",
            field="quote",
            value=ident,
            expected="a quote for a venue that is free then",
        )
    made = w.new_id("bkg")
    columns = ("venue", "starts", "ends", "people", "price", "currency")
    w.insert("venues_booking", id=made, kind=kind, at=w.now, **{c: r[c] for c in columns})
    w.run("DELETE FROM venues_quote WHERE id = ?", ident)
    w.signal(
        "venues.taken", booking=made, kind=kind, venue=r["venue"], price=r["price"], currency=r["currency"]
    )
    return _booked(w, _row(w, made))


def _row(w: World, ident: str) -> dict[str, Any]:
    row = w.one("SELECT * FROM venues_booking WHERE id = ?", ident)
    assert row is not None  # it was made just now
    return row


def _booked(w: World, r: dict[str, Any]) -> dict[str, Any]:
    until = {"until": w.local(r["at"] + HOLD)} if r["kind"] == "hold" else {}
    return {"booking": r["id"], "kind": r["kind"], **_told(w, r), **until}


@venues.read("venues.read")
def bookings(w: World) -> list[dict[str, Any]]:
    """What was held or booked, oldest first."""
    return [_booked(w, r) for r in w.all("SELECT * FROM venues_booking ORDER BY at, id")]
