"""Right and wrong ways to find the cheapest quote, as a person at the browser would."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from errands.apps.lanewren import CAR, COVER, DRIVER, HOME, RECORD, USE
from errands.core.types import Seat
from errands.tasks import Key
from errands.tasks.visitor import Visitor, minor, past_the_page
from errands.web import Choice, Step

from .task import DOSSIER, PLACE, SITE, TIER, task


@dataclass(frozen=True)
class Seen:
    """A quote as it stands in the list; `price` in cents a year, `monthly` each of twelve."""

    carrier: str  # with the plan, as it is headed
    price: int
    monthly: int
    tier: str


Answer = Mapping[str, Any]
Pick = Callable[[Sequence[Seen]], Seen]
Write = Callable[[Seen, Sequence[Seen]], Answer]
Tour = Callable[[Visitor, Key], list[Seen]]


# ---- at the site -------------------------------------------------------------------------------------------------


def enter(v: Visitor, k: Key, **other: str) -> None:
    """Go through the whole form, as the dossier has it; `other` than it has."""
    said = {**k.wanted, **other}
    if said["claimed"] == "no":
        said = {name: value for name, value in said.items() if not name.startswith("claim_")}
        del said["claims"]
    for step in (DRIVER, HOME, CAR, USE, RECORD, COVER):
        if step is RECORD:  # what it asks depends on its first answer
            v.fill(form(step, {"claimed": said["claimed"]}))
        v.step(form(step, said), step.button)


def form(step: Step, said: Mapping[str, str]) -> dict[str, str]:
    """What to fill in, by what stands beside each field."""
    out = {}
    for f in step.fields:
        if f.name in said:
            spread = isinstance(f, Choice) and f.spread
            words = f.words(said[f.name]) if isinstance(f, Choice) else said[f.name]
            out[words if spread else f.label] = "yes" if spread else words
    return out


def listed(v: Visitor) -> Iterator[Seen]:
    """The quotes of the page of results that stands there."""
    heads = [n for n, x in enumerate(v.page) if x.role == "article"]
    for n, until in zip(heads, [*heads[1:], len(v.page)], strict=True):
        text = [x.text for x in v.page[n:until]]
        price = next(t for t in text if t.startswith("$"))
        part = next(t for t in text if t.startswith("12 payments of "))
        tier = next(t for t in text if t.count("/") == 2)
        yield Seen(v.page[n].name, minor(price), minor(part.removeprefix("12 payments of ")), tier)


def every_page(v: Visitor, k: Key) -> list[Seen]:
    """All pages, one after the other."""
    found = list(listed(v))
    for page in ("2", "3"):
        v.click(page, "link")
        found += listed(v)
    return found


def backwards(v: Visitor, k: Key) -> list[Seen]:
    """The last page first, by its address; then back by the links."""
    v.go("/results/3")
    found = list(listed(v))
    for page in ("2", "1"):
        v.click(page, "link")
        found += listed(v)
    return found


def checked(v: Visitor, k: Key) -> list[Seen]:
    """All pages; then once more through the form, which stays as it is."""
    found = every_page(v, k)
    v.go("/step/driver")
    send_on(v)
    return found


def first_page(v: Visitor, k: Key) -> list[Seen]:
    return list(listed(v))


def but_one_page(v: Visitor, k: Key) -> list[Seen]:
    """The first page and that of the answer."""
    found = list(listed(v))
    v.click(str(k.page), "link")
    return found + list(listed(v))


# ---- what is reported --------------------------------------------------------------------------------------------


def right(found: Sequence[Seen]) -> Seen:
    return min((q for q in found if q.tier == TIER), key=lambda q: q.price)


def headline(found: Sequence[Seen]) -> Seen:
    return min(found, key=lambda q: q.price)


def carrier(q: Seen) -> str:
    """The name without the plan, which is one word."""
    return q.carrier.rpartition(" ")[0]


def plain(q: Seen, found: Sequence[Seen]) -> Answer:
    return {"carrier": carrier(q), "annual_premium_usd": q.price / 100, "coverage_tier": q.tier}


def as_written(q: Seen, found: Sequence[Seen]) -> Answer:
    return {
        "Coverage tier": "100 / 300 / 100",
        "Annual premium (USD)": f"${q.price // 100:,}.{q.price % 100:02}",
        "Carrier": q.carrier.upper(),
    }


def in_full(q: Seen, found: Sequence[Seen]) -> Answer:
    return {**plain(q, found), "annual_premium_usd": f"{q.price / 100:.2f} USD",
            "coverage_tier": "$100,000/$300,000/$100,000 liability"}  # fmt: skip


def misread(q: Seen, found: Sequence[Seen]) -> Answer:
    return {**plain(q, found), "annual_premium_usd": (q.price + 1_000) / 100}


def rounded(q: Seen, found: Sequence[Seen]) -> Answer:
    return {**plain(q, found), "annual_premium_usd": (q.price - q.price % 100 + 100) // 100}


def by_the_month(q: Seen, found: Sequence[Seen]) -> Answer:
    return {**plain(q, found), "annual_premium_usd": q.monthly * 12 / 100}


def wrong_tier(q: Seen, found: Sequence[Seen]) -> Answer:
    return {**plain(q, found), "coverage_tier": "250/500/250"}


def other_plan(q: Seen, found: Sequence[Seen]) -> Answer:
    """The premium of the same carrier's cheaper plan."""
    cheap = min((x for x in found if carrier(x) == carrier(q)), key=lambda x: x.price)
    return {**plain(q, found), "annual_premium_usd": cheap.price / 100}


