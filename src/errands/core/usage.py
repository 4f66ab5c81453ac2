"""What a model used: tokens by class, and how money for them is written."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more model calls. The classes are disjoint: a token counts in exactly one of them.

    `input`: read anew, neither from a cache nor into one. `requests`: answered calls.
    """

    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    requests: int = 0

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.input + self.cache_read + self.cache_write + self.output

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(a + b for a, b in zip(self._values(), other._values(), strict=True)))

    def _values(self) -> tuple[int, ...]:
        return (self.input, self.cache_read, self.cache_write, self.output, self.requests)

    def to_dict(self) -> dict[str, int]:
        """Field by field."""
        return asdict(self)

    @classmethod
    def of(cls, values: dict[str, Any]) -> Usage:
        """What `to_dict` wrote; `ValueError` for anything else."""
        if set(values) != set(cls.__dataclass_fields__) or any(
            type(v) is not int or v < 0 for v in values.values()
        ):
            raise ValueError(f"no usage: {str(values)[:200]}")
        return cls(**values)


def usd(amount: Decimal | None) -> str | None:
    """US dollars to the millionth; None where nobody knows the price."""
    return None if amount is None else f"{amount:.6f}"
