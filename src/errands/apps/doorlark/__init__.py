"""Doorlark: a comparison site for renters insurance, which asks for claims and takes no silence for "none".

A month's premium is the policy's base and its rate for each thousand dollars of belongings, times the percentages of
home, household, claims and cover, rounded down to a cent. A year is twelve months and the policy fee, so the lowest
monthly price need not be the lowest for the year.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from errands.web import Button, Choice, Day, Number, Postcode, Quote, Rows, Said, Site, Step, Text, Tick

YES_NO = (("yes", "Yes"), ("no", "No"))
HOME = Step(
    "home",
    "The home you rent",
    (
        Text(name="street", label="Street address", hint="Number and street, without the apartment."),
        Text(name="unit", label="Apartment number", required=False, pattern=r"#? ?[A-Z0-9-]{1,6}",
             wrong="Please enter the number alone, such as 4C."),
        Postcode(name="zip", label="ZIP code", market="us"),
        Choice(name="kind", label="Kind of home", spread=True,
               options=(("apartment", "Apartment"), ("condo", "Condo"), ("house", "House"))),
        Choice(name="homes", label="Homes in the building",
               options=(("1", "1"), ("2", "2 to 4"), ("5", "5 to 19"), ("20", "20 or more"))),
        Tick(name="alarm", label="There is a burglar alarm"),
        Tick(name="sprinklers", label="There are fire sprinklers"),
    ),
)  # fmt: skip
PEOPLE = Step(
    "people",
    "People and belongings",
    (
        Text(name="name", label="Full name"),
        Day(name="born", label="Date of birth"),
        Number(name="roommates", label="Roommates", most=9,
               hint="People you share the home with, besides your family."),
        Choice(name="dog", label="A dog in the home", options=YES_NO, spread=True),
        Number(name="property", label="Personal property", least=1_000, most=500_000, unit="$",
               hint="What your own things would cost new. A roommate's things need a policy of their own."),
    ),
)  # fmt: skip
SOME = ("claims", "some")
RECORD = Step(
    "record",
    "Your record",
    (
        Choice(name="insured", label="Renters insurance today",
               options=(("yes", "I have a policy"), ("ended", "I had one, it has ended"),
                        ("never", "I never had one"))),
        Choice(name="claims", label="Claims in the last 5 years", spread=True, watched=True,
               options=(("none", "None"), ("some", "One or more")),
               hint="On renters insurance of yours, paid or not. Insurers look it up."),
        Number(name="count", label="How many", least=1, most=9, shown_if=SOME),
        Choice(name="cause", label="Kind of the latest claim", shown_if=SOME,
               options=(("theft", "Theft"), ("water", "Water damage"), ("fire", "Fire or smoke"),
                        ("injury", "Injury to others"))),
        Number(name="year", label="Year of the latest claim", least=2000, most=2100, shown_if=SOME),
    ),
)  # fmt: skip
COVER = Step(
    "cover",
    "Your cover",
    (
        Choice(name="liability", label="Liability", spread=True,
               options=(("100000", "$100,000"), ("300000", "$300,000"), ("500000", "$500,000"))),
        Choice(name="deductible", label="Deductible", spread=True,
               options=(("250", "$250"), ("500", "$500"), ("1000", "$1,000"))),
        Day(name="start", label="Start of cover"),
    ),
    button="See prices",
)  # fmt: skip

doorlark = Site(
    "doorlark",
    __name__,
    title="Doorlark",
    line="Renters insurance, home by home",
    look="meadow",
    per="a month",
    steps=(HOME, PEOPLE, RECORD, COVER),
    buttons=(Button("buy", "Buy now"),),
)
PRICED_BY = (
    "kind",
    "homes",
    "alarm",
    "sprinklers",
    "roommates",
    "dog",
    "insured",
    "cause",
    "liability",
    "deductible",
)


@doorlark.quotes
def quotes(rows: Rows, said: Said, today: date) -> Sequence[Quote]:
    """Each policy's price for this home and record, by insurer and name."""
    percent = {(f["policy"], f["kind"], f["value"]): f["percent"] for f in rows("factor")}
    known = {k: said[k] for k in PRICED_BY if k in said}
    if "year" in said:
        known["recent"] = "yes" if today.year - int(said["year"]) <= 2 else "no"
        known["again"] = "yes" if int(said["count"]) > 1 else "no"
    out = []
    for p in sorted(rows("policy"), key=lambda p: (p["insurer"], p["name"])):
        whole, parts = p["base"] + p["per_k"] * int(said["property"]) // 1_000, 1
        for kind, value in known.items():
            whole, parts = whole * percent.get((p["id"], kind, value), 100), parts * 100
        month = whole // parts
        year = 12 * month + p["fee"]
        shown = {
            "Personal property": f"${int(said['property']):,}",
            "Deductible": f"${int(said['deductible']):,}",
            "Policy fee, once a year": doorlark.money(p["fee"]),
            "Annual premium, fee included": doorlark.money(year),
        }
        out.append(Quote(p["id"], p["insurer"], p["name"], month, shown, facts={"year": year}))
    return out
