"""What people do that no script does: twice, backwards, in two tabs, half, and again after a mistake."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from errands.web.guard import Raw

from .hand import BROWSER, Hand
from .place import world

HOUSE = {
    "street": "12 Canal St",
    "zip": "60614",
    "built": "1964",
    "area": "1850",
    "walls": "brick",
    "roof": "metal",
}
KEY = [
    ["keydown", "dwelling", "ArrowRight", 1],
    ["input", "dwelling", "305000", 1],
    ["change", "dwelling", "305000", 1],
]
END = [
    ["keydown", "dwelling", "End", 1],
    ["input", "dwelling", "600000", 1],
    ["change", "dwelling", "600000", 1],
]
COVER = {"dwelling": "305000", "deductible": "1000"}


@pytest.fixture
def hand():
    made = Hand(world(), "hearthline")
    made.get("/")
    made.post("/start")
    return made


def to_the_prices(hand):
    hand.post("/step/house", **HOUSE)
    hand.post("/step/cover", KEY, **COVER)
    assert "Your offers" in hand.text


# ---- with a browser ------------------------------------------------------------------------------------------------


def test_a_double_click_does_a_thing_once(place):
    place.page.goto(f"{place.base}/")
    place.page.get_by_role("button", name="Get started").dblclick()
    place.page.get_by_label("Street address").wait_for()
    place.house()
    place.see_prices()
    place.page.get_by_role("button", name="Buy now: Tidewater Shelter").dblclick()
    place.page.get_by_text("Buy now: Tidewater Shelter").wait_for()
    assert len(place.rows("session")) == 1 and len(place.rows("deed")) == 1 and not place.rows("refused")


def test_thanks_and_mistakes_can_be_reloaded_and_gone_back_to(place):
    place.start()
    place.go_on("Continue")
    place.page.reload()
    expect(place.page.get_by_text("Please check")).to_be_visible()
    place.house()
    place.page.go_back()
    place.page.go_forward()
    place.see_prices()
    place.go_on("Save quote: Acorn Mutual Home Plus")
    place.page.reload()
    expect(place.page.get_by_text("Save quote: Acorn Mutual Home Plus")).to_be_visible()
    assert len(place.rows("deed")) == 1 and not place.rows("refused") and not place.trouble


def test_a_kept_slider_may_be_tabbed_past_and_moved_on(place):
    place.start()
    place.house()
    place.slide("Dwelling coverage", "ArrowRight", 24)
    place.see_prices()
    place.follow("Change your answers")
    place.go_on("Continue")
    place.page.get_by_label("Dwelling coverage").focus()
    place.page.keyboard.press("Tab")
    place.slide("Deductible", "ArrowRight", 1)
    place.see_prices()
    assert place.said()["dwelling"] == "420000" and place.said()["deductible"] == "1250"
    assert not place.rows("refused")


def test_two_tabs_share_one_visit(place):
    other = place.page.context.new_page()
    place.page.goto(f"{place.base}/")
    other.goto(f"{place.base}/")
    place.go_on("Get started")
    other.get_by_role("button", name="Get started").click()
    other.get_by_label("Street address").wait_for()
    place.house()
    assert len(place.rows("session")) == 1 and not place.rows("refused")


# ---- by hand -------------------------------------------------------------------------------------------------------


def test_a_mistyped_address_ends_no_session(hand):
    hand.post("/step/house", **HOUSE)
    assert hand.get("/no/such/page").status == 404
    hand.get("/step/cover")
    assert "Your cover" in hand.text


def test_who_comes_home_in_the_middle_may_go_on_or_begin_anew(hand):
    hand.post("/step/house", **HOUSE)
    hand.get("/")
    assert "Continue where you were" in hand.text and 'href="/step/cover"' in hand.text
    hand.post("/start", anew="yes")
    assert len(hand.rows("session")) == 2 and "About the house" in hand.text


def test_a_slider_that_was_moved_stays_where_it_was_put_when_another_field_is_wrong(hand):
    hand.post("/step/house", **HOUSE)
    hand.post("/step/cover", KEY, dwelling="305000", deductible="77")
    assert 'value="305000"' in hand.text and "Please set the control." in hand.text
    hand.post("/step/cover", **COVER)
    assert hand.said()["dwelling"] == "305000"


def test_who_buys_on_an_old_page_is_shown_the_prices_as_they_are(hand):
    to_the_prices(hand)
    old = hand.text
    hand.get("/step/cover")
    hand.post("/step/cover", END, dwelling="600000", deductible="1000")
    hand.text = old
    hand.post("/do/buy/tide")
    assert "The prices have changed" in hand.text and not hand.rows("deed")


def test_a_step_that_was_never_answered_is_asked_before_there_are_prices(hand):
    to_the_prices(hand)
    hand.world.db.execute("DELETE FROM hearthline_input WHERE field = 'built'")
    hand.get("/step/cover")
    hand.post("/step/cover", **COVER)
    assert "About the house" in hand.text and not hand.rows("quote")


def test_an_offer_of_another_session_cannot_be_bought(hand):
    to_the_prices(hand)
    old, cookie = hand.text, hand.cookie
    hand.get("/")
    hand.post("/start", anew="yes")
    hand.text = old
    assert hand.post("/do/buy/tide").status == 403 and not hand.rows("deed")
    assert cookie != hand.cookie


ODD = ["\ud800", "a\x00b", "\u0301", "--5", "²", "x" * 100_000, "<script>", "％", "' OR 1=1 --"]


@pytest.mark.parametrize("text", ODD)
def test_odd_text_is_no_bug_of_ours(hand, text):
    for fields in ({"street": text}, {text: "1"}, {"_page": text}, {"_token": text}):
        assert hand.post("/step/house", **fields).status in (200, 303, 403)
        hand.get("/step/house")
    hand.post("/step/house", **HOUSE)
    hand.post("/step/cover", [["input", "dwelling", text, 1], ["keydown", "dwelling", text, 1]], **COVER)
    assert hand.get(f"/step/{text}").status in (200, 303, 404)
    hand.cookie = text
    assert hand.get("/").status in (200, 403)
    assert hand.sitting.fault is None and not hand.sitting.ended


@pytest.mark.parametrize("method", ["PUT", "DELETE", "HEAD", "OPTIONS"])
def test_other_methods_are_refused_and_end_nothing(hand, method):
    answer = hand.ask(Raw(method, "/step/house", BROWSER, hand.cookie))
    assert answer.status == 403 and not answer.cookie
    hand.get("/step/house")
    assert "About the house" in hand.text
