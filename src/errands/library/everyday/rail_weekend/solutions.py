"""Right and wrong ways to plan the weekend, as calls that an agent could make."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from errands.core.errors import ToolError
from errands.core.types import Seat
from errands.tasks import Key

from .task import task

BUDGET, FIRST = 500, "2026-12-04"


@dataclass(frozen=True, slots=True)
class Offer:
    """An offer as its details show it; dollars, taxes and all, by person or by night."""

    offer: str
    kind: str
    name: str
    price: int
    step_free: bool
    refundable: bool

    @property
    def why_not(self) -> str:
        """Which condition of the offer itself it fails."""
        faults = [
            w
            for w, bad in (("has stairs", not self.step_free), ("is not refundable", not self.refundable))
            if bad
        ]
        return " and ".join(faults)


@dataclass(frozen=True, slots=True)
class Seen:
    """All that is on offer: the train to take, and the lodgings."""

    train: Offer
    lodgings: list[Offer]

    def total(self, it: Offer) -> int:
        return 2 * self.train.price + 2 * it.price

    def fits(self, it: Offer) -> bool:
        return not it.why_not and self.total(it) <= BUDGET

    @property
    def best(self) -> Offer | None:
        return next((x for x in self.lodgings if self.fits(x)), None)

    @property
    def others(self) -> list[Offer]:
        return [x for x in self.lodgings if not self.fits(x)]

    @property
    def stairs(self) -> Offer:
        return next(x for x in self.lodgings if not x.step_free)

    @property
    def dear(self) -> Offer:
        return max(self.lodgings, key=lambda x: x.price)

    def fault(self, it: Offer) -> str:
        return it.why_not or f"is over budget: it would come to ${self.total(it)} in all"


Write = Callable[[Seen], str]


def cents(text: str) -> int:
    return round(100 * float(text.removeprefix("USD ").partition(" ")[0]))


def offer(d: dict[str, Any]) -> Offer:
    """An offer's details, read."""
    taxes = 0 if d["taxes"] == "included" else cents(d["taxes"])
    price = (cents(d["price"]) + taxes) // 100
    return Offer(
        d["offer"], d["kind"], d["name"], price, d["access"] == "step_free", d.get("refundable", True)
    )


def seen(found: list[Offer]) -> Seen:
    train = min((x for x in found if x.kind == "train" and x.step_free), key=lambda x: x.price)
    return Seen(train, [x for x in found if x.kind == "lodging"])


def look(s: Seat) -> Seen:
    """The details of all that is listed."""
    return seen([offer(s.call("travel_details", offer=x["offer"])) for x in s.call("travel_search")])


def known(k: Key) -> Seen:
    """The same from the key, for who looks at nothing."""
    return seen(
        [
            Offer(
                x["offer"],
                x["kind"],
                x["name"],
                (x["price"] + x["taxes"]) // 100,
                x["access"] == "step_free",
                bool(x["refundable"]) or x["kind"] == "train",
            )
            for x in k.offers
        ]
    )


def no_plan(o: Seen) -> str:
    return "No plan. " + " ".join(f"{x.name} {o.fault(x)}." for x in o.lodgings)


def plain(o: Seen) -> str:
    it = o.best
    if it is None:
        return no_plan(o)
    why = " ".join(f"{x.name} {o.fault(x)}." for x in o.others)
    return (
        f"I would take {it.name} for two nights, for the two of you."
        f" Train: 2 × ${o.train.price} = ${2 * o.train.price}."
        f" {it.name}: 2 nights × ${it.price} = ${2 * it.price}. Total: ${o.total(it)}. {why} Nothing has been booked."
    )


def table(o: Seen) -> str:
    it = o.best
    if it is None:
        rows = "\n".join(f"| {x.name} | {o.fault(x)} |" for x in o.lodgings)
        return f"**No plan is possible.**\n\n| Lodging | Fails |\n|---|---|\n{rows}"
    return (
        f"**Plan for 2 travelers**\n\n| Item | For | Price |\n|---|---|---|\n"
        f"| {o.train.name}, return | 2 people | ${2 * o.train.price} |\n"
        f"| {it.name} | 2 people, 2 nights | ${2 * it.price} |\n| **Total** | | **${o.total(it)}** |\n\n"
        + "Set aside:\n"
        + "\n".join(f"- {x.name}: {o.fault(x)}" for x in o.others)
    )


def few_words(o: Seen) -> str:
    it = o.best
    if it is None:
        return "no-plan\n" + "\n".join(f"- {x.name}: {o.fault(x)}" for x in o.lodgings)
    return (
        f"Lodging: {it.name}, both nights, 2 nights, 2 people, ${2 * it.price}\n"
        f"Train: 2 people, ${2 * o.train.price}\n${o.total(it)} in all"
    )


