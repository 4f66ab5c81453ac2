"""How builders fill the list of venues, and when each is taken."""

from __future__ import annotations

from errands.core.money import Money
from errands.world.fixture import Draft


def venue(d: Draft, *, id: str, name: str, capacity: int, price: Money, address: str = "") -> str:
    """A venue; `price` is for an event, however long. Returns its id."""
    d.insert(
        "venues_venue",
        id=id,
        name=name,
        address=address,
        capacity=capacity,
        price=price.minor,
        currency=price.currency,
    )
    return id


def busy(d: Draft, *, venue: str, starts: int, ends: int) -> None:
    """A time (UTC ms) at which others have a venue."""
    d.insert("venues_busy", venue=venue, starts=starts, ends=ends)
