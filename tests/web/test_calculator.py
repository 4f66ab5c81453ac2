"""A calculator on each offer's page, and offers side by side: what comes out, what is on record, how it looks."""

from __future__ import annotations

import json
from datetime import date

import pytest
from playwright.sync_api import expect

from errands.web import Choice, Number, Quote, Site, Step

from .hand import Hand
from .place import SITES, visiting, world
from .walk import SIZES, amiss

CARDS = (("ash", "Ash Bank", 2, 9_500), ("birch", "Birch Credit", 4, 0), ("cedar", "Cedar", 3, 4_900))
CREDIT = Choice(name="credit", label="Credit", options=(("good", "Good"), ("fair", "Fair")))
SPEND = Number(name="groceries", label="Groceries a month", unit="$")
cardlane = Site(
    "cardlane",
    __name__,
    title="Cardlane",
    look="night",
    per="a year",
    tables="CREATE TABLE cardlane_card (id TEXT PRIMARY KEY, name TEXT NOT NULL, percent INTEGER NOT NULL,"
    " fee INTEGER NOT NULL) STRICT, WITHOUT ROWID;",
    steps=(Step("you", "You", (CREDIT,), button="See cards"),),
    compares=True,
    calculator=Step("spend", "Your rewards", (SPEND,), button="Work it out"),
)


@cardlane.quotes
def quotes(rows, said, today: date):
    return [
        Quote(c["id"], c["name"], "Card", c["fee"], {"Fee": cardlane.money(c["fee"])})
        for c in sorted(rows("card"), key=lambda c: c["name"])
    ]


@cardlane.calculates
def rewards(rows, q, said, today: date):
    percent = next(c["percent"] for c in rows("card") if c["id"] == q.id)
    cents = int(said["groceries"]) * 12 * percent - q.price
    return {"First-year value": cardlane.money(cents)}


@pytest.fixture(autouse=True)
def stocked(monkeypatch):
    def fill(d):
        for ident, name, percent, fee in CARDS:
            d.insert("cardlane_card", id=ident, name=name, percent=percent, fee=fee)

    monkeypatch.setitem(SITES, "cardlane", fill)


@pytest.fixture
def hand():
    one = Hand(world("cardlane"), "cardlane")
    one.get("/")
    one.post("/start")
    one.post("/step/you", credit="good")
    return one


def used(hand) -> list[dict]:
    return [json.loads(r["item"]) for r in hand.rows("seen") if r["what"] == "calc"]


def test_a_calculator_works_with_what_was_entered_and_keeps_it_on_record(hand):
    hand.get("/offer/birch")
    hand.post("/calc/birch", groceries="$400")
    assert "$192.00" in hand.text and 'value="400"' in hand.text
    assert used(hand) == [
        {"id": "birch", "said": {"groceries": "400"}, "result": [["First-year value", "$192.00"]]}
    ]
    hand.get("/offer/ash")  # each offer has its own
    assert "$192.00" not in hand.text
    assert "groceries" not in hand.said()  # and what is tried there is no answer of the form


def test_what_it_cannot_read_is_said_and_works_nothing_out(hand):
    hand.get("/offer/birch")
    hand.post("/calc/birch", groceries="a lot")
    assert "Please enter a number" in hand.text and not used(hand)


def test_prices_made_anew_forget_what_was_worked_out(hand):
    hand.get("/offer/birch")
    hand.post("/calc/birch", groceries="400")
    hand.get("/step/you")
    hand.world.advance(hand.world.now + 60_000)
    hand.post("/step/you", credit="fair")
    hand.get("/offer/birch")
    assert "$192.00" not in hand.text


def test_two_to_four_offers_stand_side_by_side(hand):
    hand.get("/results")
    hand.post("/compare", **{"pick-ash": "yes"})
    assert "Please tick two to four offers" in hand.text
    hand.post("/compare", **{"pick-cedar": "yes", "pick-ash": "yes", "pick-none": "yes"})
    assert "Side by side" in hand.text and "Birch Credit" not in hand.text
    assert hand.text.index("Ash Bank") < hand.text.index("Cedar")
    assert [r["item"] for r in hand.rows("seen") if r["what"] == "compare"] == ["ash cedar"]
    assert hand.get("/compare/ash/nobody").status == 404


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_both_can_be_used_and_read(web, browser, size):
    with visiting(web, browser, "cardlane", color_scheme="dark") as place:
        place.page.set_viewport_size(size)
        place.start()
        place.page.get_by_label("Credit").select_option("good")
        place.go_on("See cards")
        assert not amiss(place.page)
        for name in ("Ash Bank", "Cedar"):
            place.page.get_by_label(f"Compare {name} Card").check()
        place.go_on("Compare the ticked offers")
        expect(place.page.get_by_role("cell", name="$95.00").first).to_be_visible()
        assert not amiss(place.page)
        place.page.goto(f"{place.base}/offer/cedar")
        place.page.get_by_label("Groceries a month").fill("500")
        place.go_on("Work it out")
        expect(place.page.get_by_text("$131.00")).to_be_visible()
        assert not amiss(place.page)
        assert not place.trouble and not place.rows("refused")
