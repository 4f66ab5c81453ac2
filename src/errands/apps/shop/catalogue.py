"""Looking for products, and one product in full."""

from __future__ import annotations

from typing import Annotated, Any

from errands.core.money import Money
from errands.world import World
from errands.world.refusals import offset

from . import shop

PAGE = 20
Sku = Annotated[str, "a product's SKU, from shop_search"]


def amount(minor: int, currency: str) -> str:
    """Minor units as a plain decimal: 2500 cents are `25.00`."""
    return str(Money(minor, currency).major)


def product_row(w: World, sku: str) -> dict[str, Any]:
    """The product, or the error that an agent reads."""
    return w.row("shop_product", sku, "product", "a SKU from shop_search", field="sku")


@shop.read("shop.read")
def search(
    w: World,
    query: Annotated[str, "words to look for in titles and descriptions; empty for all products"] = "",
    cursor: Annotated[str, "the `next` of the page before; empty for the first page"] = "",
) -> dict[str, Any]:
    """Find products that any of the words fits, the best match first. Prices are without delivery."""
    words = {word.removesuffix("s") for word in query.casefold().split()[:40]}
    ranked = []
    for r in w.all("SELECT id, title, about, price, currency FROM shop_product ORDER BY title, id"):
        text = f"{r['title']} {r['about']}".casefold()
        hits = sum(word in text for word in words)
        if hits or not words:
            ranked.append((-hits, r))
    ranked.sort(key=lambda pair: pair[0])
    start = offset(cursor)
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
