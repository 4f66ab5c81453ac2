"""Travel and places: what is offered, quotes and requests that reserve nothing, and what is booked."""

from __future__ import annotations

from typing import Any

import pytest

from errands.apps.places import seed as places
from errands.apps.travel import seed as travel
from errands.core import clock
from errands.people.brief import Brief, seat
from errands.world import World, open_world
from errands.world.fixture import Draft
from tests.world.guard import guard
from tests.world.looks import refused, rows, sound

PACIFIC = "America/Los_Angeles"
SCOPES = {"travel": ("read", "quote", "book"), "places": ("read", "request", "reserve")}


def world() -> World:
    d = Draft(("travel", "places", "clock", "people"))
    for name, scopes in SCOPES.items():
        for scope in scopes:
            d.insert("exam_grant", app=name, scope=f"{name}.{scope}", live=1)
    us = {"place": "Pelican Bay", "currency": "USD"}
    travel.train(d, id="off_train", name="Coast Line", price=6_000, access="step_free", **us)
    travel.lodging(
        d,
        id="off_room",
        name="Hotel Cedar",
        price=14_000,
        access="stairs",
        refundable=True,
        taxes=1_250,
        **us,
    )
    area = {"area": "Millrow", "currency": "USD", "menu": "Soup.", "seating": "Patio"}
    places.restaurant(
        d,
        id="plc_fern",
        name="Fern",
        vegetarian="yes",
        noise="quiet",
        price=1_900,
        service=300,
        seats=4,
        **area,
    )
    places.restaurant(d, id="plc_rush", name="Rush", vegetarian="no", noise="loud", price=1_800, **area)
    seat(d, Brief(goal="a test"))
    now = clock.read_iso("2026-11-17T08:40", PACIFIC)
    return open_world(d.finish(now=now, zone=PACIFIC, instruction="Do it.").blob)


def quote(
    w: World, offer: str = "off_room", travelers: int = 2, nights: int = 2, start: str = "2026-12-04"
) -> Any:
    return w.call("travel_quote", {"offer": offer, "travelers": travelers, "start": start, "nights": nights})


# ---- travel --------------------------------------------------------------------------------------------------------


def test_offers_are_listed_by_kind_and_place_and_shown_whole():
    w = world()
    assert [x["offer"] for x in w.call("travel_search", {})] == ["off_train", "off_room"]
    assert [x["offer"] for x in w.call("travel_search", {"kind": "train", "place": "pelican"})] == [
        "off_train"
    ]
    assert w.call("travel_search", {"place": "Nowhere"}) == []
    room = w.call("travel_details", {"offer": "off_room"})
    assert (room["price"], room["basis"], room["access"]) == ("USD 140.00", "per_night", "stairs")
    assert (
        room["taxes"] == "USD 12.50 on top, per_night" and room["refundable"] is True and room["sleeps"] == 2
    )
    train = w.call("travel_details", {"offer": "off_train"})
    assert train["taxes"] == "included" and "refundable" not in train
    refused(w, "travel_details", {"offer": "off_zz"}, "not_found")


def test_a_quote_counts_travelers_or_nights_and_reserves_nothing():
    w = world()
    assert quote(w)["total"] == "USD 305.00"
    assert quote(w, "off_train", 2, 0)["total"] == "USD 120.00"
    assert [q["name"] for q in w.call("travel_quotes", {})] == ["Hotel Cedar", "Coast Line"]
    assert w.call("travel_bookings", {}) == [] and rows(w, "commit") == []


@pytest.mark.parametrize(
    ("field", "args"),
    [
        ("travelers", {"travelers": 3}),
        ("travelers", {"travelers": 0}),
        ("nights", {"nights": 0}),
        ("nights", {"offer": "off_train", "nights": 2}),
        ("start", {"start": "Friday"}),
        ("offer", {"offer": "off_zz"}),
    ],
)
def test_what_cannot_be_quoted_is_refused_by_field(field, args):
    w = world()
    why = refused(
        w, "travel_quote", {"offer": "off_room", "travelers": 2, "start": "2026-12-04", "nights": 2, **args}
    )
    assert why.field == field and why.expected


