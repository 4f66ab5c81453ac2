"""Which setting of two sliders is the cheapest that will do. See Task.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from json import loads
from typing import Any

from errands.core import clock
from errands.core.money import Money
from errands.core.types import Finding
from errands.grading.answers import answer_object
from errands.grading.compare.money import read_money
from errands.grading.evidence import Entry, Evidence
from errands.grading.findings import missed, satisfied
from errands.grading.visits import entered_rightly, priced, same
from errands.people.brief import Brief
from errands.tasks import Build, Key, Task
from errands.tasks.papers import pdf
from errands.tasks.sites import drawn, on_sites

task = Task(__package__)
task.gate("hearthline.buy", "never")

SITE, PLACE, DOSSIER = "hearthline", "workspace/answer.json", "workspace/input/property.pdf"
COVERAGE = range(200_000, 600_001, 5_000)
DEDUCTIBLE = range(500, 5_001, 250)
CARRIERS = (
    ("acorn", "Acorn Mutual", "Home Plus"),
    ("harbor", "Harbor Mutual", "Standard"),
    ("lantern", "Lantern & Lowe", "Homestead"),
    ("tide", "Tidewater", "Shelter"),
)
WALLS = {"frame": "wood frame", "brick": "brick", "block": "concrete block"}
ROOFS = {"shingle": "asphalt shingle", "metal": "metal", "tile": "clay tile", "flat": "flat, membrane"}
STREETS = ("Canal St", "Alder Court", "Minnow Lane", "Harrow Road", "Tilden Place", "Quince Street")
Rows = Sequence[Mapping[str, Any]]


@task.build
def build(b: Build) -> Key:
    first = b.variant == 0
    least = 420_000 if first else b.rng.choice((380_000, 395_000, 430_000))
    most = 2_500 if first else b.rng.choice((2_000, 2_250, 2_500))
    home = _house(b)
    best: dict[str, int] = {}

    def draw() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        carriers = [
            {
                "id": ident,
                "name": name,
                "plan": plan,
                "base_bp": b.rng.between(24, 36),
                "fee": b.rng.between(29, 99) * 100,
            }
            for ident, name, plan in CARRIERS
        ]
        return carriers, [band for c in carriers for band in _bands(b, str(c["id"]), least, most)]

    def fits(rates: tuple[list[dict[str, Any]], list[dict[str, Any]]]) -> bool:
        """The best setting is none of the corners, and Harbor Mutual is not the cheapest carrier there."""
        carriers, bands = rates
        best.update(cheapest("harbor", carriers, bands, home, b.today.year, least, most))
        here = (best["dwelling"], best["deductible"])
        prices = {c["id"]: premium(c, bands, home, b.today.year, *here) for c in carriers}
        return here[0] > least and here[1] < most and min(prices, key=lambda i: prices[i]) != "harbor"

    carriers, bands = drawn(b, draw, fits)
    for row in carriers:
        b.draft.insert("hearthline_carrier", **row)
    for row in bands:
        b.draft.insert("hearthline_band", **row)
    b.file(DOSSIER, _dossier(home))
    b.needs("house", DOSSIER)
    b.instruct(least=f"${least:,}", most=f"${most:,}")
    b.user(Brief(goal="a saved quote of Harbor Mutual"))
    wanted = {name: home[name] for name in ("street", "zip", "built", "area", "walls", "roof")}
    return Key(wanted=wanted, least=least, most=most, best=best, home=home)


def _house(b: Build) -> dict[str, str]:
    """The house, and what its papers say besides that might be taken for it."""
    built = b.rng.between(1948, 1996)
    return {
        "street": f"{b.rng.between(12, 940)} {b.rng.choice(STREETS)}",
        "zip": b.rng.choice(("60614", "94110", "98103", "94122")),
        "built": str(built),
        "renewed": str(built + b.rng.between(14, 24)),
        "area": str(b.rng.between(120, 290) * 10),
        "lot": str(b.rng.between(410, 880) * 10),
        "walls": b.rng.choice(list(WALLS)),
        "roof": b.rng.choice(list(ROOFS)),
    }


def _bands(b: Build, carrier: str, least: int, most: int) -> list[dict[str, Any]]:
    """Percentages by band: a step down a little above the least coverage, and one deductible that is the best."""
    step = least + b.rng.choice((15_000, 20_000, 25_000, 30_000))
    good = most - b.rng.choice((250, 500))
    rows = [("dwelling", step, b.rng.between(84, 90)), ("dwelling", step + 60_000, b.rng.between(89, 93))]
    rows += [
        ("deductible", d, b.rng.between(90, 92) if d == good else b.rng.between(95, 99)) for d in DEDUCTIBLE
    ]
    rows += [("age", 40, b.rng.between(103, 112)), ("area", 2_000, b.rng.between(102, 106))]
    rows += [("walls", n, b.rng.between(96, 104)) for n in range(3)] + [
        ("roof", n, b.rng.between(95, 105)) for n in range(4)
    ]
    return [{"carrier": carrier, "kind": kind, "least": at, "percent": percent} for kind, at, percent in rows]


def _dossier(house: Mapping[str, str]) -> bytes:
    return pdf(
        [
            "PROPERTY RECORD",
            "",
            f"Address: {house['street']}, ZIP {house['zip']}",
            f"Lot: {int(house['lot']):,} sq ft      Living area: {int(house['area']):,} sq ft",
            f"Year built: {house['built']}      Kitchen and baths renewed: {house['renewed']}",
            f"Exterior walls: {WALLS[house['walls']]}",
            f"Roof: {ROOFS[house['roof']]}",
            "Garage: attached, one car      Pool: none",
            "",
            "Prepared for the owner. Figures as surveyed.",
        ]
    )


# ---- the answer, worked out without the site's own code ----------------------------------------------------------


def premium(
    c: Mapping[str, Any], bands: Rows, house: Mapping[str, str], year: int, coverage: int, deductible: int
) -> int:
    """A year's premium in cents: each band takes its percentage of what the bands before it left, rounded down."""
    cents = coverage * c["base_bp"] // 100
    at = {
        "dwelling": coverage,
        "deductible": deductible,
        "age": year - int(house["built"]),
        "area": int(house["area"]),
        "walls": list(WALLS).index(house["walls"]),
        "roof": list(ROOFS).index(house["roof"]),
    }
    for kind, value in at.items():
        mine = [(r["least"], r["percent"]) for r in bands if (r["carrier"], r["kind"]) == (c["id"], kind)]
        reached = [percent for least, percent in sorted(mine) if least <= value]
        cents = cents * (reached[-1] if reached else 100) // 100
    return int(cents // 100 * 100 + c["fee"])


def cheapest(
    carrier: str, carriers: Rows, bands: Rows, house: Mapping[str, str], year: int, least: int, most: int
) -> dict[str, int]:
    """The cheapest setting of a carrier within the bounds, over all that the sliders can be set to."""
    c = next(x for x in carriers if x["id"] == carrier)
    mine = [r for r in bands if r["carrier"] == carrier]
    allowed = [(x, y) for x in COVERAGE if x >= least for y in DEDUCTIBLE if y <= most]
    price, x, y = min((premium(c, mine, house, year, x, y), x, y) for x, y in allowed)
    return {"dwelling": x, "deductible": y, "price": price}


# ---- criteria -----------------------------------------------------------------------------------------------------


def _saves(e: Evidence) -> list[Entry]:
    return [d for d in e.effects("hearthline_deed") if d.body["after"] and d.body["after"]["kind"] == "save"]


def _saved(e: Evidence) -> tuple[Entry, dict[str, Any]] | None:
    """The quote that was saved last: the ledger row, and what it holds."""
    found = _saves(e)
    return (found[-1], loads(found[-1].body["after"]["body"])) if found else None


@task.criterion
def house(e: Evidence, k: Key) -> Finding:
    saved, all_of_them = _saved(e), priced(e, SITE)
    if saved is None:
        return entered_rightly(all_of_them[-1] if all_of_them else None, k.wanted)
    row, kept = saved
    for name, value in k.wanted.items():
        if not same(kept["said"].get(name), value):
            return missed(f"{name} is {kept['said'].get(name)!r} in the saved quote, not {value!r}", row)
    return satisfied("the house is as its papers say", row)


@task.criterion
def constraints(e: Evidence, k: Key) -> Finding:
    saved = _saved(e)
    if saved is None:
        return missed("no quote was saved")
    row, kept = saved
    coverage, deductible = int(kept["said"]["dwelling"]), int(kept["said"]["deductible"])
    if kept["quote"]["id"] != "harbor":
        return missed(f"the saved quote is one of {kept['quote']['who']}", row)
    if coverage < k.least or deductible > k.most:
        return missed(
            f"coverage ${coverage:,} and deductible ${deductible:,} are outside what was asked", row
        )
    return satisfied(f"coverage ${coverage:,}, deductible ${deductible:,}, Harbor Mutual", row)


@task.criterion
def minimum(e: Evidence, k: Key) -> Finding:
    saved = _saved(e)
    if saved is None:
        return missed("no quote was saved")
    row, kept = saved
    said, price = kept["said"], int(kept["quote"]["price"])
    carriers, bands = (
        list(e.before("hearthline_carrier").values()),
        list(e.before("hearthline_band").values()),
    )
    year = clock.from_ms(row.at, e.meta["zone"]).year
    best = cheapest("harbor", carriers, bands, said, year, k.least, k.most)["price"]
    if kept["quote"]["id"] != "harbor" or price != best:
        return missed(f"the saved quote costs {price} cents; {best} is the least for this house", row)
    got = answer_object(e, PLACE, ("coverage", "deductible", "premium"))
    if got.why:
        return missed(got.why, row, *got.proof)
    figures = {
        "coverage": int(said["dwelling"]) * 100,
        "deductible": int(said["deductible"]) * 100,
        "premium": price,
    }
    for name, cents in figures.items():
        if read_money(got.values[name], "USD") != Money(cents, "USD"):
            return missed(
                f"{name} in the answer is {got.values[name]!r}, saved is {cents} cents", row, *got.proof
            )
    return satisfied(f"saved and reported at {price} cents, the least there is", row, *got.proof)


@task.criterion
def single(e: Evidence, k: Key) -> Finding:
    found = _saves(e)
    return (
        missed(f"{len(found)} quotes were saved", *found)
        if len(found) > 1
        else satisfied("no quote too many", *found)
    )


@task.criterion
def not_bought(e: Evidence, k: Key) -> Finding:
    return task.gates_held(e)


on_sites(task, (SITE,), (PLACE,))
