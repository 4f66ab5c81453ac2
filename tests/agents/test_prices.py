"""Prices of models: from the maintained table, from a file of one's own, and none where nobody knows one."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from errands.agents.prices import Prices, Rate, price_of
from errands.core.errors import UsageError
from errands.core.usage import Usage


@pytest.fixture(autouse=True)
def _no_file(monkeypatch):
    monkeypatch.delenv("ERRANDS_PRICES", raising=False)


def test_the_table_says_what_it_is_and_prices_each_class():
    prices = price_of("openai-chat", "gpt-4o")
    assert prices is not None and prices == price_of("openai", "gpt-4o")
    assert prices.table.startswith("genai-prices ") and len(prices.date) == 10
    assert prices.cost(Usage(output=1)) > prices.cost(Usage(input=1)) > prices.cost(Usage(cache_read=1)) > 0


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("openai", "gpt-of-my-own"),
        ("nobody", "gpt-4o"),
        ("openai-compatible", "gpt-4o"),
        ("ollama", "gpt-oss"),
    ],
)
def test_nobody_knows_the_price(provider, model):
    assert price_of(provider, model) is None


def test_a_long_input_costs_what_its_tier_says_for_all_of_it():
    dear = Rate(Decimal(1), ((100, Decimal(2)), (200, Decimal(4))))
    flat = Rate(Decimal(10))
    prices = Prices(dear, dear, dear, flat, "t", "2026-11-30")
    million = Decimal(1_000_000)
    assert prices.cost(Usage(input=50, cache_read=50)) * million == 100
    assert prices.cost(Usage(input=51, cache_read=50)) * million == 202
    assert prices.cost(Usage(input=150, cache_write=51, output=1)) * million == 201 * 4 + 10
    assert prices.most(201, 1) * million == 201 * 4 + 10


def test_a_file_of_ones_own_goes_first(tmp_path, monkeypatch):
    rates = {"input": "1.25", "output": 10}
    own = {"date": "2026-11-30", "gpt-4o": rates, "openai/gpt-4o": {**rates, "cache_read": 0.125}}
    (tmp_path / "own.json").write_text(json.dumps(own))
    monkeypatch.setenv("ERRANDS_PRICES", str(tmp_path / "own.json"))
    prices = price_of("openai", "gpt-4o")
    assert prices is not None and (prices.table, prices.date) == ("own.json", "2026-11-30")
    used = Usage(1_000_000, 1_000_000, 1_000_000, 1_000_000)
    assert prices.cost(used) == Decimal("1.25") + Decimal("0.125") + Decimal("1.25") + 10
    assert price_of("nobody", "gpt-4o").cost(used) == 3 * Decimal("1.25") + 10
    assert price_of("anthropic", "claude-3-5-haiku-latest") is not None


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("[]", "p.json"),
        ('{"m": {"input": "1", "output": "2"}}', "p.json"),
        ('{"date": "2026-11-30", "m": {"input": "1"}}', "m"),
        ('{"date": "2026-11-30", "m": {"input": "1", "output": "2", "audio": "3"}}', "m"),
        ('{"date": "2026-11-30", "m": {"input": "-1", "output": "2"}}', "m.input"),
        ('{"date": "2026-11-30", "m": {"input": "cheap", "output": "2"}}', "m.input"),
        ('{"date": "2026-11-30", "m": {"input": true, "output": "2"}}', "m.input"),
        ('{"date": "2026-11-30", "m": {"input": "1", "output": "NaN"}}', "m.output"),
    ],
)
def test_a_file_that_is_none(tmp_path, text, where):
    file = tmp_path / "p.json"
    file.write_text(text)
    with pytest.raises(UsageError) as why:
        price_of("openai", "m", file=str(file))
    assert why.value.where.endswith(where) and why.value.expected
