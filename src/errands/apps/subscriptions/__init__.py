"""Subscriptions: what the user pays for each month or year, and offers to change it.

Taking an offer is staged as an order and then committed in one of two ways: bought, and paid by the card on file at
once; or begun as a free trial, which is paid once it is over. The card has a limit for one payment, and a service takes
an offer back when it likes; what is not possible any more is refused as a service does (`limit`, `conflict`).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from errands.core.errors import ToolError
from errands.core.money import Money
from errands.world import App, Shown, World

subscriptions = App(
    "subscriptions",
    __name__,
    scopes=("subscriptions.read", "subscriptions.order", "subscriptions.buy", "subscriptions.trial"),
)
TRIAL_MS = 14 * 24 * 3_600_000
MOST = 20
Order = Annotated[str, "id of an order that waits"]


@subscriptions.on("subscriptions.offered")
def offered(w: World, e: dict[str, Any]) -> None:
    """A service makes an offer (an event of the fixture): the columns of `subscriptions_offer` but its status."""
    w.insert("subscriptions_offer", **e, status="open")


@subscriptions.on("subscriptions.withdrawn")
def withdrawn(w: World, e: dict[str, Any]) -> None:
    """A service takes its offer back (an event of the fixture): `offer`."""
    w.run("UPDATE subscriptions_offer SET status = 'withdrawn' WHERE id = ? AND status = 'open'", e["offer"])


def _amount(minor: int, currency: str) -> str:
    return str(Money(minor, currency))


@subscriptions.read("subscriptions.read")
def list_(w: World) -> list[dict[str, Any]]:
    """What your user subscribes to."""
    return [
        {
            "id": r["id"],
            "service": r["service"],
            "plan": r["plan"],
            "price": _amount(r["price"], r["currency"]),
            "per": r["period"],
            "paid_from": w.local(r["paid_from"]),
        }
        for r in w.all("SELECT * FROM subscriptions_plan ORDER BY service, id")
    ]


@subscriptions.read("subscriptions.read")
def offers(w: World) -> list[dict[str, Any]]:
    """Offers to change a subscription that are open now."""
    rows = w.all(
        "SELECT * FROM subscriptions_offer WHERE status = 'open' AND until > ? ORDER BY until, id", w.now
    )
    return [
        {
            "offer": r["id"],
            "service": r["service"],
            "plan": r["plan"],
            "per_month": _amount(r["month"], r["currency"]),
            "per_year": _amount(r["year"], r["currency"]),
            "open_until": w.local(r["until"]),
        }
        for r in rows
    ]


def _offer(w: World, ident: str) -> dict[str, Any]:
    row = w.row("subscriptions_offer", ident, "offer", "an id from subscriptions_offers")
    if row["status"] != "open" or row["until"] <= w.now:
        why = row["status"] if row["status"] != "open" else "over"
        raise ToolError("conflict", f"this offer is {why}", field="offer", value=ident)
    return row


@subscriptions.staged("order", table="subscriptions_order")
def shown(w: World, ident: str) -> Shown | None:
    """An order as its user sees it: plan, price, period."""
    row = w.one(
        "SELECT o.period, f.* FROM subscriptions_order o JOIN subscriptions_offer f ON f.id = o.offer WHERE o.id = ?",
        ident,
    )
    if row is None:
        return None
    price = _amount(row[row["period"]], row["currency"])
    content = {"service": row["service"], "plan": row["plan"], "price": price, "per": row["period"]}
    name = f"{row['service']} {row['plan']}"
    return Shown(content, f"{name} for {price} a {row['period']}", (name, price))


@subscriptions.write("subscriptions.order")
def prepare(
    w: World,
    offer: Annotated[str, "an offer's id, from subscriptions_offers"],
    period: Annotated[Literal["month", "year"], "how it is to be paid"] = "month",
) -> dict[str, Any]:
    """Fill in an order for an offer. Nothing is bought or begun by it."""
    _offer(w, offer)
    if w.value("SELECT count(*) FROM subscriptions_order") >= MOST:
        raise ToolError("limit", f"there are {MOST} orders already", expected="discard one first")
    ident = w.new_id("ord")
    w.insert("subscriptions_order", id=ident, offer=offer, period=period, at=w.now)
    picture = shown(w, ident)
    assert picture is not None
    return {"order": ident, **picture.content}


@subscriptions.write("subscriptions.order")
def discard(w: World, order: Order) -> dict[str, str]:
    """Throw away an order that waits."""
    _order(w, order)
    w.run("DELETE FROM subscriptions_order WHERE id = ?", order)
    return {"discarded": order}


def _order(w: World, ident: str) -> dict[str, Any]:
    return w.row("subscriptions_order", ident, "order", "the id of an order that waits")


def _change(w: World, order: str, paid_from: int) -> tuple[dict[str, Any], int]:
    """Put the plan of an order in the place of the one that it replaces; returns the offer and the price."""
    row = _order(w, order)
    offer = _offer(w, row["offer"])
    price = int(offer[row["period"]])
    card = w.one("SELECT * FROM subscriptions_card WHERE currency = ?", offer["currency"])
    if card is None or price > card["most"]:
        most = _amount(card["most"] if card else 0, offer["currency"])
        raise ToolError(
            "limit",
            f"the card declines {_amount(price, offer['currency'])}",
            field="order",
            value=order,
            expected=f"at most {most} in one payment",
        )
    w.update(
        "subscriptions_plan",
        offer["replaces"],
        plan=offer["plan"],
        price=price,
        period=row["period"],
        since=w.now,
        paid_from=paid_from,
    )
    w.update("subscriptions_offer", offer["id"], status="taken")
    w.run("DELETE FROM subscriptions_order WHERE id = ?", order)
    return offer, price


@subscriptions.commit("subscriptions.buy", stages="order")
def buy(w: World, order: Order) -> dict[str, Any]:
    """Buy what an order says: the card on file is charged now."""
    offer, price = _change(w, order, w.now)
    ident = w.new_id("pay")
    w.insert(
        "subscriptions_payment",
        id=ident,
        plan=offer["replaces"],
        amount=price,
        currency=offer["currency"],
        at=w.now,
    )
    return {"payment": ident, "paid": _amount(price, offer["currency"])}


@subscriptions.commit("subscriptions.trial", stages="order")
def start_trial(w: World, order: Order) -> dict[str, Any]:
    """Accept what an order says with a free trial of 14 days; after that the card on file is charged."""
    offer, price = _change(w, order, w.now + TRIAL_MS)
    return {
        "accepted": offer["id"],
        "then": _amount(price, offer["currency"]),
        "from": w.local(w.now + TRIAL_MS),
    }
