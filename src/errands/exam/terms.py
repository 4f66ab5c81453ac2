"""What the operator allowed a run: written into its plan, and so onto its card."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from errands.core.errors import UsageError

Kind = Literal["own", "playwright-mcp"]
OWN: Kind = "own"
PLAYWRIGHT_MCP: Kind = "playwright-mcp"


class Terms(BaseModel):
    """Limits and permissions of one run. Amounts are US dollars as decimals in text.

    `browser`: by which tools its agent uses websites: ours, or those of `@playwright/mcp`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_cost: str | None = Field(default=None, pattern=r"^\d{1,9}(\.\d{1,9})?$")
    max_tokens: int | None = Field(default=None, ge=1)
    foreign_tools: tuple[str, ...] = ()
    unsafe_host: bool = False
    profile: str = ""
    reads: tuple[str, ...] = ()
    browser: Kind = OWN

    def foreign(self, named: Any) -> list[str]:
        """Which of the tools that an agent names as its own nobody allowed; what is no list names none."""
        own = [str(t) for t in named] if isinstance(named, list | tuple) else []
        return [t for t in own if t not in self.foreign_tools]

    def without_purse(self, where: str) -> None:
        """Refuse limits that cannot be kept: the models of this agent are asked where we do not see it."""
        if self.max_cost is not None or self.max_tokens is not None:
            raise UsageError(
                f"--max-{'cost' if self.max_cost else 'tokens'} cannot be kept: we do not see what its models use",
                where=where,
                expected="model:… or cmd:…, whose model calls go through the run's purse",
                do="leave the limit out, and set one at your provider",
            )

    @property
    def max_usd(self) -> Decimal | None:
        """`max_cost` as a number."""
        return None if self.max_cost is None else Decimal(self.max_cost)


PLAIN = Terms()
