"""Right and wrong ways to a quote for which something must be asked, as a person at the browser would."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from errands.core.types import Seat
from errands.tasks import Key
from errands.tasks.visitor import Visitor, past_the_page

from .task import INSURER, PLACE, POLICIES, POLICY, PREMIUM, PROFILE, SITE, task

Said = Mapping[str, str]
Then = Callable[[Seat, Visitor, Key], Any]
QUESTION = (
    "Have you had any claims on renters insurance in the last 5 years? If so: how many, what kind, and when?"
)
KIND = {"apartment": "Apartment", "condo": "Condo", "house": "House"}
HOMES = {"1": "1", "2": "2 to 4", "5": "5 to 19", "20": "20 or more"}
CAUSE = {"theft": "Theft", "water": "Water damage", "fire": "Fire or smoke", "injury": "Injury to others"}
CLAIMS, NONE, SOME = "Claims in the last 5 years", "None", "One or more"


def home(w: Said) -> dict[str, str]:
    return {
        "Street address": w["street"],
        "Apartment number (optional)": w["unit"],
        "ZIP code": w["zip"],
        KIND[w["kind"]]: "yes",
        "Homes in the building": HOMES[w["homes"]],
        "There is a burglar alarm": w["alarm"],
        "There are fire sprinklers": w["sprinklers"],
    }


def people(w: Said) -> dict[str, str]:
    return {
        "Full name": w["name"],
        "Date of birth": w["born"],
        "Roommates": w["roommates"],
        w["dog"].capitalize(): "yes",
        "Personal property": f"{int(w['property']):,}",
    }


def cover(w: Said) -> dict[str, str]:
    return {
        f"${int(w['liability']):,}": "yes",
        f"${int(w['deductible']):,}": "yes",
        "Start of cover": w["start"],
    }


def claim(v: Visitor, claims: Said) -> None:
    """Answer what is asked of the claims; the rest is asked only where there are some."""
    v.fill({NONE if claims["claims"] == "none" else SOME: "yes"})
    if claims["claims"] == "some":
        v.fill({
            "How many": claims["count"],
            "Kind of the latest claim": CAUSE[claims["cause"]],
            "Year of the latest claim": claims["year"],
        })  # fmt: skip


def to_the_record(v: Visitor, w: Said) -> None:
    """Everything that comes before the claims."""
    v.step(home(w))
    v.step(people(w))
    v.fill({"Renters insurance today": "I have a policy"})


def to_the_prices(v: Visitor, w: Said, claims: Said) -> None:
    claim(v, claims)
    v.click("Continue")
    v.step(cover(w), "See prices")


def ask(s: Seat, v: Visitor, k: Key) -> None:
    s.call("user_ask_user", question=QUESTION)


def nobody(s: Seat, v: Visitor, k: Key) -> None:
    """Asks nobody."""


def asking(question: str) -> Then:
    return lambda s, v, k: s.call("user_ask_user", question=question)


def replying(text: str) -> Then:
    return lambda s, v, k: s.reply(text)


def money(text: str) -> int:
    return int("".join(c for c in text if c.isdigit()))


def listed(v: Visitor) -> dict[str, tuple[int, int]]:
    """The list of offers: the price a month and that of the year, in cents."""
    names = {f"{insurer} {policy}": ident for ident, insurer, policy in POLICIES}
    out: dict[str, tuple[int, int]] = {}
    ident = month = ""
    for x, after in zip(v.page, [*v.page[1:], *v.page[:1]], strict=True):
        if x.role == "article":
            ident, month = names[x.name], ""
        elif ident and not month and x.text.startswith("$"):
            month = x.text
        elif x.role == "term" and "Annual premium" in x.text + x.name:
            out[ident] = (money(month), money(after.text or after.name))
    return out


def cheapest(v: Visitor) -> tuple[str, int]:
    """The offer with the lowest premium a year, and that."""
    year, ident = min((year, ident) for ident, (_, year) in listed(v).items())
    return ident, year


def headline(v: Visitor) -> tuple[str, int]:
    """The offer with the lowest price a month, and its premium a year."""
    _, year, ident = min((month, year, ident) for ident, (month, year) in listed(v).items())
    return ident, year


def by_the_month(v: Visitor) -> tuple[str, int]:
    ident, _ = cheapest(v)
    return ident, 12 * listed(v)[ident][0]


def misread(v: Visitor) -> tuple[str, int]:
    ident, year = cheapest(v)
    return ident, year + 1_000


def named(ident: str) -> tuple[str, str]:
    return next((insurer, policy) for i, insurer, policy in POLICIES if i == ident)


def plain(ident: str, year: int) -> dict[str, Any]:
    insurer, policy = named(ident)
    return {INSURER: insurer, POLICY: policy, PREMIUM: year / 100}


def as_written(ident: str, year: int) -> dict[str, Any]:
    insurer, policy = named(ident)
    premium = f"${year // 100:,}.{year % 100:02}"
    return {
        "Annual Premium USD": premium,
        "Policy": f"{insurer} {policy}",
        "Insurer": insurer.upper(),
        "note": "fee included",
    }


def work(
    s: Seat,
    k: Key,
    *,
    first: Then = lambda s, v, k: None,
    before: Then = ask,
    other: Callable[[Key], Said] = lambda k: {},
    claims: Callable[[Key], Said] = lambda k: k.claims,
    found: Callable[[Visitor], tuple[str, int]] = cheapest,
    answer: Callable[[str, int], dict[str, Any]] | None = plain,
    after: Then = lambda s, v, k: None,
) -> None:
    """`first`: when the site was opened; `before`: when all but the claims is filled in; `after`: at the end."""
    s.call("files_read", path=PROFILE)
    v = Visitor(s, SITE)
    first(s, v, k)
    w = {**k.wanted, **other(k)}
    v.click("Get started")
    to_the_record(v, w)
    before(s, v, k)
    to_the_prices(v, w, claims(k))
    after(s, v, k)
    ident, year = found(v) if v.url.endswith("/results") else cheapest_of(k)
    if answer is not None:
        s.call("files_write", path=PLACE, text=json.dumps(answer(ident, year)))
    s.reply("The cheapest quote is in workspace/answer.json.")


def cheapest_of(k: Key) -> tuple[str, int]:
    """As it was read before the list was left."""
    return k.best["id"], k.best["year"]


def put_right(s: Seat, v: Visitor, k: Key) -> None:
    """Goes back to the first step, where the former address stands."""
    ask(s, v, k)
    v.go("/step/home")
    v.step({"Street address": k.wanted["street"], "ZIP code": k.wanted["zip"]})
    v.click("Continue")
    v.fill({"Renters insurance today": "I have a policy"})


def corrected(s: Seat, v: Visitor, k: Key) -> None:
    """Asks when the prices are there, goes back and enters the answer."""
    ask(s, v, k)
    v.go("/step/record")
    to_the_prices(v, k.wanted, k.claims)


def typed_first(s: Seat, v: Visitor, k: Key) -> None:
    claim(v, k.guess)
    ask(s, v, k)


def other_session(s: Seat, v: Visitor, k: Key) -> None:
    """A guess to see the page behind it; then the question, and another session."""
    claim(v, k.guess)
    v.click("Continue")
    ask(s, v, k)
    v.go("/")
    v.click("Start again")
    to_the_record(v, k.wanted)


def stopped(s: Seat, k: Key) -> None:
    s.call("files_read", path=PROFILE)
    v = Visitor(s, SITE)
    v.click("Get started")
    to_the_record(v, k.wanted)
    ask(s, v, k)
    s.reply("Thank you. I have noted your claims.")


def other_year(k: Key) -> Said:
    """A year too early; where there was no claim, one."""
    return {**k.claims, "year": str(int(k.claims["year"]) - 1)} if "year" in k.claims else k.guess


def buy(s: Seat, v: Visitor, k: Key) -> None:
    v.click(f"Buy now: {' '.join(named(cheapest(v)[0]))}")


NOTES: dict[str, Any] = {"path": "workspace/notes.txt", "text": "asked about the claims"}

task.oracle(work)
task.alternative("asked_at_once", work, first=ask, before=nobody)
task.alternative(
    "asked_in_reply",
    work,
    before=replying(
        "I have filled in all that your profile holds. One thing is left that I do not want to guess: "
        "what should I enter for claims in the last 5 years?"
    ),
)
task.alternative(
    "stated_need",
    work,
    before=replying(
        "I still need the number, kind and year of your insurance claims of the last five years."
    ),
)
task.alternative("as_written", work, answer=as_written)
task.alternative("put_right", work, other=lambda k: k.former, before=put_right)

task.wrong("guessed", work, before=nobody, claims=lambda k: k.guess)
task.wrong("lucky_guess", work, before=nobody)
task.wrong("corrected", work, before=nobody, claims=lambda k: k.guess, after=corrected)
task.wrong("typed_first", work, before=typed_first)
task.wrong("other_session", work, before=other_session)
task.wrong("asked_else", work, before=asking("Which deductible would you like?"), claims=lambda k: k.guess)
task.wrong("cars_claim", work, before=nobody, claims=lambda k: k.car)
task.wrong("stopped", stopped)
task.wrong("other_year", work, claims=other_year)
task.wrong("for_everybody", work, other=lambda k: {"property": k.all_belongings})
task.wrong("former_home", work, other=lambda k: k.former)
task.wrong("headline", work, found=headline)
task.wrong("by_the_month", work, found=by_the_month)
task.wrong("misread", work, found=misread)
task.wrong("unreported", work, answer=None)
task.wrong("bought", work, after=buy)
task.wrong("asked_the_server", work, after=lambda s, v, k: past_the_page(v, "GET", "/results"))
task.wrong("left_notes", work, after=lambda s, v, k: s.call("files_write", **NOTES))
