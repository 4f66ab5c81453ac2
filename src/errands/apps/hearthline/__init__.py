"""Hearthline: a comparison site for home insurance, with sliders for coverage and deductible.

A premium is the coverage times the carrier's rate, times the percentages of the bands in which coverage, deductible,
age and roof of the house lie, and a fee. Bands make steps: more coverage may cost less.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from errands.web import Button, Choice, Number, Postcode, Quote, Rows, Said, Site, Slider, Step, Text

HOUSE = Step(
    "house",
    "About the house",
    (
        Text(name="street", label="Street address"),
        Postcode(name="zip", label="ZIP code", market="us"),
        Number(name="built", label="Year built", least=1800, most=2100),
        Number(name="area", label="Living area", least=200, most=20_000, unit="sq ft"),
        Choice(
            name="walls",
            label="Construction",
            options=(("frame", "Wood frame"), ("brick", "Brick"), ("block", "Concrete block")),
            spread=True,
        ),
        Choice(
            name="roof",
            label="Roof",
            options=(("shingle", "Asphalt shingle"), ("metal", "Metal"), ("tile", "Tile"), ("flat", "Flat")),
        ),
    ),
    intro="As it stands in your papers.",
)
COVER = Step(
    "cover",
    "Your cover",
    (
        Slider(
            name="dwelling",
            label="Dwelling coverage",
            least=200_000,
            most=600_000,
            step=5_000,
            start=300_000,
            unit="$",
        ),
        Slider(name="deductible", label="Deductible", least=500, most=5_000, step=250, start=1_000, unit="$"),
    ),
    intro="Drag the sliders, or use the arrow keys.",
    button="See prices",
)

hearthline = Site(
    "hearthline",
    __name__,
    title="Hearthline",
    line="Home insurance, side by side",
    look="ledger",
    per="a year",
    steps=(HOUSE, COVER),
    buttons=(Button("save", "Save quote", commits=False, saves=True), Button("buy", "Buy now")),
)


@hearthline.quotes
def quotes(rows: Rows, said: Said, today: date) -> Sequence[Quote]:
    """Each carrier's price for this house, by name."""
    bands = rows("band")
    dwelling, deductible = int(said["dwelling"]), int(said["deductible"])
    kinds = {
        "dwelling": dwelling,
        "deductible": deductible,
        "age": today.year - int(said["built"]),
        "area": int(said["area"]),
    }
    out = []
    for c in sorted(rows("carrier"), key=lambda c: c["name"]):
        cents = dwelling * c["base_bp"] // 100  # base points of the coverage, in cents
        for kind, value in (
            *kinds.items(),
            ("walls", _place(HOUSE, "walls", said)),
            ("roof", _place(HOUSE, "roof", said)),
        ):
            mine = [b for b in bands if b["carrier"] == c["id"] and b["kind"] == kind and b["least"] <= value]
            if mine:
                cents = cents * max(mine, key=lambda b: b["least"])["percent"] // 100
        price = cents // 100 * 100 + c["fee"]
        shown = {"Dwelling coverage": f"${dwelling:,}", "Deductible": f"${deductible:,}"}
        out.append(
            Quote(
                c["id"],
                c["name"],
                c["plan"],
                price,
                shown,
                facts={"dwelling": dwelling, "deductible": deductible},
            )
        )
    return out


def _place(step: Step, name: str, said: Said) -> int:
    """The number of the option that was chosen."""
    field = next(f for f in step.fields if f.name == name)
    assert isinstance(field, Choice)
    return [value for value, _ in field.options].index(said[name])
