"""Drivewell: a comparison site for car insurance whose session ends once, in the middle, and mixes two answers up.

When the step about the record is first sent, the visitor is signed out and begins again; everything is filled in as it
was, but for what the site takes from an older visit (the rows of drivewell_stale).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from errands.web import Button, Choice, Day, Number, Postcode, Quote, Rows, Said, Site, Step, Text

DRIVER = Step(
    "driver",
    "The driver",
    (
        Text(name="name", label="Full name"),
        Day(name="born", label="Date of birth", least="1920-01-01", most="2010-12-31"),
        Choice(
            name="status",
            label="Marital status",
            options=(("single", "Single"), ("married", "Married"), ("widowed", "Widowed")),
            spread=True,
        ),
    ),
)
HOME = Step(
    "home",
    "Where the car is kept",
    (
        Text(name="street", label="Street address"),
        Postcode(name="zip", label="ZIP code", market="us"),
    ),
)
CAR = Step(
    "car",
    "The car",
    (
        Number(name="year", label="Model year", least=1980, most=2100),
        Text(name="model", label="Make and model"),
    ),
)
USE = Step(
    "use",
    "How it is driven",
    (
        Number(name="miles", label="Miles a year", least=0, most=100_000),
        Choice(
            name="purpose",
            label="Mostly for",
            options=(("commute", "Getting to work"), ("leisure", "Leisure"), ("business", "Business")),
        ),
    ),
)
COVER = Choice(
    name="cover",
    label="Cover",
    options=(("basic", "State minimum"), ("standard", "100/300/100"), ("high", "250/500/250")),
    spread=True,
)
RECORD = Step(
    "record",
    "Your record",
    (
        Number(name="claims", label="Claims in the last three years", least=0, most=20),
        COVER,
    ),
    button="See prices",
)

drivewell = Site(
    "drivewell",
    __name__,
    title="Drivewell",
    line="Car insurance without the phone calls",
    look="harbour",
    per="a year",
    steps=(DRIVER, HOME, CAR, USE, RECORD),
    buttons=(Button("buy", "Buy now"),),
    expires_at="record",
)
_COVER = {"basic": 74, "standard": 100, "high": 131}


@drivewell.quotes
def quotes(rows: Rows, said: Said, today: date) -> Sequence[Quote]:
    """Each carrier's price, by name."""
    area = next((a["percent"] for a in rows("area") if a["zip"] == said["zip"]), 100)
    known = (c["percent"] for c in rows("car") if c["name"].casefold() == said["model"].casefold())
    car, age = next(known, 104), today.year - int(said["born"][:4])
    out = []
    for c in sorted(rows("carrier"), key=lambda c: c["name"]):
        cents = c["base"] + c["per_mile"] * int(said["miles"]) + c["claim"] * int(said["claims"])
        cents += c["young"] if age < 26 else 0
        cents += c["old_car"] if today.year - int(said["year"]) > 10 else 0
        for percent in (area, car, _COVER[said["cover"]]):
            cents = cents * percent // 100
        shown = {"Liability": COVER.words(said["cover"])}
        out.append(Quote(c["id"], c["name"], c["plan"], cents, shown, facts={"cover": said["cover"]}))
    return out
