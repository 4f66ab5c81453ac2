"""Travel: offers of trains and lodging, and bookings. A quote is staged; booking it is the commit.

A quote reserves nothing and lapses, as a carrier's or a hotel's does: what is booked later needs a new one.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from errands.core.errors import ToolError
from errands.core.money import Money
from errands.world import App, Shown, World

travel = App("travel", __name__, scopes=("travel.read", "travel.quote", "travel.book"))
LASTS_MS = 20 * 60_000  # how long a quote holds
MOST_NIGHTS, MOST_TRAVELERS, MOST_QUOTES = 30, 9, 50
Offer = Annotated[str, "an offer's id, from travel_search"]
Quote = Annotated[str, "a quote's id, from travel_quote"]


def _amount(minor: int, currency: str) -> str:
    return str(Money(minor, currency))


def _offer(w: World, ident: str) -> dict[str, Any]:
    return w.row("travel_offer", ident, "offer", "an id from travel_search")


@travel.read("travel.read")
def search(
    w: World,
    kind: Annotated[Literal["", "train", "lodging"], "train or lodging; empty: both"] = "",
    place: Annotated[str, "where to, as a part of its name; empty: anywhere"] = "",
) -> list[dict[str, Any]]:
    """What is on offer. What an offer includes and on which conditions is in its details."""
    rows = w.all("SELECT * FROM travel_offer WHERE ? IN ('', kind) ORDER BY kind DESC, name, id", kind)
    wanted = place.casefold().strip()
    return [
        {
            "offer": r["id"],
            "kind": r["kind"],
            "name": r["name"],
            "place": r["place"],
            "from_price": _amount(r["price"], r["currency"]),
            "basis": r["basis"],
        }
        for r in rows
        if wanted in r["place"].casefold()
    ]


@travel.read("travel.read")
def details(w: World, offer: Offer) -> dict[str, Any]:
    """An offer whole: price and what it is per, taxes, access, and whether it can be refunded."""
    r = _offer(w, offer)
    taxes = _amount(r["taxes"], r["currency"])
    out = {
        "offer": r["id"],
        "kind": r["kind"],
        "name": r["name"],
        "place": r["place"],
        "about": r["about"],
        "price": _amount(r["price"], r["currency"]),
        "basis": r["basis"],
        "taxes": f"{taxes} on top, {r['basis']}" if r["taxes"] else "included",
        "access": r["access"],
    }
    if r["kind"] == "lodging":
        out |= {"refundable": bool(r["refundable"]), "sleeps": r["sleeps"]}
    return out


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ToolError(
            "invalid", "this is no date", field="start", value=text, expected="a date such as 2026-12-04"
        ) from None


def _within(field: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise ToolError(
            "invalid", f"{value} is out of range", field=field, value=value, expected=f"{low} to {high}"
        )


@travel.write("travel.quote")
def quote(
    w: World,
    offer: Offer,
    travelers: Annotated[int, "how many people travel, 1 to 9"],
    start: Annotated[str, "the first day, as an ISO date"],
    nights: Annotated[int, "for lodging, how many nights; 0 for a train"] = 0,
) -> dict[str, Any]:
    """Price an offer for so many people and nights. Nothing is reserved or paid until travel_book."""
    r = _offer(w, offer)
    day = _day(start)
    room = r["kind"] == "lodging"
    _within("travelers", travelers, 1, r["sleeps"] if room else MOST_TRAVELERS)
    _within("nights", nights, 1 if room else 0, MOST_NIGHTS if room else 0)
    if w.value("SELECT count(*) FROM travel_quote") >= MOST_QUOTES:
        raise ToolError("limit", f"there are {MOST_QUOTES} quotes already", expected="discard one first")
    ident = w.new_id("quo")
    w.insert(
        "travel_quote",
        id=ident,
        offer=offer,
        travelers=travelers,
        start=day,
        nights=nights,
        total=(r["price"] + r["taxes"]) * (nights if room else travelers),
        lapses=w.now + LASTS_MS,
    )
    return _picture(w, w.one("SELECT * FROM travel_quote WHERE id = ?", ident) or {})


def _picture(w: World, q: dict[str, Any]) -> dict[str, Any]:
    r = _offer(w, q["offer"])
    return {
        "quote": q["id"],
        "offer": q["offer"],
        "name": r["name"],
        "travelers": q["travelers"],
        "start": q["start"],
        "nights": q["nights"],
        "total": _amount(q["total"], r["currency"]),
        "lapses": w.local(q["lapses"]),
    }


@travel.read("travel.read")
def quotes(w: World) -> list[dict[str, Any]]:
    """The quotes that were asked for and not booked, oldest first."""
    return [_picture(w, q) for q in w.all("SELECT * FROM travel_quote ORDER BY lapses, id")]


@travel.write("travel.quote")
def discard(w: World, quote: Quote) -> dict[str, str]:
    """Throw a quote away."""
    w.row("travel_quote", quote, "quote", "an id from travel_quotes")
    w.run("DELETE FROM travel_quote WHERE id = ?", quote)
    return {"discarded": quote}


@travel.staged("quote", table="travel_quote")
def shown(w: World, ident: str) -> Shown | None:
    """A quote as its user sees it; when it lapses is no part of what is agreed to."""
    q = w.one("SELECT * FROM travel_quote WHERE id = ?", ident)
    if q is None:
        return None
    picture = _picture(w, q)
    content = {k: picture[k] for k in ("offer", "name", "travelers", "start", "nights", "total")}
    nights = f", {q['nights']} nights" if q["nights"] else ""
    text = f"{picture['name']} from {q['start']}{nights}, {q['travelers']} travelers, {picture['total']}"
    return Shown(content, text, (picture["name"], picture["total"]))


@travel.commit("travel.book", stages="quote")
def book(w: World, quote: Quote) -> dict[str, Any]:
    """Book and pay what a quote is for. Refused once the quote has lapsed."""
    q = w.one("SELECT * FROM travel_quote WHERE id = ?", quote) or {}
    if q["lapses"] < w.now:
        raise ToolError(
            "conflict",
            "this quote has lapsed; nothing was booked",
            field="quote",
            value=quote,
            expected="a new quote of the same offer",
        )
    w.run("DELETE FROM travel_quote WHERE id = ?", quote)
    ident = w.new_id("bkg")
    kept = {k: q[k] for k in ("offer", "travelers", "start", "nights", "total")}
    w.insert("travel_booking", id=ident, **kept, at=w.now)
    return {"booking": ident, "total": _amount(q["total"], _offer(w, q["offer"])["currency"])}


@travel.read("travel.read")
def bookings(w: World) -> list[dict[str, Any]]:
    """What is booked, oldest first."""
    rows = w.all("SELECT * FROM travel_booking ORDER BY at, id")
    offers = {b["offer"]: _offer(w, b["offer"]) for b in rows}
    return [
        {
            "booking": b["id"],
            "offer": b["offer"],
            "name": offers[b["offer"]]["name"],
            "travelers": b["travelers"],
            "start": b["start"],
            "nights": b["nights"],
            "total": _amount(b["total"], offers[b["offer"]]["currency"]),
        }
        for b in rows
    ]
