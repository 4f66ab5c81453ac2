"""A world with one site, served to a real browser, and what a person does there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import expect, sync_playwright

from errands.core import clock
from errands.doors.browser import find_browser
from errands.doors.web import Visit, Web
from errands.exam.sitting import Limits, Sitting
from errands.world import World, app, open_world
from errands.world.fixture import Draft

PATIENCE_MS = 30_000  # a busy machine is slow, and what comes at all comes
SITE = "hearthline"
NOW = clock.read_iso("2026-11-17T09:30", "America/Chicago")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
]
CARRIERS = (
    ("acorn", "Acorn Mutual", "Home Plus", 32, 4900),
    ("harbor", "Harbor Mutual", "Standard", 29, 6500),
    ("tide", "Tidewater", "Shelter", 27, 9900),
)
BANDS = (("dwelling", 450_000, 88), ("deductible", 1_000, 97), ("deductible", 2_000, 93), ("roof", 1, 97))
HOUSE = {"Street address": "12 Canal St", "ZIP code": "60614", "Year built": "1964", "Living area": "1,850"}


def hearthline(d: Draft) -> None:
    for ident, name, plan, base, fee in CARRIERS:
        d.insert("hearthline_carrier", id=ident, name=name, plan=plan, base_bp=base, fee=fee)
        for kind, least, percent in BANDS:
            d.insert("hearthline_band", carrier=ident, kind=kind, least=least, percent=percent)


def fibrewise(d: Draft) -> None:
    d.insert("fibrewise_address", id="a1", line="41 Elm Row", postcode="EH7 4AA", networks="open cable")
    for ident, provider, name, network, mbps, promo, months, standard, setup in PLANS:
        d.insert("fibrewise_plan", id=ident, provider=provider, name=name, network=network, mbps=mbps, promo=promo,
                 promo_months=months, standard=standard, setup=setup, contract=24)  # fmt: skip


def drivewell(d: Draft) -> None:
    for ident, name, base in (("larch", "Larch Direct", 61_000), ("union", "Union Road", 57_500)):
        more = {"per_mile": 2, "claim": 21_000, "young": 40_000, "old_car": 9_000}
        d.insert("drivewell_carrier", id=ident, name=name, plan="Auto", base=base, **more)
    d.insert("drivewell_area", zip="94110", percent=121)
    d.insert("drivewell_car", name="Mazda CX-5", percent=97)
    d.insert("drivewell_stale", field="street", value="88 Sycamore Ave")
    d.insert("drivewell_stale", field="model", value="Honda Civic")


def tailgather(d: Draft) -> None:
    for ident, name, dog, cat, yearly, multi in PETS:
        d.insert(
            "tailgather_carrier",
            id=ident,
            name=name,
            plan="Care",
            dog=dog,
            cat=cat,
            yearly=yearly,
            multi=multi,
        )
        for kind, value, percent in FACTORS:
            d.insert("tailgather_factor", carrier=ident, kind=kind, value=value, percent=percent)


# the cheapest for a Labrador of 3 is Fern & Paw, for a shorthair of 7 Kindred, for both in one quote Gannet
PETS = (
    ("barkley", "Barkley Mutual", 4_100, 2_900, 6, 10),
    ("fern", "Fern & Paw", 3_700, 3_100, 5, 0),
    ("gannet", "Gannet Pet", 4_390, 2_580, 4, 15),
    ("kindred", "Kindred", 4_550, 2_050, 5, 5),
)
FACTORS = (
    ("breed", "dog_labrador", 108),
    ("zip", "60614", 112),
    ("cover", "accident", 45),
    ("deductible", "250", 95),
    ("back", "80", 97),
)


def lanewren(d: Draft) -> None:
    more = {
        "claim": 22,
        "recent": 9,
        "fault": 14,
        "ticket": 11,
        "young": 35,
        "yearly": 2,
        "roadside": 2_400,
        "monthly": 5,
    }
    tiers = ("50/100/50", "100/300/100", "250/500/250")
    for n, name in enumerate(("Amberline Mutual", "Cedarstow", "Kestrelby", "Oxbarrow")):
        ident = name.split()[0].lower()
        d.insert("lanewren_carrier", id=ident, name=name, base=52_000 + 3_700 * n, per_mile=5 - n, **more)
        d.insert("lanewren_factor", carrier=ident, kind="zip", value="94110", percent=131 - 4 * n)
        for plan, tier, percent in (("Choice", tiers[n % 3], 96), ("Value", tiers[(n + 1) % 3], 104)):
            d.insert(
                "lanewren_plan", id=f"{ident}-{plan}", carrier=ident, name=plan, tier=tier, percent=percent
            )


def doorlark(d: Draft) -> None:
    for ident, insurer, name, base, per_k, fee in RENTERS:
        d.insert("doorlark_policy", id=ident, insurer=insurer, name=name, base=base, per_k=per_k,
                 fee=fee)  # fmt: skip
        for kind, value, percent in (
            ("cause", "theft", 118),
            ("recent", "yes", 110),
            ("sprinklers", "yes", 95),
        ):
            d.insert("doorlark_factor", policy=ident, kind=kind, value=value, percent=percent)


# the lowest price a month is Dovecote's, the lowest a year Bellwick's: the fee decides
RENTERS = (
    ("b1", "Bellwick Mutual", "Renters", 900, 22, 2_400),
    ("d1", "Dovecote", "Essential", 880, 22, 6_000),
    ("d2", "Dovecote", "Full", 1_150, 26, 6_000),
)


def ratefield(d: Draft) -> None:
    for ident, name, rate, points, origination in (
        ("alder", "Alder Bank", 6_125, 50, 99_500),
        ("brook", "Brook Home", 5_990, 175, 129_500),
        ("cliff", "Cliffside", 6_250, 0, 45_000),
    ):
        d.insert("ratefield_lender", id=ident, name=name, product="fixed30", rate_mbp=rate, points_bp=points,
                 origination=origination, appraisal=65_000, title=182_000, processing=39_500)  # fmt: skip
    d.insert("ratefield_band", band="740", add_mbp=125)


def wrenfold(d: Draft) -> None:
    for ident, name, about, craft, day, starts, level, seats, price, fee in CLASSES:
        d.insert("wrenfold_class", id=ident, name=name, about=about, craft=craft, on_day=day, starts=starts,
                 ends=f"{int(starts[:2]) + 2:02}:30", level=level, teacher="Anneke Dorr", seats=seats, price=price,
                 fee=fee)  # fmt: skip


CLASSES = (
    ("pot1", "Pottery A", "First Bowls", "pottery", "2026-11-21", "10:00", "beginner", 2, 3_500, 500),
    ("pot2", "Pottery B", "Tiles", "pottery", "2026-11-21", "14:00", "beginner", 1, 2_500, 0),
    ("pot3", "Pottery C", "Pinch Pots", "pottery", "2026-11-22", "11:00", "intermediate", 4, 2_000, 0),
    ("tex1", "Weaving A", "Lap Looms", "textiles", "2026-11-21", "10:30", "beginner", 6, 2_800, 250),
)
PLANS = (
    ("p1", "Bracken", "Fibre 500", "open", 500, 2_500, 12, 5_200, 0),
    ("p2", "Corran", "Ultra 600", "cable", 600, 2_900, 24, 4_400, 3_500),
    ("p3", "Corran", "Start 100", "cable", 100, 1_900, 24, 2_900, 0),
    ("p4", "Dunlin", "Gig 900", "island", 900, 1_500, 24, 1_500, 0),
)
SITES = {
    "hearthline": hearthline,
    "fibrewise": fibrewise,
    "drivewell": drivewell,
    "lanewren": lanewren,
    "ratefield": ratefield,
    "tailgather": tailgather,
    "doorlark": doorlark,
    "wrenfold": wrenfold,
}


def world(site: str = SITE) -> World:
    """A small world with one site and what it knows."""
    d = Draft((site, "bureau"))
    for scope in app(site).scopes:
        d.insert("exam_grant", app=site, scope=scope, live=1)
    SITES[site](d)
    meta = {"instruction": "Save a quote.", "owner": "me@errands.example", "languages": "en"}
    return open_world(d.finish(now=NOW, zone="America/Chicago", **meta).blob)


@dataclass
class Place:
    """An attempt at its site: the world, where it is served, a page in a browser context of its own."""

    world: World
    web: Web
    visit: Visit
    base: str
    page: Any
    site: str = SITE

    def rows(self, table: str) -> list[dict[str, Any]]:
        """The site's rows."""
        return self.world.all(f"SELECT * FROM {self.site}_{table}")

    def said(self) -> dict[str, str]:
        """What the last session holds."""
        last = self.world.value(f"SELECT id FROM {self.site}_session ORDER BY n DESC LIMIT 1")
        return {r["field"]: r["value"] for r in self.rows("input") if r["session"] == last}

    # ---- what a person does ----------------------------------------------------------------------------------

    def go_on(self, button: str) -> None:
        """Click a button that leads to another page, and wait for that."""
        with self.page.expect_navigation():
            self.page.get_by_role("button", name=button).click()

    def follow(self, link: str, *, exact: bool = False) -> None:
        """Follow a link, and wait for the page it leads to."""
        with self.page.expect_navigation():
            self.page.get_by_role("link", name=link, exact=exact).click()

    def start(self) -> None:
        """Begin, or begin anew."""
        self.page.goto(f"{self.base}/")
        with self.page.expect_navigation():
            self.page.locator("form[action='/start'] button").click()

    def house(self) -> None:
        for label, text in HOUSE.items():
            self.page.get_by_label(label).fill(text)
        self.page.get_by_text("Brick", exact=True).click()
        self.page.get_by_label("Roof").select_option("metal")
        self.go_on("Continue")

    def slide(self, label: str, key: str, times: int) -> None:
        self.page.get_by_label(label).focus()
        for _ in range(times):
            self.page.keyboard.press(key)

    def drag(self, label: str, to: float) -> None:
        """Drag a slider's knob from where it stands to a share of its way."""
        slider = self.page.get_by_label(label)
        box = slider.bounding_box()
        least, most, at = (float(slider.get_attribute(a)) for a in ("min", "max", "value"))
        y, knob = box["y"] + box["height"] / 2, 16
        way = box["width"] - knob
        mouse = self.page.mouse
        mouse.move(box["x"] + knob / 2 + way * (at - least) / (most - least), y)
        mouse.down()
        mouse.move(box["x"] + knob / 2 + way * to, y, steps=8)
        mouse.up()

    def see_prices(self) -> None:
        self.go_on("See prices")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as p:  # where there is no browser this fails: pages are not tested without one
        opened = p.chromium.launch(executable_path=find_browser() or None, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def web() -> Iterator[Web]:
    with Web() as served:
        yield served


@contextmanager
def visiting(web: Web, browser: Any, site: str = SITE, **context: Any) -> Iterator[Place]:
    """A new attempt in a context of its own; at its end nothing may have gone wrong on its pages."""
    w = world(site)
    visit = web.open(Sitting(w, Limits(calls=1_000)))
    opened = browser.new_context(viewport={"width": 1280, "height": 900}, **context)
    page = opened.new_page()
    page.set_default_timeout(PATIENCE_MS)
    trouble: list[str] = []
    page.on("console", lambda m: trouble.append(f"{m.type}: {m.text}") if m.type == "error" else None)
    page.on("pageerror", lambda e: trouble.append(str(e)))
    page.on("request", lambda r: None if ".localhost:" in r.url else trouble.append(f"outside: {r.url}"))
    place = Place(w, web, visit, web.address(visit, site), page, site)
    place.trouble = trouble  # type: ignore[attr-defined]
    try:
        yield place
    finally:
        opened.close()
        web.close(visit)


@pytest.fixture
def place(web: Web, browser: Any) -> Iterator[Place]:
    with visiting(web, browser) as here:
        yield here
