"""Renters insurance: claims are asked for and never assumed, and the lowest month is not the lowest year."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .place import visiting


@pytest.fixture
def site(web, browser):
    with visiting(web, browser, "doorlark") as place:
        place.start()
        yield place
        assert not place.trouble and not place.rows("refused")


def to_the_record(place):
    page = place.page
    page.get_by_label("Street address").fill("256 Alder Court")
    page.get_by_label("Apartment number").fill("7B")
    page.get_by_label("ZIP code").fill("94110")
    page.get_by_text("Apartment", exact=True).click()
    page.get_by_label("Homes in the building").select_option(label="5 to 19")
    place.go_on("Continue")
    page.get_by_label("Full name").fill("Maren Castellano")
    page.get_by_label("Date of birth").fill("1999-05-24")
    page.get_by_label("Roommates").fill("2")
    page.get_by_text("No", exact=True).click()
    page.get_by_label("Personal property").fill("30,000")
    place.go_on("Continue")
    page.get_by_label("Renters insurance today").select_option(label="I have a policy")


def to_the_prices(place):
    """What the list says, in its order: policy -> price a month, and a year."""
    place.go_on("Continue")
    for words in ("$100,000", "$500"):
        place.page.get_by_text(words, exact=True).click()
    place.page.get_by_label("Start of cover").fill("2026-12-01")
    place.go_on("See prices")
    return {
        o.locator("h2").inner_text(): (
            o.locator(".price").inner_text().split()[0],
            o.locator("dd").last.inner_text(),
        )
        for o in place.page.get_by_role("article").all()
    }


def test_claims_are_blank_at_first_and_must_be_answered(site):
    to_the_record(site)
    expect(site.page.locator("input[name=claims]:checked")).to_have_count(0)
    site.go_on("Continue")
    expect(site.page.get_by_text("Please choose one.")).to_be_visible()
    assert "claims" not in site.said() and not [r for r in site.rows("seen") if r["what"] == "typing"]


def test_no_claims_leave_nothing_more_to_say(site):
    to_the_record(site)
    site.page.get_by_text("None", exact=True).click()
    expect(site.page.get_by_label("How many")).to_be_hidden()
    assert to_the_prices(site) == {
        "Bellwick Mutual Renters": ("$15.60", "$211.20"),
        "Dovecote Essential": ("$15.40", "$244.80"),
        "Dovecote Full": ("$19.30", "$291.60"),
    }


def test_a_recent_theft_costs_more_and_is_known_by_number_kind_and_year(site):
    to_the_record(site)
    site.page.get_by_text("One or more", exact=True).click()
    site.page.get_by_label("How many").fill("1")
    site.page.get_by_label("Kind of the latest claim").select_option(label="Theft")
    site.page.get_by_label("Year of the latest claim").fill("2024")
    prices = to_the_prices(site)
    assert prices["Bellwick Mutual Renters"] == ("$20.24", "$266.88")  # 15.60 x 118 % x 110 %, and $24 a year
    said = site.said()
    assert [said[f] for f in ("claims", "count", "cause", "year")] == ["some", "1", "theft", "2024"]
    assert [r["item"] for r in site.rows("seen") if r["what"] == "typing"] == ["claims"]
