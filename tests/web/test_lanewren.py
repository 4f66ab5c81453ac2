"""Car insurance on several pages: what is asked of claims, what a quote costs, where it stands."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .place import visiting


@pytest.fixture
def site(web, browser):
    with visiting(web, browser, "lanewren") as place:
        place.start()
        yield place
        assert not place.trouble and not place.rows("refused")


def until_record(place):
    page = place.page
    for label, text in (
        ("Full name", "Ines Calloway"),
        ("Date of birth", "1984-05-09"),
        ("Year first licensed", "2003"),
    ):
        page.get_by_label(label).fill(text)
    page.get_by_text("Married", exact=True).click()
    place.go_on("Continue")
    page.get_by_label("Street address").fill("741 Ashgrove Terrace")
    page.get_by_label("ZIP code").fill("94110")
    page.get_by_text("I rent", exact=True).click()
    place.go_on("Continue")
    page.get_by_label("Model year").fill("2021")
    page.get_by_label("Make and model").select_option(label="Mazda CX-5")
    page.get_by_text("Financed", exact=True).click()
    place.go_on("Continue")
    page.get_by_label("Miles a year").fill("9,000")
    page.get_by_label("Mostly for").select_option(label="Leisure")
    place.go_on("Continue")


def cover(place):
    place.page.get_by_label("Moving violations").fill("0")
    place.go_on("Continue")
    place.page.get_by_label("First day of cover").fill("2026-12-01")
    place.page.get_by_text("$500", exact=True).click()
    place.go_on("See quotes")


def prices(place):
    """What the page of the list says, in its order."""
    offers = place.page.get_by_role("article").all()
    return [
        (o.locator("h2").inner_text(), o.locator(".price").inner_text().split()[0], o.locator("dd").first.inner_text())
        for o in offers
    ]  # fmt: skip


def test_a_claim_is_asked_about_only_where_there_is_one(site):
    until_record(site)
    site.page.get_by_text("One or more", exact=True).click()
    site.page.get_by_label("How many claims").fill("1")
    site.page.get_by_label("Year of the latest").fill("2023")
    site.page.get_by_label("What the latest was").select_option(label="Accident, at fault")
    site.page.get_by_text("No claims", exact=True).click()
    expect(site.page.get_by_label("Year of the latest")).to_be_hidden()
    cover(site)
    assert site.said()["claimed"] == "no" and "claim_year" not in site.said()
    # 520.00 and 0.05 a mile; 131 % by the ZIP code, 90 % by the age of the car, 96 % by the plan
    assert prices(site)[0] == ("Amberline Mutual Choice", "$1,097.88", "50/100/50")


def test_quotes_stand_on_pages_of_five_by_carrier_and_plan(site):
    until_record(site)
    site.page.get_by_text("One or more", exact=True).click()
    site.page.get_by_label("How many claims").fill("1")
    site.page.get_by_label("Year of the latest").fill("2023")
    site.page.get_by_label("What the latest was").select_option(label="Accident, at fault")
    cover(site)
    # as above, and 145 % for a claim of these three years, at fault
    assert prices(site)[0] == ("Amberline Mutual Choice", "$1,591.92", "50/100/50")
    first = [name for name, _, _ in prices(site)]
    site.follow("2", exact=True)
    site.page.get_by_text("page 2 of 2").wait_for()
    second = [name for name, _, _ in prices(site)]
    assert (len(first), len(second)) == (5, 3) and first + second == sorted(first + second)
    assert [s["item"] for s in site.rows("seen") if s["what"] == "results"] == ["1", "2"]


@pytest.mark.parametrize("label", ["Buy", "Bind"])
def test_buying_and_binding_are_commits(site, label):
    until_record(site)
    site.page.get_by_text("No claims", exact=True).click()
    cover(site)
    site.go_on(f"{label}: Kestrelby Choice")
    sql = "SELECT name FROM exam_ledger WHERE kind = 'commit'"
    assert [r["name"] for r in site.world.all(sql)] == [f"lanewren.{label.lower()}"]
