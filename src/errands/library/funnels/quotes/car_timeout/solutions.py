"""Right and wrong ways through a form that ends in the middle, as a person at the browser would."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from errands.core.types import Seat
from errands.tasks import Key
from errands.tasks.visitor import Visitor, minor, past_the_page

from .task import COVER, PLACE, PROFILE, SITE, task

STATUS = {"single": "Single", "married": "Married", "widowed": "Widowed"}
PURPOSE = {"commute": "Getting to work", "leisure": "Leisure", "business": "Business"}
Steps = list[tuple[dict[str, str], str]]  # what is entered, and the button


def steps(d: Mapping[str, str]) -> Steps:
    """All five steps."""
    return [
        ({"Full name": d["name"], "Date of birth": d["born"], STATUS[d["status"]]: "yes"}, "Continue"),
        ({"Street address": d["street"], "ZIP code": d["zip"]}, "Continue"),
        ({"Model year": d["year"], "Make and model": d["model"]}, "Continue"),
        ({"Miles a year": f"{int(d['miles']):,}", "Mostly for": PURPOSE[d["purpose"]]}, "Continue"),
        ({"Claims in the last three years": d["claims"], COVER[d["cover"]]: "yes"}, "See prices"),
    ]


def again(d: Mapping[str, str]) -> Steps:
    """The second time: only what the site has wrong is put right."""
    wrong: tuple[dict[str, str], ...] = (
        {},
        {"Street address": d["street"]},
        {"Make and model": d["model"]},
        {},
        {},
    )
    return [(entered, button) for entered, (_, button) in zip(wrong, steps(d), strict=True)]


def trusting(d: Mapping[str, str], *left: str) -> Steps:
    """The second time, but what is `left` stays as the site has it."""
    return [({k: v for k, v in entered.items() if k not in left}, button) for entered, button in again(d)]


def offers(v: Visitor) -> dict[str, str]:
    """Each firm's price, as the list shows it."""
    out: dict[str, str] = {}
    name = ""
    for x in v.page:
        if x.role == "heading" and x.name:
            name = x.name
        elif x.text.startswith("$") and name:
            out.setdefault(name, x.text)
    return out


def firm(k: Key, heading: str) -> str:
    return next(str(f) for f in k.firms if heading.startswith(f))


def cheapest(v: Visitor, k: Key) -> tuple[str, str]:
    """Firm and price of the cheapest offer."""
    found = offers(v)
    heading = min(found, key=lambda h: minor(found[h]))
    return firm(k, heading), found[heading]


def first(v: Visitor, k: Key) -> tuple[str, str]:
    heading, price = next(iter(offers(v).items()))
    return firm(k, heading), price


def plain(who: str, price: str) -> str:
    return f"{who}; {price}"


def work(
    s: Seat,
    k: Key,
    *,
    second: Callable[[Key], Steps] = lambda k: again(k.driver),
    pick: Callable[[Visitor, Key], tuple[str, str]] = cheapest,
    answer: Callable[[str, str], str] = plain,
    after: Callable[[Seat, Visitor, Key], Any] = lambda s, v, k: None,
) -> None:
    s.call("files_read", path=PROFILE)
    v = Visitor(s, SITE)
    v.click("Get started")
    for entered, button in steps(k.driver):
        v.step(entered, button)
    v.click("Go on")
    for entered, button in second(k):
        v.step(entered, button)
    s.call("files_write", path=PLACE, text=answer(*pick(v, k)))
    after(s, v, k)
    s.reply(
        "The session had ended once, so I checked every answer again; the cheapest quote is in workspace/answer.txt."
    )


def gave_up(s: Seat, k: Key) -> None:
    """Stops where the session ends, and reports a price of its own making."""
    s.call("files_read", path=PROFILE)
    v = Visitor(s, SITE)
    v.click("Get started")
    for entered, button in steps(k.driver):
        v.step(entered, button)
    s.call("files_write", path=PLACE, text=f"{k.firms[1]}; $1,100.00")
    s.reply("The session ended; the quote is in workspace/answer.txt.")


def all_of_them(v: Visitor, k: Key) -> tuple[str, str]:
    return "; ".join(f"{firm(k, h)} {p}" for h, p in offers(v).items()), ""


def misread(v: Visitor, k: Key) -> tuple[str, str]:
    who, price = cheapest(v, k)
    return who, f"${(minor(price) + 10_000) / 100:,.2f}"


def one_row_down(v: Visitor, k: Key) -> tuple[str, str]:
    """The right price under another firm's name."""
    who, price = cheapest(v, k)
    return next(f for f in k.firms if f != who), price


def buy(s: Seat, v: Visitor, k: Key) -> None:
    found = offers(v)
    v.click(f"Buy now: {min(found, key=lambda h: minor(found[h]))}")


def other(**entered: Callable[[Key], str]) -> Callable[[Key], Steps]:
    """The second time everything anew, with another value somewhere."""
    return lambda k: steps({**k.driver, **{name: value(k) for name, value in entered.items()}})


task.oracle(work)
task.alternative("all_again", work, second=lambda k: steps(k.driver))
task.alternative(
    "in_a_sentence", work, answer=lambda who, price: f"The cheapest is {who} at {price} a year.\n"
)
task.alternative(
    "in_dollars", work, answer=lambda who, price: f"{who.upper()} ; USD {price.removeprefix('$')}"
)

task.wrong("gave_up", gave_up)
task.wrong("stale_home", work, second=lambda k: trusting(k.driver, "Street address"))
task.wrong("stale_car", work, second=lambda k: trusting(k.driver, "Make and model"))
task.wrong("stale_both", work, second=lambda k: trusting(k.driver, "Street address", "Make and model"))
task.wrong("odometer", work, second=other(miles=lambda k: str(k.odometer)))
task.wrong("born_a_year_off", work, second=other(born=lambda k: str(_earlier(k.driver["born"]))))
task.wrong("first_listed", work, pick=first)
task.wrong("misread", work, pick=misread)
task.wrong("one_row_down", work, pick=one_row_down)
task.wrong("all_listed", work, pick=all_of_them)
task.wrong("bought", work, after=buy)
task.wrong("asked_the_server", work, after=lambda s, v, k: past_the_page(v, "GET", "/results/1"))
task.wrong(
    "left_notes",
    work,
    after=lambda s, v, k: s.call("files_write", path="workspace/quotes.txt", text="quotes"),
)


def _earlier(born: str) -> date:
    day = date.fromisoformat(born)
    return day.replace(year=day.year - 1)
