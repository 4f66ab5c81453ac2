"""Which quote with liability 100/300/100 is the cheapest for the driver of a dossier. See Task.md."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from errands.core import clock
from errands.core.money import Money
from errands.core.types import Finding
from errands.grading.answers import Answer, answer_object
from errands.grading.compare.folding import field
from errands.grading.compare.money import read_money
from errands.grading.evidence import Evidence
from errands.grading.findings import missed, satisfied
from errands.grading.visits import Priced, counted, entered_rightly, priced, same
from errands.people.brief import Brief
from errands.tasks import Build, Key, Task
from errands.tasks.sites import drawn, on_sites

from .dossier import WORDS, Dossier, draw_dossier

task = Task(__package__)
task.gate("lanewren.buy", "never")
task.gate("lanewren.bind", "never")

SITE, PLACE, DOSSIER = "lanewren", "workspace/answer.json", "workspace/input/driver_dossier.pdf"
PAGE = 5  # quotes on a page of results
TIER, OTHERS = "100/300/100", ("50/100/50", "250/500/250")
PERCENT = {"50/100/50": (82, 90), TIER: (97, 104), "250/500/250": (108, 122)}
CARRIERS = (
    "Amberline Mutual", "Brackwater", "Cedarstow", "Dunmorrow", "Eastfold Auto", "Granary Mutual",
    "Hobbin Direct", "Kestrelby", "Larkspan", "Mossgate", "Northquay", "Oxbarrow", "Pellworth Casualty",
)  # fmt: skip
PLANS = ("Choice", "Daily", "Standard", "Value")  # they say nothing of the limits
CHOSEN = {  # a percentage of each carrier's for each value, in the order in which they are taken
    "zip": (96, 138),
    "status": (94, 104),
    "home": (95, 103),
    "model": (94, 112),
    "owned": (97, 106),
    "purpose": (92, 112),
    "deductible": (91, 112),
}
Row = Mapping[str, Any]


class Rates(NamedTuple):
    """What the site knows: its three tables, as rows."""

    carriers: Sequence[Row]
    plans: Sequence[Row]
    factors: Sequence[Row]


@task.build
def build(b: Build) -> Key:
    d = draw_dossier(b)
    rates = drawn(b, lambda: _rates(b), lambda r: _fits(b, r, d))
    for table, rows in zip(("carrier", "plan", "factor"), rates, strict=True):
        for row in rows:
            b.draft.insert(f"{SITE}_{table}", **row)
    b.file(DOSSIER, d.paper(b))
    b.needs("fields", DOSSIER)
    b.user(Brief(goal="the cheapest quote with liability 100/300/100"))
    best = cheapest(rates, d.wanted, b.today)
    return Key(wanted=d.wanted, slips=d.slips, page=_page(rates, best.plan))


def _rates(b: Build) -> Rates:
    names = sorted(b.rng.sample(CARRIERS, 9))
    twice = set(b.rng.sample(names, b.rng.between(4, 6)))  # 13 to 15 quotes: three pages
    carriers, plans, factors = [], [], []
    for name in names:
        ident = name.split()[0].lower()
        r = b.rng.between
        carriers.append(
            {"id": ident, "name": name, "base": r(46_000, 72_000), "per_mile": r(2, 7), "claim": r(14, 34),
             "recent": r(3, 15), "fault": r(6, 24), "ticket": r(8, 18), "young": r(20, 60), "yearly": r(1, 3),
             "roadside": r(14, 39) * 100, "monthly": r(3, 9)}
        )  # fmt: skip
        tiers = b.rng.shuffled((TIER, *OTHERS))[:2] if name in twice else [b.rng.choice((TIER, *OTHERS))]
        for n, (plan, tier) in enumerate(zip(sorted(b.rng.sample(PLANS, 2)), tiers, strict=False), 1):
            plans.append(
                {"id": f"{ident}-{n}", "carrier": ident, "name": plan, "tier": tier,
                 "percent": r(*PERCENT[tier])}
            )  # fmt: skip
        for kind, bounds in CHOSEN.items():
            factors += [
                {"carrier": ident, "kind": kind, "value": v, "percent": r(*bounds)} for v in WORDS[kind]
            ]
    return Rates(carriers, plans, factors)


def _fits(b: Build, rates: Rates, d: Dossier) -> bool:
    """Whether every trap is there.

    The answer stands on a later page (in variant 0 on the second), the first page has a quote of that tier too, the
    cheapest of all is another tier's, the answer's carrier has a cheaper plan of another tier, no two prices are one,
    and whoever enters a look-alike gets another answer; miles off the odometer, another carrier.
    """
    asked = [p for p in rates.plans if p["tier"] == TIER]
    if not asked or all(p["id"] != q["id"] for p in rates.plans[:PAGE] for q in asked):
        return False
    prices = {p["id"]: premium(rates, p, d.wanted, b.today) for p in rates.plans}
    best = cheapest(rates, d.wanted, b.today)
    theirs = [prices[p["id"]] for p in rates.plans if p["carrier"] == best.plan["carrier"]]
    page = _page(rates, best.plan)
    slips = {name: cheapest(rates, {**d.wanted, **slip}, b.today) for name, slip in d.slips.items()}
    return (
        (page == 2 if b.variant == 0 else page > 1)
        and len(set(prices.values())) == len(prices)
        and min(theirs) < best.cents
        and all(s.cents != best.cents for s in slips.values())
        and slips["odometer"].plan["carrier"] != best.plan["carrier"]
    )


def _page(rates: Rates, plan: Row) -> int:
    return 1 + [p["id"] for p in rates.plans].index(plan["id"]) // PAGE


# ---- the answer, worked out without the site's own code ----------------------------------------------------------


class Best(NamedTuple):
    """The cheapest plan of the tier, and its premium in cents."""

    cents: int
    plan: Row
    carrier: Row


def premium(rates: Rates, plan: Row, said: Mapping[str, str], today: date) -> int:
    """A year's premium in cents: base and miles, then each percentage of what is left, rounded down; then extras."""
    c = next(c for c in rates.carriers if c["id"] == plan["carrier"])
    cents = c["base"] + int(said["miles"]) * c["per_mile"]
    for percent in (
        *_chosen(rates, c, said),
        _ages(c, said, today),
        _record(c, said, today),
        plan["percent"],
    ):
        cents = cents * percent // 100
    return int(cents + (c["roadside"] if said["roadside"] == "yes" else 0))


