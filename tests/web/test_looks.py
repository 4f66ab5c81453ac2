"""The pages of sites as they are seen: at two widths, by day and by night, by a reader of screens."""

from __future__ import annotations

import pytest

from errands.web.site import LOOKS, Site

from .place import SITES, Place, visiting
from .walk import SIZES, amiss, walk

WIDE, NARROW = SIZES["wide"], SIZES["narrow"]


def pages(place: Place):
    """Every kind of page of the site, each as it is reached."""
    place.page.goto(f"{place.base}/")
    yield "home"
    place.go_on("Get started")
    yield "form"
    place.go_on("Continue")
    yield "form with faults"
    place.house()
    yield "sliders"
    place.see_prices()
    yield "results"
    place.go_on("Save quote: Tidewater Shelter")
    yield "done"
    place.page.goto(f"{place.base}/nothing/here")
    yield "missing"


@pytest.fixture(params=LOOKS)
def look(request, monkeypatch):
    """Each look in turn, put on the same site."""
    from errands.apps.hearthline import hearthline

    assert isinstance(hearthline, Site)
    monkeypatch.setattr(hearthline, "look", request.param)
    return request.param


@pytest.mark.parametrize(
    ("size", "scheme"), [(WIDE, "light"), (NARROW, "dark")], ids=["desk", "phone at night"]
)
def test_nothing_runs_out_of_the_page_and_everybody_can_read_it(web, browser, look, size, scheme):
    with visiting(web, browser, color_scheme=scheme) as place:
        place.page.set_viewport_size(size)
        for name in pages(place):
            assert not amiss(place.page), (name, amiss(place.page))
        assert not [t for t in place.trouble if "404" not in t]


@pytest.mark.parametrize("site", SITES)
def test_every_page_of_every_site_on_a_phone_at_night(web, browser, site):
    with visiting(web, browser, site, color_scheme="dark") as place:
        place.page.set_viewport_size(NARROW)
        seen: dict[str, list[str]] = {}
        walk(place, lambda name: seen.__setitem__(name, amiss(place.page)))
        assert {"home", "faults", "results"} <= seen.keys() and not any(seen.values()), seen
        assert not place.trouble


def test_keys_alone_reach_everything(place):
    place.page.goto(f"{place.base}/")
    place.page.keyboard.press("Tab")
    assert place.page.evaluate("document.activeElement.textContent") == "Skip to content"
    place.page.keyboard.press("Tab")
    place.page.keyboard.press("Tab")
    place.page.keyboard.press("Enter")
    place.page.get_by_label("Street address").wait_for()


def test_what_is_wrong_has_the_focus_and_is_said_of_its_field(place):
    place.start()
    place.go_on("Continue")
    assert "Please check" in place.page.evaluate("document.activeElement.textContent")
    field = place.page.get_by_label("ZIP code")
    told = field.get_attribute("aria-describedby")
    assert field.get_attribute("aria-invalid") == "true"
    assert place.page.locator(f"#{told.split()[-1]}").inner_text() == "Please fill this in."
