"""Pet insurance: one quote for two pets is cheaper than two quotes, and not where the cheapest for either is."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .place import visiting

DOG = ("Rex", "Dog: Labrador Retriever", "3")
CAT = ("Tilly", "Cat: Domestic Shorthair", "7")


@pytest.fixture
def site(web, browser):
    with visiting(web, browser, "tailgather") as place:
        yield place
        assert not place.trouble and not place.rows("refused")


def pet(place, whose, name, breed, age):
    place.page.get_by_label(f"{whose} name").fill(name)
    place.page.get_by_label(f"{whose} breed").select_option(label=breed)
    place.page.get_by_label(f"{whose} age").fill(age)


def cover(place):
    place.page.get_by_label("ZIP code").fill("60614")
    place.page.get_by_text("Accident and illness", exact=True).click()
    place.page.get_by_label("Annual deductible").select_option(label="$250")
    place.page.get_by_text("80%", exact=True).click()
    place.go_on("See prices")


def prices(place):
    """What the list says, in its order: provider -> price."""
    offers = place.page.get_by_role("article").all()
    return {o.locator("h2").inner_text(): o.locator(".price").inner_text().split()[0] for o in offers}


def alone(place, one):
    place.start()
    pet(place, "Your pet's", *one)
    place.go_on("Continue")
    cover(place)
    return prices(place)


def test_a_single_pet_costs_its_own_price_and_has_no_discount(site):
    assert list(alone(site, DOG).items()) == [
        ("Barkley Mutual Care", "$53.93"),
        ("Fern & Paw Care", "$47.43"),
        ("Gannet Pet Care", "$54.80"),
        ("Kindred Care", "$58.32"),
    ]
    assert "Multi-pet" not in site.page.content()


def test_two_pets_in_one_quote_have_the_discount_rounded_once_by_keys_alone(site):
    site.start()
    pet(site, "Your pet's", *DOG)
    expect(site.page.get_by_label("The other pet's name")).to_be_hidden()
    keys = site.page.keyboard
    keys.press("Tab")
    keys.press("Space")  # the box "Add another pet"
    for text in CAT:
        keys.press("Tab")
        keys.type(text)
    with site.page.expect_navigation():
        site.page.get_by_label("The other pet's age").press("Enter")
    cover(site)
    both = dict(zip(("barkley", "fern", "gannet", "kindred"), prices(site).values(), strict=True))
    assert both == {"barkley": "$86.78", "fern": "$90.62", "gannet": "$75.56", "kindred": "$82.54"}
    expect(site.page.get_by_text("15%", exact=True)).to_be_visible()


def test_two_quotes_have_no_discount_and_their_cheapest_are_other_firms(site):
    dog, cat = alone(site, DOG), alone(site, CAT)
    assert min(dog, key=dog.get) == "Fern & Paw Care" and min(cat, key=cat.get) == "Kindred Care"
    assert (dog["Gannet Pet Care"], cat["Gannet Pet Care"]) == ("$54.80", "$34.08")  # 88.88, not 75.56
