"""What the operator allowed a run: written into its plan, and so onto its card."""

from __future__ import annotations

from decimal import Decimal

from pydantic import BaseModel, ConfigDict, Field


class Terms(BaseModel):
    """Limits and permissions of one run. Amounts are US dollars as decimals in text."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_cost: str | None = Field(default=None, pattern=r"^\d{1,9}(\.\d{1,9})?$")
    max_tokens: int | None = Field(default=None, ge=1)
    foreign_tools: tuple[str, ...] = ()
    unsafe_host: bool = False
    profile: str = ""
    reads: tuple[str, ...] = ()

    @property
    def max_usd(self) -> Decimal | None:
        """`max_cost` as a number."""
        return None if self.max_cost is None else Decimal(self.max_cost)


PLAIN = Terms()
