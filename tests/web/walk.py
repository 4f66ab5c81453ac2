"""A walk through every kind of page of any site, its forms filled in as their fields allow; and what is wrong there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from axe_playwright_python.sync_playwright import Axe

from errands.web import Booking, Choice, Day, Field, Number, Postcode, Site, Slider, Text, Tick
from errands.world import app

from .place import Place

SIZES = {"wide": {"width": 1280, "height": 900}, "narrow": {"width": 390, "height": 844}}
SAMPLES = {
    "zip": "94110",
    "postcode": "EH7 4AA",
    "line": "41 Elm Row",
    "street": "2350 Harrison St",
    "model": "Mazda CX-5",
    "name": "Ines Calloway",
    "names": "Ines Calloway",
    "email": "ines@bluefernmail.example",
    "phone": "415-555-0142",
}
NUMBERS = {"year": "2021", "built": "1964", "area": "1850", "price": "640000", "seats": "1"}


def fill(page: Any, f: Field) -> None:
    """Put something fitting into a field, if it is asked."""
    box = page.locator(f"[name={f.name}]").first
    if not box.count() or box.is_disabled():
        return
    if isinstance(f, Text | Postcode):
        box.fill(SAMPLES.get(f.name, "Rex"))
    elif isinstance(f, Number):
        box.fill(NUMBERS.get(f.name, str(max(f.least, 5))))
    elif isinstance(f, Day):
        box.fill(max(f.least, "1984-05-09"))
    elif isinstance(f, Choice) and f.spread:
        page.get_by_text(f.options[-1][1], exact=True).first.click()
    elif isinstance(f, Choice):
        box.select_option(f.options[0][0])
    elif isinstance(f, Slider):
        box.focus()
        page.keyboard.press("PageUp")
    elif isinstance(f, Tick) and f.required:
        box.check()


def walk(place: Place, shoot: Callable[[str], None]) -> None:
    """Every kind of page of a site, on the way to what its first button does; `shoot` hears the name of each."""
    page, site = place.page, app(place.site)
    assert isinstance(site, Site)
    page.goto(f"{place.base}/")
    shoot("home")
    place.start()
    for n, step in enumerate(site.steps):
        if n == 0:
            place.go_on(step.button)
            shoot("faults")
        for f in step.fields:
            fill(page, f)
        shoot(f"step-{n + 1}-{step.name}")
        place.go_on(step.button)
    if site.expires_at:
        shoot("expired")
        page.get_by_role("link", name="Go on").click()
        for step in site.steps:
            place.go_on(step.button)
    shoot("results")
    for opener in page.locator(".opener").all()[:1]:
        opener.click()
        page.locator(".panel dl").first.wait_for()
        shoot("opened")
    if page.locator(".more").count():
        page.locator(".more").first.click()
        page.locator("article h1").wait_for()
        shoot("offer")
        page.goto(f"{place.base}/results")
    leads = next((b for b in site.buttons if b.leads), None)
    if leads and leads.leads:
        page.get_by_role("link", name=leads.label).first.click()
        page.get_by_role("heading", name=leads.leads.title).wait_for()
        shoot("before")
    elif site.buttons:
        page.get_by_role("button", name=site.buttons[0].label).first.click()
        page.get_by_role("heading", name="Thank you").wait_for()
        shoot("thanks")
    if site.booking:
        book(place, site, site.booking, shoot)


def book(place: Place, site: Site, booking: Booking, shoot: Callable[[str], None]) -> None:
    """From the list to what is held, and what becomes of it: once released, once submitted."""
    page = place.page
    begin(page, booking)
    for n, step in enumerate((*booking.steps, booking.review)):
        last = step is booking.review
        if n == 0 or last:
            place.go_on(step.button)
            shoot("review-faults" if last else "faults")
        for f in step.fields:
            fill(page, f)
        shoot("review" if last else f"book-{n + 1}-{step.name}")
        place.go_on(step.button)
    shoot("held")
    page.goto(f"{place.base}/results")
    shoot("results-held")
    page.get_by_role("region", name="Held for you").get_by_role("link").first.click()
    page.get_by_role("heading", name=booking.held).wait_for()
    place.go_on(booking.release)
    shoot("released")
    page.goto(f"{place.base}/results")
    begin(page, booking)
    for step in (*booking.steps, booking.review):
        for f in step.fields:
            fill(page, f)
        place.go_on(step.button)
    place.go_on(booking.button)
    shoot("submitted")


def amiss(page: Any) -> list[str]:
    """What keeps people from using the page as it stands: what runs out of it, what axe finds grave."""
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    found = [v for v in Axe().run(page).response["violations"] if v["impact"] in ("serious", "critical")]
    said = [f"{v['id']}: {v['nodes'][0]['html'][:120]}" for v in found]
    return [*([f"{wide} px run out of the page"] if wide > 0 else []), *said]


def begin(page: Any, booking: Booking) -> None:
    """To the first step of the first offer's booking."""
    page.get_by_role("link", name=booking.label).first.click()
    page.get_by_role("heading", name=booking.steps[0].title).wait_for()
