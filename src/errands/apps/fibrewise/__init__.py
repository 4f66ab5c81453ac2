"""Fibrewise: a comparison site for broadband, where what comes after the promotion stands in a pop-over only.

Which plans there are hangs on the networks that reach the address. The list shows the promotional price; how long it
holds, what is paid afterwards and the setup fee are fetched when a person opens a plan's price details.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from errands.web import Button, Choice, Postcode, Quote, Rows, Said, Site, Step, Text

ADDRESS = Step(
    "address",
    "Where do you live?",
    (
        Text(name="line", label="House number and street"),
        Postcode(name="postcode", label="Postcode", market="gb"),
    ),
    intro="What you can get depends on the address.",
    button="Check availability",
)

fibrewise = Site(
    "fibrewise",
    __name__,
    title="Fibrewise",
    line="See who reaches your door, and what it costs",
    market="gb",
    look="meadow",
    per="a month",
    steps=(ADDRESS,),
    filters=(
        Choice(
            name="mbps",
            label="Download speed",
            options=(("any", "Any speed"), ("100", "100 Mbps or more"), ("300", "300 Mbps or more"),
                     ("500", "500 Mbps or more"), ("900", "900 Mbps or more")),
        ),
    ),
    buttons=(Button("order", "Order now"),),
)  # fmt: skip


@fibrewise.quotes
def quotes(rows: Rows, said: Said, today: date) -> Sequence[Quote]:
    """The plans that reach the address; none where it is not known."""
    here = [
        a
        for a in rows("address")
        if _same(a["line"], said["line"]) and _same(a["postcode"], said["postcode"])
    ]
    reached = {network for a in here for network in a["networks"].split()}
    plans = [p for p in rows("plan") if p["network"] in reached]
    return [_quote(p) for p in sorted(plans, key=lambda p: (p["provider"], p["name"]))]


def _quote(p: dict[str, Any]) -> Quote:
    months = p["promo_months"]
    folded = {
        "Price now": f"{fibrewise.money(p['promo'])} a month",
        "For": f"the first {months} months",
        "After that": f"{fibrewise.money(p['standard'])} a month",
        "Setup fee": fibrewise.money(p["setup"]) if p["setup"] else "none",
    }
    shown = {"Average speed": f"{p['mbps']} Mbps", "Contract": f"{p['contract']} months"}
    facts = {name: p[name] for name in ("mbps", "promo", "promo_months", "standard", "setup")}
    return Quote(p["id"], p["provider"], p["name"], p["promo"], shown, folded=folded, facts=facts)


def _same(a: str, b: str) -> bool:
    return "".join(a.casefold().replace(",", " ").split()) == "".join(b.casefold().replace(",", " ").split())
