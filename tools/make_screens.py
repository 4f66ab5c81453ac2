"""Pictures of every site, to be looked at: each kind of page, at two widths, by day and by night.

    python tools/make_screens.py [site ...]     # make screens; into build/screens/

The worlds are those of tests/web/place.py; the forms are filled in as their fields allow.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import sync_playwright  # noqa: E402
from tests.web.place import FLAGS, SITES, Place, visiting  # noqa: E402

from errands.doors.browser import find_browser  # noqa: E402
from errands.doors.web import Web  # noqa: E402
from errands.web import Choice, Day, Field, Number, Postcode, Site, Slider, Text  # noqa: E402
from errands.world import app  # noqa: E402

OUT = ROOT / "build" / "screens"
SIZES = {"wide": {"width": 1280, "height": 900}, "narrow": {"width": 390, "height": 844}}
SAMPLES = {
    "zip": "94110",
    "postcode": "EH7 4AA",
    "line": "41 Elm Row",
    "street": "2350 Harrison St",
    "model": "Mazda CX-5",
    "name": "Ines Calloway",
}


def fill(page: Any, f: Field) -> None:
    """Put something fitting into a field, if it is asked."""
    box = page.locator(f"[name={f.name}]").first
    if not box.count() or box.is_disabled():
        return
    if isinstance(f, Text | Postcode):
        box.fill(SAMPLES.get(f.name, "Rex"))
    elif isinstance(f, Number):
        box.fill(
            {"year": "2021", "built": "1964", "area": "1850", "price": "640000"}.get(
                f.name, str(max(f.least, 5))
            )
        )
    elif isinstance(f, Day):
        box.fill(max(f.least, "1984-05-09"))
    elif isinstance(f, Choice) and f.spread:
        page.get_by_text(f.options[-1][1], exact=True).first.click()
    elif isinstance(f, Choice):
        box.select_option(f.options[0][0])
    elif isinstance(f, Slider):
        box.focus()
        page.keyboard.press("PageUp")


def walk(place: Place, site: Site, shoot: Any) -> None:
    """Every kind of page on the way to an offer's own."""
    page = place.page
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


def main() -> None:
    """Take the pictures."""
    OUT.mkdir(parents=True, exist_ok=True)
    with Web() as web, sync_playwright() as p:
        browser = p.chromium.launch(executable_path=find_browser() or None, args=FLAGS)
        for name in sys.argv[1:] or SITES:
            site = app(name)
            assert isinstance(site, Site)
            for width, size in SIZES.items():
                for scheme in ("light", "dark"):
                    with visiting(web, browser, name, color_scheme=scheme) as place:
                        place.page.set_viewport_size(size)

                        def shoot(what: str, place: Place = place, tail: str = f"{width}-{scheme}") -> None:
                            file = OUT / f"{place.site}-{what}-{tail}.png"
                            place.page.screenshot(path=file, full_page=True)

                        walk(place, site, shoot)
            print(f"{name}: {len(list(OUT.glob(f'{name}-*.png')))} pictures in {OUT.relative_to(ROOT)}")
        browser.close()


if __name__ == "__main__":
    main()
