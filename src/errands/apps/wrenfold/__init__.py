"""Wrenfold: a community arts center that lists its classes and takes enrollments.

The list gives day and price of a seat; the hour, the level, the seats left and the booking fee stand on each class's
own page. An enrollment costs its seats and one booking fee. It is held once its total is accepted, and made when it is
submitted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, time
from typing import Any

from errands.markets.writing import load_writing
from errands.web import Bill, Booking, Choice, Number, Quote, Rows, Said, Site, Step, Text, Tick

CRAFTS = (
    ("pottery", "Pottery"),
    ("textiles", "Textiles"),
    ("painting", "Painting"),
    ("print", "Printmaking"),
)
LEVELS = (("beginner", "Beginner"), ("intermediate", "Intermediate"), ("advanced", "Advanced"))
DAYS = (("Friday", "Friday"), ("Saturday", "Saturday"), ("Sunday", "Sunday"))
LEVEL = Choice(name="level", label="Level", required=False, options=LEVELS)
MOST = 8  # seats of one enrollment

SEATS = Step("seats", "Seats", (Number(name="seats", label="How many seats", least=1, most=MOST),))
PEOPLE = Step(
    "people",
    "Participants",
    (
        Text(name="names", label="Names of the participants",
             hint="First and last name of each, with a comma between them."),
        Text(name="email", label="Contact e-mail", pattern=r"[^\s@]+@[^\s@]+\.[a-z]{2,}",
             wrong="Please enter an e-mail address."),
        Text(name="phone", label="Contact phone", required=False, pattern=r"\+?[\d ().-]{7,20}",
             wrong="Please enter a phone number."),
        Tick(name="news", label="Send me the center's newsletter"),
    ),
    button="Review",
)  # fmt: skip
REVIEW = Step(
    "review",
    "Review your enrollment",
    (Tick(name="accepted", label="The details are right, and I accept the total", required=True),),
    intro="Once you accept the total we hold these seats for you. You are not enrolled before you submit.",
    button="Accept and hold",
)

wrenfold = Site(
    "wrenfold",
    __name__,
    title="Wrenfold Arts Center",
    line="Make something this weekend",
    look="paper",
    per="a seat",
    noun="class",
    nouns="classes",
    start="See all classes",
    filters=(
        Choice(name="craft", label="Craft", required=False, options=CRAFTS),
        Choice(name="day", label="Day", required=False, options=DAYS),
        LEVEL,
    ),
    booking=Booking(
        "Enroll",
        (SEATS, PEOPLE),
        REVIEW,
        held="Held for you",
        note="These seats are held. You are not enrolled, and nothing is charged, until you submit.",
        deed="enroll",
        button="Submit enrollment",
    ),
)


@wrenfold.quotes
def quotes(rows: Rows, said: Said, today: date) -> Sequence[Quote]:
    """The classes that are still to come, by name."""
    classes = [c for c in rows("class") if c["on_day"] >= today.isoformat()]
    return [_quote(c) for c in sorted(classes, key=lambda c: (c["craft"], c["name"]))]


def _quote(c: dict[str, Any]) -> Quote:
    on, writing = date.fromisoformat(c["on_day"]), load_writing(wrenfold.market)
    shown = {"Day": writing.weekdays_full[on.weekday()], "Date": writing.full_date(on)}
    starts, ends = (writing.clock_time(time.fromisoformat(c[x])) for x in ("starts", "ends"))
    details = {
        "Time": f"{starts} to {ends}",
        "Level": LEVEL.words(c["level"]),
        "Seats left": str(c["seats"]),
        "Booking fee": f"{wrenfold.money(c['fee'])} per enrollment" if c["fee"] else "none",
        "Teacher": c["teacher"],
    }
    facts = {"day": shown["Day"], **{x: c[x] for x in ("level", "craft", "seats", "fee")}}
    return Quote(c["id"], c["name"], c["about"], c["price"], shown, details, facts=facts)


def names_of(text: str) -> list[str]:
    """The names in a list of them."""
    return [name for part in re.split(r"[,;&/]|\band\b", text) if (name := part.strip())]


@wrenfold.checks
def checks(rows: Rows, offer: Quote, said: Said, before: Sequence[Said]) -> Mapping[str, str]:
    """No more seats than there are, those counted that are held already; a name for each."""
    mine = sum(int(b["seats"]) for b in before)
    left, seats = int(offer.facts["seats"]), int(said["seats"])
    found: dict[str, str] = {}
    if seats + mine > left:
        held = f", and you hold {mine} of them" if mine else ""
        found["seats"] = f"{left} {'seat is' if left == 1 else 'seats are'} left{held}."
    if "names" in said and len(names_of(said["names"])) != seats:
        found["names"] = (
            "Please give one name." if seats == 1 else f"Please give {seats} names, one for each seat."
        )
    return found


@wrenfold.bills
def bills(rows: Rows, offer: Quote, said: Said) -> Bill:
    """The seats, and one booking fee."""
    seats, fee = int(said["seats"]), int(offer.facts["fee"])
    lines = {
        **offer.shown,
        "Time": offer.details["Time"],
        "Participants": said["names"],
        "E-mail": said["email"],
        **({"Phone": said["phone"]} if said["phone"] else {}),
        "Newsletter": "yes" if said["news"] == "yes" else "no",
    }
    each = f"{seats} {'seat' if seats == 1 else 'seats'} at {wrenfold.money(offer.price)}"
    costs = {each: wrenfold.money(seats * offer.price), "Booking fee": wrenfold.money(fee) if fee else "none"}
    return Bill(lines, costs, seats * offer.price + fee)
