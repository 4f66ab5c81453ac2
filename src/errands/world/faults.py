"""Declared faults: a call that is refused, slow, stale, or carried out without an answer. Deterministic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from errands.core.errors import ToolError

if TYPE_CHECKING:
    from .world import World

_SAYS = {
    "timeout": "no answer within 30 seconds; the request may or may not have been carried out",
    "unavailable": "the service is unavailable; try again later",
    "limit": "too many requests; try again in a minute",
    "conflict": "the record was changed by someone else; read it again",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens to one call: applied or not, answered or not, later by `delay_ms`, from `lag_ms` ago."""

    id: str
    applied: bool
    answered: bool
    code: str
    delay_ms: int
    lag_ms: int

    def error(self) -> ToolError:
        """What the caller reads."""
        return ToolError(self.code, _SAYS.get(self.code, "the service answered with an error"))


def due(world: World, tool: str) -> Fault | None:
    """The fault that hits this call, if one does; counts the call against its declaration."""
    row = world.one(
        "SELECT * FROM exam_fault WHERE tool = ? AND (skip > 0 OR times > 0) ORDER BY id LIMIT 1", tool
    )
    if row is None:
        return None
    world.run(
        "UPDATE exam_fault SET times = times - (skip = 0), skip = max(skip - 1, 0) WHERE id = ?", row["id"]
    )
    if row["skip"]:
        return None
    return Fault(
        row["id"], bool(row["applied"]), bool(row["answered"]), row["code"], row["delay_ms"], row["lag_ms"]
    )
