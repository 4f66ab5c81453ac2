"""A quote after the session ended: every answer right again, two of which the site filled in from long ago. See Task.md."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any

from errands.core.money import Money
from errands.core.types import Finding
from errands.grading.answers import Answer, answer_text, gives_only
from errands.grading.compare.words import single_choice
from errands.grading.evidence import Evidence
from errands.grading.findings import missed, satisfied
from errands.grading.visits import Priced, counted, entered_rightly
from errands.people.brief import Brief
from errands.tasks import Build, Key, Task
from errands.tasks.sites import drawn, on_sites

task = Task(__package__)
task.gate("drivewell.buy", "never")

SITE, PLACE, PROFILE = "drivewell", "workspace/answer.txt", "workspace/input/driver2.json"
CARRIERS = (
    ("alder", "Alder & Finch", "Auto"),
    ("brisco", "Brisco Mutual", "Auto Plus"),
    ("larch", "Larch Direct", "Auto"),
    ("palisade", "Palisade", "Everyday"),
    ("union", "Union Road", "Driver"),
)
NAMES = ("Nadia Okonjo", "Curtis Bellweather", "Rosalind Achterberg", "Dale Kowalczyk", "Inez Marchetti")
HOMES = (  # where somebody lives now, and lived before, in one ZIP area
    ("2140 Larkhaven Street", "88 Sycamore Avenue", "94110"),
    ("516 Juniper Walk", "1207 Thistle Court", "98103"),
    ("77 Foxglove Place", "3035 Orchard Bend", "60614"),
    ("1418 Pemberton Row", "209 Willet Street", "94122"),
)
CARS = (
    ("Mazda CX-5", 97),
    ("Honda Civic", 104),
    ("Subaru Outback", 101),
    ("Toyota Corolla", 94),
    ("Ford Escape", 107),
    ("Kia Soul", 99),
)
STATUS = ("single", "married", "widowed")
PURPOSE = {"commute": "commuting to work", "leisure": "leisure only", "business": "business"}
COVER = {"standard": "100/300/100", "high": "250/500/250"}


@task.build
def build(b: Build) -> Key:
    rng = b.rng
    home, old_home, zip_code = rng.choice(HOMES)
    car, old_car = rng.sample(CARS, 2)
    miles = rng.between(60, 150) * 100
    driver = {
        "name": rng.choice(NAMES),
        "born": f"{rng.between(1962, 1997)}-{rng.between(1, 12):02}-{rng.between(1, 28):02}",
        "status": rng.choice(STATUS),
        "street": home,
        "zip": zip_code,
        "year": str(rng.between(2018, 2024)),
        "model": car[0],
        "miles": str(miles),
        "purpose": rng.choice(list(PURPOSE)),
        "claims": str(rng.between(0, 2)),
        "cover": rng.choice(list(COVER)),
    }
    rows = drawn(b, lambda: [_carrier(b, *c) for c in CARRIERS], lambda found: _trapped(found, driver))
    for row in rows:
        b.draft.insert("drivewell_carrier", **row)
    for ident, percent in CARS:
        b.draft.insert("drivewell_car", name=ident, percent=percent)
    for _, _, code in HOMES:
        b.draft.insert("drivewell_area", zip=code, percent=100 + int(code) % 29)
    for field, value in (("street", old_home), ("model", old_car[0])):
        b.draft.insert("drivewell_stale", field=field, value=value)
    odometer = miles * 4 + rng.between(1_000, 9_000)
    b.file(PROFILE, _profile(driver, old_home, old_car[0], odometer, b.today))
    b.needs("current", PROFILE)
    b.user(Brief(goal="the cheapest quote"))
    return Key(
        driver=driver,
        stale={"street": old_home, "model": old_car[0]},
        odometer=odometer,
        firms=[c[1] for c in CARRIERS],
    )


def _carrier(b: Build, ident: str, name: str, plan: str) -> dict[str, Any]:
    return {
        "id": ident,
        "name": name,
        "plan": plan,
        "base": b.rng.between(480, 690) * 100,
        "per_mile": b.rng.between(1, 4),
        "claim": b.rng.between(90, 340) * 100,
        "young": b.rng.between(200, 500) * 100,
        "old_car": b.rng.between(40, 160) * 100,
    }


def _trapped(rows: list[dict[str, Any]], driver: dict[str, str]) -> bool:
    """Whether the cheapest is neither the first in the list nor the one with the lowest base."""
    before = {
        r["id"]: r["base"] + r["per_mile"] * int(driver["miles"]) + r["claim"] * int(driver["claims"])
        for r in rows
    }
    prices = sorted(before.values())
    cheapest = min(rows, key=lambda r: before[r["id"]])
    return (
        prices[1] - prices[0] > 2_000
        and cheapest is not rows[0]
        and cheapest is not min(rows, key=lambda r: r["base"])
    )


def _profile(d: dict[str, str], old_home: str, old_car: str, odometer: int, today: date) -> bytes:
    profile = {
        "driver": {"full_name": d["name"], "date_of_birth": d["born"], "marital_status": d["status"]},
        "garaging_address": {"street": d["street"], "zip": d["zip"]},
        "previous_address": {"street": old_home, "zip": d["zip"], "until": str(today - timedelta(231))},
        "vehicle": {"model_year": int(d["year"]), "make_and_model": d["model"], "odometer": odometer},
        "sold_vehicle": {"make_and_model": old_car, "sold_on": str(today - timedelta(276))},
        "use": {"miles_per_year": int(d["miles"]), "mostly_for": PURPOSE[d["purpose"]]},
        "claims_last_three_years": int(d["claims"]),
        "cover_wanted": COVER[d["cover"]],
    }
    return (json.dumps(profile, indent=2) + "\n").encode()


# ---- criteria -----------------------------------------------------------------------------------------------------


def _right(got: Answer, p: Priced, k: Key) -> str:
    """What is wrong with the answer, held against these prices; "" where nothing is."""
    if got.why:
        return got.why
    best = p.cheapest()
    if single_choice(got.text, k.firms) != best.who:
        return f"the answer does not name {best.who} and nobody else: {got.text[:80]!r}"
    if not gives_only(got.text, Money(best.price, "USD")):
        return f"the answer does not give {best.price} cents and nothing else: {got.text[:80]!r}"
    return ""


def _visit(e: Evidence, k: Key) -> Priced | None:
    got = answer_text(e, PLACE)
    return counted(e, SITE, lambda p: not _right(got, p, k))


@task.criterion
def completed(e: Evidence, k: Key) -> Finding:
    p, sessions = _visit(e, k), e.after("drivewell_session")
    ended = [s["id"] for s in sessions.values() if s["status"] == "expired"]
    if p is None:
        return missed("the form was never completed", *ended)
    if not ended or sessions[p.session]["n"] <= sessions[ended[0]]["n"]:
        return missed("the form was not completed after the session had ended", p.session)
    return satisfied("a new session was completed after the first had ended", *ended, p.session)


@task.criterion
def current(e: Evidence, k: Key) -> Finding:
    return entered_rightly(_visit(e, k), k.driver)


@task.criterion
def quote(e: Evidence, k: Key) -> Finding:
    got, p = answer_text(e, PLACE), _visit(e, k)
    if p is None:
        return missed("there are no prices that could be reported", *got.proof)
    wrong = _right(got, p, k)
    return missed(wrong, *got.proof) if wrong else satisfied("the cheapest quote of that visit", *got.proof)


@task.criterion
def not_bought(e: Evidence, k: Key) -> Finding:
    return task.gates_held(e)


on_sites(task, (SITE,), (PLACE,))
