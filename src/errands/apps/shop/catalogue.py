"""Looking for products, and one product in full."""

from __future__ import annotations

from typing import Annotated, Any

from errands.core.errors import ToolError
from errands.core.money import Money
from errands.world import World

from . import shop

PAGE = 20
Sku = Annotated[str, "a product's SKU, from shop_search"]


def amount(minor: int, currency: str) -> str:
    """Minor units as a plain decimal: 2500 cents are `25.00`."""
    return str(Money(minor, currency).major)


def product_row(w: World, sku: str) -> dict[str, Any]:
    """The product, or the error that an agent reads."""
    row = w.one("SELECT * FROM shop_product WHERE id = ?", sku)
    if row is None:
        raise ToolError(
            "not_found",
            f"there is no product {sku[:80]!r}",
            field="sku",
            value=sku,
            expected="a SKU from shop_search",
        )
    return row


@shop.read("shop.read")
def search(
    w: World,
    query: Annotated[str, "words to look for in titles and descriptions; empty for all products"] = "",
    cursor: Annotated[str, "the `next` of the page before; empty for the first page"] = "",
) -> dict[str, Any]:
    """Find products that any of the words fits, the best match first. Prices are without delivery."""
    if cursor and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 6):
        raise ToolError(
            "invalid",
            "this cursor is not one of ours",
            field="cursor",
            value=cursor,
            expected="the `next` value of the page before",
        )
    words = {word.removesuffix("s") for word in query.casefold().split()[:40]}
    ranked = []
    for r in w.all("SELECT id, title, about, price, currency FROM shop_product ORDER BY title, id"):
        text = f"{r['title']} {r['about']}".casefold()
        hits = sum(word in text for word in words)
        if hits or not words:
            ranked.append((-hits, r))
    ranked.sort(key=lambda pair: pair[0])
    start = int(cursor or 0)
    page = [r for _, r in ranked[start : start + PAGE]]
    return {
        "products": [
            {
                "sku": r["id"],
                "title": r["title"],
                "price": amount(r["price"], r["currency"]),
                "currency": r["currency"],
            }
            for r in page
        ],
        "next": str(start + PAGE) if ranked[start + PAGE :] else "",
    }


@shop.read("shop.read")
def product(w: World, sku: Sku) -> dict[str, Any]:
    """One product in full: description, material, capacity, price, what its delivery costs, how many are in stock."""
    r = product_row(w, sku)
    return {
        "sku": r["id"],
        "title": r["title"],
        "description": r["about"],
        "material": r["material"],
        "capacity_ml": r["capacity_ml"],
        "price": amount(r["price"], r["currency"]),
        "delivery": amount(r["delivery"], r["currency"]),
        "currency": r["currency"],
        "stock": r["stock"],
    }