def test_a_quote_is_booked_once_and_stands_among_the_bookings():
    w = world()
    made = quote(w)["quote"]
    done = w.call("travel_book", {"quote": made})
    assert done["total"] == "USD 305.00"
    assert [b["booking"] for b in w.call("travel_bookings", {})] == [done["booking"]]
    assert w.call("travel_quotes", {}) == []
    (commit,) = rows(w, "commit")
    assert commit["name"] == "travel.book" and commit["body"]["content"]["nights"] == 2
    refused(w, "travel_book", {"quote": made}, "not_found")


def test_a_quote_lapses():
    w = world()
    made = quote(w)["quote"]
    w.call("clock_wait", {"until": "2026-11-17T09:30"})
    refused(w, "travel_book", {"quote": made}, "conflict")
    assert w.call("travel_bookings", {}) == [] and rows(w, "commit") == []


def test_a_quote_is_thrown_away():
    w = world()
    made = quote(w)["quote"]
    w.call("travel_discard", {"quote": made})
    assert w.call("travel_quotes", {}) == []
    refused(w, "travel_discard", {"quote": made}, "not_found")


# ---- places --------------------------------------------------------------------------------------------------------


def test_places_are_listed_with_the_price_before_service_and_shown_whole():
    w = world()
    listed = w.call("places_search", {"area": "mill"})
    assert [(p["name"], p["lunch_from"]) for p in listed] == [("Fern", "USD 19.00"), ("Rush", "USD 18.00")]
    assert w.call("places_search", {"area": "Nowhere"}) == []
    fern = w.call("places_details", {"place": "plc_fern"})
    assert (fern["vegetarian"], fern["noise"], fern["hours"]) == ("yes", "quiet", "11:30-15:00")
    assert (fern["lunch"], fern["service"], fern["total"]) == ("USD 19.00", "USD 3.00 on top", "USD 22.00")
    assert w.call("places_details", {"place": "plc_rush"})["service"] == "included"
    refused(w, "places_details", {"place": "plc_zz"}, "not_found")


@pytest.mark.parametrize(
    ("field", "args"),
    [
        ("party", {"party": 5}),
        ("party", {"party": 0}),
        ("at", {"at": "2026-11-17T16:00"}),
        ("at", {"at": "2026-11-16T12:00"}),
        ("at", {"at": "noon"}),
        ("place", {"place": "plc_zz"}),
    ],
)
def test_a_table_that_cannot_be_had_is_refused_by_field(field, args):
    w = world()
    why = refused(w, "places_request", {"place": "plc_fern", "at": "2026-11-17T12:30", "party": 2, **args})
    assert why.field == field and why.expected


def test_a_table_is_requested_thrown_away_or_reserved():
    w = world()
    ask = {"place": "plc_fern", "at": "2026-11-17T12:30", "party": 2}
    one, two = (w.call("places_request", ask)["request"] for _ in range(2))
    w.call("places_discard", {"request": one})
    assert [r["request"] for r in w.call("places_requests", {})] == [two]
    assert w.call("places_reservations", {}) == []
    w.call("places_reserve", {"request": two})
    (made,) = w.call("places_reservations", {})
    assert (made["name"], made["party"]) == ("Fern", 2) and w.call("places_requests", {}) == []
    (commit,) = rows(w, "commit")
    assert commit["name"] == "places.reserve"
    refused(w, "places_reserve", {"request": two}, "not_found")
    refused(w, "places_discard", {"request": one}, "not_found")


def test_a_time_that_is_over_is_reserved_no_more():
    w = world()
    made = w.call("places_request", {"place": "plc_fern", "at": "2026-11-17T12:30", "party": 2})["request"]
    w.call("clock_wait", {"until": "2026-11-17T13:00"})
    refused(w, "places_reserve", {"request": made}, "conflict")


def test_each_writes_its_own_tables_alone_and_the_record_adds_up():
    w = world()
    caught = guard(w)
    w.call("travel_book", {"quote": quote(w)["quote"]})
    w.call("travel_discard", {"quote": quote(w)["quote"]})
    made = w.call("places_request", {"place": "plc_fern", "at": "2026-11-17T12:30", "party": 2})["request"]
    w.call("places_reserve", {"request": made})
    assert caught == []
    sound(w)
