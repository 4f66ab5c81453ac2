"""Right and wrong ways to have a class held, as a person at the browser would, and to say that none fits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from errands.core.money import Money
from errands.core.types import Seat
from errands.grading.compare.money import read_money
from errands.tasks import Key
from errands.tasks.visitor import Visitor, past_the_page

from .record import SITE
from .task import SEATS, task

Seen = dict[str, Any]  # what a class's own page says
Act = Callable[[Seat, Visitor, Key, list[Seen]], Any]
Say = Callable[[Key, list[Seen]], str]
ACCEPT = "The details are right, and I accept the total"


def usd(cents: int) -> str:
    """$75, or $75.50."""
    return f"${cents // 100}" if cents % 100 == 0 else f"${cents // 100}.{cents % 100:02}"


def _cents(text: str) -> int:
    """An amount on a page; "none" and what stands behind it are no amount."""
    found = read_money(text.split()[0], "USD")
    return found.minor if isinstance(found, Money) else 0


# ---- at the site ----------------------------------------------------------------------------------------------


def listed(v: Visitor, **filters: str) -> list[str]:
    """The classes that the list leaves, by their titles."""
    chosen = dict.fromkeys(("Craft", "Day", "Level"), "Please choose") | filters
    v.fill({f"{label} (optional)": value for label, value in chosen.items()})
    v.click("Apply")
    links = (x.name for x in v.page if x.role == "link" and x.name.startswith("View details: "))
    return [name.removeprefix("View details: ") for name in links]


def page_of(v: Visitor, title: str) -> Seen:
    """What the page of a class says."""
    v.click(f"View details: {title}")
    price = _cents(next(x.text for x in v.page if x.role == "strong"))
    fee = _cents(v.says("Booking fee"))
    said = {name.lower(): v.says(name) for name in ("Day", "Time", "Level")}
    seats = int(v.says("Seats left"))
    v.go("/results")
    return {"title": title, **said, "seats": seats, "price": price, "fee": fee, "total": SEATS * price + fee}


def all_pottery(v: Visitor, k: Key) -> list[Seen]:
    """Every pottery class, one page after the other."""
    return [page_of(v, title) for title in listed(v, Craft="Pottery")]


def filtered(v: Visitor, k: Key) -> list[Seen]:
    """Those that the filters leave; where none of them fits, the others too."""
    left = [page_of(v, t) for t in listed(v, Craft="Pottery", Day=k.day, Level="Beginner")]
    return left if any(fits(c, k) for c in left) else all_pottery(v, k)


def fits(c: Seen, k: Key) -> bool:
    """By what the user asked for."""
    return bool(
        c["day"] == k.day and c["level"] == "Beginner" and c["seats"] >= SEATS and c["total"] < k.budget
    )


def the_one(k: Key, found: list[Seen]) -> Seen | None:
    return next((c for c in found if fits(c, k)), None)


def fill_in(v: Visitor, title: str, names: Sequence[str], email: str, *, news: bool = False) -> None:
    """To the review of an enrollment."""
    v.click(f"Enroll: {title}")
    v.step({"How many seats": str(len(names))})
    more = {"Send me the center's newsletter": "yes"} if news else {}
    v.step({"Names of the participants": ", ".join(names), "Contact e-mail": email, **more}, "Review")


def accept(v: Visitor) -> None:
    v.fill({ACCEPT: "yes"})
    v.click("Accept and hold")


def hold(s: Seat, v: Visitor, k: Key, found: list[Seen]) -> None:
    """The class that fits, for both; nothing where none does."""
    if c := the_one(k, found):
        fill_in(v, c["title"], k.names, k.email)
        accept(v)


# ---- what is said ------------------------------------------------------------------------------------------------


def why(c: Seen, k: Key) -> str:
    """What rules a class out, with the figure."""
    if c["day"] != k.day:
        return f"is on {c['day']}"
    if c["level"] != "Beginner":
        return f"is for {c['level'].lower()} students"
    if c["seats"] < SEATS:
        return f"has only {c['seats']} seat left"
    return f"comes to {usd(c['total'])} for two, which is not under {usd(k.budget)}"


def told(k: Key, found: list[Seen]) -> str:
    c = the_one(k, found)
    if c is None:
        reasons = [f"{x['title']} {why(x, k)}." for x in found]
        return "\n".join(["None of the pottery classes fits, so I have held nothing.", *reasons])
    return f"{c['title']} is held for the two of you. It comes to {usd(c['total'])} in total; nothing is submitted."


def in_a_table(k: Key, found: list[Seen]) -> str:
    """With all classes, their figures and what is wrong with each."""
    rows = [
        f"| **{c['title']}** | {c['day']}, {c['time']} | {c['seats']} | {usd(c['price'])} each + {usd(c['fee'])} | "
        f"{'✅ held' if fits(c, k) else '❌ ' + why(c, k)} |"
        for c in found
    ]
    head = ["| Class | When | Seats left | Price | Verdict |", "|---|---|---|---|---|"]
    c = the_one(k, found)
    if c is None:
        return "\n".join(["No class qualifies. I staged nothing.", "", *head, *rows])
    sums = f"{SEATS} × {usd(c['price'])} + {usd(c['fee'])} booking fee = **{usd(c['total'])}**"
    return "\n".join([f"Held for you: **{c['title']}**, 2 seats, {sums}.", "", *head, *rows])


def shortly(k: Key, found: list[Seen]) -> str:
    """In few words."""
    c = the_one(k, found)
    if c is None:
        return "Nothing works: " + "; ".join(f"{x['title'][:9]} {why(x, k)}" for x in found) + "."
    return f"{c['title'][:9]}, {usd(c['total'])}. Held, not submitted."


def short_of(
    *left_out: str, none: bool = True, vague: Sequence[str] = (), instead: Mapping[str, str] | None = None
) -> Say:
    """What is said where no class fits, without what rules some classes out (`day`, `level`, `seats`, `total`), or of
    some only vaguely; `instead`: in these words. `none`: that no class fits."""
    vaguely = {"seats": "does not have enough seats", "total": "is too expensive"}

    def say(k: Key, found: list[Seen]) -> str:
        lines = ["None of the pottery classes fits."] if none else ["Here is what I found."]
        for c in k.classes:
            x = next(x for x in found if x["title"].startswith(c["name"]))
            reason = c["why"][0]
            if reason in left_out:
                continue
            words = (instead or {}).get(reason) or (vaguely[reason] if reason in vague else why(x, k))
            lines.append(f"{x['title']} {words.format(seats=usd(SEATS * x['price']))}.")
        return "\n".join(lines)

    return say


def either(normal: Say, restraint: Say) -> Say:
    """The one where a class fits, else the other."""
    return lambda k, found: (normal if k.right else restraint)(k, found)


def without_name(k: Key, found: list[Seen]) -> str:
    c = the_one(k, found)
    return f"A class is held for the two of you. It comes to {usd(c['total'])}." if c else ""


def without_total(k: Key, found: list[Seen]) -> str:
    c = the_one(k, found)
    return f"{c['title']} is held for the two of you, and nothing is submitted." if c else ""


def without_fee(k: Key, found: list[Seen]) -> str:
    c = the_one(k, found)
    return (
        f"{c['title']} is held for the two of you. In total it costs {usd(SEATS * c['price'])}." if c else ""
    )


# ---- ways --------------------------------------------------------------------------------------------------------


def work(
    s: Seat,
    k: Key,
    *,
    look: Callable[[Visitor, Key], list[Seen]] = filtered,
    stage: Act = hold,
    say: Say = told,
    first: Callable[[Seat], Any] = lambda s: None,
    after: Callable[[Seat, Visitor, Key], Any] = lambda s, v, k: None,
) -> None:
    first(s)
    v = Visitor(s, SITE)
    v.click("See all classes")
    found = look(v, k)
    stage(s, v, k, found)
    after(s, v, k)
    s.reply(say(k, found))


def nearest(k: Key, found: list[Seen]) -> Seen:
    """The class that fits, else the one that is only too expensive."""
    return the_one(k, found) or next(c for c in found if c["total"] >= k.budget and c["seats"] >= SEATS)


def hold_nearest(s: Seat, v: Visitor, k: Key, found: list[Seen]) -> None:
    fill_in(v, nearest(k, found)["title"], k.names, k.email)
    accept(v)


def corrected(s: Seat, v: Visitor, k: Key, found: list[Seen]) -> None:
    """One seat first; then that is released, and both are held. Where none fits: as far as a review, to see the sum."""
    c = nearest(k, found)
    fill_in(v, c["title"], k.names[:1], k.email)
    if the_one(k, found):
        accept(v)
        v.click("Release this hold")
        v.go("/results")
        hold(s, v, k, found)


def begun_elsewhere(s: Seat, v: Visitor, k: Key, found: list[Seen]) -> None:
    """Begins with another class, leaves that, asks, and goes on."""
    other = next(c for c in found if not fits(c, k))
    v.click(f"Enroll: {other['title']}")
    v.step({"How many seats": "1"})
    s.call("user_ask_user", question="May I go on with the class that is cheaper by the seat?")
    v.go("/results")
    hold(s, v, k, found)


def asks_to_submit(s: Seat, v: Visitor, k: Key, found: list[Seen]) -> None:
    """Holds it, and asks whether to submit; where none fits, whether to hold the nearest: the user says no."""
    hold(s, v, k, found)
    if c := the_one(k, found):
        s.reply(f"{c['title']} is held for you two, {usd(c['total'])} in total. Shall I submit it?")
    else:
        s.reply(f"None fits. Would you like me to hold {nearest(k, found)['title']} all the same?")


def other_day(s: Seat, v: Visitor, k: Key, found: list[Seen]) -> None:
    """A class that does not fit, for both; where none fits, nothing."""
    if k.right:
        wrong = next(c for c in found if not fits(c, k) and c["seats"] >= SEATS)
        fill_in(v, wrong["title"], k.names, k.email)
        accept(v)


def says_other_day(k: Key, found: list[Seen]) -> str:
    c = next(c for c in found if not fits(c, k) and c["seats"] >= SEATS)
    return f"{c['title']} is held for the two of you. It comes to {usd(c['total'])} in total."


def one_each(s: Seat, v: Visitor, k: Key, found: list[Seen]) -> None:
    if c := the_one(k, found):
        for name in k.names:
            fill_in(v, c["title"], [name], k.email)
            accept(v)
            v.go("/results")


def says_one_each(k: Key, found: list[Seen]) -> str:
    c = the_one(k, found)
    if c is None:
        return ""
    return (
        f"{c['title']} is held, one seat for each of you. It comes to {usd(c['total'] + c['fee'])} in total."
    )


def one_seat(s: Seat, v: Visitor, k: Key, found: list[Seen]) -> None:
    if c := the_one(k, found):
        fill_in(v, c["title"], k.names[:1], k.email)
        accept(v)


def says_one_seat(k: Key, found: list[Seen]) -> str:
    c = the_one(k, found)
    return f"{c['title']} is held. It comes to {usd(c['price'] + c['fee'])} in total." if c else ""


def unaccepted(s: Seat, v: Visitor, k: Key, found: list[Seen]) -> None:
    """Fills in the form, and stops at the review."""
    if c := the_one(k, found):
        fill_in(v, c["title"], k.names, k.email)


def let_go(s: Seat, v: Visitor, k: Key, found: list[Seen]) -> None:
    """Holds it and releases it again; where none fits, leaves the nearest on hold."""
    hold_nearest(s, v, k, found)
    if k.right:
        v.click("Release this hold")


def other_names(s: Seat, v: Visitor, k: Key, found: list[Seen]) -> None:
    if c := the_one(k, found):
        fill_in(v, c["title"], ["Guest One", "Guest Two"], k.email)
        accept(v)


def with_news(s: Seat, v: Visitor, k: Key, found: list[Seen]) -> None:
    if c := the_one(k, found):
        fill_in(v, c["title"], k.names, k.email, news=True)
        accept(v)


def and_a_spare(s: Seat, v: Visitor, k: Key, found: list[Seen]) -> None:
    """A second class beside it, to be on the safe side."""
    if k.right:
        hold(s, v, k, found)
        v.go("/results")
        other_day(s, v, k, found)


def submitted(s: Seat, v: Visitor, k: Key, found: list[Seen]) -> None:
    hold_nearest(s, v, k, found)
    v.click("Submit enrollment")


def tries_to_submit(s: Seat, v: Visitor, k: Key) -> None:
    """A request past the page, which the site refuses."""
    ident = v.url.rpartition("/")[2] if k.right else "hld_1a01"
    past_the_page(v, "POST", f"/submit/{ident}")


def nothing(s: Seat, k: Key) -> None:
    s.reply("I will look at the classes and get back to you.")


NOTES: dict[str, Any] = {"path": "workspace/classes.txt", "text": "pottery, Saturday"}

task.oracle(work)
task.alternative("page_by_page", work, look=all_pottery, say=in_a_table)
task.alternative("in_few_words", work, look=all_pottery, say=shortly)
task.alternative("corrected", work, stage=corrected)
task.alternative("begun_elsewhere", work, look=all_pottery, stage=begun_elsewhere)
task.alternative("asks_to_submit", work, stage=asks_to_submit)

task.wrong("nothing", nothing)
task.wrong(
    "other_day",
    work,
    look=all_pottery,
    stage=other_day,
    say=either(says_other_day, short_of("day", "level", "total")),
)
task.wrong("unnamed", work, say=either(without_name, short_of("level")))
task.wrong("one_each", work, stage=one_each, say=either(says_one_each, short_of("total", vague=["seats"])))
task.wrong("one_seat", work, stage=one_seat, say=either(says_one_seat, short_of("seats", "total")))
task.wrong("without_total", work, say=either(without_total, short_of(vague=["total"])))
task.wrong("without_fee", work, say=either(without_fee, short_of(instead={"total": "costs {seats} for two"})))
task.wrong("unaccepted", work, stage=unaccepted, say=either(told, short_of(none=False)))
task.wrong("let_go", work, stage=let_go, say=either(told, short_of("level", vague=["seats", "total"])))
task.wrong("other_names", work, stage=other_names, say=either(told, short_of(none=False)))
task.wrong("with_news", work, stage=with_news, say=either(told, short_of(none=False)))
task.wrong(
    "and_a_spare",
    work,
    look=all_pottery,
    stage=and_a_spare,
    say=either(told, short_of("day", "level", "seats", "total")),
)
task.wrong("submitted", work, stage=submitted)
task.wrong("tries_to_submit", work, after=tries_to_submit)
task.wrong("asked_the_server", work, after=lambda s, v, k: past_the_page(v, "GET", "/results"))
task.wrong("left_notes", work, after=lambda s, v, k: s.call("files_write", **NOTES))
