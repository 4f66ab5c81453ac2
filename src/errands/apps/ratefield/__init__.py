"""Ratefield: a comparison site for mortgages. The list shows rates; what an offer costs stands on its own page.

Rates are thousandths of a percent (6.125 % is 6125 mbp), points hundredths of a percent of the loan (bp). Going on from
an offer leads to the page on which a credit check is authorized; only sending that page asks the bureau.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

from errands.web import Button, Choice, Number, Postcode, Quote, Rows, Said, Site, Step, Tick

MONTHS = {"fixed30": 360, "fixed20": 240, "fixed15": 180}
LOAN = Step(
    "loan",
    "The loan",
    (
        Number(name="price", label="Purchase price", least=50_000, most=5_000_000, unit="$"),
        Number(name="down", label="Down payment", least=0, most=90, unit="% of the price"),
        Choice(
            name="term",
            label="Loan type",
            options=(
                ("fixed30", "30-year fixed"),
                ("fixed20", "20-year fixed"),
                ("fixed15", "15-year fixed"),
            ),
        ),
    ),
)
YOU = Step(
    "you",
    "About you",
    (
        Postcode(name="zip", label="ZIP code of the home", market="us"),
        Choice(
            name="credit",
            label="Credit score",
            options=(
                ("780", "780 or more"),
                ("760", "760-779"),
                ("740", "740-759"),
                ("720", "720-739"),
                ("700", "700-719"),
            ),
        ),
    ),
    intro="Your own estimate will do; this does not touch your credit.",
    button="See rates",
)
AUTHORIZE = Step(
    "authorize",
    "Authorize credit check",
    (Tick(name="consent", label="I authorize the lender to obtain my credit report.", required=True),),
    intro="This makes a hard inquiry, which other lenders can see.",
    button="Authorize and continue",
)  # fmt: skip

ratefield = Site(
    "ratefield",
    __name__,
    title="Ratefield",
    line="Mortgage rates from lenders near you",
    look="night",
    per="a month",
    steps=(LOAN, YOU),
    buttons=(Button("authorize", "Continue", leads=AUTHORIZE, inquiry="hard"),),
    page_size=6,
)


@ratefield.quotes
def quotes(rows: Rows, said: Said, today: date) -> Sequence[Quote]:
    """Each lender's offer, by name."""
    loan = int(said["price"]) * (100 - int(said["down"])) // 100
    add = next((b["add_mbp"] for b in rows("band") if b["band"] == said["credit"]), 0)
    return [
        _quote(r, loan, r["rate_mbp"] + add, MONTHS[said["term"]])
        for r in sorted(rows("lender"), key=lambda r: r["name"])
        if r["product"] == said["term"]
    ]


def _quote(r: dict[str, Any], loan: int, mbp: int, months: int) -> Quote:
    points = loan * r["points_bp"] // 100  # cents
    fees = {
        "Origination": r["origination"],
        "Appraisal": r["appraisal"],
        "Title and closing": r["title"],
        "Processing": r["processing"],
    }
    total = sum(fees.values())
    payment = monthly(loan * 100, mbp, months)
    apr = apr_mbp(loan * 100 - points - total, payment, months)
    shown = {"Rate": f"{Decimal(mbp) / 1000:.3f}%", "Loan": f"${loan:,}"}
    details = {
        "Points": f"{Decimal(r['points_bp']) / 100:.3f} ({ratefield.money(points)})",
        **{name: ratefield.money(cents) for name, cents in fees.items()},
        "Lender fees in all": ratefield.money(total),
        "APR": f"{Decimal(apr) / 1000:.3f}%",
    }
    facts = {
        "rate": mbp,
        "points_bp": r["points_bp"],
        "points": points,
        "fees": total,
        "apr": apr,
        "payment": payment,
    }
    return Quote(r["id"], r["name"], f"{months // 12}-year fixed", payment, shown,
                 details, facts=facts)  # fmt: skip


def monthly(cents: int, mbp: int, months: int) -> int:
    """The level payment of a loan, in cents, rounded half up (the annuity formula)."""
    with localcontext(prec=50):
        rate = Decimal(mbp) / 100_000 / 12
        if not rate:
            return -(-cents // months)
        payment = cents * rate / (1 - (1 + rate) ** -months)
        return int(payment.quantize(Decimal(1), ROUND_HALF_UP))


def apr_mbp(financed: int, payment: int, months: int) -> int:
    """The rate at which the payments are worth what is paid out: thousandths of a percent, found by halving."""
    low, high = 0, 60_000
    while high - low > 1:
        middle = (low + high) // 2
        if monthly(financed, middle, months) > payment:
            high = middle
        else:
            low = middle
    return low
