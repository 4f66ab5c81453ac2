"""What a model's tokens cost: from a maintained table, or from a file of the user's for models it does not know.

The table is that of the package `genai-prices`, a snapshot in each release; nothing is fetched. A model that neither
knows has no price: its calls are *unpriced*, which is never 0.

A file of one's own is named by `ERRANDS_PRICES` and goes before the table. US dollars per million tokens:

    {"date": "2026-11-30",
     "my-model": {"input": "1.25", "cache_read": "0.125", "cache_write": "1.25", "output": "10"}}

`my-model` may be `provider/model` too. `cache_read` and `cache_write` cost as `input` where they are left out.
"""

from __future__ import annotations

import datetime
import json
import os
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path
from typing import Any

from errands.core.errors import UsageError
from errands.core.usage import Usage

INSTALL = "pip install 'errands[models]'"
FILE = "ERRANDS_PRICES"
MILLION = Decimal(1_000_000)
CLASSES = ("input", "cache_read", "cache_write", "output")
# Servers of one's own, whose models no public table can know by their name.
PRIVATE = ("openai-compatible", "ollama", "vllm")
# What they are called in the table, where that differs.
CALLED = {"azure-responses": "azure", "openai-chat": "openai", "openai-responses": "openai"}
# Prices of text that our four classes do not tell apart: such a model is unpriced.
FINER = ("output_reasoning_mtok", "output_citation_mtok")


@dataclass(frozen=True, slots=True)
class Rate:
    """US dollars per million tokens: `base`, or that of the highest tier whose start the whole input exceeds."""

    base: Decimal
    tiers: tuple[tuple[int, Decimal], ...] = ()

    def at(self, read: int) -> Decimal:
        """The rate of a call that reads so many tokens."""
        return next((price for start, price in reversed(self.tiers) if read > start), self.base)


@dataclass(frozen=True, slots=True)
class Prices:
    """The rates of one model by class of token, and where they are from.

    `table` is a name with its version, `date` the day for which it was read (tables name prices by day, and have no
    other date). `request` is US dollars an answered call.
    """

    input: Rate
    cache_read: Rate
    cache_write: Rate
    output: Rate
    table: str
    date: str
    request: Decimal = Decimal(0)

    def cost(self, usage: Usage) -> Decimal:
        """What one call cost, exactly; of several calls only where no rate has tiers."""
        read = usage.input + usage.cache_read + usage.cache_write
        parts = (
            self.input.at(read) * usage.input,
            self.cache_read.at(read) * usage.cache_read,
            self.cache_write.at(read) * usage.cache_write,
            self.output.at(read) * usage.output,
        )
        return sum(parts, Decimal(0)) / MILLION + self.request * usage.requests

    def most(self, read: int, written: int) -> Decimal:
        """The most that a call may cost which reads and writes so many tokens, however they are cached."""
        dear = max(rate.at(read) for rate in (self.input, self.cache_read, self.cache_write))
        return (dear * read + self.output.at(read) * written) / MILLION + self.request

    def to_dict(self) -> dict[str, str]:
        """Table, date and base rates, for the evidence."""
        return {
            "table": self.table,
            "date": self.date,
            **{c: str(getattr(self, c).base) for c in CLASSES},
        }


def price_of(provider: str, model: str, *, file: str | None = None) -> Prices | None:
    """The prices of a provider's model today; None where nobody knows them.

    `file`: instead of the one that `ERRANDS_PRICES` names. Raises `UsageError` where that cannot be read.
    """
    name = os.environ.get(FILE, "") if file is None else file
    own = _file(name) if name else {}
    found = own.get(f"{provider}/{model}") or own.get(model)
    return found or _table(provider, model)


# ---- a file of one's own ---------------------------------------------------------------------------------------------


def _file(name: str) -> dict[str, Prices]:
    """Prices by the names of models."""
    expected = '{"date": "2026-11-30", "my-model": {"input": "1.25", "output": "10"}}'
    try:
        data = json.loads(Path(name).read_text(encoding="utf-8"), parse_float=Decimal)
        date = datetime.date.fromisoformat(data.pop("date")).isoformat()
        models = dict(data)
    except OSError as why:
        raise UsageError(f"the prices cannot be read: {why.strerror}", where=name, do=f"see {FILE}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UsageError("these are no prices", where=name, expected=expected) from None
    return {model: _own(rates, f"{name}: {model}", Path(name).name, date) for model, rates in models.items()}


def _own(rates: Any, where: str, table: str, date: str) -> Prices:
    """One model's rates as a file has them."""
    if not isinstance(rates, dict) or not {"input", "output"} <= set(rates) <= set(CLASSES):
        raise UsageError(
            "these are no prices", where=where, expected=f"input and output of {', '.join(CLASSES)}"
        )
    own = {kind: _amount(rates.get(kind, rates["input"]), f"{where}.{kind}") for kind in CLASSES}
    return Prices(own["input"], own["cache_read"], own["cache_write"], own["output"], table, date)


def _amount(given: Any, where: str) -> Rate:
    """A number that may be a price."""
    try:
        amount = Decimal(given) if isinstance(given, (str, int, Decimal)) else Decimal(-1)
    except InvalidOperation:
        amount = Decimal(-1)
    if isinstance(given, bool) or not amount.is_finite() or amount < 0:
        expected = 'US dollars per million tokens, as "1.25"'
        raise UsageError(f"{given!r} is no price", where=where, expected=expected)
    return Rate(amount)


# ---- the table -------------------------------------------------------------------------------------------------------


def _table(provider: str, model: str) -> Prices | None:
    if provider in PRIVATE:
        return None
    now = datetime.datetime.now(datetime.UTC)
    return _listed(CALLED.get(provider, provider), model, now.date().isoformat(), now.hour)


@cache  # an hour is short enough for tables that know cheaper hours of the day
def _listed(provider: str, model: str, day: str, hour: int) -> Prices | None:
    """The table's prices; None where it has no such model or prices more finely than we count."""
    try:
        import genai_prices
        from genai_prices.data_snapshot import get_snapshot
    except ImportError:
        raise UsageError("the table of prices is not installed", where=provider, do=INSTALL) from None
    try:
        _, found = get_snapshot().find_provider_model(model, None, provider, None)
    except LookupError:
        return None
    when = datetime.datetime.combine(
        datetime.date.fromisoformat(day), datetime.time(hour), tzinfo=datetime.UTC
    )
    listed = found.get_prices(when)
    read, wrote = _rate(listed.input_mtok), _rate(listed.output_mtok)
    if read is None or wrote is None or any(getattr(listed, name) is not None for name in FINER):
        return None
    return Prices(
        read,
        _rate(listed.cache_read_mtok) or read,
        _rate(listed.cache_write_mtok) or read,
        wrote,
        table=f"genai-prices {genai_prices.__version__}",
        date=day,
        request=_each(listed.requests_kcount),
    )


def _rate(price: Any) -> Rate | None:
    """A price as the table has it: a number, a number with tiers, or nothing."""
    if price is None:
        return None
    if isinstance(price, Decimal):
        return Rate(price)
    return Rate(price.base, tuple((t.start, t.price) for t in price.tiers))


def _each(thousand: Any) -> Decimal:
    """US dollars a call, of a price for a thousand."""
    rate = _rate(thousand)
    return rate.base / 1000 if rate else Decimal(0)
