"""Money: integer minor units and an ISO 4217 code. Exact, never a float, never two currencies in one sum."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

#: Digits after the decimal point by ISO 4217 code; ISO's own exponent even where the coins are gone (TWD: 2).
MINOR: dict[str, int] = {
    "AED": 2, "AUD": 2, "BHD": 3, "BND": 2, "BRL": 2, "CAD": 2, "CHF": 2, "CNY": 2, "DKK": 2, "EGP": 2,
    "EUR": 2, "GBP": 2, "HKD": 2, "IDR": 2, "INR": 2, "JOD": 3, "JPY": 0, "KRW": 0, "KWD": 3, "MOP": 2,
    "MXN": 2, "MYR": 2, "NOK": 2, "NZD": 2, "OMR": 3, "PHP": 2, "PKR": 2, "PLN": 2, "QAR": 2, "SAR": 2,
    "SEK": 2, "SGD": 2, "THB": 2, "TRY": 2, "TWD": 2, "USD": 2, "VND": 0, "ZAR": 2,
}  # fmt: skip


class MixedCurrencies(ValueError):
    """Two currencies met in one sum or comparison."""


@dataclass(frozen=True, slots=True)
class Money:
    """`Money(125000, "SGD")` is S$1,250.00. Negative amounts are allowed: a refund is one."""

    minor: int
    currency: str

    def __post_init__(self) -> None:
        if type(self.minor) is not int:
            raise TypeError(f"minor units are an int, not {type(self.minor).__name__}")
        if self.currency not in MINOR:
            raise ValueError(f"unknown currency {self.currency!r}")

    @classmethod
    def of(cls, major: int | Decimal, currency: str) -> Money:
        """An amount in major units. Raises ValueError when it is not a whole number of minor units."""
        if type(major) is not int and type(major) is not Decimal:
            raise TypeError(f"major units are an int or a Decimal, not {type(major).__name__}")
        if currency not in MINOR:
            raise ValueError(f"unknown currency {currency!r}")
        if isinstance(major, int):
            return cls(major * 10 ** MINOR[currency], currency)
        if not major.is_finite():
            raise ValueError(f"{major} is not an amount")
        numerator, denominator = major.as_integer_ratio()
        minor, rest = divmod(numerator * 10 ** MINOR[currency], denominator)
        if rest:
            raise ValueError(f"{major} has more decimals than {currency}")
        return cls(minor, currency)

    @property
    def major(self) -> Decimal:
        """The amount in major units, exact."""
        return Decimal(self.minor).scaleb(-MINOR[self.currency])

    def __add__(self, other: Money) -> Money:
        return Money(self.minor + self._same(other), self.currency)

    def __sub__(self, other: Money) -> Money:
        return Money(self.minor - self._same(other), self.currency)

    def __neg__(self) -> Money:
        return Money(-self.minor, self.currency)

    def __mul__(self, times: int) -> Money:
        if type(times) is not int:
            raise TypeError(f"money is multiplied by an int, not {type(times).__name__}")
        return Money(self.minor * times, self.currency)

    __rmul__ = __mul__

    def __lt__(self, other: Money) -> bool:
        return self.minor < self._same(other)

    def __le__(self, other: Money) -> bool:
        return self.minor <= self._same(other)

    def __gt__(self, other: Money) -> bool:
        return self.minor > self._same(other)

    def __ge__(self, other: Money) -> bool:
        return self.minor >= self._same(other)

    def __str__(self) -> str:
        return f"{self.currency} {self.major:,.{MINOR[self.currency]}f}"

    def _same(self, other: Money) -> int:
        if not isinstance(other, Money):
            raise TypeError(f"money meets {type(other).__name__}")
        if other.currency != self.currency:
            raise MixedCurrencies(f"{self.currency} meets {other.currency}")
        return other.minor


def total(amounts: Iterable[Money], currency: str) -> Money:
    """The sum of amounts of one currency; zero of it when there are none."""
    result = Money(0, currency)
    for amount in amounts:
        result = result + amount
    return result
