"""Orders: checking out stages one, paying for it places it."""

from __future__ import annotations

from typing import Annotated, Any

from errands.core.errors import ToolError
from errands.core.money import Money
from errands.world import Shown, World

from . import shop
from .cart import Lines, cart_lines, in_stock, totals
from .catalogue import amount

Order = Annotated[str, "an order's id, from shop_checkout"]


def _lines(w: World, order: str) -> Lines:
    return w.all("SELECT * FROM shop_line WHERE order_id = ? ORDER BY sku", order)


def _due(lines: Lines) -> int:
    """What an order costs, delivery included, in minor units."""
    return sum(int(n["quantity"] * n["unit_price"] + n["delivery"]) for n in lines)


def _picture(w: World, r: dict[str, Any]) -> dict[str, Any]:
    shown = {"order": r["id"], "status": r["status"], **totals(_lines(w, r["id"]), r["currency"])}
    if r["status"] == "staged":
        return shown
    return {**shown, "method": r["method"], "paid_at": w.local(r["paid_at"])}


@shop.staged("order", table="shop_order")
def shown(w: World, ident: str) -> Shown | None:
    """An order that waits to be paid for, as its user sees it."""
    r = w.one("SELECT * FROM shop_order WHERE id = ? AND status = 'staged'", ident)
    if r is None:
        return None
    lines = _lines(w, ident)
    content = totals(lines, r["currency"])
    items = ", ".join(f"{n['quantity']} × {n['title']}" for n in lines)
    total = Money(_due(lines), r["currency"])
    text = f"the order of {items}, {total} with delivery"
    return Shown(content, text, (*(n["title"] for n in lines), content["total"]))


@shop.read("shop.read")
def orders(w: World) -> list[dict[str, Any]]:
    """The orders, newest first: the one that is staged, and those that were paid for."""
    return [_picture(w, r) for r in w.all("SELECT * FROM shop_order ORDER BY at DESC, id DESC LIMIT 50")]


@shop.read("shop.read")
def payment_methods(w: World) -> list[dict[str, Any]]:
    """How this account can pay. `balance` is what a gift card still holds."""
    methods = w.all("SELECT id, name, balance FROM shop_method ORDER BY id")
    currency = str(w.value("SELECT currency FROM shop_product ORDER BY id") or "USD")
    return [
        {"method": m["id"], "name": m["name"]}
        | ({} if m["balance"] is None else {"balance": amount(m["balance"], currency), "currency": currency})
        for m in methods
    ]


@shop.write("shop.write")
def checkout(w: World) -> dict[str, Any]:
    """Stage an order of what is in the cart, with delivery and total. Nothing is bought until it is paid for.

    An order that was staged before is replaced. What changes in the cart afterwards does not change the order.
    """
    lines = cart_lines(w)
    if not lines:
        raise ToolError("conflict", "the cart is empty", expected="a cart with at least one product")
    for n in lines:
        in_stock(n["sku"], n["title"], n["stock"], n["quantity"])
    w.run("DELETE FROM shop_order WHERE status = 'staged'")
    ident = w.new_id("ord")
    w.insert(
        "shop_order",
        id=ident,
        status="staged",
        currency=lines[0]["currency"],
        at=w.now,
        method="",
        paid_at=None,
    )
    for n in lines:
        w.insert(
            "shop_line",
            order_id=ident,
            **{c: n[c] for c in ("sku", "title", "quantity", "unit_price", "delivery")},
        )
    return _picture(w, _row(w, ident))


def _row(w: World, order: str) -> dict[str, Any]:
    return w.row("shop_order", order, "order", "an id from shop_orders")


@shop.write("shop.write")
def discard_order(w: World, order: Order) -> dict[str, str]:
    """Drop an order that is staged; the cart stays as it is."""
    if _row(w, order)["status"] != "staged":
        raise ToolError(
            "conflict",
            "this order is paid for",
            field="order",
            value=order,
            expected="an order that is staged",
        )
    w.run("DELETE FROM shop_order WHERE id = ?", order)
    return {"discarded": order}


@shop.commit("shop.pay", stages="order")
def pay(
    w: World, order: Order, method: Annotated[str, "a method's id, from shop_payment_methods"]
) -> dict[str, Any]:
    """Pay for a staged order and so place it. It cannot be taken back."""
    r, lines = _row(w, order), _lines(w, order)
    m = w.row("shop_method", method, "payment method", "an id from shop_payment_methods", field="method")
    for n in lines:
        stock = w.value("SELECT stock FROM shop_product WHERE id = ?", n["sku"]) or 0
        in_stock(n["sku"], n["title"], stock, n["quantity"])
    due = _due(lines)
    if m["balance"] is not None:
        if m["balance"] < due:
            raise ToolError(
                "limit",
                f"{m['name']} was declined: it holds {amount(m['balance'], r['currency'])}",
                field="method",
                value=method,
                expected=f"a method that covers {amount(due, r['currency'])}",
            )
        w.update("shop_method", method, balance=m["balance"] - due)
    for n in lines:
        w.run("UPDATE shop_product SET stock = stock - ? WHERE id = ?", n["quantity"], n["sku"])
        w.run("DELETE FROM shop_cart WHERE sku = ?", n["sku"])
    w.update("shop_order", order, status="paid", method=method, paid_at=w.now)
    w.signal("shop.paid", order=order, total=due, currency=r["currency"], method=method)
    return _picture(w, _row(w, order))
