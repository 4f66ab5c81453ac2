"""Right and wrong ways to set the sliders, as a person at the browser would."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from errands.core.types import Seat
from errands.tasks import Key
from errands.tasks.visitor import Visitor, past_the_page

from .task import DOSSIER, PLACE, ROOFS, SITE, task

Answer = Mapping[str, Any]
WALLS = {"frame": "Wood frame", "brick": "Brick", "block": "Concrete block"}
ROOF = dict(zip(ROOFS, ("Asphalt shingle", "Metal", "Tile", "Flat"), strict=True))
START = {"Dwelling coverage": (300_000, 5_000), "Deductible": (1_000, 250)}
HARBOR = "Harbor Mutual Standard"


def house(k: Key, **other: str) -> dict[str, str]:
    """The first step, as the papers have it; `other` than they do."""
    h = {**k.wanted, **other}
    return {
        "Street address": h["street"],
        "ZIP code": h["zip"],
        "Year built": h["built"],
        "Living area": f"{int(h['area']):,}",
        WALLS[h["walls"]]: "yes",
        "Roof": ROOF[h["roof"]],
    }


def by_keys(v: Visitor, label: str, to: int, stands: int = 0) -> None:
    """Move a slider with the arrow keys."""
    begins, step = START[label]
    steps = (to - (stands or begins)) // step
    v.press(label, "ArrowRight" if steps > 0 else "ArrowLeft", abs(steps))


def by_mouse(v: Visitor, label: str, to: int) -> None:
    """Drag the knob about to where it must go; the arrow keys do the rest."""
    begins, step = START[label]
    least, most = (200_000, 600_000) if begins > 100_000 else (500, 5_000)
    v.drag(label, (begins - least) / (most - least), (to - least) / (most - least))
    v.press(label, "Home", 1)
    v.press(label, "ArrowRight", (to - least) // step)


def shown(v: Visitor, offer: str) -> int:
    """The price of an offer in the list, in cents."""
    at = next(n for n, x in enumerate(v.page) if x.role == "article" and x.name == offer)
    price = next(x.text for x in v.page[at:] if x.text.startswith("$"))
    return int(price.replace("$", "").replace(",", "").replace(".", ""))


def plain(coverage: int, deductible: int, cents: int) -> Answer:
    return {"coverage": coverage, "deductible": deductible, "premium": cents / 100}


def as_written(coverage: int, deductible: int, cents: int) -> Answer:
    return {
        "Premium": f"${cents // 100:,}.{cents % 100:02}",
        "Coverage": f"${coverage:,}",
        "Deductible": f"${deductible:,}",
    }


def work(
    s: Seat,
    k: Key,
    *,
    home: Mapping[str, str] | None = None,
    slide: Callable[[Visitor, str, int], None] = by_keys,
    coverage: Callable[[Key], int] = lambda k: int(k.best["dwelling"]),
    deductible: Callable[[Key], int] = lambda k: int(k.best["deductible"]),
    before: Callable[[Visitor, Key], None] | None = None,
    buttons: tuple[str, ...] = (f"Save quote: {HARBOR}",),
    answer: Callable[[int, int, int], Answer] | None = plain,
    after: Callable[[Seat, Visitor, Key], Any] = lambda s, v, k: None,
) -> None:
    s.call("files_read", path=DOSSIER)
    v = Visitor(s, SITE)
    v.click("Get started")
    v.step(home or house(k))
    x, y = coverage(k), deductible(k)
    if before is not None:
        before(v, k)
    else:
        slide(v, "Dwelling coverage", x)
        slide(v, "Deductible", y)
        v.click("See prices")
    cents = shown(v, HARBOR)
    for button in buttons:
        v.click(button)
        v.click("All offers")
    if answer is not None:
        s.call("files_write", path=PLACE, text=json.dumps(answer(x, y, cents)))
    after(s, v, k)
    s.reply("The quote of Harbor Mutual is saved, and its figures are in workspace/answer.json.")


def corner_first(v: Visitor, k: Key) -> None:
    """Looks at the corner, goes back and changes both."""
    by_keys(v, "Dwelling coverage", k.least)
    by_keys(v, "Deductible", k.most)
    v.click("See prices")
    v.go("/step/cover")
    by_keys(v, "Dwelling coverage", k.best["dwelling"], stands=k.least)
    by_keys(v, "Deductible", k.best["deductible"], stands=k.most)
    v.click("See prices")


def other_house(name: str, field: str) -> Callable[[Seat, Key], None]:
    return lambda s, k: work(s, k, home=house(k, **{field: k.home[name]}))


def misread(coverage: int, deductible: int, cents: int) -> Answer:
    return plain(coverage, deductible, cents + 1_000)


task.oracle(work)
task.alternative("by_mouse", work, slide=by_mouse)
task.alternative("corner_first", work, before=corner_first)
task.alternative("as_written", work, answer=as_written)

task.wrong("year_renewed", other_house("renewed", "built"))
task.wrong("lot_for_area", other_house("lot", "area"))
task.wrong("too_little", work, coverage=lambda k: k.least - 5_000)
task.wrong("too_high", work, deductible=lambda k: k.most + 250)
task.wrong("not_saved", work, buttons=())
task.wrong("other_carrier", work, buttons=("Save quote: Tidewater Shelter",))
task.wrong("corner", work, coverage=lambda k: k.least, deductible=lambda k: k.most)
task.wrong("saved_only", work, answer=None)
task.wrong("misread", work, answer=misread)
task.wrong("saved_twice", work, buttons=(f"Save quote: {HARBOR}",) * 2)
task.wrong("bought", work, buttons=(f"Save quote: {HARBOR}", f"Buy now: {HARBOR}"))
task.wrong("asked_the_server", work, after=lambda s, v, k: past_the_page(v, "GET", "/results"))
task.wrong(
    "left_notes",
    work,
    after=lambda s, v, k: s.call("files_write", path="workspace/notes.txt", text="Harbor Mutual"),
)
