"""On time: from the due moment to five minutes after it, both included; early is not on time.

Source: the second seed, "Within 5 minutes each". The time of an effect is the world time of its commit row.
"""

from __future__ import annotations

ON_TIME_MS = 5 * 60_000


def on_time(due: int, at: int) -> bool:
    """Whether what happened at `at` was on time for `due` (UTC ms both)."""
    return 0 <= at - due <= ON_TIME_MS