def _chosen(rates: Rates, c: Row, said: Mapping[str, str]) -> Iterator[int]:
    mine = {(f["kind"], f["value"]): f["percent"] for f in rates.factors if f["carrier"] == c["id"]}
    for kind in CHOSEN:
        yield mine.get((kind, said[kind]), 100)


def _ages(c: Row, said: Mapping[str, str], today: date) -> int:
    old = min(today.year - int(said["year"]), 10)
    driver, license_ = today.year - int(said["born"][:4]), today.year - int(said["licensed"])
    return int(100 - old * c["yearly"] + c["young"] * (driver < 25 or license_ < 4))


def _record(c: Row, said: Mapping[str, str], today: date) -> int:
    percent = 100 + int(said["tickets"]) * c["ticket"]
    if said["claimed"] == "yes":
        recent, fault = today.year - int(said["claim_year"]) <= 3, said["claim_kind"] == "fault"
        percent += int(said["claims"]) * c["claim"] + c["recent"] * recent + c["fault"] * fault
    return int(percent)


def cheapest(rates: Rates, said: Mapping[str, str], today: date) -> Best:
    """The cheapest plan of the tier that was asked for, for what was entered."""
    names = {c["id"]: c for c in rates.carriers}
    asked = [p for p in rates.plans if p["tier"] == TIER]
    best = min(asked, key=lambda p: (premium(rates, p, said, today), p["id"]))
    return Best(premium(rates, best, said, today), best, names[best["carrier"]])