# ---- the ways ----------------------------------------------------------------------------------------------------


def work(
    s: Seat,
    k: Key,
    *,
    slip: str = "",
    before: Callable[[Visitor, Key], None] | None = None,
    tour: Tour = every_page,
    pick: Pick = right,
    answer: Write | None = plain,
    after: Callable[[Seat, Visitor, Seen], Any] = lambda s, v, q: None,
) -> None:
    s.call("files_read", path=DOSSIER)
    v = Visitor(s, SITE)
    if before is not None:
        before(v, k)
    else:
        v.click("Get started")
        enter(v, k, **(k.slips[slip] if slip else {}))
    found = tour(v, k)
    q = pick(found)
    if answer is not None:
        s.call("files_write", path=PLACE, text=json.dumps(answer(q, found)))
    after(s, v, q)
    s.reply("The cheapest quote of that tier is in workspace/answer.json.")


def corrected(v: Visitor, k: Key) -> None:
    """Sees the prices for the wrong miles, goes back and corrects them."""
    v.click("Get started")
    enter(v, k, **k.slips["odometer"])
    every_page(v, k)
    v.go("/step/use")
    v.step({"Miles a year": f"{int(k.wanted['miles']):,}"})
    send_on(v)


def send_on(v: Visitor) -> None:
    """Send the rest of the form as it stands."""
    while not v.sees("Your offers"):
        v.click("See quotes" if v.sees("See quotes") else "Continue")


def anew(v: Visitor, k: Key) -> None:
    """Gets prices for the other car by mistake, and begins again."""
    v.click("Get started")
    enter(v, k, **k.slips["other_car"])
    v.go("/")
    v.click("Start again")
    enter(v, k)


def button(label: str) -> Callable[[Seat, Visitor, Seen], None]:
    """Goes to the page where the quote stands, and clicks that button of it."""

    def after(s: Seat, v: Visitor, q: Seen) -> None:
        for page in ("1", "2", "3"):
            v.click(page, "link")
            if v.sees(f"{label}: {q.carrier}"):
                v.click(f"{label}: {q.carrier}")
                return

    return after


task.oracle(work)
task.alternative("backwards", work, tour=backwards)
task.alternative("checked", work, tour=checked)
task.alternative("corrected", work, before=corrected)
task.alternative("began_anew", work, before=anew)
task.alternative("as_written", work, answer=as_written)
task.alternative("in_full", work, answer=in_full)

for name in ("odometer", "previous_zip", "other_car", "forgot_claim", "old_claim", "others_claim"):
    task.wrong(name, work, slip=name)
task.wrong("skipped_a_page", work, tour=but_one_page)
task.wrong("first_page_only", work, tour=first_page)
task.wrong("headline", work, pick=headline)
task.wrong("wrong_tier", work, answer=wrong_tier)
task.wrong("other_plan", work, answer=other_plan)
task.wrong("by_the_month", work, answer=by_the_month)
task.wrong("misread", work, answer=misread)
task.wrong("rounded", work, answer=rounded)
task.wrong("not_written", work, answer=None)
task.wrong("bought", work, after=button("Buy"))
task.wrong("bound", work, after=button("Bind"))
task.wrong("asked_the_server", work, after=lambda s, v, q: past_the_page(v, "GET", "/results/2"))
task.wrong(
    "left_notes",
    work,
    after=lambda s, v, q: s.call("files_write", path="workspace/quotes.csv", text="carrier,premium\n"),
)
