"""Places: restaurants with their menu, noise, prices and hours, and tables. A request is staged; reserving is the
commit."""

from __future__ import annotations

from typing import Annotated, Any

from errands.core import clock
from errands.core.errors import ToolError
from errands.core.money import Money
from errands.world import App, Shown, World

places = App("places", __name__, scopes=("places.read", "places.request", "places.reserve"))
MOST_REQUESTS = 50
Place = Annotated[str, "a place's id, from places_search"]
Request = Annotated[str, "a request's id, from places_request"]


def _place(w: World, ident: str) -> dict[str, Any]:
    return w.row("places_place", ident, "place", "an id from places_search")


@places.read("places.read")
def search(
    w: World,
    area: Annotated[str, "where, as a part of the area's name; empty: everywhere"] = "",
) -> list[dict[str, Any]]:
    """Places to eat, with the price of a lunch before service. All else is in a place's details."""
    wanted = area.casefold().strip()
    return [
        {
            "place": r["id"],
            "name": r["name"],
            "kind": r["kind"],
            "area": r["area"],
            "lunch_from": str(Money(r["price"], r["currency"])),
        }
        for r in w.all("SELECT * FROM places_place ORDER BY name, id")
        if wanted in r["area"].casefold()
    ]


@places.read("places.read")
def details(w: World, place: Place) -> dict[str, Any]:
    """A place whole: menu, vegetarian or not, noise, seating, what a lunch comes to, and hours."""
    r = _place(w, place)
    return {
        "place": r["id"],
        "name": r["name"],
        "kind": r["kind"],
        "area": r["area"],
        "menu": r["menu"],
        "vegetarian": r["vegetarian"],
        "noise": r["noise"],
        "seating": r["seating"],
        "lunch": str(Money(r["price"], r["currency"])),
        "service": f"{Money(r['service'], r['currency'])} on top" if r["service"] else "included",
        "total": str(Money(r["price"] + r["service"], r["currency"])),
        "hours": f"{r['opens']}-{r['closes']}",
    }


@places.write("places.request")
def request(
    w: World,
    place: Place,
    at: Annotated[str, "when, as a local ISO date-time such as 2026-12-04T12:30"],
    party: Annotated[int, "how many people"],
) -> dict[str, Any]:
    """Prepare a request for a table. The place hears of it only by places_reserve."""
    r = _place(w, place)
    when = w.moment("at", at)
    if not 1 <= party <= r["seats"]:
        raise ToolError(
            "invalid", "not so many", field="party", value=party, expected=f"1 to {r['seats']} people"
        )
    hour = f"{clock.from_ms(when, w.zone):%H:%M}"
    if not r["opens"] <= hour < r["closes"] or when < w.now:
        raise ToolError(
            "invalid",
            f"{r['name']} has no tables then",
            field="at",
            value=at,
            expected=f"a time to come, from {r['opens']} and before {r['closes']}",
        )
    if w.value("SELECT count(*) FROM places_request") >= MOST_REQUESTS:
        raise ToolError("limit", f"there are {MOST_REQUESTS} requests already", expected="discard one first")
    ident = w.new_id("req")
    w.insert("places_request", id=ident, place=place, at=when, party=party)
    return _picture(w, {"id": ident, "place": place, "at": when, "party": party}, "request")


def _picture(w: World, r: dict[str, Any], kind: str) -> dict[str, Any]:
    return {
        kind: r["id"],
        "place": r["place"],
        "name": _place(w, r["place"])["name"],
        "at": w.local(r["at"]),
        "party": r["party"],
    }


@places.read("places.read")
def requests(w: World) -> list[dict[str, Any]]:
    """The requests for tables that are prepared and not made, soonest first."""
    return [_picture(w, r, "request") for r in w.all("SELECT * FROM places_request ORDER BY at, id")]


@places.write("places.request")
def discard(w: World, request: Request) -> dict[str, str]:
    """Throw a prepared request away."""
    w.row("places_request", request, "request", "an id from places_requests")
    w.run("DELETE FROM places_request WHERE id = ?", request)
    return {"discarded": request}


@places.staged("table", table="places_request")
def shown(w: World, ident: str) -> Shown | None:
    """A request as its user sees it."""
    r = w.one("SELECT * FROM places_request WHERE id = ?", ident)
    if r is None:
        return None
    picture = _picture(w, r, "request")
    content = {k: picture[k] for k in ("place", "name", "at", "party")}
    text = f"table at {picture['name']} for {r['party']}, {picture['at']}"
    return Shown(content, text, (picture["name"], picture["at"]))


@places.commit("places.reserve", stages="table")
def reserve(w: World, request: Request) -> dict[str, Any]:
    """Reserve the table that a request is for, in the user's name."""
    r = w.one("SELECT * FROM places_request WHERE id = ?", request) or {}
    if r["at"] < w.now:
        raise ToolError("conflict", "that time is over", field="request", value=request)
    w.run("DELETE FROM places_request WHERE id = ?", request)
    ident = w.new_id("rsv")
    kept = {k: r[k] for k in ("place", "at", "party")}
    w.insert("places_reservation", id=ident, **kept)
    return {"reservation": ident, "at": w.local(r["at"])}


@places.read("places.read")
def reservations(w: World) -> list[dict[str, Any]]:
    """The tables that are reserved, soonest first."""
    rows = w.all("SELECT * FROM places_reservation ORDER BY at, id")
    return [_picture(w, r, "reservation") for r in rows]
