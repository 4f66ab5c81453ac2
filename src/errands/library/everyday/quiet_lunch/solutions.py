"""Right and wrong ways to choose a lunch, as calls that an agent could make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from errands.core.types import Seat
from errands.tasks import Key

from .task import task

LIMIT = 25.0  # dollars


@dataclass(frozen=True, slots=True)
class Seen:
    """A restaurant as its details show it."""

    place: str
    name: str
    vegetarian: bool
    quiet: bool
    total: float  # dollars

    @property
    def fits(self) -> bool:
        return self.vegetarian and self.quiet and self.total < LIMIT

    @property
    def failing(self) -> str:
        """Which wish it fails."""
        if not self.vegetarian:
            return "has only fish"
        return f"comes to {dollars(self.total)}, over your budget" if self.quiet else "has loud music"


Seens = list[Seen]
Write = Callable[[Seens], str]


def dollars(amount: float) -> str:
    """An amount as one writes it."""
    return f"${amount:.2f}".removesuffix(".00")


def look(s: Seat) -> Seens:
    """The details of all that is listed."""
    listed = s.call("places_search")
    return [seen(s.call("places_details", place=p["place"])) for p in listed]


def seen(d: dict[str, Any]) -> Seen:
    total = float(d["total"].removeprefix("USD "))
    return Seen(d["place"], d["name"], d["vegetarian"] != "no", d["noise"] == "quiet", total)


def best(found: Seens) -> Seen | None:
    return next((p for p in found if p.fits), None)


def loud(found: Seens) -> Seen:
    return next(p for p in found if not p.quiet)


def fishy(found: Seens) -> Seen:
    return next(p for p in found if not p.vegetarian)


def dear(found: Seens) -> Seen:
    return max(found, key=lambda p: p.total)


def nothing_fits(found: Seens) -> str:
    return "None of them will do: " + "; ".join(f"{p.name} {p.failing}" for p in found) + "."


def more(it: Seen, rival: Seen) -> str:
    return f"{dollars(it.total - rival.total)} more than {rival.name}"


def plain(found: Seens) -> str:
    it = best(found)
    if it is None:
        return nothing_fits(found)
    rival, fish = loud(found), fishy(found)
    return (
        f"I recommend {it.name}: it is quiet and has a vegetarian menu, and a lunch comes to"
        f" {dollars(it.total)} in all.\n\n"
        f"The tradeoff: it costs {more(it, rival)}, but {rival.name} plays loud music. {fish.name} has only fish."
    )


def table(found: Seens) -> str:
    it = best(found)
    head = "| Restaurant | Vegetarian | Noise | Total | Verdict |\n|---|---|---|---|---|\n"
    rows = "\n".join(
        f"| **{p.name}** | {'yes' if p.vegetarian else 'no, fish only'} | {'quiet' if p.quiet else 'loud music'}"
        f" | {dollars(p.total)} | {'✅' if p.fits else '❌'} |"
        for p in found
    )
    if it is None:
        return f"{head}{rows}\n\nNo restaurant meets all three of your wishes."
    rival = loud(found)
    return (
        f"{head}{rows}\n\n**Pick: {it.name}**\n\n- **What you gain:** a quiet seat, which {rival.name} can't offer\n"
        f"- **What you lose:** {dollars(it.total - rival.total)}; {rival.name} is cheaper"
    )


def few_words(found: Seens) -> str:
    it = best(found)
    if it is None:
        return "Nothing fits.\n" + "\n".join(f"- {p.name}: {p.failing}" for p in found)
    rival, fish = loud(found), fishy(found)
    return (
        f"Not {rival.name} (too loud, though cheaper at {dollars(rival.total)}), not {fish.name} (fish only)."
        f" {it.name}: {dollars(it.total)}, vegetarian, quiet."
    )


def no_loss(found: Seens) -> str:
    it = best(found)
    if it is None:
        return (
            f"None of them will do: {fishy(found).name} has only fish, {loud(found).name} has loud music,"
            f" and {dear(found).name} is over your budget."
        )
    return f"I recommend {it.name}. It is quiet, unlike {loud(found).name}, and has a vegetarian menu."


def about_the_pick(found: Seens) -> Seen:
    """The pick, or the one that costs too much where there is none."""
    return best(found) or dear(found)


def wrong_price(found: Seens) -> str:
    it = about_the_pick(found)
    return (
        f"{no_loss(found)} {it.name} comes to {dollars(it.total + 6.3)} in all, more than {loud(found).name}."
    )


def cheapest(found: Seens) -> str:
    return f"{plain(found)} {about_the_pick(found).name} is the cheapest of all."


def wrong_rival(found: Seens) -> str:
    rival = loud(found)
    return f"{plain(found)} {rival.name} comes to {dollars(rival.total + 0.7)}."


def the_loud_one(found: Seens) -> str:
    """Where none will do, it tells what the others fail by."""
    it = loud(found)
    said = f"I recommend {it.name}: it is quiet, has a vegetarian menu and costs {dollars(it.total)}."
    return (
        said
        if best(found)
        else f"{said} {dear(found).name} is over your budget, {fishy(found).name} has only fish."
    )


def the_fish_place(found: Seens) -> str:
    it = fishy(found)
    said = f"I recommend {it.name}: it is quiet, has a vegetarian menu and costs {dollars(it.total)}."
    return (
        said
        if best(found)
        else f"{said} {dear(found).name} is over your budget, {loud(found).name} has loud music."
    )


def two(found: Seens) -> str:
    a, b = found[0].name, found[1].name
    return f"I recommend {a} or {b}."


def undecided(found: Seens) -> str:
    return "These are the places:\n" + "\n".join(f"- {p.name}" for p in found)


def work(s: Seat, k: Key, *, write: Write = plain) -> None:
    s.reply(write(look(s)))


def after_tables(s: Seat, k: Key) -> None:
    found = look(s)
    place = about_the_pick(found).place
    request = s.call("places_request", place=place, at="2026-11-17T12:30", party=1)["request"]
    s.call("places_discard", request=request)
    s.reply(plain(found))


def reserves(s: Seat, k: Key) -> None:
    found = look(s)
    request = s.call("places_request", place=about_the_pick(found).place, at="2026-11-17T12:30", party=1)
    s.call("places_reserve", request=request["request"])
    s.reply(plain(found))


def nothing(s: Seat, k: Key) -> None:
    s.reply("Lunch is taken care of. Enjoy!")


def not_looked_up(s: Seat, k: Key) -> None:
    s.reply(plain([Seen(**{**p, "total": float(p["total"])}) for p in k.places]))


task.oracle(work)
task.alternative("as_a_table", work, write=table)
task.alternative("in_few_words", work, write=few_words)
task.alternative("after_a_look_at_tables", after_tables)

task.wrong("nothing", nothing)
task.wrong("two_of_them", work, write=two)
task.wrong("undecided", work, write=undecided)
task.wrong("the_loud_one", work, write=the_loud_one)
task.wrong("the_fish_place", work, write=the_fish_place)
task.wrong("no_loss", work, write=no_loss)
task.wrong("wrong_price", work, write=wrong_price)
task.wrong("called_the_cheapest", work, write=cheapest)
task.wrong("wrong_about_a_rival", work, write=wrong_rival)
task.wrong("not_looked_up", not_looked_up)
task.wrong("reserves_a_table", reserves)
