"""Six places, not one place six times: worlds compared in pairs, scripts, languages, names, and what the user hears."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import combinations
from typing import Any

import pytest

from errands.core import clock
from errands.languages.pack import pack
from errands.languages.text import letters
from errands.markets import load_market
from errands.people.understand import named, poor_handle
from errands.tasks.life import start_of
from errands.tasks.registry import tasks
from errands.tasks.task import Instance

from .desk import rows

ALL = {t.id.removeprefix("ec-"): t for t in tasks() if t.contract.front.suite == "consumer"}
MARKETS = sorted({m for t in ALL.values() for m in t.contract.front.markets})
SET = {name: sorted(t.contract.front.markets) for name, t in ALL.items()}
THERE = [(name, m) for name, markets in SET.items() for m in markets]


@cache
def world(task: str, market: str, variant: int = 0) -> Instance:
    return ALL[task].instance(market, variant)


def tasks_of(market: str) -> list[str]:
    return [name for name, m in THERE if m == market]


def column(instance: Instance, sql: str) -> set[Any]:
    return {r[0] for r in rows(instance.fixture.blob, sql)}


def names(i: Instance) -> set[str]:
    return column(i, "SELECT name FROM contacts_person")


def addresses(i: Instance) -> set[str]:
    return column(i, "SELECT email FROM contacts_person")


def titles(i: Instance) -> set[str]:
    return column(i, "SELECT title FROM calendar_event WHERE calendar <> 'cal_holidays'")


def holidays(i: Instance) -> set[int]:
    return column(i, "SELECT starts FROM calendar_event WHERE calendar = 'cal_holidays'")


def bodies(i: Instance) -> set[str]:
    return column(i, "SELECT body FROM mail_message")


def busy_hours(i: Instance) -> set[int]:
    return column(i, "SELECT starts FROM calendar_busy")


@pytest.mark.parametrize("task", ALL)
def test_every_errand_is_set_in_all_six(task):
    assert {"ae", "jp", "kr", "sg", "th", "tw"} <= set(SET[task])


@pytest.mark.parametrize(
    ("task", "a", "b"), [(name, a, b) for name, markets in SET.items() for a, b in combinations(markets, 2)]
)
def test_no_two_markets_share_their_substance(task, a, b):
    one, two = world(task, a), world(task, b)
    for what in (names, addresses, titles, bodies):
        assert not what(one) & what(two), (what.__name__, what(one) & what(two))
    assert load_market(a).zone != load_market(b).zone
    assert abs(start_of(load_market(a)) - start_of(load_market(b))) > 3 * 86_400_000
    assert holidays(one) != holidays(two)
    shared = busy_hours(one) & busy_hours(two)
    assert len(shared) < 0.5 * min(len(busy_hours(one)), len(busy_hours(two)))
    assert one.fixture.digest != two.fixture.digest


@pytest.mark.parametrize("market", MARKETS)
def test_a_holiday_falls_on_a_weekday_of_the_coming_weeks(market):
    place = load_market(market)
    here = clock.from_ms(start_of(place), place.zone).date()
    assert [h.date for h in place.holidays if 0 < (h.date - here).days <= 21 and h.date.weekday() < 5]


@pytest.mark.parametrize("market", MARKETS)
def test_locals_write_their_own_script(market):
    place = load_market(market)
    local = place.languages[0]
    written: dict[str, int] = {}
    for task in tasks_of(market):
        i = world(task, market)
        for sender, body in rows(i.fixture.blob, "SELECT sender, body FROM mail_message"):
            who = next((p for p in place.people.values() if p.email == sender), None)
            if who is not None and (who.language or local) == local and who.zone is None:
                if market == "ae" and letters(body).get("Arab", 0) < 10:
                    continue  # an Arabic speaker who answers an English mail in English
                bare = re.sub(r"\S+@\S+|https?://\S+", " ", body)
                for code, n in letters(bare).items():
                    written[code] = written.get(code, 0) + n
    share = sum(written.get(s, 0) for s in pack(local).scripts) / sum(written.values())
    assert share >= 0.95, (market, share, written)


def test_the_emirates_mix_arabic_and_english():
    found = [letters(b) for b in bodies(world("inbox-commitment-audit", "ae"))]
    arabic = sum(1 for f in found if f.get("Arab", 0) > f.get("Latn", 0))
    assert 0.3 < arabic / len(found) < 0.8


@pytest.mark.parametrize(("task", "market"), THERE)
def test_the_instruction_is_there_in_the_local_language_and_in_english(task, market):
    local = load_market(market).languages[0]
    here, english = ALL[task].instance(market, 0, local), ALL[task].instance(market, 0, "en")
    count = letters(here.instruction)
    assert sum(count.get(s, 0) for s in pack(local).scripts) > 150
    assert letters(english.instruction).get("Latn", 0) > 400
    strip = {"language", "local"}
    keys = [{k: v for k, v in i.key.items() if k not in strip} for i in (here, english)]
    assert keys[0] == keys[1], "the right answer does not hang on the language of the instruction"


@pytest.mark.parametrize("market", MARKETS)
def test_no_handle_of_a_world_is_an_everyday_word(market):
    place = load_market(market)
    languages = (place.languages[0], "en")
    for p in place.people.values():
        for handle in (p.name, p.called, p.formal):
            assert poor_handle(languages, handle) == "", (p.key, handle)
    for task in tasks_of(market):
        for variant in range(3):
            key = world(task, market, variant).key
            assert poor_handle(languages, key.get("title", p.name)) == ""


@pytest.mark.parametrize("market", MARKETS)
def test_each_person_is_named_by_name_and_address_and_nobody_else_is(market):
    """Over all handles of the world the longest match wins, whatever particles stand behind it."""
    place = load_market(market)
    items = [(f"\0{k}", (p.email, p.name, p.called, p.formal)) for k, p in place.people.items()]
    tail = {"ko": "님께", "ja": "様に", "zh-Hant": "那封", "th": "ครับ", "ar": "،"}.get(
        place.languages[0], ","
    )
    for k, p in place.people.items():
        for handle in (p.name, p.email, p.formal):
            twins = {x for x, q in place.people.items() if handle in (q.name, q.called, q.formal, q.email)}
            said = f"{handle}{tail}" if "@" not in handle else f"{handle} "
            assert set(named(said, items)) == {f"\0{x}" for x in twins}, (k, handle, named(said, items))


def test_keys_are_plain_values():
    for task, market in THERE:
        assert json.loads(world(task, market).key.to_json())
