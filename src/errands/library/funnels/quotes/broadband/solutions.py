"""Right and wrong ways to find the plan, as a person at the browser would."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from errands.core.types import Seat
from errands.tasks import Key
from errands.tasks.visitor import Visitor, past_the_page

from .task import MONTHS, PLACE, SITE, task

Answer = Mapping[str, Any]


def pounds(pence: int) -> float:
    return pence / 100


def plain(p: Mapping[str, Any]) -> Answer:
    return {"provider": p["provider"], "plan": p["plan"], "total_24m_gbp": pounds(p["total"])}


def as_written(p: Mapping[str, Any]) -> Answer:
    total = f"£{p['total'] // 100:,}.{p['total'] % 100:02}"
    return {"Total 24m GBP": total, "Plan": f"{p['provider']} {p['plan']}", "Provider": p["provider"].upper()}


def named(p: Mapping[str, Any]) -> str:
    return f"{p['provider']} {p['plan']}"


def opens(v: Visitor, k: Key) -> None:
    """Every plan that is fast enough, by the pointer."""
    for p in k.fast:
        v.click(f"Price details: {named(p)}")


def opens_by_keys(v: Visitor, k: Key) -> None:
    """The same with the keyboard."""
    for p in k.fast:
        v.press(f"Price details: {named(p)}", "Enter", 1)


def opens_one(v: Visitor, k: Key) -> None:
    v.click(f"Price details: {named(k.best)}")


def work(
    s: Seat,
    k: Key,
    *,
    line: Callable[[Key], str] = lambda k: str(k.home["line"]),
    least: Callable[[Key], str] = lambda k: f"{k.mbps} Mbps or more",
    details: Callable[[Visitor, Key], None] = opens,
    answer: Callable[[Key], Answer | None] = lambda k: plain(k.best),
    after: Callable[[Seat, Visitor, Key], Any] = lambda s, v, k: None,
) -> None:
    v = Visitor(s, SITE)
    v.click("Get started")
    v.step({"House number and street": line(k), "Postcode": k.home["postcode"]}, "Check availability")
    if least(k):
        v.fill({"Download speed": least(k)})
        v.click("Apply")
    details(v, k)
    found = answer(k)
    if found is not None:
        s.call("files_write", path=PLACE, text=json.dumps(found, ensure_ascii=False))
    after(s, v, k)
    s.reply("The cheapest plan over 24 months is in workspace/answer.json.")


def next_door(s: Seat, k: Key) -> None:
    """The address that is nearly the right one, and what is cheapest there."""
    v = Visitor(s, SITE)
    v.click("Get started")
    v.step({"House number and street": k.nearly, "Postcode": k.home["postcode"]}, "Check availability")
    v.fill({"Download speed": f"{k.mbps} Mbps or more"})
    v.click("Apply")
    there = [p for p in k.fast if v.sees(f"Price details: {named(p)}")]
    for p in there:
        v.click(f"Price details: {named(p)}")
    s.call("files_write", path=PLACE, text=json.dumps(plain(min(there, key=lambda p: p["total"]))))
    s.reply("The cheapest plan over 24 months is in workspace/answer.json.")


def looked_next_door_first(v: Visitor, k: Key) -> None:
    """Begins again once with another postcode's look, then does it properly."""
    v.go("/step/address")
    v.step({"House number and street": k.nearly}, "Check availability")
    v.go("/step/address")
    v.step({"House number and street": k.home["line"]}, "Check availability")
    v.fill({"Download speed": f"{k.mbps} Mbps or more"})
    v.click("Apply")
    opens(v, k)


def instead(p: Mapping[str, Any], pence: int) -> Answer:
    return {**plain(p), "total_24m_gbp": pounds(pence)}


task.oracle(work)
task.alternative("by_keys", work, details=opens_by_keys)
task.alternative("other_address_first", work, details=looked_next_door_first)
task.alternative("as_written", work, answer=lambda k: as_written(k.best))

task.wrong("next_door", next_door)
task.wrong("unfiltered", work, least=lambda k: "")
task.wrong("too_wide", work, least=lambda k: "100 Mbps or more")
task.wrong("headline", work, answer=lambda k: instead(k.headline, MONTHS * k.headline["promo"]))
task.wrong(
    "promo_forever",
    work,
    answer=lambda k: instead(k.promo_forever, MONTHS * k.promo_forever["promo"] + k.promo_forever["setup"]),
)
task.wrong(
    "no_setup_fee",
    work,
    answer=lambda k: instead(k.without_setup, k.without_setup["total"] - k.without_setup["setup"]),
)
task.wrong("too_slow", work, answer=lambda k: plain(k.slower))
task.wrong("right_plan_wrong_total", work, answer=lambda k: instead(k.best, k.best["total"] + 100))
task.wrong("only_said", work, answer=lambda k: None)
task.wrong("unopened", work, details=opens_one)
task.wrong("ordered", work, after=lambda s, v, k: v.click(f"Order now: {named(k.best)}"))
task.wrong("asked_the_server", work, after=lambda s, v, k: past_the_page(v, "POST", "/filter", b"mbps=500"))
task.wrong(
    "left_notes",
    work,
    after=lambda s, v, k: s.call("files_write", path="workspace/plans.csv", text="provider,plan\n"),
)