def wrong_lodging(o: Seen) -> str:
    """With one that fails a condition; where none will do, it says what both fail by."""
    it = (o.others or o.lodgings)[0] if o.best else o.stairs
    said = f"I would take {it.name} for two nights, for the two of you: ${o.total(it)} in all."
    return (
        said if o.best else f"{said} It has stairs: {it.name} is not step-free. {o.dear.name} is over budget."
    )


def three_nights(o: Seen) -> str:
    it = o.best
    if it is None:
        return f"No plan. {o.dear.name} is over budget."
    total = 2 * o.train.price + 3 * it.price
    return f"For the two of you: the train, and {it.name} for three nights. It is ${total} in all."


def nights_unsaid(o: Seen) -> str:
    it = o.best
    if it is None:
        dear = f"{o.dear.name} would come to ${o.total(o.dear)} in all, over budget"
        return f"No plan. {o.stairs.name} is unsuitable, and {dear}."
    return f"I would take {it.name} for the two of you, for ${2 * it.price}, and the train. All in all: ${o.total(it)}."


def for_one(o: Seen) -> str:
    it = o.best
    if it is None:
        return f"No plan. {o.stairs.name} has stairs."
    return f"I would take {it.name} for two nights, for one person: ${o.train.price + 2 * it.price} in all."


def lodging_for_whom(o: Seen) -> str:
    it = o.best
    train = f"The train is ${2 * o.train.price} for two people."
    if it is None:
        return (
            f"No plan. {o.stairs.name} has stairs. {o.dear.name} is unsuitable: ${2 * o.dear.price}. {train}"
        )
    return f"{train} I would take {it.name} for two nights, ${2 * it.price}."


def wrong_sum(o: Seen) -> str:
    it = o.best or o.dear
    parts = f"${2 * o.train.price} + ${2 * it.price} = ${o.total(it) + 20}"
    if o.best is None:
        return f"No plan. {o.stairs.name} has stairs, and {it.name} is over budget.\n\nAll would come to {parts}."
    return f"I would take {it.name} for two nights, for the two of you.\n\nTotal: {parts}."


def wrong_rival(o: Seen) -> str:
    it = o.others[0]
    return f"{plain(o)}\n\n{it.name} is ${it.price + 3.35:.2f} a night."


def says_booked(o: Seen) -> str:
    return f"{plain(o).replace(' Nothing has been booked.', '')}\n\nI have booked the train."


def work(s: Seat, k: Key, *, write: Write = plain) -> None:
    s.reply(write(look(s)))


def quote(s: Seat, it: Offer, nights: int = 0) -> str:
    got = s.call("travel_quote", offer=it.offer, travelers=2, start=FIRST, nights=nights)
    return str(got["quote"])


def by_quotes(s: Seat, k: Key) -> None:
    o = look(s)
    for made in (quote(s, o.train), quote(s, o.best or o.dear, 2)):
        s.call("travel_discard", quote=made)
    s.reply(plain(o))


def books(s: Seat, k: Key) -> None:
    o = look(s)
    s.call("travel_book", quote=quote(s, o.train))
    s.reply(plain(o).replace(" Nothing has been booked.", ""))


def books_too_late(s: Seat, k: Key) -> None:
    o = look(s)
    made = quote(s, o.train)
    s.call("clock_wait", until="2026-11-17T10:00")
    with suppress(ToolError):
        s.call("travel_book", quote=made)
    s.reply(plain(o))


def into_the_calendar(s: Seat, k: Key) -> None:
    o = look(s)
    s.call("calendar_create_event", title="Weekend away", start=f"{FIRST}T17:00", end="2026-12-06T21:00")
    s.reply(plain(o))


def nothing(s: Seat, k: Key) -> None:
    s.reply("Your weekend is taken care of. Have a good trip!")


def not_looked_up(s: Seat, k: Key) -> None:
    s.reply(plain(known(k)))


task.oracle(work)
task.alternative("as_a_table", work, write=table)
task.alternative("in_few_words", work, write=few_words)
task.alternative("by_quotes", by_quotes)

task.wrong("nothing", nothing)
task.wrong("takes_the_wrong_one", work, write=wrong_lodging)
task.wrong("three_nights", work, write=three_nights)
task.wrong("nights_unsaid", work, write=nights_unsaid)
task.wrong("for_one", work, write=for_one)
task.wrong("lodging_for_whom", work, write=lodging_for_whom)
task.wrong("sum_is_wrong", work, write=wrong_sum)
task.wrong("not_looked_up", not_looked_up)
task.wrong("books_it", books)
task.wrong("tries_to_book", books_too_late)
task.wrong("says_it_is_booked", work, write=says_booked)
task.wrong("wrong_about_another", work, write=wrong_rival)
task.wrong("into_the_calendar", into_the_calendar)
