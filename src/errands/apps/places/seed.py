"""How builders fill places: where one can eat."""

from __future__ import annotations

from typing import Literal

from errands.world.fixture import Draft

Vegetarian = Literal["yes", "no", "only"]
Noise = Literal["quiet", "average", "loud"]


def restaurant(
    d: Draft,
    *,
    id: str,
    name: str,
    area: str,
    menu: str,
    vegetarian: Vegetarian,
    noise: Noise,
    seating: str,
    currency: str,
    price: int,
    service: int = 0,
    opens: str = "11:30",
    closes: str = "15:00",
    seats: int = 40,
) -> str:
    """A restaurant that serves lunch; `price` of a lunch and the `service` charged on top of it (0: included), both in
    minor units; local hours. Returns its id.

    `vegetarian` is OpenStreetMap's `diet:vegetarian`: dishes for vegetarians, none, or nothing else.
    """
    d.insert(
        "places_place",
        id=id,
        name=name,
        kind="restaurant",
        area=area,
        menu=menu,
        vegetarian=vegetarian,
        noise=noise,
        seating=seating,
        currency=currency,
        price=price,
        service=service,
        opens=opens,
        closes=closes,
        seats=seats,
    )
    return id
