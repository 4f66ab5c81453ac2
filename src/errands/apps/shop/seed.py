"""How builders fill the shop: its products, and how the account can pay."""

from __future__ import annotations

from errands.core.money import Money
from errands.world.fixture import Draft


def product(
    d: Draft,
    *,
    id: str,
    title: str,
    price: Money,
    delivery: Money,
    material: str,
    capacity_ml: int | None = None,
    about: str = "",
    stock: int = 20,
) -> str:
    """A product; `id` is its SKU, `delivery` what one line of it costs to deliver. Returns the SKU."""
    d.insert(
        "shop_product",
        id=id,
        title=title,
        about=about,
        material=material,
        capacity_ml=capacity_ml,
        price=price.minor,
        delivery=delivery.minor,
        currency=price.currency,
        stock=stock,
    )
    return id


def method(d: Draft, *, id: str, name: str, balance: int | None = None) -> str:
    """A way to pay; `balance` (minor units) is what a gift card holds. Returns its id."""
    d.insert("shop_method", id=id, name=name, balance=balance)
    return id
