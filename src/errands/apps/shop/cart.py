"""What is saved for later, and the cart."""

from __future__ import annotations

from typing import Annotated, Any

from errands.core.errors import ToolError
from errands.world import World

from . import shop
from .catalogue import Sku, amount, product_row

MOST = 50  # lines in a cart, products on the list
Quantity = Annotated[int, "how many pieces, 1 or more"]
Lines = list[dict[str, Any]]  # sku, title, quantity, unit_price, delivery


def totals(lines: Lines, currency: str) -> dict[str, Any]:
    """Line items with their subtotal, delivery and total, as plain decimals."""
    subtotal = sum(n["quantity"] * n["unit_price"] for n in lines)
    delivery = sum(n["delivery"] for n in lines)
    return {
        "line_items": [
            {
                "sku": n["sku"],
                "title": n["title"],
                "quantity": n["quantity"],
                "unit_price": amount(n["unit_price"], currency),
                "delivery": amount(n["delivery"], currency),
            }
            for n in lines
        ],
        "subtotal": amount(subtotal, currency),
        "delivery": amount(delivery, currency),
        "total": amount(subtotal + delivery, currency),
        "currency": currency,
    }


def cart_lines(w: World) -> Lines:
    """The lines of the cart with today's prices, in the order in which they were put there."""
    return w.all(
        "SELECT c.sku, p.title, c.quantity, p.price AS unit_price, p.delivery, p.currency, p.stock FROM shop_cart c"
        " JOIN shop_product p ON p.id = c.sku ORDER BY c.at, c.sku"
    )


def in_stock(sku: str, title: str, stock: int, quantity: int) -> None:
    """Refuse what the shop does not have."""
    if stock < quantity:
        raise ToolError(
            "conflict",
            f"{title} is {f'down to {stock}' if stock else 'sold out'}",
            field="sku",
            value=sku,
            expected=f"at most {stock}" if stock else "a product that is in stock",
        )


def _room(w: World, table: str) -> None:
    if w.value(f'SELECT count(*) FROM "{table}"') >= MOST:
        raise ToolError("limit", f"there are {MOST} already", expected="take something out first")


def _in_cart(w: World, sku: str) -> int:
    """How many of it are in the cart, or the error that an agent reads."""
    found = w.value("SELECT quantity FROM shop_cart WHERE sku = ?", sku)
    if found is None:
        raise ToolError(
            "not_found",
            f"{sku[:80]!r} is not in the cart",
            field="sku",
            value=sku,
            expected="a SKU from shop_cart",
        )
    return int(found)


def _put(w: World, sku: str, quantity: int) -> dict[str, Any]:
    """Let the cart hold so many of it."""
    if quantity < 1:
        raise ToolError(
            "invalid", "a line has at least one piece", field="quantity", value=quantity, expected="1 or more"
        )
    p = product_row(w, sku)
    in_stock(sku, p["title"], p["stock"], quantity)
    if w.value("SELECT 1 FROM shop_cart WHERE sku = ?", sku):
        w.run("UPDATE shop_cart SET quantity = ? WHERE sku = ?", quantity, sku)
    else:
        _room(w, "shop_cart")
        w.insert("shop_cart", sku=sku, quantity=quantity, at=w.now)
    return cart(w)


@shop.read("shop.read")
def cart(w: World) -> dict[str, Any]:
    """The cart: its line items, what delivery costs, and the total."""
    lines = cart_lines(w)
    return totals(lines, lines[0]["currency"] if lines else _currency(w))


def _currency(w: World) -> str:
    return str(w.value("SELECT currency FROM shop_product ORDER BY id") or "USD")


@shop.write("shop.write")
def add_to_cart(w: World, sku: Sku, quantity: Quantity = 1) -> dict[str, Any]:
    """Put pieces of a product into the cart, beside those that are there; it leaves the list of saved ones."""
    already = w.value("SELECT quantity FROM shop_cart WHERE sku = ?", sku) or 0
    shown = _put(w, sku, quantity if quantity < 1 else already + quantity)
    w.run("DELETE FROM shop_saved WHERE sku = ?", sku)
    return shown


@shop.write("shop.write")
def set_quantity(
    w: World, sku: Annotated[str, "a SKU that is in the cart"], quantity: Quantity
) -> dict[str, Any]:
    """Change how many pieces of a product are in the cart."""
    _in_cart(w, sku)
    return _put(w, sku, quantity)


@shop.write("shop.write")
def remove_from_cart(w: World, sku: Annotated[str, "a SKU that is in the cart"]) -> dict[str, Any]:
    """Take a product out of the cart."""
    _in_cart(w, sku)
    w.run("DELETE FROM shop_cart WHERE sku = ?", sku)
    return cart(w)


@shop.read("shop.read")
def saved(w: World) -> list[dict[str, Any]]:
    """The products that are saved for later."""
    return [
        {
            "sku": r["id"],
            "title": r["title"],
            "price": amount(r["price"], r["currency"]),
            "currency": r["currency"],
        }
        for r in w.all(
            "SELECT p.* FROM shop_saved s JOIN shop_product p ON p.id = s.sku ORDER BY s.at, s.sku"
        )
    ]


@shop.write("shop.write")
def save_for_later(w: World, sku: Sku) -> list[dict[str, Any]]:
    """Put a product on the list of those saved for later; it leaves the cart."""
    product_row(w, sku)
    if not w.value("SELECT 1 FROM shop_saved WHERE sku = ?", sku):
        _room(w, "shop_saved")
        w.insert("shop_saved", sku=sku, at=w.now)
    w.run("DELETE FROM shop_cart WHERE sku = ?", sku)
    return saved(w)


@shop.write("shop.write")
def remove_saved(w: World, sku: Annotated[str, "a SKU that is saved for later"]) -> list[dict[str, Any]]:
    """Take a product off the list of those saved for later."""
    if not w.value("SELECT 1 FROM shop_saved WHERE sku = ?", sku):
        raise ToolError(
            "not_found",
            f"{sku[:80]!r} is not saved for later",
            field="sku",
            value=sku,
            expected="a SKU from shop_saved",
        )
    w.run("DELETE FROM shop_saved WHERE sku = ?", sku)
    return saved(w)
