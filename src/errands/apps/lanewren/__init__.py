"""Lanewren: a comparison site for car insurance that brings several pages of quotes, at several limits of liability.

A visitor does not choose the limits: each carrier answers with its one or two plans, and each plan has its own. A
premium is the carrier's base and its price of the miles, in cents; then the percentages of what was chosen (`CHOSEN`,
in that order), of the age of car and driver, of the record and of the plan, each rounded down; then roadside
assistance.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from errands.web import Button, Choice, Day, Number, Postcode, Quote, Rows, Said, Site, Step, Text, Tick

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
        Number(
            name="licensed",
            label="Year first licensed",
            hint="The full license, not a learner's permit.",
            least=1936,
            most=2026,
        ),
    ),
)
HOME = Step(
    "home",
    "Where you live",
    (
        Text(name="street", label="Street address"),
        Postcode(name="zip", label="ZIP code", market="us"),
        Choice(
            name="home", label="Your home", options=(("own", "I own it"), ("rent", "I rent")), spread=True
        ),
    ),
)
CAR = Step(
    "car",
    "The car",
    (
        Number(name="year", label="Model year", least=1980, most=2027),
        Choice(
            name="model",
            label="Make and model",
            options=(("escape", "Ford Escape"), ("civic", "Honda Civic"), ("crv", "Honda CR-V"),
                     ("cx30", "Mazda CX-30"), ("cx5", "Mazda CX-5"), ("cx50", "Mazda CX-50"),
                     ("outback", "Subaru Outback"), ("rav4", "Toyota RAV4")),
        ),
        Choice(
            name="owned",
            label="Ownership",
            options=(("paid", "Paid off"), ("loan", "Financed"), ("lease", "Leased")),
            spread=True,
        ),
    ),
)  # fmt: skip
USE = Step(
    "use",
    "How it is driven",
    (
        Number(name="miles", label="Miles a year", most=100_000),
        Choice(
            name="purpose",
            label="Mostly for",
            options=(("commute", "Getting to work"), ("leisure", "Leisure"), ("business", "Business")),
        ),
    ),
)
CLAIMED = ("claimed", "yes")
RECORD = Step(
    "record",
    "Your record",
    (
        Choice(
            name="claimed",
            label="Claims in the last five years",
            hint="The driver's own, at fault or not.",
            options=(("no", "No claims"), ("yes", "One or more")),
            spread=True,
        ),
        Number(name="claims", label="How many claims", least=1, most=9, shown_if=CLAIMED),
        Number(name="claim_year", label="Year of the latest", least=1990, most=2026, shown_if=CLAIMED),
        Choice(
            name="claim_kind",
            label="What the latest was",
            options=(("fault", "Accident, at fault"), ("free", "Accident, not at fault"), ("glass", "Glass"),
                     ("weather", "Weather"), ("theft", "Theft")),
            shown_if=CLAIMED,
        ),
        Number(name="tickets", label="Moving violations in the last three years", most=9),
    ),
)  # fmt: skip
DEDUCTIBLE = Choice(
    name="deductible",
    label="Deductible, collision and comprehensive",
    options=(("250", "$250"), ("500", "$500"), ("1000", "$1,000")),
    spread=True,
)
COVER = Step(
    "cover",
    "Your cover",
    (
        Day(name="starts", label="First day of cover", least="2026-01-01", most="2028-12-31"),
        DEDUCTIBLE,
        Tick(name="roadside", label="Add roadside assistance"),
    ),
    intro="Each carrier answers with the limits of liability that it offers you.",
    button="See quotes",
)

lanewren = Site(
    "lanewren",
    __name__,
    title="Lanewren",
    line="One form, every carrier's price",
    look="meadow",
    per="a year",
    steps=(DRIVER, HOME, CAR, USE, RECORD, COVER),
    buttons=(Button("buy", "Buy"), Button("bind", "Bind")),
    page_size=5,
)
CHOSEN = ("zip", "status", "home", "model", "owned", "purpose", "deductible")


@lanewren.quotes
def quotes(rows: Rows, said: Said, today: date) -> Sequence[Quote]:
    """Each plan's price, by carrier and plan."""
    carriers = {c["id"]: c for c in rows("carrier")}
    factors = {(f["carrier"], f["kind"], f["value"]): f["percent"] for f in rows("factor")}
    out = []
    for p in sorted(rows("plan"), key=lambda p: (carriers[p["carrier"]]["name"], p["name"])):
        c = carriers[p["carrier"]]
        cents = c["base"] + c["per_mile"] * int(said["miles"])
        chosen = [factors.get((c["id"], kind, said[kind]), 100) for kind in CHOSEN]
        for percent in (*chosen, _ages(c, said, today), _record(c, said, today), p["percent"]):
            cents = cents * percent // 100
        cents += c["roadside"] if said["roadside"] == "yes" else 0
        part = cents * (100 + c["monthly"]) // 1200
        shown = {
            "Liability": p["tier"],
            "Deductible": DEDUCTIBLE.words(said["deductible"]),
            "Paid monthly": f"12 payments of {lanewren.money(part)}",
        }
        out.append(Quote(p["id"], c["name"], p["name"], cents, shown, facts={"tier": p["tier"]}))
    return out


def _ages(c: dict[str, Any], said: Said, today: date) -> int:
    """The percentage of an older car, and of a young or new driver."""
    young = today.year - int(said["born"][:4]) < 25 or today.year - int(said["licensed"]) < 4
    return int(100 - c["yearly"] * min(today.year - int(said["year"]), 10) + (c["young"] if young else 0))


def _record(c: dict[str, Any], said: Said, today: date) -> int:
    """The percentage of claims and violations: more where the latest claim is of these three years, or at fault."""
    percent = 100 + c["ticket"] * int(said["tickets"])
    if said["claimed"] == "yes":
        percent += c["claim"] * int(said["claims"])
        percent += c["recent"] if today.year - int(said["claim_year"]) <= 3 else 0
        percent += c["fault"] if said["claim_kind"] == "fault" else 0
    return int(percent)
