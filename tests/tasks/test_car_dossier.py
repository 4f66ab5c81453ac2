"""The car-insurance funnel without a browser: solver and site agree, and tiers are read as people write them."""

from __future__ import annotations

import sqlite3

import pytest

from errands.apps.lanewren import lanewren
from errands.core import clock
from errands.library.funnels.quotes.car_dossier.task import PAGE, TIER, Rates, cheapest, premium, tier
from errands.tasks.registry import task
from errands.world import open_world

OTHER = (
    {},
    {"claimed": "no"},
    {"born": "2005-03-02", "licensed": "2024", "year": "2003"},
    {"tickets": "3", "claim_kind": "glass", "claim_year": "2021", "roadside": "yes"},
    {"zip": "90001", "miles": "0", "claims": "4", "roadside": "no"},
)


@pytest.fixture(params=(0, 1, 2))
def instance(request):
    return task("qf-car-dossier").instance("us", request.param)


@pytest.fixture
def rows(instance):
    db = sqlite3.connect(":memory:")
    db.deserialize(instance.fixture.blob)
    db.row_factory = sqlite3.Row
    yield lambda table: [dict(r) for r in db.execute(f"SELECT * FROM lanewren_{table}")]
    db.close()


@pytest.fixture
def today(instance):
    world = open_world(instance.fixture.blob)
    yield clock.from_ms(world.now, world.zone).date()
    world.close()


@pytest.mark.parametrize("other", OTHER)
def test_the_solver_and_the_site_price_every_plan_alike(instance, rows, today, other):
    rates, said = Rates(rows("carrier"), rows("plan"), rows("factor")), {**instance.key.wanted, **other}
    plans = {p["id"]: p for p in rates.plans}
    quotes = lanewren.quotes_of(rows, said, today)
    assert {q.id for q in quotes} == set(plans)
    for q in quotes:
        assert q.price == premium(rates, plans[q.id], said, today), q.id


def test_the_answer_is_behind_the_first_page_single_and_not_the_headline(instance, rows, today):
    quotes = lanewren.quotes_of(rows, instance.key.wanted, today)
    best = cheapest(Rates(rows("carrier"), rows("plan"), rows("factor")), instance.key.wanted, today)
    asked = [q for q in quotes if q.shown["Liability"] == TIER]
    assert 2 * PAGE < len(quotes) <= 3 * PAGE
    assert [q.id for q in asked if q.price <= best.cents] == [best.plan["id"]]
    assert best.plan["id"] not in {q.id for q in quotes[:PAGE]}
    assert any(q in asked for q in quotes[:PAGE])
    assert min(quotes, key=lambda q: q.price).shown["Liability"] != TIER


@pytest.mark.parametrize(
    "text",
    ["100/300/100", "100 / 300 / 100", "Liability 100/300/100", "100k/300k/100k", "100-300-100",
     "$100,000/$300,000/$100,000", "１００／３００／１００", "100/300/100 coverage",
     "Bodily injury liability: 100/300/100"],
)  # fmt: skip
def test_limits_are_read_as_people_write_them(text):
    assert tier(text) == TIER


@pytest.mark.parametrize(
    "value",
    ["100/300", "100/300/50", "250/500/250", "100/300/100 or 250/500/250", "100300100", "", None, 100,
     ["100", "300", "100"], "not 100/300/100", "1000/300/100", "100/300/1,000,000"],
)  # fmt: skip
def test_other_limits_are_not(value):
    assert tier(value) != TIER
