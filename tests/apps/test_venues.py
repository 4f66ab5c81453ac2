"""Venues: the list, whether one is free, quotes, holds and bookings."""

from __future__ import annotations

from typing import Any

import pytest

from errands.apps.venues import HOLD
from errands.apps.venues import seed as venues
from errands.core import clock
from errands.core.money import Money
from errands.people.brief import Brief, seat
from errands.world import World, open_world
from errands.world.fixture import Draft
from tests.world.guard import guard
from tests.world.looks import refused, rows, sound

PACIFIC = "America/Los_Angeles"
EIGHT = "2026-11-19T08:00"


def world() -> World:
    """A loft, taken on Thursday from 8 to 10 local time, and a den for four."""
    d = Draft(("venues", "user", "clock", "people"))
    for scope in ("read", "write", "book"):
        d.insert("exam_grant", app="venues", scope=f"venues.{scope}", live=1)
    d.insert("exam_grant", app="user", scope="user.ask", live=1)
    venues.venue(
        d, id="ven_loft", name="Loft", capacity=12, price=Money(10_000, "USD"), address="1 Main Street"
    )
    venues.venue(d, id="ven_den", name="Den", capacity=4, price=Money(6_000, "USD"))
    start = clock.read_iso(EIGHT, PACIFIC)
    venues.busy(d, venue="ven_loft", starts=start, ends=start + 7_200_000)
    seat(d, Brief(goal="a test", approves=("quote",)))
    return open_world(
        d.finish(now=clock.read_iso("2026-11-17T09:00", PACIFIC), zone=PACIFIC, owner="me@x.example").blob
    )


def free(w: World, start: str, venue: str = "ven_loft", **more: Any) -> bool:
    return bool(w.call("venues_availability", {"venue": venue, "start": start, **more})["available"])


def quote(w: World, start: str = "2026-11-19T12:00", venue: str = "ven_loft", people: int = 4) -> str:
    return str(w.call("venues_quote", {"venue": venue, "start": start, "people": people})["quote"])


def test_the_list_has_capacity_and_price_and_not_what_is_free():
    w = world()
    den, loft = w.call("venues_list")
    assert loft == {
        "venue": "ven_loft",
        "name": "Loft",
        "address": "1 Main Street",
        "capacity": 12,
        "price": "100.00",
        "currency": "USD",
    }
    assert den["name"] == "Den"
    assert [v["name"] for v in w.call("venues_list", {"people": 5})] == ["Loft"]


@pytest.mark.parametrize(
    ("start", "more", "so"),
    [
        (EIGHT, {}, False),
        ("2026-11-19T16:00", {"zone": "UTC"}, False),
        ("2026-11-19T16:00+00:00", {}, False),
        ("2026-11-19T16:00", {}, True),
        ("2026-11-19T06:00", {}, True),  # ends as the other begins
        ("2026-11-19T06:00", {"hours": 3}, False),
        ("2026-11-19T10:00", {}, True),
        ("2026-11-19T09:59", {"hours": 1}, False),
        ("2026-11-20T08:00", {}, True),
    ],
)
def test_whether_one_is_free_at_a_day_and_hour(start, more, so):
    assert free(world(), start, **more) is so


@pytest.mark.parametrize(
    ("tool", "args", "field"),
    [
        ("venues_availability", {"venue": "ven_none", "start": EIGHT}, "venue"),
        ("venues_availability", {"venue": "ven_loft", "start": "soon"}, "start"),
        ("venues_availability", {"venue": "ven_loft", "start": EIGHT, "hours": 0}, "hours"),
        ("venues_availability", {"venue": "ven_loft", "start": EIGHT, "zone": "Club"}, "start"),
        ("venues_quote", {"venue": "ven_den", "start": EIGHT, "people": 5}, "people"),
        ("venues_quote", {"venue": "ven_den", "start": EIGHT, "people": 0}, "people"),
        ("venues_discard_quote", {"quote": "qte_none"}, "quote"),
        ("venues_book", {"quote": "qte_none"}, "quote"),
    ],
)
def test_what_is_refused_changes_nothing(tool, args, field):
    assert refused(world(), tool, args).field == field


def test_a_quote_reserves_nothing_and_does_not_tell_what_is_taken():
    w = world()
    one = quote(w, EIGHT)
    assert [q["quote"] for q in w.call("venues_quotes")] == [one]
    assert free(w, "2026-11-19T12:00") and w.call("venues_bookings") == []
    w.call("venues_discard_quote", {"quote": one})
    assert w.call("venues_quotes") == []


@pytest.mark.parametrize("tool", ["venues_hold", "venues_book"])
def test_what_is_held_or_booked_is_taken(tool):
    w = world()
    caught = guard(w)
    one, two = quote(w), quote(w)
    got = w.call(tool, {"quote": one})
    assert got["venue"] == "ven_loft" and not free(w, "2026-11-19T12:00")
    refused(w, tool, {"quote": two}, "conflict")
    (commit,) = rows(w, "commit")
    assert (commit["name"], commit["ref"]) == ("venues.book", one) and commit["body"]["content"][
        "name"
    ] == "Loft"
    assert [b["kind"] for b in w.call("venues_bookings")] == ["hold" if tool == "venues_hold" else "booking"]
    assert caught == []
    sound(w)


def test_what_is_taken_by_others_cannot_be_held_or_booked():
    w = world()
    one = quote(w, EIGHT)
    for tool in ("venues_hold", "venues_book"):
        refused(w, tool, {"quote": one}, "conflict")


def test_a_hold_lapses():
    w = world()
    w.call("venues_hold", {"quote": quote(w, "2026-11-25T12:00")})
    assert not free(w, "2026-11-25T12:00")
    w.call("clock_wait", {"until": w.local(w.now + HOLD)})
    assert free(w, "2026-11-25T12:00")


def test_the_user_sees_what_would_be_booked():
    w = world()
    one = quote(w)
    got = w.call("user_request_approval", {"items": [one]})
    assert got["approved"] == [one] and "Loft" in got["answer"] and "USD 100.00" in got["answer"]
