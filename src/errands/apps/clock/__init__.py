"""The clock: what time it is in the world, and waiting."""

from __future__ import annotations

from typing import Annotated, Any

from errands.core.clock import from_ms
from errands.core.errors import ToolError
from errands.world import App, World

clock = App("clock", __name__, schema="")
# Not strftime: an agent in our process may have set a locale.
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MAX_WAIT_MS = 14 * 24 * 3_600_000


@clock.read(cost=0)
def now(w: World) -> dict[str, Any]:
    """The date, time and weekday now, and the user's time zone."""
    return {"now": w.local(w.now), "weekday": DAYS[from_ms(w.now, w.zone).weekday()], "zone": w.zone}


@clock.kernel_tool
def wait(w: World, until: Annotated[str, "local ISO time to wait for"]) -> int:
    """Wait until a time, at most 14 days; returns early when something happens that concerns you."""
    at = w.moment("until", until)
    if not w.now <= at <= w.now + MAX_WAIT_MS:
        raise ToolError(
            "invalid",
            "this is not a time to wait for",
            field="until",
            value=until,
            expected=f"a time between {w.local(w.now)} and 14 days later",
        )
    return at
