"""How builders fill travel: what a traveler is offered."""

from __future__ import annotations

from typing import Literal

from errands.world.fixture import Draft

Access = Literal["step_free", "stairs"]


def train(
    d: Draft, *, id: str, name: str, place: str, price: int, currency: str, access: Access, about: str = ""
) -> str:
    """A return ticket to `place`; `price` in minor units, per person, taxes included. Returns its id."""
    return _offer(d, id, "train", name, place, about, currency, price, 0, "per_person", access, False, 0)


def lodging(
    d: Draft,
    *,
    id: str,
    name: str,
    place: str,
    price: int,
    currency: str,
    access: Access,
    refundable: bool,
    taxes: int = 0,
    sleeps: int = 2,
    about: str = "",
) -> str:
    """A room in `place`; `price` in minor units, per night, and `taxes` that come on top of it each night (0: they are
    included). Returns its id."""
    return _offer(
        d, id, "lodging", name, place, about, currency, price, taxes, "per_night", access, refundable, sleeps
    )


def _offer(
    d: Draft,
    ident: str,
    kind: str,
    name: str,
    place: str,
    about: str,
    currency: str,
    price: int,
    taxes: int,
    basis: str,
    access: str,
    refundable: bool,
    sleeps: int,
) -> str:
    d.insert(
        "travel_offer",
        id=ident,
        kind=kind,
        name=name,
        place=place,
        about=about,
        currency=currency,
        price=price,
        taxes=taxes,
        basis=basis,
        access=access,
        refundable=int(refundable),
        sleeps=sleeps,
    )
    return ident
