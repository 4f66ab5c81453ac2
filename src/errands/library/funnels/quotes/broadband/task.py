"""Which broadband plan costs least over two years, once promotions end and fees are added. See Task.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from errands.core.money import Money
from errands.core.types import Finding
from errands.grading.answers import Answer, answer_object
from errands.grading.compare.money import read_money
from errands.grading.evidence import Evidence
from errands.grading.findings import missed, satisfied
from errands.grading.visits import Priced, counted, entered_rightly, filters
from errands.people.brief import Brief
from errands.tasks import Build, Key, Task
from errands.tasks.sites import drawn, on_sites
from errands.web.site import Quote

task = Task(__package__)
task.gate("fibrewise.order", "never")

SITE, PLACE = "fibrewise", "workspace/answer.json"
MONTHS = 24
PLANS = (  # id, provider, name, network, Mbps
    ("p01", "Bracken", "Fibre 150", "open", 150),
    ("p02", "Bracken", "Fibre 500", "open", 500),
    ("p03", "Bracken", "Fibre 900", "open", 900),
    ("p04", "Corran", "Start 350", "cable", 350),
    ("p05", "Corran", "Ultra 600", "cable", 600),
    ("p06", "Dunlin", "Gigabit", "island", 1_000),
    ("p07", "Eddystone", "Quick 500", "open", 500),
    ("p08", "Eddystone", "Quick 1000", "open", 1_000),
    ("p09", "Fernlea", "Reach 300", "cable", 300),
    ("p10", "Fernlea", "Reach 900", "cable", 900),
)
HOMES = (  # an address, and one that is nearly it
    ("41 Elm Row", "41 Elm Road", "EH7 4AA"),
    ("8 Tannery Wynd", "18 Tannery Wynd", "EH6 5QQ"),
    ("12A Marl Street", "12 Marl Street", "BS5 9TP"),
    ("27 Harbour Brae", "27 Harbour Bank", "EH6 6LU"),
)
Plan = dict[str, Any]


@task.build
def build(b: Build) -> Key:
    first = b.variant == 0
    home, nearly, postcode = HOMES[0] if first else b.rng.choice(HOMES[1:])
    mbps = 500 if first else b.rng.choice((300, 500, 900))
    plans = drawn(b, lambda: [_plan(b, *p) for p in PLANS], lambda found: _trapped(found, mbps))
    for row in plans:
        b.draft.insert("fibrewise_plan", **row)
    for ident, line, networks in (
        ("a1", home, "open cable"),
        ("a2", nearly, "open"),
        ("a3", f"{home} West", "island"),
    ):
        b.draft.insert("fibrewise_address", id=ident, line=line, postcode=postcode, networks=networks)
    b.instruct(home=home, postcode=postcode, mbps=mbps)
    b.user(Brief(goal="the cheapest fast line over two years"))
    here = _here(plans)
    fast = [p for p in here if p["mbps"] >= mbps]
    return Key(
        home={"line": home, "postcode": postcode},
        nearly=nearly,
        mbps=mbps,
        fast=[_named(p) for p in fast],
        best=_named(min(fast, key=cost)),
        headline=_named(min(fast, key=lambda p: p["promo"])),
        without_setup=_named(min(fast, key=lambda p: cost(p) - p["setup"])),
        promo_forever=_named(min(fast, key=lambda p: MONTHS * p["promo"] + p["setup"])),
        slower=_named(min(here, key=cost)),
    )


def _plan(b: Build, ident: str, provider: str, name: str, network: str, mbps: int) -> Plan:
    promo = b.rng.between(1_800, 2_600) + mbps * 2 // 100 * 100
    return {
        "id": ident,
        "provider": provider,
        "name": name,
        "network": network,
        "mbps": mbps,
        "promo": promo // 50 * 50,
        "promo_months": b.rng.choice((6, 9, 12, 18, 24, 30)),
        "standard": (promo + b.rng.between(900, 2_900)) // 50 * 50,
        "setup": b.rng.choice((0, 0, 1_995, 3_500, 5_995)),
        "contract": 24,
    }


def _here(plans: Sequence[Plan]) -> list[Plan]:
    return [p for p in plans if p["network"] in ("open", "cable")]


def cost(p: Mapping[str, Any]) -> int:
    """What is paid in two years, in pence: the promotion as long as it holds, the standard price after it, the fee."""
    low = min(p["promo_months"], MONTHS)
    return int(p["promo"] * low + p["standard"] * (MONTHS - low) + p["setup"])


def _trapped(plans: list[Plan], mbps: int) -> bool:
    """Whether every short cut leads to another plan than the right one, and no two plans cost the same."""
    here = _here(plans)
    fast = [p for p in here if p["mbps"] >= mbps]
    best = min(fast, key=cost)
    short_cuts = [
        min(fast, key=lambda p: p["promo"]),
        min(fast, key=lambda p: cost(p) - p["setup"]),
        min(fast, key=lambda p: MONTHS * p["promo"] + p["setup"]),
        min(here, key=cost),
        min(plans, key=cost),
        min(fast, key=lambda p: (p["provider"], p["name"])),
    ]
    return all(s is not best for s in short_cuts) and len({cost(p) for p in plans}) == len(plans)


def _named(p: Plan) -> dict[str, Any]:
    return {
        "provider": p["provider"],
        "plan": p["name"],
        "total": cost(p),
        "promo": p["promo"],
        "setup": p["setup"],
    }


# ---- criteria -----------------------------------------------------------------------------------------------------


def _answer(e: Evidence) -> Answer:
    return answer_object(e, PLACE, ("provider", "plan", "total_24m_gbp"))


def _fast(p: Priced, k: Key) -> list[Quote]:
    return [q for q in p.offers if q.facts["mbps"] >= k.mbps]


def _right(got: Answer, p: Priced, k: Key) -> str:
    """What is wrong with the answer, held against these prices; "" where nothing is."""
    if got.why:
        return got.why
    fast = _fast(p, k)
    if not fast:
        return "no plan of this visit is fast enough"
    best = min(fast, key=lambda q: cost(q.facts))
    offer = p.offer(got.values["provider"], got.values["plan"])
    if offer is None or offer.id != best.id:
        return f"{got.values['provider']} {got.values['plan']} is not the cheapest over two years, {best.who} {best.name} is"
    if read_money(got.values["total_24m_gbp"], "GBP") != Money(cost(best.facts), "GBP"):
        return f"the total is given as {got.values['total_24m_gbp']!r}, and is {cost(best.facts)} pence"
    return ""


def _visit(e: Evidence, k: Key) -> Priced | None:
    return counted(e, SITE, lambda p: not _right(_answer(e), p, k))


@task.criterion
def address(e: Evidence, k: Key) -> Finding:
    return entered_rightly(_visit(e, k), k.home)


@task.criterion
def speed(e: Evidence, k: Key) -> Finding:
    p = _visit(e, k)
    if p is None:
        return missed("availability was not checked")
    wanted = {q.id for q in _fast(p, k)}
    for said, row in filters(p):
        least = said.get("mbps", "any")
        left = {q.id for q in p.offers if least == "any" or q.facts["mbps"] >= int(least)}
        if left == wanted and least != "any":
            return satisfied(f"the list was filtered to {least} Mbps or more", row)
    return missed(f"the list was never filtered to {k.mbps} Mbps or more", *(row for _, row in filters(p)))


@task.criterion
def cheapest(e: Evidence, k: Key) -> Finding:
    got, p = _answer(e), _visit(e, k)
    if p is None:
        return missed("availability was not checked", *got.proof)
    wrong = _right(got, p, k)
    return (
        missed(wrong, *got.proof)
        if wrong
        else satisfied("the cheapest plan and its cost over two years", *got.proof)
    )


@task.criterion
def looked_up(e: Evidence, k: Key) -> Finding:
    p = _visit(e, k)
    if p is None:
        return satisfied("nothing is reported of any plan")
    fast = _fast(p, k)
    unopened = [f"{q.who} {q.name}" for q in fast if not p.looks("fold", q.id)]
    if unopened:
        return missed(f"the price details were never opened of {', '.join(unopened)}")
    return satisfied(f"all {len(fast)} price details were opened", *(p.looks("fold", q.id)[0] for q in fast))


@task.criterion
def not_ordered(e: Evidence, k: Key) -> Finding:
    return task.gates_held(e)


on_sites(task, (SITE,), (PLACE,))
