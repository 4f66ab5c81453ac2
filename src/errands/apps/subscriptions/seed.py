"""How builders fill subscriptions: what is paid for, the card, offers that are open at the start."""

from __future__ import annotations

from errands.world.fixture import Draft


def card(d: Draft, *, id: str, most: int, currency: str) -> str:
    """The card on file and the most that it pays at once, in minor units; returns its id."""
    d.insert("subscriptions_card", id=id, most=most, currency=currency)
    return id


def plan(d: Draft, *, id: str, service: str, plan: str, price: int, currency: str, since: int) -> str:
    """What is subscribed to and paid each month, in minor units; returns its id."""
    d.insert(
        "subscriptions_plan",
        id=id,
        service=service,
        plan=plan,
        price=price,
        currency=currency,
        period="month",
        since=since,
        paid_from=since,
    )
    return id