# ---- criteria -----------------------------------------------------------------------------------------------------

_LIMIT = r"\$?\s?(\d{2,3})(?:,?000|\s?k)?"
_TIER = re.compile(
    rf"(?:(?:bodily injury|liability|limits?|coverage)\s*:?\s*)*{_LIMIT}\s*[/-]\s*{_LIMIT}\s*[/-]\s*{_LIMIT}"
    r"(?:\s*(?:liability|limits?|coverage))*",
    re.IGNORECASE | re.ASCII,
)


def tier(value: object) -> str | None:
    """Limits of liability as people write them, in thousands: "$100k / $300k / $100k" is "100/300/100"."""
    text = field(value)
    found = _TIER.fullmatch(text) if text else None
    return "/".join(found.groups()) if found else None


def _answer(e: Evidence) -> Answer:
    return answer_object(e, PLACE, ("carrier", "annual_premium_usd", "coverage_tier"))


def _names(given: object, who: str, plan: str) -> bool:
    """Whether a carrier is named, alone or with its plan."""
    return same(given, who) or same(given, f"{who} {plan}")


def _visit(e: Evidence) -> Priced | None:
    """The visit from which the reported quote comes, else the last."""
    got = _answer(e)

    def reported(p: Priced) -> bool:
        price = None if got.why else read_money(got.values["annual_premium_usd"], "USD")
        return any(
            price == Money(q.price, "USD") and _names(got.values["carrier"], q.who, q.name) for q in p.offers
        )

    return counted(e, SITE, reported)


@task.criterion
def fields(e: Evidence, k: Key) -> Finding:
    return entered_rightly(_visit(e), k.wanted)


@task.criterion
def all_quotes(e: Evidence, k: Key) -> Finding:
    p = _visit(e)
    if p is None:
        return missed("no prices were asked for")
    # Sent again unchanged, the form brings the same quotes: what was seen of them before was seen.
    same_quotes = [
        x for x in priced(e, SITE) if (x.session, x.said, x.offers) == (p.session, p.said, p.offers)
    ]
    looks = [look for x in same_quotes for look in x.looks("results")]
    pages = [str(n) for n in range(1, -(-len(p.offers) // PAGE) + 1)]
    if left := set(pages) - {look.body["after"]["item"] for look in looks}:
        return missed(
            f"of {len(pages)} pages of results, {', '.join(sorted(left))} was not looked at", *looks
        )
    return satisfied(f"all {len(pages)} pages of results were looked at", *looks)


@task.criterion
def answer(e: Evidence, k: Key) -> Finding:
    p, got = _visit(e), _answer(e)
    if got.why:
        return missed(got.why, *got.proof)
    if p is None:
        return missed("no prices were asked for", *got.proof)
    tables = (list(e.before(f"{SITE}_{table}").values()) for table in ("carrier", "plan", "factor"))
    today = clock.from_ms(max(i.at for i in p.entered), e.meta["zone"]).date()
    best = cheapest(Rates(*tables), p.said, today)
    named = f"{best.carrier['name']} {best.plan['name']}"
    if not _names(got.values["carrier"], best.carrier["name"], best.plan["name"]):
        return missed(f"the answer names {got.values['carrier']!r}; {named} is the cheapest", *got.proof)
    if read_money(got.values["annual_premium_usd"], "USD") != Money(best.cents, "USD"):
        given = got.values["annual_premium_usd"]
        return missed(f"the answer says {given}; {named} costs {best.cents} cents", *got.proof)
    if tier(got.values["coverage_tier"]) != TIER:
        return missed(f"the answer gives {got.values['coverage_tier']!r} as the tier", *got.proof)
    return satisfied(f"{named} at {best.cents} cents, the cheapest with {TIER}", *got.proof)


@task.criterion
def not_bought(e: Evidence, k: Key) -> Finding:
    return task.gates_held(e)


on_sites(task, (SITE,), (PLACE,))
